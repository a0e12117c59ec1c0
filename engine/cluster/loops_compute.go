package cluster

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
)

const (
	// startupLimit is for a compute that has just answered.
	startupLimit = 2 * time.Second
	// startupRetry is how soon figures that could not be read are asked for again.
	startupRetry = 30 * time.Second

	// tenantSpacing is the pause between two tenants: all of them together cost the
	// controller one request a second at most.
	tenantSpacing = time.Second
	// tenantEvery is how old a tenant's shards may become, as far as tenantSpacing
	// allows; tenantWatched is the same for a compute that somebody looks at.
	tenantEvery   = time.Minute
	tenantWatched = 2 * time.Second
)

func (p *Poller) pollComputes(ctx context.Context) {
	var tried startupTries
	fleet := fleet[string]{
		limit: maxComputesInFlight, spacing: p.rates.ComputeSpacing, hurries: p.pace.watchesCompute,
		wake: p.pace.computesWake,
		members: func() []string {
			computes := p.Latest().Computes
			names := make([]string, len(computes))
			for i, one := range computes {
				names[i] = one.Name
			}
			return names
		},
		every: func(name string, asked time.Time) time.Duration {
			if p.pace.watchesCompute(name) {
				return p.rates.Computes
			}
			s := p.Latest()
			one, _ := s.computeNamed(name)
			every := max(p.rates.Computes, time.Duration(len(s.Computes))*p.rates.ComputeSpacing)
			return slower(every, max(every, p.rates.MaxBackoff), one.Status.Since, asked)
		},
		read: func(ctx context.Context, name string) { p.readCompute(ctx, name, &tried) },
	}
	fleet.run(ctx)
}

// startupTries remembers when the figures of a start were last asked for in vain.
type startupTries struct{ at sync.Map } // of time.Time by name

// readCompute asks a compute how it is, and after its start what that took.
func (p *Poller) readCompute(ctx context.Context, name string, tried *startupTries) {
	source, ok := p.sources.of(name)
	if !ok {
		return
	}
	status, err := source.Fetch(ctx)
	if ctx.Err() != nil {
		return
	}
	before, _ := p.Latest().computeNamed(name)
	p.publish(func(b *builder, now time.Time) bool { return b.compute(source, status, err, now) })
	after, _ := p.Latest().computeNamed(name)
	if after.Tenant() != before.Tenant() {
		nudge(p.pace.tenantsWake)
	}
	now := time.Now()
	last, _ := tried.at.Load(name)
	failed, _ := last.(time.Time)
	if source.Startup == nil || !startupDue(&after, p.pace.watchesCompute(name), now.Sub(failed)) {
		return
	}
	limit, cancel := context.WithTimeout(ctx, startupLimit)
	defer cancel()
	startup, err := source.Startup(limit)
	if ctx.Err() != nil {
		return
	}
	tried.at.Delete(name)
	if err != nil {
		tried.at.Store(name, now)
	}
	p.publish(func(b *builder, now time.Time) bool { return b.startup(source, startup, err, now) })
}

// startupDue reports that what the start took is worth asking for: once when it is
// over, and while it goes on if somebody watches. The figures do not change later,
// but for one that a shutdown spoils. tried is how long ago they were last asked for.
func startupDue(c *Compute, watched bool, tried time.Duration) bool {
	if !c.Status.Known() || c.Status.Err != nil || startupRead(c) {
		return false
	}
	switch c.Status.Value.State {
	case compute.StateRunning, compute.StateFailed, compute.StateConfiguration,
		compute.StateRefreshPending, compute.StateRefresh:
		return watched || c.Startup.Err == nil || tried >= startupRetry
	case compute.StateEmpty, compute.StateTerminationPendingFast, compute.StateTerminationPendingImmediate, compute.StateTerminated:
		return false
	}
	return watched
}

// startupRead reports figures of a whole start: with a total, or read after the state
// arrived in which it ended.
func startupRead(c *Compute) bool {
	s := c.Startup
	return s.Known() && s.Err == nil && !starting(c.Status.Value.State) &&
		c.Status.Value.State != compute.StateConfigurationPending &&
		(s.Value.Total > 0 || !s.At.Before(c.Since))
}

// pollTenants asks the controller where the tenants of the computes are, one after
// the other. The map from computes to nodes that comes of it is as old as it may be
// for looking at; nothing is decided by it.
func (p *Poller) pollTenants(ctx context.Context) {
	if p.cfg.Tenant == nil || len(p.cfg.Computes) == 0 && p.cfg.Discover == nil {
		return
	}
	asked := map[client.TenantID]time.Time{}
	failures, read, off := 0, time.Time{}, false
	repeat(ctx, p.pace.tenantsWake, func(ctx context.Context) {
		id, ok := p.nextTenant(asked, time.Now())
		if !ok {
			return
		}
		read = time.Now()
		asked[id] = read
		err := p.readTenant(ctx, id)
		failures++
		if err == nil || client.StatusOf(err) != 0 {
			failures = 0 // an answer, if not the one hoped for
		}
		_, off = lacksAdmin(err, "")
	}, func(luck float64, took time.Duration) time.Duration {
		switch {
		case off && p.pace.tokenChangedSince(read):
			return 0
		case off:
			return jittered(p.rates.Retest, luck)
		case failures > 0:
			return max(tenantSpacing, p.rates.backoff(failures, luck))
		}
		return max(tenantSpacing, 2*took) - took
	})
}

// nextTenant is the one whose turn it is: of a compute that is watched, else one that
// was never asked for, else the oldest. Those that no compute has any more are
// forgotten.
func (p *Poller) nextTenant(asked map[client.TenantID]time.Time, now time.Time) (next client.TenantID, ok bool) {
	s := p.Latest()
	wanted := s.computeTenants()
	kept := make(map[client.TenantID]time.Time, len(wanted))
	oldest := now.Add(-tenantEvery)
	for _, id := range wanted {
		at := asked[id]
		kept[id] = at
		if !at.After(oldest) {
			oldest, next, ok = at, id, true
		}
	}
	clear(asked)
	maps.Copy(asked, kept)
	for i := range s.Computes {
		c := &s.Computes[i]
		if id := c.Tenant(); id != "" && p.pace.watchesCompute(c.Name) && now.Sub(asked[id]) >= tenantWatched {
			return id, true
		}
	}
	return next, ok
}

// readTenant asks for one tenant and publishes what came of it.
func (p *Poller) readTenant(ctx context.Context, id client.TenantID) error {
	t, err := p.cfg.Tenant(ctx, id)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	p.publish(func(b *builder, now time.Time) bool {
		if why, yes := lacksAdmin(err, "/control/v1/tenant/"+string(id)); yes {
			return b.tenantsOff(why, now)
		}
		return b.tenant(id, t, err, now)
	})
	return err
}

// WatchCompute has a compute asked at the full pace even if it does not answer, the
// figures of its start while that goes on, and where its tenant is every 2 s, until
// the last watcher has released it.
func (p *Poller) WatchCompute(name string) (release func()) {
	release = watch(p.pace, p.pace.computes, name, p.pace.computesWake, func() {})
	nudge(p.pace.tenantsWake)
	return release
}

func (c *pace) watchesCompute(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.computes[name] > 0
}
