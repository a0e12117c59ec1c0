package sim

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

const firstBuild = "rel-1"

func (w *World) seedNodes() {
	for i := range w.cfg.Nodes {
		w.nodes = append(w.nodes, &node{
			id: client.NodeID(i + 1), az: "az-" + string(rune('a'+i%w.cfg.AZs%26)),
			addr:         Address{HTTPHost: "127.0.0.1", HTTPPort: 9898 + i, PgHost: "127.0.0.1", PgPort: 6400 + i},
			availability: client.AvailabilityActive, policy: client.PolicyActive, stored: client.PolicyActive,
			process: process{up: true, build: firstBuild, launched: -w.between(30*time.Hour, 300*time.Hour)},
		})
	}
}

// seedTenants places tenants as a controller at rest would have: attached in
// the preferred zone, the secondary in another. One in twelve has four shards.
// Unless the cluster is all movable, each node holds two shards without a
// secondary and one with scheduling policy Pause.
func (w *World) seedTenants() {
	if len(w.nodes) == 0 {
		return
	}
	for range w.cfg.Tenants {
		shards := 1
		if w.rng.IntN(12) == 0 {
			shards = 4
		}
		w.newTenant(shards, 1, "")
	}
	if !w.cfg.AllMovable && w.cfg.Tenants > 0 {
		for range w.nodes {
			w.newTenant(1, 0, "")
			w.newTenant(1, 0, "")
		}
		w.pauseOnePerNode()
	}
	w.sortTenants()
}

func (w *World) pauseOnePerNode() {
	done := map[client.NodeID]bool{}
	for _, t := range w.tenants {
		s := t.shards[0]
		if t.count == 0 && t.secondaries > 0 && !done[s.attached] {
			t.scheduling, done[s.attached] = client.ShardPause, true
		}
	}
}

// newTenant makes a tenant that has been there for long: its secondaries are
// warm. Callers sort afterwards.
func (w *World) newTenant(shards, secondaries int, az string) *tenant {
	t := &tenant{
		id: client.TenantID(fmt.Sprintf("%016x%016x", w.rng.Uint64(), w.rng.Uint64())), count: shards,
		secondaries: secondaries, scheduling: client.ShardActive,
	}
	if shards <= 1 {
		shards, t.count = 1, 0
	}
	if az == "" {
		az = w.nodes[w.rng.IntN(len(w.nodes))].az
	}
	for i := range shards {
		s := &shard{id: client.TenantShardID(t.id), tenant: t, number: i, preferredAZ: az, generation: 1}
		if t.count > 0 {
			s.id = client.TenantShardID(fmt.Sprintf("%s-%02x%02x", t.id, i, t.count))
		}
		w.place(s)
		w.observeIntent(s)
		t.shards = append(t.shards, s)
	}
	w.tenants = append(w.tenants, t)
	w.shards = append(w.shards, t.shards...)
	return t
}

// place chooses nodes for a shard that is nowhere.
func (w *World) place(s *shard) {
	home := w.leastAttached(func(n *node) bool { return n.az == s.preferredAZ })
	if home == nil {
		home = w.leastAttached(func(*node) bool { return true })
	}
	if home == nil {
		return
	}
	var secondary []client.NodeID
	for range s.tenant.secondaries {
		if n := w.spareNode(home, secondary); n != nil {
			secondary = append(secondary, n.id)
		}
	}
	w.setIntent(s, home.id, secondary...)
}

// spareNode is where a further secondary of a shard attached at home may go:
// another zone first.
func (w *World) spareNode(home *node, taken []client.NodeID) *node {
	free := func(n *node) bool { return n != home && !slices.Contains(taken, n.id) }
	if n := w.leastLoaded(func(n *node) bool { return free(n) && n.az != home.az }); n != nil {
		return n
	}
	return w.leastLoaded(free)
}

func (w *World) leastAttached(accept func(*node) bool) *node {
	var best *node
	for _, n := range w.nodes {
		if n.schedulable() && accept(n) && (best == nil || n.attached < best.attached) {
			best = n
		}
	}
	return best
}

// observeIntent makes the pageservers hold exactly what is intended.
func (w *World) observeIntent(s *shard) {
	s.observed = nil
	if s.attached != 0 {
		s.observe(s.attached, true)
	}
	for _, id := range s.secondary {
		s.observe(id, false)
	}
}

func (w *World) sortTenants() {
	slices.SortFunc(w.tenants, func(a, b *tenant) int { return cmp.Compare(a.id, b.id) })
	slices.SortFunc(w.shards, func(a, b *shard) int { return cmp.Compare(a.id, b.id) })
}

// AddTenants makes tenants that behave as if they had been there for long, and
// returns their ids in order. Each has the given number of shards (1 makes an
// unsharded tenant) and of secondaries per shard.
func (w *World) AddTenants(count, shards, secondaries int) ([]client.TenantID, error) {
	if w.schedulableNodes() == 0 {
		return nil, refuse(Precondition, "no schedulable node to place tenants on")
	}
	ids := make([]client.TenantID, 0, count)
	for range count {
		ids = append(ids, w.newTenant(shards, secondaries, "").id)
	}
	w.sortTenants()
	slices.Sort(ids)
	return ids, nil
}
