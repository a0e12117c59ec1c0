package main

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"github.com/StorconTUI/storcon-tui/engine/reconfigure"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/ui"
)

// consoleReconfigures lets the console reconfigure computes, and remembers the newest
// run. It is safe for use by several goroutines.
type consoleReconfigures struct {
	engine *reconfigure.Engine
	log    *slog.Logger
	tell   func(status func() *reconfigure.Status)

	mu     sync.Mutex
	newest *reconfigure.Driver
}

func (c *connection) consoleReconfigures() *consoleReconfigures {
	return &consoleReconfigures{engine: c.reconfigures(), log: c.log, tell: c.metrics.Reconfigures}
}

// Plan makes a plan; nothing is sent.
func (r *consoleReconfigures) Plan(ctx context.Context, q reconfigure.Request) (reconfigure.Plan, error) {
	return r.engine.Plan(ctx, q)
}

// FindStale compares last known specs with the controller's word. What could not be
// compared is a matter for the log.
func (r *consoleReconfigures) FindStale(ctx context.Context) []reconfigure.Stale {
	found, err := r.engine.FindStale(ctx)
	if err != nil && ctx.Err() == nil {
		r.log.Warn("compare last known specs with the controller", "err", err)
	}
	return found
}

// Start is not bound to ctx, which ends with the screen.
func (r *consoleReconfigures) Start(ctx context.Context, plan reconfigure.Plan) (ui.LiveReconfigure, error) {
	return r.began(r.engine.Start(context.WithoutCancel(ctx), plan))
}

// Resume takes an unfinished run up again; like Start it is not bound to ctx.
func (r *consoleReconfigures) Resume(ctx context.Context, run string) (ui.LiveReconfigure, error) {
	return r.began(r.engine.Resume(context.WithoutCancel(ctx), run))
}

func (r *consoleReconfigures) began(driver *reconfigure.Driver, err error) (ui.LiveReconfigure, error) {
	if err != nil {
		return nil, err
	}
	r.tell(driver.Status)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.newest = driver
	return driver, nil
}

// last is the newest run of this session, nil when there was none.
func (r *consoleReconfigures) last() *reconfigure.Driver {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.newest
}

// reconfigureInConsole opens the console on a reconfigure's plan, or on a run that is
// taken up again.
func (p *program) reconfigureInConsole(ctx context.Context, r specRequest) error {
	return p.inConsole(ctx, func(ctx context.Context, o *opening) (err error) {
		if !r.resume {
			plan, err := o.c.specPlan(ctx, o.computes.engine, r)
			o.deps.SpecPlan = &plan
			return o.c.specAt(err)
		}
		o.deps.Reconfigure, err = o.computes.began(o.c.beginReconfigure(ctx, o.computes.engine, r))
		return o.c.specAt(err)
	})
}

// specAt says which cluster an error is about, with its exit code.
func (c *connection) specAt(err error) error {
	if err == nil {
		return nil
	}
	return c.at(specRefusal(err))
}

// tellWhatIsLeftOnComputes says on the terminal that the console has given back what was
// sent and is not over (P1).
func (p *program) tellWhatIsLeftOnComputes(run *reconfigure.Driver) error {
	if run == nil {
		return nil
	}
	status := run.Status()
	if status.Outcome == nil {
		fmt.Fprintf(p.err, "storcon-tui: run %s is not finished: a call is still unanswered, see %s\n", status.Run, status.Journal)
		return ended(rollout.ExitPaused)
	}
	for i, left := range status.Outcome.Left {
		if i == 0 {
			fmt.Fprintf(p.err, "storcon-tui: run %s left behind:\n", status.Run)
		}
		fmt.Fprintf(p.err, "  %s\n", left)
	}
	return ended(status.Outcome.Exit)
}
