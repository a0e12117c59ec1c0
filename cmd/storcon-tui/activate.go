package main

import (
	"github.com/spf13/cobra"

	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// activateVerb is what a run that leaves a node behind names as the command
// that puts it right.
func (p *program) activateVerb() *cobra.Command {
	return p.goalVerb(rollout.GoalActivate, &cobra.Command{
		Use:   "activate NODE",
		Short: "Set a node's policy to Active, after a drain that was left",
		Args:  cobra.ExactArgs(1),
	})
}
