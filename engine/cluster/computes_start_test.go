package cluster

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
)

const tenantA, tenantB = "3aa9bd1c0a4f4c0e9b6d2f7715c08e41", "77b1aa1c0a4f4c0e9b6d2f7715c002cc"

// endpoint is a compute whose answers a test can change at any moment.
type endpoint struct {
	*fake
	status  compute.Status
	startup compute.Startup
}

func newEndpoint(f *fake, state compute.State, tenant string) *endpoint {
	started := time.Unix(1000, 0)
	e := &endpoint{fake: f, status: compute.Status{State: state, StartTime: &started}}
	if tenant != "" {
		e.status.Tenant = &tenant
	}
	return e
}

func (e *endpoint) source(name string) ComputeSource {
	return ComputeSource{
		Name: name, URL: "http://" + name,
		Fetch: func(ctx context.Context) (compute.Status, error) {
			if err := e.ask(ctx, "status "+name); err != nil {
				return compute.Status{}, err
			}
			e.mu.Lock()
			defer e.mu.Unlock()
			return e.status, nil
		},
		Startup: func(ctx context.Context) (compute.Startup, error) {
			if err := e.ask(ctx, "startup "+name); err != nil {
				return compute.Startup{}, err
			}
			e.mu.Lock()
			defer e.mu.Unlock()
			return e.startup, nil
		},
	}
}

// What a start took is asked for once, after it is over; another start is asked for
// anew; and while one goes on only if somebody watches.
func TestStartupIsReadOncePerStart(t *testing.T) {
	f := newFake(node(1))
	e := newEndpoint(f, compute.StateInit, "")
	e.startup = compute.Startup{WaitForSpec: 5}
	running(t, Config{Client: f, Computes: []ComputeSource{e.source("ep")}}, func(t *testing.T, p *Poller) {
		pass(10 * time.Second)
		require.Zero(t, f.count("startup ep"), "nobody looks at a start that goes on")
		release := p.WatchCompute("ep")
		pass(10 * time.Second)
		require.Equal(t, int64(5), p.Latest().Computes[0].Startup.Value.WaitForSpec)
		release()

		f.do(func() { e.status.State, e.startup.Total = compute.StateRunning, 700 })
		pass(5 * time.Second)
		read := f.count("startup ep")
		require.Equal(t, int64(700), p.Latest().Computes[0].Startup.Value.Total)
		pass(time.Minute)
		defer p.WatchCompute("ep")()
		pass(time.Minute)
		require.Equal(t, read, f.count("startup ep"), "it does not change any more")

		f.do(func() { e.status.State = compute.StateFailed })
		pass(time.Minute)
		require.Equal(t, read, f.count("startup ep"), "a failed reconfiguration is no start")

		again := time.Unix(2000, 0)
		f.do(func() { e.status.StartTime, e.startup.Total = &again, 0 })
		pass(5 * time.Second)
		require.Equal(t, read+1, f.count("startup ep"))
		require.Zero(t, p.Latest().Computes[0].Startup.Value.Total)
	})
}

// A compute without these figures is not asked all the time, and its status is
// known all the same.
func TestStartupThatCannotBeRead(t *testing.T) {
	f := newFake(node(1))
	e := newEndpoint(f, compute.StateRunning, "")
	f.fail("startup ep", errors.New("no such route"))
	running(t, Config{Client: f, Computes: []ComputeSource{e.source("ep")}}, func(t *testing.T, p *Poller) {
		pass(2 * time.Minute)
		require.InDelta(t, 4, f.count("startup ep"), 1)
		require.Equal(t, compute.StateRunning, p.Latest().Computes[0].Status.Value.State)
		require.EqualError(t, p.Latest().Computes[0].Startup.Err, "no such route")
		f.do(func() { f.errs, f.delays = map[string]error{}, map[string]time.Duration{"startup ep": time.Hour} })
		pass(time.Minute)
		require.ErrorIs(t, p.Latest().Computes[0].Startup.Err, context.DeadlineExceeded)
	})
}

