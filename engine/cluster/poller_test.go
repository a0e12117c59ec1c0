package cluster

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
)

func TestRatesAtRest(t *testing.T) {
	f := newFake(node(1), node(2))
	running(t, Config{Client: f}, func(t *testing.T, p *Poller) {
		pass(time.Minute)
		require.InDelta(t, 60, f.count("nodes"), 7)
		require.InDelta(t, 12, f.count("metrics"), 3)
		require.InDelta(t, 12, f.count("leader"), 3)
		require.Zero(t, f.count("shards 1"), "nobody watches")
		require.Zero(t, f.count("ready"), "a good list needs no second question")
	})
}

// T14: an idle watch repaints nothing.
func TestIdleWatchPingsNobody(t *testing.T) {
	f := newFake(node(1))
	running(t, Config{Client: f}, func(t *testing.T, p *Poller) {
		changed, stop := p.Subscribe()
		defer stop()
		reads, stopReads := p.SubscribeReads()
		defer stopReads()
		pass(10 * time.Second)
		taken(changed)
		taken(reads)
		before := p.Latest()

		f.do(func() {
			f.metrics.Requests = []client.RequestCount{{Route: "control_v1_node", Method: "get", Count: 9}}
		})
		pass(20 * time.Second)
		require.False(t, taken(changed), "only ages moved")
		require.True(t, taken(reads))
		require.Equal(t, before.Seq, p.Latest().Seq)
		require.True(t, p.Latest().Nodes.At.After(before.Nodes.At))
		require.True(t, p.Latest().Metrics.At.After(before.Metrics.At))
		require.Empty(t, p.Latest().Events)
	})
}

func TestChangesPingOncePerSubscriberUntilTaken(t *testing.T) {
	f := newFake(node(1))
	running(t, Config{Client: f}, func(t *testing.T, p *Poller) {
		pass(10 * time.Second)
		a, stopA := p.Subscribe()
		b, stopB := p.Subscribe()
		defer stopB()
		for _, policy := range []client.NodePolicy{client.PolicyDraining, client.PolicyPauseForRestart} {
			n := node(1)
			n.Scheduling = policy
			f.setNode(n)
			pass(1200 * time.Millisecond)
		}
		require.True(t, taken(a))
		require.False(t, taken(a), "coalesced")
		require.True(t, taken(b))

		stopA()
		f.setNode(node(1))
		pass(1200 * time.Millisecond)
		require.False(t, taken(a), "cancelled")
		require.True(t, taken(b))
		require.Equal(t, []ChangeKind{PolicyChanged, PolicyChanged, PolicyChanged}, kinds(p.Latest().Events))
		require.Equal(t, "Active", p.Latest().Events[0].To)
	})
}

func TestHotAfterOurCallAndNoLonger(t *testing.T) {
	f, calls := newFake(node(1)), NewCalls()
	running(t, Config{Client: f, Calls: calls}, func(t *testing.T, p *Poller) {
		pass(10 * time.Second)
		before := f.count("nodes")
		calls.Observe(client.Call{Method: "PUT", Path: "/control/v1/node/1/drain", Status: 202})
		pass(5 * time.Second)
		require.InDelta(t, 20, f.count("nodes")-before, 2)
		before = f.count("nodes")
		pass(10 * time.Second)
		require.InDelta(t, 10, f.count("nodes")-before, 2)

		before = f.count("nodes")
		calls.Observe(client.Call{Method: "PUT", Path: "/control/v1/node/1/config", Status: 200, Probe: true})
		for range 50 {
			p.Hot(time.Millisecond)
			synctest.Wait()
		}
		pass(time.Second)
		require.LessOrEqual(t, f.count("nodes")-before, 3, "being asked often does not read more often than hot")
	})
}

// The screen must say within 3 s that the controller is lost, whichever way it
// fell silent (D21).
// Rows: D21.
func TestControllerLostIsVisibleWithinThreeSeconds(t *testing.T) {
	silences := map[string]func(f *fake){
		"refuses": func(f *fake) { f.errs["nodes"] = errRefused },
		"hangs":   func(f *fake) { f.delays["nodes"] = time.Hour },
	}
	for name, silence := range silences {
		t.Run(name, func(t *testing.T) {
			f := newFake(node(1), node(2))
			running(t, Config{Client: f}, func(t *testing.T, p *Poller) {
				pass(10 * time.Second)
				f.do(func() { silence(f) })
				lost := time.Now()
				pass(3 * time.Second)
				s := p.Latest()
				require.Error(t, s.Nodes.Err)
				require.False(t, s.Nodes.Since.After(lost.Add(3*time.Second)))
				require.Len(t, s.Nodes.Value, 2, "the last good picture stays (E23)")

				pass(4 * time.Second)
				require.True(t, p.Latest().Stale(time.Now()))
				require.False(t, p.Latest().Operation(time.Now()).Known)
				require.Equal(t, ControllerLost, p.Latest().Events[0].What)

				f.do(func() { f.errs, f.delays = map[string]error{}, map[string]time.Duration{} })
				pass(18 * time.Second)
				s = p.Latest()
				require.NoError(t, s.Nodes.Err)
				require.True(t, s.Nodes.Since.IsZero())
				require.Equal(t, ControllerBack, s.Events[0].What)
				require.Len(t, s.Events, 2, "one loss is one event and its end")
			})
		})
	}
}

