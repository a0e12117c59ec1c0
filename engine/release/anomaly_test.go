package release

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
)

// anomalies are those of a kind that the release has, as "since-until text".
func (s *scene) anomalies(kind Kind) []string {
	var found []string
	for _, a := range s.w.Release().Anomalies {
		if a.Kind != kind {
			continue
		}
		until := ""
		if !a.Stands() {
			until = fmt.Sprintf("%g", seconds(a.Until))
		}
		found = append(found, fmt.Sprintf("%g-%s %s", seconds(a.Since), until, a.Text))
	}
	return found
}

// begins checks that an anomaly begins at that second, and neither earlier nor twice.
func (s *scene) begins(kind Kind, second int, want string) {
	s.t.Helper()
	s.until(second)
	require.Empty(s.t, s.anomalies(kind), "it began before %d", second)
	s.look(second)
	require.Equal(s.t, []string{want}, s.anomalies(kind))
	s.told(kind, AnomalyBegan, second)
}

// ends checks that it ends at that second, and stays what it was.
func (s *scene) ends(kind Kind, second int, want string) {
	s.t.Helper()
	s.until(second)
	for _, a := range s.w.Release().Anomalies {
		require.True(s.t, a.Kind != kind || a.Stands(), "it ended before %d", second)
	}
	s.look(second)
	require.Equal(s.t, []string{want}, s.anomalies(kind))
	s.told(kind, AnomalyEnded, second)
}

func (s *scene) told(kind Kind, event EventKind, second int) {
	s.t.Helper()
	var at []float64
	for _, e := range s.events {
		if e.Kind == event && e.Anomaly.Kind == kind {
			at = append(at, seconds(e.At))
		}
	}
	require.Equal(s.t, []float64{float64(second)}, at)
}

func TestAnomaly_DrainCancelled(t *testing.T) {
	t.Run("the cancel is counted", func(t *testing.T) {
		s := newScene(t, 3)
		s.at(0)
		s.at(5, drains(1))
		s.at(15, active(1))
		s.at(18, called("cancel drain", 1))
		require.Equal(t, []string{"15- the drain of node 1 ended without PauseForRestart; 100 shards attached"}, s.anomalies(DrainCancelled))
		s.at(100, drains(1))
		s.ends(DrainCancelled, 103, "15-100 the drain of node 1 ended without PauseForRestart; 100 shards attached")
	})
	t.Run("its launch time has to be read again first", func(t *testing.T) {
		s := newScene(t, 3)
		s.at(5, drains(1))
		s.at(15, active(1))
		s.begins(DrainCancelled, 45, "15- the drain of node 1 ended without PauseForRestart; 100 shards attached")
	})
	t.Run("launch times are not known", func(t *testing.T) {
		s := newScene(t, 3)
		s.at(0, unknownProcesses)
		s.at(5, drains(1))
		s.at(15, active(1))
		s.begins(DrainCancelled, 18, "15- the drain of node 1 ended without PauseForRestart; 100 shards attached")
	})
	t.Run("given up by a controller that restarted", func(t *testing.T) {
		s := newScene(t, 3)
		s.at(5, drains(1))
		s.at(15, active(1), leads("c1@2"))
		s.begins(DrainCancelled, 45, "15- the controller began anew and gave the drain of node 1 up; 100 shards attached")
	})
	t.Run("given back after the drain", func(t *testing.T) {
		s := newScene(t, 3)
		s.at(5, drains(1))
		s.at(15, drained(1), attached(1, 0))
		s.at(30, active(1))
		s.begins(DrainCancelled, 60, "30- node 1 was drained and set Active again without a restart")
	})
	t.Run("not when the restart after the drain is read very late", func(t *testing.T) {
		s := newScene(t, 3)
		s.at(5, drains(1))
		s.at(15, drained(1), attached(1, 0))
		s.at(30, active(1))
		s.at(62, launch(1, 28, "b2"))
		require.Equal(t, Back, s.node(1).Phase)
		s.until(100)
		require.Equal(t, []string{"30-62 node 1 was drained and set Active again without a restart"}, s.anomalies(DrainCancelled))
		require.Empty(t, s.anomalies(RestartedDraining))
	})
	t.Run("it was restarted, which was seen late", func(t *testing.T) {
		s := newScene(t, 3)
		s.at(5, drains(1))
		s.at(15, active(1))
		s.at(30, launch(1, 14, "b2"))
		s.until(100)
		require.Empty(t, s.anomalies(DrainCancelled))
		require.Len(t, s.anomalies(RestartedDraining), 1)
	})
	t.Run("over with the release", func(t *testing.T) {
		s := newScene(t, 3)
		s.at(5, drains(1))
		s.at(15, active(1))
		s.until(700)
		require.Equal(t, []string{"15-615 the drain of node 1 ended without PauseForRestart; 100 shards attached"}, s.anomalies(DrainCancelled))
	})
}