func TestStatusesSeenAreKeptAndBounded(t *testing.T) {
	f := newFake(node(1))
	e := newEndpoint(f, compute.StateInit, "")
	running(t, Config{Client: f, Computes: []ComputeSource{e.source("ep")}}, func(t *testing.T, p *Poller) {
		states := func() (seen []compute.State) {
			for _, s := range p.Latest().Computes[0].Seen {
				seen = append(seen, s.State)
			}
			return seen
		}
		pass(5 * time.Second)
		f.do(func() { e.status.State = compute.StateFailed })
		pass(5 * time.Second)
		first := p.Latest().Computes[0].Seen
		f.fail("status ep", errRefused)
		pass(5 * time.Second)
		f.fail("status ep", nil)
		f.do(func() { e.status.State = "hibernating" })
		pass(30 * time.Second)
		require.Equal(t, []compute.State{"init", "failed", "", "hibernating"}, states())
		require.Len(t, first, 2, "what was published is not written to")
		for i := range 2 * SeenMax {
			f.do(func() { e.status.State = compute.State(fmt.Sprint("state ", i)) })
			pass(5 * time.Second)
		}
		require.Len(t, states(), SeenMax)
		require.Equal(t, compute.State(fmt.Sprint("state ", 2*SeenMax-1)), states()[SeenMax-1])
	})
}

// A compute that is watched is asked at the full pace even while it is away.
func TestWatchedComputeIsAskedAtTheFullPace(t *testing.T) {
	f := newFake(node(1))
	e := newEndpoint(f, compute.StateRunning, "")
	f.fail("status ep", errRefused)
	running(t, Config{Client: f, Computes: []ComputeSource{e.source("ep")}}, func(t *testing.T, p *Poller) {
		pass(3 * time.Minute)
		before := f.count("status ep")
		pass(time.Minute)
		require.LessOrEqual(t, f.count("status ep")-before, 5, "it is backed off from")
		release := p.WatchCompute("ep")
		before = f.count("status ep")
		pass(time.Minute)
		require.InDelta(t, 28, f.count("status ep")-before, 4)
		release()
		before = f.count("status ep")
		pass(time.Minute)
		require.LessOrEqual(t, f.count("status ep")-before, 5)
	})
}

// With many computes each is read less often, so that together they cost no more than
// a hundred requests a second; the one that is looked at is read as often as ever.
func TestManyComputesAreReadLessOftenEach(t *testing.T) {
	const many = 400
	f := newFake(node(1))
	e := newEndpoint(f, compute.StateRunning, "")
	sources := make([]ComputeSource, many)
	for i := range sources {
		sources[i] = ComputeSource{Name: fmt.Sprint("ep-", i), Fetch: func(ctx context.Context) (compute.Status, error) {
			return e.status, f.ask(ctx, "any")
		}}
	}
	sources[0] = e.source("ep-0")
	running(t, Config{Client: f, Computes: sources}, func(t *testing.T, p *Poller) {
		defer p.WatchCompute("ep-0")()
		pass(time.Second)
		require.Equal(t, many-1, f.count("any"), "each once at the start")
		pass(20 * time.Second)
		require.LessOrEqual(t, f.count("any"), many+100*20)
		require.GreaterOrEqual(t, f.count("any"), many+70*20)
		require.LessOrEqual(t, f.most["any"], maxComputesInFlight)
		require.InDelta(t, 10, f.count("status ep-0"), 2)
	})
}

