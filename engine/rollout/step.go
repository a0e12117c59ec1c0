package rollout

import (
	"slices"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
)

// nodeState is where one node's step stands.
type nodeState int

const (
	pending nodeState = iota
	beforeDrain
	drainReq
	drainReobserve
	draining
	drainVerify
	earlyRestart
	beforeRestart
	restartCheck
	undrainedCheck
	hookRunning
	restartProve
	awaitReady
	beforeFill
	fillReq
	fillReobserve
	awaitFillable
	filling
	verifying
	baking
	beforeCancel
	cancelReq
	cancelling
	beforeActivate
	activateReq
	activating
	cleaning
	blocked
	ended
)

var stateNames = [...]string{
	"PENDING", "PRECHECK", "DRAIN_REQ", "DRAIN_REOBSERVE", "DRAINING", "DRAIN_VERIFY", "RESTARTED_EARLY",
	"ASK_RESTART", "RESTART_CHECK", "UNDRAINED_CHECK", "HOOK_RUNNING", "RESTART_PROVE", "AWAIT_READY",
	"ASK_FILL", "FILL_REQ", "FILL_REOBSERVE", "AWAIT_FILLABLE", "FILLING", "VERIFY", "BAKE",
	"ASK_CANCEL", "CANCEL_REQ", "CANCELLING", "ASK_ACTIVATE", "ACTIVATE_REQ", "ACTIVATING",
	"CLEANUP", "BLOCKED", "ENDED",
}

func (s nodeState) String() string { return stateNames[s] }

// after is what follows a cancel or a set Active.
type after int

const (
	toMenu  after = iota // ask what next
	toGoal               // it was what the run is for
	toRedo               // drain again
	toReady              // wait for the restarted node
	toFill               // fill, after a question
	toEarly              // back to a node that was restarted outside the plan
	toSkip               // leave this node, go on with the next
	toAbort              // end the run
)

// step is one node of a run: what people see, and what the Machine remembers
// to decide.
type step struct {
	StepStatus

	fsm        nodeState
	since      time.Time // when fsm was entered
	began      time.Time
	block      block // why fsm is blocked
	blockPhase Phase // in which phase
	then       after // what follows a cancel or set Active
	undone     bool  // the undrained restart was chosen

	before      []client.TenantShardID // attached (observed) when the step began
	beforeKnown bool

	// stayedUp: the restart command failed and the process is the one of before.
	stayedUp bool
	ordinal  map[string]int // effects made so far, by phase
	attempt  int            // of the present call
	notTill  time.Time      // back-off of the present call
	until    time.Time      // limit of the present wait

	ours              client.OperationKind // operation of ours that may be alive; "" = none
	lingers           bool                 // an operation may have outlived a re-attach: no policy tells (C8)
	accepted          bool                 // the server said or showed that it began
	epochMoved        bool                 // the leader changed while the drain ran
	touched           bool                 // we may have moved the node off Active
	approved          bool                 // the phase's yes stands while its refusal is waited out
	proven            bool                 // another process runs than before the restart
	unproven          string               // who accepted that it is not proven, and why
	leftoversAccepted bool                 // by the yes to the restart
	approvedTill      time.Time            // until when a yes stands that an earlier process took; zero = no limit
	waiting           bool                 // the operator chose to wait for somebody else's operation

	epoch         cluster.Epoch // on which the phase rests
	epochKnown    bool
	launch        int64         // launch time (ms) on which the phase rests; 0 = unknown
	preLaunch     int64         // of the process before the restart
	stranger      client.NodeID // what the process that came back says it is, once that has been told
	looks         int           // good looks in a row while it is verified or bakes
	lookedAt      time.Time     // the newest of these
	broken        string        // why the newest look was not good; "" = it was
	bakeTill      time.Time     // when the bake is over; zero = it has not begun
	proveTill     time.Time     // when a restart that is not proven is asked about
	cancels       CallKind      // what a cancel sends
	refusedCancel bool          // the server said that nothing runs
	watchingRest  bool
	goneFrom      nodeState // where the step stood when the node left the list
	redoAfter     bool      // drain again once a restart outside the plan has settled
	restSince     time.Time

	seen       reading // consecutive equal reads of the node
	reads      int     // good reads of the node list since the last change of ours
	lost       int     // consecutive good reads without this node
	reattached bool    // WarmingUp or policy Active was seen since the hook's start

	list   query[Listed]
	probe  query[Probed]
	proof  query[ProofRead]
	locate query[Located]
	told   query[MovedDescribed]
	untold map[client.TenantShardID]time.Time // moved shards that are not told, and since when; replaced, never changed

	result  *CallEnded // of the newest call, until a state has taken it
	hooked  *HookEnded
	process HookBegan // of the newest restart command; zero = not known yet

	lastLeft int64 // for progress; -1 = none yet
	samples  []sample
	hotAt    time.Time // when close watching was last asked for
	phaseEnd time.Time // when the drain was seen ended
}

