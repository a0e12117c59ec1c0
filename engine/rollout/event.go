package rollout

import (
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/pageserver"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
)

// Event is something that happened. Every event carries its moment: a Machine
// has no clock.
type Event interface{ at() time.Time }

// Tick is time passing.
type Tick struct{ At time.Time }

// Observed is a newer picture of the cluster.
type Observed struct {
	At       time.Time
	Snapshot *cluster.Snapshot
	Full     string // why the journal's disk has no more room; "" = it has
	Unlocked string // why the lock keeps nobody out any more; "" = it does
}

// Listed is the answer to a ListShards.
type Listed struct {
	At     time.Time
	Tag    uint64
	Shards []client.ShardLocation
	Err    error
}

// ProofRead is the answer to a ReadProcess.
type ProofRead struct {
	At   time.Time
	Tag  uint64
	Info pageserver.Info
	Says client.NodeID // which node the process says it is; 0 = unknown
	Err  error
}

// Probed is the answer to a Probe: what occupies the controller's slot.
type Probed struct {
	At  time.Time
	Tag uint64
	Op  *client.Operation // nil = the slot is free
	Err error
}

// Located is the answer to a Locate: on which nodes the shards are attached.
type Located struct {
	At  time.Time
	Tag uint64
	On  map[client.NodeID]int // shards by the node that has them; 0 = nowhere or unknown
	Err error
}

// CallEnded is what came of a SendCall. A nil Err is the success status.
type CallEnded struct {
	At  time.Time
	Eff string
	Err error
	// Seen is the policy that a compare-and-set found instead of the expected
	// one; nothing was sent then.
	Seen client.NodePolicy
	// Held is why the last look kept the call from being sent; "" = it was sent.
	Held string
}

// HookOutput is a line that the restart command printed.
type HookOutput struct {
	At   time.Time
	Eff  string
	Line string
}

// HookBegan says which process the restart command is.
type HookBegan struct {
	At    time.Time
	Eff   string
	PID   int
	Ticks uint64 // of the machine's clock at which it began; tells it from a later process of its number
	Log   string // path of its output
}

// HookEnded is what came of a RunHook.
type HookEnded struct {
	At     time.Time
	Eff    string
	Result HookResult
}

// HookResult is how the restart command ended.
type HookResult struct {
	Exit    int    // of the process; -1 when there is none
	Word    string // "exit status 1", "killed after 10m0s", ...
	Already bool   // exit 76: the node was restarted already
	Lost    bool   // nobody saw its end: the process that started it is gone
	Empty   bool   // it says that the node came up with an empty local disk (R10)
	Nothing bool   // exit 75 or 77, or it never started: nothing happened, it may be run again
	Tail    []string
}

// clean reports that the command says that it did its work.
func (r HookResult) clean() bool { return r.Exit == 0 || r.Already || r.Lost }

// Answered is an operator's answer, already checked with Machine.Check.
type Answered struct {
	At     time.Time
	Answer Answer
}

// JournalFailed says that a record could not be made durable. The effects that
// came after it were not carried out.
type JournalFailed struct {
	At     time.Time
	Err    error
	Unsent bool // a call or the restart command was among them
}

// Interrupted is a wish to stop that is no answer to a question.
type Interrupted struct {
	At   time.Time
	Kind Interruption
	Why  string
	Exit ExitCode // with Detach: of a run that has changed nothing yet; 0 = ExitPaused
}

// WokeUp says that this machine was asleep, or that its clock was set.
type WokeUp struct {
	At    time.Time
	Slept time.Duration
}

// Interruption is how a run is to be stopped.
type Interruption int

// The interruptions. None cancels anything on the server.
const (
	Pause      Interruption = iota + 1 // stop as soon as no call is unanswered and offer a menu
	PauseLater                         // the same, once the phase that runs is over
	Detach                             // finish the step in flight and leave
	Abandon                            // the same, without waiting for a restart command; it is not killed
)

func (e Tick) at() time.Time          { return e.At }
func (e Observed) at() time.Time      { return e.At }
func (e Listed) at() time.Time        { return e.At }
func (e ProofRead) at() time.Time     { return e.At }
func (e Probed) at() time.Time        { return e.At }
func (e Located) at() time.Time       { return e.At }
func (e CallEnded) at() time.Time     { return e.At }
func (e HookOutput) at() time.Time    { return e.At }
func (e HookBegan) at() time.Time     { return e.At }
func (e HookEnded) at() time.Time     { return e.At }
func (e Answered) at() time.Time      { return e.At }
func (e JournalFailed) at() time.Time { return e.At }
func (e Interrupted) at() time.Time   { return e.At }
func (e WokeUp) at() time.Time        { return e.At }
