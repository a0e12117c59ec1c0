package main

import (
	"github.com/spf13/cobra"

	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

func (p *program) rolloutVerb() *cobra.Command {
	return p.goalVerb(rollout.GoalRestart, &cobra.Command{
		Use:   "rollout NODE...",
		Short: "Restart nodes one after another: drain, restart, fill",
		Long: `Restart nodes one after another, in the order given: drain, restart, fill.
The console opens with the plan; nothing is sent before it is started and each
step is confirmed. With --plain it goes line by line: each question stands on a
line that begins with "? " and lists the words it accepts, one answer a line is
read from standard input. "yes" accepts what is proposed; the end of input pauses
the run and is never an answer.`,
		Args: cobra.MinimumNArgs(1),
	})
}