func TestAnomaly_RestartedWhileDraining(t *testing.T) {
	const text = "node 1 was restarted while its drain ran; 40 shards attached"
	s := newScene(t, 3)
	s.at(5, drains(1))
	s.at(14, attached(1, 40))
	s.blind(reattaches(1))
	s.begins(RestartedDraining, 15, "15- "+text)
	s.at(17, up(1), launch(1, 14, "b2"))
	s.at(30, drains(1))
	s.ends(RestartedDraining, 33, "15-30 "+text)

	s = newScene(t, 3)
	s.at(5, drains(1))
	s.at(14, attached(1, 40))
	s.at(15, reattaches(1))
	s.at(20, up(1))
	s.at(30, fills(1))
	s.at(40, active(1))
	s.ends(RestartedDraining, 43, "15-40 "+text)

	s = newScene(t, 3)
	s.restartsNode(1, 5, "b2")
	require.Empty(t, s.anomalies(RestartedDraining))
}

func TestAnomaly_PausedAfterReattach(t *testing.T) {
	t.Run("by a drain that outlives the restart", func(t *testing.T) {
		const text = "node 1 is WarmingUp, PauseForRestart, though it was restarted"
		s := newScene(t, 3)
		s.at(5, drains(1))
		s.at(15, reattaches(1))
		s.at(16, drained(1))
		s.begins(PausedAfterReattach, 19, "16- "+text)
		s.at(20, up(1))
		s.at(60, active(1))
		s.ends(PausedAfterReattach, 63, "16-60 "+text)
		require.Empty(t, s.anomalies(LeftOver))
	})
	t.Run("as the launch time tells", func(t *testing.T) {
		s := newScene(t, 3)
		s.at(5, drains(1))
		s.at(15, drained(1))
		s.at(20, launch(1, 18, "b2"))
		s.begins(PausedAfterReattach, 30, "20- node 1 is Active, PauseForRestart, though it was restarted")
		require.Equal(t, Anomalous, s.node(1).Phase)
	})
	t.Run("not between launch and re-attach", func(t *testing.T) {
		s := newScene(t, 3)
		s.at(5, drains(1))
		s.at(15, drained(1))
		s.at(20, launch(1, 18, "b2"))
		s.at(28, reattaches(1))
		s.until(60)
		require.Empty(t, s.anomalies(PausedAfterReattach))
	})
}

func TestAnomaly_SeveralNodesOut(t *testing.T) {
	const text = "nodes 1 (Active, PauseForRestart), 2 (Active, Draining)"
	s := newScene(t, 3)
	s.at(5, drains(1))
	s.at(15, drained(1))
	s.at(20, drains(2))
	s.at(22, active(2)) // gone before it counts
	s.until(30)
	s.at(30, drains(2))
	s.begins(SeveralOut, 33, "30- "+text)
	s.at(40, reattaches(1))
	s.at(42, up(1))
	s.ends(SeveralOut, 45, "30-42 "+text)
}

