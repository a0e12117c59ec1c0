package sim

import (
	"slices"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// operation is a drain, a fill or a delete: a task of the controller that
// moves shards and then writes a final policy.
type operation struct {
	kind      client.OperationKind
	node      client.NodeID
	cancelled bool // read between turns only
	overlaps  bool // started in the same moment as another (C3, C24)
	before    client.NodePolicy
	force     bool // delete: do not wait

	cursor      client.TenantShardID
	scanned     bool
	plan        []client.TenantShardID // fill
	outstanding map[*shard]bool
	wake        *event
	next        func() // what the task does when it wakes
}

func (op *operation) String() string {
	return client.Operation{Kind: op.kind, Node: op.node}.String()
}

// Start asks for a drain, a fill or a delete. The checks run now, in the
// controller's order; the policy is then written to the database, and only
// when that has ended is the slot taken, so that two starts in the same moment
// are both accepted. done is called once, perhaps before Start returns; never
// when the controller's process ends first.
func (w *World) Start(kind client.OperationKind, id client.NodeID, force bool, done func(error)) {
	if err := w.mayStart(kind, id); err != nil {
		done(err)
		return
	}
	w.afterController(databaseWrite, func() {
		n := w.node(id)
		if n == nil {
			done(refuse(NotFound, "Node %d not registered", id))
			return
		}
		op := &operation{kind: kind, node: id, before: n.policy, force: force, outstanding: map[*shard]bool{}}
		n.setPolicy(labelOf(kind))
		w.occupy(op)
		w.afterController(operationSpawn, w.runner(op))
		done(nil)
	})
}

func labelOf(kind client.OperationKind) client.NodePolicy {
	switch kind {
	case client.OperationDrain:
		return client.PolicyDraining
	case client.OperationFill:
		return client.PolicyFilling
	default:
		return client.PolicyDeleting
	}
}

func (w *World) runner(op *operation) func() {
	switch op.kind {
	case client.OperationDrain:
		return func() { w.drainTurn(op) }
	case client.OperationFill:
		return func() { w.fillBegin(op) }
	default:
		return func() { w.deleteTurn(op) }
	}
}

// mayStart makes the checks in the order of contract A.1.
func (w *World) mayStart(kind client.OperationKind, id client.NodeID) error {
	n := w.node(id)
	if n == nil {
		return refuse(NotFound, "Node %d not registered", id)
	}
	if w.slot != nil {
		return refuse(Precondition, "Background operation already ongoing for node: %s", w.slot)
	}
	if kind != client.OperationDelete && !n.available() {
		return refuse(Unavailable, "Node %d is currently unavailable", id)
	}
	switch kind {
	case client.OperationDrain:
		if w.schedulableNodes() == 0 {
			return refuse(Precondition, "No other schedulable nodes to drain to")
		}
		return policyAllows(n, "drain", "drained", client.PolicyDraining, client.PolicyActive)
	case client.OperationFill:
		if len(w.nodes) <= 1 {
			return refuse(Precondition, "No other nodes to fill from")
		}
		return policyAllows(n, "fill", "filled", client.PolicyFilling, client.PolicyActive)
	default:
		if w.schedulableNodes() == 0 {
			return refuse(Precondition, "No other schedulable nodes to move shards")
		}
		return policyAllows(n, "delete", "deleted", client.PolicyDeleting, client.PolicyActive, client.PolicyPause)
	}
}

func policyAllows(n *node, noun, participle string, own client.NodePolicy, allowed ...client.NodePolicy) error {
	switch {
	case slices.Contains(allowed, n.policy):
		return nil
	case n.policy == own:
		return refuse(Conflict, "Node %d has %s in progress", n.id, noun)
	default:
		return refuse(Precondition, "Node %d cannot be %s due to %s policy", n.id, participle, n.policy)
	}
}

// Cancel fires the token of a running operation. The operation reads it at its
// next turn and may have passed its last one.
func (w *World) Cancel(kind client.OperationKind, id client.NodeID) error {
	n := w.node(id)
	if n == nil {
		return refuse(NotFound, "Node %d not registered", id)
	}
	if kind != client.OperationDelete && !n.available() {
		return refuse(Unavailable, "Node %d is currently unavailable", id)
	}
	if w.slot == nil || w.slot.kind != kind || w.slot.node != id {
		return refuse(Precondition, "Node %d has no %s in progress", id, kind)
	}
	w.slot.cancelled = true
	return nil
}

// occupy takes the one slot of the cluster, even if another start took it
// since this one was checked.
func (w *World) occupy(op *operation) {
	if w.slot != nil {
		w.slot.overlaps, op.overlaps = true, true
	}
	w.slot = op
	w.tasks = append(w.tasks, op)
}

// leave ends a task. The first of two overlapping ones to end fails the
// controller's own assertion: no task gets further, and the process exits.
func (w *World) leave(op *operation) {
	w.cancel(op.wake)
	w.tasks = slices.DeleteFunc(w.tasks, func(o *operation) bool { return o == op })
	if w.slot == op {
		w.slot = nil
	}
	if !op.overlaps {
		return
	}
	for _, other := range w.tasks {
		w.cancel(other.wake)
		other.next = nil
	}
	w.afterController(exitDelay, w.Kill)
}

// await goes on with next when every outstanding move has ended, or when the
// limit is over. pace is the time that this turn took in itself.
func (w *World) await(op *operation, pace, limit time.Duration, next func()) {
	op.next = next
	if len(op.outstanding) == 0 {
		limit = 0
	}
	op.wake = w.afterController(pace+limit, func() { w.proceed(op) })
}

func (w *World) proceed(op *operation) {
	w.cancel(op.wake)
	op.wake = nil
	next := op.next
	op.next = nil
	next()
}

// moveEnded tells the tasks that wait for the shard. Failed counts as ended.
func (w *World) moveEnded(s *shard) {
	for _, op := range slices.Clone(w.tasks) {
		if !op.outstanding[s] {
			continue
		}
		delete(op.outstanding, s)
		if len(op.outstanding) == 0 && op.next != nil {
			w.proceed(op)
		}
	}
}

// moving adds a shard whose move has been started to those that the operation
// waits for.
func (w *World) moving(op *operation, s *shard) {
	if s.reconcile != nil || s.queued {
		op.outstanding[s] = true
	}
}

// Operation is what occupies the slot; false when it is free.
func (w *World) Operation() (client.Operation, bool) {
	if w.slot == nil {
		return client.Operation{}, false
	}
	return client.Operation{Kind: w.slot.kind, Node: w.slot.node}, true
}
