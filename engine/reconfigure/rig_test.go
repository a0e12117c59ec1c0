package reconfigure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/client/postgres"
	"github.com/StorconTUI/storcon-tui/engine/audit"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const tenant = "3aa9bd1c0a4f4c0e9b6d2f7715c08e41"

// specText is a spec that is fit to be sent, with a setting of its own.
func specText(workMem string) string {
	return fmt.Sprintf(`{"format_version":1.0,"suspend_timeout_seconds":300,
 "cluster":{"cluster_id":"c","name":"n","roles":[],"databases":[],
  "settings":[{"name":"work_mem","value":%q,"vartype":"string"},{"name":"neon.password_like","value":"hunter2","vartype":"string"}]},
 "tenant_id":%q,"timeline_id":"9f0c6a7be2d14a0fa4b0c1d25e6f7788","storage_auth_token":"eyJsecret.eyJtoken.signature",
 "pageserver_connection_info":{"shard_count":0,"stripe_size":null,"prefer_protocol":"libpq",
  "shards":{"0000":{"pageservers":[{"id":1,"libpq_url":"postgres://no_user@ps-1:6400","grpc_url":null}]}}},
 "safekeeper_connstrings":["127.0.0.1:5454","127.0.0.1:5455","127.0.0.1:5456"],"mode":"Primary"}`, workMem, tenant)
}

// model is a compute_ctl as far as these tests need one. Its zero value is running and
// takes a spec within 10 ms.
type model struct {
	mu       sync.Mutex
	state    compute.State
	mute     bool // it accepts connections and answers nothing
	gone     bool
	takes    time.Duration
	result   error // of the next configure
	silent   bool  // a configure is carried out and never answered
	wedged   bool  // it stays in configuration
	ignores  bool  // 200 without effect
	restart  bool  // the setting waits for a restart
	unwrit   error
	failAt   time.Duration // status says failed so long after the call, which is never answered
	settings map[string]string
	configs  int
	posts    []time.Time
}

func (m *model) with(change func(*model)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change(m)
}

func (m *model) now() (compute.State, bool, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.state == "" {
		m.state = compute.StateRunning
	}
	return m.state, m.mute, m.gone
}

var errRefused = &client.Error{Kind: client.Unreachable, Method: "GET", Path: "/status", Err: fmt.Errorf("dial: %w", syscall.ECONNREFUSED)}

func (m *model) Status(ctx context.Context) (compute.Status, error) {
	state, mute, gone := m.now()
	if gone {
		return compute.Status{}, errRefused
	}
	if mute {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		<-ctx.Done()
		return compute.Status{}, &client.Error{Kind: client.Unreachable, Method: "GET", Path: "/status", Err: ctx.Err()}
	}
	id := tenant
	return compute.Status{State: state, Tenant: &id}, nil
}

func (m *model) CheckWritability(context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.unwrit
}

func refused(status int, text string) error {
	return &client.Error{Kind: client.Refused, Method: "POST", Path: "/configure", Status: status, Msg: text}
}

func (m *model) Configure(ctx context.Context, spec json.RawMessage, _ compute.Form, limit time.Duration) (compute.Status, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	state, mute, gone := m.now()
	m.with(func(m *model) { m.posts = append(m.posts, time.Now()); m.configs++ })
	switch {
	case gone:
		return compute.Status{}, errRefused
	case mute:
		<-ctx.Done()
		return compute.Status{}, &client.Error{Kind: client.Ambiguous, Method: "POST", Path: "/configure", Err: ctx.Err()}
	case state != compute.StateRunning && state != compute.StateEmpty:
		return compute.Status{}, refused(412, "invalid compute status: "+strings.ReplaceAll(string(state), "_", "-"))
	}
	if err := m.takeResult(); err != nil {
		return compute.Status{}, err
	}
	m.with(func(m *model) { m.state = compute.StateConfiguration })
	if m.wedged {
		<-ctx.Done()
		return compute.Status{}, &client.Error{Kind: client.Ambiguous, Method: "POST", Path: "/configure", Err: ctx.Err()}
	}
	time.Sleep(max(m.takes, 10*time.Millisecond))
	if m.failAt > 0 {
		m.with(func(m *model) { m.state = compute.StateFailed })
		<-ctx.Done()
		return compute.Status{}, &client.Error{Kind: client.Ambiguous, Method: "POST", Path: "/configure", Err: ctx.Err()}
	}
	m.apply(spec)
	if m.silent {
		<-ctx.Done()
		return compute.Status{}, &client.Error{Kind: client.Ambiguous, Method: "POST", Path: "/configure", Err: ctx.Err()}
	}
	return compute.Status{State: compute.StateRunning}, nil
}

// takeResult is the scripted refusal; a failed reconfigure sticks.
func (m *model) takeResult() (err error) {
	m.with(func(m *model) {
		err, m.result = m.result, nil
		if answer := (*client.Error)(nil); errors.As(err, &answer) && answer.Status == 500 {
			m.state = compute.StateFailed
		}
	})
	return err
}

func (m *model) apply(spec json.RawMessage) {
	var s struct {
		Cluster struct {
			Settings []Setting `json:"settings"`
		} `json:"cluster"`
	}
	if err := json.Unmarshal(spec, &s); err != nil {
		panic(err)
	}
	whole, err := compute.ParseSpec(spec)
	if err != nil {
		panic(err)
	}
	m.with(func(m *model) {
		m.state = compute.StateRunning
		if m.ignores {
			return
		}
		m.settings = whole.PageserverSettings()
		m.settings[compute.SettingPageservers] = "postgres://u:hunter2@" + m.settings[compute.SettingPageservers]
		for _, one := range s.Cluster.Settings {
			m.settings[one.Name] = one.Value
		}
	})
}

