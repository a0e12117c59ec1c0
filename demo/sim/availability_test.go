package sim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
)

// C13: a short stop is never Offline; a long one fails over.
func TestSilenceIsToleratedForThirtySeconds(t *testing.T) {
	w := New(quick())
	require.NoError(t, w.StopNode(1))
	run(w, 29*time.Second)
	require.Equal(t, serving, state(t, w, 1))
	settleState(t, w, 1, "Offline/Active")
	require.LessOrEqual(t, w.Now(), 36*time.Second)
	intended, _ := attached(w, 1)
	require.Zero(t, intended)
	for _, s := range w.NodeShards(1) {
		require.Equal(t, None, s.Observed, "nothing is known of a node that is gone")
	}
	settle(t, w, time.Minute, "failover", func() bool { return w.running[urgent] == 0 })
	w.StartNode(1, "", ignored)
	settleState(t, w, 1, "WarmingUp/Active")
	settleState(t, w, 1, serving)
	settle(t, w, time.Minute, "repair", w.AtRest)
	require.NoError(t, w.Check())
}

func TestPausedShardsDoNotFailOver(t *testing.T) {
	w := New(Config{Seed: 3})
	require.NoError(t, w.StopNode(1))
	settleState(t, w, 1, "Offline/Active")
	intended, _ := attached(w, 1)
	require.Equal(t, 1, intended)
}

func TestWarmingUpEnds(t *testing.T) {
	w := New(quick())
	require.NoError(t, w.Register(9, "az-a", Address{}))
	_, err := w.ReAttach(9)
	require.NoError(t, err)
	require.Equal(t, "WarmingUp/Active", state(t, w, 9))
	took := settleState(t, w, 9, "Offline/Active")
	require.GreaterOrEqual(t, took, w.cfg.MaxWarmingUpInterval)
}

// C4: a killed controller remembers labels and nothing else.
func TestKilledControllerLeavesAnOrphan(t *testing.T) {
	w := New(quick())
	ask(t, w, client.OperationDrain, 1)
	run(w, 200*time.Millisecond)
	w.Kill()
	require.Equal(t, Down, w.Phase())
	w.StartController()
	require.Equal(t, "Offline/Draining", state(t, w, 1), "every node is Offline until asked")
	settle(t, w, time.Minute, "ready", func() bool { return w.Phase() == Serving })
	require.EqualError(t, w.mayStart(client.OperationDrain, 1), "Node 1 has drain in progress")
	require.EqualError(t, w.Cancel(client.OperationDrain, 1), "Node 1 has no drain in progress")
	require.NoError(t, w.Configure(1, nil, ptr(client.PolicyActive)))
	settle(t, w, 10*time.Minute, "rest", w.AtRest)
	require.NoError(t, w.Check())
}

func TestTerminatedControllerSetsActive(t *testing.T) {
	w := New(quick())
	ask(t, w, client.OperationDrain, 1)
	run(w, 200*time.Millisecond)
	w.Terminate()
	w.StartController()
	require.Equal(t, "Offline/Active", state(t, w, 1))
}

func TestReAttachWaitsForTheController(t *testing.T) {
	w := New(quick())
	w.Kill()
	back := false
	w.RestartNode(2, time.Second, "rel-2", func(err error) { back = err == nil })
	run(w, 10*time.Second)
	require.False(t, back)
	w.StartController()
	settle(t, w, time.Minute, "re-attach", func() bool { return back })
	p, ok := w.Process(2)
	require.True(t, ok)
	require.Equal(t, "rel-2", p.Build)
}

// Contract A.1: a re-attach during a delete says Active in memory and Pause in
// the database.
func TestReAttachDuringDelete(t *testing.T) {
	w := New(quick())
	require.NoError(t, w.Configure(1, nil, ptr(client.PolicyDeleting)))
	_, err := w.ReAttach(1)
	require.NoError(t, err)
	require.Equal(t, "WarmingUp/Active", state(t, w, 1))
	w.Kill()
	w.StartController()
	require.Equal(t, "Offline/Pause", state(t, w, 1))
}

// C14: the gauges are a staircase of 20 s.
func TestGaugesAreStale(t *testing.T) {
	w := New(quick())
	before := w.Figures().Gauges.Nodes[1]
	ask(t, w, client.OperationDrain, 1)
	settleState(t, w, 1, drained)
	require.Less(t, w.Now(), passInterval)
	require.Equal(t, before, w.Figures().Gauges.Nodes[1])
	w.Advance(passInterval)
	after := w.Figures().Gauges.Nodes[1]
	require.Zero(t, after.Attached)
	require.Equal(t, before.Shards, after.Shards, "attached became secondary")
	require.Positive(t, w.Figures().Gauges.AZViolations)
}

// F22: a forced Offline does not stick.
func TestForcedOfflineIsBackWithinAHeartbeat(t *testing.T) {
	w := New(quick())
	require.NoError(t, w.Configure(3, ptr(client.AvailabilityOffline), nil))
	require.Equal(t, "Offline/Active", state(t, w, 3))
	require.LessOrEqual(t, settleState(t, w, 3, serving), w.cfg.HeartbeatInterval)
	intended, _ := attached(w, 3)
	require.Zero(t, intended, "its shards were failed over")
}

func TestTwoSecondariesEndTheController(t *testing.T) {
	w := New(quick())
	id := w.Tenants(ptr(1), "")[0].ID
	_ = w.SetTenantPolicy(id, &PlacementChange{Secondaries: 2}, nil)
	require.Equal(t, Down, w.Phase())
	w.StartController()
	run(w, time.Minute)
	v, err := w.Tenant(id)
	require.NoError(t, err)
	require.Len(t, v.Shards[0].Secondary, 2)
}

func TestDetachedTenantIsInvisible(t *testing.T) {
	w := New(quick())
	id := w.Tenants(ptr(1), "")[0].ID
	require.NoError(t, w.SetTenantPolicy(id, &PlacementChange{Placement: Detached}, nil))
	_, err := w.Tenant(id)
	require.Error(t, err)
	require.NoError(t, w.checkCounts())
	require.NoError(t, w.SetTenantPolicy(id, &PlacementChange{Secondaries: 1}, nil))
	settle(t, w, time.Minute, "rest", w.AtRest)
	require.NoError(t, w.Check())
}
