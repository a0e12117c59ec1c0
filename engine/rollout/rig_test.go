package rollout_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/pageserver"
	"github.com/StorconTUI/storcon-tui/demo/server"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/hook"
	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// hookHelper makes the test binary a restart command: it asks the fake cluster
// to restart a node, or fails as it is told.
const hookHelper = "restart-helper"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == hookHelper {
		os.Exit(helper(os.Args[2:]))
	}
	goleak.VerifyTestMain(m)
}

// helper: ADMIN ID DO EXIT, where DO is restart, stop or nothing.
func helper(args []string) int {
	admin, id, do, exit := args[0], args[1], args[2], 0
	if _, err := fmt.Sscan(args[3], &exit); err != nil {
		return 2
	}
	fmt.Println("restarting node", id)
	if do != "nothing" {
		resp, err := http.Post(admin+"/demo/nodes/"+id+"/"+do, "", nil)
		if err != nil {
			fmt.Println(err)
			return 3
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return 4
		}
	}
	return exit
}

// rig is a fake cluster, the console's client and poller on it, and an engine.
type rig struct {
	*server.Server
	t      testing.TB
	client *client.Client
	poller *cluster.Poller
	store  *journal.Store
	cfg    rollout.EngineConfig
	engine *rollout.Engine
	driver *rollout.Driver
}

// options of a test; the zero value is a small cluster of four nodes at 50 times
// its speed, driven with scope admin, whose hook restarts the node.
type options struct {
	server.Options
	scope string // of the token; "" = the cluster checks none
	do    string // restart (""), stop, nothing
	exit  int    // of the hook
	set   func(*rollout.Settings)
	spec  *hook.Spec
	file  journal.OpenFile
	calls func(client.Call) // is told of every request of the console; nil = nobody is
	real  bool              // the console's own times, as they are without a configuration
}

func (o options) rates() cluster.Rates {
	if o.real {
		return cluster.Rates{}
	}
	return rates()
}

func quick() rollout.Settings {
	s := rollout.Defaults()
	s.Reread = 20 * time.Millisecond
	s.ProofInterval = 30 * time.Millisecond
	s.BusyInterval = 50 * time.Millisecond
	s.RetryMin, s.RetryMax = 10*time.Millisecond, 50*time.Millisecond
	s.GaugeRefresh = 400 * time.Millisecond
	return s
}

func newRig(t testing.TB, o options) *rig {
	t.Helper()
	if test, ok := t.(*testing.T); ok {
		test.Parallel()
	}
	if o.Nodes == 0 {
		o.Nodes = 4
	}
	if o.Tenants == 0 {
		o.Tenants = 40
	}
	if o.Speed == 0 {
		o.Speed = 50
	}
	if o.Computes == 0 {
		o.Computes = -1
	}
	o.Auth = o.scope != ""
	s, err := server.Start(t.Context(), o.Options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	r := &rig{Server: s, t: t}
	r.connect(o)
	r.configure(o)
	return r
}

func (r *rig) connect(o options) {
	calls := cluster.NewCalls()
	var gets atomic.Int64
	cfg := client.Config{BaseURL: r.ControllerURL(), OnSend: calls.Sent, OnCall: func(c client.Call) {
		calls.Observe(c)
		if o.calls != nil {
			o.calls(c)
		}
		if c.Method == http.MethodGet {
			gets.Add(1)
		}
	}}
	if o.scope != "" {
		cfg.Token = client.StaticToken(r.Token(o.scope))
	}
	var err error
	r.client, err = client.New(cfg)
	require.NoError(r.t, err)
	r.cfg.Reads = func() int { return int(gets.Load()) }
	r.cfg.Identity = cluster.Identity{Name: "test", Endpoint: strings.TrimPrefix(r.ControllerURL(), "http://"), Demo: true}
	r.poller = cluster.New(cluster.Config{
		Client: r.client.WithoutRetries(), Identity: r.cfg.Identity, Pageserver: r.process, Calls: calls,
		Rates: o.rates(),
	})
	ctx, stop := context.WithCancel(r.t.Context())
	var run sync.WaitGroup
	run.Go(func() { require.NoError(r.t, r.poller.Run(ctx)) })
	r.t.Cleanup(func() {
		stop()
		run.Wait()
		r.client.CloseIdle()
	})
	r.until("the cluster is read", func(s *cluster.Snapshot) bool {
		return s.Nodes.Known() && len(s.Nodes.Value) > 0 && s.Metrics.Known()
	})
}

func (r *rig) process(ctx context.Context, n client.Node) (pageserver.Info, error) {
	c, err := pageserver.ForNode(n, nil)
	if err != nil {
		return pageserver.Info{}, err
	}
	defer c.CloseIdle()
	return c.WithoutRetries().Fetch(ctx)
}

func (r *rig) nodeID(ctx context.Context, n client.Node) (client.NodeID, error) {
	c, err := pageserver.ForNode(n, nil)
	if err != nil {
		return 0, err
	}
	defer c.CloseIdle()
	return c.WithoutRetries().NodeID(ctx)
}

func (r *rig) configure(o options) {
	var err error
	r.store, err = journal.Open(r.t.TempDir(), "test", journal.Options{OpenFile: o.file})
	require.NoError(r.t, err)
	set := quick()
	if o.real {
		set = rollout.Defaults()
	}
	if o.set != nil {
		o.set(&set)
	}
	do := o.do
	if do == "" {
		do = "restart"
	}
	exe, err := os.Executable()
	require.NoError(r.t, err)
	r.cfg.Hook = hook.Spec{Argv: []string{exe, hookHelper, r.AdminURL(), "{{.ID}}", do, fmt.Sprint(o.exit)}}
	if o.spec != nil {
		r.cfg.Hook = *o.spec
	}
	r.cfg.Client, r.cfg.Poller, r.cfg.Store = r.client, r.poller, r.store
	r.cfg.Pageserver, r.cfg.NodeID, r.cfg.Settings, r.cfg.Version = r.process, r.nodeID, set, "test"
	r.cfg.Operator = rollout.Operator{User: "oncall1", Host: "jump1"}
	r.engine = rollout.NewEngine(r.cfg)
}

// until waits for the cluster to look as wanted.
func (r *rig) until(what string, ok func(*cluster.Snapshot) bool) {
	r.t.Helper()
	pings, stop := r.poller.SubscribeReads()
	defer stop()
	limit := time.NewTimer(waitLimit)
	defer limit.Stop()
	for !ok(r.poller.Latest()) {
		select {
		case <-pings:
		case <-limit.C:
			require.FailNow(r.t, "never: "+what)
		}
	}
}

const waitLimit = 20 * time.Second

// start plans and starts a run.
func (r *rig) start(goal rollout.Goal, nodes ...client.NodeID) {
	r.t.Helper()
	plan, err := r.engine.Plan(r.t.Context(), goal, nodes)
	require.NoError(r.t, err)
	r.run(plan)
}

func (r *rig) run(plan rollout.Plan) {
	r.t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(r.t.Context()))
	var err error
	r.driver, err = r.engine.Start(ctx, plan)
	require.NoError(r.t, err)
	r.t.Cleanup(func() {
		stop()
		<-r.driver.Done()
		r.audited()
	})
}