// block is why a step stands.
type block struct {
	ask   Ask
	row   string
	cause string
	busy  *client.Operation
}

// reading is what the node list says of a node, and how often in a row.
type reading struct {
	policy     client.NodePolicy
	avail      client.Availability
	same       int       // reads in a row with this policy and availability
	samePolicy int       // reads in a row with this policy
	first      time.Time // of those with this policy
}

func newStep(goal Goal, p StepPlan, bake time.Duration) step {
	s := step{StepStatus: StepStatus{
		Plan: p, LeftoversGauge: -1, AttachedBefore: -1, AttachedAfter: -1, ExposedShards: -1,
	}, lastLeft: -1, ordinal: map[string]int{}}
	for _, ph := range phasesOf(goal) {
		s.Phases = append(s.Phases, PhaseStatus{Phase: ph, Progress: unknownProgress()})
	}
	if bake > 0 {
		s.Phases = append(s.Phases, PhaseStatus{Phase: PhaseBake, Progress: unknownProgress()})
	}
	return s
}

func phasesOf(g Goal) []Phase {
	switch g {
	case GoalDrain:
		return []Phase{PhaseDrain}
	case GoalFill:
		return []Phase{PhaseFill, PhaseVerify}
	case GoalCancel:
		return []Phase{PhaseCancel}
	case GoalActivate:
		return []Phase{PhaseActivate}
	}
	return []Phase{PhaseDrain, PhaseRestart, PhaseFill, PhaseVerify}
}

func unknownProgress() Progress { return Progress{Total: -1, Left: -1} }

func (s step) clone() step {
	s.Phases = slices.Clone(s.Phases)
	s.Issues = slices.Clip(s.Issues)
	s.HookTail = slices.Clip(s.HookTail)
	s.Overrides = slices.Clip(s.Overrides)
	s.samples = slices.Clip(s.samples)
	ordinal := make(map[string]int, len(s.ordinal))
	for k, v := range s.ordinal {
		ordinal[k] = v
	}
	s.ordinal = ordinal
	return s
}

// phase finds one of the step's phases; a cancel in the middle of a restart
// adds its own.
func (s *step) phase(p Phase) *PhaseStatus {
	for i := range s.Phases {
		if s.Phases[i].Phase == p {
			return &s.Phases[i]
		}
	}
	s.Phases = append(s.Phases, PhaseStatus{Phase: p, Progress: unknownProgress()})
	return &s.Phases[len(s.Phases)-1]
}

// issue is something for the report that keeps the step from being clean.
func (s *step) issue(text string) {
	if !slices.Contains(s.Issues, text) {
		s.Issues = append(s.Issues, text)
	}
}

// phaseOf is the phase that a state belongs to; 0 = none.
func (s *step) phaseOf(f nodeState) Phase {
	switch f {
	case beforeDrain, drainReq, drainReobserve, draining, drainVerify, earlyRestart:
		return PhaseDrain
	case beforeRestart, restartCheck, undrainedCheck, hookRunning, restartProve, awaitReady:
		return PhaseRestart
	case beforeFill, fillReq, fillReobserve, awaitFillable, filling:
		return PhaseFill
	case verifying:
		return PhaseVerify
	case baking:
		return PhaseBake
	case beforeCancel, cancelReq, cancelling:
		return PhaseCancel
	case beforeActivate, activateReq, activating:
		return PhaseActivate
	}
	return 0
}
