package sim

import (
	"slices"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// tenant is a customer's database, cut into one or more shards.
type tenant struct {
	id          client.TenantID
	shards      []*shard // by number
	count       int      // the literal shard count: 0 when unsharded
	placement   Placement
	secondaries int // of Attached placement
	scheduling  client.ShardPolicy
}

// Placement says whether a tenant is served.
type Placement int

// A tenant is served, kept warm only, or not kept at all.
const (
	Attached Placement = iota
	SecondaryOnly
	Detached
)

// shard is a part of a tenant. Zero as a node means nowhere.
type shard struct {
	id          client.TenantShardID
	tenant      *tenant
	number      int
	preferredAZ string

	attached  client.NodeID   // intent
	secondary []client.NodeID // intent

	observed   []location // sorted by node; a missing node is unknown or empty
	generation int
	sequence   int

	reconcile   *reconcile
	queued      bool
	urgent      bool // the next reconcile uses the units of failovers
	consecutive int
	lastError   string
}

// location is what a node was last seen to hold for a shard.
type location struct {
	node     client.NodeID
	attached bool
}

// reconcile is a running attempt to make observation follow intent.
type reconcile struct {
	attached  client.NodeID // target, frozen at the start
	secondary []client.NodeID
	urgent    bool
	started   time.Duration
	retries   int // of a compute notification
}

func (s *shard) observedOn(id client.NodeID) (location, bool) {
	for _, l := range s.observed {
		if l.node == id {
			return l, true
		}
	}
	return location{}, false
}

func (s *shard) observedAttached() client.NodeID {
	for _, l := range s.observed {
		if l.attached {
			return l.node
		}
	}
	return 0
}

func (s *shard) forget(id client.NodeID) {
	s.observed = slices.DeleteFunc(s.observed, func(l location) bool { return l.node == id })
}

func (s *shard) observe(id client.NodeID, attached bool) {
	s.forget(id)
	i := slices.IndexFunc(s.observed, func(l location) bool { return l.node > id })
	if i < 0 {
		i = len(s.observed)
	}
	s.observed = slices.Insert(s.observed, i, location{node: id, attached: attached})
}

func (s *shard) has(id client.NodeID) bool {
	return s.attached == id || slices.Contains(s.secondary, id)
}

// moves reports that drains and the optimiser may move the shard.
func (s *shard) moves() bool {
	return s.tenant.scheduling != client.ShardPause && s.tenant.scheduling != client.ShardStop
}

// setIntent is the only place that changes where a shard should be, so that
// the counts per node can never disagree with the shards.
func (w *World) setIntent(s *shard, attached client.NodeID, secondary ...client.NodeID) {
	w.count(s, -1)
	s.attached, s.secondary = attached, slices.Clone(secondary)
	s.sequence++
	w.count(s, +1)
}

func (w *World) count(s *shard, by int) {
	if n := w.node(s.attached); n != nil {
		n.attached += by
		n.countHome(s, by)
	}
	for _, id := range s.secondary {
		if n := w.node(id); n != nil {
			n.secondary += by
			n.countHome(s, by)
		}
	}
}

func (n *node) countHome(s *shard, by int) {
	if s.preferredAZ != "" && s.preferredAZ == n.az {
		n.home += by
	}
}

// promote makes a secondary the attached location and keeps the former
// attached node as a secondary in its place.
func (w *World) promote(s *shard, to client.NodeID) {
	secondary := slices.Clone(s.secondary)
	secondary = slices.DeleteFunc(secondary, func(id client.NodeID) bool { return id == to })
	if s.attached != 0 {
		secondary = append(secondary, s.attached)
	}
	w.setIntent(s, to, secondary...)
}
