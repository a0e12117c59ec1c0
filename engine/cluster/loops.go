package cluster

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// repeat reads, pauses and reads again until ctx ends. pause says how long to
// rest after a read that took so long; luck in [0, 1) is drawn once for each pause. A wake
// has the pause computed anew.
func repeat(ctx context.Context, wake <-chan struct{}, read func(context.Context),
	pause func(luck float64, took time.Duration) time.Duration,
) {
	for ctx.Err() == nil {
		began := time.Now()
		read(ctx)
		ended, luck := time.Now(), luck()
		for ctx.Err() == nil {
			rest := time.Until(ended.Add(pause(luck, ended.Sub(began))))
			if rest <= 0 {
				break
			}
			timer := time.NewTimer(rest)
			select {
			case <-ctx.Done():
			case <-wake:
			case <-timer.C:
			}
			timer.Stop()
		}
	}
}

// pollNodes reads the node list, which feeds everything else.
func (p *Poller) pollNodes(ctx context.Context) {
	failures, read := 0, time.Time{}
	repeat(ctx, p.pace.nodesWake, func(ctx context.Context) {
		read = time.Now()
		if err := p.readNodes(ctx); err != nil {
			failures++
		} else {
			failures = 0
		}
	}, func(luck float64, took time.Duration) time.Duration {
		hot := p.pace.hot(time.Now())
		switch {
		case failures > 0:
			return p.nodesBackoff(failures, hot, read, luck)
		case hot:
			return slowed(p.rates.Hot, took) - took
		}
		// Earlier by up to a tenth, never later: what others do is to be seen within 1.2 s (G7).
		return slowed(jittered(p.rates.Nodes, luck/2), took) - took
	})
}

// nodesBackoff is the pause after failures in a row. A refused token is asked
// with slowly, until it is another one.
func (p *Poller) nodesBackoff(failures int, hot bool, read time.Time, luck float64) time.Duration {
	if client.KindOf(p.Latest().Nodes.Err) == client.Unauthorized {
		if p.pace.tokenChangedSince(read) {
			return 0
		}
		return max(minAuthBackoff, p.rates.backoff(failures+4, luck))
	}
	rest := p.rates.backoff(failures, luck)
	if hot {
		rest = min(rest, maxHotBackoff)
	}
	return rest
}

// RefreshNodes reads the node list now and returns the Snapshot that holds it:
// what is about to be changed is looked at last. A read in flight is waited
// for and does not count, since it may have been answered before the call.
// With an error the Snapshot is the newest one all the same.
func (p *Poller) RefreshNodes(ctx context.Context) (*Snapshot, error) {
	err := p.readNodes(ctx)
	return p.Latest(), err
}

// Look reads the node list and the controller's counters now, side by side, and
// returns the Snapshot that holds both: what others have just begun shows in one
// of them. The error is the list's; that the counters could not be read stands in
// the Snapshot.
func (p *Poller) Look(ctx context.Context) (*Snapshot, error) {
	var counters sync.WaitGroup
	counters.Go(func() { _ = p.readMetrics(ctx) }) // published either way
	err := p.readNodes(ctx)
	counters.Wait()
	return p.Latest(), err
}

// readNodes asks for the node list and publishes what came of it.
func (p *Poller) readNodes(ctx context.Context) error {
	select {
	case p.listing <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-p.listing }()
	list, err := p.askNodes(ctx)
	if err != nil && ctx.Err() != nil {
		return ctx.Err() // our own end is no failure of the controller
	}
	before := p.Latest()
	p.publish(func(b *builder, now time.Time) bool {
		if err != nil {
			return b.nodesFailed(err, now)
		}
		return b.nodes(list, now)
	})
	p.pingReads()
	after := p.Latest()
	if len(after.Nodes.Value) != len(before.Nodes.Value) {
		nudge(p.pace.processesWake) // builds come with the first picture, not a second later
	}
	p.logTurn("node list", before.Nodes.Err, after.Nodes.Err)
	return after.Nodes.Err
}

