package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/cmd/storcon-tui/config"
	"github.com/StorconTUI/storcon-tui/cmd/storcon-tui/metrics"
)

// program is one execution: its streams and its flags.
type program struct {
	in       *os.File
	out, err *os.File

	flags   config.Flags
	restart runFlags
	beside  int             // so many clusters are watched side by side, this one included; 0 = one alone
	served  *metrics.Server // for as long as the program lives; nil = by each connection for itself
	began   bool            // a verb runs: an error from now on is not one of usage
}

func (p *program) run(args []string) int {
	root := p.root()
	root.SetArgs(args)
	root.SetIn(p.in)
	root.SetOut(p.out)
	root.SetErr(p.err)
	err := root.Execute()
	code := exitCode(err)
	if err != nil && !p.began {
		code = exitUsage
	}
	if text := message(err); text != "" {
		fmt.Fprintln(p.err, text)
	}
	return int(code)
}

// message is what is printed of an error: every line of it names the program,
// and nothing in it can move the cursor.
func message(err error) string {
	if err == nil || err.Error() == "" {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(err.Error()), "\n")
	for i, line := range lines {
		lines[i] = "storcon-tui: " + client.Clean(line)
	}
	return strings.Join(lines, "\n")
}

func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "storcon-tui",
		Short: "Watch a storage controller's cluster and restart its pageservers one after another",
		Long: `Watch a storage controller's cluster and restart its pageservers one after
another: drain, restart, fill, each step confirmed by a person.

Without a verb it opens the console. Nothing is sent to the cluster that was
not confirmed.`,
		Args:          noVerb,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return p.openConsole(cmd.Context(), nil) },
		PersistentPreRun: func(*cobra.Command, []string) {
			p.began = true
		},
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SuggestionsMinimumDistance = 2
	flags := root.PersistentFlags()
	flags.StringVar(&p.flags.Config, "config", "", "configuration file (default "+config.DefaultPath()+")")
	flags.StringVar(&p.flags.Cluster, "cluster", "", "cluster of the configuration (default its default_cluster)")
	flags.StringVar(&p.flags.URL, "url", "", "the controller's http(s)://host:port; alone, a cluster without configuration")
	flags.StringVar(&p.flags.NeonLocal, "neon-local", "", "directory of neon_local, as NEON_REPO_DIR: its controller, tokens and computes")
	flags.StringVar(&p.flags.TokenFile, "token-file", "", "file with the token to send")
	flags.StringVar(&p.flags.CAFile, "ca-file", "", "certificates of the authority that signed the controller's")
	flags.BoolVar(&p.flags.ReadOnly, "read-only", false, "send nothing that could change the cluster")
	flags.StringVar(&p.flags.Theme, "theme", "", "dark, light, mono or a file")
	flags.StringVar(&p.flags.StateDir, "state-dir", "", "where journals are kept (default "+config.DefaultStateDir()+")")
	flags.StringVar(&p.flags.Metrics, "metrics-addr", "", "serve metrics for a Prometheus at HOST:PORT, or PORT of loopback (default off)")
	root.AddCommand(
		p.demoVerb(), p.statusVerb(), p.watchVerb(), p.computesVerb(), p.planVerb(), p.rolloutVerb(), p.reconfigureVerb(),
		p.drainVerb(), p.fillVerb(), p.cancelVerb(), p.activateVerb(), p.runsVerb(), p.versionVerb(),
	)
	return root
}

// noVerb refuses what is no verb and names the one that was meant.
func noVerb(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	text := fmt.Sprintf("no verb %q; see storcon-tui --help", args[0])
	if near := root.SuggestionsFor(args[0]); len(near) > 0 {
		text += fmt.Sprintf("; did you mean %s?", strings.Join(near, " or "))
	}
	return errors.New(text)
}

// settings are those of the command line and the configuration.
func (p *program) settings() (config.Settings, error) {
	settings, err := config.Resolve(p.flags)
	if err != nil {
		return settings, usage(err)
	}
	return settings, nil
}
