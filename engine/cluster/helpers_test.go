package cluster

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/StorconTUI/storcon-tui/client"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errRefused = errors.New("connection refused")

// fake is a controller whose answers a test can change at any moment.
type fake struct {
	mu      sync.Mutex
	list    []client.Node
	metrics client.Metrics
	shards  []client.ShardLocation
	leader  *client.Leader
	errs    map[string]error         // by endpoint
	delays  map[string]time.Duration // by endpoint
	asked   map[string][]time.Time
	busy    map[string]int
	most    map[string]int // in flight at once, by endpoint
}

func newFake(nodes ...client.Node) *fake {
	return &fake{
		list: nodes, metrics: client.Metrics{Leadership: "leader"},
		leader: &client.Leader{Address: "http://c1/", StartedAt: time.Unix(1000, 0)},
		errs:   map[string]error{}, delays: map[string]time.Duration{},
		asked: map[string][]time.Time{}, busy: map[string]int{}, most: map[string]int{},
	}
}

func node(id client.NodeID) client.Node {
	az := "az-a"
	return client.Node{
		ID: id, Availability: client.AvailabilityActive, Scheduling: client.PolicyActive,
		AvailabilityZone: &az, ListenHTTPAddr: "ps", ListenHTTPPort: int(id),
	}
}

func (f *fake) do(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

func (f *fake) fail(endpoint string, err error) { f.do(func() { f.errs[endpoint] = err }) }

func (f *fake) setNode(n client.Node) {
	f.do(func() {
		list := append([]client.Node(nil), f.list...)
		for i := range list {
			if list[i].ID == n.ID {
				list[i] = n
			}
		}
		f.list = list
	})
}

// count is how often an endpoint was asked.
func (f *fake) count(endpoint string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.asked[endpoint])
}

func (f *fake) ask(ctx context.Context, endpoint string) error {
	f.mu.Lock()
	f.asked[endpoint] = append(f.asked[endpoint], time.Now())
	f.busy[endpoint]++
	f.most[endpoint] = max(f.most[endpoint], f.busy[endpoint])
	delay := f.delays[endpoint]
	f.mu.Unlock()
	select {
	case <-ctx.Done():
	case <-time.After(delay):
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.busy[endpoint]--
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return f.errs[endpoint]
}

func (f *fake) Nodes(ctx context.Context) ([]client.Node, error) {
	if err := f.ask(ctx, "nodes"); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.list, nil
}

func (f *fake) NodeShards(ctx context.Context, id client.NodeID) (client.NodeShards, error) {
	if err := f.ask(ctx, "shards "+id.String()); err != nil {
		return client.NodeShards{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return client.NodeShards{NodeID: id, Shards: f.shards}, nil
}

func (f *fake) Leader(ctx context.Context) (*client.Leader, error) {
	if err := f.ask(ctx, "leader"); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.leader, nil
}

func (f *fake) Metrics(ctx context.Context) (client.Metrics, error) {
	if err := f.ask(ctx, "metrics"); err != nil {
		return client.Metrics{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.metrics, nil
}

func (f *fake) Ready(ctx context.Context) error { return f.ask(ctx, "ready") }

func status(code int) error {
	kind := client.Refused
	if code == http.StatusUnauthorized || code == http.StatusForbidden {
		kind = client.Unauthorized
	}
	return &client.Error{Kind: kind, Status: code, Method: "GET", Path: "/x"}
}

// running runs a Poller in a bubble of its own time, and ends it.
func running(t *testing.T, cfg Config, test func(t *testing.T, p *Poller)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := New(cfg)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- p.Run(ctx) }()
		synctest.Wait()
		test(t, p)
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
}

// pass lets time pass and everything that it sets going come to rest.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func taken(ping <-chan struct{}) bool {
	select {
	case <-ping:
		return true
	default:
		return false
	}
}

func kinds(changes []Change) []ChangeKind {
	var got []ChangeKind
	for _, c := range changes {
		got = append(got, c.What)
	}
	return got
}
