package prose

import (
	"fmt"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// MovedAndLeft is Moved with what is left: "1 011 of 1 567, 556 left".
func MovedAndLeft(p rollout.Progress) string {
	text := Moved(p)
	if text == "" {
		return ""
	}
	return strings.Replace(text, " moved", ", "+Count(p.Left)+" left", 1)
}

// Moved says how far a drain or fill is: "1 564 of 1 567 moved".
func Moved(p rollout.Progress) string {
	if p.Total < 0 || p.Left < 0 {
		return ""
	}
	text := Count(max(0, p.Total-p.Left)) + " of " + Count(p.Total) + " moved"
	if p.Intent {
		text += " (intent, from the 20 s gauges)"
	}
	return text
}

// PhaseOf finds a phase of a step; nil when the step has none of the kind.
func PhaseOf(s *rollout.StepStatus, kind rollout.Phase) *rollout.PhaseStatus {
	for i := range s.Phases {
		if s.Phases[i].Phase == kind {
			return &s.Phases[i]
		}
	}
	return nil
}

// Took is how long a phase has been going on, or went on; 0 = it never began.
// While it waits for an answer it is how long it waits.
func Took(ph rollout.PhaseStatus, now time.Time) time.Duration {
	switch {
	case !ph.Ended.IsZero() && !ph.Started.IsZero():
		return ph.Ended.Sub(ph.Started)
	case !ph.Started.IsZero():
		return now.Sub(ph.Started)
	case !ph.Asked.IsZero() && ph.State == rollout.PhaseAsking:
		return now.Sub(ph.Asked)
	}
	return 0
}

// Figure counts what a phase has moved, "" when there is nothing to count. Of
// one that is done it is what was found afterwards, not the last progress seen.
func Figure(s *rollout.StepStatus, ph rollout.PhaseStatus) string {
	switch {
	case ph.Phase == rollout.PhaseDrain && ph.State == rollout.PhaseDone:
		return Drained(s)
	case ph.Phase == rollout.PhaseFill && ph.State == rollout.PhaseDone:
		if s.Home != nil {
			return Things(int64(s.Home.Home), "shard") + " home"
		}
		return ""
	case ph.State != rollout.PhaseRunning || ph.Progress.Total <= 0:
		return ""
	case ph.Phase == rollout.PhaseDrain || ph.Phase == rollout.PhaseFill:
		return Moved(ph.Progress)
	}
	return ""
}

// Drained counts what a finished drain moved, by the list that was read after
// it: "1 564 of 1 567 moved".
func Drained(s *rollout.StepStatus) string {
	ph := PhaseOf(s, rollout.PhaseDrain)
	if ph == nil || ph.Started.IsZero() {
		return ""
	}
	p := ph.Progress
	if s.AttachedBefore >= 0 {
		p.Total = s.AttachedBefore
	}
	switch {
	case s.LeftoversKnown:
		p.Left, p.Intent = int64(len(s.Leftovers)), false
	case s.LeftoversGauge >= 0:
		p.Left, p.Intent = s.LeftoversGauge, true
	}
	return Moved(p)
}

// PhaseNews is a phase in a few words: "1 564 of 1 567 moved", "waiting for
// you", or what it waits for.
func PhaseNews(s *rollout.StepStatus, ph rollout.PhaseStatus) string {
	if ph.State == rollout.PhaseWaiting {
		return ""
	}
	if text := Figure(s, ph); text != "" {
		return text
	}
	if ph.Detail != "" {
		return PhaseState(ph.State) + ": " + ph.Detail
	}
	return PhaseState(ph.State)
}

// Movement says when something last moved: "the last shard moved 6 s ago",
// "nothing has moved yet, 7 s after the drain began". "" = not known.
func Movement(ph rollout.PhaseStatus, now time.Time) string {
	p := ph.Progress
	switch {
	case p.LastMove.IsZero():
		return ""
	case p.Left >= p.Total && !ph.Started.IsZero():
		return "nothing has moved yet, " + Span(now.Sub(ph.Started)) + " after the " + Phase(ph.Phase) + " began"
	}
	return "the last shard moved " + agoWord(now.Sub(p.LastMove))
}

// Speed is the rate and what is left of the time: "14 shards/s · 1–2 m left".
func Speed(p rollout.Progress) string {
	text := "not known yet"
	switch {
	case p.Rate >= 10:
		text = fmt.Sprintf("%.0f shards/s", p.Rate)
	case p.Rate > 0:
		text = fmt.Sprintf("%.1f shards/s", p.Rate)
	}
	if p.ETA.Max > 0 {
		text += " · " + strings.NewReplacer("~", "about ", "<1–", "up to ").Replace(Estimate(p.ETA)) + " left"
	}
	return text
}

// TimeLimit says when the operator is asked because a phase takes too long.
func TimeLimit(deadline, now time.Time) string {
	switch {
	case deadline.IsZero():
		return ""
	case deadline.After(now):
		return "you are asked in " + Span(deadline.Sub(now)) + " if it has not ended"
	}
	return "over its limit by " + Span(now.Sub(deadline))
}

// Blocked says what holds a phase up, in one line: "2 shards have been
// reconciling for 9 min: 3aa9…8e41-0002 to node 4, …". "" = nothing known.
func Blocked(blocking []rollout.Blocking, now time.Time) string {
	if len(blocking) == 0 {
		return ""
	}
	oldest := blocking[0].Since
	names := make([]string, 0, len(blocking))
	for _, b := range blocking {
		if !b.Since.IsZero() && (oldest.IsZero() || b.Since.Before(oldest)) {
			oldest = b.Since
		}
		names = append(names, ShortShard(string(b.Shard))+toNode(b.To))
	}
	text := Things(int64(len(blocking)), "shard") + " held up"
	if !oldest.IsZero() {
		text += " for " + Span(now.Sub(oldest))
	}
	return text + ": " + someOf(names, 2)
}

// BlockedLines are the first shards that hold a phase up, and how many more do.
func BlockedLines(blocking []rollout.Blocking, limit int, now time.Time) []string {
	var lines []string
	for i, b := range blocking {
		if i == limit {
			return append(lines, fmt.Sprintf("and %d more", len(blocking)-limit))
		}
		lines = append(lines, BlockedLine(b, now))
	}
	return lines
}

// BlockedLine is one shard that holds a phase up, in full.
func BlockedLine(b rollout.Blocking, now time.Time) string {
	text := string(b.Shard) + toNode(b.To)
	if b.Reason != "" {
		text += ", " + b.Reason
	}
	if !b.Since.IsZero() {
		text += " for " + Span(now.Sub(b.Since))
	}
	if b.LastError != "" {
		text += "; last error: " + b.LastError
	}
	return text
}

func toNode(id client.NodeID) string {
	if id == 0 {
		return ""
	}
	return " to node " + id.String()
}

// Held says what freezes a run: "held for 40 s: controller not answering".
func Held(h rollout.Hold, now time.Time) string {
	if h.Reason == "" {
		return ""
	}
	return "held" + forTime(h.Since, now) + ": " + h.Reason + " · timers stand still, nothing is sent"
}

func forTime(at, now time.Time) string {
	if at.IsZero() {
		return ""
	}
	return " for " + Span(now.Sub(at))
}

// NoteLine is one line of a run's log without its time.
func NoteLine(n rollout.Note) string {
	var b strings.Builder
	switch n.Kind {
	case rollout.NoteAnomaly:
		b.WriteString("! ")
	case rollout.NoteError:
		b.WriteString("error: ")
	}
	if n.Node != 0 {
		b.WriteString("node " + n.Node.String() + "  ")
	}
	b.WriteString(n.Text)
	if n.Row != "" {
		b.WriteString(" [" + n.Row + "]")
	}
	return b.String()
}

// RunningTitle heads a phase that runs: "DRAINING NODE 1".
func RunningTitle(p rollout.Phase, node client.NodeID) string {
	verb := map[rollout.Phase]string{
		rollout.PhaseDrain:    "DRAINING NODE ",
		rollout.PhaseRestart:  "RESTARTING NODE ",
		rollout.PhaseFill:     "FILLING NODE ",
		rollout.PhaseVerify:   "VERIFYING NODE ",
		rollout.PhaseBake:     "BAKING NODE ",
		rollout.PhaseCancel:   "CANCELLING WHAT RUNS ON NODE ",
		rollout.PhaseActivate: "SETTING ACTIVE NODE ",
	}[p]
	if verb == "" {
		verb = "NODE "
	}
	return verb + node.String()
}
