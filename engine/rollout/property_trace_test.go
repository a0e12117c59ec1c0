package rollout_test

import (
	"fmt"
	"strings"

	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// tell prints a step of a history; of a history that does not fail nothing is
// printed, and nothing is formatted.
func (h *history) tell(ev rollout.Event, effects []rollout.Effect) {
	h.t.Logf("%s", lazy(func() string {
		st := h.m.Status()
		line := fmt.Sprintf("%9.3f %s", h.now.Sub(h.epoch0).Seconds(), eventWord(h, ev))
		for _, e := range effects {
			line += "\n            " + effectWord(e)
		}
		if p := st.Prompt; p != nil {
			line += fmt.Sprintf("\n            asks %s: ask %d row %s node %s: %s", p.ID, p.Ask, p.Row, p.Node, p.Cause)
		}
		return line
	}))
}

// lazy is text that is made when it is printed.
type lazy func() string

func (l lazy) String() string { return l() }

func eventWord(h *history, ev rollout.Event) string {
	switch ev := ev.(type) {
	case rollout.Observed:
		line := "observed"
		if ev.Snapshot.Nodes.Err != nil {
			line += " (no answer)"
		}
		for _, n := range ev.Snapshot.Nodes.Value[:2] {
			line += fmt.Sprintf(" | %s %s %s launch %d", n.ID, n.Scheduling, n.Availability, n.Process.Value.LaunchMillis)
		}
		return line + fmt.Sprintf(" | slot %v", h.slot)
	case rollout.Answered:
		return fmt.Sprintf("answered %s %s %s", ev.Answer.Prompt, ev.Answer.Word, ev.Answer.Gate)
	}
	return strings.TrimPrefix(fmt.Sprintf("%T %+v", ev, ev), "rollout.")
}

func effectWord(e rollout.Effect) string {
	if r, ok := e.(rollout.Record); ok {
		if r.Rec.Kind == journal.KindState {
			return "state " + string(r.Rec.Data)
		}
		return fmt.Sprintf("record %s %s %s %s", r.Rec.Kind, r.Rec.Eff, r.Rec.Why, r.Rec.Data)
	}
	return strings.TrimPrefix(fmt.Sprintf("%T %+v", e, e), "rollout.")
}
