package main

import (
	"context"
	"errors"
	"sync"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/cmd/storcon-tui/config"
	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/ui"
	"github.com/StorconTUI/storcon-tui/ui/view"
)

// engine plans and starts runs on the connection's cluster.
func (c *connection) engine() *rollout.Engine {
	return rollout.NewEngine(rollout.EngineConfig{
		Client:     c.client,
		Poller:     c.poller,
		Pageserver: c.pageservers.fetch,
		NodeID:     c.pageservers.nodeID,
		Hook:       c.settings.Cluster.Restart,
		Store:      c.store,
		Settings:   c.run.apply(runSettings(c.settings.Cluster)),
		Order:      rollout.Order(c.run.order),
		Canary:     c.run.canary,
		Operator:   operator(),
		Identity:   c.identity,
		Version:    version(),
		Redact:     c.secrets.Redact,
		DenyEnv:    secretVariables(c.settings),
		Reads:      func() int { return int(c.reads.Load()) },
		Logger:     c.log,
	})
}

// runSettings are a run's limits as the cluster's configuration sets them.
func runSettings(c config.Cluster) rollout.Settings {
	return rollout.Settings{
		NoProgress:  c.Pace.NoProgress,
		DrainTotal:  c.Pace.Drain,
		FillTotal:   c.Pace.Fill,
		CancelTotal: c.Pace.Cancel,
		Hook:        c.Restart.Timeout,
		Proof:       c.Pace.Proof,
		Reattach:    c.Pace.Ready,
		Answer:      c.Pace.Answer,
		Verify:      c.Pace.Verify,
		VerifyEvery: c.Pace.VerifyEvery,
		Bake:        c.Pace.Bake,
		CanaryBake:  c.Pace.CanaryBake,
		Window:      c.Window,
		Revision:    c.Revision,
	}
}

// consoleRuns lets the console plan and start runs, and remembers the newest.
// It is safe for use by several goroutines.
type consoleRuns struct {
	engine *rollout.Engine
	open   func() ([]journal.RunInfo, error) // runs whose journal is open, the live one too
	tell   func(*rollout.Driver)             // whoever wants to hear of runs

	mu     sync.Mutex
	newest *rollout.Driver

	neighbour neighbour
}

func (c *connection) consoleRuns() *consoleRuns {
	return &consoleRuns{engine: c.engine(), open: c.unfinished, tell: c.follow, neighbour: neighbour{store: c.store}}
}

// Plan makes a plan; nothing is sent.
func (r *consoleRuns) Plan(ctx context.Context, goal rollout.Goal, nodes []client.NodeID) (rollout.Plan, error) {
	return r.engine.Plan(ctx, goal, nodes)
}

// Start is not bound to ctx, which ends with the screen: the console lets go of
// a live run in order.
func (r *consoleRuns) Start(ctx context.Context, plan rollout.Plan) (ui.LiveRun, error) {
	driver, err := r.engine.Start(context.WithoutCancel(ctx), plan)
	if err != nil {
		return nil, err
	}
	return r.began(driver), nil
}

// Resume takes an unfinished run up again; like Start it is not bound to ctx.
func (r *consoleRuns) Resume(ctx context.Context, run string) (ui.LiveRun, error) {
	driver, err := r.engine.Resume(context.WithoutCancel(ctx), run)
	if err != nil {
		return nil, err
	}
	return r.began(driver), nil
}

func (r *consoleRuns) began(driver *rollout.Driver) *rollout.Driver {
	r.tell(driver)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.newest = driver
	return driver
}

// Unfinished is the oldest run that was left open; one that is live, here or in
// another console, is not meant.
func (r *consoleRuns) Unfinished() (view.OpenRun, error) {
	open, err := r.open()
	if err != nil {
		return view.OpenRun{}, err
	}
	live := ""
	if owner, driven := r.neighbour.store.Driver(); driven {
		live = owner.Run
	}
	for _, run := range open {
		if run.ID != live {
			return view.OpenRun{ID: run.ID, Verb: run.ResumeVerb()}, nil
		}
	}
	return view.OpenRun{}, nil
}

// last is the newest run of this session, nil when there was none.
func (r *consoleRuns) last() *rollout.Driver {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.newest
}

// refusal gives a plan or start that was refused its exit code; nothing was
// sent then.
func refusal(err error) error {
	var (
		broken     *rollout.JournalError
		unfinished *rollout.UnfinishedRunError
		unknown    *rollout.UnknownNodeError
		nothing    *rollout.NothingToDoError
		wrong      *rollout.WrongClusterError
		several    *rollout.ChoiceOfRunsError
	)
	switch {
	case errors.As(err, &broken):
		return &exitError{code: exitJournal, err: err}
	case errors.Is(err, rollout.ErrNotObserved):
		return &exitError{code: rollout.ExitUnreachable, err: err}
	case errors.Is(err, rollout.ErrNothingUnfinished), errors.As(err, &wrong), errors.As(err, &several):
		return preflight(err)
	case errors.As(err, &unfinished), errors.As(err, &unknown), errors.As(err, &nothing), errors.Is(err, rollout.ErrReadOnly):
		return preflight(err)
	case exitCode(err) == rollout.ExitInternal:
		return preflight(err)
	}
	return err
}
