package rollout

import (
	"fmt"
	"net/http"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/hook"
	"github.com/StorconTUI/storcon-tui/engine/journal"
)

// Effect is something that the Driver has to do. Effects of one Apply are
// carried out in order; when a Record fails, those after it are dropped.
type Effect interface{ effect() }

// CallKind is a mutating call.
type CallKind int

// The mutating calls.
const (
	CallDrain CallKind = iota + 1
	CallCancelDrain
	CallFill
	CallCancelFill
	CallActivate // PUT config Active, after a read that shows Expect
)

// Record is a journal record to be written, and on the disk where its kind asks
// for that, before the next effect.
type Record struct{ Rec journal.Record }

// SendCall sends one mutating call. Its intent was recorded before.
type SendCall struct {
	Eff    string
	Kind   CallKind
	Node   client.NodeID
	Expect client.NodePolicy // for CallActivate: what a fresh read must show
	Saw    *cluster.Snapshot // in which it was decided upon: a last look must show nobody new
}

// RunHook runs the restart command once. Its start was recorded before.
type RunHook struct {
	Eff          string
	Node         client.NodeID
	Attempt      int
	Launch       time.Time // of the process before; zero = unknown
	LaunchMillis int64     // the same as sent
	Timeout      time.Duration
}

// WatchHook waits for a restart command that an earlier process started. It runs
// nothing.
type WatchHook struct {
	Eff     string
	Node    client.NodeID
	Attempt int
	Process hook.Started
	Until   time.Time // of its time limit
}

// ListShards reads one node's shard list once.
type ListShards struct {
	Tag  uint64
	Node client.NodeID
}

// WatchShards keeps the list of one node in the snapshots.
type WatchShards struct {
	Node client.NodeID
	On   bool
}

// WatchProcess reads one node's process more often.
type WatchProcess struct {
	Node client.NodeID
	On   bool
}

// ReadProcess reads one node's launch time and build once.
type ReadProcess struct {
	Tag  uint64
	Node client.NodeID
}

// Probe asks what occupies the controller's slot, without changing anything.
type Probe struct {
	Tag  uint64
	Node client.NodeID
}

// Locate finds out where shards are attached.
type Locate struct {
	Tag    uint64
	Shards []client.TenantShardID
}

// Hurry reads the node list at once; the answer is an Observed.
type Hurry struct{}

// Hot reads the node list often for some seconds: a phase is about to end.
type Hot struct{}

// Decide reads the leader at once and often while On.
type Decide struct{ On bool }

// Finish ends the run: release what the Driver holds.
type Finish struct{}

func (Record) effect()       {}
func (SendCall) effect()     {}
func (RunHook) effect()      {}
func (WatchHook) effect()    {}
func (ListShards) effect()   {}
func (WatchShards) effect()  {}
func (WatchProcess) effect() {}
func (ReadProcess) effect()  {}
func (Probe) effect()        {}
func (Locate) effect()       {}
func (Hurry) effect()        {}
func (Hot) effect()          {}
func (Decide) effect()       {}
func (Finish) effect()       {}

// Literal is the call as it goes over the wire.
func (k CallKind) Literal(node client.NodeID) string {
	path := "/control/v1/node/" + node.String()
	switch k {
	case CallDrain:
		return "PUT " + path + "/drain"
	case CallCancelDrain:
		return "DELETE " + path + "/drain"
	case CallFill:
		return "PUT " + path + "/fill"
	case CallCancelFill:
		return "DELETE " + path + "/fill"
	case CallActivate:
		return "PUT " + path + `/config {"node_id":` + node.String() + `,"scheduling":"Active"}`
	}
	return "unknown call"
}

// accepted says in the run's log that the controller took the call.
func (k CallKind) accepted(node client.NodeID) string {
	status := http.StatusAccepted
	if k == CallActivate {
		status = http.StatusOK
	}
	return fmt.Sprintf("%s accepted (%d)", k.Literal(node), status)
}

// starts reports a call that takes the controller's operation slot.
func (k CallKind) starts() bool { return k == CallDrain || k == CallFill }

// phase is the word for a call in an effect's key.
func (k CallKind) phase() string {
	return map[CallKind]string{
		CallDrain: "drain", CallCancelDrain: "canceldrain", CallFill: "fill",
		CallCancelFill: "cancelfill", CallActivate: "activate",
	}[k]
}

// class is what a crash leaves open about the call.
func (k CallKind) class() journal.Class {
	switch k {
	case CallCancelDrain, CallCancelFill:
		return journal.CAN
	case CallActivate:
		return journal.FORCE
	}
	return journal.ADV
}
