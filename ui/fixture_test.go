package ui

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"
	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/client/pageserver"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/themes"
)

// noon is the present of every test.
var noon = time.Date(2026, 3, 14, 21, 40, 53, 0, time.UTC)

func known[T any](v T) cluster.Part[T] {
	return cluster.Part[T]{Value: v, At: noon.Add(-400 * time.Millisecond)}
}

func node(id client.NodeID, az string, a client.Availability, p client.NodePolicy, attached, secondary, home int64) cluster.Node {
	n := cluster.Node{Attached: attached, Secondary: secondary, Home: home}
	n.ID, n.Availability, n.Scheduling, n.AvailabilityZone = id, a, p, &az
	n.ListenHTTPAddr, n.ListenHTTPPort = fmt.Sprintf("ps-%d.internal", id), 9898
	n.Process = known(pageserver.Info{Launch: noon.Add(-12 * 24 * time.Hour), Build: client.Build{Tag: "8123"}})
	return n
}

// crew is the cluster of the sketches: six nodes, one Offline, one Draining, one
// left in PauseForRestart.
func crew() *cluster.Snapshot {
	nodes := []cluster.Node{
		node(1, "eu-1a", client.AvailabilityActive, client.PolicyActive, 1567, 1602, 1570),
		node(2, "eu-1a", client.AvailabilityActive, client.PolicyDraining, 811, 2358, 1560),
		node(3, "eu-1b", client.AvailabilityActive, client.PolicyActive, 1944, 1210, 1950),
		node(4, "eu-1b", client.AvailabilityActive, client.PolicyActive, 1940, 1221, 1940),
		node(5, "eu-1c", client.AvailabilityActive, client.PolicyPauseForRestart, 4, 3140, 1571),
		node(6, "eu-1c", client.AvailabilityOffline, client.PolicyActive, -1, -1, -1),
	}
	nodes[1].PolicySince = noon.Add(-54 * time.Second)
	nodes[1].AttachedSince = noon.Add(-12 * time.Second)
	nodes[3].Process = known(pageserver.Info{Launch: noon.Add(-3 * time.Minute), Build: client.Build{Tag: "8140"}})
	nodes[4].PolicySince = noon.Add(-14 * time.Minute)
	nodes[5].AvailabilitySince = noon.Add(-41 * time.Second)
	nodes[5].Process.Value.Launch = time.Time{}
	s := &cluster.Snapshot{
		Seq: 7, At: noon, Identity: cluster.Identity{Name: "prod-eu-1", Endpoint: "storcon.eu-1.internal:1234"},
		Nodes:   known(nodes),
		Metrics: known(client.Metrics{PendingReconciles: 3, Leadership: "leader"}),
		Leader:  known(cluster.Epoch{Address: "storcon-0", StartedAt: noon.Add(-12 * 24 * time.Hour)}),
		Token:   cluster.TokenView{Source: "file ~/prod.jwt", Scope: "admin"},
	}
	for i := range 14 {
		state := compute.StateRunning
		if i == 4 {
			state = compute.StateFailed
		}
		s.Computes = append(s.Computes, cluster.Compute{Name: fmt.Sprintf("ep-cool-night-a%d", i), Status: known(compute.Status{State: state})})
	}
	ago := func(d time.Duration) time.Time { return noon.Add(-d) }
	s.Events = []cluster.Change{
		{At: ago(41 * time.Second), Node: 6, What: cluster.AvailabilityChanged, From: "Active", To: "Offline", Attached: -1},
		{At: ago(54 * time.Second), Node: 2, What: cluster.PolicyChanged, From: "Active", To: "Draining", Attached: -1},
		{At: ago(14 * time.Minute), Node: 5, What: cluster.PolicyChanged, From: "Draining", To: "PauseForRestart", Attached: 4},
		{At: ago(15 * time.Minute), Node: 4, What: cluster.Restarted, From: "8123", To: "8140", Down: 22 * time.Second, Attached: -1},
	}
	return s
}

// source is a Source whose snapshot a test sets.
type source struct {
	mu      sync.Mutex
	now     *cluster.Snapshot
	pings   chan struct{}
	watched []string
	ended   bool
	broken  bool
}

