package sim

import (
	"cmp"
	"slices"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// deleteTurn moves every location away from the node, 64 at a time, and then
// buries it. A shard that fits nowhere else ends the operation with the label
// left behind.
func (w *World) deleteTurn(op *operation) {
	n := w.node(op.node)
	if n == nil {
		w.leave(op)
		return
	}
	if op.cancelled {
		n.setPolicy(op.before)
		w.leave(op)
		return
	}
	for len(op.outstanding) < operationMoves && !op.scanned {
		s := w.shardAfter(op.cursor)
		if s == nil {
			op.scanned = true
			break
		}
		op.cursor = s.id
		if !s.has(op.node) || !s.moves() {
			continue
		}
		if !w.evict(s, n) {
			w.leave(op)
			return
		}
		if !op.force {
			w.moving(op, s)
		}
	}
	if op.scanned && len(op.outstanding) == 0 {
		w.bury(n)
		w.leave(op)
		return
	}
	w.await(op, time.Millisecond, scanWait, func() { w.deleteTurn(op) })
}

// evict gives the shard another node in place of this one; false when there is
// none.
func (w *World) evict(s *shard, n *node) bool {
	secondary := slices.DeleteFunc(slices.Clone(s.secondary), func(id client.NodeID) bool { return id == n.id })
	attached := s.attached
	if attached == n.id {
		dest := w.drainDestination(s)
		if dest == nil {
			dest = w.leastLoaded(func(o *node) bool { return o != n && !s.has(o.id) })
		}
		if dest == nil {
			return false
		}
		attached = dest.id
		secondary = slices.DeleteFunc(secondary, func(id client.NodeID) bool { return id == dest.id })
	}
	if len(secondary) < s.tenant.secondaries {
		home := w.node(attached)
		spare := w.leastLoaded(func(o *node) bool {
			return o != n && o != home && !slices.Contains(secondary, o.id)
		})
		if spare == nil {
			return false
		}
		secondary = append(secondary, spare.id)
	}
	w.setIntent(s, attached, secondary...)
	w.want(s)
	return true
}

// bury removes the node and keeps its tombstone.
func (w *World) bury(n *node) {
	w.nodes = slices.DeleteFunc(w.nodes, func(o *node) bool { return o == n })
	n.availability, n.policy, n.stored = client.AvailabilityOffline, client.PolicyDeleting, client.PolicyDeleting
	w.tombstones = append(w.tombstones, n)
	slices.SortFunc(w.tombstones, func(a, b *node) int { return cmp.Compare(a.id, b.id) })
	for _, s := range w.shards {
		s.forget(n.id)
	}
}

// Remove is the deprecated delete: at once, whatever else runs. An unknown
// node counts as removed.
func (w *World) Remove(id client.NodeID) error {
	n := w.node(id)
	if n == nil {
		return nil
	}
	n.policy = client.PolicyPause // in memory only, and left so on failure
	for _, s := range w.shards {
		if s.has(id) && !w.evict(s, n) {
			return refuse(Conflict, "Scheduling error: No pageserver found matching constraint")
		}
	}
	w.bury(n)
	return nil
}

// Drop removes a node without placing its shards anew.
func (w *World) Drop(id client.NodeID) error {
	n := w.node(id)
	if n == nil {
		return refuse(Internal, "Node %d not found", id)
	}
	for _, s := range w.shards {
		if !s.has(id) {
			continue
		}
		secondary := slices.DeleteFunc(slices.Clone(s.secondary), func(o client.NodeID) bool { return o == id })
		attached := s.attached
		if attached == id {
			attached = 0
		}
		w.setIntent(s, attached, secondary...)
	}
	w.bury(n)
	return nil
}

// Exhume removes a tombstone; an unknown one is no error.
func (w *World) Exhume(id client.NodeID) error {
	if w.node(id) != nil {
		return refuse(Conflict, "Node %d is in use, consider using tombstone API first", id)
	}
	w.tombstones = slices.DeleteFunc(w.tombstones, func(n *node) bool { return n.id == id })
	return nil
}
