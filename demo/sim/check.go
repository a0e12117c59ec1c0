package sim

import (
	"slices"

	"github.com/StorconTUI/storcon-tui/client"
)

// Check verifies that the counts per node agree with the shards' intent, and
// that observation agrees with it too: it is meant for a cluster at rest.
func (w *World) Check() error {
	if err := w.checkCounts(); err != nil {
		return err
	}
	for _, s := range w.shards {
		if s.reconcile != nil {
			return refuse(Internal, "Shard %s reconciliation in progress", s.id)
		}
		if w.dirty(s) {
			return refuse(Internal, "Shard consistency failure")
		}
	}
	return nil
}

// checkCounts holds at every instant.
func (w *World) checkCounts() error {
	type tally struct{ attached, secondary, home int }
	counts := map[client.NodeID]tally{}
	add := func(s *shard, id client.NodeID, t tally) {
		have := counts[id]
		have.attached += t.attached
		have.secondary += t.secondary
		if n := w.node(id); n != nil && s.preferredAZ != "" && n.az == s.preferredAZ {
			have.home++
		}
		counts[id] = have
	}
	for _, s := range w.shards {
		if slices.Contains(s.secondary, s.attached) && s.attached != 0 {
			return refuse(Internal, "Scheduler checks: shard %s is attached and secondary on node %d", s.id, s.attached)
		}
		if s.attached != 0 {
			add(s, s.attached, tally{attached: 1})
		}
		for _, id := range s.secondary {
			add(s, id, tally{secondary: 1})
		}
	}
	for _, n := range w.nodes {
		if want := counts[n.id]; want != (tally{n.attached, n.secondary, n.home}) {
			return refuse(Internal, "Scheduler checks: node %d has counts %v, its shards say %v",
				n.id, tally{n.attached, n.secondary, n.home}, want)
		}
	}
	return nil
}