func newSource(s *cluster.Snapshot) *source { return &source{now: s, pings: make(chan struct{}, 1)} }

func (s *source) Latest() *cluster.Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken {
		panic("a broken source")
	}
	return s.now
}

// panics has the source panic from now on.
func (s *source) panics() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = true
}

func (s *source) set(n *cluster.Snapshot) {
	s.mu.Lock()
	s.now = n
	s.mu.Unlock()
	select {
	case s.pings <- struct{}{}:
	default:
	}
}

func (s *source) Subscribe() (<-chan struct{}, func()) {
	return s.pings, func() { s.ended = true }
}

func (s *source) WatchShards(id client.NodeID) func() {
	s.watched = append(s.watched, "watch "+id.String())
	return func() { s.watched = append(s.watched, "release "+id.String()) }
}

// runs is a Runs that remembers what it was asked for.
type runs struct {
	mu      sync.Mutex
	planned []string
	started []rollout.Plan
	run     *liveRun
	err     error
	panic   string
	slow    time.Duration // how long a start takes
}

func (r *runs) Plan(_ context.Context, goal rollout.Goal, nodes []client.NodeID) (rollout.Plan, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.planned = append(r.planned, fmt.Sprint(goal, nodes))
	if r.panic != "" {
		panic(r.panic)
	}
	if r.err != nil {
		return rollout.Plan{}, r.err
	}
	plan := rollout.Plan{Goal: goal, Identity: crew().Identity, Made: noon}
	for _, id := range nodes {
		plan.Steps = append(plan.Steps, rollout.StepPlan{
			Node: id, Addr: fmt.Sprintf("ps-%s.internal", id), AZ: "eu-1a", Policy: client.PolicyActive,
			Attached: 1567, Secondary: 1602, Calls: []string{"PUT /control/v1/node/" + id.String() + "/drain"},
		})
	}
	return plan, nil
}

func (r *runs) Start(_ context.Context, plan rollout.Plan) (LiveRun, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.started = append(r.started, plan)
	time.Sleep(r.slow)
	if r.run == nil {
		return nil, errors.New("no run for this test")
	}
	return r.run, nil
}

// liveRun is a LiveRun that stands where a test puts it.
type liveRun struct {
	mu     sync.Mutex
	status *rollout.Status
	heard  []string
	done   chan struct{}
	stuck  bool // its restart command runs: it ends only when it is abandoned
	pings  chan struct{}
}

func newLiveRun(s *rollout.Status) *liveRun {
	return &liveRun{status: s, done: make(chan struct{}), pings: make(chan struct{}, 1)}
}

func (r *liveRun) Status() *rollout.Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.status
}

func (r *liveRun) note(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.heard = append(r.heard, what)
}

func (r *liveRun) calls() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string{}, r.heard...)
}

func (r *liveRun) Subscribe() (<-chan struct{}, func()) {
	if r.Status() == nil {
		panic("a run without a status")
	}
	return r.pings, func() {}
}

func (r *liveRun) Answer(a rollout.Answer) error {
	r.note("answer " + string(a.Word) + " " + a.Prompt)
	return nil
}
func (r *liveRun) Pause(string)          { r.note("pause") }
func (r *liveRun) PauseLater(string)     { r.note("pause later") }
func (r *liveRun) Done() <-chan struct{} { return r.done }
func (r *liveRun) Detach(string) {
	r.note("detach")
	if !r.stuck {
		close(r.done)
	}
}

func (r *liveRun) Killed(why string, _ rollout.ExitCode) { r.Detach(why) }

func (r *liveRun) Abandon(string) {
	r.note("abandon")
	close(r.done)
}

