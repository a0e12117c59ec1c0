package gate

import (
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
)

// Input is all that the gates look at.
type Input struct {
	Snapshot *cluster.Snapshot
	Now      time.Time
	// Node is the one that the phase is about; 0 = the run as a whole, for which
	// the gates about one node do not apply.
	Node client.NodeID

	Baseline *Baseline // nil = this is the plan: today's values are the baseline
	// Ours are the nodes whose present policy this run caused.
	Ours map[client.NodeID]bool

	// Tenants is what the tenant list says of Node's shards; nil = it was not
	// read, and TenantsOff says why when it cannot be.
	Tenants    *Tenants
	TenantsOff string

	Lock    Fact // whether this process holds the cluster's lock
	Journal Fact // whether the journal takes records
	Restart Fact // whether Node's restart is proven; Off where none is part of the run

	Leftovers *Leftovers // nil = not looked at yet

	// Pending are the readings of the pending reconciles so far; nil = nobody
	// keeps them, so that a high figure is unknown.
	Pending Readings
	Moves   *OwnMoves // nil = not told; more violations than at the plan are not judged then
	Moved   *Moved    // the shards that Node's drain moved; nil = nobody looks at them
	// PhaseTime is how long the phase may take, its deadline; 0 = the token
	// need only be valid now.
	PhaseTime time.Duration

	// What an operator configures; nil = it is not configured.
	Alerts  *cluster.Part[[]string] // the series that fire, by name
	Window  *Window
	Version *Version
	Stable  *Stable
}

// Fact is what the caller knows itself. The zero Fact is unknown.
type Fact struct {
	Verdict Verdict
	Figure  string // "held since 21:40 by this process"
}

// Baseline are the figures when the plan was made; -1 = unknown.
type Baseline struct {
	Stuck        int64
	Pending      int64
	AZViolations int64
}

// BaselineOf takes the figures out of a snapshot.
func BaselineOf(s *cluster.Snapshot) *Baseline {
	if !s.Metrics.Known() {
		return &Baseline{Stuck: -1, Pending: -1, AZViolations: -1}
	}
	m := s.Metrics.Value
	return &Baseline{Stuck: m.StuckReconciles, Pending: m.PendingReconciles, AZViolations: m.AZViolations}
}

// Tenants is what the tenant list says of one node's shards.
type Tenants struct {
	// OnlySecondaryInAZ counts, of all the cluster's shards, those whose
	// secondaries are all in Node's AZ and that have at least one.
	OnlySecondaryInAZ int
	// Landing is where Node's shards will go.
	Landing map[client.NodeID]int
}

// Leftovers is what stayed attached after a drain.
type Leftovers struct {
	Listed   bool      // the shard list was read
	At       time.Time // when
	Left     int       // shards on it that are still attached
	Accepted int       // of these, in the confirmed plan or accepted by a person since
	// Unreadable says why the list cannot be read ("" = it can). Then the gauge
	// counts, and only a person who typed the node's id may accept it.
	Unreadable     string
	Gauge          int64 // attached; -1 = unknown
	AcceptedUnread bool
}

// LeftoversFresh is for how long a list of leftovers may be acted upon.
const LeftoversFresh = 60 * time.Second

const (
	// metricsFresh: two missed scrapes, and the gauges' own 20 s.
	metricsFresh = 30 * time.Second
	leaderFresh  = 15 * time.Second
)
