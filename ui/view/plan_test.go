package view

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/ui/goldentest"
)

// A plan for a node that is away says so: its figures are of what should be there.
func TestPlanSaysThatItsNodeIsAway(t *testing.T) {
	c := runContext(goldentest.Styles(t, goldentest.Looks[2]), nil)
	plan := func() string { return strings.Join(NewPlanScreen(fixturePlan()).Lines(c, 120, 40), "\n") }
	require.NotContains(t, plan(), "needs it Active")
	c.Snapshot.Nodes.Value[0].Availability, c.Snapshot.Nodes.Value[0].AvailabilitySince = client.AvailabilityOffline, ago(41*time.Second)
	require.Contains(t, plan(), "Offline for 41 s: a drain needs it Active")
	c.Snapshot.Nodes.Value = c.Snapshot.Nodes.Value[1:]
	require.Contains(t, plan(), "the node is no longer registered")
}

// Nobody is waited for, and nothing goes on, in a run that has ended.
func TestEndedRunWaitsForNobody(t *testing.T) {
	st := askRestart()
	st.Prompt, st.State, st.Ended, st.Outcome = nil, rollout.RunEnded, fixedNow, &rollout.Outcome{Word: "detached", Exit: rollout.ExitPaused}
	c := runContext(goldentest.Styles(t, goldentest.Looks[2]), st)
	text := strings.Join(NewRunScreen().Lines(c, 120, 40), "\n")
	require.NotContains(t, text, "waiting for you")
	require.Contains(t, text, "the run ended before it was answered")
}

// While a cancel runs, it is what is shown, and nobody is waited for.
func TestCancelIsShownInsteadOfWhatItEnds(t *testing.T) {
	drain := rollout.PhaseStatus{Phase: rollout.PhaseDrain, State: rollout.PhaseBlocked, Started: ago(time.Minute)}
	cancel := rollout.PhaseStatus{Phase: rollout.PhaseCancel, State: rollout.PhaseRunning, Started: ago(time.Second), Detail: "policy Active"}
	c := runContext(goldentest.Styles(t, goldentest.Looks[2]), fixtureRun(drain, cancel))
	text := strings.Join(NewRunScreen().Lines(c, 120, 40), "\n")
	require.Contains(t, text, "CANCELLING WHAT RUNS ON NODE 1")
	require.Contains(t, text, "running: it is being cancelled")
	require.NotContains(t, text, "waiting for you")
}

// The columns of a plan are whole or gone, the estimates last.
func TestPlanColumnsAreNeverCut(t *testing.T) {
	plan := fixturePlan()
	plan.Steps[0].Policy = client.PolicyPauseForRestart
	plan.Steps[0].Landing = []rollout.Landing{{Node: 1234, Shards: 1812}, {Node: 1235, Shards: 1752}, {Node: 1236, Shards: 3}}
	for w := 60; w <= 200; w++ {
		columns := planColumns(plan, w)
		require.LessOrEqual(t, planWidth(columns), w)
		titles := make([]string, 0, len(columns))
		for _, col := range columns {
			titles = append(titles, col.title)
		}
		require.Subset(t, titles, []string{"order", "node", "policy", "attached"})
		require.True(t, slices.Contains(titles, "takes") != slices.Contains(titles, "drain"), "%d: %v", w, titles)
		require.True(t, slices.Contains(titles, "stay") != slices.Contains(titles, "will not move"), "%d: %v", w, titles)
	}
}
