package main

import (
	"context"
	"fmt"

	"github.com/StorconTUI/storcon-tui/cmd/storcon-tui/metrics"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// follow has everybody told of a run who wants to hear of it.
func (c *connection) follow(driver *rollout.Driver) {
	c.metrics.Drives(driver.Status)
	c.herald.follow(driver)
}

// driven is watched for a run that goes line by line: its release is followed for those
// who look from elsewhere only.
func (c *connection) driven(ctx context.Context, do func(context.Context) error) error {
	return c.watched(ctx, func(ctx context.Context) error {
		if c.exposed {
			defer newReleaseFeed(c).start(ctx)()
		}
		return do(ctx)
	})
}

// expose serves what is known of these clusters to a Prometheus, if there is an address for
// that; it is said on standard error. close ends it and waits.
func (p *program) expose(connections ...*connection) (closeIt func(), err error) {
	closeIt = func() {}
	for _, c := range connections {
		if c.settings.Metrics == "" {
			return closeIt, nil // it is one setting for all
		}
	}
	if len(connections) == 0 {
		return closeIt, nil
	}
	first := connections[0]
	server, err := metrics.Listen(first.settings.Metrics, version(), first.log)
	if err != nil {
		return closeIt, preflight(fmt.Errorf("%w; give another address with --metrics-addr, or off", err))
	}
	for _, c := range connections {
		c.exposed = true
		server.Show(&c.metrics)
	}
	fmt.Fprintln(p.err, "storcon-tui: metrics at "+server.URL())
	return server.Close, nil
}
