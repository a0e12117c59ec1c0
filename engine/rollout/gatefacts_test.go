package rollout_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/pageserver"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/gate"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// scene is a Machine and a calm cluster of four nodes whose pictures a test
// changes as it likes.
type scene struct {
	t       *testing.T
	m       rollout.Machine
	now     time.Time
	nodes   []cluster.Node
	metrics client.Metrics
	silent  bool // the gauges cannot be read
	token   cluster.TokenView
	effects []rollout.Effect
	told    map[client.TenantShardID]rollout.ShardTold // of moved shards; those that are missing are gone
}

func newScene(t *testing.T, set rollout.Settings, nodes ...client.NodeID) *scene {
	t.Helper()
	s := &scene{t: t, now: time.Unix(1_700_000_000, 0), metrics: client.Metrics{Leadership: "leader"}}
	az := []string{"a", "b"}
	for id := client.NodeID(1); id <= 4; id++ {
		n := cluster.Node{Attached: 5, Node: client.Node{
			ID: id, Availability: client.AvailabilityActive, Scheduling: client.PolicyActive, AvailabilityZone: &az[id%2],
		}}
		n.Process.Value = pageserver.Info{LaunchMillis: int64(id) * 1000}
		s.nodes = append(s.nodes, n)
	}
	plan := rollout.Plan{Goal: rollout.GoalRestart, TenantsOff: "test"}
	for _, id := range nodes {
		plan.Steps = append(plan.Steps, rollout.StepPlan{Node: id, AZ: s.nodes[id-1].AZ(), Hook: "restart it", Attached: 5})
	}
	s.m = rollout.New(plan, set)
	return s
}

// look shows the Machine a new picture, after some time, and answers what it asks
// of the cluster.
func (s *scene) look(after time.Duration) *rollout.Status {
	s.t.Helper()
	s.now = s.now.Add(after)
	snap := &cluster.Snapshot{At: s.now, Token: s.token}
	snap.Nodes = cluster.Part[[]cluster.Node]{Value: append([]cluster.Node(nil), s.nodes...), At: s.now}
	for i := range snap.Nodes.Value {
		snap.Nodes.Value[i].Process.At = s.now
	}
	if !s.silent {
		snap.Metrics = cluster.Part[client.Metrics]{Value: s.metrics, At: s.now}
	}
	began := time.Unix(1_600_000_000, 0)
	snap.Leader = cluster.Part[cluster.Epoch]{Value: cluster.Epoch{Address: "c", StartedAt: began, Since: began}, At: s.now}
	s.apply(rollout.Observed{At: s.now, Snapshot: snap})
	st := s.m.Status()
	return &st
}

// apply feeds an event; reads that the Machine asks for are answered at once.
func (s *scene) apply(ev rollout.Event) {
	s.t.Helper()
	var effects []rollout.Effect
	s.m, effects = s.m.Apply(ev)
	s.effects = append(s.effects, effects...)
	for _, e := range effects {
		switch e := e.(type) {
		case rollout.ListShards:
			s.apply(rollout.Listed{At: s.now, Tag: e.Tag, Shards: s.shards(e.Node)})
		case rollout.ReadProcess:
			s.apply(rollout.ProofRead{At: s.now, Tag: e.Tag, Info: s.nodes[e.Node-1].Process.Value})
		case rollout.Probe:
			s.apply(rollout.Probed{At: s.now, Tag: e.Tag})
		case rollout.DescribeMoved:
			s.apply(rollout.MovedDescribed{At: s.now, Tag: e.Tag, Shards: s.told})
		case rollout.Locate:
			s.apply(rollout.Located{At: s.now, Tag: e.Tag, On: map[client.NodeID]int{3: len(e.Shards)}})
		}
	}
}

func (s *scene) shards(id client.NodeID) []client.ShardLocation {
	no := false
	var out []client.ShardLocation
	for i := range s.nodes[id-1].Attached {
		shard := client.TenantShardID(string(rune('a'+i)) + "0000000000000000000000000000000")
		out = append(out, client.ShardLocation{ID: shard, ObservedSecondary: &no, IntendedSecondary: &no})
	}
	return out
}

func verdictOf(t *testing.T, p *rollout.Prompt, name gate.Name) gate.Result {
	t.Helper()
	require.NotNil(t, p)
	for _, g := range p.Evidence.Gates {
		if g.Gate == name {
			return g
		}
	}
	require.FailNow(t, "not asked: "+string(name))
	return gate.Result{}
}

// What waits for longer than three refreshes holds the next node, and not
// before (X6).
func TestRow_X6_PendingReconcilesHold(t *testing.T) {
	s := newScene(t, rollout.Settings{}, 1)
	s.metrics.PendingReconciles = 2
	s.look(0)
	require.Equal(t, rollout.AskDrain, s.look(time.Second).Prompt.Ask)
	s.metrics.PendingReconciles = 30
	for range 4 {
		st := s.look(10 * time.Second)
		require.Equal(t, rollout.AskDrain, st.Prompt.Ask)
		require.Equal(t, gate.Pass, verdictOf(t, st.Prompt, gate.PendingReconcilesLow).Verdict)
	}
	st := s.look(10 * time.Second)
	require.Equal(t, rollout.AskGate, st.Prompt.Ask)
	require.Equal(t, "X6", st.Prompt.Row)
	s.metrics.PendingReconciles = 3
	require.Equal(t, rollout.AskDrain, s.look(10*time.Second).Prompt.Ask)
}