func (m *model) read(_ context.Context, names []string) (map[string]postgres.Setting, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := map[string]postgres.Setting{}
	for _, name := range names {
		value, ok := m.settings[name]
		if !ok {
			value = "4MB"
		}
		out[name] = postgres.Setting{Value: value, Raw: value, Unit: "kB", Restart: m.restart}
	}
	return out, nil
}

// rig is an engine over models.
type rig struct {
	t      *testing.T
	models map[string]*model
	engine *Engine
	state  string // directory
	store  *journal.Store
	patch  string
	sql    bool
}

func newRig(t *testing.T, names ...string) *rig {
	t.Helper()
	r := &rig{t: t, models: map[string]*model{}, state: t.TempDir(), sql: true}
	for _, name := range names {
		r.models[name] = &model{}
	}
	r.patch = filepath.Join(t.TempDir(), "patch.json")
	// A merge patch replaces a list as a whole.
	r.write(`{"cluster":{"settings":[{"name":"work_mem","value":"64MB","vartype":"string"},{"name":"neon.password_like","value":"hunter2","vartype":"string"}]}}`)
	r.open(names)
	return r
}

func (r *rig) write(patch string) {
	r.t.Helper()
	if err := os.WriteFile(r.patch, []byte(patch), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) open(names []string) {
	r.t.Helper()
	store, err := journal.Open(r.state, "test", journal.Options{})
	if err != nil {
		r.t.Fatal(err)
	}
	cfg := EngineConfig{Store: store, Operator: rollout.Operator{User: "ann", Host: "h"}, Identity: cluster.Identity{Name: "test"}}
	var computes []Compute
	for _, name := range names {
		c := Compute{
			Name: name, URL: "http://" + name + ":3080", Client: r.models[name], From: "file " + name + ".json",
			LastKnown: func(context.Context) ([]byte, error) { return []byte(specText("4MB")), nil },
		}
		if r.sql {
			c.Settings = r.models[name].read
		}
		computes = append(computes, c)
	}
	cfg.Computes = func() []Compute { return computes }
	r.store, r.engine = store, NewEngine(cfg)
}

func (r *rig) plan(limit int, names ...string) Plan {
	r.t.Helper()
	plan, err := r.engine.Plan(r.t.Context(), Request{Computes: names, Source: Source{Kind: FromPatch, Path: r.patch}, Limit: limit})
	if err != nil {
		r.t.Fatal(err)
	}
	return plan
}

func (r *rig) start(plan Plan) *Driver {
	r.t.Helper()
	d, err := r.engine.Start(r.t.Context(), plan)
	if err != nil {
		r.t.Fatal(err)
	}
	return d
}

// until waits for a status; the clock of the bubble jumps, so that an hour is enough.
func (r *rig) until(d *Driver, what string, is func(*Status) bool) *Status {
	r.t.Helper()
	changed, stop := d.Subscribe()
	defer stop()
	limit := time.After(time.Hour)
	for {
		if st := d.Status(); is(st) {
			return st
		}
		select {
		case <-changed:
		case <-d.Done():
			if st := d.Status(); is(st) {
				return st
			}
			r.t.Fatalf("ended before %s: %s", what, show(d.Status()))
		case <-limit:
			r.t.Fatalf("never %s: %s", what, show(d.Status()))
		}
	}
}

func show(st *Status) string {
	var b strings.Builder
	fmt.Fprintf(&b, "state %d (%s), wave %d, prompt %+v, outcome %+v\n", st.State, st.Why, st.Wave, st.Prompt, st.Outcome)
	for _, it := range st.Items {
		fmt.Fprintf(&b, "  %s %s %s %s (%s)\n", it.Item.Compute, it.State, it.Row, it.Why, it.Compute)
	}
	return b.String()
}

func asks(ask Ask) func(*Status) bool {
	return func(st *Status) bool { return st.Prompt != nil && st.Prompt.Ask == ask }
}

func over(st *Status) bool { return st.Outcome != nil }

func (r *rig) say(d *Driver, word rollout.Word, reason string) {
	r.t.Helper()
	st := r.until(d, "a question", func(st *Status) bool { return st.Prompt != nil })
	if err := d.Answer(Answer{Prompt: st.Prompt.ID, Word: word, Reason: reason}); err != nil {
		r.t.Fatalf("%s: %v", word, err)
	}
}

// one runs a single compute through a yes and gives its end.
func one(t *testing.T, prepare func(*rig, *model)) (got *Status) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "ep-1")
		if prepare != nil {
			prepare(r, r.models["ep-1"])
			r.open([]string{"ep-1"})
		}
		d := r.start(r.plan(0, "ep-1"))
		r.say(d, rollout.WordYes, "")
		got = r.until(d, "over", over)
		<-d.Done()
		r.audit(d)
	})
	return got
}

// audit looks at the journal after the fact, and for what may never be in it.
func (r *rig) audit(d *Driver) {
	r.t.Helper()
	err := filepath.WalkDir(r.state, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, secret := range []string{"hunter2", "eyJsecret"} {
			if strings.Contains(string(raw), secret) {
				r.t.Errorf("%s has the secret %s", path, secret)
			}
		}
		return nil
	})
	if err != nil {
		r.t.Error(err)
	}
	recs, repair, err := r.store.Read(d.Status().Run)
	if err != nil || repair.Torn() {
		r.t.Errorf("journal: %v, %v", repair, err)
	}
	for _, f := range audit.Check(recs) {
		r.t.Errorf("audit: %s", f)
	}
}
