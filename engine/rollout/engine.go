package rollout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/pageserver"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/gate"
	"github.com/StorconTUI/storcon-tui/engine/hook"
	"github.com/StorconTUI/storcon-tui/engine/journal"
)

// Controller is what a run asks of a storage controller; *client.Client is one.
type Controller interface {
	StartDrain(context.Context, client.NodeID) error
	CancelDrain(context.Context, client.NodeID) error
	StartFill(context.Context, client.NodeID) error
	CancelFill(context.Context, client.NodeID) error
	ConfigureNode(context.Context, client.NodeConfig) error
	Probe(context.Context, client.NodeID) (*client.Operation, error)
	Node(context.Context, client.NodeID) (client.Node, error)
	NodeShards(context.Context, client.NodeID) (client.NodeShards, error)
	Tenant(context.Context, client.TenantID) (client.Tenant, error)
	EachTenantsPage(ctx context.Context, limit int, fn func([]client.Tenant) error) error
}

// Watch is the picture of the cluster; *cluster.Poller is one. It must be
// running while a Driver lives.
type Watch interface {
	Latest() *cluster.Snapshot
	SubscribeReads() (<-chan struct{}, func())
	RefreshNodes(context.Context) (*cluster.Snapshot, error)
	Look(context.Context) (*cluster.Snapshot, error)
	Hot(time.Duration)
	Decide(bool)
	WatchShards(client.NodeID) (release func())
	WatchProcess(client.NodeID) (release func())
}

var (
	_ Controller = (*client.Client)(nil)
	_ Watch      = (*cluster.Poller)(nil)
)

// EngineConfig is what runs of one cluster need.
type EngineConfig struct {
	Client Controller
	Poller Watch
	// Pageserver reads one node's process; nil = no proof by launch time.
	Pageserver func(context.Context, client.Node) (pageserver.Info, error)
	// NodeID asks a process which node it is; nil = that is not checked.
	NodeID   func(context.Context, client.Node) (client.NodeID, error)
	Hook     hook.Spec
	Store    *journal.Store
	Settings Settings
	Order    Order // of rolling restarts; "" = as given
	Canary   bool  // their least loaded node goes first and bakes longer
	Operator Operator
	Identity cluster.Identity
	Version  string
	Redact   func(string) string // removes secrets from hook output; nil changes nothing
	DenyEnv  []string            // variables that the hook must not inherit
	// Reads is how many GETs this process has sent; nil = not counted.
	Reads  func() int
	Logger *slog.Logger // nil = nothing is logged
}

// Engine plans runs on one cluster and starts them.
type Engine struct {
	cfg EngineConfig
	log *slog.Logger
}

// NewEngine makes an Engine. It sends nothing.
func NewEngine(cfg EngineConfig) *Engine {
	e := &Engine{cfg: cfg, log: cfg.Logger}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	return e
}

// ErrReadOnly: this console may only read.
var ErrReadOnly = errors.New("this console is read-only")

// UnfinishedRunError: a run that nobody has closed blocks a rolling restart.
type UnfinishedRunError struct{ Run journal.RunInfo }

func (e *UnfinishedRunError) Error() string {
	what := "nodes " + ids(e.Run.Nodes)
	if e.Run.Verb == journal.VerbReconfigure {
		what = plural(int64(len(e.Run.Computes)), "compute")
	}
	return fmt.Sprintf("run %s is not finished (%s of %s, by %s, journal %s): take it up again with `storcon-tui %s --resume %s`, or end it with `storcon-tui runs close %s`",
		e.Run.ID, e.Run.Verb, what, e.Run.By.User, e.Run.Path, e.Run.ResumeVerb(), e.Run.ID, e.Run.ID)
}

// JournalError: the journal cannot be written, so nothing may be sent.
type JournalError struct{ Err error }

func (e *JournalError) Error() string { return "journal: " + e.Err.Error() }
func (e *JournalError) Unwrap() error { return e.Err }

// Unfinished is the newest run that nobody has closed, nil when there is none.
// A run of this process that is going on is one too.
func (e *Engine) Unfinished() (*journal.RunInfo, error) {
	runs, err := e.cfg.Store.Unfinished()
	if err != nil || len(runs) == 0 {
		return nil, err
	}
	return &runs[0], nil
}

