package reconfigure

import (
	"strings"

	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// endDone closes a run of which every compute is over.
func (m *Machine) endDone() {
	o := Outcome{Exit: rollout.ExitDone, Word: "done"}
	for i := range m.items {
		switch m.items[i].State {
		case ItemDone, ItemAccepted:
		default:
			o.Exit, o.Word = rollout.ExitDoneWithIssues, "done with issues"
		}
	}
	switch {
	case m.bad() > m.plan.Limit || m.refused() > 0:
		o.Exit, o.Word = rollout.ExitHalted, "failed"
	case m.sent == 0 && m.byHand:
		o.Exit, o.Word = rollout.ExitPaused, "left as it was"
	case m.sent == 0:
		o.Exit, o.Word = rollout.ExitPreflight, "nothing was sent"
	}
	m.finish(o)
}

// endAborted closes a run that the operator ends before its last compute.
func (m *Machine) endAborted() {
	o := Outcome{Exit: rollout.ExitPaused, Word: "aborted"}
	if m.bad() > m.plan.Limit {
		o.Exit, o.Word = rollout.ExitHalted, "failed, and ended by the operator"
	}
	m.finish(o)
}

// endDetached leaves the run to whoever takes it up again. One that has sent nothing
// is closed: there is nothing to take up.
func (m *Machine) endDetached() {
	o := Outcome{Exit: rollout.ExitPaused, Word: "left: " + m.leaving}
	if m.bad() > m.plan.Limit {
		o.Exit = rollout.ExitHalted
	}
	if m.sent == 0 && m.belief == nil {
		if m.killed != 0 {
			o.Exit = m.killed
		}
		m.finish(o)
		return
	}
	m.leave(o)
}

// endBroken: nothing can be recorded, so nothing can be sent.
func (m *Machine) endBroken() {
	m.leave(Outcome{
		Exit: rollout.ExitJournal, Word: "the journal cannot be written",
		Issues: []string{m.broken.Error()},
	})
}

// finish closes the journal and the run.
func (m *Machine) finish(o Outcome) {
	m.sumUp(&o)
	m.record(journal.Record{Kind: journal.KindClose}.With(journal.Close{
		Outcome: closeWord(o.Exit), Exit: int(o.Exit), Left: o.Left,
	}))
	m.over(o)
}

// leave ends the run without closing its journal.
func (m *Machine) leave(o Outcome) {
	m.sumUp(&o)
	m.over(o)
}

func (m *Machine) over(o Outcome) {
	m.prompt, m.mark = nil, ""
	m.outcome = &o
	m.state, m.ended = RunEnded, m.at
	m.emit(Finish{})
	m.turns = true
}

func closeWord(exit rollout.ExitCode) journal.Outcome {
	switch exit {
	case rollout.ExitDone:
		return journal.Done
	case rollout.ExitDoneWithIssues:
		return journal.DoneWithIssues
	case rollout.ExitHalted:
		return journal.Halted
	case rollout.ExitPreflight:
		return journal.PreflightFailed
	}
	return journal.Aborted
}

// sumUp says what is not as it should be, and what is left on computes.
func (m *Machine) sumUp(o *Outcome) {
	for i := range m.items {
		it := &m.items[i]
		name := it.Item.Compute
		switch {
		case it.State == ItemUnanswered, it.State == ItemUnclear, m.belief != nil && m.belief.Items[name].Open && !it.State.Over():
			o.Left = append(o.Left, name+": its spec was sent and is not answered; what it does goes on, see storcon-tui computes")
		case it.State == ItemDone, it.State == ItemAccepted:
		case it.State.Over():
			line := name + " " + it.State.Word()
			if rest := strings.TrimPrefix(it.Why, it.State.Word()+": "); rest != "" {
				line += ": " + rest
			}
			o.Issues = append(o.Issues, line)
			if it.Left != "" && it.State != ItemSkipped {
				o.Left = append(o.Left, name+": "+it.Left)
			}
		}
	}
}
