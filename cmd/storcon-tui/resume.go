package main

import "github.com/spf13/cobra"

// resumable lets the verb take an unfinished run up again.
func (p *program) resumable(verb *cobra.Command) {
	var resume bool
	verb.Flags().BoolVar(&resume, "resume", false, "take an unfinished run up again")
	verb.Args = func(cmd *cobra.Command, args []string) error {
		if resume {
			return cobra.MaximumNArgs(1)(cmd, args)
		}
		return cobra.MinimumNArgs(1)(cmd, args)
	}
	begin := verb.RunE
	verb.RunE = func(cmd *cobra.Command, args []string) error {
		if !resume {
			return begin(cmd, args)
		}
		if auto, _ := cmd.Flags().GetBool("auto"); auto {
			return usagef("--resume asks a person: it goes without --auto")
		}
		run := ""
		if len(args) > 0 {
			run = args[0]
		}
		if byLine, _ := cmd.Flags().GetBool("plain"); byLine {
			return p.takeUp(cmd.Context(), run)
		}
		return p.resumeInConsole(cmd.Context(), run)
	}
}
