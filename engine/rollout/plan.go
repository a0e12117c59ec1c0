package rollout

import (
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/gate"
)

// Goal is what a run is for. Every change of the cluster is a run, a lone drain
// too: it is confirmed, journaled and guarded in the same way.
type Goal string

// The goals.
const (
	GoalRestart  Goal = "restart"  // drain, restart, fill: node after node
	GoalDrain    Goal = "drain"    // one drain; it ends in PauseForRestart
	GoalFill     Goal = "fill"     // one fill
	GoalCancel   Goal = "cancel"   // cancel what runs on one node
	GoalActivate Goal = "activate" // set one node's policy to Active
)

// Plan is what will be done. Its order is frozen once a run has begun.
type Plan struct {
	Goal     Goal
	Identity cluster.Identity
	Made     time.Time
	Steps    []StepPlan
	LeftOut  []LeftOut
	Gates    []gate.Result
	// TenantsOff says why the tenant list was not read, "" when it was: without it nobody
	// knows before the drain which shards stay and where the others land.
	TenantsOff string
	// TookOver is what stood and was in flight in a release of somebody else when the operator
	// confirmed that this run takes it over; "" = there was none.
	TookOver string `json:",omitempty"`
}

// StepPlan is one node of a plan. Counts are -1 when unknown.
type StepPlan struct {
	Node      client.NodeID
	Addr      string // listen_http_addr
	AZ        string
	Policy    client.NodePolicy
	Attached  int64
	Secondary int64

	Stay    []Stay    // shards that the drain will leave here, in id order
	Landing []Landing // where the others will land, most loaded first
	// OnlyInAZ counts the cluster's shards that have secondaries, all of them in
	// this node's AZ.
	OnlyInAZ int

	// Changing counts the shards attached here that are being split or imported.
	Changing int

	Calls []string // the literal controller calls, in order
	Hook  string   // the literal restart command, quoted for a shell; "" = by hand

	Drain, Restart, Fill Range // estimates

	Canary bool // the first of an unattended run, or by wish: it bakes longer

	Computes []string // names of configured computes whose tenant is attached here
}

// Stay is a shard that a drain will not move.
type Stay struct {
	Shard  client.TenantShardID
	Reason StayReason
}

// StayReason is why a drain leaves a shard where it is (C10).
type StayReason int

// The reasons. LagOrUnknown can only be told after the drain.
const (
	LagOrUnknown StayReason = iota
	NoSecondary
	PolicyPause
	PolicyStop
)

// Landing is what one node will take over.
type Landing struct {
	Node   client.NodeID
	Shards int
}

// LeftOut is a node that was asked for and will not be touched.
type LeftOut struct {
	Node   client.NodeID
	Policy client.NodePolicy
	Why    string
}

// Range is an estimate.
type Range struct{ Min, Max time.Duration }
