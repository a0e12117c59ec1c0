package reconfigure

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
)

// Request is what a plan is made for.
type Request struct {
	Computes []string // by name, in the order in which they go
	Source   Source
	Limit    int // failures that do not stop the run
}

// UnknownComputeError: no such compute is configured.
type UnknownComputeError struct {
	Name  string
	Known []string
}

func (e *UnknownComputeError) Error() string {
	known := "none is configured"
	if len(e.Known) > 0 {
		known = "the configured ones are " + strings.Join(e.Known, ", ")
	}
	return fmt.Sprintf("no compute %q: %s", e.Name, known)
}

// NothingToDoError: a plan without computes.
type NothingToDoError struct{ LeftOut []LeftOut }

func (e *NothingToDoError) Error() string {
	var why []string
	for _, l := range e.LeftOut {
		why = append(why, l.Compute+": "+l.Why)
	}
	return "nothing to do: " + strings.Join(why, "; ")
}

// NoBaseError: a patch, or other pageservers, need a spec that they go over.
type NoBaseError struct{ Compute string }

func (e *NoBaseError) Error() string {
	return fmt.Sprintf("compute %s: its last known spec is nowhere to be read, and compute_ctl never gives it out: "+
		"give its compute a spec_file or spec_command, or hand over the whole spec with --spec", e.Compute)
}

// SpecError: a spec that is not sent, and everything that is wrong with it.
type SpecError struct {
	Compute, From string
	Faults        []string
}

func (e *SpecError) Error() string {
	between := " "
	if len(e.Faults) > 1 {
		between = "\n  "
	}
	return fmt.Sprintf("the spec for compute %s (%s) is not sent:%s", e.Compute, e.From, between+strings.Join(e.Faults, between))
}

// Plan makes a plan: it reads specs and asks every compute how it is, 32 at once; it
// changes nothing. The errors of several computes are joined: all are to be mended
// before anything is sent.
func (e *Engine) Plan(ctx context.Context, r Request) (Plan, error) {
	plan := Plan{Identity: e.cfg.Identity, Made: time.Now(), Source: r.Source, Limit: r.Limit}
	var err error
	if plan.Source.Path, err = absolute(r.Source.Path); err != nil {
		return Plan{}, err
	}
	chosen, leftOut, err := e.choose(r)
	if err != nil {
		return Plan{}, err
	}
	plan.LeftOut = leftOut
	if k := plan.Source.Kind; k == FromPatch || k == FromFile {
		if _, err := readSpec(plan.Source.Path); err != nil {
			return Plan{}, err // once, and not for every compute
		}
	}
	items := make([]Item, len(chosen))
	faults := make([]error, len(chosen))
	var asking errgroup.Group
	asking.SetLimit(statusesAtOnce)
	for i, c := range chosen {
		asking.Go(func() error {
			items[i], faults[i] = e.item(ctx, c, plan.Source)
			return nil
		})
	}
	_ = asking.Wait() // each has its error in faults
	if err := errors.Join(faults...); err != nil {
		return Plan{}, err
	}
	if err := noneAnswers(items); err != nil {
		return Plan{}, err
	}
	for _, it := range items {
		if it.Base != "" && len(it.Changes) == 0 {
			plan.LeftOut = append(plan.LeftOut, LeftOut{it.Compute, "its last known spec is that already"})
			continue
		}
		plan.Items = append(plan.Items, it)
	}
	if len(plan.Items) == 0 {
		return Plan{}, &NothingToDoError{LeftOut: plan.LeftOut}
	}
	for i, wave := range wavesOf(len(plan.Items)) {
		plan.Items[i].Wave, plan.Waves = wave, wave
	}
	return plan, nil
}

// noneAnswers ends a plan of which no compute could be asked. Some that do not answer are
// left to the question of their wave, which says so.
func noneAnswers(items []Item) error {
	var all []error
	for _, it := range items {
		if it.unanswered == nil {
			return nil
		}
		all = append(all, it.unanswered)
	}
	return errors.Join(all...)
}

func absolute(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	return filepath.Abs(path)
}

// choose finds the computes that are named; one that is named twice goes once (K7).
func (e *Engine) choose(r Request) (chosen []Compute, leftOut []LeftOut, err error) {
	known := map[string]Compute{}
	for _, c := range e.cfg.Computes() {
		known[c.Name] = c
	}
	for i, name := range r.Computes {
		c, ok := known[name]
		switch {
		case !ok:
			err = errors.Join(err, e.unknown(name))
		case slices.Contains(r.Computes[:i], name):
			leftOut = append(leftOut, LeftOut{name, "it was named twice and goes once"})
		default:
			chosen = append(chosen, c)
		}
	}
	if err == nil && r.Source.Kind == FromFile && len(chosen) > 1 {
		err = fmt.Errorf("one spec is for one compute, and %d were named: use --spec-dir with a NAME.json for each, or --patch", len(chosen))
	}
	return chosen, leftOut, err
}

// item is one compute's part of the plan.
func (e *Engine) item(ctx context.Context, c Compute, source Source) (Item, error) {
	next, base, err := e.newSpec(ctx, c, source)
	if err != nil {
		return Item{}, err
	}
	it := Item{Compute: c.Name, URL: c.URL, Tenant: next.Tenant()}
	now, err := c.Client.Status(ctx)
	if err != nil {
		it.unanswered = fmt.Errorf("ask compute %s how it is: %w", c.Name, err)
	}
	var told []string
	for _, f := range next.Validate(compute.Identity{Tenant: text(now.Tenant), Timeline: text(now.Timeline)}) {
		told = append(told, f.String())
	}
	if len(told) > 0 {
		return Item{}, &SpecError{Compute: c.Name, From: source.of(c), Faults: told}
	}
	it.spec = next
	if it.SHA256, err = sum(next); err != nil {
		return Item{}, fmt.Errorf("compute %s: %w", c.Name, err)
	}
	if base != nil {
		it.Base, it.Changes = c.From, base.Diff(next)
		if len(it.Changes) == 0 {
			it.Changes, _ = inUse(ctx, c, next)
		}
	}
	it.Restart = compute.RestartNeeded(it.Changes)
	it.Reads = reads(it, next, c.Settings != nil)
	return it, nil
}

