package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/client/prometheus"
	"github.com/StorconTUI/storcon-tui/cmd/storcon-tui/config"
	"github.com/StorconTUI/storcon-tui/cmd/storcon-tui/metrics"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/journal"
)

// connection is what a verb that talks to a cluster works with.
type connection struct {
	settings config.Settings
	run      runFlags // of a rolling restart
	identity cluster.Identity
	rates    cluster.Rates
	beside   bool              // other clusters are watched beside it
	secrets  *journal.Redactor // every token that was read
	store    *journal.Store
	log      *slog.Logger
	token    client.TokenSource // nil = none is sent
	client   *client.Client
	poller   *cluster.Poller

	herald      *herald // nil for a verb that only reads
	pageservers *pageservers
	computes    roster
	alerts      *prometheus.Client // nil = none is configured
	reads       atomic.Int64       // GETs that were sent to the controller
	logFile     io.Closer

	metrics metrics.Cluster // who tells of it what; shown if exposed
	exposed bool
	hide    func() // ends that

	told       chan string  // for the operator, on whatever screen there is
	unwritten  bytes.Buffer // records that no file took
	unrecorded string       // why the history does not go on; "" = it does
	stderr     io.Writer    // where they are printed at the end, when no screen is in the way
}

// openStore opens the place of the chosen cluster's runs.
func openStore(settings config.Settings, o journal.Options) (*journal.Store, error) {
	o.Spare = filepath.Join("/var/tmp", fmt.Sprintf("storcon-tui-%d", os.Geteuid()))
	store, err := journal.Open(settings.StateDir, settings.Cluster.Name, o)
	if err != nil {
		return nil, &exitError{code: exitJournal, err: err}
	}
	return store, nil
}

// connect prepares everything for the chosen cluster; nothing is sent yet.
func (p *program) connect() (*connection, error) {
	settings, err := p.settings()
	if err != nil {
		return nil, err
	}
	c := &connection{
		settings: settings, run: p.restart, rates: p.rates(), beside: p.beside > 0,
		secrets: &journal.Redactor{}, told: make(chan string, 1), stderr: p.err, hide: func() {},
	}
	if c.identity, err = identity(settings); err != nil {
		return nil, err
	}
	c.metrics.Name(c.identity.Name)
	c.store, err = openStore(settings, journal.Options{Redact: c.secrets.Redact, LastResort: &c.unwritten})
	if err != nil {
		return nil, err
	}
	if c.log, c.logFile, err = openLog(c.store.Dir(), c.secrets.Redact); err != nil {
		return nil, &exitError{code: exitJournal, err: err}
	}
	if err := c.dial(); err != nil {
		return nil, errors.Join(usage(err), c.logFile.Close())
	}
	return c, nil
}

