package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/StorconTUI/storcon-tui/demo/server"
)

// demoRestartVerb is the restart hook of the demo: it asks the demo to restart
// a node's process, as a hook in production asks systemd.
func (p *program) demoRestartVerb() *cobra.Command {
	var admin string
	verb := &cobra.Command{
		Use:   "restart ID",
		Short: "Restart a node of a demo that is being served; its restart hook",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := nodeID(args[0])
			if err != nil {
				return err
			}
			if err := server.RestartViaAdmin(cmd.Context(), admin, id, ""); err != nil {
				return err
			}
			_, err = fmt.Fprintf(p.out, "node %s of the demo was restarted\n", id)
			return err
		},
	}
	verb.Flags().StringVar(&admin, "admin", "", "the demo's admin address, http://127.0.0.1:PORT")
	_ = verb.MarkFlagRequired("admin") // fails for a flag that does not exist only
	return verb
}
