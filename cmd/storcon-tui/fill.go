package main

import (
	"github.com/spf13/cobra"

	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

func (p *program) fillVerb() *cobra.Command {
	return p.goalVerb(rollout.GoalFill, &cobra.Command{
		Use:   "fill NODE",
		Short: "Bring shards back to a node",
		Args:  cobra.ExactArgs(1),
	})
}
