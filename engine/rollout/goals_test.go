package rollout_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/demo/server"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// A lone drain ends in PauseForRestart, which is what was asked for.
func TestGoal_Drain(t *testing.T) {
	r := newRig(t, options{Options: server.Options{AllMovable: true}})
	r.start(rollout.GoalDrain, 1)
	r.yes(rollout.AskDrain)
	out := r.driver.Wait()
	require.Equal(t, rollout.ExitDone, out.Exit, describe(r.driver.Status()))
	require.Empty(t, out.Left)
	require.Equal(t, []string{"PUT 1/drain 202"}, r.mutations())

	// And back: a plain yes, since it only ends a finished drain.
	r.start(rollout.GoalActivate, 1)
	r.yes(rollout.AskActivate)
	require.Equal(t, rollout.ExitDone, r.driver.Wait().Exit)
	n, err := r.client.Node(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, client.PolicyActive, n.Scheduling)

	r.start(rollout.GoalFill, 1)
	r.yes(rollout.AskFill)
	require.Equal(t, rollout.ExitDone, r.driver.Wait().Exit)
}

// Somebody's Pause is set Active only on the typed id.
func TestGoal_ActivateOverwritesAPauseOnlyTyped(t *testing.T) {
	r := newRig(t, options{})
	r.policy(1, client.PolicyPause)
	r.start(rollout.GoalActivate, 1)
	p := r.asked(rollout.AskActivate)
	err := r.driver.Answer(rollout.Answer{Prompt: p.ID, Word: rollout.WordYes})
	var typed *rollout.TypeIDError
	require.ErrorAs(t, err, &typed)
	r.say(rollout.AskActivate, rollout.Answer{Word: rollout.WordYes, Node: 1})
	require.Equal(t, rollout.ExitDone, r.driver.Wait().Exit)
}

// Somebody else's drain of the very node is not taken over without a word (D4).
func TestRow_D4_ForeignDrainOfThisNode(t *testing.T) {
	r := newRig(t, slow())
	r.drainBySomebody(1)
	r.start(rollout.GoalRestart, 1)
	p := r.askedRow("D4")
	require.Equal(t, &client.Operation{Kind: client.OperationDrain, Node: 1}, p.Evidence.Busy)
	r.say(rollout.AskBusy, rollout.Answer{Word: rollout.WordAccept, Node: 1, Reason: "mine, from another shell"})
	r.asked(rollout.AskRestart)
	require.Equal(t, []string{"PUT 1/drain 202"}, r.mutations(), "only theirs")
}

func TestPlanErrors(t *testing.T) {
	r := newRig(t, options{})
	_, err := r.engine.Plan(t.Context(), rollout.GoalRestart, []client.NodeID{9, 1})
	var unknown *rollout.UnknownNodeError
	require.ErrorAs(t, err, &unknown)
	require.Equal(t, []client.NodeID{9}, unknown.Nodes)
	require.Equal(t, []client.NodeID{1, 2, 3, 4}, unknown.Known)
	require.EqualError(t, err, "node 9 is not registered with this controller; it knows 1, 2, 3, 4")
	_, err = r.engine.Plan(t.Context(), rollout.GoalRestart, nil)
	require.ErrorIs(t, err, rollout.ErrNoNodes)
}

// The plan says where the shards land (C29) and which stay, and the drain does that.
func TestPlanForetellsTheDrain(t *testing.T) {
	r := newRig(t, options{})
	plan, err := r.engine.Plan(t.Context(), rollout.GoalDrain, []client.NodeID{1})
	require.NoError(t, err)
	before := r.attachedTo()
	r.run(plan)
	r.yes(rollout.AskDrain)
	r.driver.Wait()
	after := r.attachedTo()
	step := plan.Steps[0]
	require.Equal(t, len(step.Stay), after[1])
	for _, l := range step.Landing {
		require.Equal(t, before[l.Node]+l.Shards, after[l.Node], "node %s", l.Node)
	}
	require.Equal(t, []string{"PUT /control/v1/node/1/drain"}, step.Calls)
}

// attachedTo counts the shards by the node that has them.
func (r *rig) attachedTo() map[client.NodeID]int {
	r.t.Helper()
	out := map[client.NodeID]int{}
	require.NoError(r.t, r.client.EachTenantsPage(r.t.Context(), 100, func(page []client.Tenant) error {
		for _, t := range page {
			for _, s := range t.Shards {
				if s.NodeAttached != nil {
					out[*s.NodeAttached]++
				}
			}
		}
		return nil
	}))
	return out
}