// when waits for the run to look as wanted.
func (r *rig) when(what string, ok func(*rollout.Status) bool) *rollout.Status {
	r.t.Helper()
	pings, stop := r.driver.Subscribe()
	defer stop()
	limit := time.NewTimer(waitLimit)
	defer limit.Stop()
	for {
		st := r.driver.Status()
		if ok(st) {
			return st
		}
		select {
		case <-pings:
		case <-limit.C:
			require.FailNow(r.t, "never: "+what, "%s", describe(st))
		}
	}
}

func describe(st *rollout.Status) string {
	var b strings.Builder
	fmt.Fprintf(&b, "state %d, why %q, hold %q\n", st.State, st.Why, st.Hold.Reason)
	for _, s := range st.Steps {
		fmt.Fprintf(&b, "node %s state %d %q phases", s.Plan.Node, s.State, s.Why)
		for _, p := range s.Phases {
			fmt.Fprintf(&b, " %d:%d(%s)", p.Phase, p.State, p.Detail)
		}
		b.WriteString("\n")
	}
	if p := st.Prompt; p != nil {
		fmt.Fprintf(&b, "prompt %s ask %d row %s cause %q\n", p.ID, p.Ask, p.Row, p.Cause)
		for _, g := range p.Evidence.Gates {
			if g.Holds() {
				fmt.Fprintf(&b, "  gate %s %s %s\n", g.Gate, g.Verdict, g.Figure)
			}
		}
	}
	for _, n := range st.Notes {
		fmt.Fprintf(&b, "note %s node %s %s %s\n", n.At.Format("05.000"), n.Node, n.Row, n.Text)
	}
	return b.String()
}

// asked waits for a question.
func (r *rig) asked(ask rollout.Ask) rollout.Prompt {
	r.t.Helper()
	st := r.when(fmt.Sprintf("question %d", ask), func(st *rollout.Status) bool {
		return st.Prompt != nil && st.Prompt.Ask == ask
	})
	return *st.Prompt
}

// say answers the question that stands, once it is the expected one. When its
// facts change in the same moment, it is answered under its new name.
func (r *rig) say(ask rollout.Ask, a rollout.Answer) {
	r.t.Helper()
	for range 20 {
		p := r.asked(ask)
		a.Prompt, a.By = p.ID, r.cfg.Operator
		err := r.driver.Answer(a)
		var stale *rollout.StaleAnswerError
		if err != nil && (asStale(err, &stale) || err == rollout.ErrNoQuestion) { //nolint:errorlint // returned bare
			continue
		}
		require.NoError(r.t, err)
		return
	}
	require.FailNow(r.t, "the question was always stale")
}

func (r *rig) yes(ask rollout.Ask) {
	r.t.Helper()
	r.say(ask, rollout.Answer{Word: rollout.WordYes})
}

// mutations are the calls that may have changed the cluster, without probes.
func (r *rig) mutations() []string {
	var out []string
	for _, c := range r.Calls() {
		if c.Method != http.MethodGet && !r.isProbe(c) {
			out = append(out, fmt.Sprintf("%s %s %d", c.Method, strings.TrimPrefix(c.Path, "/control/v1/node/"), c.Status))
		}
	}
	return out
}

// records of the run's journal.
func (r *rig) records() journal.Records {
	r.t.Helper()
	recs, _, err := r.store.Read(r.driver.Status().Run)
	require.NoError(r.t, err)
	return recs
}

func (r *rig) kinds(kind journal.Kind) journal.Records {
	r.t.Helper()
	return slices.DeleteFunc(r.records(), func(rec journal.Record) bool { return rec.Kind != kind })
}

// rows are the rows of the failure matrix that were noted.
func rows(st *rollout.Status) []string {
	var out []string
	for _, n := range st.Notes {
		if n.Row != "" {
			out = append(out, n.Row)
		}
	}
	return out
}
