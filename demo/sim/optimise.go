package sim

import (
	"slices"

	"github.com/StorconTUI/storcon-tui/client"
)

// Gauges are the figures per node and per cluster that one pass every 20 s
// computes. They count intent.
type Gauges struct {
	Nodes        map[client.NodeID]NodeGauges // a removed node stays until the process ends
	Pending      int
	Stuck        int
	AZViolations int
}

// NodeGauges are one node's.
type NodeGauges struct {
	AZ                     string
	Shards, Attached, Home int
}

// pass is the background loop: repair what differs from intent; if nothing
// does and nothing is on its way, optimise; refresh the gauges.
func (w *World) pass() {
	if w.repair() == 0 {
		w.optimise()
	}
	w.refreshGauges()
	w.afterController(passInterval, w.pass)
}

// ReconcileAll starts what is missing, refreshes the gauges, and returns how
// many reconciles are running or wanted.
func (w *World) ReconcileAll() int {
	active := w.repair()
	w.refreshGauges()
	return active
}

func (w *World) repair() int {
	active := 0
	for _, s := range w.shards {
		if s.reconcile == nil && !s.queued {
			if !w.dirty(s) {
				s.consecutive = 0
				continue
			}
			w.want(s)
		}
		if s.reconcile != nil || s.queued {
			active++
		}
	}
	return active
}

// optimise moves at most 16 shards towards their preferred zone: promote a
// secondary that is there, else first make one.
func (w *World) optimise() {
	done := 0
	for _, s := range w.shards {
		if done == optimisations {
			return
		}
		if s.tenant.scheduling == client.ShardActive && w.improve(s) {
			w.counters.Optimizations++
			done++
			w.want(s)
		}
	}
}

func (w *World) improve(s *shard) bool {
	at := w.node(s.attached)
	if at == nil || s.preferredAZ == "" || at.az == s.preferredAZ {
		return false
	}
	for _, id := range s.secondary {
		n := w.node(id)
		if n == nil || !n.schedulable() || n.az != s.preferredAZ || n.process.lag > w.cfg.MaxSecondaryLag {
			continue
		}
		w.promote(s, id)
		if len(s.secondary) > s.tenant.secondaries {
			rest := slices.DeleteFunc(slices.Clone(s.secondary), func(o client.NodeID) bool { return o == at.id })
			w.setIntent(s, s.attached, rest...)
		}
		return true
	}
	if len(s.secondary) > s.tenant.secondaries {
		return false
	}
	n := w.leastLoaded(func(n *node) bool { return n.az == s.preferredAZ && !s.has(n.id) })
	if n == nil {
		return false
	}
	w.setIntent(s, s.attached, append(slices.Clone(s.secondary), n.id)...)
	return true
}

func (w *World) refreshGauges() {
	g := &w.gauges
	if g.Nodes == nil {
		g.Nodes = map[client.NodeID]NodeGauges{}
	}
	for _, n := range w.nodes {
		g.Nodes[n.id] = NodeGauges{AZ: n.az, Shards: n.attached + n.secondary, Attached: n.attached, Home: n.home}
	}
	g.Pending, g.Stuck, g.AZViolations = 0, 0, 0
	for _, s := range w.shards {
		if s.queued {
			g.Pending++
		}
		if s.consecutive >= stuckAfter {
			g.Stuck++
		}
		if at := w.node(s.attached); at != nil && s.preferredAZ != "" && at.az != s.preferredAZ {
			g.AZViolations++
		}
	}
}
