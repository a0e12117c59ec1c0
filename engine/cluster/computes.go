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
	Spec      string // where its last known spec is kept, in words; "" = nowhere
	Fetch     func(context.Context) (compute.Status, error)
	// Startup asks what its start took; nil = it is not asked.
	Startup func(context.Context) (compute.Startup, error)
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
		had.Spec = one.Spec
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

func sameCompute(a, b Compute) bool { return a.Name == b.Name && a.URL == b.URL && a.Spec == b.Spec }
