package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/StorconTUI/storcon-tui/demo/server"
)

func (p *program) demoServeVerb() *cobra.Command {
	var options server.Options
	var configOut string
	serve := &cobra.Command{
		Use:   "serve",
		Short: "Serve a fake cluster for curl, scripts or other consoles",
		Long: `Serve a fake cluster until SIGINT or SIGTERM. A configuration for it is
printed on standard output, or written to the file that --config-out names: once
that file exists, the cluster answers. The first line on standard error, and a
comment in the configuration, name the admin address:

  GET  /demo/calls                                  every request to the controller
  POST /demo/nodes/ID/restart|stop|start?down=500ms&build=rel-2
  POST /demo/nodes/ID/set?lag=BYTES&delay=900ms&says=ID   secondary lag, time of a location change, the id it tells
  POST /demo/controller/kill|term|start|takeover
  POST /demo/notify?status=503                      what compute notifications get
  POST /demo/computes/NAME/end|kill-postgres|mute|answer
  POST /demo/computes/NAME/script?apply=5s&fails=true&silent=true&wedge=true&no_effect=true
  POST /demo/tenants?count=N&shards=S&secondaries=0|1
  POST /demo/faults?path=REGEX&method=PUT&count=N&kind=drop-before|drop-after|status|body|delay&value=...
  DELETE /demo/faults                               disarms all

The last known specs of the computes lie beside the configuration, in FILE.specs;
no configure changes them. With --auth the token files lie beside the configuration: FILE.admin.jwt, which
the configuration names, and FILE.infra.jwt.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.serveDemo(cmd.Context(), options, configOut)
		},
	}
	demoFlags(serve.Flags(), &options)
	serve.Flags().StringVar(&configOut, "config-out", "", "file for the configuration (default standard output)")
	return serve
}

func (p *program) serveDemo(ctx context.Context, options server.Options, configOut string) error {
	if err := p.checkDemo(options); err != nil {
		return err
	}
	ctx, _, stop := watchSignals(ctx)
	defer stop()
	cluster, err := server.Start(ctx, options)
	if err != nil {
		return fmt.Errorf("start the demo: %w", err)
	}
	defer func() { _ = cluster.Close() }() // it only waits
	fmt.Fprintf(p.err, "admin: %s\n", cluster.AdminURL())
	if configOut != "" {
		if err := writeDemoConfig(cluster, options.Auth, configOut); err != nil {
			return err
		}
	} else {
		done, err := p.printDemoConfig(cluster, options.Auth)
		if err != nil {
			return err
		}
		defer done()
	}
	<-ctx.Done()
	return nil
}

// printDemoConfig prints the configuration; its tokens and specs live as long as the
// demo.
func (p *program) printDemoConfig(cluster *server.Server, auth bool) (done func(), err error) {
	dir, err := os.MkdirTemp("", "storcon-tui-demo-")
	if err != nil {
		return nil, fmt.Errorf("make a directory for tokens and specs: %w", err)
	}
	done = func() { _ = os.RemoveAll(dir) }
	token := ""
	if auth {
		if token, err = writeDemoTokens(cluster, filepath.Join(dir, "demo")); err != nil {
			done()
			return nil, err
		}
	}
	specs, err := writeDemoSpecs(cluster, filepath.Join(dir, "specs"))
	if err != nil {
		done()
		return nil, err
	}
	text, err := demoConfig(cluster, token, specs)
	if err != nil {
		done()
		return nil, err
	}
	_, err = fmt.Fprint(p.out, text)
	return done, err
}
