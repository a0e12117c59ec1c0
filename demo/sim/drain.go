package sim

import (
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// drainTurn is one turn of the scan: look at the next shards in id order until
// 64 moves are outstanding, then wait for up to half a second. Only the scan
// looks at the node; the tail does not (C8).
func (w *World) drainTurn(op *operation) {
	n := w.node(op.node)
	if op.cancelled {
		w.drainEnd(op, client.PolicyActive)
		return
	}
	if n == nil || n.policy != client.PolicyDraining {
		w.leave(op)
		return
	}
	looked := 0
	for len(op.outstanding) < operationMoves {
		s := w.shardAfter(op.cursor)
		if s == nil {
			op.scanned = true
			break
		}
		op.cursor = s.id
		if w.drainShard(op, s) {
			looked++
		}
	}
	next := func() { w.drainTurn(op) }
	if op.scanned {
		next = func() { w.drainTail(op) }
	}
	w.await(op, time.Duration(looked)*lagLookup, scanWait, next)
}

// drainShard moves one shard away if it can be moved, and reports whether the
// lag of its secondary had to be asked for.
func (w *World) drainShard(op *operation, s *shard) bool {
	observed, _ := s.observedOn(op.node)
	leaving := s.attached != op.node && observed.attached
	if s.attached != op.node && !leaving {
		return false
	}
	if !s.moves() {
		return false
	}
	if leaving {
		w.moving(op, s)
		return true
	}
	dest := w.drainDestination(s)
	if dest == nil {
		return false
	}
	if dest.process.lag > w.cfg.MaxSecondaryLag || !dest.process.up {
		return true
	}
	w.promote(s, dest.id)
	w.want(s)
	w.moving(op, s)
	return true
}

// drainDestination is the usable secondary, one outside the preferred zone
// first, then the lowest id.
func (w *World) drainDestination(s *shard) *node {
	var best *node
	better := func(n *node) bool {
		if best == nil {
			return true
		}
		away, bestAway := n.az != s.preferredAZ, best.az != s.preferredAZ
		if away != bestAway {
			return away
		}
		return n.id < best.id
	}
	for _, id := range s.secondary {
		if n := w.node(id); n != nil && n.schedulable() && better(n) {
			best = n
		}
	}
	return best
}

// drainTail waits for the last moves. It reads the cancel token and nothing
// else, so a node that has restarted meanwhile ends paused all the same.
func (w *World) drainTail(op *operation) {
	switch {
	case len(op.outstanding) == 0:
		w.drainEnd(op, client.PolicyPauseForRestart)
	case op.cancelled:
		w.drainEnd(op, client.PolicyActive)
	default:
		w.await(op, 0, tailWait, func() { w.drainTail(op) })
	}
}

func (w *World) drainEnd(op *operation, final client.NodePolicy) {
	if n := w.node(op.node); n != nil {
		n.setPolicy(final)
	}
	w.leave(op)
}
