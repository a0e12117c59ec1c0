package rollout_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/pageserver"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// alone is a Machine without a Driver, for the rows of the failure matrix in
// which no wire is involved, or which take minutes. The cluster is what the test
// makes of it: nothing in it happens by itself. Reads are answered at once; calls
// and the restart command wait for the test to say what became of them.
type alone struct {
	silence    error // of a silent controller; nil = it refuses connections
	firing     *cluster.Part[[]string]
	full       string    // why the journal has no room
	dbErrorsAt time.Time // when the controller's database refused something
	unlocked   string    // why the lock keeps nobody out
	t          *testing.T
	m          rollout.Machine

	now     time.Time
	nodes   []cluster.Node
	leader  cluster.Epoch
	metrics client.Metrics
	events  []cluster.Change // newest first
	slot    *client.Operation
	left    map[client.NodeID]int // shards attached
	moving  int                   // of them, intended elsewhere
	noAdmin bool
	silent  bool
	since   time.Time
	good    cluster.Snapshot

	call    *rollout.SendCall
	hook    *rollout.RunHook
	sent    []rollout.SendCall
	hooks   int
	records []journal.Record
	queries []rollout.Effect
}

// newAlone is a run over nodes 1 and 2 of four, or over node 1 alone when it
// is no rolling restart. Each has five shards, none of which is to stay.
func newAlone(t *testing.T, goal rollout.Goal, set ...func(*rollout.Settings)) *alone {
	t.Helper()
	a := &alone{t: t, now: time.Unix(1_700_000_000, 0), left: map[client.NodeID]int{}}
	a.leader = cluster.Epoch{Address: "c", StartedAt: a.now.Add(-time.Hour), Since: a.now.Add(-time.Minute)}
	a.metrics = client.Metrics{Leadership: "leader"}
	az := []string{"a", "b"}
	for id := client.NodeID(1); id <= 4; id++ {
		n := cluster.Node{Node: client.Node{
			ID: id, Availability: client.AvailabilityActive, Scheduling: client.PolicyActive, AvailabilityZone: &az[id%2],
		}}
		n.Process = cluster.Part[pageserver.Info]{Value: pageserver.Info{LaunchMillis: int64(id) * 1000}, At: a.now}
		a.nodes, a.left[id] = append(a.nodes, n), 5
	}
	plan := rollout.Plan{Goal: goal, TenantsOff: "not read in this test"}
	for _, n := range a.nodes[:2] {
		plan.Steps = append(plan.Steps, rollout.StepPlan{Node: n.ID, AZ: n.AZ(), Hook: "restart it", Attached: 5})
	}
	if goal != rollout.GoalRestart {
		plan.Steps = plan.Steps[:1]
	}
	s := rollout.Defaults()
	for _, f := range set {
		f(&s)
	}
	a.m = rollout.New(plan, s)
	a.pass(3 * time.Second) // the leader is read twice
	return a
}

// happens is an event that the poller saw.
func (a *alone) happens(c cluster.Change) {
	c.At = a.now.Add(time.Second)
	a.events = append([]cluster.Change{c}, a.events...)
	a.pass(2 * time.Second)
}

func (a *alone) node(id client.NodeID) *cluster.Node { return &a.nodes[id-1] }

