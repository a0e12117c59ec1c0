package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/demo/server"
)

func (p *program) demoVerb() *cobra.Command {
	var options server.Options
	demo := &cobra.Command{
		Use:   "demo",
		Short: "Open the console on a fake cluster in the same process",
		Long: `Open the console on a fake cluster in the same process: a simulated storage
controller with its pageservers and computes behind real HTTP on loopback. The
console talks to it as it would to a real one. Nothing real is touched.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.demo(cmd.Context(), options) },
	}
	demoFlags(demo.Flags(), &options)
	demo.AddCommand(p.demoServeVerb(), p.demoRestartVerb(), p.demoDriveVerb())
	return demo
}

// demoFlags are those of the cluster, in the controller's own words where it
// has them.
func demoFlags(flags *pflag.FlagSet, o *server.Options) {
	flags.IntVar(&o.Nodes, "nodes", 6, "pageserver nodes")
	flags.IntVar(&o.AZs, "azs", 0, "availability zones (default half of the nodes, 3 at most)")
	flags.IntVar(&o.Tenants, "tenants", 0, "tenants (default 400 a node)")
	flags.Int64Var(&o.Seed, "seed", 1, "repeats the cluster and its history")
	flags.Float64Var(&o.Speed, "speed", 1, "divides every duration of the simulation")
	flags.BoolVar(&o.Auth, "auth", false, "ask for tokens")
	flags.StringVar(&o.Listen, "listen", "", "address of the controller (default a free port of 127.0.0.1)")
	flags.DurationVar(&o.HeartbeatInterval, "heartbeat-interval", 0, "as the controller has it (default 5s)")
	flags.DurationVar(&o.MaxOfflineInterval, "max-offline-interval", 0, "as the controller has it (default 30s)")
	flags.DurationVar(&o.MaxWarmingUpInterval, "max-warming-up-interval", 0, "as the controller has it (default 5m)")
	flags.Int64Var(&o.MaxSecondaryLagBytes, "max-secondary-lag-bytes", 0, "as the controller has it (default 256 MiB)")
}

// checkDemo refuses what would be ignored silently: tenants and the like are
// asked for explicitly or not at all.
func (p *program) checkDemo(o server.Options) error {
	for _, f := range []struct{ name, value string }{
		{"--config", p.flags.Config},
		{"--cluster", p.flags.Cluster},
		{"--url", p.flags.URL},
		{"--token-file", p.flags.TokenFile},
		{"--ca-file", p.flags.CAFile},
		{"--neon-local", p.flags.NeonLocal},
	} {
		if f.value != "" {
			return usagef("%s has no meaning here: the demo is a cluster of its own", f.name)
		}
	}
	if o.Nodes < 1 || o.Speed <= 0 || o.AZs < 0 || o.Tenants < 0 {
		return usage(errors.New("expected --nodes of at least 1, --speed above 0, and no negative numbers"))
	}
	return nil
}

// demo serves a cluster, writes its configuration as demo serve would, and goes
// on as if the user had named that file.
func (p *program) demo(ctx context.Context, options server.Options) error {
	if err := p.checkDemo(options); err != nil {
		return err
	}
	if err := p.needTerminal(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "storcon-tui-demo-")
	if err != nil {
		return fmt.Errorf("make a directory for the demo: %w", err)
	}
	defer func() { p.tidyDemo(dir) }()
	cluster, err := server.Start(ctx, options)
	if err != nil {
		return fmt.Errorf("start the demo: %w", err)
	}
	defer func() { _ = cluster.Close() }() // it only waits
	p.flags.Config = filepath.Join(dir, "config.toml")
	if err := writeDemoConfig(cluster, options.Auth, p.flags.Config); err != nil {
		return err
	}
	if p.flags.StateDir == "" {
		p.flags.StateDir = filepath.Join(dir, "state")
	}
	return p.openConsole(ctx, nil)
}

// tidyDemo removes what a demo has written, except for journals: the report of a
// run has just named them.
func (p *program) tidyDemo(dir string) {
	runs, err := filepath.Glob(filepath.Join(dir, "state", "storcon-tui", "*", "runs", "*", "journal.jsonl"))
	if err != nil || len(runs) == 0 {
		_ = os.RemoveAll(dir)
		return
	}
	kept := filepath.Join(dir, "state")
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if path := filepath.Join(dir, e.Name()); path != kept {
			err = errors.Join(err, os.RemoveAll(path))
		}
	}
	if err != nil {
		fmt.Fprintf(p.err, "storcon-tui: remove what the demo has written: %v\n", err)
	}
	fmt.Fprintf(p.err, "storcon-tui: the journals of the demo are kept in %s\n", kept)
}

// writeDemoConfig writes the configuration, and the tokens beside it. The file
// is complete as soon as it exists.
func writeDemoConfig(cluster *server.Server, auth bool, path string) error {
	token := ""
	if auth {
		var err error
		if token, err = writeDemoTokens(cluster, path); err != nil {
			return err
		}
	}
	specs, err := writeDemoSpecs(cluster, path+".specs")
	if err != nil {
		return err
	}
	text, err := demoConfig(cluster, token, specs)
	if err != nil {
		return err
	}
	return replaceFile(path, text)
}

// writeDemoSpecs writes the computes' last known specs, which no configure changes.
func writeDemoSpecs(cluster *server.Server, dir string) (absolute string, err error) {
	if absolute, err = filepath.Abs(dir); err != nil {
		return "", err
	}
	if err := os.MkdirAll(absolute, 0o700); err != nil {
		return "", fmt.Errorf("write the demo's specs: %w", err)
	}
	for _, c := range cluster.Computes() {
		spec, ok := cluster.ComputeSpec(c.Name)
		if !ok {
			continue
		}
		if err := replaceFile(filepath.Join(absolute, c.Name+".json"), string(spec)+"\n"); err != nil {
			return "", err
		}
	}
	return absolute, nil
}

func demoConfig(cluster *server.Server, tokenFile, specs string) (string, error) {
	binary, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program for the restart hook: %w", err)
	}
	return cluster.ConfigTOML(binary, tokenFile, specs), nil
}

// writeDemoTokens writes one file per scope and names the admin's.
func writeDemoTokens(cluster *server.Server, path string) (admin string, err error) {
	for _, scope := range []string{client.ScopeInfra, client.ScopeAdmin} {
		if admin, err = filepath.Abs(path + "." + scope + ".jwt"); err != nil {
			return "", err
		}
		if err := replaceFile(admin, cluster.Token(scope)+"\n"); err != nil {
			return "", err
		}
	}
	return admin, nil
}

// replaceFile puts a file that only its owner may read in place in one step.
func replaceFile(path, text string) error {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	_, err = file.WriteString(text)
	err = errors.Join(err, file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
