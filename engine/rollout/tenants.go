package rollout

import (
	"cmp"
	"maps"
	"slices"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
)

// PlanTenants gathers, page by page, what the tenant list says about the nodes
// of a plan. It keeps counts, the shards that will stay and the tenants that a
// compute was named for, so its size does not follow that of the cluster.
type PlanTenants struct {
	nodes   map[client.NodeID]*planned
	usable  map[client.NodeID]string // schedulable nodes and their AZ
	azOf    map[client.NodeID]string // of all nodes
	onlyIn  map[string]int           // shards whose secondaries are all in one AZ, by AZ
	watched map[client.TenantID]bool
}

// planned is what was gathered for one node.
type planned struct {
	stay    []Stay
	landing map[client.NodeID]int
	tenants map[client.TenantID]bool // of computes

	changing int // shards that are being split or imported
}

// NewPlanTenants begins to gather for these nodes.
func NewPlanTenants(s *cluster.Snapshot, nodes []client.NodeID, computes []Compute) *PlanTenants {
	t := &PlanTenants{
		nodes:   map[client.NodeID]*planned{},
		usable:  map[client.NodeID]string{},
		azOf:    map[client.NodeID]string{},
		onlyIn:  map[string]int{},
		watched: map[client.TenantID]bool{},
	}
	for _, id := range nodes {
		t.nodes[id] = &planned{landing: map[client.NodeID]int{}, tenants: map[client.TenantID]bool{}}
	}
	for _, n := range s.Nodes.Value {
		t.azOf[n.ID] = n.AZ()
		if n.Schedulable() {
			t.usable[n.ID] = n.AZ()
		}
	}
	for _, c := range computes {
		if c.Tenant != "" {
			t.watched[c.Tenant] = true
		}
	}
	return t
}

// Add takes one page.
func (t *PlanTenants) Add(page []client.Tenant) {
	for _, tenant := range page {
		for _, shard := range tenant.Shards {
			t.add(tenant.ID, shard)
		}
	}
}

func (t *PlanTenants) add(tenant client.TenantID, shard client.TenantShard) {
	if az, ok := t.onlyAZ(shard.NodeSecondary); ok {
		t.onlyIn[az]++
	}
	if shard.NodeAttached == nil {
		return
	}
	p := t.nodes[*shard.NodeAttached]
	if p == nil {
		return
	}
	if t.watched[tenant] {
		p.tenants[tenant] = true
	}
	if shard.IsSplitting || shard.IsImporting != nil && *shard.IsImporting {
		p.changing++
	}
	switch shard.SchedulingPolicy {
	case client.ShardPause:
		p.stay = append(p.stay, Stay{shard.ID, PolicyPause})
		return
	case client.ShardStop:
		p.stay = append(p.stay, Stay{shard.ID, PolicyStop})
		return
	}
	to, ok := t.destination(shard)
	if !ok {
		p.stay = append(p.stay, Stay{shard.ID, NoSecondary})
		return
	}
	p.landing[to]++
}

// onlyAZ is the AZ that all of some nodes are in, if there are any.
func (t *PlanTenants) onlyAZ(nodes []client.NodeID) (string, bool) {
	for _, id := range nodes {
		if t.azOf[id] != t.azOf[nodes[0]] {
			return "", false
		}
	}
	if len(nodes) == 0 {
		return "", false
	}
	return t.azOf[nodes[0]], true
}

// destination is where a drain sends a shard (C29): a secondary on a
// schedulable node, rather one outside the shard's preferred AZ, then the
// lowest id.
func (t *PlanTenants) destination(shard client.TenantShard) (client.NodeID, bool) {
	var best client.NodeID
	bestHome, found := false, false
	for _, id := range shard.NodeSecondary {
		az, ok := t.usable[id]
		if !ok || id == *shard.NodeAttached {
			continue
		}
		home := shard.PreferredAZ != nil && *shard.PreferredAZ == az
		if !found || bestHome && !home || home == bestHome && id < best {
			best, bestHome, found = id, home, true
		}
	}
	return best, found
}

// fill writes what was gathered into a step.
func (t *PlanTenants) fill(s *StepPlan, computes []Compute) {
	p := t.nodes[s.Node]
	if p == nil {
		return
	}
	s.Stay = slices.SortedFunc(slices.Values(p.stay), func(a, b Stay) int { return cmp.Compare(a.Shard, b.Shard) })
	s.Landing = landings(p.landing)
	s.OnlyInAZ, s.Changing = t.onlyIn[s.AZ], p.changing
	for _, c := range computes {
		if p.tenants[c.Tenant] {
			s.Computes = append(s.Computes, c.Name)
		}
	}
}

// landings sorts counts, most loaded node first.
func landings(counts map[client.NodeID]int) []Landing {
	var out []Landing
	for _, id := range slices.Sorted(maps.Keys(counts)) {
		if counts[id] > 0 {
			out = append(out, Landing{Node: id, Shards: counts[id]})
		}
	}
	slices.SortStableFunc(out, func(a, b Landing) int { return cmp.Compare(b.Shards, a.Shards) })
	return out
}
