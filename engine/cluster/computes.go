package cluster

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/StorconTUI/storcon-tui/client/compute"
)

// ComputeSource is one compute to watch. Its name is its own.
type ComputeSource struct {
	Name, URL string
	Fetch     func(context.Context) (compute.Status, error)
}

// computeSources is who answers for each compute, by name. It is replaced as a whole.
type computeSources struct {
	now atomic.Pointer[map[string]ComputeSource]
}

func (c *computeSources) set(list []ComputeSource) {
	byName := make(map[string]ComputeSource, len(list))
	for _, one := range list {
		byName[one.Name] = one
	}
	c.now.Store(&byName)
}

func (c *computeSources) of(name string) (ComputeSource, bool) {
	one, ok := (*c.now.Load())[name]
	return one, ok
}

// computeNamed is the compute of that name, if there is one.
func (s *Snapshot) computeNamed(name string) (Compute, bool) {
	if i, ok := s.computeAt[name]; ok {
		return s.Computes[i], true
	}
	return Compute{}, false
}

// setComputes replaces the list. Those that are the same go on as they are.
func (s *Snapshot) setComputes(list []ComputeSource) {
	computes, at := make([]Compute, len(list)), make(map[string]int, len(list))
	for i, one := range list {
		had, ok := s.computeNamed(one.Name)
		if !ok || had.URL != one.URL {
			had = Compute{Name: one.Name, URL: one.URL}
		}
		computes[i], at[one.Name] = had, i
	}
	s.Computes, s.computeAt = computes, at
}

// pollDiscovery asks at its own pace which computes there are.
func (p *Poller) pollDiscovery(ctx context.Context) {
	if p.cfg.Discover == nil {
		return
	}
	repeat(ctx, nil, p.discover, func(luck float64, took time.Duration) time.Duration {
		return slowed(jittered(p.rates.Discovery, luck), took)
	})
}

func (p *Poller) discover(ctx context.Context) {
	list, err := p.cfg.Discover(ctx)
	if ctx.Err() != nil {
		return
	}
	before := p.Latest().Discovery.Err
	p.sources.set(list)
	p.publish(func(b *builder, now time.Time) bool { return b.discovery(list, err, now) })
	nudge(p.pace.computesWake)
	p.pingReads()
	p.logTurn("list of computes", before, err)
}

func (p *Poller) pollComputes(ctx context.Context) {
	fleet := fleet[string]{
		limit: maxComputesInFlight, wake: p.pace.computesWake,
		members: func() []string {
			computes := p.Latest().Computes
			names := make([]string, len(computes))
			for i, one := range computes {
				names[i] = one.Name
			}
			return names
		},
		every: func(name string, asked time.Time) time.Duration {
			one, _ := p.Latest().computeNamed(name)
			return slower(p.rates.Computes, p.rates.MaxBackoff, one.Status.Since, asked)
		},
		read: func(ctx context.Context, name string) {
			source, ok := p.sources.of(name)
			if !ok {
				return
			}
			status, err := source.Fetch(ctx)
			if ctx.Err() != nil {
				return
			}
			p.publish(func(b *builder, now time.Time) bool { return b.compute(source, status, err, now) })
		},
	}
	fleet.run(ctx)
}

// discovery takes in which computes there are; with err the list is what is still
// believed.
func (b *builder) discovery(list []ComputeSource, err error, now time.Time) bool {
	next, was := *b.cur, *b.cur.Discovery
	next.setComputes(list)
	part, changed := was.read(len(list), now), was.Err != nil || !was.Known()
	if err != nil {
		part, changed = was.failed(err, now)
	}
	next.Discovery = &part
	changed = changed || !slices.EqualFunc(next.Computes, b.cur.Computes, sameCompute)
	return b.publish(next, now, changed, b.computesThatCameAndWent(&next, now)...)
}

// computesThatCameAndWent are the changes from the list before to that of next. The
// first list changes nothing: what it has was there before the console looked.
func (b *builder) computesThatCameAndWent(next *Snapshot, now time.Time) []Change {
	if !b.cur.Discovery.Known() {
		return nil
	}
	var changes []Change
	for _, one := range b.cur.Computes {
		if _, there := next.computeNamed(one.Name); !there {
			changes = append(changes, Change{At: now, What: ComputeVanished, Name: one.Name, From: one.URL, Attached: -1})
		}
	}
	for _, one := range next.Computes {
		if _, there := b.cur.computeNamed(one.Name); !there {
			changes = append(changes, Change{At: now, What: ComputeAppeared, Name: one.Name, To: one.URL, Attached: -1})
		}
	}
	return changes
}

func sameCompute(a, b Compute) bool { return a.Name == b.Name && a.URL == b.URL }

// compute takes in what one compute said; err when it did not. One that was taken from
// the list meanwhile, or moved, is not meant.
func (b *builder) compute(source ComputeSource, status compute.Status, err error, now time.Time) bool {
	i, there := b.cur.computeAt[source.Name]
	if !there || b.cur.Computes[i].URL != source.URL {
		return b.publish(*b.cur, now, false)
	}
	next, changes := *b.cur, []Change(nil)
	next.Computes = slices.Clone(next.Computes)
	c := &next.Computes[i]
	if err != nil {
		var changed bool
		c.Status, changed = c.Status.failed(err, now)
		return b.publish(next, now, changed)
	}
	was := c.Status
	if was.Known() && was.Value.State != status.State {
		c.Since = now
		changes = append(changes, Change{
			At: now, What: ComputeStatusChanged, Name: c.Name,
			From: string(was.Value.State), To: string(status.State), Attached: -1,
		})
	}
	c.Status = was.read(status, now)
	changed := !was.Known() || was.Err != nil || !sameStatus(was.Value, status)
	return b.publish(next, now, changed, changes...)
}

func sameStatus(a, b compute.Status) bool {
	return a.State == b.State && sameValue(a.Tenant, b.Tenant) && sameValue(a.Timeline, b.Timeline) &&
		sameValue(a.Error, b.Error) && sameTime(a.StartTime, b.StartTime) && sameTime(a.LastActive, b.LastActive)
}
