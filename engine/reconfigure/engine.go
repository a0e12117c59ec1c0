package reconfigure

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/client/postgres"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// Verb is what the journal's header calls these runs.
const Verb = journal.VerbReconfigure

// Configurer is what a run asks of a compute; *compute.Client is one.
type Configurer interface {
	Status(context.Context) (compute.Status, error)
	Configure(ctx context.Context, spec json.RawMessage, form compute.Form, limit time.Duration) (compute.Status, error)
	CheckWritability(context.Context) error
}

var _ Configurer = (*compute.Client)(nil)

// Compute is one configured compute.
type Compute struct {
	Name   string
	URL    string
	Client Configurer
	// LastKnown is the spec that it was given last, and From the place for people; nil =
	// nobody knows it.
	LastKnown func(context.Context) ([]byte, error)
	From      string
	// Settings reads Postgres's settings through SQL; nil = no connection is configured.
	Settings func(ctx context.Context, names []string) (map[string]postgres.Setting, error)
}

// EngineConfig is what runs of one cluster need.
type EngineConfig struct {
	// Computes are the configured ones as they are now: the list may change.
	Computes func() []Compute
	// Locate asks the storage controller where a tenant's shards are; for Repoint.
	Locate   func(context.Context, client.TenantID) (client.Locations, error)
	Store    *journal.Store
	Settings Settings
	Operator rollout.Operator
	Identity cluster.Identity
	Version  string
	Logger   *slog.Logger // nil = nothing is logged
}

// Engine plans reconfigures of one cluster's computes and starts them.
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

