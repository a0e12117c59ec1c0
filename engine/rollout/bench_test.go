package rollout_test

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/demo/server"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// The figures of goals G1 to G4, from runs on the fake cluster with the console's
// own poll rates. No test fails by a figure; that a clean node takes two calls and
// a halted run sends nothing is required all the same.

// turns are the moments at which the controller was ready for the next phase of a
// node, read far more often than the console does.
type turns struct{ drained, ready, filled time.Time }

// watchTurns reads the nodes each 20 ms until stop is closed.
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
// (an ideal driver would react at once), with every question answered at once
// (G1), and what it asks of the controller meanwhile (G4). Phases that are over
// while the list is still read often after the call, and phases that are not.
func BenchmarkOverheadPerNode(b *testing.B) {
	for name, o := range map[string]server.Options{
		"phases-of-2s": {Speed: 4, AllMovable: true, Tenants: 30},
		"phases-of-9s": {Speed: 4, AllMovable: true, Tenants: 30, LocationDelay: 6 * time.Second},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				overhead(b, o)
			}
		})
	}
}

func overhead(b *testing.B, o server.Options) {
	calls := &callTimes{}
	r := newRig(b, options{real: true, Options: o, calls: calls.add})
	seen := map[client.NodeID]*turns{1: {}, 2: {}, 3: {}, 4: {}}
	stop, watching := make(chan struct{}), sync.WaitGroup{}
	watching.Go(func() { watchTurns(b, r, stop, seen) })
	r.start(rollout.GoalRestart, 1, 2, 3, 4)
	r.say(rollout.AskDrain, rollout.Answer{Word: rollout.WordRestOfRun})
	r.driver.Wait()
	close(stop)
	watching.Wait()

	st := r.driver.Status()
	var added, phases []float64
	for _, s := range st.Steps {
		t, drain, fill := seen[s.Plan.Node], s.Phases[0], s.Phases[2]
		if t.drained.IsZero() || t.ready.IsZero() || fill.Ended.IsZero() {
			continue
		}
		over := s.HookStart.Sub(t.drained) + fill.Started.Sub(t.ready)
		if !t.filled.IsZero() {
			over += fill.Ended.Sub(t.filled)
		}
		added, phases = append(added, over.Seconds()), append(phases, t.drained.Sub(drain.Started).Seconds())
	}
	require.NotEmpty(b, added, describe(st))
	require.Equal(b, 2*len(st.Steps), st.Calls.Mutating(), "two calls a clean node")
	b.ReportMetric(percentile(added, 50), "p50-s/node")
	b.ReportMetric(percentile(added, 95), "p95-s/node")
	b.ReportMetric(percentile(phases, 50), "drain-s")
	b.ReportMetric(float64(st.Calls.Mutating())/float64(len(st.Steps)), "calls/node")
	calls.report(b, st)
}

// percentile of a few figures: the least of them that p in a hundred do not exceed.
func percentile(of []float64, p int) float64 {
	slices.Sort(of)
	return of[(len(of)*p+99)/100-1]
}

// callTimes keeps what the console asked of the controller, and when.
type callTimes struct {
	mu    sync.Mutex
	calls []client.Call
}

func (c *callTimes) add(call client.Call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls = append(c.calls, call)
}

var shardLists = regexp.MustCompile(`^/control/v1/node/\d+/shards`)

// report: reads a second, on average and in the busiest second, and those of a
// node's shards.
func (c *callTimes) report(b *testing.B, st *rollout.Status) {
	c.mu.Lock()
	defer c.mu.Unlock()
	span := st.Ended.Sub(st.Started).Seconds()
	reads, lists, seconds := 0, 0, map[int64]int{}
	for _, call := range c.calls {
		if call.Mutates() || call.At.Before(st.Started) {
			continue
		}
		reads++
		seconds[int64(call.At.Sub(st.Started)/time.Second)]++
		if shardLists.MatchString(call.Path) {
			lists++
		}
	}
	peak := 0
	for _, n := range seconds {
		peak = max(peak, n)
	}
	b.ReportMetric(float64(reads)/span, "reads/s")
	b.ReportMetric(float64(peak), "peak-reads/s")
	b.ReportMetric(float64(lists)/float64(len(st.Steps)), "shard-lists/node")
}

