package sim

import (
	"fmt"
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
		}
		w.computes = append(w.computes, c)
	}
}

// Computes lists the computes of the cluster.
func (w *World) Computes() []Compute { return w.computes }