func (p *Poller) askNodes(ctx context.Context) ([]client.Node, error) {
	ctx, cancel := context.WithTimeout(ctx, p.rates.NodesTimeout)
	defer cancel()
	list, err := p.cfg.Client.Nodes(ctx)
	if err != nil {
		return nil, err
	}
	if p.doubtful(list) {
		if err := p.cfg.Client.Ready(ctx); client.StatusOf(err) == http.StatusServiceUnavailable {
			return nil, fmt.Errorf("controller is still starting, its list of nodes is not to be believed: %w", err)
		}
	}
	return list, nil
}

// doubtful reports a list as a starting controller sends it before it has
// heard from any node: every one is Offline.
func (p *Poller) doubtful(list []client.Node) bool {
	for _, n := range list {
		if n.Availability != client.AvailabilityOffline {
			return false
		}
	}
	return len(list) > 0
}

func (p *Poller) pollMetrics(ctx context.Context) {
	failures, read := 0, time.Time{}
	repeat(ctx, p.pace.metricsWake, func(ctx context.Context) {
		read = time.Now()
		err := p.readMetrics(ctx)
		failures++
		if err == nil {
			failures = 0
		}
		p.pingDeciding()
	}, func(luck float64, took time.Duration) time.Duration {
		every := jittered(p.rates.Metrics, luck)
		snap := p.Latest()
		if failures == 0 && snap.Leader.Value.Since.After(snap.Metrics.At) {
			return 0 // whether the instance that answers still leads
		}
		if leader := snap.Leader; leader.Off != "" && (p.pace.isDeciding() || !leaderAgreed(leader)) {
			every = p.rates.Deciding
			if failures == 0 && p.pace.decidesSince(read) {
				return 0
			}
		}
		if failures > 0 {
			return max(every, p.rates.backoff(failures, luck))
		}
		return slowed(every, took) - took
	})
}