func TestBackoffWhileTheControllerIsAway(t *testing.T) {
	f := newFake(node(1))
	f.errs["nodes"] = errRefused
	running(t, Config{Client: f}, func(t *testing.T, p *Poller) {
		pass(time.Minute)
		before := f.count("nodes")
		pass(5 * time.Minute)
		require.Less(t, f.count("nodes")-before, 80, "a mean of 7.5 s")
		require.Greater(t, f.count("nodes")-before, 19, "15 s at most")
		require.False(t, p.Latest().Nodes.Known())
		require.Empty(t, p.Latest().Nodes.Value)

		before = f.count("nodes")
		p.Hot(10 * time.Second)
		pass(10 * time.Second)
		require.GreaterOrEqual(t, f.count("nodes")-before, 9, "somebody waits for the list")
	})
}

// T8: a refused token is asked with slowly, /metrics needs none and lives on,
// and another token is tried at once.
func TestRefusedTokenIsRetriedSlowlyUntilItChanges(t *testing.T) {
	f := newFake(node(1))
	view := TokenView{Source: "file x", Scope: "infra"}
	cfg := Config{Client: f, Token: func(context.Context) TokenView {
		f.mu.Lock()
		defer f.mu.Unlock()
		return view
	}}
	running(t, cfg, func(t *testing.T, p *Poller) {
		pass(10 * time.Second)
		f.fail("nodes", status(http.StatusUnauthorized))
		pass(5 * time.Second)
		before, scrapes := f.count("nodes"), f.count("metrics")
		pass(time.Minute)
		require.LessOrEqual(t, f.count("nodes")-before, 13)
		require.GreaterOrEqual(t, f.count("nodes")-before, 3)
		require.GreaterOrEqual(t, f.count("metrics")-scrapes, 10)
		require.NoError(t, p.Latest().Metrics.Err)

		f.do(func() { f.errs, view.Expires = map[string]error{}, time.Now().Add(time.Hour) })
		pass(6 * time.Second)
		require.NoError(t, p.Latest().Nodes.Err)
		require.Equal(t, view, p.Latest().Token)
	})
}

// D15, I6: without admin the leader row is off, says why, and the start of the
// process stands in for it.
func TestLeaderOffWithoutAdmin(t *testing.T) {
	f := newFake(node(1))
	f.errs["leader"] = status(http.StatusForbidden)
	f.metrics.ProcessStart = time.Unix(5000, 0)
	running(t, Config{Client: f}, func(t *testing.T, p *Poller) {
		pass(1100 * time.Millisecond)
		require.True(t, leaderAgreed(p.Latest().Leader), "the metrics are read again soon")
		require.Equal(t, 2, f.count("metrics"))
		pass(11 * time.Second)
		leader := p.Latest().Leader
		require.Equal(t, "token lacks scope admin (403 from /control/v1/leader)", leader.Off)
		require.NoError(t, leader.Err)
		require.True(t, p.Latest().LacksAdmin())
		require.True(t, leader.Value.StartedAt.Equal(time.Unix(5000, 0)))
		require.True(t, leader.At.After(leader.Value.Since), "two scrapes agree")
		require.Equal(t, 1, f.count("leader"), "rarely asked again")

		before := f.count("metrics")
		p.Decide(true)
		pass(10 * time.Second)
		require.InDelta(t, 10, f.count("metrics")-before, 1, "decisions need the epoch every second")
		p.Decide(false)

		f.do(func() { f.metrics.ProcessStart = time.Unix(6000, 0) })
		pass(6 * time.Second)
		require.Equal(t, LeaderChanged, p.Latest().Events[0].What)

		f.fail("leader", nil)
		pass(70 * time.Second)
		require.Empty(t, p.Latest().Leader.Off)
		require.Equal(t, "http://c1/", p.Latest().Leader.Value.Address)
		require.Len(t, p.Latest().Events, 1, "reading it another way is no change of leader")
	})
}

// A leader is read twice within two seconds before it is read at rest.
func TestLeaderIsReadAgainUntilTwoReadsAgree(t *testing.T) {
	f := newFake(node(1))
	agreed := func(p *Poller) bool { return leaderAgreed(p.Latest().Leader) }
	running(t, Config{Client: f}, func(t *testing.T, p *Poller) {
		synctest.Wait()
		require.Equal(t, 1, f.count("leader"))
		require.False(t, agreed(p))
		pass(1100 * time.Millisecond)
		require.Equal(t, 2, f.count("leader"))
		require.True(t, agreed(p))
		pass(3 * time.Second)
		require.Equal(t, 2, f.count("leader"), "at rest again")

		f.do(func() { f.leader = &client.Leader{Address: "http://c2/", StartedAt: time.Unix(2000, 0)} })
		before := f.count("leader")
		for f.count("leader") == before {
			pass(100 * time.Millisecond)
		}
		require.False(t, agreed(p), "a new leader, read once")
		pass(1100 * time.Millisecond)
		require.Equal(t, before+2, f.count("leader"))
		require.True(t, agreed(p))
	})
}