// tenants answers for the controller.
func tenants(f *fake, shards map[client.TenantID][]client.TenantShard) func(context.Context, client.TenantID) (client.Tenant, error) {
	return func(ctx context.Context, id client.TenantID) (client.Tenant, error) {
		if err := f.ask(ctx, "tenants"); err != nil {
			return client.Tenant{}, err
		}
		if err := f.ask(ctx, "tenant "+string(id)); err != nil {
			return client.Tenant{}, err
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		return client.Tenant{ID: id, Shards: shards[id]}, nil
	}
}

func on(id client.TenantShardID, n client.NodeID) client.TenantShard {
	return client.TenantShard{ID: id, NodeAttached: &n}
}

// The nodes that a compute depends on come from the controller, one tenant a second
// at most however many computes there are, each tenant once.
func TestTenantsOfComputes(t *testing.T) {
	f := newFake(node(1), node(2))
	a, b := newEndpoint(f, compute.StateRunning, tenantA), newEndpoint(f, compute.StateRunning, tenantB)
	same, empty := newEndpoint(f, compute.StateFailed, tenantA), newEndpoint(f, compute.StateEmpty, "")
	odd := newEndpoint(f, compute.StateRunning, "../../node/1/drain")
	placed := map[client.TenantID][]client.TenantShard{
		tenantA: {on(tenantA+"-0002", 1), on(tenantA+"-0102", 2)}, tenantB: {on(tenantB, 2)},
	}
	cfg := Config{Client: f, Tenant: tenants(f, placed), Computes: []ComputeSource{
		a.source("a"), b.source("b"), same.source("same"), empty.source("empty"), odd.source("odd"),
	}}
	names := func(s *Snapshot, id client.NodeID) (list []string) {
		on, _ := s.ComputesOn(id)
		for _, c := range on {
			list = append(list, c.Name)
		}
		return list
	}
	running(t, cfg, func(t *testing.T, p *Poller) {
		_, unknown := p.Latest().ComputesOn(1)
		require.NotZero(t, unknown)
		pass(5 * time.Second)
		require.Equal(t, []string{"a", "same"}, names(p.Latest(), 1))
		require.Equal(t, []string{"a", "b", "same"}, names(p.Latest(), 2))
		_, unknown = p.Latest().ComputesOn(1)
		require.Zero(t, unknown)
		pass(5 * time.Minute)
		require.InDelta(t, 5, f.count("tenant "+tenantA), 1)
		require.Equal(t, f.count("tenants"), f.count("tenant "+tenantA)+f.count("tenant "+tenantB), "and nothing else is asked for")
		last := time.Time{}
		for _, at := range f.asked["tenants"] {
			require.True(t, last.IsZero() || at.Sub(last) >= tenantSpacing, "%s after %s", at, last)
			last = at
		}

		moved := on(tenantB, 1)
		moved.IsPendingComputeNotification = true
		f.do(func() { placed[tenantB] = []client.TenantShard{moved} })
		defer p.WatchCompute("b")()
		pass(3 * time.Second)
		require.Equal(t, []string{"a", "b", "same"}, names(p.Latest(), 1), "one that is looked at is asked for often")
		require.True(t, p.Latest().NotificationPending(&p.Latest().Computes[1]))
		require.False(t, p.Latest().NotificationPending(&p.Latest().Computes[0]))
		require.False(t, p.Latest().NotificationPending(&p.Latest().Computes[3]))

		f.do(func() { b.status.Tenant = nil })
		pass(70 * time.Second)
		require.NotContains(t, p.Latest().Tenants, client.TenantID(tenantB), "no compute has it any more")
	})
}

// Without the scope nothing is asked in vain, and why is said of every tenant.
func TestTenantsWithoutTheScope(t *testing.T) {
	f := newFake(node(1))
	a, b := newEndpoint(f, compute.StateRunning, tenantA), newEndpoint(f, compute.StateRunning, tenantB)
	f.fail("tenants", status(403))
	cfg := Config{Client: f, Tenant: tenants(f, nil), Computes: []ComputeSource{a.source("a"), b.source("b")}}
	running(t, cfg, func(t *testing.T, p *Poller) {
		pass(5 * time.Minute)
		require.InDelta(t, 5, f.count("tenants"), 1)
		for _, id := range []client.TenantID{tenantA, tenantB} {
			require.Contains(t, p.Latest().Tenants[id].Off, "token lacks scope admin")
		}
		f.fail("tenants", nil)
		pass(2 * time.Minute)
		require.Empty(t, p.Latest().Tenants[tenantA].Off)
	})
}

// While the controller is away it is asked less often; an answer that the tenant is
// unknown holds up no other.
func TestTenantsOfALostController(t *testing.T) {
	f := newFake(node(1))
	a, b := newEndpoint(f, compute.StateRunning, tenantA), newEndpoint(f, compute.StateRunning, tenantB)
	f.fail("tenants", errRefused)
	cfg := Config{Client: f, Tenant: tenants(f, nil), Computes: []ComputeSource{a.source("a"), b.source("b")}}
	running(t, cfg, func(t *testing.T, p *Poller) {
		pass(5 * time.Minute)
		require.LessOrEqual(t, f.count("tenants"), 60)
		require.ErrorIs(t, p.Latest().Tenants[tenantA].Err, errRefused)
		f.fail("tenants", nil)
		f.fail("tenant "+tenantA, status(404))
		pass(time.Minute)
		require.Error(t, p.Latest().Tenants[tenantA].Err)
		require.True(t, p.Latest().Tenants[tenantB].Known())
	})
}
