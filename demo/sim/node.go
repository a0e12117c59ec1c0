package sim

import (
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// node is a pageserver as the controller knows it, and its process.
type node struct {
	id   client.NodeID
	az   string
	addr Address

	availability client.Availability
	policy       client.NodePolicy // in memory
	stored       client.NodePolicy // in the database; differs after a re-attach during a delete
	lastSeen     time.Duration     // last good heartbeat or re-attach
	warmingSince time.Duration

	attached, secondary, home int // intended locations here

	process process
}

// process is the pageserver program itself. It outlives the controller.
type process struct {
	up       bool
	foreign  bool // registered over the wire: nothing of ours runs there
	launched time.Duration
	build    string
	delay    time.Duration // of one location change; 0 = the cluster's
	lag      int64         // bytes that every secondary here is behind
	life     int           // counts commands; an older one's events are dropped
	waiting  func(error)   // who waits for the newest command to end
}

// Address is where a node says that it listens.
type Address struct {
	HTTPHost  string
	HTTPPort  int
	HTTPSPort *int
	PgHost    string
	PgPort    int
	GRPCHost  *string
	GRPCPort  *int
}

// available reports that requests to the node are expected to work.
func (n *node) available() bool { return n.availability == client.AvailabilityActive }

// schedulable reports that the scheduler may put shards here.
func (n *node) schedulable() bool {
	return n.available() && (n.policy == client.PolicyActive || n.policy == client.PolicyFilling)
}

// setPolicy writes the database, then memory.
func (n *node) setPolicy(p client.NodePolicy) { n.policy, n.stored = p, p }

func (w *World) schedulableNodes() int {
	count := 0
	for _, n := range w.nodes {
		if n.schedulable() {
			count++
		}
	}
	return count
}

// leastLoaded is the schedulable node with the fewest locations that the
// filter accepts, the lowest id among equals; nil when there is none.
func (w *World) leastLoaded(accept func(*node) bool) *node {
	var best *node
	for _, n := range w.nodes {
		if !n.schedulable() || !accept(n) {
			continue
		}
		if best == nil || n.attached+n.secondary < best.attached+best.secondary {
			best = n
		}
	}
	return best
}

// azCount is the number of distinct availability zones.
func (w *World) azCount() int {
	seen := map[string]bool{}
	for _, n := range w.nodes {
		seen[n.az] = true
	}
	return len(seen)
}
