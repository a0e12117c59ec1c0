package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/StorconTUI/storcon-tui/cmd/storcon-tui/config"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
)

// fleetMember is one of the clusters that are watched side by side.
type fleetMember struct {
	name string
	c    *connection // nil = it cannot be watched
	err  error       // why
}

// fleetNames are the clusters that are watched side by side: all of the configuration.
func (p *program) fleetNames() ([]string, error) {
	if p.flags.Cluster != "" || p.flags.URL != "" || p.flags.NeonLocal != "" {
		return nil, usagef("--fleet is for all clusters of the configuration: it goes without --cluster, --url and --neon-local")
	}
	names, err := config.Names(p.flags)
	if err != nil {
		return nil, usage(err)
	}
	return names, nil
}

// besideOthers is the program for one of so many clusters, of which all are only read.
func (p *program) besideOthers(name string, clusters int) *program {
	one := *p
	one.flags.Cluster, one.flags.ReadOnly, one.beside = name, true, clusters
	return &one
}

// connectFleet prepares every cluster of the configuration. What is wrong with one of
// them is that one's affair.
func (p *program) connectFleet() ([]*fleetMember, error) {
	names, err := p.fleetNames()
	if err != nil {
		return nil, err
	}
	members := make([]*fleetMember, len(names))
	for i, name := range names {
		members[i] = &fleetMember{name: name}
		members[i].c, members[i].err = p.besideOthers(name, len(names)).connect()
	}
	return members, nil
}

func closeFleet(members []*fleetMember) {
	for _, m := range members {
		if m.c != nil {
			m.c.close()
		}
	}
}

// watchFleet tells of the releases of all clusters until they are over, if that is wanted,
// or ctx ends.
func (p *program) watchFleet(ctx context.Context, o watchOptions) error {
	members, err := p.connectFleet()
	if err != nil {
		return err
	}
	defer closeFleet(members)
	var connections []*connection
	for _, m := range members {
		if m.c != nil {
			connections = append(connections, m.c)
		}
	}
	hide, err := p.expose(connections...)
	if err != nil {
		return err
	}
	defer hide()
	ctx, _, stop := watchSignals(ctx)
	defer stop()
	ctx, cancel := o.limit(ctx)
	defer cancel()
	out := &lineWriter{out: p.out}
	column := nameColumn(members)
	ends := make([]error, len(members))
	var watching sync.WaitGroup
	for i, m := range members {
		if m.err != nil {
			ends[i] = m.err
			fmt.Fprintf(p.err, "storcon-tui: %s is not watched: %s\n", m.name, printable(m.err.Error()))
			continue
		}
		watching.Go(func() {
			lines := watchLinesTo(out, o.format, m.c.identity)
			if text, ok := lines.(textLines); ok {
				text.name = column(m.name)
				lines = text
			}
			ends[i] = m.watch(ctx, lines, o.untilDone)
		})
	}
	watching.Wait()
	return fleetEnd(members, ends)
}

// watch tells of one cluster. One that cannot be read yet is watched all the same.
func (m *fleetMember) watch(ctx context.Context, lines watchLines, untilDone bool) error {
	return m.c.watched(ctx, func(ctx context.Context) error {
		if _, err := m.c.observe(ctx); err != nil && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		w := &watcher{connection: m.c, lines: lines}
		w.watch, w.began = m.c.remembered()
		return w.run(ctx, untilDone)
	})
}

// fleetEnd is the end of all: what ran out of time decides the exit code before what
// looked wrong does.
func fleetEnd(members []*fleetMember, ends []error) error {
	var all []error
	for i, err := range ends {
		if err != nil {
			all = append(all, fmt.Errorf("%s: %w", members[i].name, err))
		}
	}
	slices.SortStableFunc(all, func(a, b error) int {
		late := func(err error) int {
			if exitCode(err) == exitWatchTimeout {
				return 0
			}
			return 1
		}
		return late(a) - late(b)
	})
	return errors.Join(all...)
}

// nameColumn pads names to the longest of them.
func nameColumn(members []*fleetMember) func(name string) string {
	widest := 0
	for _, m := range members {
		widest = max(widest, len(m.name))
	}
	return func(name string) string { return name + strings.Repeat(" ", widest-len(name)) }
}

// lineWriter keeps lines of several goroutines apart: each is one Write.
type lineWriter struct {
	mu  sync.Mutex
	out io.Writer
}

func (w *lineWriter) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(line)
}

// limit ends ctx after the time that was asked for.
func (o watchOptions) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if o.timeout <= 0 {
		return context.WithCancel(ctx)
	}
	over := &exitError{code: exitWatchTimeout, err: fmt.Errorf("watched for %s", o.timeout)}
	return context.WithTimeoutCause(ctx, o.timeout, over)
}

// rates are how often what is read: what clusters that are watched side by side cost
// together is bounded.
func (p *program) rates() cluster.Rates {
	if p.beside == 0 {
		return cluster.Rates{}
	}
	return cluster.FleetRates(p.beside)
}
