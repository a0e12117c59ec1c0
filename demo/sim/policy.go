package sim

import (
	"slices"

	"github.com/StorconTUI/storcon-tui/client"
)

// PlacementChange is what a tenant should become. Secondaries counts for
// Attached only.
type PlacementChange struct {
	Placement   Placement
	Secondaries int
}

// SetTenantPolicy changes a tenant's placement, its scheduling policy or both.
// It returns before any shard has moved. Raising one secondary to two ends the
// controller's process, as it does in reality.
func (w *World) SetTenantPolicy(id client.TenantID, to *PlacementChange, scheduling *client.ShardPolicy) error {
	t := w.tenant(id)
	if t == nil {
		return refuse(NotFound, "Tenant %s not found", id)
	}
	if to != nil {
		if to.Placement != Attached && scheduling == nil {
			t.scheduling = client.ShardActive
		}
		raised := to.Placement == Attached && to.Secondaries > 1 && t.secondaries < to.Secondaries
		w.replace(t, *to)
		if raised {
			w.Kill()
			return refuse(Internal, "connection lost")
		}
	}
	if scheduling != nil {
		t.scheduling = *scheduling
	}
	return nil
}

// replace gives a tenant its new placement, shard by shard.
func (w *World) replace(t *tenant, to PlacementChange) {
	wasDetached := t.placement == Detached
	t.placement = to.Placement
	if to.Placement == Attached {
		t.secondaries = to.Secondaries
	}
	switch {
	case wasDetached && to.Placement != Detached:
		w.shards = append(w.shards, t.shards...)
		w.sortTenants()
	case to.Placement == Detached:
		w.shards = slices.DeleteFunc(w.shards, func(s *shard) bool { return s.tenant == t })
	}
	for _, s := range t.shards {
		w.placeShard(s, to)
	}
}

func (w *World) placeShard(s *shard, to PlacementChange) {
	switch {
	case to.Placement == Detached:
		w.setIntent(s, 0)
		s.observed = nil
		return
	case to.Placement == SecondaryOnly:
		keep := s.attached
		if keep == 0 && len(s.secondary) > 0 {
			keep = s.secondary[0]
		}
		if keep == 0 {
			return
		}
		w.setIntent(s, 0, keep)
	case s.attached == 0 && len(s.secondary) == 0:
		w.place(s)
	default:
		w.adjustSecondaries(s, to.Secondaries)
	}
	w.want(s)
}

func (w *World) adjustSecondaries(s *shard, count int) {
	attached, secondary := s.attached, slices.Clone(s.secondary)
	if attached == 0 && len(secondary) > 0 {
		attached, secondary = secondary[0], secondary[1:]
	}
	secondary = secondary[:min(len(secondary), count)]
	home := w.node(attached)
	for home != nil && len(secondary) < count {
		n := w.spareNode(home, secondary)
		if n == nil {
			break
		}
		secondary = append(secondary, n.id)
	}
	w.setIntent(s, attached, secondary...)
}