// tenantsPage is how many tenants are read at once.
const tenantsPage = 1000

// Plan makes a plan from the newest picture. It reads the tenant list once
// where a drain is planned and the token allows it; it changes nothing.
func (e *Engine) Plan(ctx context.Context, goal Goal, nodes []client.NodeID) (Plan, error) {
	snap := e.cfg.Poller.Latest()
	if snap.Stale(time.Now()) {
		var err error
		if snap, err = e.cfg.Poller.RefreshNodes(ctx); err != nil {
			return Plan{}, fmt.Errorf("read the node list: %w", err)
		}
	}
	in := PlanInput{
		Goal: goal, Nodes: nodes, At: time.Now(), Snapshot: snap,
		Hook: e.hookLiteral, Order: e.cfg.Order, Canary: e.cfg.Canary, Computes: computesOf(snap),
	}
	if err := e.readTenants(ctx, &in); err != nil {
		return Plan{}, err
	}
	in.Gates = e.planGates(in)
	return MakePlan(in)
}

// readTenants streams the tenant list into the plan. A scope that is missing
// turns it off and is said; any other failure ends the plan.
func (e *Engine) readTenants(ctx context.Context, in *PlanInput) error {
	if in.Goal != GoalRestart && in.Goal != GoalDrain {
		in.TenantsOff = "not needed for this"
		return nil
	}
	tenants := NewPlanTenants(in.Snapshot, in.Nodes, in.Computes)
	err := e.cfg.Client.EachTenantsPage(ctx, tenantsPage, func(page []client.Tenant) error {
		tenants.Add(page)
		return nil
	})
	switch {
	case err == nil:
		in.Tenants = tenants
	case client.KindOf(err) == client.Unauthorized:
		in.TenantsOff = "the token may not list tenants (scope admin): " + err.Error()
	default:
		return fmt.Errorf("list tenants for the plan: %w", err)
	}
	return nil
}

// planGates are the gates as they stand; what only a run can hold is off.
func (e *Engine) planGates(in PlanInput) []gate.Result {
	off := func(figure string) gate.Fact { return gate.Fact{Verdict: gate.Off, Figure: figure} }
	input := gate.Input{
		Snapshot: in.Snapshot, Now: in.At, TenantsOff: in.TenantsOff,
		Lock: off("taken when the run starts"), Journal: off("begun when the run starts"), Restart: off("nothing was restarted yet"),
		Alerts: in.Snapshot.Alerts, Window: e.cfg.Settings.Window,
	}
	var known []client.NodeID
	for _, id := range unique(in.Nodes) {
		if n, ok := in.Snapshot.Node(id); ok && leaveOut(in.Goal, n) == "" {
			known = append(known, id)
		}
	}
	return gate.EvaluatePlan(input, known, func(id client.NodeID) *gate.Tenants {
		n, _ := in.Snapshot.Node(id)
		if in.Tenants == nil {
			return nil
		}
		s := StepPlan{Node: id, AZ: n.AZ()}
		in.Tenants.fill(&s, nil)
		return s.gateTenants()
	})
}

func (e *Engine) hookLiteral(n client.Node) string {
	text, err := e.cfg.Hook.Display(e.hookEnv(n, 1))
	if err != nil {
		return "cannot be run: " + err.Error()
	}
	return text
}

func (e *Engine) hookEnv(n client.Node, attempt int) hook.Env {
	return hook.Env{
		ID: n.ID, Host: n.ListenHTTPAddr, HTTPPort: n.ListenHTTPPort, AZ: n.AZ(), Attempt: attempt,
		Cluster: e.cfg.Identity.Name, URL: e.cfg.Identity.Endpoint,
	}
}

// computesOf are those that are watched, with the tenants that they report.
func computesOf(s *cluster.Snapshot) []Compute {
	out := make([]Compute, len(s.Computes))
	for i, c := range s.Computes {
		out[i].Name = c.Name
		if c.Status.Known() && c.Status.Value.Tenant != nil {
			out[i].Tenant = client.TenantID(*c.Status.Value.Tenant)
		}
	}
	return out
}

