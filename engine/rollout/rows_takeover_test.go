package rollout_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/demo/server"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/gate"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// takeOver lets another instance of the controller lead and waits until it does.
// After the first time the console's address is that of one that has stepped
// down; after the second it leads again.
func (r *rig) takeOver() {
	r.t.Helper()
	was := r.poller.Latest().Leader.Value
	_, err := r.TakeOver()
	require.NoError(r.t, err)
	r.until("another leader", func(s *cluster.Snapshot) bool {
		return s.Nodes.Err == nil && s.Leader.Err == nil && !s.Leader.Value.Same(was) && s.Leader.At.After(s.Leader.Value.Since)
	})
}

// heldBy waits for a question in which a gate holds.
func (r *rig) heldBy(name gate.Name, figure string) {
	r.t.Helper()
	r.when("held by "+string(name), func(st *rollout.Status) bool {
		if st.Prompt == nil {
			return false
		}
		for _, g := range st.Prompt.Evidence.Gates {
			if g.Gate == name && g.Holds() && strings.Contains(g.Figure, figure) {
				return true
			}
		}
		return false
	})
}

// The leadership moves in the middle of a drain. The drain is an orphan; nothing
// is sent through the instance that has stepped down, whose lists are stale (C16),
// and the run goes on from the facts of the one that leads.
func TestRow_D22_LeadershipMovesInMidDrain(t *testing.T) {
	r := newRig(t, slow())
	r.start(rollout.GoalRestart, 1)
	r.yes(rollout.AskDrain)
	r.drainRuns()
	r.takeOver()
	r.asked(rollout.AskOrphan)
	require.Contains(t, rows(r.driver.Status()), "D22")
	require.Equal(t, []string{"PUT 1/drain 202"}, r.mutations(), "a move of the leader sends nothing by itself")

	r.say(rollout.AskOrphan, rollout.Answer{Word: rollout.WordReset, Node: 1})
	r.heldBy(gate.LeaderStable, "stepped_down")
	require.Len(t, onPath(r.mutations(), "PUT 1/drain"), 1)

	r.takeOver()
	r.yes(rollout.AskDrain)
	r.asked(rollout.AskRestart)
	require.Len(t, onPath(r.mutations(), "PUT 1/drain 202"), 2)
	require.Zero(t, r.attachedTo()[1], "drained in truth")
}

// The leadership moves while the restart is asked about: the yes finds the gate,
// and what stayed attached is listed again by the one that leads.
func TestRow_D22_NoRestartOnAStaleList(t *testing.T) {
	r := newRig(t, options{Options: server.Options{AllMovable: true}})
	r.start(rollout.GoalRestart, 1)
	r.yes(rollout.AskDrain)
	r.asked(rollout.AskRestart)
	listed := r.driver.Status().Steps[0].LeftoversAt
	r.takeOver()
	r.goOnTo(rollout.AskGate)
	r.heldBy(gate.LeaderStable, "stepped_down")
	require.Zero(t, r.driver.Status().Calls.Hooks)

	r.takeOver()
	r.asked(rollout.AskRestart)
	require.True(t, r.driver.Status().Steps[0].LeftoversAt.After(listed), "listed again")
	r.yes(rollout.AskRestart)
	r.yes(rollout.AskFill)
	require.Contains(t, []rollout.ExitCode{rollout.ExitDone, rollout.ExitDoneWithIssues}, r.driver.Wait().Exit)
}

// The leadership moves right before the drain is sent: the candidate and the one
// that has stepped down serve nobody, so nothing is sent, and it is tried again.
func TestRow_D9_NobodyLeadsYet(t *testing.T) {
	r := newRig(t, options{})
	r.meddle(func() error {
		_, err := r.TakeOver()
		return err
	})
	r.start(rollout.GoalRestart, 1)
	r.yes(rollout.AskDrain)
	r.when("not taken", func(st *rollout.Status) bool {
		for _, n := range st.Notes {
			if n.Row == "D9" && strings.Contains(n.Text, "Leader is stepped down instance") {
				return true
			}
		}
		return false
	})
	require.Empty(t, r.mutations())
	r.heldBy(gate.LeaderStable, "stepped_down")
	r.takeOver()
	r.goOnTo(rollout.AskRestart)
	require.Equal(t, []string{"PUT 1/drain 202"}, r.mutations())
	require.Equal(t, 1, r.driver.Status().Calls.Drain)
	n, err := r.client.Node(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, client.PolicyPauseForRestart, n.Scheduling)
}
