package rollout_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// A lone drain that is skipped at its question has changed nothing, so there is
// nothing that could have issues.
func TestSkippedLoneDrainIsNoIssue(t *testing.T) {
	r := newRig(t, options{})
	r.start(rollout.GoalDrain, 1)
	r.say(rollout.AskDrain, rollout.Answer{Word: rollout.WordSkip, Reason: "not today"})
	out := r.driver.Wait()
	require.Equal(t, rollout.ExitPaused, out.Exit, describe(r.driver.Status()))
	require.Equal(t, "left as it was", out.Word)
	require.Empty(t, r.mutations())
}
