package gate

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
)

func names(results []Result) []Name {
	var got []Name
	for _, r := range results {
		got = append(got, r.Gate)
	}
	return got
}

func TestWhichGatesApplyWhen(t *testing.T) {
	every := []Name{ControllerReachable, LeaderStable, NoForeignOperation}
	run := []Name{PendingReconcilesLow, StuckReconcilesZero, AZViolationsBaseline, AlertsClear, InWindow}
	unload := append([]Name{AllOtherNodesActive, AZRedundancy, SchedulableCapacity}, run...)
	own := []Name{LockHeld, JournalWritable}
	all := append(own[:2:2], TokenValid)
	join := func(parts ...[]Name) (all []Name) {
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	for at, want := range map[At][]Name{
		AtPlan:        join(every, unload, all),
		BeforeDrain:   join(every, unload, all),
		BeforeRestart: join(every, []Name{NotificationsClear}, all, []Name{DrainLeftoversAccepted}),
		BeforeFill:    join(every, all, []Name{RestartProven, VersionMatches}),
		BeforeCleanup: join(every[:2], own),
		WhileBaking:   join(every, unload, all, []Name{NodeStable}),
	} {
		results := Evaluate(at, six())
		require.Equal(t, want, names(results), "moment %d", at)
		require.Empty(t, Holding(results), "moment %d", at)
		for _, r := range results {
			require.NotEmpty(t, r.Figure)
		}
	}
	whole := Evaluate(AtPlan, six().with(func(in *Input) { in.Node = 0 }))
	require.Equal(t, join(every, run, all), names(whole), "no node, no gate about one")
}

// nothingKnown has everything configured and nothing read.
func nothingKnown() Input {
	return Input{
		Snapshot: &cluster.Snapshot{Token: cluster.TokenView{Source: "file x.jwt", Expires: ago(time.Second)}},
		Now:      now, Node: 1, Baseline: &Baseline{Stuck: -1, Pending: -1, AZViolations: -1},
		Pending: Readings{}, Moves: &OwnMoves{}, Moved: &Moved{}, Alerts: &cluster.Part[[]string]{},
		Window: &Window{}, Version: &Version{Target: "6a35a3e"}, Stable: &Stable{Needed: 5},
	}
}

func TestWhatHaltsAndWhatCanBeOverridden(t *testing.T) {
	seen := map[Name]bool{}
	for at := AtPlan; at <= WhileBaking; at++ {
		for _, r := range Evaluate(at, nothingKnown()) {
			seen[r.Gate] = true
			want := Unknown
			if r.Gate == TokenValid || r.Gate == InWindow { // a clock is all that they read
				want = Fail
			}
			require.Equal(t, want, r.Verdict, "%s: nothing is known", r.Gate)
			require.True(t, r.Holds())
			require.Equal(t, r.Gate == AllOtherNodesActive || r.Gate == AlertsClear, r.Halts, r.Gate)
			firm := r.Gate == LockHeld || r.Gate == JournalWritable || r.Gate == RestartProven
			require.Equal(t, !firm, r.Overridable, r.Gate)
		}
	}
	require.Len(t, seen, 19)
}

// What nobody configured is off, and holds nothing.
func TestOffUntilConfigured(t *testing.T) {
	var gone []Name
	for at := AtPlan; at <= WhileBaking; at++ {
		for _, r := range Evaluate(at, six()) {
			require.False(t, r.Holds(), "%s: %s", r.Gate, r.Figure)
			if r.Verdict == Off && !slices.Contains(gone, r.Gate) {
				gone = append(gone, r.Gate)
			}
		}
	}
	require.Equal(t, []Name{AlertsClear, InWindow, NotificationsClear, VersionMatches, NodeStable}, gone)
}

func TestOverridesCountForOneGateOfOneNode(t *testing.T) {
	results := Evaluate(BeforeDrain, nothingKnown())
	override := func(g Name, node client.NodeID) []Override {
		return []Override{{Gate: g, Node: node, Reason: "CHG-118", By: "me"}}
	}
	still := func(o []Override) int { return len(Holding(Apply(results, o))) }
	require.Equal(t, len(results), still(nil))
	require.Equal(t, len(results)-1, still(override(AZRedundancy, 1)))
	require.Equal(t, len(results), still(override(AZRedundancy, 2)), "another node")
	require.Equal(t, len(results), still(override(LockHeld, 1)), "a gate that cannot be overridden")
	require.Nil(t, resultOf(t, results, AZRedundancy).Overridden, "what was given is not written to")

	applied := resultOf(t, Apply(results, override(AZRedundancy, 1)), AZRedundancy)
	require.Equal(t, "CHG-118", applied.Overridden.Reason)
	passing := Apply(Evaluate(BeforeDrain, six()), override(AZRedundancy, 1))
	require.Nil(t, resultOf(t, passing, AZRedundancy).Overridden, "there was nothing to override")
}

// P19: a plan lists every check that holds, with the measured values.
func TestPlanListsEveryNodeForWhichAGateHolds(t *testing.T) {
	in := six().but(2, policy(client.PolicyPause)).with(func(in *Input) { in.Baseline = nil })
	needed := func(id client.NodeID) *Tenants { return &Tenants{OnlySecondaryInAZ: int(id)} }
	results := EvaluatePlan(in, []client.NodeID{1, 3, 5}, needed)
	holding := Holding(results)
	require.Len(t, holding, 1)
	require.Equal(t, client.NodeID(1), holding[0].Node)
	require.Equal(t, "node 1 is the last schedulable in AZ az-a; 1 shard with no secondary anywhere else", holding[0].Figure)

	in.but(6, availability("Offline"))
	results = EvaluatePlan(in, []client.NodeID{1, 3, 5}, needed)
	var halted []client.NodeID
	for _, r := range Holding(results) {
		if r.Halts {
			halted = append(halted, r.Node)
		}
	}
	require.Equal(t, []client.NodeID{1, 3, 5}, halted)

	for _, r := range EvaluatePlan(six(), []client.NodeID{1, 3}, nil) {
		require.False(t, r.Holds(), r.Figure)
	}
	require.Len(t, EvaluatePlan(six(), []client.NodeID{1, 3}, nil), 14, "a gate that holds for no node is listed once")
}
