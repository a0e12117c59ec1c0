package rollout

import (
	"slices"

	"github.com/StorconTUI/storcon-tui/engine/journal"
)

// endDone closes a run whose last node is done.
func (m *Machine) endDone() {
	o := Outcome{Exit: ExitDone, Word: "done"}
	o.Left = m.leftBehindAll()
	for _, s := range m.steps {
		switch s.State {
		case StepDegraded, StepFailed, StepGone, StepSkipped:
			o.Exit, o.Word = ExitDoneWithIssues, "done with issues"
		}
	}
	if m.leftAlone() {
		o.Exit, o.Word = ExitPaused, "left as it was"
	}
	if len(o.Left) > 0 {
		o.Exit, o.Word = ExitAbortedDirty, "done, not clean"
	}
	m.finish(o)
}

// leftAlone reports an operation alone that was skipped before anything was sent:
// there is nothing that could have issues.
func (m *Machine) leftAlone() bool {
	return m.plan.Goal != GoalRestart && m.calls.Mutating() == 0 &&
		!slices.ContainsFunc(m.steps, func(s step) bool { return s.State != StepSkipped })
}

// finish closes the journal and the run.
func (m *Machine) finish(o Outcome) {
	m.sumUp(&o)
	m.record(journal.Record{Kind: journal.KindClose}.With(journal.Close{
		Outcome: closeWord(o), Exit: int(o.Exit), Left: leftLines(o.Left),
	}))
	m.leave(o)
}

// leave ends the run without closing its journal.
func (m *Machine) leave(o Outcome) {
	if o.Exposed == 0 && o.Baseline == 0 {
		m.sumUp(&o)
	}
	m.clearPrompt()
	m.setDeciding(false)
	m.outcome = &o
	m.state, m.ended = RunEnded, m.at
	m.emit(Finish{})
	m.turns = true
}

func closeWord(o Outcome) journal.Outcome {
	switch o.Exit {
	case ExitDone:
		return journal.Done
	case ExitDoneWithIssues:
		return journal.DoneWithIssues
	case ExitAbortedDirty:
		return journal.AbortedDirty
	case ExitHalted:
		return journal.Halted
	case ExitPreflight:
		return journal.PreflightFailed
	}
	return journal.Aborted
}

// sumUp adds issues and exposure: shards still attached when a restart began
// times the seconds until its node was Active again, beside what it would have
// been without a drain. Both are -1 when a figure is missing.
func (m *Machine) sumUp(o *Outcome) {
	var issues []string
	for _, s := range m.steps {
		for _, text := range s.Issues {
			issues = append(issues, "node "+s.Plan.Node.String()+": "+text)
		}
		if s.State == StepSkipped || s.State == StepFailed || s.State == StepGone {
			issues = append(issues, "node "+s.Plan.Node.String()+" "+stepWord(s.State)+because(s.Why))
		}
		addExposure(o, s)
	}
	o.Issues = append(issues, o.Issues...)
}

func addExposure(o *Outcome, s step) {
	if s.HookStart.IsZero() || s.stayedUp {
		return
	}
	if s.BackAfter == 0 || s.ExposedShards < 0 || s.AttachedBefore < 0 {
		o.Exposed, o.Baseline = -1, -1
		return
	}
	if o.Exposed < 0 {
		return
	}
	o.Exposed += float64(s.ExposedShards) * s.BackAfter.Seconds()
	o.Baseline += float64(s.AttachedBefore) * s.BackAfter.Seconds()
}

// Status is the run as people see it.
func (m Machine) Status() Status {
	st := Status{
		Seq: m.seq, Goal: m.plan.Goal, Identity: m.plan.Identity, At: m.at,
		Started: m.started, Ended: m.ended, State: m.state, Hold: m.hold, Why: m.why,
		Plan: m.plan, Notes: m.notes, Calls: m.calls,
	}
	st.Steps = make([]StepStatus, len(m.steps))
	for i := range m.steps {
		st.Steps[i] = m.steps[i].StepStatus
	}
	if m.prompt != nil {
		p := *m.prompt
		st.Prompt = &p
	}
	if m.outcome != nil {
		o := *m.outcome
		st.Outcome = &o
	}
	return st
}
