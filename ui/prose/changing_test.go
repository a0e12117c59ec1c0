package prose

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// A plan warns of the nodes with shards that are being split or imported, and of no
// other (X12).
func TestPlanWarnsOfSplits(t *testing.T) {
	plan := rollout.Plan{Goal: rollout.GoalRestart, Steps: []rollout.StepPlan{{Node: 1, Changing: 2}, {Node: 2}}}
	require.Equal(t, []string{"node 1: 2 shards being split or imported; a drain moves them twice"}, Changing(plan))
	require.Contains(t, strings.Join(PlanText(plan, NothingSent), "\n"), "  ! node 1: 2 shards being split")
}
