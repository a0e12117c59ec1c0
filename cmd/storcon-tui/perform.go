package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/ui/plain"
)

// goalVerb is a verb that acts on nodes: it plans, shows the plan, and goes on
// in the console or line by line.
func (p *program) goalVerb(goal rollout.Goal, verb *cobra.Command) *cobra.Command {
	var byLine bool
	verb.RunE = func(cmd *cobra.Command, args []string) error {
		nodes, err := nodeIDs(args)
		if err != nil {
			return err
		}
		if !byLine {
			return p.openConsole(cmd.Context(), &request{goal, nodes})
		}
		return p.perform(cmd.Context(), request{goal, nodes})
	}
	verb.Flags().BoolVar(&byLine, "plain", false, "line by line, answers from standard input")
	return verb
}

// request is what a verb was asked to do.
type request struct {
	goal  rollout.Goal
	nodes []client.NodeID
}

// perform does it line by line.
func (p *program) perform(ctx context.Context, r request) error {
	c, err := p.connectToDrive()
	if err != nil {
		return err
	}
	defer c.close()
	ctx, signals, stop := watchSignals(ctx)
	defer stop()
	return c.driven(ctx, func(ctx context.Context) error {
		engine := c.engine()
		plan, err := c.plan(ctx, engine, r)
		if err != nil {
			return err
		}
		driver, err := engine.Start(context.WithoutCancel(ctx), plan)
		if err != nil {
			return c.at(refusal(err))
		}
		c.follow(driver)
		return p.converse(ctx, driver, signals)
	})
}

// takeUp takes an unfinished run up again, line by line; "" is the only one.
func (p *program) takeUp(ctx context.Context, run string) error {
	c, err := p.connectToDrive()
	if err != nil {
		return err
	}
	defer c.close()
	ctx, signals, stop := watchSignals(ctx)
	defer stop()
	return c.driven(ctx, func(ctx context.Context) error {
		if _, err := c.observe(ctx); err != nil {
			return c.at(err)
		}
		if err := c.settle(ctx); err != nil {
			return err
		}
		driver, err := c.engine().Resume(context.WithoutCancel(ctx), run)
		if err != nil {
			return c.at(refusal(err))
		}
		c.follow(driver)
		return p.converse(ctx, driver, signals)
	})
}

// converse shows a run line by line and takes its answers from standard input.
func (p *program) converse(ctx context.Context, driver *rollout.Driver, signals *signals) error {
	signals.listen()
	code := plain.Run(ctx, driver, p.in, p.out, plain.Options{
		By:         operator(),
		Terminal:   term.IsTerminal(int(p.in.Fd())),
		ASCII:      !utf8Locale(os.Getenv),
		Interrupts: signals.interrupts,
		Exit:       exitCode,
	})
	return endOf(ctx, driver, code)
}

// endOf is the exit of a run. A signal that came before anything was changed
// says so.
func endOf(ctx context.Context, driver *rollout.Driver, code rollout.ExitCode) error {
	<-driver.Done()
	calls := driver.Status().Calls
	if err := ctx.Err(); err != nil && calls.Mutating() == 0 && calls.Hooks == 0 {
		return &exitError{code: exitCode(context.Cause(ctx))}
	}
	return ended(code)
}

// plan observes the cluster and makes a plan.
func (c *connection) plan(ctx context.Context, engine *rollout.Engine, r request) (rollout.Plan, error) {
	if _, err := c.observe(ctx); err != nil {
		return rollout.Plan{}, c.at(err)
	}
	if err := c.settle(ctx); err != nil {
		return rollout.Plan{}, err
	}
	plan, err := engine.Plan(ctx, r.goal, r.nodes)
	if err != nil {
		return rollout.Plan{}, c.at(refusal(err))
	}
	return plan, nil
}

// at says which cluster an error is about.
func (c *connection) at(err error) error {
	return fmt.Errorf("cluster %s at %s: %w", c.identity.Name, c.settings.Cluster.URL, err)
}

// settleTime bounds the wait for a second look at the leader.
const settleTime = 3 * time.Second

// settle waits until the leader was read twice, and after it whether the instance that
// answers leads: a plan that rests on less cannot say that it is stable.
func (c *connection) settle(ctx context.Context) error {
	limit, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	c.poller.Hot(settleTime)
	c.poller.Decide(true)
	defer c.poller.Decide(false)
	changed, unsubscribe := c.poller.SubscribeReads()
	defer unsubscribe()
	for {
		leader, metrics := c.poller.Latest().Leader, c.poller.Latest().Metrics
		confirmed := metrics.Err != nil || !leader.Value.Since.After(metrics.At)
		if leader.Err != nil || leader.At.After(leader.Value.Since) && confirmed {
			return nil
		}
		select {
		case <-changed:
		case <-limit.Done():
			return context.Cause(ctx) // nil when only the limit is over: the gate then says what it lacks
		}
	}
}
