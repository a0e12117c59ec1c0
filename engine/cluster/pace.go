package cluster

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// pace is what others asked of the Poller's rates.
type pace struct {
	mu           sync.Mutex
	begun        bool
	hotUntil     time.Time
	deciding     bool
	decidedAt    time.Time // when deciding was last asked for
	tokenChanged time.Time
	shards       map[client.NodeID]int // watchers by node
	processes    map[client.NodeID]int
	computes     map[string]int // watchers by name

	// One message each: the loop's pace has changed, it computes its pause anew.
	nodesWake, metricsWake, leaderWake, shardsWake, processesWake, computesWake, tenantsWake chan struct{}
}

func newPace() *pace {
	wake := func() chan struct{} { return make(chan struct{}, 1) }
	return &pace{
		shards: map[client.NodeID]int{}, processes: map[client.NodeID]int{}, computes: map[string]int{},
		nodesWake: wake(), metricsWake: wake(), leaderWake: wake(),
		shardsWake: wake(), processesWake: wake(), computesWake: wake(), tenantsWake: wake(),
	}
}

func (c *pace) begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	first := !c.begun
	c.begun = true
	return first
}

func (c *pace) hot(now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return now.Before(c.hotUntil)
}

func (c *pace) isDeciding() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.deciding
}

// decidesSince reports a decision for which nothing has been read since t.
func (c *pace) decidesSince(t time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.deciding && c.decidedAt.After(t)
}

// tokenChangedSince reports a token that a part turned off at t has not seen.
func (c *pace) tokenChangedSince(t time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tokenChanged.After(t)
}

func (c *pace) noteTokenChanged(now time.Time) {
	c.mu.Lock()
	c.tokenChanged = now
	c.mu.Unlock()
	nudge(c.nodesWake)
	nudge(c.leaderWake)
	nudge(c.shardsWake)
	nudge(c.tenantsWake)
}

func (c *pace) watchedShards() []client.NodeID {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(maps.Keys(c.shards))
}

func (c *pace) watchesShards(id client.NodeID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.shards[id] > 0
}

func (c *pace) watchesProcess(id client.NodeID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.processes[id] > 0
}

// watch counts one more watcher of a node or compute; release takes it back, once.
// last is called when nobody is left.
func watch[K comparable](c *pace, watchers map[K]int, id K, wake chan struct{}, last func()) (release func()) {
	c.mu.Lock()
	watchers[id]++
	c.mu.Unlock()
	nudge(wake)
	return sync.OnceFunc(func() {
		c.mu.Lock()
		watchers[id]--
		none := watchers[id] == 0
		if none {
			delete(watchers, id)
		}
		c.mu.Unlock()
		nudge(wake)
		if none {
			last()
		}
	})
}

// Hot has the node list read every 250 ms for d from now on: a phase is about
// to end. A call of ours that changes the cluster does the same by itself for 5 s.
func (p *Poller) Hot(d time.Duration) {
	until := time.Now().Add(d)
	p.pace.mu.Lock()
	if until.After(p.pace.hotUntil) {
		p.pace.hotUntil = until
	}
	p.pace.mu.Unlock()
	nudge(p.pace.nodesWake)
}

// Decide has the leader read at once and then every second while a decision is
// near, or, where the leader cannot be read, the metrics with the start of the
// process.
func (p *Poller) Decide(on bool) {
	p.pace.mu.Lock()
	p.pace.deciding, p.pace.decidedAt = on, time.Now()
	p.pace.mu.Unlock()
	nudge(p.pace.leaderWake)
	nudge(p.pace.metricsWake)
}

// WatchShards has the shards of a node read, at most every 2 s, until the last
// watcher has released it; then Snapshot.Shards forgets the node. The first
// read comes at once.
func (p *Poller) WatchShards(id client.NodeID) (release func()) {
	return watch(p.pace, p.pace.shards, id, p.pace.shardsWake, func() {
		p.publish(func(b *builder, now time.Time) bool { return b.dropShards(id, now) })
	})
}

// WatchProcess has the launch time and build of a node read every 2 s until
// the last watcher has released it: the node is being restarted.
func (p *Poller) WatchProcess(id client.NodeID) (release func()) {
	return watch(p.pace, p.pace.processes, id, p.pace.processesWake, func() {})
}
