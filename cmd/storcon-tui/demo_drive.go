package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/cmd/storcon-tui/config"
	"github.com/StorconTUI/storcon-tui/demo/server"
)

// driveOptions are the flags of demo drive.
type driveOptions struct {
	period time.Duration
	fault  string
	build  string
}

func (p *program) demoDriveVerb() *cobra.Command {
	var o driveOptions
	verb := &cobra.Command{
		Use:   "drive NODE...",
		Short: "Restart nodes of a demo that is being served as a script would, for somebody to watch",
		Long: `Restart nodes of a demo that is being served, one after another and without a
question, as the script of the storage controller's RFC does: drain, poll until
PauseForRestart, restart the process, poll until Active/Active, fill, poll until
Active. It is the release that somebody else drives, to be watched. It acts on
nothing but what demo serve serves; --config names the configuration of that.

--fault has something go wrong at the first node that is named:

` + faultTable("  "),
		Args: func(cmd *cobra.Command, args []string) error {
			if o.fault == listFaults {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.MinimumNArgs(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.fault == listFaults {
				_, err := io.WriteString(p.out, faultTable(""))
				return err
			}
			return p.drive(cmd.Context(), o, args)
		},
	}
	flags := verb.Flags()
	flags.DurationVar(&o.period, "period", 5*time.Second, "time between two polls, and at least between two steps")
	flags.StringVar(&o.fault, "fault", "", "what goes wrong; list names all")
	flags.StringVar(&o.build, "build", "rel-2", "build that a restarted node runs; \"\" leaves the one it has")
	return verb
}

// listFaults is the --fault that names all others.
const listFaults = "list"

// faultTable has a line for each fault.
func faultTable(indent string) string {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, f := range driveFaults() {
		fmt.Fprintf(t, "%s%s\t%s\n", indent, f.name, f.does)
	}
	_ = t.Flush() // into memory
	return b.String()
}

// drive restarts nodes of a demo as a script does that knows nothing of us.
func (p *program) drive(ctx context.Context, o driveOptions, args []string) error {
	nodes, fault, err := checkDrive(o, args)
	if err != nil {
		return err
	}
	c, err := p.connect()
	if err != nil {
		return err
	}
	defer c.close()
	ctx, _, stop := watchSignals(ctx)
	defer stop()
	admin, err := demoAdmin(c.settings)
	if err != nil {
		return err
	}
	s := &driveScript{
		client: c.client, admin: admin, period: o.period, build: o.build, nodes: nodes, out: p.out,
	}
	if computes := c.settings.Cluster.Computes; len(computes) > 0 {
		s.compute = computes[0].Name
	}
	err = s.prepare(ctx)
	if err == nil {
		err = s.run(ctx, fault)
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return c.at(err)
	}
	return nil
}

// checkDrive reads the command line.
func checkDrive(o driveOptions, args []string) ([]client.NodeID, driveFault, error) {
	nodes, err := nodeIDs(args)
	if err != nil {
		return nil, driveFault{}, err
	}
	for i, id := range nodes {
		if slices.Contains(nodes[:i], id) {
			return nil, driveFault{}, usagef("node %s is named twice", id)
		}
	}
	if o.period <= 0 {
		return nil, driveFault{}, usagef("--period: expected more than 0, got %s", o.period)
	}
	if o.fault == "" {
		return nodes, driveFault{}, nil
	}
	faults := driveFaults()
	i := slices.IndexFunc(faults, func(f driveFault) bool { return f.name == o.fault })
	switch {
	case i < 0:
		return nil, driveFault{}, usagef("--fault: no fault %q; --fault %s names all", o.fault, listFaults)
	case len(nodes) < faults[i].nodes:
		return nil, driveFault{}, usagef("--fault %s: expected at least %d nodes", o.fault, faults[i].nodes)
	}
	return nodes, faults[i], nil
}

// demoAdmin is the admin address of a demo: its configuration has it in the restart
// command. Another cluster is refused before anything is sent to it.
func demoAdmin(s config.Settings) (string, error) {
	argv := s.Cluster.Restart.Argv
	at := slices.Index(argv, "--admin") + 1
	if !s.Cluster.Demo || at == 0 || at == len(argv) {
		return "", usagef("cluster %s is no demo: demo drive acts only on what demo serve serves, with the configuration that it wrote", s.Cluster.Name)
	}
	return argv[at], nil
}

// prove makes sure that the demo whose admin address is known is the cluster that is
// talked to, since a configuration may say anything: a read that nobody else makes
// has to be in that demo's list of calls. It changes nothing anywhere.
func (s *driveScript) prove(ctx context.Context) error {
	nobody := client.NodeID(1<<40 + rand.Uint64N(1<<40))
	_, err := s.client.Node(ctx, nobody)
	if err != nil && !client.NodeUnknown(err) {
		return err
	}
	calls, err := server.CallsViaAdmin(ctx, s.admin)
	if err != nil {
		return preflight(fmt.Errorf("ask the demo's admin address %s: %w", s.admin, err))
	}
	for _, call := range slices.Backward(calls) {
		if strings.HasSuffix(call.Path, "/"+nobody.String()) {
			return nil
		}
	}
	return preflight(fmt.Errorf("this is not the demo whose admin address is %s: nothing was sent", s.admin))
}
