package main

import (
	"context"
	"sync"

	"github.com/spf13/cobra"

	"github.com/StorconTUI/storcon-tui/engine/release"
)

// releaseFeed follows the release of a cluster for a console, from before anybody opens
// its screen; what this host has recorded of it lately comes first. It is safe for use by
// several goroutines.
type releaseFeed struct {
	sharedRelease

	c       *connection
	changed chan struct{}  // of capacity one
	earlier *release.Watch // goes on where nothing is recorded; nil = begin anew
}

// sharedRelease is what a Watch that somebody keeps looking with says to others. It is safe
// for use by several goroutines.
type sharedRelease struct {
	mu     sync.Mutex
	watch  *release.Watch   // nil before the first look
	newest *release.Release // what watch says; nil = to be asked for
}

// Release is the present state, nil before the first look. It is put together when somebody
// asks.
func (f *sharedRelease) Release() *release.Release {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.newest == nil && f.watch != nil {
		r := f.watch.Release()
		f.newest = &r
	}
	return f.newest
}

func (f *sharedRelease) see(watch *release.Watch, seen release.Observation) []release.Event {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.watch, f.newest = watch, nil
	return watch.See(seen)
}

func newReleaseFeed(c *connection) *releaseFeed {
	return &releaseFeed{c: c, changed: make(chan struct{}, 1)}
}

// Changed is pinged after something has happened.
func (f *releaseFeed) Changed() <-chan struct{} { return f.changed }

// start looks after every read until ctx ends or the function that it returns is called,
// which waits.
func (f *releaseFeed) start(ctx context.Context) (stop func()) {
	f.c.metrics.Watches(f.Release)
	ctx, cancel := context.WithCancel(ctx)
	var looking sync.WaitGroup
	looking.Go(func() { f.run(ctx) })
	return func() {
		cancel()
		looking.Wait()
	}
}

func (f *releaseFeed) run(ctx context.Context) {
	read, unsubscribe := f.c.poller.SubscribeReads()
	defer unsubscribe()
	out := processWatch{watch: f.c.poller.WatchProcess}
	defer out.end()
	watch, _ := f.c.remembered()
	if f.earlier != nil && f.c.settings.History.Off {
		watch = f.earlier
	}
	for {
		select {
		case <-read:
		case <-ctx.Done():
			return
		}
		seen := release.Observe(f.c.poller.Latest())
		out.follow(seen)
		if len(f.see(watch, seen)) == 0 {
			continue
		}
		select {
		case f.changed <- struct{}{}:
		default: // it is about to look anyway
		}
	}
}

// watchesOnScreen reports that watch is to be seen rather than printed.
func (p *program) watchesOnScreen(verb *cobra.Command) bool {
	for _, flag := range []string{"output", "until-done", "timeout"} {
		if verb.Flags().Changed(flag) {
			return false
		}
	}
	return p.onTerminal()
}

// watchInConsole opens the console on the release. That sends nothing but reads until an
// operator confirms a plan.
func (p *program) watchInConsole(ctx context.Context) error {
	return p.inConsole(ctx, func(_ context.Context, o *opening) error {
		o.deps.OpenRelease = true
		return nil
	})
}
