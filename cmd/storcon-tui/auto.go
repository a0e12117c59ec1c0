package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/cmd/storcon-tui/config"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/ui/plain"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

// unattended runs a rolling restart that answers itself what its policy covers.
func (p *program) unattended(ctx context.Context, args []string, path string) error {
	nodes, err := nodeIDs(args)
	if err != nil {
		return err
	}
	if p.restart.policy, err = config.LoadPolicy(path); err != nil {
		return usage(fmt.Errorf("--policy: %w", err))
	}
	p.restart.canary = true
	c, err := p.connectToDrive()
	if err != nil {
		return err
	}
	defer c.close()
	ctx, signals, stop := watchSignals(ctx)
	defer stop()
	return c.driven(ctx, func(ctx context.Context) error {
		engine := c.engine()
		plan, err := c.plan(ctx, engine, request{rollout.GoalRestart, nodes})
		if err != nil {
			return err
		}
		if err := p.restart.tooMany(plan); err != nil {
			return c.at(err)
		}
		if err := holding(plan); err != nil {
			return c.at(err)
		}
		driver, err := engine.Start(context.WithoutCancel(ctx), plan)
		if err != nil {
			return c.at(refusal(err))
		}
		c.follow(driver)
		signals.listen()
		code, err := p.followUnattended(ctx, driver, signals)
		if err != nil {
			return err
		}
		return endOf(ctx, driver, code)
	})
}

// followUnattended shows the run line by line. Without a terminal nobody can
// answer: standard input is then not read, so that its end pauses nothing.
func (p *program) followUnattended(ctx context.Context, driver *rollout.Driver, signals *signals) (rollout.ExitCode, error) {
	in, terminal := p.in, term.IsTerminal(int(p.in.Fd()))
	if !terminal {
		silent, open, err := os.Pipe()
		if err != nil {
			return 0, fmt.Errorf("input that never ends: %w", err)
		}
		defer open.Close()
		defer silent.Close()
		in = silent
	}
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		p.watchHolds(driver)
	}()
	code := plain.Run(ctx, driver, in, p.out, plain.Options{
		By: operator(), Terminal: terminal, ASCII: !utf8Locale(os.Getenv), Interrupts: signals.interrupts,
	})
	<-watched
	return code, nil
}

// watchHolds says on standard error what holds the run, once for each question,
// and leaves the run when nobody answers for too long. It returns with the run's end.
func (p *program) watchHolds(driver *rollout.Driver) {
	changed, unsubscribe := driver.Subscribe()
	defer unsubscribe()
	limit := p.restart.policy.Hold
	timer := time.NewTimer(limit)
	defer timer.Stop()
	timer.Stop()
	said := ""
	for {
		st := driver.Status()
		switch text := heldBy(st); text {
		case said:
		case "":
			said = ""
			timer.Stop()
			fmt.Fprintf(p.err, "storcon-tui: run %s goes on\n", st.Run)
		default:
			if said == "" {
				timer.Reset(limit)
			}
			said = text
			fmt.Fprintf(p.err, "storcon-tui: run %s holds: %s; it is left in %s if nobody answers\n", st.Run, client.Clean(text), limit)
		}
		select {
		case <-changed:
		case <-timer.C:
			driver.Detach("nobody answered for " + limit.String())
		case <-driver.Done():
			return
		}
	}
}

// heldBy is what the run waits for a person to say; "" = nothing. The policy's
// answers are given at once, so a question that can be seen is held.
func heldBy(st *rollout.Status) string {
	if st.Prompt == nil || st.Outcome != nil {
		return ""
	}
	q := prose.Ask(st, st.Prompt, st.At, prose.Brief)
	text := q.Title
	if st.Prompt.Cause != "" {
		text += ": " + st.Prompt.Cause
	}
	if st.Prompt.Row != "" {
		text += " [" + st.Prompt.Row + "]"
	}
	return text
}
