package rollout_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// Two nodes, each phase confirmed: two calls and one hook a node, no probe.
func TestHappyPath(t *testing.T) {
	r := newRig(t, options{})
	r.start(rollout.GoalRestart, 1, 2)
	for range 2 {
		r.yes(rollout.AskDrain)
		r.yes(rollout.AskRestart)
		r.yes(rollout.AskFill)
	}
	out := r.driver.Wait()
	st := r.driver.Status()
	require.Contains(t, []rollout.ExitCode{rollout.ExitDone, rollout.ExitDoneWithIssues}, out.Exit, describe(st))
	require.Equal(t, []string{"PUT 1/drain 202", "PUT 1/fill 202", "PUT 2/drain 202", "PUT 2/fill 202"}, r.mutations())
	require.Equal(t, 2, st.Calls.Hooks)
	require.Zero(t, st.Calls.Probes)
	require.Empty(t, out.Left)
	require.Greater(t, out.Baseline, out.Exposed)
	for _, s := range st.Steps {
		require.NotNil(t, s.Home)
		require.EqualValues(t, s.AttachedBefore, s.Home.Home+s.Home.SameAZ+s.Home.Other+s.Home.Unknown)
		require.NotEqual(t, s.PreLaunch, s.Launch)
	}
	require.Len(t, r.kinds(journal.KindHookStart), 2)
	require.Len(t, r.kinds(journal.KindClose), 1)
	require.Len(t, r.kinds(journal.KindIntent), 4)
	for _, rec := range r.kinds(journal.KindIntent) {
		require.Contains(t, rec.Call, "PUT /control/v1/node/")
	}
}
