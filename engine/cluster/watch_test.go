package cluster

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/client/pageserver"
)

func TestWatchedShards(t *testing.T) {
	attached, secondary := false, true
	f := newFake(node(1))
	f.shards = []client.ShardLocation{
		{ID: "a", ObservedSecondary: &attached, IntendedSecondary: &attached},
		{ID: "b", ObservedSecondary: &attached, IntendedSecondary: &secondary},
		{ID: "c", IntendedSecondary: &attached},
		{ID: "d", ObservedSecondary: &secondary, IntendedSecondary: &secondary},
	}
	running(t, Config{Client: f}, func(t *testing.T, p *Poller) {
		release, second := p.WatchShards(1), p.WatchShards(1)
		synctest.Wait()
		counts := p.Latest().Shards[1].Value
		require.Equal(t, [4]int{2, 2, 2, 1}, [4]int{counts.Intended, counts.Observed, counts.Moving, counts.Secondary})
		pass(time.Minute)
		require.LessOrEqual(t, f.count("shards 1"), 31, "at most every 2 s")
		require.GreaterOrEqual(t, f.count("shards 1"), 24)

		release()
		release()
		pass(5 * time.Second)
		require.Contains(t, p.Latest().Shards, client.NodeID(1), "the other watcher is still there")
		f.fail("shards 1", status(http.StatusForbidden))
		pass(5 * time.Second)
		require.Equal(t, "token lacks scope admin (403 from /control/v1/node/1/shards)", p.Latest().Shards[1].Off)

		second()
		require.NotContains(t, p.Latest().Shards, client.NodeID(1))
		before := f.count("shards 1")
		pass(time.Minute)
		require.Equal(t, before, f.count("shards 1"))
	})
}

func TestRestartSeenByItsLaunchTime(t *testing.T) {
	f := newFake(node(1))
	launch := time.Unix(0, 0).Add(time.Hour)
	info := pageserver.Info{Launch: launch, LaunchMillis: launch.UnixMilli(), Build: client.Build{Tag: "build_tag:8123"}}
	var down error
	asked := 0
	cfg := Config{Client: f, Pageserver: func(context.Context, client.Node) (pageserver.Info, error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		asked++
		return info, down
	}}
	running(t, cfg, func(t *testing.T, p *Poller) {
		pass(time.Minute)
		require.InDelta(t, 4, asked, 1)
		require.Equal(t, info, p.Latest().Nodes.Value[0].Process.Value)
		require.Empty(t, p.Latest().Events)

		release := p.WatchProcess(1)
		defer release()
		pass(5 * time.Second)
		f.do(func() { asked = 0 })
		pass(20 * time.Second)
		require.InDelta(t, 9, asked, 1)

		f.do(func() { down = errRefused })
		pass(10 * time.Second)
		require.ErrorIs(t, p.Latest().Nodes.Value[0].Process.Err, errRefused)
		f.do(func() {
			down, launch = nil, time.Now()
			info = pageserver.Info{Launch: launch, LaunchMillis: launch.UnixMilli(), Build: client.Build{Revision: "git:abc"}}
		})
		pass(3 * time.Second)
		event := p.Latest().Events[0]
		require.Equal(t, Restarted, event.What)
		require.Equal(t, [2]string{"8123", "abc"}, [2]string{event.From, event.To})
		require.InDelta(t, 9, event.Down.Seconds(), 1.5)
	})
}

func TestComputes(t *testing.T) {
	const many = 50
	f := newFake(node(1))
	state := compute.StateRunning
	sources := make([]ComputeSource, many)
	for i := range sources {
		sources[i] = ComputeSource{Name: fmt.Sprintf("ep-%d", i), Fetch: func(ctx context.Context) (compute.Status, error) {
			if err := f.ask(ctx, "compute"); err != nil {
				return compute.Status{}, err
			}
			f.mu.Lock()
			defer f.mu.Unlock()
			return compute.Status{State: state}, nil
		}}
	}
	f.delays["compute"] = 100 * time.Millisecond
	running(t, Config{Client: f, Computes: sources}, func(t *testing.T, p *Poller) {
		pass(20 * time.Second)
		require.Equal(t, maxComputesInFlight, f.most["compute"])
		require.InDelta(t, 9*many, f.count("compute"), 2*many)
		require.True(t, p.Latest().Computes[0].Since.IsZero(), "it was so when the console first looked")

		f.do(func() { state = compute.StateFailed })
		pass(3 * time.Second)
		require.Len(t, p.Latest().Events, many)
		require.Equal(t, Change{
			At: p.Latest().Events[0].At, What: ComputeStatusChanged, Name: p.Latest().Events[0].Name, From: "running", To: "failed", Attached: -1,
		}, p.Latest().Events[0])
		require.False(t, p.Latest().Computes[0].Since.IsZero())

		f.fail("compute", errRefused)
		pass(2 * time.Minute)
		before := f.count("compute")
		pass(time.Minute)
		require.Less(t, f.count("compute")-before, 5*many, "one that is away is asked less and less")
		require.Equal(t, compute.StateFailed, p.Latest().Computes[0].Status.Value.State, "the last answer stays")
	})
}

// A token command that hangs holds up nothing that needs no token.
func TestSlowTokenSourceDelaysNothingElse(t *testing.T) {
	f := newFake(node(1))
	cfg := Config{Client: f, Token: func(ctx context.Context) TokenView {
		<-ctx.Done()
		return TokenView{}
	}}
	running(t, cfg, func(t *testing.T, p *Poller) {
		pass(time.Minute)
		require.InDelta(t, 12, f.count("metrics"), 3)
		require.InDelta(t, 60, f.count("nodes"), 7)
	})
}

// X13: a slow controller is asked less often, and never so rarely that a good
// list counts as stale.
// Rows: X13.
func TestSlowControllerIsSpared(t *testing.T) {
	f := newFake(node(1))
	f.delays["nodes"] = time.Second
	running(t, Config{Client: f}, func(t *testing.T, p *Poller) {
		pass(time.Minute)
		require.InDelta(t, 20, f.count("nodes"), 2, "a third of its time")
		p.Hot(time.Minute)
		for range 60 {
			pass(time.Second)
			require.False(t, p.Latest().Stale(time.Now()))
		}
	})
}

// With many pageservers each is read less often, so that together they cost
// no more than ten requests a second.
func TestManyPageserversAreReadLessOftenEach(t *testing.T) {
	var nodes []client.Node
	for id := range client.NodeID(500) {
		nodes = append(nodes, node(id+1))
	}
	f := newFake(nodes...)
	cfg := Config{Client: f, Pageserver: func(ctx context.Context, _ client.Node) (pageserver.Info, error) {
		return pageserver.Info{LaunchMillis: 1}, f.ask(ctx, "process")
	}}
	running(t, cfg, func(t *testing.T, p *Poller) {
		pass(10 * time.Second)
		require.Equal(t, 500, f.count("process"), "each once at the start")
		pass(5 * time.Minute)
		require.LessOrEqual(t, f.count("process"), 500+10*300)
		require.GreaterOrEqual(t, f.count("process"), 500+7*300)
		require.LessOrEqual(t, f.most["process"], maxProcessesInFlight)
	})
}
