package cluster

import (
	"slices"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
)

// ofCompute is a snapshot to be changed in what it has of one compute. One that was
// taken from the list meanwhile, or moved, is not meant: nil.
func (b *builder) ofCompute(source ComputeSource) (next Snapshot, c *Compute) {
	next = *b.cur
	i, there := next.computeAt[source.Name]
	if !there || next.Computes[i].URL != source.URL {
		return next, nil
	}
	next.Computes = slices.Clone(next.Computes)
	return next, &next.Computes[i]
}

// compute takes in what one compute said; err when it did not.
func (b *builder) compute(source ComputeSource, status compute.Status, err error, now time.Time) bool {
	next, c := b.ofCompute(source)
	if c == nil {
		return b.publish(next, now, false)
	}
	var changes []Change
	if err != nil {
		if c.Status.Err == nil {
			c.saw("", now)
		}
		var changed bool
		c.Status, changed = c.Status.failed(err, now)
		return b.publish(next, now, changed)
	}
	was := c.Status
	turned := was.Known() && was.Value.State != status.State
	if turned {
		c.Since = now
		changes = append(changes, Change{
			At: now, What: ComputeStatusChanged, Name: c.Name,
			From: string(was.Value.State), To: string(status.State), Attached: -1,
		})
	}
	if turned || !was.Known() || was.Err != nil {
		c.saw(status.State, now)
	}
	if was.Known() && startsAnew(was.Value, status) {
		c.Startup = Part[compute.Startup]{}
	}
	c.Status = was.read(status, now)
	changed := !was.Known() || was.Err != nil || !sameStatus(was.Value, status)
	return b.publish(next, now, changed, changes...)
}

// startsAnew reports that what the last start took is not about this one. The form
// of 2023 has no start time: there the states tell.
func startsAnew(was, is compute.Status) bool {
	if was.StartTime != nil && is.StartTime != nil {
		return !was.StartTime.Equal(*is.StartTime)
	}
	return was.State != is.State && starting(is.State)
}

// starting are the states of a compute whose first start is not over.
func starting(s compute.State) bool { return s == compute.StateEmpty || s == compute.StateInit }

// saw keeps a status that has just been seen. What was published before is not
// written to.
func (c *Compute) saw(s compute.State, now time.Time) {
	seen := append(slices.Clone(c.Seen), StatusSeen{State: s, At: now})
	if len(seen) > SeenMax {
		seen = slices.Delete(seen, 0, len(seen)-SeenMax)
	}
	c.Seen = seen
}

// startup takes in what the start of a compute took; err when it did not tell.
func (b *builder) startup(source ComputeSource, startup compute.Startup, err error, now time.Time) bool {
	next, c := b.ofCompute(source)
	if c == nil {
		return b.publish(next, now, false)
	}
	was, changed := c.Startup, false
	if err != nil {
		c.Startup, changed = was.failed(err, now)
	} else {
		c.Startup = was.read(startup, now)
		changed = !was.Known() || was.Err != nil || !sameStartup(was.Value, startup)
	}
	return b.publish(next, now, changed)
}

// sameStartup compares what a person may look at.
func sameStartup(a, b compute.Startup) bool {
	a.Extra, b.Extra = nil, nil
	return a.WaitForSpec == b.WaitForSpec && a.SyncSafekeepersChk == b.SyncSafekeepersChk &&
		a.SyncSafekeepers == b.SyncSafekeepers && a.PageserverConnect == b.PageserverConnect &&
		a.Basebackup == b.Basebackup && a.BasebackupBytes == b.BasebackupBytes &&
		a.StartPostgres == b.StartPostgres && a.Config == b.Config && a.Total == b.Total
}

// tenant takes in where a tenant's shards are; err when the controller did not tell.
// Tenants that no compute has any more are forgotten.
func (b *builder) tenant(id client.TenantID, t client.Tenant, err error, now time.Time) bool {
	was, changed := b.cur.Tenants[id], false
	var is Part[[]client.TenantShard]
	if err != nil {
		is, changed = was.failed(err, now)
	} else {
		is = was.read(t.Shards, now)
		changed = !was.Known() || was.Err != nil || was.Off != "" || !slices.EqualFunc(was.Value, t.Shards, samePlacement)
	}
	next := *b.cur
	next.Tenants = b.cur.keptTenants()
	next.Tenants[id] = is
	return b.publish(next, now, changed)
}

// tenantsOff says why no tenant is asked for.
func (b *builder) tenantsOff(why string, now time.Time) bool {
	next, changed := *b.cur, false
	next.Tenants = b.cur.keptTenants()
	for _, id := range b.cur.computeTenants() {
		part, turned := next.Tenants[id].off(why)
		next.Tenants[id], changed = part, changed || turned
	}
	return b.publish(next, now, changed)
}

// keptTenants is a copy of what is known of the tenants that computes still have.
func (s *Snapshot) keptTenants() map[client.TenantID]Part[[]client.TenantShard] {
	kept := make(map[client.TenantID]Part[[]client.TenantShard], len(s.Tenants)+1)
	for _, id := range s.computeTenants() {
		if part, ok := s.Tenants[id]; ok {
			kept[id] = part
		}
	}
	return kept
}

func samePlacement(a, b client.TenantShard) bool {
	return a.ID == b.ID && sameValue(a.NodeAttached, b.NodeAttached) && slices.Equal(a.NodeSecondary, b.NodeSecondary) &&
		a.LastError == b.LastError && a.IsReconciling == b.IsReconciling &&
		a.IsPendingComputeNotification == b.IsPendingComputeNotification && a.IsSplitting == b.IsSplitting &&
		a.SchedulingPolicy == b.SchedulingPolicy
}

func sameStatus(a, b compute.Status) bool {
	return a.State == b.State && sameValue(a.Tenant, b.Tenant) && sameValue(a.Timeline, b.Timeline) &&
		sameValue(a.Error, b.Error) && sameTime(a.StartTime, b.StartTime) && sameTime(a.LastActive, b.LastActive)
}
