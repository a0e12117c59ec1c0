package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/cmd/storcon-tui/config"
	"github.com/StorconTUI/storcon-tui/engine/release"
	"github.com/StorconTUI/storcon-tui/ui"
	"github.com/StorconTUI/storcon-tui/ui/prose"
	"github.com/StorconTUI/storcon-tui/ui/view"
)

// watchFleetOnScreen shows all clusters; those that the operator opens are shown in a console
// each, one after the other, and all of them again when it is left.
func (p *program) watchFleetOnScreen(ctx context.Context) error {
	if err := p.needTerminal(); err != nil {
		return err
	}
	names, err := p.fleetNames()
	if err != nil {
		return err
	}
	settings, err := config.Common(p.flags)
	if err != nil {
		return usage(err)
	}
	look, err := p.look(settings.Theme)
	if err != nil {
		return err
	}
	if settings.Metrics != "" {
		if p.served, err = p.serveMetrics(settings.Metrics, slog.New(slog.DiscardHandler)); err != nil {
			return err
		}
		defer p.served.Close()
	}
	watch := p.newFleetWatch(names)
	screen := ui.NewFleet(ui.FleetDeps{
		Clusters: watch, Styles: look.styles, ASCII: look.ascii, Settle: look.settle, Told: watch.told, Version: version(),
		Input: p.in, Output: p.out, Stderr: p.err,
	})
	defer watch.start(ctx)()
	return watch.show(ctx, screen)
}

// show goes to and fro between all clusters and the console of one, until the operator
// leaves the former or anything else ends either.
func (w *fleetWatch) show(ctx context.Context, screen *ui.Fleet) error {
	received := make(chan os.Signal, 1)
	signal.Notify(received, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(received)
	var left error // of the last console in which something was
	for {
		name, err := screen.Run(ctx)
		if err != nil || name == "" {
			return orFirst(left, bySignal(received, err))
		}
		opened, err := w.open(ctx, name)
		if ctx.Err() != nil || len(received) > 0 || isLost(err) {
			// The console has said already what the signal means for what it drove.
			return orFirst(err, orFirst(left, bySignal(received, nil)))
		}
		if err != nil {
			screen.Say(name + ": " + wordsOf(err))
		}
		if err != nil && opened {
			left = err
		}
	}
}

func orFirst(first, second error) error {
	if first != nil {
		return first
	}
	return second
}

func isLost(err error) bool {
	lost := (*ui.LostError)(nil)
	return errors.As(err, &lost)
}

// wordsOf is an error, or the end of a run of which all else was said on the terminal.
func wordsOf(err error) string {
	if text := err.Error(); text != "" {
		return client.Clean(text)
	}
	return prose.Exit(exitCode(err)) + "; it stands in full on the terminal when you leave"
}

// fleetWatch follows all clusters for a screen.
type fleetWatch struct {
	operator *program // who may open a console that can do more than read
	members  []*fleetFollower
	changed  chan struct{} // of capacity one
	told     chan string
}

func (p *program) newFleetWatch(names []string) *fleetWatch {
	w := &fleetWatch{operator: p, changed: make(chan struct{}, 1), told: make(chan string)}
	for _, name := range names {
		w.members = append(w.members, &fleetFollower{
			name: name, program: p.besideOthers(name, len(names)), changed: w.changed, told: w.told,
		})
	}
	return w
}

// start watches until the function that it returns is called, which waits.
func (w *fleetWatch) start(ctx context.Context) (stop func()) {
	for _, m := range w.members {
		m.start(ctx)
	}
	return func() {
		for _, m := range w.members {
			m.cancel()
		}
		for _, m := range w.members {
			m.stop()
		}
	}
}

// Changed is pinged after something has happened to one of them.
func (w *fleetWatch) Changed() <-chan struct{} { return w.changed }

// Fleet is the present state of all.
func (w *fleetWatch) Fleet() []view.FleetCluster {
	all := make([]view.FleetCluster, len(w.members))
	for i, m := range w.members {
		all[i] = m.now()
	}
	return all
}

// open shows the console of one cluster, which is not watched twice meanwhile. opened says
// that the console was on the screen.
func (w *fleetWatch) open(ctx context.Context, name string) (opened bool, err error) {
	for _, m := range w.members {
		if m.name == name {
			m.stop()
			defer m.start(ctx)
		}
	}
	alone := *w.operator
	alone.flags.Cluster = name
	err = alone.inConsole(ctx, func(_ context.Context, o *opening) error {
		o.deps.OpenRelease, opened = true, true
		return nil
	})
	return opened, err
}

// fleetFollower follows one cluster. One that cannot be watched is tried again.
type fleetFollower struct {
	name    string
	program *program
	changed chan struct{}
	told    chan<- string

	cancel   context.CancelFunc
	watching sync.WaitGroup
	earlier  *release.Watch // of the feed before

	mu      sync.Mutex
	trouble string // why it cannot be watched; "" = it can
	feed    *releaseFeed
}

func (m *fleetFollower) start(ctx context.Context) {
	ctx, m.cancel = context.WithCancel(ctx)
	m.watching.Go(func() {
		for ctx.Err() == nil {
			err := m.follow(ctx)
			if err == nil || ctx.Err() != nil {
				continue
			}
			m.fails(err)
			retry := time.NewTimer(view.FleetRetry)
			select {
			case <-retry.C:
			case <-ctx.Done():
			}
			retry.Stop()
		}
	})
}

// stop ends the watch and waits for it.
func (m *fleetFollower) stop() {
	m.cancel()
	m.watching.Wait()
}

// follow watches until ctx ends; an error says why that cannot be.
func (m *fleetFollower) follow(ctx context.Context) error {
	c, err := m.program.connectToStay()
	if err != nil {
		return err
	}
	defer c.close()
	return c.watched(ctx, func(ctx context.Context) error {
		feed := newReleaseFeed(c)
		feed.changed, feed.earlier = m.changed, m.earlier
		stop := feed.start(ctx)
		m.follows(feed)
		defer func() {
			stop()
			m.follows(nil)
			m.earlier = feed.watch
		}()
		for {
			select {
			case text := <-c.told:
				select {
				case m.told <- m.name + ": " + text:
				case <-ctx.Done():
				}
			case <-ctx.Done():
				return nil
			}
		}
	})
}

func (m *fleetFollower) follows(feed *releaseFeed) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.feed, m.trouble = feed, ""
}

func (m *fleetFollower) fails(err error) {
	m.mu.Lock()
	m.feed, m.trouble = nil, client.Clean(err.Error())
	m.mu.Unlock()
	select {
	case m.changed <- struct{}{}:
	default:
	}
}

func (m *fleetFollower) now() view.FleetCluster {
	m.mu.Lock()
	defer m.mu.Unlock()
	one := view.FleetCluster{Name: m.name, Trouble: m.trouble}
	if m.feed != nil {
		one.Snapshot, one.Release = m.feed.c.poller.Latest(), m.feed.Release()
	}
	return one
}
