package sim

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// The states of a compute_ctl, as /status spells them (contract B.2).
const (
	CtlEmpty          = "empty"
	CtlPending        = "configuration_pending"
	CtlInit           = "init"
	CtlRunning        = "running"
	CtlConfiguration  = "configuration"
	CtlFailed         = "failed"
	CtlEndingFast     = "termination_pending_fast"
	CtlEndingNow      = "termination_pending_immediate"
	CtlTerminated     = "terminated"
	CtlRefreshPending = "refresh_configuration_pending"
	CtlRefresh        = "refresh_configuration"
)

// ComputeSpec is a spec that decodes and makes sense, as far as the model needs it.
type ComputeSpec struct {
	Raw              json.RawMessage
	Tenant, Timeline string
	Settings         map[string]string
	Pageservers      string // as Postgres's setting has them; "" when a shard has none
	MissingShard     string // that the map of pageservers lacks; "" = none
	EmptyShard       bool   // a shard has an empty list of pageservers
	UnknownOwner     string // a database's owner that is no role; "" = none
	Catalog          bool   // roles and databases are looked at
}

// Script is how a compute behaves; the zero value behaves well.
type Script struct {
	Start       time.Duration // of the first spec; 0 = 700 ms
	Apply       time.Duration // of a later one; 0 = 6 ms, and 140 ms more with the catalogue
	StartError  string        // the first start fails with it
	QuickExit   bool          // a failed start is gone within 6 ms, as after a failed sync
	ApplyFails  bool          // a later spec fails
	Silent      bool          // a configure that fails is never answered
	Wedge       bool          // it never comes out of configuration
	NoEffect    bool          // a spec is taken, and Postgres does not take its settings
	Refreshed   *ComputeSpec  // what a refresh reads; nil = what it has
	WriteError  string        // what a write that tries Postgres is refused with
	NoInsights  bool          // the extension with the figures of queries is not there
	RefreshBad  bool          // a refresh reads no JSON
	RefreshNone bool          // a refresh reads a config without a spec
}

// ConfigureEnd is what came of a configure.
type ConfigureEnd struct {
	Busy  string // it was refused for this state; "" = it was taken
	Error string // it failed, in compute_ctl's words; "" = it is running
}

const (
	startTime    = 700 * time.Millisecond
	applyTime    = 6 * time.Millisecond
	catalogTime  = 140 * time.Millisecond
	lingerFailed = 30 * time.Second
	lingerQuick  = 6 * time.Millisecond
	endTime      = 430 * time.Millisecond
	lingerFast   = 30 * time.Second
	lingerNow    = 300 * time.Millisecond
	restTime     = 5 * time.Second // of the worker after a refresh that changed nothing, or failed
	noticeTime   = 2300 * time.Millisecond
)

// unknownError is all that a failed reconfiguration says.
const unknownError = "unknown error"

// restartOnly are settings that Postgres takes at its start only.
var restartOnly = []string{
	"max_connections", "shared_buffers", "wal_level", "shared_preload_libraries", "max_worker_processes",
	"max_wal_senders", "max_replication_slots", "max_prepared_transactions", "listen_addresses", "port",
}

// ctl is the process of one compute and its Postgres.
type ctl struct {
	script  Script
	gone    bool // the process has ended
	pgDown  bool
	said    string // the state that its metrics show, which lags behind in two of them
	spec    *ComputeSpec
	inUse   map[string]string // settings that Postgres has in use
	wants   map[string]bool   // settings that wait for a restart
	waiting []func(ConfigureEnd)
	ending  []func()
	life    int           // counts what was begun; what an earlier one still wanted is dropped
	restTil time.Duration // the worker takes nothing before
	orphan  bool          // the start failed: nobody handles a refresh
	asked   bool          // the worker has been told to read the config, and has not yet
	trail   []string
}

// Ctl is what can be seen of a compute's process.
type Ctl struct {
	Compute
	Gone, PostgresDown bool
	Said               string // the state in its metrics
	Spec               json.RawMessage
	Settings           map[string]string // in use
	Waits              map[string]bool   // for a restart
	Trail              []string          // its states so far, the newest of them
	WriteError         string
	NoInsights         bool
}

// trailMost bounds Ctl.Trail.
const trailMost = 64

// Ctl looks at a compute's process.
func (w *World) Ctl(index int) Ctl {
	c := &w.computes[index]
	out := Ctl{
		Compute: *c, Gone: c.ctl.gone, PostgresDown: c.ctl.pgDown, Said: c.ctl.said, Settings: c.ctl.inUse, Waits: c.ctl.wants,
	}
	if out.Said == "" {
		out.Said = c.Status
	}
	out.Trail, out.WriteError, out.NoInsights = c.ctl.trail, c.ctl.script.WriteError, c.ctl.script.NoInsights
	if c.ctl.spec != nil {
		out.Spec = c.ctl.spec.Raw
	}
	return out
}

// Scripted changes how a compute behaves from now on.
func (w *World) Scripted(index int, change func(*Script)) { change(&w.computes[index].ctl.script) }

// SetSpec gives a compute that was seeded the spec that it is running with.
func (w *World) SetSpec(index int, spec ComputeSpec) {
	c := &w.computes[index]
	c.ctl.take(spec, true)
}

// EmptyCompute makes a compute one that has just been started without a spec.
func (w *World) EmptyCompute(index int) {
	c := &w.computes[index]
	name := c.Name
	*c = Compute{Name: name, Status: CtlEmpty, Started: w.now}
	c.ctl.trail = []string{CtlEmpty}
}

