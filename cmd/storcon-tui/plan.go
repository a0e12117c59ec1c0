package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

func (p *program) planVerb() *cobra.Command {
	var format string
	plan := &cobra.Command{
		Use:   "plan NODE...",
		Short: "Show what a rolling restart of these nodes would do",
		Long: `Show what a rolling restart of these nodes would do: the order, the literal
calls, the shards that will not move and where the others go, and the gates as
they stand. It only reads. The exit code is 3 when a gate would hold the run.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			nodes, err := nodeIDs(args)
			if err != nil {
				return err
			}
			if err := p.restart.check(); err != nil {
				return err
			}
			return p.showPlan(cmd.Context(), request{rollout.GoalRestart, nodes}, format)
		},
	}
	formatFlag(plan, &format)
	p.runFlags(plan)
	return plan
}

func (p *program) showPlan(ctx context.Context, r request, format string) error {
	return p.observing(ctx, format, func(ctx context.Context, c *connection) error {
		plan, err := c.plan(ctx, c.engine(), r)
		if err != nil {
			return err
		}
		if err := p.writePlan(plan, format); err != nil {
			return err
		}
		return holding(plan)
	})
}

func (p *program) writePlan(plan rollout.Plan, format string) error {
	if format == "json" {
		return writeJSON(p.out, makePlanReport(plan))
	}
	text := strings.Join(prose.PlanText(plan, prose.NothingSent), "\n")
	_, err := fmt.Fprintln(p.out, printable(text))
	return err
}

// holding names every gate that would keep the run from starting.
func holding(plan rollout.Plan) error {
	var names []string
	for _, g := range plan.Gates {
		if g.Holds() {
			names = append(names, prose.Gate(g))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return preflight(fmt.Errorf("gates that would hold this plan: %s", strings.Join(names, "; ")))
}