// of is what a compute's new spec is made of, for people.
func (s Source) of(c Compute) string {
	switch s.Kind {
	case Repoint:
		return "re-pointed from " + c.From
	case FromPatch:
		return "patch " + s.Path + " on " + c.From
	}
	return s.file(c.Name)
}

func (s Source) file(name string) string {
	if s.Kind == FromDir {
		return filepath.Join(s.Path, name+".json")
	}
	return s.Path
}

// newSpec makes one compute's new spec; base is its last known one, nil where nobody
// knows it.
func (e *Engine) newSpec(ctx context.Context, c Compute, source Source) (next compute.Spec, base *compute.Spec, err error) {
	if base, err = lastKnown(ctx, c); err != nil {
		return next, nil, err
	}
	switch source.Kind {
	case FromFile, FromDir:
		next, err = readSpec(source.file(c.Name))
	case FromPatch:
		if base == nil {
			return next, nil, &NoBaseError{Compute: c.Name}
		}
		var patch compute.Spec
		if patch, err = readSpec(source.Path); err == nil {
			next = base.Patch(patch)
		}
	case Repoint:
		if base == nil {
			return next, nil, &NoBaseError{Compute: c.Name}
		}
		next, err = e.repointed(ctx, c, *base)
	default:
		err = fmt.Errorf("no such source of a spec: %q", string(source.Kind))
	}
	return next, base, err
}

func lastKnown(ctx context.Context, c Compute) (*compute.Spec, error) {
	if c.LastKnown == nil {
		return nil, nil
	}
	raw, err := c.LastKnown(ctx)
	if err != nil {
		return nil, fmt.Errorf("last known spec of compute %s: %w", c.Name, err)
	}
	spec, err := compute.ParseSpec(raw)
	if err != nil {
		return nil, fmt.Errorf("last known spec of compute %s: %s: %w", c.Name, c.From, err)
	}
	return &spec, nil
}

func readSpec(path string) (compute.Spec, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return compute.Spec{}, fmt.Errorf("read a spec: %w", err)
	}
	spec, err := compute.ParseSpec(raw)
	if err != nil {
		return spec, fmt.Errorf("%s:%w", path, err)
	}
	return spec, nil
}

// repointed is a spec with the pageservers that the controller tells now.
func (e *Engine) repointed(ctx context.Context, c Compute, base compute.Spec) (compute.Spec, error) {
	tenant := base.Tenant()
	if tenant == "" {
		return base, fmt.Errorf("compute %s: its last known spec names no tenant, so that nobody can be asked where its shards are", c.Name)
	}
	found, err := e.locate(ctx, c, tenant)
	if err != nil {
		return base, err
	}
	next, err := base.Repoint(found)
	if err != nil {
		return base, fmt.Errorf("compute %s: %w", c.Name, err)
	}
	return next, nil
}

func (e *Engine) locate(ctx context.Context, c Compute, tenant string) (client.Locations, error) {
	found, err := e.cfg.Locate(ctx, client.TenantID(tenant))
	if err != nil {
		return found, fmt.Errorf("locate tenant %s of compute %s: %w", tenant, c.Name, err)
	}
	return found, nil
}

// Stale is a compute that reads, or by its last known spec would read, from other
// pageservers than the controller names now.
type Stale struct {
	Compute string
	Changes []compute.Change
}

// FindStale compares the last known spec of every compute that has one with where the
// controller says that its shards are; where SQL is configured it is what Postgres has
// in use that counts. It changes nothing; what could not be compared is
// in the error, beside what could.
func (e *Engine) FindStale(ctx context.Context) ([]Stale, error) {
	computes := e.cfg.Computes()
	found := make([][]compute.Change, len(computes))
	faults := make([]error, len(computes))
	var asking errgroup.Group
	asking.SetLimit(4) // the controller answers them all
	for i, c := range computes {
		asking.Go(func() error {
			found[i], faults[i] = e.stale(ctx, c)
			return nil
		})
	}
	_ = asking.Wait() // each has its error in faults
	var out []Stale
	for i, c := range computes {
		if len(found[i]) > 0 {
			out = append(out, Stale{Compute: c.Name, Changes: found[i]})
		}
	}
	return out, errors.Join(faults...)
}

func (e *Engine) stale(ctx context.Context, c Compute) ([]compute.Change, error) {
	base, err := lastKnown(ctx, c)
	if err != nil || base == nil || base.Tenant() == "" {
		return nil, err
	}
	found, err := e.locate(ctx, c, base.Tenant())
	if err != nil {
		return nil, err
	}
	now, err := compute.Located(found)
	if err != nil {
		return nil, fmt.Errorf("compute %s: %w", c.Name, err)
	}
	next := *base
	if told, ok := base.Pageservers(); !ok || !told.Same(now) {
		if next, err = base.Repoint(found); err != nil {
			return nil, fmt.Errorf("compute %s: %w", c.Name, err)
		}
	}
	changes, told := inUse(ctx, c, next)
	if told && len(changes) == 0 {
		return nil, nil // whatever the place of its last known spec has
	}
	return append(base.Diff(next), changes...), nil
}
