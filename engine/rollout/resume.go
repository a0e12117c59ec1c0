package rollout

import (
	"fmt"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/journal"
)

// resumeGap is how far apart two reads must agree before a run is taken up.
const resumeGap = time.Second

// Resumed makes the Machine of a run that an earlier process left. It observes,
// shows what it would do, and does nothing before one yes.
func Resumed(plan Plan, set Settings, b Belief) Machine {
	m := New(plan, set)
	m.belief, m.calls, m.asked = &b, b.Calls, b.asked
	m.started, m.base = b.Began, b.base
	for i := range m.steps {
		m.steps[i].believe(b.node(m.steps[i].Plan.Node))
	}
	for m.cur < len(m.steps) && m.steps[m.cur].fsm == ended {
		m.cur++
	}
	return m
}

// believe takes over what the journal says, save where the step stands.
func (s *step) believe(b *NodeBelief) {
	for phase, n := range b.ordinal {
		s.ordinal[phase] = n
	}
	s.before, s.beforeKnown = b.before, b.beforeKnown
	if b.beforeKnown {
		s.AttachedBefore = int64(len(b.before))
	}
	s.Issues = append(s.Issues, b.issues...)
	s.undone = b.Undrained
	s.touched = b.Drain.maybe() || b.Hook.Seq > 0
	if b.Hook.Seq > 0 {
		s.HookStart, s.HookEnd = b.Hook.At, b.Hook.EndAt
		if s.preLaunch = b.Hook.Pre.Launch; s.preLaunch != 0 {
			s.PreLaunch = time.UnixMilli(s.preLaunch)
		}
		s.PreBuild.Revision = b.Hook.Pre.Revision
		if n := b.Hook.Pre.AttShards; n != nil {
			s.ExposedShards = int64(*n)
		}
		if !b.backAt.IsZero() {
			s.BackAfter = b.backAt.Sub(b.Hook.At)
		}
	}
	switch {
	case b.end != nil:
		s.endedBefore(b.end)
	case b.State != "":
		s.State = StepRunning
	}
}

// endedBefore: a step that is over is not touched again.
func (s *step) endedBefore(e *stepEnd) {
	s.fsm, s.touched = ended, false
	s.State, s.Why, s.Issues = stepNamed(e.As), e.Why, e.Issues
	s.AttachedBefore, s.AttachedAfter, s.ExposedShards = e.Before, e.After, e.Exposed
	s.HookStart, s.BackAfter = e.HookStart, time.Duration(e.BackAfter*float64(time.Second))
	for i := range s.Phases {
		s.Phases[i].State = PhaseDone
		if s.State != StepDone && s.State != StepDegraded {
			s.Phases[i].State = PhaseSkipped
		}
	}
}

func stepNamed(word string) StepState {
	for s := StepPending; s <= StepAbortedDirty; s++ {
		if stepWord(s) == word {
			return s
		}
	}
	return StepDone
}

// recordEnd writes how a step ended, with what the report needs of it.
func (m *Machine) recordEnd(s *step) {
	m.record(journal.Record{Kind: journal.KindState, Durable: true}.With(stepEnd{
		State: journal.State{From: s.fsm.String(), To: ended.String()},
		As:    stepWord(s.State), Why: s.Why, Issues: s.Issues,
		Before: s.AttachedBefore, After: s.AttachedAfter, Exposed: s.ExposedShards,
		HookStart: s.HookStart, BackAfter: s.BackAfter.Seconds(),
	}))
}

// recordBaseline writes the figures that the gates compare with.
func (m *Machine) recordBaseline() {
	m.record(journal.Record{Kind: journal.KindKeyframe}.With(baselineData{Baseline: m.base}))
}

// recordBefore writes what was attached before anything was touched.
func (m *Machine) recordBefore() {
	before := m.step().before
	if before == nil {
		before = []client.TenantShardID{}
	}
	m.record(journal.Record{Kind: journal.KindObs}.With(beforeData{Before: before}))
}

