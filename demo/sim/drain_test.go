package sim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
)

const (
	drained = "Active/PauseForRestart"
	serving = "Active/Active"
)

func TestDefaultDrainTakesAboutAMinute(t *testing.T) {
	w := New(Config{Seed: 1})
	require.Greater(t, w.Figures().Shards, 2500)
	ask(t, w, client.OperationDrain, 1)
	took := settleState(t, w, 1, drained)
	require.InDelta(t, time.Minute.Seconds(), took.Seconds(), 20)
	intended, observed := attached(w, 1)
	require.Equal(t, 3, intended, "two without secondary, one paused")
	require.Equal(t, 3, observed)
}

// C25: intent falls at once, 64 at a time; observation follows.
func TestIntentFallsAtOnceAndObservationFollows(t *testing.T) {
	cfg := quick()
	cfg.Tenants = 600
	w := New(cfg)
	before, _ := attached(w, 1)
	ask(t, w, client.OperationDrain, 1)
	run(w, operationSpawn)
	intended, observed := attached(w, 1)
	require.Equal(t, before-operationMoves, intended)
	require.Equal(t, before, observed)
	settle(t, w, time.Minute, "moves in flight bounded", func() bool {
		intended, observed := attached(w, 1)
		require.LessOrEqual(t, observed-intended, operationMoves)
		return state(t, w, 1) == drained
	})
}

// C26: a cancelled drain is Active at once, while its moves go on; then the
// optimiser brings shards home, 16 a pass (C15).
func TestCancelledDrainIsNotAtRest(t *testing.T) {
	w := New(slow())
	before, _ := attached(w, 1)
	ask(t, w, client.OperationDrain, 1)
	run(w, 100*time.Millisecond)
	require.NoError(t, w.Cancel(client.OperationDrain, 1))
	require.Less(t, settleState(t, w, 1, serving), 600*time.Millisecond)
	require.False(t, w.AtRest())
	moved, observed := attached(w, 1)
	require.Less(t, moved, observed)
	settle(t, w, passInterval, "moves end", w.AtRest)

	last := moved
	settle(t, w, 10*time.Minute, "all home", func() bool {
		now, _ := attached(w, 1)
		require.LessOrEqual(t, now-last, optimisations)
		last = now
		return now == before
	})
}

// C8: the tail does not look at the node, so one that restarted under it ends
// paused.
func TestRestartUnderTheTailEndsPaused(t *testing.T) {
	w := New(slow())
	ask(t, w, client.OperationDrain, 1)
	settle(t, w, time.Second, "scan over", func() bool { return w.slot.scanned })
	run(w, scanWait)
	require.NotNil(t, w.slot)
	w.RestartNode(1, 0, "", ignored)
	settleState(t, w, 1, "WarmingUp/Active")
	settle(t, w, time.Minute, "paused with the node up", func() bool { return state(t, w, 1) == drained })
	run(w, time.Minute)
	require.Equal(t, drained, state(t, w, 1), "for ever")
}

// The scan does look: a restart frees the slot.
func TestRestartUnderTheScanEndsTheDrain(t *testing.T) {
	cfg := quick()
	cfg.Tenants = 2000
	w := New(cfg)
	ask(t, w, client.OperationDrain, 1)
	run(w, time.Second)
	w.RestartNode(1, 0, "", ignored)
	settleState(t, w, 1, "WarmingUp/Active")
	_, busy := w.Operation()
	require.True(t, busy, "until the loop notices")
	settle(t, w, time.Second, "slot free", func() bool { _, busy := w.Operation(); return !busy })
	settleState(t, w, 1, serving)
}

