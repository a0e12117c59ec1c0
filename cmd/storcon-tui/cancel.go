package main

import (
	"github.com/spf13/cobra"

	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

func (p *program) cancelVerb() *cobra.Command {
	return p.goalVerb(rollout.GoalCancel, &cobra.Command{
		Use:   "cancel NODE",
		Short: "Cancel the drain or fill that runs on a node",
		Args:  cobra.ExactArgs(1),
	})
}