// askResume shows what the journal says and what the cluster shows, and asks
// once whether to go on from there.
func (m *Machine) askResume() {
	if m.stale() {
		m.clearPrompt()
		return
	}
	if m.looked.IsZero() {
		m.looked = m.at
	}
	if !m.sighted() {
		return
	}
	lines := m.resumeLines()
	q := question{ask: AskResume, resume: lines}
	for _, l := range lines {
		q.cause += fmt.Sprintf("node %s: %s. ", l.Node, l.Proposal)
	}
	q.choices = []Choice{{Word: WordYes, Does: "take the run up as shown; every step is asked about"}}
	if !m.belief.Aborting {
		q.choices = append(q.choices, Choice{Word: WordAbort, Does: "end the run: put this node back, leave the others untouched"})
	}
	q.choices = append(q.choices, Choice{Word: WordNo, Does: "leave the run as it is; nothing is sent"})
	m.put(q)
}

// sighted reports that two reads, a second apart, agree about the current node
// and that its process was read.
func (m *Machine) sighted() bool {
	if m.cur >= len(m.steps) {
		return true
	}
	s := m.step()
	if s.seen.policy == "" {
		if s.lost < 2 {
			m.another()
		}
		return s.lost >= 2
	}
	return m.agreed(2) && m.due(s.seen.first.Add(resumeGap)) && m.process(m.looked) != nil
}

func (m *Machine) sight() sight {
	s := m.step()
	e, _ := m.epochOf()
	return sight{
		listed: s.seen.policy != "", policy: s.seen.policy, avail: s.seen.avail, launch: m.launchNow(), epoch: e.String(),
	}
}

func (m *Machine) resumeLines() []ResumeLine {
	var lines []ResumeLine
	for i := range m.steps {
		b := m.belief.node(m.steps[i].Plan.Node)
		l := ResumeLine{Node: b.Node, Believed: b.words(m.at), Proposal: "done, not touched"}
		switch {
		case i == m.cur:
			l.Observed = m.sight().words(b.launchBefore())
			l.Proposal = takes[m.proposal()]
		case i > m.cur:
			l.Proposal = takes[takeNotBegun]
			if m.belief.Aborting {
				l.Proposal = "not begun, not touched"
			}
		}
		lines = append(lines, l)
	}
	return lines
}

func (m *Machine) proposal() resumeAt {
	b, o := m.belief.node(m.id()), m.sight()
	return propose(m.plan.Goal, m.belief.Aborting, *b, o, b.Answer.stands(o, m.at, m.set.Answer))
}

// decideResume takes the one answer that a run is taken up with.
func (m *Machine) decideResume(p Prompt, a Answer) {
	m.turns = true
	switch a.Word {
	case WordYes:
	case WordAbort:
		b := *m.belief
		b.Aborting = true
		m.belief = &b
	default:
		m.leaveUntaken()
		return
	}
	m.record(journal.Record{Kind: journal.KindResume, By: actor(a.By), Why: a.Reason}.
		With(map[string]any{"prompt": p.ID, "lines": p.Evidence.Resume}))
	m.takeUp()
}

// leaveUntaken ends without having done anything; the run stays open.
func (m *Machine) leaveUntaken() {
	m.leave(Outcome{Exit: ExitPaused, Word: "not taken up again", Left: m.leftBehindAll()})
}

// takeUp goes on where the cluster says that the run is.
func (m *Machine) takeUp() {
	b := *m.belief
	m.state = RunRunning
	if b.Aborting {
		m.state, m.why = RunAborting, "the run was being ended"
	}
	m.keepFigures()
	var at resumeAt
	if m.cur < len(m.steps) {
		at = m.proposal()
	}
	m.belief = nil
	m.note(NoteInfo, "", "the run is taken up again")
	switch {
	case b.Aborting && (m.cur >= len(m.steps) || m.step().State == StepPending):
		m.abortBetween()
	case m.cur >= len(m.steps):
	case at == takeNotBegun:
		m.startStep()
	default:
		m.place(at, *b.node(m.id()))
	}
}

// abortBetween ends a run whose node in turn was not begun.
func (m *Machine) abortBetween() {
	for i := range m.steps {
		if m.steps[i].State == StepPending {
			m.steps[i].State, m.steps[i].Why = StepSkipped, "the run was aborted before"
		}
	}
	m.finish(Outcome{Exit: ExitPaused, Word: "aborted"})
}