// draining is a run in the middle of node 2's drain.
func draining() *rollout.Status {
	plan := rollout.Plan{Goal: rollout.GoalRestart, Identity: crew().Identity, Made: noon}
	st := &rollout.Status{
		Seq: 3, Run: "01J8ZQ4Y7C6M0N5T2V9X1R3SK2", Goal: plan.Goal, Identity: plan.Identity,
		Journal: "/home/op/.local/state/storcon-tui/01J8.jsonl", At: noon, Started: noon.Add(-time.Minute), State: rollout.RunRunning,
	}
	for _, id := range []client.NodeID{2, 3} {
		step := rollout.StepPlan{Node: id, Addr: fmt.Sprintf("ps-%s.internal", id), AZ: "eu-1a", Attached: 1567}
		plan.Steps = append(plan.Steps, step)
		st.Steps = append(st.Steps, rollout.StepStatus{Plan: step, Phases: []rollout.PhaseStatus{
			{Phase: rollout.PhaseDrain}, {Phase: rollout.PhaseRestart}, {Phase: rollout.PhaseFill}, {Phase: rollout.PhaseVerify},
		}})
	}
	st.Plan = plan
	st.Steps[0].State = rollout.StepRunning
	st.Steps[0].Phases[0] = rollout.PhaseStatus{
		Phase: rollout.PhaseDrain, State: rollout.PhaseRunning, Started: noon.Add(-54 * time.Second),
		Progress: rollout.Progress{Total: 1567, Left: 811, LastMove: noon.Add(-time.Second), Rate: 14},
	}
	return st
}

// asking is the same run at the question before the restart.
func asking() *rollout.Status {
	st := draining()
	st.Seq = 9
	st.Steps[0].Phases[0].State = rollout.PhaseDone
	st.Steps[0].Phases[1].State = rollout.PhaseAsking
	st.Prompt = &rollout.Prompt{
		ID: "q1", Ask: rollout.AskRestart, Node: 2, Addr: "ps-2.internal", AZ: "eu-1a",
		Literal: "ssh ps-2.internal sudo systemctl restart pageserver", Asked: noon.Add(-time.Minute), Expires: noon.Add(4 * time.Minute),
		Choices: []rollout.Choice{{Word: rollout.WordYes, Does: "run the restart command"}, {Word: rollout.WordNo, Does: "pause here"}},
	}
	return st
}

// console is a model under test, with what stands around it.
type console struct {
	*model
	source *source
	runs   *runs
	clock  time.Time
}

func newConsole(tb testing.TB, styles *themes.Styles, w, h int) *console {
	tb.Helper()
	if styles == nil {
		var err error
		styles, err = themes.Load("dark", themes.Options{Profile: termenv.TrueColor})
		require.NoError(tb, err)
	}
	k := &console{source: newSource(crew()), runs: &runs{}, clock: noon}
	k.model = newModel(context.Background(), Deps{
		Source: k.source, Runs: k.runs, Styles: styles, Location: time.UTC, Version: "storcon-tui test",
		Now: func() time.Time { return k.clock },
	})
	tb.Cleanup(k.tasks.close)
	k.Update(tea.WindowSizeMsg{Width: w, Height: h})
	return k
}

// press presses keys as a person does, a third of a second apart, and carries
// out the commands that come of them.
func (k *console) press(keys ...string) {
	for _, key := range keys {
		k.clock = k.clock.Add(300 * time.Millisecond)
		k.feed(keyMsg(key))
	}
}

// feed hands over a message and carries out what comes of it. It reports
// whether the program is to end.
func (k *console) feed(msg tea.Msg) (quit bool) {
	_, cmd := k.Update(msg)
	for range 8 {
		if cmd == nil {
			return false
		}
		msg = cmd()
		if _, quit = msg.(tea.QuitMsg); quit {
			return true
		}
		_, cmd = k.Update(msg)
	}
	return false
}

var keyTypes = func() map[string]tea.KeyType {
	m := map[string]tea.KeyType{}
	for t := tea.KeyType(-200); t < 200; t++ {
		if t != tea.KeyRunes && t.String() != "" {
			m[t.String()] = t
		}
	}
	return m
}()

// keyMsg is the message for a key as bubbletea spells it.
func keyMsg(key string) tea.KeyMsg {
	if key == " " {
		return tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}}
	}
	if t, ok := keyTypes[key]; ok {
		return tea.KeyMsg{Type: t}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(key)}
}