// BenchmarkReaction is how long a policy that somebody changes takes to the
// console's picture: at rest, and while a phase is about to end (G2).
func BenchmarkReaction(b *testing.B) {
	for _, hot := range []bool{false, true} {
		name, changes := "at-rest", 30
		if hot {
			name, changes = "hot", 40
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				r := newRig(b, options{real: true, Options: server.Options{Tenants: 20}})
				var took []float64
				for i := range changes {
					if hot {
						r.poller.Hot(5 * time.Second)
					}
					time.Sleep(rand.N(time.Second)) // no moment of the poll's is liked best
					took = append(took, r.reaction(client.NodeID(1+i%4), i/4%2 == 0).Seconds())
				}
				b.ReportMetric(percentile(took, 50), "p50-s")
				b.ReportMetric(percentile(took, 99), "p99-s")
			}
		})
	}
}

// reaction changes a node's policy from outside and waits for it to be seen.
func (r *rig) reaction(id client.NodeID, pause bool) time.Duration {
	other, err := client.New(client.Config{BaseURL: r.ControllerURL()})
	require.NoError(r.t, err)
	defer other.CloseIdle()
	to := client.PolicyActive
	if pause {
		to = client.PolicyPause
	}
	require.NoError(r.t, other.ConfigureNode(r.t.Context(), client.NodeConfig{NodeID: id, Scheduling: &to}))
	changed := time.Now()
	r.until("policy "+string(to), func(s *cluster.Snapshot) bool {
		n, ok := s.Node(id)
		return ok && n.Scheduling == to
	})
	return time.Since(changed)
}

// BenchmarkHalt is how long a run takes to stand after the controller has
// published that another node is down, and that it sends nothing from then on (G3).
func BenchmarkHalt(b *testing.B) {
	for b.Loop() {
		var took []float64
		for range 3 {
			took = append(took, halt(b).Seconds())
		}
		b.ReportMetric(percentile(took, 50), "p50-s")
		b.ReportMetric(percentile(took, 100), "max-s")
	}
}

func halt(b *testing.B) time.Duration {
	calls := &callTimes{}
	r := newRig(b, options{real: true, Options: server.Options{Tenants: 20, Speed: 4}, calls: calls.add, set: func(s *rollout.Settings) {
		s.Bake = time.Hour
	}})
	r.start(rollout.GoalRestart, 1, 2)
	r.say(rollout.AskDrain, rollout.Answer{Word: rollout.WordRestOfRun})
	r.when("bakes", func(st *rollout.Status) bool {
		ph := st.Steps[0].Phases
		return ph[len(ph)-1].State == rollout.PhaseRunning
	})
	time.Sleep(rand.N(time.Second))
	require.NoError(b, r.StopNode(4))
	c, err := client.New(client.Config{BaseURL: r.ControllerURL()})
	require.NoError(b, err)
	defer c.CloseIdle()
	for {
		n, err := c.Node(b.Context(), 4)
		require.NoError(b, err)
		if n.Availability == client.AvailabilityOffline {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	published := time.Now()
	r.when("halted", func(st *rollout.Status) bool { return st.State == rollout.RunHalted })
	took := time.Since(published)
	time.Sleep(2 * time.Second)
	require.Zero(b, calls.mutatingSince(published), "nothing is sent after a halt")
	r.driver.Detach("over")
	r.driver.Wait()
	return took
}

func (c *callTimes) mutatingSince(t time.Time) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, call := range c.calls {
		if call.Mutates() && call.At.After(t) {
			n++
		}
	}
	return n
}
