package rollout

import (
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/gate"
)

// Status is a run as people see it: a projection of the Machine, immutable.
type Status struct {
	Seq      uint64
	Run      string // ulid
	Goal     Goal
	Identity cluster.Identity
	Journal  string // path
	At       time.Time
	Started  time.Time
	Ended    time.Time // zero while it lives
	State    RunState
	Hold     Hold   // what freezes the run just now
	Why      string // words to State: why paused, halted or aborted
	Plan     Plan
	Steps    []StepStatus
	Prompt   *Prompt // nil while nothing is asked
	Notes    []Note  // oldest first, bounded by noteRing
	Calls    Calls
	Outcome  *Outcome // nil while it lives
}

// RunState is where a run stands.
type RunState int

// The states of a run.
const (
	RunReady RunState = iota
	RunRunning
	RunPaused
	RunHalted
	RunAborting
	RunEnded
)

// Hold freezes timers and forbids mutating calls until its cause is gone.
type Hold struct {
	Reason  string // "" = not held
	Since   time.Time
	Refused bool // the controller answers, and refuses the token (D11)
}

// Phase is a part of a step, in the order in which they come.
type Phase int

// The phases.
const (
	PhaseDrain Phase = iota + 1
	PhaseRestart
	PhaseFill
	PhaseVerify
	PhaseBake     // up, filled and watched before the next node goes
	PhaseCancel   // cancelling what runs
	PhaseActivate // setting the policy Active
)

// PhaseState is how far a phase is.
type PhaseState int

// The states of a phase.
const (
	PhaseWaiting PhaseState = iota // its turn has not come
	PhaseAsking                    // an operator's answer is awaited
	PhaseRunning
	PhaseDone
	PhaseSkipped
	PhaseFailed
	PhaseBlocked // stopped; an operator's decision is awaited
)

// StepState is the end or the present of a node's step.
type StepState int

// The states of a step.
const (
	StepPending StepState = iota
	StepRunning
	StepDone
	StepDegraded // done, with leftovers, a skipped fill or an unproven restart
	StepSkipped
	StepGone
	StepFailed
	StepAbortedClean
	StepAbortedDirty // something is left to clean up
)

// StepStatus is one node of a run.
type StepStatus struct {
	Plan   StepPlan
	State  StepState
	Why    string // words to State
	Phases []PhaseStatus

	Leftovers      []Leftover // after the drain
	LeftoversKnown bool       // false: the list could not be read; LeftoversGauge counts
	LeftoversAt    time.Time
	LeftoversGauge int64 // -1 unknown

	AttachedBefore int64 // observed when the step began; -1 unknown
	AttachedAfter  int64 // when it ended; -1 unknown
	Home           *HomeReport
	PreLaunch      time.Time // of the process before the restart; zero unknown
	Launch         time.Time // newest seen
	PreBuild       client.Build
	Build          client.Build
	HookStart      time.Time
	HookEnd        time.Time
	HookTail       []string      // newest lines of the hook's output, bounded
	BackAfter      time.Duration // from the hook's start to Active/Active
	ExposedShards  int64         // still attached when the hook started; -1 unknown
	Overrides      []gate.Override
	Issues         []string // what keeps the step from being clean, in words for the report
}

// Leftover is a shard that is still attached after a drain.
type Leftover struct {
	Shard   client.TenantShardID
	Reason  StayReason
	Planned bool // the confirmed plan listed it
}

// HomeReport says where the shards are that were attached before (C27).
type HomeReport struct {
	Home    int // attached here again
	SameAZ  int // on another node of the home AZ
	Other   int // elsewhere
	Unknown int // could not be read
	Where   []Landing
}

// PhaseStatus is one phase of one step.
type PhaseStatus struct {
	Phase    Phase
	State    PhaseState
	Asked    time.Time // when the question was put; zero = not asked
	Started  time.Time
	Ended    time.Time
	Progress Progress
	Deadline time.Time // total; zero = none
	Detail   string    // what it waits for, in a few words
}

// Progress of a drain or fill. Numbers are observed where the shard list may be
// read, else intent of the 20 s gauges (Intent true). -1 = unknown.
type Progress struct {
	Total, Left int64
	Intent      bool
	LastMove    time.Time // when Left last changed
	Rate        float64   // shards per second over the last minute; 0 = unknown
	ETA         Range     // zero = unknown
	Blocking    []Blocking
}

// Blocking is a shard that holds a phase up.
type Blocking struct {
	Shard     client.TenantShardID
	To        client.NodeID // 0 unknown
	Since     time.Time
	LastError string
	Reason    string
}

// NoteKind classifies a Note.
type NoteKind int

// The kinds of note.
const (
	NoteInfo NoteKind = iota
	NoteAnomaly
	NoteError
)

// Note is one line of a run's log. Row is the failure matrix row ("D3"), when
// there is one.
type Note struct {
	At   time.Time
	Node client.NodeID
	Kind NoteKind
	Row  string
	Text string
}

// Calls counts what a run sent.
type Calls struct {
	Drain, CancelDrain, Fill, CancelFill, Configure int // mutating
	Probes                                          int // empty configures that ask who holds the slot
	Reads                                           int
	Hooks                                           int
}

// Mutating is the number of calls that may have changed the cluster.
func (c Calls) Mutating() int {
	return c.Drain + c.CancelDrain + c.Fill + c.CancelFill + c.Configure
}

// Outcome is how a run ended.
type Outcome struct {
	Exit   ExitCode
	Word   string   // "done", "done with issues", "halted", ...
	Issues []string // in words, oldest first
	// Left is what still runs or stands on the server, and the command that
	// cleans it up; empty when nothing is left.
	Left []LeftBehind
	// ExposedSeconds and Baseline in shard-seconds; -1 unknown.
	Exposed, Baseline float64
	JournalSum        string // sha256, hexadecimal
}

// LeftBehind is a state that a run could not put right.
type LeftBehind struct {
	Node    client.NodeID
	State   string // "policy Draining: the drain goes on, nobody will restart or fill it"
	Command string // what puts it right
}

// ExitCode of the program after a run.
type ExitCode int

// The exit codes.
const (
	ExitDone           ExitCode = 0
	ExitInternal       ExitCode = 1
	ExitUsage          ExitCode = 2
	ExitPreflight      ExitCode = 3 // nothing was changed
	ExitHalted         ExitCode = 4
	ExitPaused         ExitCode = 5 // paused, detached or aborted, all clean
	ExitAbortedDirty   ExitCode = 6
	ExitLocked         ExitCode = 7
	ExitAuth           ExitCode = 8
	ExitUnreachable    ExitCode = 9
	ExitDoneWithIssues ExitCode = 10
	ExitJournal        ExitCode = 11
	ExitHungUp         ExitCode = 129
	ExitInterrupted    ExitCode = 130
	ExitTerminated     ExitCode = 143
)
