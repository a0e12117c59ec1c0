package main

import (
	"github.com/spf13/cobra"

	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

func (p *program) drainVerb() *cobra.Command {
	return p.goalVerb(rollout.GoalDrain, &cobra.Command{
		Use:   "drain NODE",
		Short: "Move a node's shards away; it ends in PauseForRestart",
		Args:  cobra.ExactArgs(1),
	})
}
