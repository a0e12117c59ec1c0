package sim

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// Compute is a Postgres that uses a tenant of the cluster.
type Compute struct {
	Name       string
	Tenant     client.TenantID // "" while it has no spec
	Timeline   string
	Status     string // as compute_ctl spells it in JSON
	Error      string
	Started    time.Duration
	LastActive time.Duration // how long ago; 0 = never used
	Startup    Startup       // zero while it has not started

	ctl ctl
}

// Startup is what the parts of a compute's start took.
type Startup struct {
	WaitForSpec, SyncSafekeepers, Basebackup, StartPostgres, Config time.Duration
	BasebackupBytes                                                 int64
}

// Total is what the start took once its spec was there; 0 when it has not come to its end.
func (s Startup) Total() time.Duration {
	if s.StartPostgres == 0 {
		return 0
	}
	return s.SyncSafekeepers + s.Basebackup + s.StartPostgres + s.Config
}

// beforeBasebackup are the parts that a start has behind it which fails there: a part has
// no figure before it is over.
func (s Startup) beforeBasebackup() Startup {
	return Startup{WaitForSpec: s.WaitForSpec, SyncSafekeepers: s.SyncSafekeepers}
}

// seedStartup draws from a source of its own: the rest of the world does not
// depend on how many computes there are.
func seedStartup(seed int64, index int) Startup {
	rng := rand.New(rand.NewPCG(uint64(seed), uint64(index)))
	between := func(low, high int64) time.Duration {
		return time.Duration(low+rng.Int64N(high-low)) * time.Millisecond
	}
	return Startup{
		WaitForSpec: between(1, 30), SyncSafekeepers: between(5, 600), Basebackup: between(100, 1500),
		StartPostgres: between(80, 300), Config: between(10, 90), BasebackupBytes: 4<<20 + rng.Int64N(1<<20),
	}
}

var adjectives = []string{"cool", "quiet", "amber", "brave", "late", "plain", "royal", "still", "wild", "young"}

var things = []string{"night", "river", "mouse", "field", "stone", "cloud", "tree", "bird", "lake", "fire"}

// seedComputes spreads computes over the tenants. The last but one waits
// without a spec, the last has failed to start.
func (w *World) seedComputes() {
	for i := range w.cfg.Computes {
		c := Compute{
			Name: fmt.Sprintf("ep-%s-%s-%c%d", adjectives[w.rng.IntN(len(adjectives))], things[w.rng.IntN(len(things))],
				'a'+rune(i/10%26), i%10),
			Status: "running", Started: -w.between(time.Hour, 200*time.Hour), LastActive: w.between(time.Second, time.Hour),
		}
		if len(w.tenants) > 0 {
			c.Tenant = w.tenants[w.rng.IntN(len(w.tenants))].id
			c.Timeline = fmt.Sprintf("%016x%016x", w.rng.Uint64(), w.rng.Uint64())
		}
		switch i {
		case w.cfg.Computes - 2:
			c.Tenant, c.Timeline, c.Status, c.LastActive = "", "", "empty", 0
		case w.cfg.Computes - 1:
			c.Status, c.Error, c.LastActive = "failed", "could not get basebackup: connection refused", 0
			c.Startup = seedStartup(w.cfg.Seed, i).beforeBasebackup()
		}
		if c.Status == "running" {
			c.Startup = seedStartup(w.cfg.Seed, i)
		}
		w.computes = append(w.computes, c)
	}
}

// Computes lists the computes of the cluster.
func (w *World) Computes() []Compute { return w.computes }
