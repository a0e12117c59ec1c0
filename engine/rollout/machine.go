package rollout

import (
	"slices"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/gate"
)

// Machine decides what a run does next. It is a value: Apply changes nothing in
// the receiver. It has no clock, sends nothing and starts nothing.
//
// Its states are level-triggered: each looks at the newest facts and either
// moves on, asks, or waits. Only answers are events with a meaning of their
// own. That is why a fill of a millisecond, a missed poll or a long outage need
// no special cases.
type Machine struct {
	set  Settings
	plan Plan
	at   time.Time

	state   RunState
	why     string
	hold    Hold
	steps   []step
	cur     int
	notes   []Note
	calls   Calls
	outcome *Outcome
	started time.Time
	ended   time.Time
	seq     uint64
	base    *gate.Baseline // figures when the run began; nil = not read yet
	belief  *Belief        // what the journal says, until the run is taken up; nil = a new run, or taken up
	looked  time.Time      // when the cluster was first read for that
	pending gate.Readings  // the pending reconciles lately

	snap        *cluster.Snapshot
	full        string        // why the journal's disk has no more room
	unlocked    string        // why the lock keeps nobody out any more
	silentSince time.Time     // of the newest silence of the controller
	saidSilent  bool          // it was said, before anything is held
	askedOutage bool          // the question that stands, if one does, is about the silence
	patience    time.Duration // by which the operator extended the budget for an outage
	noAdmin     bool          // the token may not list shards, probe or configure
	deciding    bool          // the leader is read often

	prompt    *Prompt
	mark      string // what the prompt rests on; another mark is another question
	asked     int
	lastAsk   string // ask and row of the newest anomaly, so that a question asked again is not a new anomaly
	standing  []standing
	revoked   bool // an anomaly came: the policy of an unattended run answers nothing more
	overrides []gate.Override

	call    inflight  // the one mutating call
	hook    inflight  // the restart command
	tag     uint64    // newest question to the Driver
	reread  time.Time // when the node list was last asked for by us; zero = not since the newest
	pausing bool

	pausingLater bool     // before the next phase
	leaving      string   // why the operator detaches; "" = stays
	killed       ExitCode // by a signal: what the run ends with if nothing was changed; 0 = by none
	abandoned    bool     // a restart command is not waited for
	broken       error    // the journal's

	seenTill time.Time // events of the picture up to here were taken
	skewTold bool
	awake    time.Time // what was read before counts no more; zero = all does

	wake   time.Time // when time alone may change something
	out    []Effect
	stands bool // the prompt was put, or put again, in this Apply
	turns  bool // a state was entered in this turn
}

// inflight is something that the Driver is carrying out.
type inflight struct {
	eff  string
	kind CallKind
}

func (f inflight) busy() bool { return f.eff != "" }

// New makes the Machine of a run that has not begun. It begins with the first
// Observed.
func New(plan Plan, set Settings) Machine {
	m := Machine{set: set.orDefaults(), plan: plan, state: RunReady}
	for i, p := range plan.Steps {
		m.steps, m.cur = append(m.steps, step{StepStatus: StepStatus{Plan: p}}), i
		m.steps[i] = newStep(plan.Goal, p, m.bakeFor())
	}
	m.cur = 0
	return m
}

// maxTurns bounds how many states one event may lead through.
const maxTurns = 16

// Apply takes one event and gives the next Machine and what has to be done, in
// order.
func (m Machine) Apply(ev Event) (Machine, []Effect) {
	n := m.clone()
	if n.state == RunEnded {
		return n, nil
	}
	n.wake, n.stands = time.Time{}, false
	n.absorb(ev)
	if a, ok := ev.(Answered); ok {
		n.answer(a.Answer)
	}
	for range maxTurns {
		n.turns = false
		n.turn()
		if !n.turns || n.state == RunEnded {
			break
		}
	}
	if n.prompt != nil && !n.stands && !n.stale() {
		n.clearPrompt() // the state that asked had something else to say
	}
	n.goOnWaiting(m.prompt, ev)
	n.seq++
	out := n.out
	n.out = nil
	return n, out
}

// Wake is when a Tick is due, zero when only other events matter.
func (m Machine) Wake() time.Time { return m.wake }

// Ended reports that nothing will happen any more.
func (m Machine) Ended() bool { return m.state == RunEnded }

func (m Machine) clone() Machine {
	m.steps = slices.Clone(m.steps)
	if m.cur < len(m.steps) {
		m.steps[m.cur] = m.steps[m.cur].clone()
	}
	m.notes = slices.Clip(m.notes)
	m.standing = slices.Clip(m.standing)
	m.overrides = slices.Clip(m.overrides)
	m.out = nil
	return m
}