// connectToStay is connect for a verb that goes on for a while, at which somebody else may
// want to look too.
func (p *program) connectToStay() (*connection, error) {
	c, err := p.connect()
	if err != nil {
		return nil, err
	}
	if c.hide, err = p.expose(c); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// connectToDrive is connect for a verb that may start a run, of which people
// may want to be told.
func (p *program) connectToDrive() (*connection, error) {
	c, err := p.connectToStay()
	if err != nil {
		return nil, err
	}
	if c.herald, err = p.herald(c); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func identity(s config.Settings) (cluster.Identity, error) {
	u, err := url.Parse(s.Cluster.URL)
	if err != nil {
		return cluster.Identity{}, usagef("url of cluster %s: %w", s.Cluster.Name, err)
	}
	return cluster.Identity{
		Name: s.Cluster.Name, Endpoint: u.Host, Demo: s.Cluster.Demo, ReadOnly: s.ReadOnly,
	}, nil
}

// dial makes the clients and the poller.
func (c *connection) dial() error {
	calls := cluster.NewCalls()
	tls, err := config.TLS(c.settings.Cluster.CAFile)
	if err != nil {
		return err
	}
	c.token = c.tokenSource(c.settings.Cluster.Token)
	c.client, err = client.New(client.Config{
		BaseURL:   c.settings.Cluster.URL,
		Token:     c.token,
		TLS:       tls,
		ReadOnly:  c.settings.ReadOnly,
		UserAgent: userAgent(),
		OnSend:    calls.Sent,
		OnCall: func(call client.Call) {
			calls.Observe(call)
			if call.Method == http.MethodGet {
				c.reads.Add(1)
			}
			c.logCall(call)
		},
	})
	if err != nil {
		return err
	}
	if c.pageservers, err = newPageservers(c.settings.Cluster.PageserverCA); err != nil {
		return err
	}
	c.computes.dial = c.dialCompute
	if err := c.computes.begin(c.settings.Cluster); err != nil {
		return err
	}
	alerts, err := c.alertSource()
	if err != nil {
		return err
	}
	tenant := c.client.WithoutRetries().Tenant
	if c.beside {
		tenant = nil // which nodes computes depend on is not told of many clusters
	}
	c.poller = cluster.New(cluster.Config{
		Client:     c.client.WithoutRetries(),
		Identity:   c.identity,
		Pageserver: c.pageservers.fetch,
		Computes:   c.computes.sources(),
		Discover:   c.computes.discover(),
		Tenant:     tenant,
		Alerts:     alerts,
		Token:      c.tokenView,
		Calls:      calls,
		Rates:      c.rates,
		Logger:     c.log,
	})
	return nil
}

// alertSource asks the configured monitoring; nil when there is none.
func (c *connection) alertSource() (func(context.Context) ([]string, error), error) {
	a := c.settings.Cluster.Alerts
	if a == nil {
		return nil, nil
	}
	tls, err := config.TLS(a.CAFile)
	if err != nil {
		return nil, err
	}
	c.alerts, err = prometheus.New(client.Config{
		BaseURL: a.URL, Token: c.tokenSource(a.Token), TLS: tls, UserAgent: userAgent(),
	}, a.Query)
	if err != nil {
		return nil, err
	}
	return c.alerts.WithoutRetries().Firing, nil
}

func userAgent() string { return "storcon-tui/" + version() }

// logCall keeps every request that may change something, and every failure.
func (c *connection) logCall(call client.Call) {
	if call.Err == nil && !call.Mutates() && !call.Probe {
		return
	}
	c.log.Info("call", "method", call.Method, "path", call.Path, "status", call.Status,
		"took_ms", call.Took.Milliseconds(), "err", call.Err)
}

func (c *connection) dialCompute(one config.Compute) (*compute.Client, error) {
	return compute.New(client.Config{
		BaseURL: one.URL, Token: c.tokenSource(one.Token),
		ReadOnly: c.settings.ReadOnly, UserAgent: userAgent(), ReadRetries: -1,
	})
}

// tokenView is what may be said of the controller's token.
func (c *connection) tokenView(ctx context.Context) cluster.TokenView {
	if c.token == nil {
		return cluster.TokenView{}
	}
	view := cluster.TokenView{Source: c.token.Describe()}
	if claims, ok := c.client.TokenInfo(ctx); ok {
		view.Scope, view.Subject, view.Expires = claims.Scope, claims.Subject, claims.Expires
	}
	return view
}

// unfinished are the runs that an earlier process left open.
func (c *connection) unfinished() ([]journal.RunInfo, error) {
	open, err := c.store.Unfinished()
	if err != nil {
		return nil, &exitError{code: exitJournal, err: err}
	}
	return open, nil
}

func (c *connection) close() {
	c.hide()
	if c.herald != nil {
		c.herald.close()
	}
	c.client.CloseIdle()
	c.pageservers.closeIdle()
	c.computes.closeIdle()
	if c.alerts != nil {
		c.alerts.CloseIdle()
	}
	_ = c.logFile.Close() // every record was written when it was made
	_, _ = c.unwritten.WriteTo(c.stderr)
	if c.unrecorded != "" {
		fmt.Fprintln(c.stderr, "storcon-tui: "+c.unrecorded)
	}
}
