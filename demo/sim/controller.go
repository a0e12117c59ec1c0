package sim

import (
	"slices"

	"github.com/StorconTUI/storcon-tui/client"
)

// Kill ends the controller's process without warning. Operations and
// reconciles vanish; policies stay in the database as they were.
func (w *World) Kill() {
	if w.phase == Down {
		return
	}
	for _, op := range w.tasks {
		w.cancel(op.wake)
	}
	for _, s := range w.shards {
		s.reconcile, s.queued, s.urgent, s.consecutive = nil, false, false, 0
	}
	w.controller = controller{epoch: w.epoch + 1, phase: Down, notifyBad: w.notifyBad}
}

// Terminate ends the process gracefully: running operations are cancelled and
// write their policy first.
func (w *World) Terminate() {
	for _, op := range slices.Clone(w.tasks) {
		n := w.node(op.node)
		if n == nil || n.policy != labelOf(op.kind) {
			continue
		}
		final := client.PolicyActive
		if op.kind == client.OperationDelete {
			final = op.before
		}
		n.setPolicy(final)
	}
	w.Kill()
}

// StartController starts the process. Every node is Offline until it has been
// asked, policies are those of the database, and nothing else is remembered.
func (w *World) StartController() {
	if w.phase != Down {
		return
	}
	w.phase, w.started = Starting, w.now
	scan := startupScan
	for _, n := range w.nodes {
		n.policy, n.availability = n.stored, client.AvailabilityOffline
		if !n.process.up {
			scan = startupScanSilent
		}
	}
	w.afterController(scan, w.completeStartup)
}

// completeStartup is the end of the first scan: nodes that answered are
// active, the shards of the others fail over, and the loops begin.
func (w *World) completeStartup() {
	for _, n := range w.nodes {
		if n.process.up && !n.process.foreign {
			n.availability, n.lastSeen = client.AvailabilityActive, w.now
		}
	}
	for _, n := range w.nodes {
		if !n.available() && n.availability != client.AvailabilityWarmingUp {
			w.goOffline(n)
		}
	}
	w.phase = Serving
	w.ReconcileAll()
	w.beginLoops()
	waiting := w.waiting
	w.waiting = nil
	for _, done := range waiting {
		done(nil)
	}
}

// WhenServing calls done when startup is complete, which may be at once, or
// with a refusal when it takes longer than a request may wait. A done that has
// been called with the refusal is called again later, and must not mind.
func (w *World) WhenServing(done func(error)) {
	if w.phase == Serving {
		done(nil)
		return
	}
	w.waiting = append(w.waiting, done)
	w.afterController(startupWait, func() {
		done(refuse(Timeout, "Timed out waiting for service readiness"))
	})
}

// Phase says what the controller process is doing.
func (w *World) Phase() Phase { return w.phase }

// StepDown is another instance of the controller taking over. Reconciles are
// cancelled and waited for; an operation is not: its loop runs through without
// waiting for anything, and writes its last policy to the database (C17). The new
// instance has read the policies before that, and knows nothing of the operation.
func (w *World) StepDown() {
	if w.phase == Down {
		return
	}
	for _, op := range w.tasks {
		w.after(stepDownTail, func() { w.writeLate(op) })
	}
	w.Kill()
	w.StartController()
}

func (w *World) writeLate(op *operation) {
	n := w.node(op.node)
	if n == nil || n.stored != labelOf(op.kind) {
		return
	}
	switch op.kind {
	case client.OperationDrain:
		n.stored = client.PolicyPauseForRestart
	case client.OperationFill:
		n.stored = client.PolicyActive
	}
}
