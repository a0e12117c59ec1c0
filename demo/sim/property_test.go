package sim

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/StorconTUI/storcon-tui/client"
)

// deed is one random thing that happens to a cluster.
type deed struct {
	name string
	do   func(w *World, id client.NodeID)
}

func ignored(error) {}

var deeds = []deed{
	{"drain", func(w *World, id client.NodeID) { w.Start(client.OperationDrain, id, false, ignored) }},
	{"fill", func(w *World, id client.NodeID) { w.Start(client.OperationFill, id, false, ignored) }},
	{"delete", func(w *World, id client.NodeID) { w.Start(client.OperationDelete, id, id%2 == 0, ignored) }},
	{"cancel drain", func(w *World, id client.NodeID) { ignored(w.Cancel(client.OperationDrain, id)) }},
	{"cancel fill", func(w *World, id client.NodeID) { ignored(w.Cancel(client.OperationFill, id)) }},
	{"cancel delete", func(w *World, id client.NodeID) { ignored(w.Cancel(client.OperationDelete, id)) }},
	{"set Active", func(w *World, id client.NodeID) { ignored(w.Configure(id, nil, ptr(client.PolicyActive))) }},
	{"set Pause", func(w *World, id client.NodeID) { ignored(w.Configure(id, nil, ptr(client.PolicyPause))) }},
	{"force Offline", func(w *World, id client.NodeID) { ignored(w.Configure(id, ptr(client.AvailabilityOffline), nil)) }},
	{"stop", func(w *World, id client.NodeID) { ignored(w.StopNode(id)) }},
	{"start", func(w *World, id client.NodeID) { w.StartNode(id, "", ignored) }},
	{"restart", func(w *World, id client.NodeID) { w.RestartNode(id, time.Second, "", ignored) }},
	{"lag", func(w *World, id client.NodeID) { ignored(w.SetLag(id, int64(id%2)<<40)) }},
	{"notify 503", func(w *World, _ client.NodeID) { w.SetNotify(503) }},
	{"notify 200", func(w *World, _ client.NodeID) { w.SetNotify(200) }},
	{"kill", func(w *World, _ client.NodeID) { w.Kill() }},
	{"terminate", func(w *World, _ client.NodeID) { w.Terminate() }},
	{"take over", func(w *World, _ client.NodeID) { w.StepDown() }},
	{"start controller", func(w *World, _ client.NodeID) { w.StartController() }},
	{"remove", func(w *World, id client.NodeID) { ignored(w.Remove(id)) }},
}

// happen does one random deed; with the controller down nobody can ask it.
func happen(t *rapid.T, w *World) {
	d := rapid.SampledFrom(deeds).Draw(t, "deed")
	id := client.NodeID(rapid.IntRange(1, 5).Draw(t, "node"))
	byRequest := !slices.Contains([]string{"stop", "start", "restart", "lag", "start controller"}, d.name)
	if w.Phase() != Down || !byRequest {
		d.do(w, id)
	}
	run(w, time.Duration(rapid.IntRange(0, 30_000).Draw(t, "ms"))*time.Millisecond)
}

func TestViewsAgreeAndTheSlotIsSingle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := New(Config{
			Nodes: rapid.IntRange(1, 5).Draw(t, "nodes"), Tenants: 60, Seed: rapid.Int64Range(0, 1000).Draw(t, "seed"),
			LocationDelay: 700 * time.Millisecond,
		})
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			happen(t, w)
			require.NoError(t, w.checkCounts())
			requireViewsAgree(t, w)
			requireOneOperation(t, w)
			require.LessOrEqual(t, w.running[normal], normalReconciles)
			require.GreaterOrEqual(t, w.running[normal], 0)
		}
	})
}

