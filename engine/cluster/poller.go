package cluster

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/pageserver"
)

// Controller is what the Poller asks of a storage controller; *client.Client
// is one. Hand over one that does not retry (client.WithoutRetries): the Poller
// reads again anyway, and a retry inside a read hides the loss of the controller.
type Controller interface {
	Nodes(ctx context.Context) ([]client.Node, error)
	NodeShards(ctx context.Context, id client.NodeID) (client.NodeShards, error)
	Leader(ctx context.Context) (*client.Leader, error)
	Metrics(ctx context.Context) (client.Metrics, error)
	Ready(ctx context.Context) error
}

var _ Controller = (*client.Client)(nil)

// Config is what a Poller needs.
type Config struct {
	Client   Controller
	Identity Identity
	// Pageserver asks one pageserver for its launch time and build; nil = off.
	Pageserver func(context.Context, client.Node) (pageserver.Info, error)
	Computes   []ComputeSource // before Discover has answered, or for good
	// Tenant asks the controller for one tenant, so that the nodes are known which a
	// compute depends on; nil = off.
	Tenant func(context.Context, client.TenantID) (client.Tenant, error)
	// Discover lists the computes that there are. With an error the list is what is
	// still believed. nil = Computes are all.
	Discover func(context.Context) ([]ComputeSource, error)
	// Alerts names the alerts that fire, in somebody else's monitoring; nil = none
	// is configured.
	Alerts func(context.Context) ([]string, error)
	// Token says what can be said of the token in use; nil = nothing. It is called
	// at the pace of the metrics and may take its time.
	Token func(context.Context) TokenView
	// Calls are the requests that this process sends, so that those of others
	// can be told. Its Sent and Observe belong into client.Config's OnSend and
	// OnCall. nil = none.
	Calls  *Calls
	Rates  Rates
	Logger *slog.Logger // nil = nothing is logged
}

// Poller reads a cluster at the rates of Rates and publishes Snapshots. All
// methods are safe for use by several goroutines, before, while and after Run.
type Poller struct {
	cfg    Config
	rates  Rates
	log    *slog.Logger
	latest atomic.Pointer[Snapshot]
	pace   *pace

	sources computeSources

	listing  chan struct{} // held while the node list is asked for
	scraping chan struct{} // held while the metrics are

	mu      sync.Mutex
	build   *builder
	changed subscribers // told when Seq has grown
	reads   subscribers // told after every read of the node list
}

// New prepares a Poller; it sends nothing.
func New(cfg Config) *Poller {
	if cfg.Calls == nil {
		cfg.Calls = NewCalls()
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	p := &Poller{
		cfg: cfg, rates: cfg.Rates.orDefaults(), log: cfg.Logger,
		pace:    newPace(),
		listing: make(chan struct{}, 1), scraping: make(chan struct{}, 1),
		build: newBuilder(cfg.Identity, cfg.Computes, time.Now()),
	}
	p.sources.set(cfg.Computes)
	if cfg.Discover != nil {
		p.build.cur.Discovery = &Part[int]{}
	}
	if cfg.Alerts != nil {
		p.build.cur.Alerts = &Part[[]string]{}
	}
	if cfg.Pageserver == nil {
		p.build.processOff = offNotConfigured
	}
	p.latest.Store(p.build.cur)
	cfg.Calls.onMutated(func() { p.Hot(hotAfterCall) })
	return p
}

// Run reads until ctx ends, waits for everything that it started, and returns
// nil. It may be called once.
func (p *Poller) Run(ctx context.Context) error {
	if !p.pace.begin() {
		return errors.New("poller: it runs already, or has run")
	}
	var loops sync.WaitGroup
	for _, loop := range []func(context.Context){
		p.pollNodes, p.pollMetrics, p.pollLeader, p.pollShards,
		p.pollDiscovery, p.pollComputes, p.pollTenants, p.pollProcesses, p.pollToken, p.pollAlerts,
	} {
		loops.Go(func() { loop(ctx) })
	}
	loops.Wait()
	return nil
}

// Latest is the newest Snapshot, never nil.
func (p *Poller) Latest() *Snapshot { return p.latest.Load() }

// Subscribe returns a channel that is pinged when something that can be seen
// has changed (Snapshot.Seq has grown). Pings that nobody took are one ping;
// what changed is asked of Latest. A view that shows ages needs a clock of its own
// besides. After cancel nothing is sent; the channel is never closed.
func (p *Poller) Subscribe() (<-chan struct{}, func()) { return p.subscribe(&p.changed) }

// SubscribeReads is Subscribe for whoever counts reads that agree: it is
// pinged after every read of the node list too, good or failed.
func (p *Poller) SubscribeReads() (<-chan struct{}, func()) { return p.subscribe(&p.reads) }

func (p *Poller) subscribe(to *subscribers) (<-chan struct{}, func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	ping := to.add()
	return ping, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(*to, ping)
	}
}

// publish lets f take something into the picture.
func (p *Poller) publish(f func(b *builder, now time.Time) (changed bool)) (changed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	changed = f(p.build, time.Now())
	p.latest.Store(p.build.cur)
	if changed {
		p.changed.ping()
		p.reads.ping()
	}
	return changed
}

// pingReads tells of a read that may have brought nothing new.
func (p *Poller) pingReads() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reads.ping()
}

// subscribers are channels of capacity one.
type subscribers map[chan struct{}]struct{}

func (s *subscribers) add() chan struct{} {
	if *s == nil {
		*s = subscribers{}
	}
	ping := make(chan struct{}, 1)
	(*s)[ping] = struct{}{}
	return ping
}

func (s *subscribers) ping() {
	for c := range *s {
		nudge(c)
	}
}

// nudge leaves one message in a channel of capacity one.
func nudge(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