// Who is about to decide waits neither for the next second nor for the next node
// list: the leader is read at once, and told of although it is the same.
func TestADecisionHasTheLeaderReadAtOnce(t *testing.T) {
	for _, endpoint := range []string{"leader", "metrics"} {
		f := newFake(node(1))
		if endpoint == "metrics" {
			f.fail("leader", status(http.StatusForbidden))
		}
		running(t, Config{Client: f, Rates: Rates{Nodes: time.Hour}}, func(t *testing.T, p *Poller) {
			pass(12 * time.Second)
			pings, unsubscribe := p.SubscribeReads()
			defer unsubscribe()
			for range 3 {
				p.Decide(false)
				pass(100 * time.Millisecond)
				_ = taken(pings)
				before := f.count(endpoint)
				p.Decide(true)
				synctest.Wait()
				require.Equal(t, before+1, f.count(endpoint), endpoint)
				require.True(t, taken(pings), endpoint)
			}
		})
	}
}

func TestLeaderChangeAndDecisionRate(t *testing.T) {
	f := newFake(node(1))
	running(t, Config{Client: f}, func(t *testing.T, p *Poller) {
		pass(12 * time.Second)
		before := f.count("leader")
		p.Decide(true)
		pass(10 * time.Second)
		require.InDelta(t, 10, f.count("leader")-before, 1)
		require.True(t, p.Latest().Leader.At.After(p.Latest().Leader.Value.Since))

		f.do(func() { f.leader = &client.Leader{Address: "http://c2/", StartedAt: time.Unix(2000, 0)} })
		for before := f.count("leader"); f.count("leader") == before; {
			pass(100 * time.Millisecond)
		}
		leader := p.Latest().Leader
		require.False(t, leader.At.After(leader.Value.Since), "one read of a new leader is not yet two that agree")
		require.Equal(t, LeaderChanged, p.Latest().Events[0].What)
		require.Equal(t, "http://c2/@1970-01-01T00:33:20Z", p.Latest().Events[0].To)

		f.do(func() { f.leader = nil })
		pass(1100 * time.Millisecond)
		require.Contains(t, p.Latest().Leader.Off, "no leader row")
		require.False(t, p.Latest().LacksAdmin())
	})
}

func TestRefreshReadsAfterTheCallBegan(t *testing.T) {
	f := newFake(node(1))
	running(t, Config{Client: f}, func(t *testing.T, p *Poller) {
		pass(10 * time.Second)
		before := f.count("nodes")
		n := node(1)
		n.Scheduling = client.PolicyFilling
		f.setNode(n)
		s, err := p.RefreshNodes(t.Context())
		require.NoError(t, err)
		require.Equal(t, before+1, f.count("nodes"))
		require.Equal(t, client.PolicyFilling, s.Nodes.Value[0].Scheduling)
		require.Same(t, p.Latest(), s)

		f.do(func() { f.delays["nodes"] = time.Second })
		pass(1500 * time.Millisecond) // a read is in flight
		before = f.count("nodes")
		_, err = p.RefreshNodes(t.Context())
		require.NoError(t, err)
		require.GreaterOrEqual(t, f.count("nodes"), before+1)
		require.Equal(t, 1, f.most["nodes"], "one request in flight")

		f.fail("nodes", errRefused)
		s, err = p.RefreshNodes(t.Context())
		require.ErrorIs(t, err, errRefused)
		require.Len(t, s.Nodes.Value, 1)

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = p.RefreshNodes(ctx)
		require.ErrorIs(t, err, context.Canceled)
	})
}

// A controller that starts lists every node as Offline before it has heard
// from one; X1 must not halt a run for that.
func TestListOfAStartingControllerIsNotBelieved(t *testing.T) {
	f := newFake(node(1), node(2))
	running(t, Config{Client: f}, func(t *testing.T, p *Poller) {
		pass(10 * time.Second)
		f.fail("ready", status(http.StatusServiceUnavailable))
		for _, id := range []client.NodeID{1, 2} {
			n := node(id)
			n.Availability = client.AvailabilityOffline
			f.setNode(n)
		}
		pass(1200 * time.Millisecond)
		require.ErrorContains(t, p.Latest().Nodes.Err, "still starting")
		require.Equal(t, client.AvailabilityActive, p.Latest().Nodes.Value[0].Availability)

		f.fail("ready", nil) // N25: they really are Offline
		pass(20 * time.Second)
		require.NoError(t, p.Latest().Nodes.Err)
		require.Equal(t, client.AvailabilityOffline, p.Latest().Nodes.Value[0].Availability)
	})
}

func TestRunIsForOnce(t *testing.T) {
	p := New(Config{Client: newFake()})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, p.Run(ctx))
	require.Error(t, p.Run(ctx))
	require.NotNil(t, p.Latest())
	require.NoError(t, p.Latest().Nodes.Err, "our own end is no failure of the controller")
}
