package rollout_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/demo/server"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// turns are the moments at which the controller was ready for the next phase of a
// node, read far more often than the console does.
type turns struct{ drained, ready, filled time.Time }

// watchTurns reads the node list each 20 ms until stop is closed.
func watchTurns(b *testing.B, r *rig, stop <-chan struct{}, seen map[client.NodeID]*turns) {
	c, err := client.New(client.Config{BaseURL: r.ControllerURL()})
	require.NoError(b, err)
	defer c.CloseIdle()
	was := map[client.NodeID]client.Node{}
	every := time.NewTicker(20 * time.Millisecond)
	defer every.Stop()
	for {
		select {
		case <-stop:
			return
		case <-every.C:
		}
		nodes, err := c.Nodes(b.Context())
		if err != nil {
			continue
		}
		for _, n := range nodes {
			old, at := was[n.ID], time.Now()
			was[n.ID] = n
			t := seen[n.ID]
			settled := n.Scheduling == client.PolicyActive && n.Availability == client.AvailabilityActive
			switch {
			case t == nil:
			case old.Scheduling == client.PolicyDraining && n.Scheduling == client.PolicyPauseForRestart:
				t.drained = at
			case old.Availability == client.AvailabilityWarmingUp && settled:
				t.ready = at
			case old.Scheduling == client.PolicyFilling && settled:
				t.filled = at
			}
		}
	}
}

// BenchmarkOverheadPerNode is what the engine adds to the controller's own times
// (an ideal driver would react at once), with the console's own poll rates
// and every question answered at once.
func BenchmarkOverheadPerNode(b *testing.B) {
	for b.Loop() {
		r := newRig(b, options{real: true, Options: server.Options{Speed: 4, AllMovable: true, Tenants: 30}})
		seen := map[client.NodeID]*turns{1: {}, 2: {}, 3: {}}
		stop, watching := make(chan struct{}), sync.WaitGroup{}
		watching.Go(func() { watchTurns(b, r, stop, seen) })
		r.start(rollout.GoalRestart, 1, 2, 3)
		r.say(rollout.AskDrain, rollout.Answer{Word: rollout.WordRestOfRun})
		r.driver.Wait()
		close(stop)
		watching.Wait()
		report(b, r, seen)
	}
}

func report(b *testing.B, r *rig, seen map[client.NodeID]*turns) {
	st := r.driver.Status()
	var added []float64
	for _, s := range st.Steps {
		t, fill := seen[s.Plan.Node], s.Phases[2]
		if t.drained.IsZero() || t.ready.IsZero() || fill.Ended.IsZero() {
			continue
		}
		over := s.HookStart.Sub(t.drained) + fill.Started.Sub(t.ready)
		if !t.filled.IsZero() {
			over += fill.Ended.Sub(t.filled)
		}
		added = append(added, over.Seconds())
	}
	require.NotEmpty(b, added, describe(st))
	slices.Sort(added)
	b.ReportMetric(added[len(added)/2], "p50-s/node")
	b.ReportMetric(added[len(added)-1], "max-s/node")
	b.ReportMetric(float64(r.cfg.Reads())/st.Ended.Sub(st.Started).Seconds(), "reads/s")
	b.ReportMetric(float64(st.Calls.Mutating())/float64(len(st.Steps)), "calls/node")
}