// turn lets the run's overlays and then the current state look at the facts.
func (m *Machine) turn() {
	switch {
	case m.broken != nil:
		m.endBroken()
	case m.unread():
		m.run()
	case m.leaving != "" && m.mayLeave():
		m.endDetached()
	case m.state == RunReady:
		m.begin()
	case m.pausing && m.atBoundary(), m.pausingLater && m.betweenPhases():
		m.pauseHere()
	case m.state == RunPaused:
		m.askPaused()
	case m.outageAsked():
	case m.cur >= len(m.steps):
		m.endDone()
	default:
		m.run()
	}
}

// begin starts the run with the first good picture of the cluster.
func (m *Machine) begin() {
	if m.belief != nil {
		m.askResume()
		return
	}
	if m.stale() {
		return
	}
	m.state = RunRunning
	m.started = m.at
	m.keepFigures()
	m.startStep()
}

// startStep takes up the next node, and the run's end after the last.
func (m *Machine) startStep() {
	m.turns = true
	for m.cur < len(m.steps) && m.steps[m.cur].State != StepPending {
		m.cur++
	}
	if m.cur >= len(m.steps) {
		return
	}
	s := m.steps[m.cur].clone()
	s.State = StepRunning
	s.began = m.at
	s.seen, s.reads = reading{}, 0
	m.steps[m.cur] = s
	m.read(m.step())
	m.emit(WatchProcess{Node: s.Plan.Node, On: true})
	m.enter(firstState(m.plan.Goal))
}

func firstState(g Goal) nodeState {
	switch g {
	case GoalFill:
		return beforeFill
	case GoalCancel:
		return beforeCancel
	case GoalActivate:
		return beforeActivate
	}
	return beforeDrain
}

// endStep closes the current node and goes on to the next.
func (m *Machine) endStep(state StepState, why string) {
	s := m.step()
	if state == StepSkipped || state == StepFailed {
		m.unfilled()
		m.notRestarted()
	}
	s.State, s.Why = state, why
	m.clearPrompt()
	m.emit(WatchProcess{Node: s.Plan.Node, On: false})
	m.emit(WatchShards{Node: s.Plan.Node, On: false})
	m.recordEnd(s)
	s.fsm = ended
	m.note(NoteInfo, "", stepWord(state)+because(why))
	m.cur++
	m.startStep()
}

// doneStep ends the current node well, or degraded when something is to be
// said about it.
func (m *Machine) doneStep() {
	s := m.step()
	if len(s.Issues) > 0 {
		m.endStep(StepDegraded, s.Issues[0])
		return
	}
	m.endStep(StepDone, "")
}

func (m *Machine) step() *step { return &m.steps[m.cur] }

// id is the current node's.
func (m *Machine) id() client.NodeID {
	if m.cur >= len(m.steps) {
		return 0
	}
	return m.steps[m.cur].Plan.Node
}

func (m *Machine) emit(e Effect) { m.out = append(m.out, e) }

// due reports that t has come; otherwise it asks to be woken then. The zero
// time never comes.
func (m *Machine) due(t time.Time) bool {
	if t.IsZero() {
		return false
	}
	if !m.at.Before(t) {
		return true
	}
	if m.wake.IsZero() || t.Before(m.wake) {
		m.wake = t
	}
	return false
}

// idle reports that nothing is in flight: no call is unanswered and no restart
// command runs.
func (m *Machine) idle() bool { return !m.call.busy() && !m.hook.busy() }

// unread reports an answer to a call that no state has taken yet. It comes
// before everything else: what it says decides what there is to put back.
func (m *Machine) unread() bool { return m.cur < len(m.steps) && m.step().result != nil }

// atBoundary reports that nothing is half done.
func (m *Machine) atBoundary() bool { return m.idle() && !m.unread() }

// betweenPhases reports that one phase is over and the next not begun.
func (m *Machine) betweenPhases() bool {
	if m.state != RunRunning || m.cur >= len(m.steps) || !m.atBoundary() || m.step().approved {
		return false
	}
	switch m.step().fsm {
	case beforeDrain, beforeRestart, beforeFill, beforeCancel, beforeActivate:
		return true
	}
	return false
}

// mayLeave reports that no call is unanswered, and no restart command awaited.
func (m *Machine) mayLeave() bool {
	return !m.call.busy() && !m.unread() && (!m.hook.busy() || m.abandoned)
}
