package rollout_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/demo/server"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// slow is a cluster whose drain takes some seconds.
func slow() options {
	return options{Options: server.Options{LocationDelay: 15 * time.Second, AllMovable: true}}
}

// drainRuns waits until the run's drain of node 1 is seen.
func (r *rig) drainRuns() {
	r.t.Helper()
	r.until("Draining", func(s *cluster.Snapshot) bool {
		n, _ := s.Node(1)
		return n.Scheduling == client.PolicyDraining
	})
	r.when("its list is read", func(st *rollout.Status) bool { return st.Steps[0].Phases[0].Progress.Left >= 0 })
}

// drainBySomebody starts a drain that is not the run's and waits to see it.
func (r *rig) drainBySomebody(id client.NodeID) {
	r.t.Helper()
	require.NoError(r.t, r.client.StartDrain(r.t.Context(), id))
	r.until("Draining", func(s *cluster.Snapshot) bool {
		n, _ := s.Node(id)
		return n.Scheduling == client.PolicyDraining
	})
}

// 202 is not "cancelled": the run waits for a terminal policy and for rest (C26).
func TestRow_A1_CancelIsAsynchronous(t *testing.T) {
	r := newRig(t, slow())
	r.drainBySomebody(1)
	r.start(rollout.GoalCancel, 1)
	r.yes(rollout.AskCancel)
	out := r.driver.Wait()
	require.Equal(t, rollout.ExitDone, out.Exit, describe(r.driver.Status()))
	require.Len(t, onPath(r.mutations(), "DELETE 1/drain 202"), 1)
	shards, err := r.client.NodeShards(t.Context(), 1)
	require.NoError(t, err)
	for _, s := range shards.Shards {
		require.Equal(t, s.ObservedAttached(), s.IntendedAttached(), "at rest")
	}
}

// "Nothing in progress": it had just ended, or is an orphan; the node is read.
func TestRow_A2_NothingToCancel(t *testing.T) {
	r := newRig(t, options{})
	r.policy(1, client.PolicyDraining)
	r.start(rollout.GoalCancel, 1)
	r.yes(rollout.AskCancel)
	p := r.asked(rollout.AskOrphan)
	require.Equal(t, "D7", p.Row)
	require.Contains(t, rows(r.driver.Status()), "A2")
	r.say(rollout.AskOrphan, rollout.Answer{Word: rollout.WordReset, Node: 1})
	require.Equal(t, rollout.ExitDone, r.driver.Wait().Exit)
	require.Len(t, onPath(r.mutations(), "DELETE 1/drain 412"), 1)
}

// The cancel is accepted and the drain ends in PauseForRestart all the same,
// since it had read its token for the last time: the node is set Active (C5).
func TestRow_A4_CancelledIntoPauseForRestart(t *testing.T) {
	r := newRig(t, options{Options: server.Options{Speed: 2, Tenants: 8, AllMovable: true, LocationDelay: 600 * time.Millisecond}})
	r.drainBySomebody(1)
	began := time.Now()
	r.start(rollout.GoalCancel, 1)
	// The scan reads the token once more half a second in; the moves take three.
	r.until("the scan is over", func(s *cluster.Snapshot) bool { return s.Nodes.At.Sub(began) > 400*time.Millisecond })
	r.yes(rollout.AskCancel)
	out := r.driver.Wait()
	require.Equal(t, rollout.ExitDone, out.Exit, describe(r.driver.Status()))
	require.Equal(t, []string{"DELETE 1/drain 202", "PUT 1/config 200"}, r.mutations()[1:])
	require.Contains(t, rows(r.driver.Status()), "A4")
}
