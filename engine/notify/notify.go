package notify

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Sink is one place where people are told.
type Sink interface {
	// Name is how the sink is called in errors; it is no secret.
	Name() string
	// Send tells. Its error says why it could not and names no secret.
	Send(ctx context.Context, e Event) error
}

const (
	queueLength = 64               // events that a sink may be behind
	tries       = 3                // of one event
	firstPause  = time.Second      // after a failure; doubles
	sendLimit   = 10 * time.Second // of one try
	keysKept    = 1024             // of events told lately
)

// Config of a Notifier.
type Config struct {
	Sinks []Sink
	Only  []Kind        // what is told; empty = everything
	Quiet time.Duration // how long the same is not told again; 0 = 10 minutes
	// Trouble hears of every event that a sink could not be told after all
	// tries. It is called from the sink's goroutine and must not wait. nil = nobody.
	Trouble func(sink string, err error)
}

// Notifier tells its sinks. Close must be called.
type Notifier struct {
	cfg   Config
	lines []*line
	done  sync.WaitGroup
	stop  context.CancelFunc

	mu   sync.Mutex
	told map[string]time.Time // by key
}

// New starts one goroutine for each sink; Close ends them.
func New(cfg Config) *Notifier {
	if cfg.Quiet <= 0 {
		cfg.Quiet = 10 * time.Minute
	}
	if cfg.Trouble == nil {
		cfg.Trouble = func(string, error) {}
	}
	ctx, stop := context.WithCancel(context.Background())
	n := &Notifier{cfg: cfg, stop: stop, told: make(map[string]time.Time)}
	for _, sink := range cfg.Sinks {
		l := &line{sink: sink, wake: make(chan struct{}, 1)}
		n.lines = append(n.lines, l)
		n.done.Go(func() { l.serve(ctx, cfg.Trouble) })
	}
	return n
}

// Notify queues the event for every sink and returns at once.
func (n *Notifier) Notify(e Event) {
	if len(n.cfg.Only) > 0 && !slices.Contains(n.cfg.Only, e.Kind) {
		return
	}
	if e.At.IsZero() {
		e.At = time.Now()
	}
	e.Key = e.key()
	if !n.news(e.Key) {
		return
	}
	for _, l := range n.lines {
		l.put(e)
	}
}

// news reports that this has not been told within the quiet time.
func (n *Notifier) news(key string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := time.Now()
	if at, ok := n.told[key]; ok && now.Sub(at) < n.cfg.Quiet {
		return false
	}
	if len(n.told) >= keysKept {
		for old, at := range n.told {
			if now.Sub(at) >= n.cfg.Quiet {
				delete(n.told, old)
			}
		}
	}
	if len(n.told) < keysKept { // in a storm rather something twice than nothing
		n.told[key] = now
	}
	return true
}

// Close lets the sinks send what is queued until ctx ends, and waits for them.
func (n *Notifier) Close(ctx context.Context) {
	for _, l := range n.lines {
		l.close()
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		n.done.Wait()
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	}
	n.stop()
	<-ended
}

// Stats says how a sink fares.
type Stats struct {
	Sink    string
	Sent    int
	Dropped int   // never tried: newer events pushed them out
	Failed  int   // given up after all tries
	Err     error // of the newest failure; nil since the newest success
}

// Stats of all sinks, in the order of the configuration.
func (n *Notifier) Stats() []Stats {
	all := make([]Stats, len(n.lines))
	for i, l := range n.lines {
		l.mu.Lock()
		all[i] = l.stats
		l.mu.Unlock()
		all[i].Sink = l.sink.Name()
	}
	return all
}