// see is one read of everything, a second later.
func (a *alone) see() {
	a.now = a.now.Add(time.Second)
	snap := &cluster.Snapshot{At: a.now, Alerts: a.firing, DatabaseErrors: 3, DatabaseErrorsAt: a.dbErrorsAt, Events: slices.Clone(a.events), Shards: map[client.NodeID]cluster.Part[cluster.ShardCounts]{}}
	snap.Nodes = cluster.Part[[]cluster.Node]{Value: slices.Clone(a.nodes), At: a.now}
	for i := range snap.Nodes.Value {
		n := &snap.Nodes.Value[i]
		n.Process.At, n.Attached = a.now, int64(a.left[n.ID])
		snap.Shards[n.ID] = cluster.Part[cluster.ShardCounts]{At: a.now, Value: cluster.ShardCounts{
			Observed: a.left[n.ID], Intended: a.left[n.ID] - a.moving, Moving: a.moving, Shards: a.list(n.ID),
		}}
	}
	snap.Metrics = cluster.Part[client.Metrics]{Value: a.metrics, At: a.now}
	snap.Leader = cluster.Part[cluster.Epoch]{Value: a.leader, At: a.now}
	if a.silent {
		if a.since.IsZero() {
			a.since = a.now
		}
		old := a.good
		snap = &old
		snap.Nodes.Err, snap.Nodes.Since = a.silence, a.since
		if a.silence == nil {
			snap.Nodes.Err = &client.Error{Kind: client.Unreachable, Msg: "connection refused"}
		}
	} else {
		a.good, a.since = *snap, time.Time{}
	}
	a.apply(rollout.Observed{At: a.now, Snapshot: snap, Full: a.full, Unlocked: a.unlocked})
}

func (a *alone) list(id client.NodeID) []client.ShardLocation {
	yes, no := true, false
	var out []client.ShardLocation
	for i := range a.left[id] {
		secondary := &no
		if i < a.moving {
			secondary = &yes
		}
		out = append(out, client.ShardLocation{
			ID: client.TenantShardID(fmt.Sprintf("%032d", i)), ObservedSecondary: &no, IntendedSecondary: secondary,
		})
	}
	return out
}

// pass lets time go by, with a read each second.
func (a *alone) pass(d time.Duration) {
	for range int(d / time.Second) {
		a.see()
	}
}

func (a *alone) apply(ev rollout.Event) {
	next, effects := a.m.Apply(ev)
	a.m = next
	for _, e := range effects {
		a.effect(e)
	}
	for len(a.queries) > 0 {
		q := a.queries[0]
		a.queries = a.queries[1:]
		a.answerQuery(q)
	}
}

func (a *alone) effect(e rollout.Effect) {
	switch e := e.(type) {
	case rollout.Record:
		a.records = append(a.records, e.Rec)
	case rollout.SendCall:
		require.Nil(a.t, a.call, "one call at a time")
		a.call, a.sent = &e, append(a.sent, e)
	case rollout.RunHook:
		a.hook = &e
		a.hooks++
	case rollout.ListShards, rollout.ReadProcess, rollout.Probe, rollout.Locate, rollout.DescribeMoved:
		a.queries = append(a.queries, e)
	}
}

func (a *alone) answerQuery(q rollout.Effect) {
	var err error
	if a.noAdmin {
		err = &client.Error{Kind: client.Unauthorized, Status: 403}
	}
	switch q := q.(type) {
	case rollout.ListShards:
		a.apply(rollout.Listed{At: a.now, Tag: q.Tag, Shards: a.list(q.Node), Err: err})
	case rollout.Probe:
		ev := rollout.Probed{At: a.now, Tag: q.Tag, Err: err}
		if a.slot != nil && err == nil {
			op := *a.slot
			ev.Op = &op
		}
		a.apply(ev)
	case rollout.ReadProcess:
		a.apply(rollout.ProofRead{At: a.now, Tag: q.Tag, Info: a.node(q.Node).Process.Value})
	case rollout.DescribeMoved:
		a.apply(rollout.MovedDescribed{At: a.now, Tag: q.Tag, Err: err})
	case rollout.Locate:
		a.apply(rollout.Located{At: a.now, Tag: q.Tag, On: map[client.NodeID]int{3: len(q.Shards)}})
	}
}

// asked is the question that stands, which must be this one.
func (a *alone) asked(ask rollout.Ask, row string) rollout.Prompt {
	a.t.Helper()
	st := a.m.Status()
	require.NotNil(a.t, st.Prompt, describe(&st))
	require.Equal(a.t, []any{ask, row}, []any{st.Prompt.Ask, st.Prompt.Row}, describe(&st))
	return *st.Prompt
}