func TestAnomaly_OfflineTooLong(t *testing.T) {
	s := newScene(t, 3)
	s.at(5, offline(1))
	s.begins(OfflineLong, 35, "5- node 1 is Offline")
	require.Equal(t, []Kind{OfflineLong}, s.node(1).Anomalies)
	s.at(40, up(1)) // one odd reading
	s.at(41, offline(1))
	s.at(50, up(1))
	s.ends(OfflineLong, 53, "5-50 node 1 is Offline")
	require.Empty(t, s.node(1).Anomalies)
}

// backAt takes node 1 to where its fill is due: drained of its 100 shards and back.
func (s *scene) backAt(second int) {
	s.t.Helper()
	s.at(0)
	s.at(5, drains(1))
	s.at(15, drained(1), attached(1, 0))
	s.at(second-5, reattaches(1))
	s.at(second, up(1), launch(1, second-6, "b1"))
}

func TestAnomaly_FillNeverAskedFor(t *testing.T) {
	const text = "node 1 is back and nobody has asked for its fill"
	s := newScene(t, 3)
	s.backAt(30)
	s.begins(FillNeverAsked, 330, "30- "+text)
	s.at(400, fills(1))
	s.ends(FillNeverAsked, 403, "30-400 "+text)

	s = newScene(t, 3)
	s.backAt(30)
	s.at(40, called("fill", 1)) // it took no time
	s.until(600)
	require.Empty(t, s.anomalies(FillNeverAsked))
}

func TestAnomaly_FillSkipped(t *testing.T) {
	t.Run("the optimiser rebalances", func(t *testing.T) {
		const text = "node 1 gets no fill: 68 shards are missing, which the optimiser brings back in 2 minutes at best"
		s := newScene(t, 3)
		s.backAt(30)
		s.at(60, attached(1, 16))
		s.at(80, attached(1, 32))
		s.begins(FillSkipped, 95, "80- "+text)
		s.at(100, fills(1))
		s.ends(FillSkipped, 103, "80-100 "+text)
	})
	t.Run("the next node is drained", func(t *testing.T) {
		s := newScene(t, 3)
		s.backAt(30)
		s.at(50, drains(2))
		s.begins(FillSkipped, 65, "50- node 1 gets no fill: 100 shards are missing, which the optimiser brings back in 3 minutes at best")
	})
	t.Run("not when the fill took no time and is counted later", func(t *testing.T) {
		s := newScene(t, 3)
		s.backAt(30)
		s.at(32, drains(2))
		s.at(36, called("fill", 1))
		s.until(100)
		require.Empty(t, s.anomalies(FillSkipped))
		require.Equal(t, Done, s.node(1).Phase)
	})
	t.Run("not when the shards come from a node that is drained", func(t *testing.T) {
		s := newScene(t, 3)
		s.backAt(30)
		s.at(35, fills(1))
		s.at(45, active(1), attached(1, 50))
		s.at(50, drains(2))
		s.at(60, attached(1, 70))
		s.at(80, attached(1, 90))
		s.until(120)
		require.Empty(t, s.anomalies(FillSkipped))
	})
}

func TestAnomaly_OrphanedOperation(t *testing.T) {
	t.Run("nothing moves", func(t *testing.T) {
		const text = "node 1 is Draining and its 60 shards have not moved for 1m30s"
		s := newScene(t, 3)
		s.at(5, drains(1))
		s.at(20, attached(1, 60))
		s.begins(OrphanedOperation, 110, "20- "+text)
		s.at(120, active(1))
		s.ends(OrphanedOperation, 123, "20-120 "+text)
		require.Empty(t, s.anomalies(LeftOver))
	})
	t.Run("its controller was killed", func(t *testing.T) {
		s := newScene(t, 3)
		s.at(5, drains(1))
		s.at(30, leads("c1@2"))
		s.begins(OrphanedOperation, 40, "30- the controller began anew while node 1 was Draining")
	})
	t.Run("not when the drain is newer than the controller", func(t *testing.T) {
		s := newScene(t, 3)
		s.at(0)
		s.at(28, drains(1))
		s.at(30, leads("c1@2"))
		s.until(60)
		require.Empty(t, s.anomalies(OrphanedOperation))
	})
	t.Run("not while shards move", func(t *testing.T) {
		s := newScene(t, 3)
		s.at(5, fills(1), attached(1, 0))
		for i := range 20 {
			s.at(20+20*i, attached(1, int64(i)))
		}
		require.Empty(t, s.anomalies(OrphanedOperation))
	})
}

