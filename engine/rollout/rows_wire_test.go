package rollout_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/demo/server"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// answered arms the demo to answer the drain of node 1 so, that many times.
func (r *rig) answered(status string, times int) {
	r.t.Helper()
	f := drainFault("status", status)
	f.Count = times
	r.fault(f)
}

// The leadership moves: the node is read again, and the drain sent once it can be.
func TestRow_D9_LeadershipMoves(t *testing.T) {
	r := newRig(t, options{})
	r.answered("503 Current leadership status is candidate", 2)
	r.start(rollout.GoalRestart, 1)
	r.yes(rollout.AskDrain)
	r.asked(rollout.AskRestart)
	require.Equal(t, []string{"PUT 1/drain 503", "PUT 1/drain 503", "PUT 1/drain 202"}, r.mutations())
	require.Contains(t, rows(r.driver.Status()), "D9")
}

// 404: the node is not registered any more; nothing else is sent for it.
func TestRow_D10_NodeUnknown(t *testing.T) {
	r := newRig(t, options{})
	r.answered("404 NotFound: Node 1 not registered", 1)
	r.start(rollout.GoalRestart, 1)
	r.yes(rollout.AskDrain)
	r.when("asked about it, or its being in the list seen", func(st *rollout.Status) bool {
		for _, n := range st.Notes {
			if n.Row == "D10" {
				return true
			}
		}
		return false
	})
	require.Empty(t, onPath(r.mutations(), "PUT 1/drain 202"))
}

// The token is refused: no further call, the run stays, and goes on with a new one.
func TestRow_D11_TokenRefused(t *testing.T) {
	r := newRig(t, options{})
	r.answered("403 Forbidden: JWT authentication error", 1)
	r.start(rollout.GoalRestart, 1)
	r.yes(rollout.AskDrain)
	p := r.asked(rollout.AskUnauthorized)
	require.Equal(t, "D11", p.Row)
	require.Contains(t, p.Cause, "JWT authentication error")
	require.Len(t, r.mutations(), 1)
	r.say(rollout.AskUnauthorized, rollout.Answer{Word: rollout.WordRetry})
	r.yes(rollout.AskDrain)
	r.asked(rollout.AskRestart)
}

// Busy and broken answers are tried again, within bounds, and then asked about in the
// server's own words.
func TestRow_D12_ServerTrouble(t *testing.T) {
	for _, status := range []string{"429 slow down", "500 Database error: connection reset", "502 bad gateway", "504 gateway timeout"} {
		t.Run(status[:3], func(t *testing.T) {
			r := newRig(t, options{})
			r.answered(status, 2)
			r.start(rollout.GoalRestart, 1)
			r.yes(rollout.AskDrain)
			r.asked(rollout.AskRestart)
			require.Len(t, onPath(r.mutations(), "PUT 1/drain"), 3)
		})
	}
	t.Run("for ever", func(t *testing.T) {
		r := newRig(t, options{set: func(s *rollout.Settings) { s.Retries = 2 }})
		r.answered("429 slow down", 100)
		r.start(rollout.GoalRestart, 1)
		r.yes(rollout.AskDrain)
		p := r.asked(rollout.AskRefused)
		require.Equal(t, "D12", p.Row)
		require.Contains(t, p.Cause, "slow down")
		require.Len(t, onPath(r.mutations(), "PUT 1/drain"), 3)
	})
}

// There is nothing to fill from: noted, and no fault of the run.
func TestRow_L10_NothingToFillFrom(t *testing.T) {
	r := newRig(t, options{})
	r.fault(server.Fault{
		Path: "/node/1/fill$", Method: http.MethodPut, Count: 1, Kind: "status",
		Value: "412 Precondition failed: No other nodes to fill from",
	})
	r.restartTo(rollout.AskFill)
	r.yes(rollout.AskFill)
	require.Equal(t, rollout.ExitDoneWithIssues, r.driver.Wait().Exit)
	require.Contains(t, rows(r.driver.Status()), "L10")
	n, err := r.client.Node(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, client.PolicyActive, n.Scheduling)
}
