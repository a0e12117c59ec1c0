package cluster

import (
	"encoding/hex"
	"slices"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
)

// SeenMax bounds Compute.Seen.
const SeenMax = 32

// StatusSeen is a status that a compute turned to while this console looked.
type StatusSeen struct {
	State compute.State // "" = it did not answer
	At    time.Time
}

// Compute finds a compute by name.
func (s *Snapshot) Compute(name string) (Compute, bool) {
	i := slices.IndexFunc(s.Computes, func(c Compute) bool { return c.Name == name })
	if i < 0 {
		return Compute{}, false
	}
	return s.Computes[i], true
}

// Tenant is the tenant that the compute last named; "" when it named none that the
// controller could be asked for.
func (c *Compute) Tenant() client.TenantID {
	t := c.Status.Value.Tenant
	if t == nil || len(*t) != 32 {
		return ""
	}
	if _, err := hex.DecodeString(*t); err != nil {
		return ""
	}
	return client.TenantID(*t)
}

// NotificationPending reports a compute whose tenant has a shard that moved and of
// which the controller has not been able to tell the control plane yet: the compute
// may still go to where the shard was.
func (s *Snapshot) NotificationPending(c *Compute) bool {
	return slices.ContainsFunc(s.Tenants[c.Tenant()].Value, func(shard client.TenantShard) bool {
		return shard.IsPendingComputeNotification
	})
}

// ComputesOn lists the computes that depend on a node: by the controller's intent, a
// shard of their tenant is attached there. unknown counts those of whose tenant it
// is not known where it is.
func (s *Snapshot) ComputesOn(node client.NodeID) (on []Compute, unknown int) {
	for i := range s.Computes {
		c := &s.Computes[i]
		id := c.Tenant()
		if id == "" {
			continue // without a spec it depends on none
		}
		placed := s.Tenants[id]
		switch {
		case !placed.Known():
			unknown++
		case slices.ContainsFunc(placed.Value, func(shard client.TenantShard) bool {
			return shard.NodeAttached != nil && *shard.NodeAttached == node
		}):
			on = append(on, *c)
		}
	}
	return on, unknown
}

// computeTenants are the tenants of the computes, each once, in the order of the
// configuration.
func (s *Snapshot) computeTenants() []client.TenantID {
	var ids []client.TenantID
	seen := map[client.TenantID]bool{"": true}
	for i := range s.Computes {
		if id := s.Computes[i].Tenant(); !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids
}
