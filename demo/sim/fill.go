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
	d := newDonors(w, n, free)
	var plan []client.TenantShardID
	for planned < d.target-n.attached {
		s := d.take()
		if s == nil {
			break
		}
		planned++
		plan = append(plan, s.id)
	}
	return plan
}

// donors are the nodes that a fill may take free shards from.
type donors struct {
	nodes     []*node
	perTenant int // a tenant's shards divided by this is the most to take of it
	target    int // attached shards that every node would have
	attached  map[client.NodeID]int
	offers    map[client.NodeID][]*shard
	taken     map[*tenant]int
}

func newDonors(w *World, n *node, free []*shard) *donors {
	d := &donors{attached: map[client.NodeID]int{}, offers: map[client.NodeID][]*shard{}, taken: map[*tenant]int{}}
	total := 0
	for _, other := range w.nodes {
		total += other.attached
		d.attached[other.id] = other.attached
		if other != n && other.available() {
			d.nodes = append(d.nodes, other)
		}
	}
	d.target, d.perTenant = total/len(w.nodes), len(w.nodes)
	for _, s := range free {
		d.offers[s.attached] = append(d.offers[s.attached], s)
	}
	return d
}

// take is the next shard of the most loaded donor; nil when none may be taken.
func (d *donors) take() *shard {
	for {
		var from *node
		for _, n := range d.nodes {
			if len(d.offers[n.id]) == 0 || d.attached[n.id] <= d.target {
				continue
			}
			if from == nil || d.attached[n.id] > d.attached[from.id] {
				from = n
			}
		}
		if from == nil {
			return nil
		}
		s := d.offers[from.id][0]
		d.offers[from.id] = d.offers[from.id][1:]
		if d.taken[s.tenant] >= max(1, len(s.tenant.shards)/d.perTenant) {
			continue
		}
		d.taken[s.tenant]++
		d.attached[from.id]--
		return s
	}
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
