package sim

import (
	"cmp"
	"slices"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// NodeView is a node as the controller describes it.
type NodeView struct {
	ID           client.NodeID
	AZ           string
	Availability client.Availability
	Policy       client.NodePolicy
	Address      Address
}

func (n *node) view() NodeView {
	return NodeView{ID: n.id, AZ: n.az, Availability: n.availability, Policy: n.policy, Address: n.addr}
}

func views(nodes []*node) []NodeView {
	out := make([]NodeView, len(nodes))
	for i, n := range nodes {
		out[i] = n.view()
	}
	return out
}

// Nodes lists the registered nodes by id.
func (w *World) Nodes() []NodeView { return views(w.nodes) }

// Tombstones lists the deleted nodes by id.
func (w *World) Tombstones() []NodeView { return views(w.tombstones) }

// Node describes one node.
func (w *World) Node(id client.NodeID) (NodeView, error) {
	n := w.node(id)
	if n == nil {
		return NodeView{}, refuse(NotFound, "Node %d not registered", id)
	}
	return n.view(), nil
}

// Role is what a node is to a shard.
type Role int8

// A node holds a shard not at all, attached, or as a secondary.
const (
	None Role = iota
	IsAttached
	IsSecondary
)

// ShardView is one shard's locations on one node.
type ShardView struct {
	ID                 client.TenantShardID
	Intended, Observed Role
}

// NodeShards lists, in id order, the shards that are or should be on the node.
// An unknown node has none.
func (w *World) NodeShards(id client.NodeID) []ShardView {
	out := []ShardView{}
	for _, s := range w.shards {
		v := ShardView{ID: s.id}
		switch {
		case s.attached == id:
			v.Intended = IsAttached
		case slices.Contains(s.secondary, id):
			v.Intended = IsSecondary
		}
		if l, ok := s.observedOn(id); ok {
			v.Observed = IsSecondary
			if l.attached {
				v.Observed = IsAttached
			}
		}
		if v.Intended != None || v.Observed != None {
			out = append(out, v)
		}
	}
	return out
}

// TenantView is a tenant with its shards.
type TenantView struct {
	ID          client.TenantID
	Count       int // literal: 0 when unsharded
	Placement   Placement
	Secondaries int
	Scheduling  client.ShardPolicy
	Shards      []TenantShardView
}

// TenantShardView is one shard as intended, and Observed as last seen.
type TenantShardView struct {
	ID          client.TenantShardID
	Attached    client.NodeID // 0 = nowhere
	Secondary   []client.NodeID
	LastError   string
	Reconciling bool
	PreferredAZ string
}

func (t *tenant) view() TenantView {
	v := TenantView{
		ID: t.id, Count: t.count, Placement: t.placement, Secondaries: t.secondaries, Scheduling: t.scheduling,
		Shards: make([]TenantShardView, len(t.shards)),
	}
	for i, s := range t.shards {
		v.Shards[i] = TenantShardView{
			ID: s.id, Attached: s.attached, Secondary: slices.Clone(s.secondary), LastError: s.lastError,
			Reconciling: s.reconcile != nil, PreferredAZ: s.preferredAZ,
		}
	}
	return v
}

// Tenants lists up to limit tenants after the given id, in order; a limit
// below one returns one, nil everything. Detached tenants are invisible.
func (w *World) Tenants(limit *int, after client.TenantID) []TenantView {
	first, found := slices.BinarySearchFunc(w.tenants, after, func(t *tenant, id client.TenantID) int { return cmp.Compare(t.id, id) })
	if found {
		first++
	}
	out := []TenantView{}
	for _, t := range w.tenants[first:] {
		if t.placement == Detached {
			continue
		}
		out = append(out, t.view())
		if limit != nil && len(out) >= *limit {
			break
		}
	}
	return out
}

// Tenant describes one tenant.
func (w *World) Tenant(id client.TenantID) (TenantView, error) {
	t := w.tenant(id)
	if t == nil || t.placement == Detached {
		return TenantView{}, refuse(NotFound, "Tenant %s not found", id)
	}
	return t.view(), nil
}

// SchedulerNode is one node in the scheduler's dump: live counts of intent.
type SchedulerNode struct {
	ID                     client.NodeID
	AZ                     string
	Shards, Attached, Home int
	MaySchedule            bool
}

// Scheduler is the live view of the counts that the gauges show every 20 s.
func (w *World) Scheduler() []SchedulerNode {
	out := make([]SchedulerNode, len(w.nodes))
	for i, n := range w.nodes {
		out[i] = SchedulerNode{
			ID: n.id, AZ: n.az, Shards: n.attached + n.secondary, Attached: n.attached, Home: n.home,
			MaySchedule: n.schedulable(),
		}
	}
	return out
}

// LongReconcile is a reconcile that has run for more than 120 s.
type LongReconcile struct {
	Shard    client.TenantShardID
	Number   int
	Sequence int
}

// Figures are what a scrape of the controller shows.
type Figures struct {
	Counters    Counters
	Gauges      Gauges
	Shards      int
	Nodes       int
	HTTPSNodes  int
	Started     time.Duration
	LongRunning []LongReconcile
}

// Figures reads the metrics. The gauges are up to 20 s old.
func (w *World) Figures() Figures {
	f := Figures{Counters: w.counters, Gauges: w.gauges, Shards: len(w.shards), Nodes: len(w.nodes), Started: w.started}
	f.Gauges.Nodes = make(map[client.NodeID]NodeGauges, len(w.gauges.Nodes))
	for id, g := range w.gauges.Nodes {
		f.Gauges.Nodes[id] = g
	}
	for _, n := range w.nodes {
		if n.addr.HTTPSPort != nil {
			f.HTTPSNodes++
		}
	}
	if w.running[normal]+w.running[urgent] == 0 {
		return f
	}
	for _, s := range w.shards {
		if s.reconcile != nil && w.now-s.reconcile.started > longReconcile {
			f.LongRunning = append(f.LongRunning, LongReconcile{Shard: s.id, Number: s.number, Sequence: s.sequence})
		}
	}
	return f
}

// Process is a pageserver's program.
type Process struct {
	Up       bool
	Launched time.Duration
	Build    string
}

// Process reads a node's process; false for an unknown node or one that is not
// ours. A deleted node's process goes on running.
func (w *World) Process(id client.NodeID) (Process, bool) {
	n := w.node(id)
	if n == nil {
		i := slices.IndexFunc(w.tombstones, func(n *node) bool { return n.id == id })
		if i < 0 {
			return Process{}, false
		}
		n = w.tombstones[i]
	}
	if n.process.foreign {
		return Process{}, false
	}
	return Process{Up: n.process.up, Launched: n.process.launched, Build: n.process.build}, true
}

// Started is when the controller's process started.
func (w *World) Started() time.Duration { return w.started }

// AtRest reports that no operation and no reconcile runs or is wanted.
func (w *World) AtRest() bool {
	if len(w.tasks) > 0 || len(w.queue) > 0 || w.running[normal]+w.running[urgent] > 0 {
		return false
	}
	return !slices.ContainsFunc(w.shards, w.dirty)
}