func TestAnomaly_ForeignConfigWrite(t *testing.T) {
	const text = "calls of somebody else: config 1"
	s := newScene(t, 3)
	s.at(5, foreign(4, "drain 1"))
	s.until(10)
	s.blind(foreign(9, "config 1"))
	s.begins(ForeignConfigWrite, 10, "9- "+text)
	s.ends(ForeignConfigWrite, 312, "9-309 "+text)
}

func TestAnomaly_ControllerUnreachable(t *testing.T) {
	const text = "the list of nodes cannot be read: connection refused"
	s := newScene(t, 3)
	s.at(5, fails("connection refused"))
	s.at(6, fails("")) // once is nothing
	s.at(10, fails("connection refused"))
	s.begins(ControllerUnreachable, 15, "10- "+text)
	s.at(20, fails(""))
	s.ends(ControllerUnreachable, 23, "10-20 "+text)
}

// While the controller is silent, nothing is concluded of its nodes, and what stood stands.
func TestAnomaliesOfNodesWaitForTheController(t *testing.T) {
	s := newScene(t, 3)
	s.at(5, offline(1))
	s.at(20, offline(2))
	s.at(40, fails("refused"), stale)
	s.until(300)
	require.Equal(t, []string{"5- node 1 is Offline"}, s.anomalies(OfflineLong))
	s.at(300, fails(""), fresh)
	s.until(330)
	require.Equal(t, []string{"5- node 1 is Offline"}, s.anomalies(OfflineLong), "half a minute, to see it again")
	s.at(330)
	require.Equal(t, []string{"5- node 1 is Offline", "20- node 2 is Offline"}, s.anomalies(OfflineLong))
}

func TestAnomaly_ControllerRestarted(t *testing.T) {
	const text = "it was c1@1 and is c1@2"
	s := newScene(t, 3)
	s.until(5)
	s.blind(leads("c1@2"))
	s.begins(ControllerRestarted, 5, "5- "+text)
	s.at(6, leads(""))
	s.at(7, leads("c1@2"))
	s.at(8, leads("2")) // read from the process: it tells nothing new
	s.ends(ControllerRestarted, 308, "5-305 "+text)
}

func TestAnomaly_MixedBuilds(t *testing.T) {
	const text = "2 nodes on b1, 1 node on b2"
	s := newScene(t, 3)
	s.restartsNode(1, 5, "b2")
	s.begins(MixedBuilds, 7242, "42- "+text)
	s.at(7300, launch(2, 7290, "b2"), launch(3, 7291, "b2"))
	s.ends(MixedBuilds, 7303, "42-7300 "+text)

	s = newScene(t, 3) // they have been so for longer than anybody looks
	s.blind(launch(1, -7300, "b2"))
	s.look(0)
	require.Empty(t, s.anomalies(MixedBuilds))
	s.begins(MixedBuilds, 30, "-7300- "+text)
}

