package sim

import (
	"cmp"
	"slices"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// StopNode ends a node's process at once. The controller learns of it from
// missing heartbeats only.
func (w *World) StopNode(id client.NodeID) error {
	n := w.node(id)
	if n == nil {
		return refuse(NotFound, "Node %d not registered", id)
	}
	n.command(nil)
	n.process.up = false
	return nil
}

// StartNode launches a node's process, which registers itself with the
// controller (re-attach) and tries again for as long as that fails. done is
// called once: when it has succeeded, at once for a process that already runs,
// or with an error when another command for the node comes in between. An empty
// build keeps the one that is there.
func (w *World) StartNode(id client.NodeID, build string, done func(error)) {
	n := w.node(id)
	switch {
	case n == nil:
		done(refuse(NotFound, "Node %d not registered", id))
	case n.process.up:
		done(nil)
	default:
		n.command(done)
		w.launch(n, build)
	}
}

// RestartNode stops the process, and starts it again after down. done is
// called as StartNode does.
func (w *World) RestartNode(id client.NodeID, down time.Duration, build string, done func(error)) {
	n := w.node(id)
	if n == nil {
		done(refuse(NotFound, "Node %d not registered", id))
		return
	}
	life := n.command(done)
	n.process.up = false
	w.after(down, func() {
		if n.process.life == life {
			w.launch(n, build)
		}
	})
}

// command begins a new chapter of the process: what an earlier command still
// wanted to do is dropped, and it is told so. done is who waits for this one.
func (n *node) command(done func(error)) (life int) {
	if waiting := n.process.waiting; waiting != nil {
		n.process.waiting = nil
		waiting(refuse(Conflict, "another command for node %d came in between", n.id))
	}
	n.process.waiting = done
	n.process.life++
	return n.process.life
}

func (w *World) launch(n *node, build string) {
	n.process.up, n.process.launched = true, w.now
	if build != "" {
		n.process.build = build
	}
	life := n.process.life
	w.after(processStartup, func() { w.tryReAttach(n, life) })
}

func (w *World) tryReAttach(n *node, life int) {
	switch {
	case n.process.life != life:
	case w.phase == Down || w.node(n.id) != n:
		w.after(reattachRetry, func() { w.tryReAttach(n, life) })
	default:
		w.reAttach(n)
		done := n.process.waiting
		n.process.waiting = nil
		done(nil)
	}
}

// Location is one entry of the answer to a re-attach. Generation is 0 for a
// secondary.
type Location struct {
	Shard      client.TenantShardID
	Generation int
}

// reAttach is a starting pageserver that reports to the controller. It frees
// the node from the policies of a restart; it does not touch the slot.
func (w *World) reAttach(n *node) []Location {
	w.counters.ReAttached++
	var held []Location
	for _, s := range w.shards {
		switch {
		case s.attached == n.id:
			s.generation++
			held = append(held, Location{Shard: s.id, Generation: s.generation})
		case slices.Contains(s.secondary, n.id):
			held = append(held, Location{Shard: s.id})
		}
	}
	switch n.policy {
	case client.PolicyPauseForRestart, client.PolicyDraining, client.PolicyFilling:
		n.setPolicy(client.PolicyActive)
	case client.PolicyDeleting:
		n.policy, n.stored = client.PolicyActive, client.PolicyPause
	}
	n.availability, n.warmingSince, n.lastSeen = client.AvailabilityWarmingUp, w.now, w.now
	return held
}

// ReAttach is the upcall as a pageserver makes it over the wire.
func (w *World) ReAttach(id client.NodeID) ([]Location, error) {
	if slices.ContainsFunc(w.tombstones, func(n *node) bool { return n.id == id }) {
		return nil, refuse(Internal, "Node %d is marked as deleted, re-attach is not allowed", id)
	}
	n := w.node(id)
	if n == nil {
		return nil, refuse(NotFound, "Node %d not registered", id)
	}
	return w.reAttach(n), nil
}

// SetLag sets how many bytes the node's secondary locations are behind.
func (w *World) SetLag(id client.NodeID, bytes int64) error {
	n := w.node(id)
	if n == nil {
		return refuse(NotFound, "Node %d not registered", id)
	}
	n.process.lag = bytes
	return nil
}

// SetDelay sets the time of one location change on the node.
func (w *World) SetDelay(id client.NodeID, d time.Duration) error {
	n := w.node(id)
	if n == nil {
		return refuse(NotFound, "Node %d not registered", id)
	}
	n.process.delay = d
	return nil
}

// SetAddress says where the node listens.
func (w *World) SetAddress(id client.NodeID, a Address) {
	if n := w.node(id); n != nil {
		n.addr = a
	}
}

// Register adds a node, as a POST from its pageserver would.
func (w *World) Register(id client.NodeID, az string, a Address) error {
	if slices.ContainsFunc(w.tombstones, func(n *node) bool { return n.id == id }) {
		return refuse(Conflict, "Node %d is already exists", id)
	}
	if (a.GRPCHost == nil) != (a.GRPCPort == nil) {
		return refuse(BadRequest, "must specify both gRPC address and port")
	}
	if n := w.node(id); n != nil {
		same := n.az == az && n.addr.HTTPHost == a.HTTPHost && n.addr.HTTPPort == a.HTTPPort &&
			n.addr.PgHost == a.PgHost && n.addr.PgPort == a.PgPort
		if !same {
			return refuse(Conflict, "Node is already registered with different address")
		}
		return nil
	}
	w.nodes = append(w.nodes, &node{
		id: id, az: az, addr: a, availability: client.AvailabilityOffline,
		policy: client.PolicyActive, stored: client.PolicyActive, process: process{foreign: true},
	})
	slices.SortFunc(w.nodes, func(a, b *node) int { return cmp.Compare(a.id, b.id) })
	return nil
}