// The figures to compare with are the first that could be read, not those of a
// picture without any.
func TestTheBaselineWaitsForTheGauges(t *testing.T) {
	s := newScene(t, rollout.Settings{}, 1)
	s.metrics.StuckReconciles, s.silent = 3, true
	require.Nil(t, s.look(0).Prompt, "nothing is asked while the gauges are unknown")
	s.silent = false
	st := s.look(time.Second)
	require.Equal(t, rollout.AskDrain, st.Prompt.Ask)
	require.Equal(t, "3 stuck, 3 when the plan was made", verdictOf(t, st.Prompt, gate.StuckReconcilesZero).Figure)
	s.metrics.StuckReconciles = 4
	st = s.look(time.Second)
	require.Equal(t, "X7", st.Prompt.Row)
}

// A token that ends before the drain may holds it (D11).
func TestRow_D11_TheTokenMustOutliveTheDrain(t *testing.T) {
	s := newScene(t, rollout.Settings{DrainTotal: 4 * time.Minute}, 1)
	s.token = cluster.TokenView{Source: "file", Expires: s.now.Add(5 * time.Minute)}
	require.Equal(t, rollout.AskDrain, s.look(time.Second).Prompt.Ask)
	s.token.Expires = s.now.Add(4 * time.Minute)
	st := s.look(time.Second)
	require.Equal(t, rollout.AskGate, st.Prompt.Ask)
	require.Equal(t, "D11", st.Prompt.Row)
}

// A restarted node that runs another build than the configured one gets no fill
// (R8).
func TestRow_R8_WrongVersion(t *testing.T) {
	s := newScene(t, rollout.Settings{Revision: "4f2a91c0"}, 1)
	s.settle()
	s.say(rollout.AskDrain, rollout.Answer{Word: rollout.WordYes})
	s.drained(1)
	s.say(rollout.AskRestart, rollout.Answer{Word: rollout.WordYes})
	s.nodes[0].Process.Value.Build = client.Build{Revision: "git:0000000000"}
	s.restarted(1)
	st := s.m.Status()
	require.Equal(t, "R8", st.Prompt.Row, describe(&st))
	s.nodes[0].Process.Value.Build = client.Build{Revision: "git:4f2a91c0ffee"}
	require.Equal(t, rollout.AskFill, s.look(time.Second).Prompt.Ask)
}

// The canary comes back with another build than wanted: the whole run halts, and goes on
// only on a word once the build is right.
func TestRow_R8_CanaryHalts(t *testing.T) {
	s := newScene(t, rollout.Settings{Revision: "4f2a91c0"}, 1, 2)
	plan := s.m.Status().Plan
	plan.Steps[0].Canary = true
	s.m = rollout.New(plan, rollout.Settings{Revision: "4f2a91c0"})
	s.settle()
	s.say(rollout.AskDrain, rollout.Answer{Word: rollout.WordYes})
	s.drained(1)
	s.say(rollout.AskRestart, rollout.Answer{Word: rollout.WordYes})
	s.nodes[0].Process.Value.Build = client.Build{Revision: "git:0000000000"}
	s.restarted(1)
	st := s.m.Status()
	require.Equal(t, rollout.RunHalted, st.State, describe(&st))
	require.Equal(t, []any{rollout.AskHalted, "R8"}, []any{st.Prompt.Ask, st.Prompt.Row})
	s.nodes[0].Process.Value.Build = client.Build{Revision: "git:4f2a91c0ffee"}
	require.Equal(t, rollout.AskHalted, s.look(time.Second).Prompt.Ask)
	s.say(rollout.AskHalted, rollout.Answer{Word: rollout.WordResume})
	st = s.m.Status()
	require.Equal(t, rollout.RunRunning, st.State)
	require.Equal(t, rollout.AskFill, st.Prompt.Ask)
}

// Outside the window no node is begun.
func TestGateInWindowHoldsTheRun(t *testing.T) {
	night, err := gate.ParseWindow("22:00-23:00 UTC") // the scene begins at 22:13
	require.NoError(t, err)
	s := newScene(t, rollout.Settings{Window: &night}, 1)
	require.Equal(t, rollout.AskDrain, s.settle().Prompt.Ask)
	st := s.look(time.Hour)
	require.Equal(t, rollout.AskGate, st.Prompt.Ask)
	require.Contains(t, verdictOf(t, st.Prompt, gate.InWindow).Figure, "outside 22:00-23:00 UTC")
}

// While a compute has not been told that its shard moved, its old node is not
// restarted; the question comes once it has (X8).
func TestRow_X8_NoRestartBeforeComputesAreTold(t *testing.T) {
	s := newScene(t, rollout.Settings{}, 1)
	shard := s.shards(1)[0].ID
	s.told = map[client.TenantShardID]rollout.ShardTold{shard: {Pending: true}}
	s.settle()
	s.say(rollout.AskDrain, rollout.Answer{Word: rollout.WordYes})
	s.drained(1)
	st := s.m.Status()
	require.NotNil(t, st.Prompt, describe(&st))
	require.Equal(t, rollout.AskGate, st.Prompt.Ask)
	require.Equal(t, "X8", st.Prompt.Row)
	s.told = map[client.TenantShardID]rollout.ShardTold{shard: {}}
	s.look(2 * time.Second)
	require.Equal(t, rollout.AskRestart, s.look(4*time.Second).Prompt.Ask)

	// It is looked at again upon the yes.
	s.look(30 * time.Second)
	s.told = map[client.TenantShardID]rollout.ShardTold{shard: {Pending: true}}
	s.say(rollout.AskRestart, rollout.Answer{Word: rollout.WordYes})
	require.Equal(t, "X8", s.settle().Prompt.Row)
	_, hooks := s.sent()
	require.Zero(t, hooks)
}
