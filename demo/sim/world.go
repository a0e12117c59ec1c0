package sim

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// World is the whole cluster at one simulated moment.
type World struct {
	cfg    Config
	now    time.Duration
	seq    uint64
	events eventQueue
	rng    *rand.Rand

	nodes      []*node   // sorted by id
	tombstones []*node   // sorted by id
	tenants    []*tenant // sorted by id
	shards     []*shard  // sorted by id; those of detached tenants are left out
	computes   []Compute

	controller
}

// controller is what lives in the controller's process and is lost with it.
type controller struct {
	epoch     int // counts processes; events of an older one are dropped
	phase     Phase
	started   time.Duration
	slot      *operation
	tasks     []*operation // more than one only after two overlapping starts
	queue     []*shard     // want to reconcile, no free unit
	running   [2]int       // reconciles in flight: normal, urgent
	counters  Counters
	gauges    Gauges
	waiting   []func(error) // requests that came during startup
	notifyBad int           // what compute notifications get; 0 = accepted
}

// Phase is what the controller process is doing.
type Phase int

// A controller is down, reading the world, or serving.
const (
	Down Phase = iota
	Starting
	Serving
)

// New seeds a cluster at rest, with a controller that has long been serving.
func New(cfg Config) *World {
	cfg = cfg.withDefaults()
	w := &World{cfg: cfg, rng: rand.New(rand.NewPCG(uint64(cfg.Seed), 0x73746f72636f6e))}
	w.phase = Serving
	w.started = -w.between(20*time.Hour, 90*time.Hour)
	w.seedNodes()
	w.seedTenants()
	w.seedComputes()
	w.refreshGauges()
	w.beginLoops()
	return w
}

// beginLoops starts the controller's periodic work.
func (w *World) beginLoops() {
	w.afterController(w.cfg.HeartbeatInterval, w.heartbeats)
	w.afterController(passInterval, w.pass)
}

// between draws a duration in [lo, hi).
func (w *World) between(lo, hi time.Duration) time.Duration {
	return lo + time.Duration(w.rng.Int64N(int64(hi-lo)))
}

func (w *World) node(id client.NodeID) *node {
	i, ok := slices.BinarySearchFunc(w.nodes, id, func(n *node, id client.NodeID) int { return cmp.Compare(n.id, id) })
	if !ok {
		return nil
	}
	return w.nodes[i]
}

func (w *World) tenant(id client.TenantID) *tenant {
	i, ok := slices.BinarySearchFunc(w.tenants, id, func(t *tenant, id client.TenantID) int { return cmp.Compare(t.id, id) })
	if !ok {
		return nil
	}
	return w.tenants[i]
}

// shardAfter is the first shard whose id is greater than the given one.
func (w *World) shardAfter(id client.TenantShardID) *shard {
	i, found := slices.BinarySearchFunc(w.shards, id, func(s *shard, id client.TenantShardID) int { return cmp.Compare(s.id, id) })
	if found {
		i++
	}
	if i >= len(w.shards) {
		return nil
	}
	return w.shards[i]
}