// C10: what cannot move stays, and success is reported.
func TestDrainLeavesWhatCannotMove(t *testing.T) {
	cases := map[string]func(w *World, s *shard){
		"policy Pause":         func(_ *World, s *shard) { s.tenant.scheduling = client.ShardPause },
		"policy Stop":          func(_ *World, s *shard) { s.tenant.scheduling = client.ShardStop },
		"no secondary":         func(w *World, s *shard) { w.setIntent(s, s.attached); w.observeIntent(s) },
		"secondary lags":       func(w *World, s *shard) { w.node(s.secondary[0]).process.lag = w.cfg.MaxSecondaryLag + 1 },
		"secondary is stopped": func(w *World, s *shard) { w.node(s.secondary[0]).process.up = false },
		"secondary is paused":  func(w *World, s *shard) { w.node(s.secondary[0]).setPolicy(client.PolicyPause) },
	}
	for name, spoil := range cases {
		t.Run(name, func(t *testing.T) {
			w := New(quick())
			var one *shard
			for _, s := range w.shards {
				if s.attached == 1 && len(s.tenant.shards) == 1 {
					one = s
					break
				}
			}
			spoil(w, one)
			ask(t, w, client.OperationDrain, 1)
			settleState(t, w, 1, drained)
			require.EqualValues(t, 1, one.attached)
			require.EqualValues(t, 1, one.observedAttached())
		})
	}
}

// C29: a shard goes to its secondary.
func TestDrainSendsEachShardToItsSecondary(t *testing.T) {
	w := New(quick())
	dest := map[client.TenantShardID]client.NodeID{}
	for _, s := range w.shards {
		if s.attached == 1 {
			dest[s.id] = s.secondary[0]
		}
	}
	ask(t, w, client.OperationDrain, 1)
	settleState(t, w, 1, drained)
	for id, want := range dest {
		require.Equal(t, want, w.shard(id).attached)
	}
}

// C28: refused notifications hang the drain; reconciling is all that shows.
func TestRefusedNotificationsHangTheDrain(t *testing.T) {
	w := New(quick())
	w.SetNotify(503)
	ask(t, w, client.OperationDrain, 1)
	run(w, 30*time.Second)
	require.Equal(t, "Active/Draining", state(t, w, 1))
	reconciling := 0
	for _, v := range w.Tenants(nil, "") {
		for _, s := range v.Shards {
			if s.Reconciling {
				reconciling++
				require.Empty(t, s.LastError)
			}
		}
	}
	require.Positive(t, reconciling)
	run(w, longReconcile)
	require.Len(t, w.Figures().LongRunning, reconciling)
	require.NoError(t, w.Cancel(client.OperationDrain, 1))
	require.LessOrEqual(t, settleState(t, w, 1, serving), tailWait)
	w.SetNotify(200)
	settle(t, w, 2*notifyRetryMax, "moves end", func() bool { return w.running[normal] == 0 })
}

// A 4xx ends the move instead of holding it.
func TestForbiddenNotificationFailsTheMove(t *testing.T) {
	w := New(quick())
	w.SetNotify(403)
	ask(t, w, client.OperationDrain, 1)
	settleState(t, w, 1, drained)
	intended, observed := attached(w, 1)
	require.Zero(t, intended)
	require.Positive(t, observed)
	require.Positive(t, w.Figures().Counters.Failed)
}

// C3, C24: both accepted, and the first to end takes the process along.
func TestOverlappingStartsEndTheController(t *testing.T) {
	w := New(quick())
	accepted := 0
	for _, id := range []client.NodeID{2, 1} {
		w.Start(client.OperationDrain, id, false, func(err error) {
			require.NoError(t, err)
			accepted++
		})
	}
	run(w, databaseWrite)
	require.Equal(t, 2, accepted)
	settle(t, w, time.Minute, "exit", func() bool { return w.Phase() == Down })
	w.StartController()
	settle(t, w, time.Minute, "start", func() bool { return w.Phase() == Serving })
	_, busy := w.Operation()
	require.False(t, busy)
	states := []string{state(t, w, 1), state(t, w, 2)}
	require.ElementsMatch(t, []string{"Active/Draining", drained}, states)
}
