package sim

import (
	"slices"

	"github.com/StorconTUI/storcon-tui/client"
)

func (w *World) fillBegin(op *operation) {
	n := w.node(op.node)
	if n == nil {
		w.leave(op)
		return
	}
	op.plan = w.fillPlan(n)
	w.fillTurn(op)
}

// fillPlan decides once which shards come to the node. Shards whose preferred
// zone is this node's and which are attached in another always come; those
// without a preference come for balance; all others stay.
func (w *World) fillPlan(n *node) []client.TenantShardID {
	var plan []client.TenantShardID
	var free []*shard
	zoned := w.azCount() > 1
	for _, s := range w.shards {
		if !slices.Contains(s.secondary, n.id) {
			continue
		}
		if !zoned || s.preferredAZ == "" {
			free = append(free, s)
			continue
		}
		if at := w.node(s.attached); s.preferredAZ == n.az && (at == nil || at.az != n.az) {
			plan = append(plan, s.id)
		}
	}
	return append(plan, w.fillForBalance(n, free, len(plan))...)
}

// fillForBalance takes shards from the most loaded available nodes until the
// node reaches the average, never pushing a donor below it, and never too much
// of one tenant.
func (w *World) fillForBalance(n *node, free []*shard, planned int) []client.TenantShardID {
	attached := map[client.NodeID]int{}
	total := 0
	for _, other := range w.nodes {
		attached[other.id] = other.attached
		total += other.attached
	}
	target := total / len(w.nodes)
	perTenant := map[*tenant]int{}
	var plan []client.TenantShardID
	for planned < target-n.attached {
		donor := w.donor(n, free, attached, target, perTenant)
		if donor < 0 {
			break
		}
		s := free[donor]
		free = slices.Delete(free, donor, donor+1)
		attached[s.attached]--
		perTenant[s.tenant]++
		planned++
		plan = append(plan, s.id)
	}
	return plan
}

// donor is the index of the next shard to take, -1 when none may be taken.
func (w *World) donor(n *node, free []*shard, attached map[client.NodeID]int, target int, taken map[*tenant]int) int {
	best, load := -1, target
	for i, s := range free {
		from := w.node(s.attached)
		if from == nil || from == n || !from.available() {
			continue
		}
		if taken[s.tenant] >= max(1, len(s.tenant.shards)/len(w.nodes)) {
			continue
		}
		if attached[s.attached] > load {
			best, load = i, attached[s.attached]
		}
	}
	return best
}

func (w *World) fillTurn(op *operation) {
	n := w.node(op.node)
	if n != nil && op.cancelled {
		n.setPolicy(client.PolicyActive)
		w.leave(op)
		return
	}
	if n == nil || n.policy != client.PolicyFilling {
		w.leave(op)
		return
	}
	for len(op.outstanding) < operationMoves && len(op.plan) > 0 {
		id := op.plan[0]
		op.plan = op.plan[1:]
		s := w.shard(id)
		if s == nil || !slices.Contains(s.secondary, op.node) {
			continue
		}
		w.promote(s, op.node)
		w.want(s)
		w.moving(op, s)
	}
	next := func() { w.fillTurn(op) }
	if len(op.plan) == 0 {
		next = func() { w.fillTail(op) }
	}
	w.await(op, operationSpawn, scanWait, next)
}

func (w *World) fillTail(op *operation) {
	if len(op.outstanding) > 0 && !op.cancelled {
		w.await(op, 0, tailWait, func() { w.fillTail(op) })
		return
	}
	if n := w.node(op.node); n != nil {
		n.setPolicy(client.PolicyActive)
	}
	w.leave(op)
}

func (w *World) shard(id client.TenantShardID) *shard {
	t := w.tenant(id.Tenant())
	if t == nil {
		return nil
	}
	for _, s := range t.shards {
		if s.id == id {
			return s
		}
	}
	return nil
}