// Start takes the cluster's lock, begins a journal and drives the plan. Errors:
// ErrReadOnly, ErrNotObserved, *UnfinishedRunError (a rolling restart only),
// *journal.ErrLocked, *JournalError, or what is wrong with the restart
// command; nothing was sent then. ctx ending detaches the run.
func (e *Engine) Start(ctx context.Context, plan Plan) (*Driver, error) {
	if err := e.preflight(plan); err != nil {
		return nil, err
	}
	lock, err := e.lock("")
	if err != nil {
		return nil, err
	}
	j, err := e.begin(plan, lock)
	if err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	return newDriver(ctx, e, New(plan, e.cfg.Settings), j, lock), nil
}

func (e *Engine) preflight(plan Plan) error {
	if e.cfg.Identity.ReadOnly {
		return ErrReadOnly
	}
	if e.cfg.Poller.Latest().Stale(time.Now()) {
		return ErrNotObserved
	}
	if len(plan.Steps) == 0 {
		return &NothingToDoError{LeftOut: plan.LeftOut}
	}
	if plan.Goal != GoalRestart {
		return nil
	}
	if err := e.cfg.Hook.Validate(); err != nil {
		return fmt.Errorf("restart command: %w", err)
	}
	for _, s := range plan.Steps {
		n, _ := e.cfg.Poller.Latest().Node(s.Node)
		if _, err := e.cfg.Hook.Render(e.hookEnv(n.Node, 1)); err != nil {
			return fmt.Errorf("restart command for node %s: %w", s.Node, err)
		}
	}
	open, err := e.Unfinished()
	if err != nil {
		return &JournalError{Err: err}
	}
	if open != nil && !e.driving() {
		return &UnfinishedRunError{Run: *open}
	}
	return nil
}

// driving reports that somebody holds the lock: an unfinished run is then a
// live one, and the lock says who drives it.
func (e *Engine) driving() bool {
	_, driven := e.cfg.Store.Driver()
	return driven
}

// lock takes the cluster's lock. A lock file that cannot be written is a journal
// that cannot: it is on the same disk.
func (e *Engine) lock(run string) (*journal.Lock, error) {
	lock, err := e.cfg.Store.Lock(e.lockInfo(run))
	var held *journal.ErrLocked
	if err != nil && !errors.As(err, &held) {
		return nil, &JournalError{Err: err}
	}
	return lock, err
}

func (e *Engine) lockInfo(run string) journal.Info {
	o := e.cfg.Operator
	return journal.Info{User: o.User, Host: o.Host, TTY: o.TTY, Run: run, Version: e.cfg.Version}
}

// begin writes the plan and the journal's header.
func (e *Engine) begin(plan Plan, lock *journal.Lock) (*journal.Journal, error) {
	planJSON, err := json.Marshal(plan)
	if err != nil {
		return nil, &JournalError{Err: fmt.Errorf("encode the plan: %w", err)}
	}
	settings, err := json.Marshal(e.cfg.Settings.orDefaults())
	if err != nil {
		return nil, &JournalError{Err: fmt.Errorf("encode the settings: %w", err)}
	}
	snap := e.cfg.Poller.Latest()
	h := journal.Header{
		Tool: e.cfg.Version, URL: e.cfg.Identity.Endpoint, Verb: string(plan.Goal), Demo: e.cfg.Identity.Demo,
		Settings: settings, TokenSub: snap.Token.Subject, Plan: planJSON, By: actor(e.cfg.Operator),
	}
	if !snap.Token.Expires.IsZero() {
		h.TokenExp = &snap.Token.Expires
	}
	for _, s := range plan.Steps {
		h.Nodes = append(h.Nodes, s.Node)
	}
	for _, n := range snap.Nodes.Value {
		h.Members = append(h.Members, journal.Member{ID: n.ID, AZ: n.AZ()})
	}
	j, err := e.cfg.Store.Create(h)
	if err != nil {
		return nil, &JournalError{Err: err}
	}
	if err := lock.SetInfo(e.lockInfo(j.RunID())); err != nil {
		return nil, errors.Join(&JournalError{Err: err}, j.Close())
	}
	return j, nil
}