// readMetrics scrapes the controller and publishes what came of it. One scrape
// runs at a time: of two, the older could be taken in last, and calls of ours that
// it does not hold yet would look as if they had never been counted.
func (p *Poller) readMetrics(ctx context.Context) error {
	select {
	case p.scraping <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-p.scraping }()
	m, err := p.cfg.Client.Metrics(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	before := p.Latest().Metrics.Err
	ours := p.cfg.Calls.counts()
	p.publish(func(b *builder, now time.Time) bool {
		if err != nil {
			return b.metricsFailed(err, now)
		}
		return b.metrics(m, ours, now)
	})
	p.logTurn("metrics", before, err)
	return err
}

// pollToken has a loop of its own: a command that makes tokens may take its
// time, and the metrics need none.
func (p *Poller) pollToken(ctx context.Context) {
	if p.cfg.Token == nil {
		return
	}
	repeat(ctx, nil, p.readToken, func(luck float64, _ time.Duration) time.Duration {
		return jittered(p.rates.Metrics, luck)
	})
}

func (p *Poller) readToken(ctx context.Context) {
	view, had := p.cfg.Token(ctx), p.Latest().Token
	if ctx.Err() != nil || view == had {
		return
	}
	p.publish(func(b *builder, now time.Time) bool { return b.token(view, now) })
	if had != (TokenView{}) {
		p.pace.noteTokenChanged(time.Now())
	}
}

// pingDeciding tells whoever is about to decide of a read that brought nothing
// new: that there is nothing new is what is waited for.
func (p *Poller) pingDeciding() {
	if p.pace.isDeciding() {
		p.pingReads()
	}
}

func (p *Poller) pollLeader(ctx context.Context) {
	failures, read := 0, time.Time{}
	repeat(ctx, p.pace.leaderWake, func(ctx context.Context) {
		read = time.Now()
		row, err := p.cfg.Client.Leader(ctx)
		if ctx.Err() != nil {
			return
		}
		before := p.Latest().Leader.Value
		p.publish(func(b *builder, now time.Time) bool {
			if err != nil {
				return b.leaderFailed(err, now)
			}
			return b.leader(row, now)
		})
		leader := p.Latest().Leader
		if leader.Off != "" && !leaderAgreed(leader) || !leader.Value.Same(before) {
			nudge(p.pace.metricsWake) // the start of the process stands in, and is read twice too; or another leads
		}
		p.pingDeciding()
		failures++
		if err == nil {
			failures = 0
		}
	}, func(luck float64, took time.Duration) time.Duration {
		off := p.Latest().Leader.Off != ""
		switch {
		case off && p.pace.tokenChangedSince(read):
			return 0
		case off:
			return jittered(p.rates.Retest, luck)
		case failures == 0 && p.pace.decidesSince(read):
			return 0 // somebody waits for a read that is younger than his question
		}
		every := jittered(p.rates.Leader, luck)
		if p.pace.isDeciding() || !leaderAgreed(p.Latest().Leader) {
			every = p.rates.Deciding
		}
		if failures > 0 {
			return max(every, p.rates.backoff(failures, luck))
		}
		return slowed(every, took) - took
	})
}

// leaderAgreed reports that the last two reads told of the same leader. Before
// that nothing may be decided, so that the second follows soon.
func leaderAgreed(leader Part[Epoch]) bool { return leader.At.After(leader.Value.Since) }

// pollShards reads the watched nodes' shards one after the other: a list may be long.
func (p *Poller) pollShards(ctx context.Context) {
	fleet := fleet[client.NodeID]{
		limit: 1, members: p.pace.watchedShards, wake: p.pace.shardsWake,
		every: func(id client.NodeID, asked time.Time) time.Duration {
			part := p.Latest().Shards[id]
			switch {
			case part.Off != "" && p.pace.tokenChangedSince(asked):
				return 0
			case part.Off != "":
				return p.rates.Retest
			}
			return slower(p.rates.Shards, p.rates.MaxBackoff, part.Since, asked)
		},
		read: func(ctx context.Context, id client.NodeID) {
			got, err := p.cfg.Client.NodeShards(ctx, id)
			if ctx.Err() != nil {
				return
			}
			p.publish(func(b *builder, now time.Time) bool {
				switch {
				case !p.pace.watchesShards(id):
					return b.dropShards(id, now)
				case err != nil:
					return b.shardsFailed(id, err, now)
				}
				return b.shards(id, got.Shards, now)
			})
		},
	}
	fleet.run(ctx)
}

// slower is the interval of something that has failed since then: as long
// again as it has failed, within bounds.
func slower(interval, limit time.Duration, since, asked time.Time) time.Duration {
	if since.IsZero() {
		return interval
	}
	return max(interval, min(limit, asked.Sub(since)))
}

func (p *Poller) pollProcesses(ctx context.Context) {
	if p.cfg.Pageserver == nil {
		return
	}
	fleet := fleet[client.NodeID]{
		limit: maxProcessesInFlight, spacing: p.rates.ProcessSpacing, hurries: p.pace.watchesProcess,
		wake: p.pace.processesWake,
		members: func() []client.NodeID {
			nodes := p.Latest().Nodes.Value
			ids := make([]client.NodeID, len(nodes))
			for i, n := range nodes {
				ids[i] = n.ID
			}
			return ids
		},
		every: func(id client.NodeID, _ time.Time) time.Duration {
			if p.pace.watchesProcess(id) {
				return p.rates.Restarting
			}
			return max(p.rates.Processes, time.Duration(len(p.Latest().Nodes.Value))*p.rates.ProcessSpacing)
		},
		read: func(ctx context.Context, id client.NodeID) {
			node, ok := p.Latest().Node(id)
			if !ok {
				return
			}
			info, err := p.cfg.Pageserver(ctx, node.Node)
			if ctx.Err() != nil {
				return
			}
			p.publish(func(b *builder, now time.Time) bool { return b.process(id, info, err, now) })
		},
	}
	fleet.run(ctx)
}

// logTurn logs the first failure of a row and its end, not every poll.
func (p *Poller) logTurn(what string, before, after error) {
	switch {
	case before == nil && after != nil:
		p.log.Warn("read failed", "part", what, "err", after)
	case before != nil && after == nil:
		p.log.Info("reads are good again", "part", what)
	}
}