func TestAnomaly_LeftOver(t *testing.T) {
	t.Run("paused for a restart that does not come", func(t *testing.T) {
		const text = "node 1 is PauseForRestart and nothing happens; 0 shards attached"
		s := newScene(t, 3)
		s.at(5, drains(1))
		s.at(15, drained(1), attached(1, 0))
		s.begins(LeftOver, 915, "15- "+text)
		s.at(920, active(1))
		s.ends(LeftOver, 923, "15-920 "+text)
	})
	t.Run("a Pause that was there before", func(t *testing.T) {
		s := newScene(t, 3)
		s.blind(policy(1, client.PolicyPause))
		s.begins(LeftOver, 3, "0- node 1 is Pause and nothing happens; 100 shards attached")
	})
	t.Run("a Pause that somebody sets", func(t *testing.T) {
		s := newScene(t, 3)
		s.at(5, policy(1, client.PolicyPause))
		s.begins(LeftOver, 905, "5- node 1 is Pause and nothing happens; 100 shards attached")
	})
	t.Run("Draining, and there are no gauges", func(t *testing.T) {
		s := newScene(t, 3)
		s.at(0, attached(1, -1))
		s.at(5, drains(1))
		s.begins(LeftOver, 905, "5- node 1 is Draining and nothing happens")
	})
	t.Run("not a long drain that goes on", func(t *testing.T) {
		s := newScene(t, 3)
		s.at(5, drains(1))
		for i := range 100 {
			s.at(20+20*i, attached(1, int64(1000-i)))
		}
		require.Empty(t, s.anomalies(LeftOver))
	})
}

func TestAnomaly_ReconcilesStuck(t *testing.T) {
	s := newScene(t, 3)
	s.at(5, reconciles(func(r *Reconciles) { r.Stuck = 2 }))
	s.at(10, reconciles(func(r *Reconciles) { r.Stuck = 0 }))
	s.at(20, reconciles(func(r *Reconciles) { r.Stuck = 2 }))
	s.begins(ReconcilesStuck, 26, "20- 2 stuck, 0 running for over 120 s")
	s.at(60, reconciles(func(r *Reconciles) { r.Stuck, r.Long = 0, 1 }))
	s.at(80, reconciles(func(r *Reconciles) { r.Long = 0 }))
	s.ends(ReconcilesStuck, 83, "20-80 2 stuck, 0 running for over 120 s")
}

func TestAnomaly_ReconcilesGrowing(t *testing.T) {
	pending := func(n int64) func(*Observation) { return reconciles(func(r *Reconciles) { r.Pending = n }) }
	s := newScene(t, 3)
	s.at(5, pending(5))
	for i, n := range []int64{20, 30, 40, 50, 60} {
		s.at(20*i+20, pending(n))
	}
	s.begins(ReconcilesGrowing, 125, "5- 60 are pending, 0 were, and they only get more")
	s.at(140, pending(50))
	s.ends(ReconcilesGrowing, 143, "5-140 60 are pending, 0 were, and they only get more")

	s = newScene(t, 3) // a drain fills the queue once, and the rest is slow
	s.at(5, pending(40))
	s.at(25, pending(64))
	s.until(400)
	require.Empty(t, s.anomalies(ReconcilesGrowing))

	s = newScene(t, 3) // it was like that before
	s.blind(pending(500))
	s.until(400)
	require.Empty(t, s.anomalies(ReconcilesGrowing))
}

func TestAnomaly_DatabaseErrors(t *testing.T) {
	const text = "the controller's database refused 3 queries"
	s := newScene(t, 3)
	s.at(4, reconciles(func(r *Reconciles) { r.DatabaseErrors = 2 }))
	s.w = NewWatch(Settings{}) // what was counted before nobody has seen happen
	s.at(5)
	require.Empty(t, s.anomalies(DatabaseErrors))
	s.events = nil
	s.blind(reconciles(func(r *Reconciles) { r.DatabaseErrors = 5 }))
	s.begins(DatabaseErrors, 6, "6- "+text)
	s.at(7, reconciles(func(r *Reconciles) { r.DatabaseErrors = 0 })) // another process
	s.ends(DatabaseErrors, 309, "6-306 "+text)
}

