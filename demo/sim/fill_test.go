package sim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
)

// After a short outage a fill brings everything home (C27, second half).
func TestFillBringsShardsHome(t *testing.T) {
	w := New(quick())
	before, _ := attached(w, 1)
	ask(t, w, client.OperationDrain, 1)
	settleState(t, w, 1, drained)
	w.RestartNode(1, 500*time.Millisecond, "", ignored)
	settleState(t, w, 1, "WarmingUp/Active")
	require.Error(t, w.mayStart(client.OperationFill, 1), "not before a heartbeat")
	require.LessOrEqual(t, settleState(t, w, 1, serving), w.cfg.HeartbeatInterval)
	ask(t, w, client.OperationFill, 1)
	require.Equal(t, "Active/Filling", state(t, w, 1))
	settleState(t, w, 1, serving)
	intended, observed := attached(w, 1)
	require.Equal(t, before, intended)
	require.Equal(t, before, observed)
	require.NoError(t, w.Check())
}

// C27, first half: what the optimiser re-homed during a long outage stays.
func TestLongOutageLeavesShardsInTheZone(t *testing.T) {
	cfg := quick()
	cfg.Tenants = 40
	w := New(cfg)
	before, _ := attached(w, 1)
	ask(t, w, client.OperationDrain, 1)
	settleState(t, w, 1, drained)
	require.NoError(t, w.StopNode(1))
	run(w, 3*passInterval)
	require.Equal(t, "Offline/PauseForRestart", state(t, w, 1))
	w.StartNode(1, "", ignored)
	settleState(t, w, 1, serving)
	plan := len(w.fillPlan(w.node(1)))
	require.Less(t, plan, before)
	have, _ := attached(w, 1)
	ask(t, w, client.OperationFill, 1)
	settleState(t, w, 1, serving)
	after, _ := attached(w, 1)
	require.Equal(t, have+plan, after)
	require.Zero(t, w.Figures().Gauges.Stuck)
}

// C11: a fill of a balanced node is over in a moment.
func TestFillOfABalancedNode(t *testing.T) {
	w := New(quick())
	ask(t, w, client.OperationFill, 2)
	require.Equal(t, "Active/Filling", state(t, w, 2))
	require.Less(t, settleState(t, w, 2, serving), 100*time.Millisecond)
}

// In one zone a fill balances: never above the average, never a donor below.
func TestFillBalancesOneZone(t *testing.T) {
	cfg := quick()
	cfg.AZs, cfg.Nodes = 1, 3
	w := New(cfg)
	ask(t, w, client.OperationDrain, 1)
	settleState(t, w, 1, drained)
	w.RestartNode(1, 0, "", ignored)
	settleState(t, w, 1, "WarmingUp/Active")
	settleState(t, w, 1, serving)
	ask(t, w, client.OperationFill, 1)
	settleState(t, w, 1, serving)
	target := w.Figures().Shards / 3
	for _, n := range w.Scheduler() {
		require.InDelta(t, target, n.Attached, float64(target)/5)
	}
}

func TestFillNeedsAnotherNode(t *testing.T) {
	w := New(Config{Nodes: 1, AZs: 1, Tenants: 5})
	require.EqualError(t, w.mayStart(client.OperationFill, 1), "No other nodes to fill from")
	require.NoError(t, w.mayStart(client.OperationDrain, 1), "F17: the only node can be drained")
}

func TestDeleteMovesEverythingAway(t *testing.T) {
	w := New(quick())
	ask(t, w, client.OperationDelete, 4)
	require.Equal(t, "Active/Deleting", state(t, w, 4))
	settle(t, w, 5*time.Minute, "gone", func() bool { _, err := w.Node(4); return err != nil })
	require.Len(t, w.Tombstones(), 1)
	require.EqualError(t, w.Register(4, "az-b", Address{}), "Node 4 is already exists")
	settle(t, w, time.Minute, "rest", w.AtRest)
	require.NoError(t, w.Check())
	require.Empty(t, w.NodeShards(4))
	require.NoError(t, w.Exhume(4))
	require.NoError(t, w.Register(4, "az-b", Address{}))
	require.Equal(t, "Offline/Active", state(t, w, 4))
}

func TestDeleteCanBeCancelled(t *testing.T) {
	w := New(quick())
	require.NoError(t, w.Configure(4, nil, ptr(client.PolicyPause)))
	ask(t, w, client.OperationDelete, 4)
	run(w, 100*time.Millisecond)
	require.NoError(t, w.Cancel(client.OperationDelete, 4))
	settleState(t, w, 4, "Active/Pause")
}

func ptr[T any](v T) *T { return &v }
