package main

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
)

// observeFor is how long a verb that looks once waits for parts that do not
// come; the node list's own failure ends the wait at once.
const observeFor = 5 * time.Second

// reading does what a verb does that only reads and prints in a format.
func (p *program) reading(ctx context.Context, format string, do func(context.Context, *connection) error) error {
	if err := checkFormat(format); err != nil {
		return err
	}
	return p.onlyReading(ctx, do)
}

// onlyReading connects for a verb that can change nothing.
func (p *program) onlyReading(ctx context.Context, do func(context.Context, *connection) error) error {
	return p.onlyReadingWith(ctx, p.connect, do)
}

func (p *program) onlyReadingWith(ctx context.Context, connect func() (*connection, error), do func(context.Context, *connection) error) error {
	p.flags.ReadOnly = true
	c, err := connect()
	if err != nil {
		return err
	}
	defer c.close()
	ctx, _, stop := watchSignals(ctx)
	defer stop()
	return do(ctx, c)
}

// observing is reading while the poller reads the cluster.
func (p *program) observing(ctx context.Context, format string, do func(context.Context, *connection) error) error {
	return p.reading(ctx, format, func(ctx context.Context, c *connection) error {
		return c.polled(ctx, func(ctx context.Context) error { return do(ctx, c) })
	})
}

// polled runs do while the poller reads, and waits for both.
func (c *connection) polled(ctx context.Context, do func(context.Context) error) error {
	pollCtx, stop := context.WithCancel(ctx)
	var group errgroup.Group
	group.Go(func() error { return c.poller.Run(pollCtx) })
	group.Go(func() error {
		defer stop()
		return do(ctx)
	})
	return group.Wait()
}

// observe waits until every part has been tried and returns the picture, or the
// reason why there is no node list.
func (c *connection) observe(ctx context.Context) (*cluster.Snapshot, error) {
	limit, cancel := context.WithTimeout(ctx, observeFor)
	defer cancel()
	changed, unsubscribe := c.poller.SubscribeReads()
	defer unsubscribe()
	for {
		s := c.poller.Latest()
		if err := s.Nodes.Err; err != nil && !s.Nodes.Known() && !passing(err) {
			return nil, err
		}
		if tried(s) {
			return s, nil
		}
		select {
		case <-changed:
		case <-limit.Done():
			if err := ctx.Err(); err != nil {
				return nil, context.Cause(ctx)
			}
			s = c.poller.Latest()
			if !s.Nodes.Known() && s.Nodes.Err != nil {
				return nil, s.Nodes.Err
			}
			return s, nil
		}
	}
}

// passing is a failure that a second try soon cures: the controller starts or
// another one takes over.
func passing(err error) bool { return client.LeadershipMoving(err) }

// tried reports that every part was read, failed or is off.
func tried(s *cluster.Snapshot) bool {
	if !s.Nodes.Known() || !partTried(s.Metrics) || !partTried(s.Leader) {
		return false
	}
	for _, n := range s.Nodes.Value {
		if !partTried(n.Process) {
			return false
		}
	}
	if d := s.Discovery; d != nil && !partTried(*d) {
		return false
	}
	for _, one := range s.Computes {
		if !partTried(one.Status) {
			return false
		}
	}
	return true
}

func partTried[T any](p cluster.Part[T]) bool { return p.Known() || p.Err != nil || p.Off != "" }