// requireViewsAgree compares the scheduler's dump, the nodes' shards and the
// tenants: three views of the same intent.
func requireViewsAgree(t require.TestingT, w *World) {
	attached, secondary := map[client.NodeID]int{}, map[client.NodeID]int{}
	for _, v := range w.Tenants(nil, "") {
		for _, s := range v.Shards {
			attached[s.Attached]++
			for _, id := range s.Secondary {
				secondary[id]++
			}
		}
	}
	for _, n := range w.Scheduler() {
		require.Equal(t, attached[n.ID], n.Attached)
		require.Equal(t, attached[n.ID]+secondary[n.ID], n.Shards)
		shards := w.NodeShards(n.ID)
		intended := 0
		for _, s := range shards {
			if s.Intended == IsAttached {
				intended++
			}
		}
		require.Equal(t, attached[n.ID], intended)
		require.True(t, slices.IsSortedFunc(shards, func(a, b ShardView) int {
			if a.ID < b.ID {
				return -1
			}
			return 1
		}))
	}
}

func requireOneOperation(t require.TestingT, w *World) {
	// Once one of two overlapping operations has ended the slot is free for the
	// moment that the process still lives.
	alone := slices.DeleteFunc(slices.Clone(w.tasks), func(op *operation) bool { return op.overlaps })
	require.LessOrEqual(t, len(alone), 1, "two operations that did not overlap")
	for _, op := range w.tasks {
		require.True(t, len(alone) == 0 || op == alone[0] || op.next == nil, "one beside another that goes on")
	}
	if w.slot != nil {
		require.Contains(t, w.tasks, w.slot)
	}
}

// Whatever happened, a cluster that is put right comes to rest.
func TestEveryClusterComesToRest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := New(Config{
			Nodes: 5, Tenants: 40, Seed: rapid.Int64Range(0, 1000).Draw(t, "seed"), LocationDelay: 300 * time.Millisecond,
			AllMovable: true, // a paused shard of a deleted node could never be put right
		})
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			happen(t, w)
		}
		// Operations that overlap end the controller when one of them ends, and while
		// notifications are refused none does.
		w.SetNotify(200)
		run(w, 10*time.Minute)
		w.StartController()
		run(w, 15*time.Second)
		for _, n := range w.Nodes() {
			w.StartNode(n.ID, "", ignored)
			ignored(w.SetLag(n.ID, 0))
			ignored(w.Cancel(client.OperationDelete, n.ID))
		}
		run(w, 10*time.Minute)
		for _, n := range w.Nodes() {
			require.NoError(t, w.Configure(n.ID, nil, ptr(client.PolicyActive)))
		}
		run(w, 10*time.Minute)
		_, busy := w.Operation()
		require.False(t, busy)
		require.NoError(t, w.Check())
		require.True(t, w.AtRest())
		require.NotContains(t, w.running, 1)
	})
}

// The same seed and the same deeds at the same times give the same history.
func TestSeedRepeatsHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Int64().Draw(t, "seed")
		type step struct {
			deed  deed
			node  client.NodeID
			pause time.Duration
		}
		var steps []step
		for range rapid.IntRange(1, 10).Draw(t, "steps") {
			steps = append(steps, step{
				rapid.SampledFrom(deeds).Draw(t, "deed"), client.NodeID(rapid.IntRange(1, 4).Draw(t, "node")),
				time.Duration(rapid.IntRange(0, 20_000).Draw(t, "ms")) * time.Millisecond,
			})
		}
		history := func() string {
			w := New(Config{Nodes: 4, Tenants: 30, Seed: seed})
			text := picture(w)
			for _, s := range steps {
				s.deed.do(w, s.node)
				run(w, s.pause)
				text += picture(w)
			}
			return text
		}
		require.Equal(t, history(), history())
	})
}

// Time may be moved in any steps.
func TestAdvanceInOneStepOrMany(t *testing.T) {
	one, many := New(quick()), New(quick())
	for _, w := range []*World{one, many} {
		w.Start(client.OperationDrain, 1, false, ignored)
	}
	one.Advance(25 * time.Second)
	for range 2500 {
		run(many, 10*time.Millisecond)
	}
	require.Equal(t, picture(one), picture(many))
	require.NotEqual(t, picture(New(quick())), picture(one))
}
