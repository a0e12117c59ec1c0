package main

import (
	"context"
	"fmt"
	"log/slog"

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
// that; it is said on standard error. close ends it and waits. Where something is served
// already for as long as the program lives, they are shown there until close.
func (p *program) expose(connections ...*connection) (closeIt func(), err error) {
	server := p.served
	switch {
	case len(connections) == 0 || server == nil && connections[0].settings.Metrics == "": // it is one setting for all
		return func() {}, nil
	case server == nil:
		if server, err = p.serveMetrics(connections[0].settings.Metrics, connections[0].log); err != nil {
			return func() {}, err
		}
	}
	for _, c := range connections {
		c.exposed = true
		server.Show(&c.metrics)
	}
	if p.served == nil {
		return server.Close, nil
	}
	return func() {
		for _, c := range connections {
			server.Hide(&c.metrics)
		}
	}, nil
}

func (p *program) serveMetrics(address string, log *slog.Logger) (*metrics.Server, error) {
	server, err := metrics.Listen(address, version(), log)
	if err != nil {
		return nil, preflight(fmt.Errorf("%w; give another address with --metrics-addr, or off", err))
	}
	fmt.Fprintln(p.err, "storcon-tui: metrics at "+server.URL())
	return server, nil
}
