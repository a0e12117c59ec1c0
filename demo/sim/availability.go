package sim

import (
	"slices"

	"github.com/StorconTUI/storcon-tui/client"
)

// heartbeats asks every node once. Silence is tolerated for a while; a node
// that answers is active.
func (w *World) heartbeats() {
	for _, n := range slices.Clone(w.nodes) {
		w.heartbeat(n)
	}
	w.afterController(w.cfg.HeartbeatInterval, w.heartbeats)
}

func (w *World) heartbeat(n *node) {
	if n.process.up && !n.process.foreign {
		n.lastSeen = w.now
		if !n.available() {
			w.activate(n)
		}
		return
	}
	switch {
	case n.availability == client.AvailabilityActive && w.now-n.lastSeen >= w.cfg.MaxOfflineInterval,
		n.availability == client.AvailabilityWarmingUp && w.now-n.warmingSince >= w.cfg.MaxWarmingUpInterval:
		w.goOffline(n)
	}
}

// activate takes a node that answers back into service and brings its
// locations to what is intended.
func (w *World) activate(n *node) {
	n.availability = client.AvailabilityActive
	for _, s := range w.shards {
		_, seen := s.observedOn(n.id)
		if (s.has(n.id) || seen) && w.dirty(s) {
			w.want(s)
		}
	}
}

// goOffline gives up on a node: what it holds is unknown, and the shards
// attached there fail over, unless there is nowhere to go.
func (w *World) goOffline(n *node) {
	n.availability = client.AvailabilityOffline
	for _, s := range w.shards {
		s.forget(n.id)
	}
	if len(w.nodes) == 1 || w.schedulableNodes() == 0 {
		return
	}
	for _, s := range w.shards {
		if s.attached == n.id && s.moves() {
			w.failOver(s, n)
		}
	}
}

// failOver attaches a shard elsewhere: at its secondary if that one can be
// reached, else anywhere.
func (w *World) failOver(s *shard, from *node) {
	dest := w.drainDestination(s)
	if dest == nil {
		for _, id := range s.secondary {
			if n := w.node(id); n != nil && n.available() {
				dest = n
				break
			}
		}
	}
	switch {
	case dest != nil:
		w.promote(s, dest.id)
	default:
		dest = w.leastLoaded(func(n *node) bool { return n != from && !s.has(n.id) })
		if dest == nil {
			return
		}
		w.setIntent(s, dest.id, s.secondary...)
	}
	s.urgent = true
	w.want(s)
}

// Configure writes a node's availability or policy. It is refused while any
// operation runs anywhere; with neither given it changes nothing and so asks
// whether one does.
func (w *World) Configure(id client.NodeID, availability *client.Availability, policy *client.NodePolicy) error {
	if w.slot != nil {
		return refuse(Precondition, "Ongoing background operation forbids configuring: %s", w.slot)
	}
	n := w.node(id)
	if n == nil {
		switch {
		case policy != nil:
			return refuse(Internal, "Node node_id not found for update")
		case availability != nil:
			return refuse(NotFound, "Node %d not registered", id)
		default:
			return refuse(NotFound, "Node not registered")
		}
	}
	if availability != nil {
		if err := w.setAvailability(n, *availability); err != nil {
			return err
		}
	}
	if policy != nil {
		n.setPolicy(*policy)
	}
	return nil
}

func (w *World) setAvailability(n *node, to client.Availability) error {
	if to == n.availability {
		return nil
	}
	switch to {
	case client.AvailabilityActive:
		if !n.process.up || n.process.foreign {
			return refuse(Precondition, "Failed to query node location configs, cannot activate (receive body: error sending request)")
		}
		w.activate(n)
	case client.AvailabilityWarmingUp:
		n.availability, n.warmingSince = to, w.now
	default:
		w.goOffline(n)
	}
	return nil
}
