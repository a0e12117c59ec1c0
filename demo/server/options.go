package server

import (
	"errors"
	"time"

	"github.com/StorconTUI/storcon-tui/demo/sim"
)

// Options describes the fake cluster. The zero value is the demo's default:
// 6 nodes in 3 AZs, about 3 000 shards of which three per node cannot move,
// 14 computes, at real speed, without authentication.
type Options struct {
	Nodes      int   // 6; negative: none
	AZs        int   // half of the nodes, 3 at most
	Tenants    int   // 400 a node; negative: none
	Computes   int   // 14; negative: none
	Seed       int64 // repeats the cluster and its history
	AllMovable bool  // no seeded shard is paused or without a secondary

	// Speed divides every duration of the simulation, those below included.
	// The console's own timers are not scaled. 1; at most 10 000.
	Speed float64

	Auth bool // check tokens as a controller with --public-key does
	// ComputeAuth has the computes check tokens too; without it they are started with
	// their checks switched off.
	ComputeAuth bool
	Listen      string // of the controller; 127.0.0.1 and a free port

	HeartbeatInterval    time.Duration // 5 s
	MaxOfflineInterval   time.Duration // 30 s
	MaxWarmingUpInterval time.Duration // 300 s
	MaxSecondaryLagBytes int64         // 256 MiB
	LocationDelay        time.Duration // time of one location change; 1.4 s
}

const maxSpeed = 10_000

func (o Options) check() (Options, error) {
	switch {
	case o.Speed < 0 || o.Speed > maxSpeed:
		return o, errors.New("speed must be above 0 and at most 10000")
	case o.Nodes > 1000:
		return o, errors.New("nodes must be at most 1000")
	case o.AZs < 0 || o.AZs > 26:
		return o, errors.New("azs must be between 1 and 26")
	case o.Nodes > 0 && o.AZs > o.Nodes:
		return o, errors.New("azs must not exceed nodes")
	case o.Tenants > 1_000_000:
		return o, errors.New("tenants must be at most 1000000")
	}
	if o.Speed == 0 {
		o.Speed = 1
	}
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	return o, nil
}

func (o Options) config() sim.Config {
	return sim.Config{
		Nodes: o.Nodes, AZs: o.AZs, Tenants: o.Tenants, Computes: o.Computes, Seed: o.Seed, AllMovable: o.AllMovable,
		HeartbeatInterval: o.HeartbeatInterval, MaxOfflineInterval: o.MaxOfflineInterval,
		MaxWarmingUpInterval: o.MaxWarmingUpInterval, MaxSecondaryLag: o.MaxSecondaryLagBytes,
		LocationDelay: o.LocationDelay,
	}
}
