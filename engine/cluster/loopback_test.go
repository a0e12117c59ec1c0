package cluster_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/client/pageserver"
	"github.com/StorconTUI/storcon-tui/demo/server"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
)

// rig is a Poller on a fake cluster, over real HTTP.
type rig struct {
	t      *testing.T
	server *server.Server
	client *client.Client
	calls  *cluster.Calls
	poller *cluster.Poller
	pings  <-chan struct{}
}

func start(t *testing.T, o server.Options, scope string) *rig {
	t.Helper()
	fake, err := server.Start(t.Context(), o)
	require.NoError(t, err)
	r := &rig{t: t, server: fake, calls: cluster.NewCalls()}
	cfg := client.Config{BaseURL: fake.ControllerURL(), OnSend: r.calls.Sent, OnCall: r.calls.Observe}
	if scope != "" {
		t.Setenv("STORCON_TEST_TOKEN", fake.Token(scope))
		cfg.Token = client.EnvToken("STORCON_TEST_TOKEN")
	}
	r.client, err = client.New(cfg)
	require.NoError(t, err)
	r.poller = cluster.New(cluster.Config{
		Client: r.client.WithoutRetries(), Calls: r.calls,
		Pageserver: func(ctx context.Context, n client.Node) (pageserver.Info, error) {
			c, err := pageserver.ForNode(n, nil)
			if err != nil {
				return pageserver.Info{}, err
			}
			defer c.CloseIdle()
			return c.Fetch(ctx)
		},
		Computes: r.computes(), Tenant: r.client.Tenant,
		Rates: cluster.Rates{Metrics: 300 * time.Millisecond, Processes: 300 * time.Millisecond, MaxBackoff: time.Second},
	})
	var cancelPings func()
	r.pings, cancelPings = r.poller.SubscribeReads()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.poller.Run(ctx) }()
	t.Cleanup(func() {
		cancelPings()
		cancel()
		require.NoError(t, <-ended)
		r.client.CloseIdle()
		require.NoError(t, fake.Close())
	})
	return r
}

func (r *rig) computes() []cluster.ComputeSource {
	var sources []cluster.ComputeSource
	for _, info := range r.server.Computes() {
		c, err := compute.New(client.Config{BaseURL: info.URL})
		require.NoError(r.t, err)
		r.t.Cleanup(c.CloseIdle)
		sources = append(sources, cluster.ComputeSource{Name: info.Name, URL: info.URL, Fetch: c.Status, Startup: c.Startup})
	}
	return sources
}

const patience = 30 * time.Second

// until waits for a picture that shows something.
func (r *rig) until(what string, shows func(*cluster.Snapshot) bool) *cluster.Snapshot {
	r.t.Helper()
	limit := time.After(patience)
	for {
		if s := r.poller.Latest(); shows(s) {
			return s
		}
		select {
		case <-r.pings:
		case <-limit:
			r.t.Fatalf("never seen: %s; last %+v", what, r.poller.Latest())
		}
	}
}

func (r *rig) admin(path string) {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, r.server.AdminURL()+path, nil)
	require.NoError(r.t, err)
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	require.NoError(r.t, err)
	require.NoError(r.t, resp.Body.Close())
	require.Equal(r.t, http.StatusOK, resp.StatusCode, path)
}

func saw(s *cluster.Snapshot, what cluster.ChangeKind, node client.NodeID) bool {
	for _, c := range s.Events {
		if c.What == what && c.Node == node {
			return true
		}
	}
	return false
}

func TestDrainAndRestartOverLoopback(t *testing.T) {
	r := start(t, server.Options{Nodes: 4, Seed: 7, Speed: 20, Tenants: 40, Computes: 2}, "")
	s := r.until("everything read once", func(s *cluster.Snapshot) bool {
		ready := s.Nodes.Known() && s.Metrics.Known() && s.Leader.Known()
		for _, n := range s.Nodes.Value {
			ready = ready && n.Settled() && n.Attached >= 0 && n.Process.Known()
		}
		for _, c := range s.Computes {
			ready = ready && c.Status.Known()
		}
		return ready
	})
	require.Len(t, s.Nodes.Value, 4)
	require.Empty(t, s.Events)

	release := r.poller.WatchShards(1)
	defer release()
	require.NoError(t, r.client.StartDrain(t.Context(), 1))
	s = r.until("drained", func(s *cluster.Snapshot) bool {
		n, _ := s.Node(1)
		return n.Scheduling == client.PolicyPauseForRestart && s.Shards[1].Known()
	})
	require.True(t, saw(s, cluster.PolicyChanged, 1))

	r.admin("/demo/nodes/1/restart?down=500ms&build=rel-2")
	s = r.until("restarted and back", func(s *cluster.Snapshot) bool {
		n, _ := s.Node(1)
		return saw(s, cluster.Restarted, 1) && n.Settled()
	})
	n, _ := s.Node(1)
	require.Equal(t, "rel-2", cluster.BuildName(n.Process.Value.Build))
	require.False(t, saw(s, cluster.ForeignCalls, 0), "the drain was ours")
}

// D15, D21: what a token of scope infra turns off, and a controller that goes away.
func TestInfraTokenAndLostControllerOverLoopback(t *testing.T) {
	r := start(t, server.Options{Nodes: 2, Speed: 20, Tenants: 5, Computes: -1, Auth: true}, "infra")
	release := r.poller.WatchShards(1)
	defer release()
	s := r.until("scopes told", func(s *cluster.Snapshot) bool {
		return s.Nodes.Known() && s.Leader.Off != "" && s.Leader.Known() && s.Shards[1].Off != ""
	})
	require.Equal(t, "token lacks scope admin (403 from /control/v1/leader)", s.Leader.Off)
	require.True(t, s.LacksAdmin())

	r.admin("/demo/controller/kill")
	began := time.Now()
	s = r.until("lost", func(s *cluster.Snapshot) bool { return s.Nodes.Err != nil })
	require.Less(t, time.Since(began), 3*time.Second)
	require.Equal(t, client.Unreachable, client.KindOf(s.Nodes.Err))
	require.Len(t, s.Nodes.Value, 2)
	r.until("loss told", func(s *cluster.Snapshot) bool { return saw(s, cluster.ControllerLost, 0) })

	r.admin("/demo/controller/start")
	s = r.until("back, with another epoch", func(s *cluster.Snapshot) bool {
		return s.Nodes.Err == nil && saw(s, cluster.ControllerBack, 0) && saw(s, cluster.LeaderChanged, 0)
	})
	require.False(t, saw(s, cluster.AvailabilityChanged, 1), "a starting controller is not believed")
}

func BenchmarkPollOf500Nodes(b *testing.B) {
	const nodes = 500
	fake, err := server.Start(b.Context(), server.Options{Nodes: nodes, AZs: 3, Tenants: -1, Computes: -1})
	require.NoError(b, err)
	c, err := client.New(client.Config{BaseURL: fake.ControllerURL()})
	require.NoError(b, err)
	defer func() {
		c.CloseIdle()
		require.NoError(b, fake.Close())
	}()
	p := cluster.New(cluster.Config{Client: c.WithoutRetries()})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.RefreshNodes(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(nodes, "nodes")
	require.Len(b, p.Latest().Nodes.Value, nodes)
}