// take makes spec the one that the compute has. What Postgres takes at its start only
// waits for one, save at the start.
func (c *ctl) take(spec ComputeSpec, starts bool) {
	c.spec = &spec
	if c.inUse == nil || starts {
		c.inUse, c.wants = map[string]string{}, map[string]bool{}
	}
	if c.script.NoEffect {
		return
	}
	for name, value := range spec.Settings {
		if !starts && c.inUse[name] != value && slices.Contains(restartOnly, name) {
			c.wants[name] = true
			continue
		}
		c.inUse[name] = value
	}
	c.inUse["neon.pageserver_connstring"] = spec.Pageservers
}

// enter changes a compute's state and its metrics, which do not follow everywhere.
func (w *World) enter(index int, state string) {
	c := &w.computes[index]
	if c.ctl.said == "" {
		c.ctl.said = c.Status
	}
	c.Status = state
	c.ctl.trail = append(c.ctl.trail[max(0, len(c.ctl.trail)-trailMost):], state)
	if state != CtlTerminated && state != CtlRefreshPending {
		c.ctl.said = state
	}
}

// afterCompute schedules something of this life of the compute.
func (w *World) afterCompute(index int, d time.Duration, fn func(c *Compute)) {
	c := &w.computes[index]
	c.ctl.life++
	life := c.ctl.life
	w.after(d, func() {
		if now := &w.computes[index]; now.ctl.life == life && !now.ctl.gone {
			fn(now)
		}
	})
}

// ConfigureCompute hands a compute a spec; done is called at once when it is refused, else when
// it is running or has failed, which may be never.
func (w *World) ConfigureCompute(index int, spec ComputeSpec, done func(ConfigureEnd)) {
	c := &w.computes[index]
	switch c.Status {
	case CtlEmpty:
		w.enter(index, CtlPending)
		c.Tenant, c.Timeline, c.Started = tenantOf(spec), spec.Timeline, w.now
		c.ctl.waiting = append(c.ctl.waiting, done)
		w.enter(index, CtlInit) // the main thread wakes at once
		w.startCompute(index, spec)
	case CtlRunning:
		w.enter(index, CtlPending)
		c.ctl.waiting = append(c.ctl.waiting, done)
		w.afterCompute(index, max(c.ctl.restTil-w.now, 0), func(*Compute) { w.applySpec(index, spec) })
	default:
		done(ConfigureEnd{Busy: c.Status})
	}
}

// startCompute is a compute's first spec.
func (w *World) startCompute(index int, spec ComputeSpec) {
	c := &w.computes[index]
	s := c.ctl.script
	takes, fails := orElse(s.Start, startTime), s.StartError
	if spec.MissingShard != "" {
		takes, fails = time.Millisecond, "shard "+spec.MissingShard+" missing from pageserver_connection_info shard map"
	}
	w.afterCompute(index, takes, func(c *Compute) {
		if fails == "" {
			c.ctl.take(spec, true)
			c.Startup = seedStartup(w.cfg.Seed, index)
			w.enter(index, CtlRunning)
			c.ctl.tell(ConfigureEnd{})
			return
		}
		c.Error, c.ctl.orphan = fails, true
		c.Startup = seedStartup(w.cfg.Seed, index).beforeBasebackup()
		w.enter(index, CtlFailed)
		c.ctl.pgDown = true
		if !s.Silent {
			c.ctl.tell(ConfigureEnd{Error: fails})
		}
		linger := lingerFailed
		if s.QuickExit {
			linger = lingerQuick
		}
		w.afterCompute(index, linger, func(c *Compute) { c.ctl.end() })
	})
}

// applySpec is a later spec.
func (w *World) applySpec(index int, spec ComputeSpec) {
	w.enter(index, CtlConfiguration)
	c := &w.computes[index]
	c.Tenant, c.Timeline = tenantOf(spec), spec.Timeline // also when it fails
	s := c.ctl.script
	if s.Wedge || spec.EmptyShard {
		return
	}
	takes := orElse(s.Apply, applyTime)
	if spec.Catalog && s.Apply == 0 {
		takes += catalogTime
	}
	fails := s.ApplyFails || spec.MissingShard != "" || spec.Catalog && spec.UnknownOwner != ""
	if spec.MissingShard != "" {
		takes = time.Millisecond
	}
	w.afterCompute(index, takes, func(c *Compute) {
		if !fails {
			c.ctl.take(spec, false)
			w.enter(index, CtlRunning)
			c.ctl.tell(ConfigureEnd{})
			return
		}
		w.enter(index, CtlFailed)
		if !s.Silent {
			c.ctl.tell(ConfigureEnd{Error: unknownError})
		}
	})
}

func tenantOf(spec ComputeSpec) client.TenantID { return client.TenantID(spec.Tenant) }

func orElse(d, otherwise time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return otherwise
}

func (c *ctl) tell(end ConfigureEnd) {
	for _, done := range c.waiting {
		done(end)
	}
	c.waiting = nil
}

// end is the end of the process.
func (c *ctl) end() { c.gone = true }

// camel spells a state as Rust's debug form does.
func camel(state string) string {
	out, up := []byte{}, true
	for i := range len(state) {
		switch b := state[i]; {
		case b == '_':
			up = true
		case up:
			out, up = append(out, b-'a'+'A'), false
		default:
			out = append(out, b)
		}
	}
	return string(out)
}

// Quoted is a text as Rust's debug form quotes it.
func Quoted(text string) string { return strconv.Quote(text) }