// say answers the question that stands, with the node's id typed.
func (a *alone) say(word rollout.Word) {
	a.t.Helper()
	p := a.m.Status().Prompt
	require.NotNil(a.t, p)
	ans := rollout.Answer{Prompt: p.ID, Word: word, At: a.now, Node: p.Node, Reason: "test"}
	require.NoError(a.t, a.m.Check(ans), "%s: %s", p.Row, p.Cause)
	a.apply(rollout.Answered{At: a.now, Answer: ans})
	a.pass(2 * time.Second)
}

// reply is the controller's answer to the call in flight; with none it is
// carried out.
func (a *alone) reply(err error) {
	a.t.Helper()
	require.NotNil(a.t, a.call, "a call is in flight")
	c := *a.call
	a.call = nil
	if err == nil {
		a.carry(c)
	}
	a.apply(rollout.CallEnded{At: a.now, Eff: c.Eff, Err: err})
	a.pass(2 * time.Second)
}

func (a *alone) carry(c rollout.SendCall) {
	n := a.node(c.Node)
	switch c.Kind {
	case rollout.CallDrain:
		n.Scheduling, a.slot = client.PolicyDraining, &client.Operation{Kind: client.OperationDrain, Node: c.Node}
	case rollout.CallFill:
		n.Scheduling, a.slot = client.PolicyFilling, &client.Operation{Kind: client.OperationFill, Node: c.Node}
	case rollout.CallActivate:
		n.Scheduling = client.PolicyActive
	}
}

// settle ends the operation that runs, with this policy and that many shards.
func (a *alone) settle(p client.NodePolicy, left int) {
	id := a.slot.Node
	a.node(id).Scheduling, a.left[id], a.slot = p, left, nil
	a.pass(3 * time.Second)
}

// launch is another process of a node; policies are as a re-attach leaves them.
func (a *alone) launch(id client.NodeID, avail client.Availability) {
	n := a.node(id)
	n.Process.Value.LaunchMillis++
	n.Availability, n.Scheduling = avail, client.PolicyActive
}

func (a *alone) hookEnds(r rollout.HookResult) {
	a.t.Helper()
	require.NotNil(a.t, a.hook, "the command runs")
	e := *a.hook
	a.hook = nil
	a.apply(rollout.HookEnded{At: a.now, Eff: e.Eff, Result: r})
	a.pass(3 * time.Second)
}

// draining has the run's drain of node 1 under way.
func (a *alone) draining() {
	a.t.Helper()
	a.asked(rollout.AskDrain, "")
	a.say(rollout.WordYes)
	a.reply(nil)
}

// drained has node 1 drained and its restart asked about.
func (a *alone) drained() {
	a.t.Helper()
	a.draining()
	a.settle(client.PolicyPauseForRestart, 0)
	a.asked(rollout.AskRestart, "")
}

// restarting has the restart command of node 1 running.
func (a *alone) restarting() {
	a.t.Helper()
	a.drained()
	a.say(rollout.WordYes)
	require.NotNil(a.t, a.hook)
}

// restarted has node 1 back, and its fill asked about.
func (a *alone) restarted() {
	a.t.Helper()
	a.restarting()
	a.launch(1, client.AvailabilityActive)
	a.hookEnds(rollout.HookResult{Word: "exit status 0"})
	a.asked(rollout.AskFill, "")
}

// filling has the run's fill of node 1 under way.
func (a *alone) filling() {
	a.t.Helper()
	a.restarted()
	a.say(rollout.WordYes)
	a.reply(nil)
}

func (a *alone) rows() []string {
	st := a.m.Status()
	return rows(&st)
}

// calls that were sent, in order.
func (a *alone) calls() []rollout.CallKind {
	var out []rollout.CallKind
	for _, c := range a.sent {
		out = append(out, c.Kind)
	}
	return out
}
