package sim

import "time"

// The controller's own constants (contract A.1, "Availability machinery").
const (
	operationMoves    = 64  // moves that one drain or fill keeps outstanding
	normalReconciles  = 128 // reconciles at once in the whole cluster
	urgentReconciles  = 256 // the same for failovers, counted apart
	optimisations     = 16  // moves that one pass of the optimiser starts
	stuckAfter        = 10  // reconciles in a row until a shard counts as stuck
	callsPerMove      = 5   // location changes that one live migration needs
	longReconcile     = 120 * time.Second
	passInterval      = 20 * time.Second // background reconcile and gauges
	scanWait          = 500 * time.Millisecond
	tailWait          = 5 * time.Second
	databaseWrite     = 8 * time.Millisecond
	lagLookup         = 2 * time.Millisecond
	operationSpawn    = 10 * time.Millisecond
	exitDelay         = 100 * time.Millisecond // from a failed assertion to the end of the process
	stepDownTail      = 500 * time.Millisecond // until an operation without its controller has run through
	startupScan       = time.Second            // when every node answers
	startupScanSilent = 5 * time.Second        // when one does not
	startupWait       = 30 * time.Second       // what a request waits for a controller that starts
	processStartup    = 100 * time.Millisecond // from launch to re-attach
	reattachRetry     = time.Second
	notifyRetryMax    = 10 * time.Second
)

// Config describes the cluster to seed. The zero value of a field takes the
// default that its comment names.
type Config struct {
	Nodes   int // 6; negative: none
	AZs     int // half of the nodes, 3 at most
	Tenants int // 400 a node; negative: none
	Seed    int64

	// AllMovable leaves out the shards that a drain cannot move: those without
	// a secondary and those with scheduling policy Pause.
	AllMovable bool

	HeartbeatInterval    time.Duration // 5 s
	MaxOfflineInterval   time.Duration // 30 s
	MaxWarmingUpInterval time.Duration // 300 s
	MaxSecondaryLag      int64         // bytes; 256 MiB

	// LocationDelay is the time of one location change on a pageserver; a live
	// migration needs five. The default, 1.4 s, makes a drain of the default
	// cluster take about a minute.
	LocationDelay time.Duration

	Computes int // 14; negative: none
}

func (c Config) withDefaults() Config {
	orInt := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
		*v = max(*v, 0)
	}
	orDuration := func(v *time.Duration, d time.Duration) {
		if *v <= 0 {
			*v = d
		}
	}
	orInt(&c.Nodes, 6)
	orInt(&c.AZs, min(3, max(1, c.Nodes/2)))
	orInt(&c.Tenants, 400*c.Nodes)
	orInt(&c.Computes, 14)
	orDuration(&c.HeartbeatInterval, 5*time.Second)
	orDuration(&c.MaxOfflineInterval, 30*time.Second)
	orDuration(&c.MaxWarmingUpInterval, 300*time.Second)
	orDuration(&c.LocationDelay, 1400*time.Millisecond)
	if c.MaxSecondaryLag <= 0 {
		c.MaxSecondaryLag = 256 << 20
	}
	return c
}