func TestAnomaly_ComputeFailed(t *testing.T) {
	s := newScene(t, 3)
	s.at(5, computeIs(compute.StateFailed, "no such tenant", ""))
	s.begins(ComputeFailed, 8, "5- compute ep-a: no such tenant")
	s.at(20, computeIs(compute.StateRunning, "", ""))
	s.ends(ComputeFailed, 23, "5-20 compute ep-a: no such tenant")
}

func TestAnomaly_ComputeUnreachable(t *testing.T) {
	s := newScene(t, 3)
	s.at(5, computeIs(compute.StateRunning, "", "timeout"))
	s.begins(ComputeUnreachable, 10, "5- compute ep-a: timeout")
	s.at(20, computeIs(compute.StateRunning, "", ""))
	s.ends(ComputeUnreachable, 23, "5-20 compute ep-a: timeout")
}

// After a silence a state has to be seen for a while, however long it seems to last.
func TestASilenceIsNoProof(t *testing.T) {
	s := newScene(t, 3)
	s.at(5, offline(1))
	s.last = 7200 - 1
	s.begins(OfflineLong, 7230, "5- node 1 is Offline")
}

// Of a silence nothing is concluded when somebody looks again and sees the same.
func TestTheSameAfterASilence(t *testing.T) {
	s := newScene(t, 3)
	s.at(5, drains(1))
	s.at(10, drained(1))
	s.at(20, active(1))
	s.look(7200)
	s.look(7201)
	for _, e := range s.events {
		require.False(t, e.At.After(began.Add(20*time.Second)) && e.At.Before(began.Add(7200*time.Second)), "%v", e)
	}
	require.Equal(t, "draining 5 | drained 10 | ~restarting 19 | ~warming_up 19.5 | back 20 | ~waiting 7200", way(s.node(1)))
}

// Every kind says what it means and what is usually done, once.
func TestKinds(t *testing.T) {
	seen := map[Kind]bool{}
	for _, k := range Kinds() {
		require.False(t, seen[k], k)
		seen[k] = true
		require.NotEmpty(t, k.Means(), k)
		require.NotEmpty(t, k.Usually(), k)
	}
	require.Len(t, seen, 18)
	require.Empty(t, Kind("other").Means())
	require.Equal(t, "fill never asked for", FillNeverAsked.String())
}

// A release in which nothing goes wrong has no anomaly.
func TestNoAnomalies(t *testing.T) {
	s := newScene(t, 3)
	for i := range 3 {
		s.restartsNode(client.NodeID(i+1), 5+70*i, "b2")
	}
	s.until(1200)
	require.Empty(t, s.w.Release().Anomalies)
	require.Zero(t, s.w.Release().Standing())
}

func TestAnomaliesOfAnOldReleaseAreForgotten(t *testing.T) {
	s := newScene(t, 3)
	s.at(5, drains(1))
	s.at(15, active(1))
	s.at(700, offline(2))
	require.Len(t, s.w.Release().Anomalies, 1)
	s.at(740, drains(1))
	require.Equal(t, []string{"700- node 2 is Offline"}, s.anomalies(OfflineLong), "it stands")
	require.Empty(t, s.anomalies(DrainCancelled))
	require.Equal(t, 1, s.w.Release().Standing())
}

func leads(leader string) func(*Observation) { return func(o *Observation) { o.Leader = leader } }

func fails(why string) func(*Observation) { return func(o *Observation) { o.Error = why } }

func stale(o *Observation) { o.Stale = true }
func fresh(o *Observation) { o.Stale = false }

func foreign(second int, text string) func(*Observation) {
	return func(o *Observation) {
		o.Foreign = ForeignCalls{At: began.Add(time.Duration(second) * time.Second), Text: text}
	}
}

func reconciles(f func(*Reconciles)) func(*Observation) {
	return func(o *Observation) { f(&o.Reconciles) }
}

func computeIs(state compute.State, failure, silent string) func(*Observation) {
	return func(o *Observation) {
		o.Computes = []ComputeObservation{{Name: "ep-a", Status: state, Error: failure, Silent: silent}}
	}
}
