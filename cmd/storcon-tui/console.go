package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/ui"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

// openConsole opens the full-screen program on the chosen cluster; with a
// request it opens on the plan for that.
func (p *program) openConsole(ctx context.Context, r *request) error {
	return p.inConsole(ctx, func(ctx context.Context, o *opening) error {
		if r == nil {
			return nil
		}
		plan, err := o.c.plan(ctx, o.runs.engine, *r)
		o.deps.Plan = &plan
		return err
	})
}

// opening is a console that is about to open.
type opening struct {
	c        *connection
	deps     ui.Deps
	runs     *consoleRuns
	computes *consoleReconfigures
}

// inConsole opens the full-screen program on what open puts into its dependencies.
func (p *program) inConsole(ctx context.Context, open func(context.Context, *opening) error) error {
	if err := p.needTerminal(); err != nil {
		return err
	}
	c, err := p.connectToDrive()
	if err != nil {
		return err
	}
	defer c.close()
	return c.watched(ctx, func(ctx context.Context) error {
		o := &opening{c: c, runs: c.consoleRuns(), computes: c.consoleReconfigures()}
		if o.deps, err = p.deps(c, o.runs); err != nil {
			return err
		}
		o.deps.Reconfigures = o.computes
		feed := newReleaseFeed(c)
		defer feed.start(ctx)()
		o.deps.Releases = feed
		if err := open(ctx, o); err != nil {
			return err
		}
		return p.show(ctx, o)
	})
}

// deps are what the console works with.
func (p *program) deps(c *connection, runs *consoleRuns) (ui.Deps, error) {
	look, err := p.look(c.settings.Theme)
	if err != nil {
		return ui.Deps{}, err
	}
	unfinished, err := runs.Unfinished()
	if err != nil {
		return ui.Deps{}, err
	}
	deps := ui.Deps{
		Source: c.poller, Runs: runs,
		Styles: look.styles, ASCII: look.ascii, Settle: look.settle,
		Unfinished: unfinished, Operator: operator(), Version: version(), Told: c.told,
		CrashLog: filepath.Join(c.store.Dir(), "crash.log"),
		Input:    p.in, Output: p.out, Stderr: p.err,
	}
	if c.settings.ReadOnly {
		deps.ReadOnly = "this console was started with --read-only"
	}
	return deps, nil
}

// show runs the console. Signals are its own affair; here they only become the
// exit code.
func (p *program) show(ctx context.Context, o *opening) error {
	defer o.runs.neighbour.close()
	received := make(chan os.Signal, 1)
	signal.Notify(received, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(received)
	err := ui.Run(ctx, o.deps)
	left := p.tellWhatIsLeft(o.runs.last())
	if ofComputes := p.tellWhatIsLeftOnComputes(o.computes.last()); left == nil {
		left = ofComputes
	}
	err = bySignal(received, err)
	if left != nil {
		return left
	}
	return err
}

// bySignal is how a screen ended: what the signal was that has ended it, if one did.
func bySignal(received <-chan os.Signal, err error) error {
	select {
	case got := <-received:
		// What the screen says of it would be a second line for one signal.
		if lost := (*ui.LostError)(nil); err == nil || errors.As(err, &lost) {
			sig, _ := got.(syscall.Signal)
			return signalError{sig}
		}
	default:
	}
	return err
}

// tellWhatIsLeft says on the terminal that the console has given back what goes on
// at the controller, and how to go on (P1).
func (p *program) tellWhatIsLeft(run *rollout.Driver) error {
	if run == nil {
		return nil
	}
	status := run.Status()
	if status.Outcome == nil {
		fmt.Fprintf(p.err, "storcon-tui: run %s is not finished: a step is still under way, see %s\n", status.Run, status.Journal)
		return ended(rollout.ExitPaused)
	}
	for i, left := range status.Outcome.Left {
		if i == 0 {
			fmt.Fprintf(p.err, "storcon-tui: run %s left behind:\n", status.Run)
		}
		for _, line := range prose.LeftBehind(left) {
			fmt.Fprintf(p.err, "  %s\n", line)
		}
	}
	return ended(status.Outcome.Exit)
}