// Start takes the cluster's lock, begins a journal and drives the plan. Errors:
// rollout.ErrReadOnly, *rollout.UnfinishedRunError for a reconfigure that nobody has
// closed, *journal.ErrLocked, *rollout.JournalError; nothing was sent then. ctx ending
// detaches the run.
func (e *Engine) Start(ctx context.Context, plan Plan) (*Driver, error) {
	if e.cfg.Identity.ReadOnly {
		return nil, rollout.ErrReadOnly
	}
	if len(plan.Items) == 0 {
		return nil, &NothingToDoError{LeftOut: plan.LeftOut}
	}
	computes, err := e.of(plan)
	if err != nil {
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
	return newDriver(ctx, e, New(plan, e.cfg.Settings), computes, j, lock), nil
}

// of are the computes of a plan, by name.
func (e *Engine) of(plan Plan) (map[string]Compute, error) {
	known := map[string]Compute{}
	for _, c := range e.cfg.Computes() {
		known[c.Name] = c
	}
	for _, it := range plan.Items {
		if _, ok := known[it.Compute]; !ok {
			return nil, e.unknown(it.Compute)
		}
	}
	return known, nil
}

func (e *Engine) unknown(name string) error {
	err := &UnknownComputeError{Name: name}
	for _, c := range e.cfg.Computes() {
		err.Known = append(err.Known, c.Name)
	}
	return err
}

func (e *Engine) lock(run string) (*journal.Lock, error) {
	lock, err := e.cfg.Store.Lock(e.lockInfo(run))
	var held *journal.ErrLocked
	if err != nil && !errors.As(err, &held) {
		return nil, &rollout.JournalError{Err: err}
	}
	return lock, err
}

func (e *Engine) lockInfo(run string) journal.Info {
	o := e.cfg.Operator
	return journal.Info{User: o.User, Host: o.Host, TTY: o.TTY, Run: run, Version: e.cfg.Version}
}

// begin writes the plan and the journal's header. The lock is held, so that an
// unfinished run is nobody's live one.
func (e *Engine) begin(plan Plan, lock *journal.Lock) (*journal.Journal, error) {
	open, err := e.unfinished()
	switch {
	case err != nil:
		return nil, err
	case len(open) > 0:
		return nil, &rollout.UnfinishedRunError{Run: open[0]}
	}
	planJSON, err := json.Marshal(plan)
	if err != nil {
		return nil, &rollout.JournalError{Err: fmt.Errorf("encode the plan: %w", err)}
	}
	o := e.cfg.Operator
	h := journal.Header{
		Tool: e.cfg.Version, URL: e.cfg.Identity.Endpoint, Verb: Verb, Demo: e.cfg.Identity.Demo, Plan: planJSON,
		By: &journal.Actor{User: o.User, Host: o.Host, TTY: o.TTY},
	}
	for _, it := range plan.Items {
		h.Computes = append(h.Computes, it.Compute)
	}
	j, err := e.cfg.Store.Create(h)
	if err != nil {
		return nil, &rollout.JournalError{Err: err}
	}
	if err := lock.SetInfo(e.lockInfo(j.RunID())); err != nil {
		return nil, errors.Join(&rollout.JournalError{Err: err}, j.Close())
	}
	return j, nil
}

// unfinished are the reconfigures that nobody has closed, newest first.
func (e *Engine) unfinished() ([]journal.RunInfo, error) {
	open, err := e.cfg.Store.Unfinished()
	if err != nil {
		return nil, &rollout.JournalError{Err: err}
	}
	return slices.DeleteFunc(open, func(r journal.RunInfo) bool { return r.Verb != Verb }), nil
}

// SpecChangedError: what an unfinished run was confirmed for can no longer be made, since
// what its specs are made of has changed.
type SpecChangedError struct {
	Run      string
	Source   Source
	Computes []string
}

func (e *SpecChangedError) Error() string {
	from := string(e.Source.Kind)
	if e.Source.Path != "" {
		from += " " + e.Source.Path
	}
	return fmt.Sprintf("the specs that run %s was confirmed for cannot be made again from %s: of %v they have changed; "+
		"close it with `storcon-tui runs close %s` and begin anew", e.Run, from, e.Computes, e.Run)
}

// Resume takes an unfinished run up again; "" means the only one there is. The Driver
// first asks once, with what the journal says and what the computes say; nothing is
// sent before that. Errors as of Start, and rollout.ErrNothingUnfinished,
// *rollout.ChoiceOfRunsError, *SpecChangedError, journal.ErrNewer and
// *journal.CorruptError.
func (e *Engine) Resume(ctx context.Context, run string) (*Driver, error) {
	if e.cfg.Identity.ReadOnly {
		return nil, rollout.ErrReadOnly
	}
	open, err := e.unfinished()
	if err != nil {
		return nil, err
	}
	if run, err = rollout.ChooseRun(open, run); err != nil {
		return nil, err
	}
	lock, err := e.lock(run)
	if err != nil {
		return nil, err
	}
	m, j, err := e.reopen(ctx, run)
	if err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	computes, err := e.of(m.plan)
	if err != nil {
		return nil, errors.Join(err, j.Close(), lock.Release())
	}
	return newDriver(ctx, e, m, computes, j, lock), nil
}

func (e *Engine) reopen(ctx context.Context, run string) (Machine, *journal.Journal, error) {
	j, records, _, err := e.cfg.Store.Reopen(run)
	if err != nil {
		return Machine{}, nil, &rollout.JournalError{Err: err}
	}
	m, err := e.remember(ctx, run, records)
	if err != nil {
		return Machine{}, nil, errors.Join(err, j.Close())
	}
	return m, j, nil
}

// remember makes the Machine of a run from its journal. The specs are made again, and
// must be those that were confirmed: they are nowhere on the disk.
func (e *Engine) remember(ctx context.Context, run string, records journal.Records) (Machine, error) {
	b := Fold(records)
	raw, err := e.cfg.Store.Plan(run, b.Header)
	if err != nil {
		return Machine{}, &rollout.JournalError{Err: err}
	}
	var plan Plan
	if err := json.Unmarshal(raw, &plan); err != nil {
		return Machine{}, &rollout.JournalError{Err: fmt.Errorf("plan of run %s: %w", run, err)}
	}
	computes, err := e.of(plan)
	if err != nil {
		return Machine{}, err
	}
	var changed []string
	for i := range plan.Items {
		it := &plan.Items[i]
		if was := b.Items[it.Compute]; was.State.Over() {
			continue
		}
		next, _, err := e.newSpec(ctx, computes[it.Compute], plan.Source)
		if err != nil {
			return Machine{}, err
		}
		made, err := sum(next)
		if err != nil {
			return Machine{}, err
		}
		if it.spec = next; made != it.SHA256 {
			changed = append(changed, it.Compute)
		}
	}
	if len(changed) > 0 {
		return Machine{}, &SpecChangedError{Run: run, Source: plan.Source, Computes: changed}
	}
	return Resumed(plan, e.cfg.Settings, b), nil
}

// sum is the checksum of a spec as it is sent.
func sum(spec compute.Spec) (string, error) {
	raw, err := spec.JSON()
	if err != nil {
		return "", err
	}
	s := sha256.Sum256(raw)
	return hex.EncodeToString(s[:]), nil
}
