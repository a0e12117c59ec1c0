package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/release"
)

// watchOptions are the flags of watch.
type watchOptions struct {
	format    string
	untilDone bool
	timeout   time.Duration
	fleet     bool
	replay    replayOptions
}

func (p *program) watchVerb() *cobra.Command {
	var o watchOptions
	verb := &cobra.Command{
		Use:   "watch",
		Short: "Show or print what happens in a release that somebody else drives; only reads",
		Long: `Print a line for everything that happens in a release, whoever drives it: which
node is being drained, restarted, filled or done, and what looks wrong. It only
reads, and may begin in the middle of a release. On a terminal, and without flags that
are about the printing, it opens the console on the release instead.

It goes on until a signal ends it. With --until-done it ends with the release, also with
one that begins later: with 0, or with 13 when something looked wrong in it. With --timeout
it ends after that time, with 12.

What this host has recorded of the cluster in the last day is looked at first, so that a
release is known from its start.

With --fleet it tells of every cluster of the configuration, each line with its name; with
--until-done it then ends when each of them has had a release that is over. What all of
them are asked together is bounded, so that each is read the less often the more there are.
On a terminal, and without flags that are about the printing, it shows a row for each of
them, and opens the console of the one that is chosen.

With --replay it tells the same of a recording, and asks nothing of the cluster: all at
once into a pipe, as far apart as it was on a terminal or with --speed.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.replay.paced = cmd.Flags().Changed("speed")
			if err := errors.Join(o.check(), o.replay.check(cmd.Flags(), o.timeout)); err != nil {
				return err
			}
			if o.replay.path != "" {
				return p.replay(cmd.Context(), o)
			}
			if o.fleet && p.watchesOnScreen(cmd) {
				return p.watchFleetOnScreen(cmd.Context())
			}
			if o.fleet {
				return p.watchFleet(cmd.Context(), o)
			}
			if p.watchesOnScreen(cmd) {
				return p.watchInConsole(cmd.Context())
			}
			return p.watch(cmd.Context(), o)
		},
	}
	flags := verb.Flags()
	flags.StringVarP(&o.format, "output", "o", formatText, "text or jsonl")
	flags.BoolVar(&o.untilDone, "until-done", false, "end when the release is over")
	flags.BoolVar(&o.fleet, "fleet", false, "watch all clusters of the configuration side by side")
	flags.DurationVar(&o.timeout, "timeout", 0, "end after this time (default never)")
	o.replay.flags(flags)
	return verb
}

// The formats of watch.
const (
	formatText  = "text"
	formatJSONL = "jsonl"
)

func (o watchOptions) check() error {
	if o.format != formatText && o.format != formatJSONL {
		return usagef("-o: expected text or jsonl, got %q", o.format)
	}
	if o.fleet && o.replay.path != "" {
		return usagef("--fleet is for watching the present: a recording is of one cluster")
	}
	if o.timeout < 0 {
		return usagef("--timeout: expected more than 0, got %s", o.timeout)
	}
	return nil
}

func (p *program) watch(ctx context.Context, o watchOptions) error {
	return p.onlyReadingWith(ctx, p.connectToStay, func(ctx context.Context, c *connection) error {
		ctx, cancel := o.limit(ctx)
		defer cancel()
		return c.watched(ctx, func(ctx context.Context) error {
			if _, err := c.observe(ctx); err != nil {
				return c.at(err)
			}
			w := &watcher{connection: c, lines: watchLinesTo(p.out, o.format, c.identity)}
			w.watch, w.began = c.remembered()
			return w.run(ctx, o.untilDone)
		})
	})
}

// watcher tells what a release does.
type watcher struct {
	*connection
	watch *release.Watch
	lines watchLines
	began time.Time // its first look, or that of whoever recorded

	shared sharedRelease // of watch, for others
}

// run looks after every read until the release is over, if that is wanted, or ctx ends.
func (w *watcher) run(ctx context.Context, untilDone bool) error {
	changed, unsubscribe := w.poller.SubscribeReads()
	defer unsubscribe()
	w.metrics.Watches(w.shared.Release)
	restarting := processWatch{watch: w.poller.WatchProcess}
	defer restarting.end()
	for first := true; ; first = false {
		seen := release.Observe(w.poller.Latest())
		restarting.follow(seen)
		events := w.shared.see(w.watch, seen)
		if first || len(events) > 0 {
			r := *w.shared.Release()
			if err := w.tell(r, events, first); err != nil {
				return err
			}
			if untilDone && slices.ContainsFunc(events, isEnd) {
				return w.verdict(r)
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("%w: %s", context.Cause(ctx), standing(*w.shared.Release()))
		}
	}
}

// standing says in a few words where a release is when somebody stops watching it.
func standing(r release.Release) string {
	switch {
	case r.Live():
		return "the release goes on, " + doneOf(r)
	case r.Started.IsZero():
		return "no release was seen"
	}
	return "the release is over"
}

func isEnd(e release.Event) bool { return e.Kind == release.ReleaseEnded }

// tell prints what is new; at first, where everything stands.
func (w *watcher) tell(r release.Release, events []release.Event, first bool) error {
	if first {
		if w.began.IsZero() {
			w.began = r.At
		}
		if err := w.lines.begin(r); err != nil {
			return err
		}
	}
	for _, e := range events {
		if err := w.lines.event(e, r); err != nil {
			return err
		}
	}
	return nil
}

// verdict is the exit of a release that is over.
func (w *watcher) verdict(r release.Release) error {
	wrong := slices.DeleteFunc(slices.Clone(r.Anomalies), func(a release.Anomaly) bool { return w.unrelated(a, r) })
	if len(wrong) == 0 {
		return nil
	}
	return &exitError{
		code: exitWatchAnomaly,
		err:  fmt.Errorf("the release is over, and not all was well: %s", strings.Join(anomalyNames(wrong), ", ")),
	}
}

// unrelated is what no release can have caused: a compute that had failed before it began
// or anybody looked, and a node that was paused before.
func (w *watcher) unrelated(a release.Anomaly, r release.Release) bool {
	if a.Since.After(w.began) && !a.Since.Before(r.Started) {
		return false
	}
	return a.Compute != "" || a.Kind == release.LeftOver && slices.ContainsFunc(r.Nodes, func(n release.NodeProgress) bool {
		return n.ID == a.Node && n.Policy == client.PolicyPause
	})
}

// anomalyNames has each kind of anomaly once, in the order in which they came.
func anomalyNames(anomalies []release.Anomaly) []string {
	var names []string
	for _, a := range anomalies {
		if name := a.Kind.String(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// processLinger is how long the process of a node is asked often once it is in service
// again: its build is to be known before the next node goes.
const processLinger = 5 * time.Second

// processWatch has the processes of nodes that are out asked more often than the others:
// when one goes and comes is then known to two seconds.
type processWatch struct {
	watch   func(client.NodeID) (release func())
	watched map[client.NodeID]*watchedProcess
}

type watchedProcess struct {
	release func()
	out     time.Time // when the node was out last
}

// follow asks for those that are out, or were a moment ago, and for no others.
func (p *processWatch) follow(o release.Observation) {
	if p.watched == nil {
		p.watched = map[client.NodeID]*watchedProcess{}
	}
	for _, n := range o.Nodes {
		one := p.watched[n.ID]
		switch out := n.Policy == client.PolicyDraining || n.Policy == client.PolicyPauseForRestart ||
			n.Availability != client.AvailabilityActive; {
		case out && one == nil:
			p.watched[n.ID] = &watchedProcess{release: p.watch(n.ID), out: o.At}
		case out:
			one.out = o.At
		case one != nil && o.At.Sub(one.out) > processLinger:
			one.release()
			delete(p.watched, n.ID)
		}
	}
}

func (p *processWatch) end() {
	for one := range maps.Values(p.watched) {
		one.release()
	}
}
