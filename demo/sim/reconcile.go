package sim

import (
	"fmt"
	"slices"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// Counters count since the controller's process started.
type Counters struct {
	Spawned       int64
	OK            int64
	Failed        int64
	Optimizations int64
	ReAttached    int64
}

const (
	normal = 0
	urgent = 1
)

func (s *shard) units() int {
	if s.urgent {
		return urgent
	}
	return normal
}

// dirty reports that observation does not match intent on the nodes that can
// be asked.
func (w *World) dirty(s *shard) bool {
	wrong := func(id client.NodeID, attached bool) bool {
		n := w.node(id)
		if n == nil || !n.available() {
			return false
		}
		l, ok := s.observedOn(id)
		return !ok || l.attached != attached
	}
	if s.attached != 0 && wrong(s.attached, true) {
		return true
	}
	for _, id := range s.secondary {
		if wrong(id, false) {
			return true
		}
	}
	for _, l := range s.observed {
		if n := w.node(l.node); !s.has(l.node) && n != nil && n.available() {
			return true
		}
	}
	return false
}

// want asks for a reconcile of the shard: now if a unit is free, else in turn.
// A running one is left to end; it starts the next if intent moved on.
func (w *World) want(s *shard) {
	if s.reconcile != nil || s.queued || s.tenant.scheduling == client.ShardStop {
		return
	}
	limit := [2]int{normal: normalReconciles, urgent: urgentReconciles}[s.units()]
	if w.running[s.units()] >= limit {
		s.queued = true
		w.queue = append(w.queue, s)
		return
	}
	w.spawn(s)
}

func (w *World) spawn(s *shard) {
	r := &reconcile{attached: s.attached, secondary: slices.Clone(s.secondary), urgent: s.urgent, started: w.now}
	s.reconcile, s.queued = r, false
	s.consecutive++
	w.running[s.units()]++
	w.counters.Spawned++
	w.afterController(w.duration(s, r), func() { w.finish(s) })
}

// duration of a reconcile: a live migration changes locations five times, all
// else one time. Nodes differ in speed, and no two calls take the same time.
func (w *World) duration(s *shard, r *reconcile) time.Duration {
	calls := 1
	delay := w.delayOf(r.attached)
	if from := s.observedAttached(); from != 0 && from != r.attached && r.attached != 0 {
		calls = callsPerMove
		delay = max(delay, w.delayOf(from))
	}
	for _, id := range r.secondary {
		delay = max(delay, w.delayOf(id))
	}
	d := time.Duration(calls) * delay
	return d + time.Duration(w.rng.Float64()*0.2*float64(d))
}

func (w *World) delayOf(id client.NodeID) time.Duration {
	n := w.node(id)
	if n == nil {
		return 0
	}
	if n.process.delay > 0 {
		return n.process.delay
	}
	return w.cfg.LocationDelay
}

// finish ends a reconcile, unless the compute cannot be told where its shard
// is now: then the migration hangs and tries again.
func (w *World) finish(s *shard) {
	r := s.reconcile
	moved := r.attached != 0 && r.attached != s.observedAttached()
	if dest := w.node(r.attached); r.attached != 0 && (dest == nil || !dest.process.up) {
		w.end(s, fmt.Sprintf("location change on node %d failed: connection refused", r.attached))
		return
	}
	if moved && w.notifyBad != 0 {
		if w.notifyBad == 400 || w.notifyBad == 401 || w.notifyBad == 403 {
			w.end(s, fmt.Sprintf("compute notification refused with status %d", w.notifyBad))
			return
		}
		wait := min(time.Second<<min(r.retries, 4), notifyRetryMax)
		r.retries++
		w.afterController(wait, func() { w.finish(s) })
		return
	}
	w.apply(s, r)
	if moved {
		s.generation++
	}
	w.end(s, "")
}

// apply makes the reachable pageservers hold what the reconcile wanted. What
// an unreachable one holds is unknown from now on.
func (w *World) apply(s *shard, r *reconcile) {
	s.observed = nil
	set := func(id client.NodeID, attached bool) {
		if n := w.node(id); n != nil && n.process.up {
			s.observe(id, attached)
		}
	}
	if r.attached != 0 {
		set(r.attached, true)
	}
	for _, id := range r.secondary {
		set(id, false)
	}
}

func (w *World) end(s *shard, failure string) {
	r := s.reconcile
	s.reconcile = nil
	if r.urgent {
		w.running[urgent]--
	} else {
		w.running[normal]--
	}
	if failure != "" {
		s.lastError = failure
		w.counters.Failed++
	} else {
		w.counters.OK++
		s.urgent = false
	}
	if r.attached != s.attached || !slices.Equal(r.secondary, s.secondary) {
		w.want(s)
	}
	w.serveQueue()
	if s.reconcile == nil && !s.queued {
		w.moveEnded(s)
	}
}

// serveQueue gives free units to those that wait, in turn. One that waits for a
// unit of the other kind goes back to the end.
func (w *World) serveQueue() {
	for range len(w.queue) {
		if w.running[normal] >= normalReconciles {
			return
		}
		s := w.queue[0]
		w.queue = w.queue[1:]
		s.queued = false
		w.want(s)
	}
}

// SetNotify says what the control plane answers to compute notifications:
// a status; 200 accepts them.
func (w *World) SetNotify(status int) {
	w.notifyBad = status
	if status >= 200 && status < 300 {
		w.notifyBad = 0
	}
}
