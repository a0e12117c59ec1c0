package rollout_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/gate"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

func everything() *rollout.Policy {
	return &rollout.Policy{Sum: "abc", Drain: true, Restart: true, Fill: true}
}

// sent are the calls and commands of the scene, in order.
func (s *scene) sent() (calls, hooks int) {
	for _, e := range s.effects {
		switch e.(type) {
		case rollout.SendCall:
			calls++
		case rollout.RunHook:
			hooks++
		}
	}
	return calls, hooks
}

// What the policy covers needs nobody; a gate holds only while it fails.
func TestPolicyGoesOnOnceAGatePasses(t *testing.T) {
	late, err := gate.ParseWindow("23:00-24:00 UTC") // the scene begins at 22:13
	require.NoError(t, err)
	s := newScene(t, rollout.Settings{Policy: everything(), Window: &late}, 1)
	st := s.look(0)
	require.NotNil(t, st.Prompt, describe(st))
	require.Equal(t, rollout.AskGate, st.Prompt.Ask)
	require.Nil(t, s.look(time.Hour).Prompt)
	s.drained(1)
	s.restarted(1)
	s.filled(1)
	st = s.look(time.Second)
	require.NotNil(t, st.Outcome, describe(st))
	require.Equal(t, rollout.ExitDone, st.Outcome.Exit)
	calls, hooks := s.sent()
	require.Equal(t, []int{2, 1}, []int{calls, hooks})
}

// After an anomaly the policy answers nothing more, though all looks well again.
func TestPolicyEndsWithTheFirstAnomaly(t *testing.T) {
	s := newScene(t, rollout.Settings{Policy: everything()}, 1, 2)
	s.settle()
	s.ended()
	s.settle() // policy Active after our 202 is never a finished drain
	st := s.m.Status()
	require.Equal(t, rollout.AskDrainEnded, st.Prompt.Ask, describe(&st))
	s.say(rollout.AskDrainEnded, rollout.Answer{Word: rollout.WordRetry})
	require.Equal(t, rollout.AskDrain, s.settle().Prompt.Ask, "a person says what follows")
	s.apply(rollout.Interrupted{At: s.now, Kind: rollout.Detach, Why: "nobody answered"})
	st = s.m.Status()
	require.Equal(t, rollout.ExitHalted, st.Outcome.Exit)
}

// More that stays than the policy allows is a person's to accept, and what the
// plan did not list always is.
func TestPolicyLeavesLeftoversToAPerson(t *testing.T) {
	for row, test := range map[string]struct{ planned, budget, left int }{
		"":    {planned: 2, budget: 1, left: 2},
		"D15": {planned: 0, budget: 3, left: 1},
	} {
		t.Run(row, func(t *testing.T) {
			p := everything()
			p.Leftovers = test.budget
			s := newScene(t, rollout.Settings{Policy: p}, 1)
			plan := s.m.Status().Plan
			for _, shard := range s.shards(1)[:test.planned] {
				plan.Steps[0].Stay = append(plan.Steps[0].Stay, rollout.Stay{Shard: shard.ID, Reason: rollout.NoSecondary})
			}
			s.m = rollout.New(plan, rollout.Settings{Policy: p})
			s.settle()
			s.ended()
			s.nodes[0].Scheduling, s.nodes[0].Attached = client.PolicyPauseForRestart, int64(test.left)
			st := s.settle()
			require.NotNil(t, st.Prompt, describe(st))
			require.Equal(t, rollout.AskRestart, st.Prompt.Ask)
			require.Equal(t, row, st.Prompt.Row)
			_, hooks := s.sent()
			require.Zero(t, hooks)
		})
	}
}

// A run that stands at a gate from its beginning was refused: nothing was changed.
func TestPolicyRefusedAtTheStart(t *testing.T) {
	s := newScene(t, rollout.Settings{Policy: everything()}, 1)
	s.nodes[3].Availability = client.AvailabilityOffline
	require.Equal(t, rollout.AskHalted, s.settle().Prompt.Ask)
	s.apply(rollout.Interrupted{At: s.now, Kind: rollout.Detach, Why: "nobody answered"})
	st := s.m.Status()
	require.Equal(t, rollout.ExitPreflight, st.Outcome.Exit)
}

func TestOrders(t *testing.T) {
	steps := func() []rollout.StepPlan {
		return []rollout.StepPlan{
			{Node: 1, AZ: "b", Attached: 9},
			{Node: 2, AZ: "a", Attached: -1},
			{Node: 3, AZ: "b", Attached: 4},
			{Node: 4, AZ: "a", Attached: 7},
		}
	}
	for order, want := range map[rollout.Order][]client.NodeID{
		"":                       {1, 2, 3, 4},
		rollout.OrderAsGiven:     {1, 2, 3, 4},
		rollout.OrderAZ:          {1, 3, 2, 4},
		rollout.OrderLeastLoaded: {3, 4, 1, 2},
	} {
		got := steps()
		order.Sort(got)
		var ids []client.NodeID
		for _, s := range got {
			ids = append(ids, s.Node)
		}
		require.Equal(t, want, ids, string(order))
	}
}

// The canary goes first whatever the order, and is the only one that bakes longer.
func TestCanaryIsTheLeastLoaded(t *testing.T) {
	r := newRig(t, options{})
	r.cfg.Canary, r.cfg.Order = true, rollout.OrderAZ
	plan, err := rollout.NewEngine(r.cfg).Plan(t.Context(), rollout.GoalRestart, []client.NodeID{1, 2, 3, 4})
	require.NoError(t, err)
	for i, s := range plan.Steps {
		require.Equal(t, i == 0, s.Canary)
		require.LessOrEqual(t, plan.Steps[0].Attached, s.Attached)
	}
}
