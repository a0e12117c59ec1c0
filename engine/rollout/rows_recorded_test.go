package rollout_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/demo/server"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// hangs is a cluster whose computes' control plane refuses to be told, and a run
// whose drain of node 1 hangs over it.
func hangs(t *testing.T) *rig {
	t.Helper()
	r := newRig(t, options{
		Options: server.Options{AllMovable: true, LocationDelay: 100 * time.Millisecond},
		set:     func(s *rollout.Settings) { s.NoProgress, s.CancelTotal = 400*time.Millisecond, 2*time.Second },
	})
	r.SetNotify(http.StatusServiceUnavailable)
	r.start(rollout.GoalRestart, 1)
	r.yes(rollout.AskDrain)
	r.askedRow("D13")
	return r
}

// C28: refused notifications hang a drain. What is told are the shards whose move
// does not end, no restart is offered, and it goes on once they are accepted.
// Rows: D13, X8.
func TestCase_C28_RefusedNotificationsHangTheDrain(t *testing.T) {
	r := hangs(t)
	st := r.driver.Status()
	require.Equal(t, rollout.AskNoProgress, st.Prompt.Ask)
	blocking := st.Steps[0].Phases[0].Progress.Blocking
	require.NotEmpty(t, blocking)
	for _, b := range blocking {
		require.NotEmpty(t, b.Reason)
		tenant, err := r.client.Tenant(t.Context(), b.Shard.Tenant())
		require.NoError(t, err)
		for _, s := range tenant.Shards {
			if s.ID == b.Shard {
				require.True(t, s.IsReconciling, "as recorded: the move does not end")
				require.False(t, s.IsPendingComputeNotification, "and no flag tells of the notification")
			}
		}
	}
	undrained, ok := st.Prompt.Choice(rollout.WordUndrained)
	require.True(t, ok)
	require.NotEmpty(t, undrained.Off, "no restart while the drain lives")
	_, ok = st.Prompt.Choice(rollout.WordYes)
	require.False(t, ok)

	r.SetNotify(http.StatusOK)
	r.asked(rollout.AskRestart)
	require.Zero(t, r.attachedTo()[1])
	require.Equal(t, []string{"PUT 1/drain 202"}, r.mutations())
	require.Zero(t, r.driver.Status().Calls.Hooks)
}

// C26, C28: a cancel ends such a drain, and the moves go on hanging. The run
// waits for them within its limit and says that the cluster did not come to rest.
func TestCase_C28_CancelledWhileNotificationsAreRefused(t *testing.T) {
	r := hangs(t)
	r.say(rollout.AskNoProgress, rollout.Answer{Word: rollout.WordCancel})
	r.asked(rollout.AskDrainEnded)
	st := r.driver.Status()
	require.NotEmpty(t, st.Steps[0].Issues)
	require.Contains(t, st.Steps[0].Issues[0], "did not come to rest")
	n, err := r.client.Node(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, client.PolicyActive, n.Scheduling)
	require.Zero(t, st.Calls.Hooks)
	r.SetNotify(http.StatusOK)
	r.until("the moves end", func(*cluster.Snapshot) bool { return r.AtRest() })
}

// C25: intent falls at once, 64 shards at a time; what counts as done is what was
// observed.
func TestCase_C25_ProgressIsObserved(t *testing.T) {
	r := newRig(t, options{Options: server.Options{AllMovable: true, Tenants: 400, LocationDelay: 4 * time.Second}})
	r.start(rollout.GoalDrain, 1)
	r.yes(rollout.AskDrain)
	behind := 0
	for r.driver.Status().Outcome == nil {
		st := r.when("another count", func(st *rollout.Status) bool {
			return st.Outcome != nil || st.Steps[0].Phases[0].Progress.Left >= 0
		})
		list, err := r.client.NodeShards(t.Context(), 1)
		require.NoError(t, err)
		intended, observed := int64(0), int64(0)
		for _, s := range list.Shards {
			if s.IntendedAttached() {
				intended++
			}
			if s.ObservedAttached() {
				observed++
			}
		}
		p := st.Steps[0].Phases[0].Progress
		if st.Outcome == nil && p.Left >= 0 {
			require.GreaterOrEqual(t, p.Left, observed, "read before, so never fewer than are there now")
			if p.Left > intended {
				behind++
			}
		}
	}
	require.Greater(t, behind, 5, "most of the time intent is ahead of what was observed")
	require.Equal(t, rollout.ExitDone, r.driver.Wait().Exit)
}

// C27: during a long outage the optimiser gives shards to another node of their
// AZ. The fill brings back what its own rules say; the rest is a fact, not a fault.
func TestCase_C27_ALongOutageLeavesShardsInTheirAZ(t *testing.T) {
	r := newRig(t, options{do: "restart?down=120s", Options: server.Options{AllMovable: true, AZs: 2}})
	r.restartTo(rollout.AskFill)
	r.yes(rollout.AskFill)
	out := r.driver.Wait()
	st := r.driver.Status()
	home := st.Steps[0].Home
	require.NotNil(t, home)
	require.Positive(t, home.SameAZ, "%+v", home)
	require.EqualValues(t, st.Steps[0].AttachedBefore, home.Home+home.SameAZ+home.Other+home.Unknown)
	require.Equal(t, rollout.ExitDone, out.Exit, describe(st))
	require.Empty(t, st.Steps[0].Issues)
}
