package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/StorconTUI/storcon-tui/engine/reconfigure"
	"github.com/StorconTUI/storcon-tui/ui/plain"
)

// specFlags say what the new specs are made of.
type specFlags struct {
	spec, dir, patch string
	repoint, stale   bool
	limit            int
}

func (p *program) reconfigureVerb() *cobra.Command {
	var from specFlags
	verb := &cobra.Command{
		Use:   "reconfigure COMPUTE... (--spec FILE | --spec-dir DIR | --patch FILE | --repoint) | reconfigure --resume [RUN]",
		Short: "Hand computes a new spec while they run",
		Long: `Hand computes a new spec while they run: POST /configure, one compute first, then 5 %,
20 % and the rest, each wave confirmed.

The new spec is a whole one (--spec for one compute, --spec-dir with a NAME.json for
each), a JSON merge patch over the last known spec (--patch), or the last known spec
with the pageservers that the controller tells now (--repoint). compute_ctl never gives a
spec out: the last known one is where spec_file or spec_command of the compute's
configuration says. Every spec is validated before anything is sent, and what changes
is shown without its secrets.

A 200 is no proof. The compute must be running, a primary must take a write, and where
the configuration has a connection to its Postgres the changed settings are read back.
"accepted, not verified" says that nothing could be read back; it is no failure. A
setting that reads back different is one: exit code 10.

More failures than --limit halt the run: those that run then finish, nothing more is
sent. With --resume an unfinished run is taken up again; nothing is sent before one yes.`,
	}
	f := verb.Flags()
	f.StringVar(&from.spec, "spec", "", "a whole spec, for one compute")
	f.StringVar(&from.dir, "spec-dir", "", "a directory with a whole spec NAME.json for each compute")
	f.StringVar(&from.patch, "patch", "", "a JSON merge patch over each last known spec")
	f.BoolVar(&from.repoint, "repoint", false, "each last known spec, with the pageservers that the controller tells now")
	f.BoolVar(&from.stale, "stale", false, "with --repoint: all computes whose last known spec names other pageservers")
	f.IntVar(&from.limit, "limit", 0, "failures that do not stop the run")
	var byLine, resume bool
	f.BoolVar(&byLine, "plain", false, "line by line, answers from standard input")
	f.BoolVar(&resume, "resume", false, "take an unfinished run up again")
	verb.Args = func(cmd *cobra.Command, args []string) error {
		if resume {
			return cobra.MaximumNArgs(1)(cmd, args)
		}
		if from.stale {
			return cobra.NoArgs(cmd, args)
		}
		return cobra.MinimumNArgs(1)(cmd, args)
	}
	verb.RunE = func(cmd *cobra.Command, args []string) error {
		r := specRequest{computes: args, from: from}
		if resume {
			r.resume, r.run = true, append(args, "")[0]
		} else if err := r.check(); err != nil {
			return err
		}
		if byLine {
			return p.reconfigure(cmd.Context(), r)
		}
		return p.reconfigureInConsole(cmd.Context(), r)
	}
	return verb
}

// specRequest is what the verb was asked to do.
type specRequest struct {
	computes []string
	from     specFlags
	source   reconfigure.Source
	resume   bool
	run      string // "" = the only unfinished one
}

// check finds the source that exactly one of the flags names.
func (r *specRequest) check() error {
	f := r.from
	var found []reconfigure.Source
	for _, s := range []reconfigure.Source{
		{Kind: reconfigure.FromFile, Path: f.spec},
		{Kind: reconfigure.FromDir, Path: f.dir},
		{Kind: reconfigure.FromPatch, Path: f.patch},
	} {
		if s.Path != "" {
			found = append(found, s)
		}
	}
	if f.repoint {
		found = append(found, reconfigure.Source{Kind: reconfigure.Repoint})
	}
	switch {
	case len(found) != 1:
		return usagef("give one of --spec FILE, --spec-dir DIR, --patch FILE and --repoint")
	case f.stale && !f.repoint:
		return usagef("--stale goes with --repoint")
	case f.limit < 0:
		return usagef("--limit: expected 0 or more, got %d", f.limit)
	}
	r.source = found[0]
	return nil
}

// specPlan makes the plan that the verb was asked for.
func (c *connection) specPlan(ctx context.Context, engine *reconfigure.Engine, r specRequest) (reconfigure.Plan, error) {
	if err := c.list(ctx, r.computes); err != nil {
		return reconfigure.Plan{}, err
	}
	names := r.computes
	if r.from.stale {
		var err error
		if names, err = c.stale(ctx, engine); err != nil {
			return reconfigure.Plan{}, err
		}
	}
	return engine.Plan(ctx, reconfigure.Request{Computes: names, Source: r.source, Limit: r.from.limit})
}

// stale are the computes to re-point. One that cannot be compared is no reason to leave
// the others as they are, and is said.
func (c *connection) stale(ctx context.Context, engine *reconfigure.Engine) ([]string, error) {
	found, err := engine.FindStale(ctx)
	if len(found) == 0 {
		if err == nil {
			err = errors.New("every last known spec names the pageservers that the controller tells")
		}
		return nil, err
	}
	if err != nil {
		fmt.Fprintln(c.stderr, message(fmt.Errorf("not compared: %w", err)))
	}
	names := make([]string, len(found))
	for i, s := range found {
		names[i] = s.Compute
	}
	return names, nil
}

// reconfigure does it line by line.
func (p *program) reconfigure(ctx context.Context, r specRequest) error {
	c, err := p.connectToStay()
	if err != nil {
		return err
	}
	defer c.close()
	ctx, signals, stop := watchSignals(ctx)
	defer stop()
	driver, err := c.beginReconfigure(ctx, c.reconfigures(), r)
	if err != nil {
		return c.at(specRefusal(err))
	}
	c.metrics.Reconfigures(driver.Status)
	signals.listen()
	code := plain.RunComputes(ctx, driver, p.in, p.out, plain.Options{
		By:         operator(),
		Terminal:   term.IsTerminal(int(p.in.Fd())),
		ASCII:      !utf8Locale(os.Getenv),
		Interrupts: signals.interrupts,
		Exit:       exitCode,
	})
	<-driver.Done()
	if err := ctx.Err(); err != nil && driver.Status().Sent == 0 {
		return &exitError{code: exitCode(context.Cause(ctx))}
	}
	return ended(code)
}

// beginReconfigure starts a run, or takes one up again. It is not bound to ctx: whoever
// drives it lets go of it in order.
func (c *connection) beginReconfigure(ctx context.Context, engine *reconfigure.Engine, r specRequest) (*reconfigure.Driver, error) {
	if r.resume {
		if err := c.list(ctx, nil); err != nil {
			return nil, err
		}
		return engine.Resume(context.WithoutCancel(ctx), r.run)
	}
	plan, err := c.specPlan(ctx, engine, r)
	if err != nil {
		return nil, err
	}
	return engine.Start(context.WithoutCancel(ctx), plan)
}

// reconfigures plans and starts reconfigures of the cluster's computes.
func (c *connection) reconfigures() *reconfigure.Engine {
	return reconfigure.NewEngine(reconfigure.EngineConfig{
		Computes: c.reconfigurable,
		Locate:   c.client.Locate,
		Store:    c.store,
		Operator: operator(),
		Identity: c.identity,
		Version:  version(),
		Logger:   c.log,
	})
}

// specRefusal gives a plan or start that was refused its exit code; nothing was sent
// then.
func specRefusal(err error) error {
	var unknown *reconfigure.UnknownComputeError
	if errors.As(err, &unknown) {
		return usage(err)
	}
	return refusal(err)
}
