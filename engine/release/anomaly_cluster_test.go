package release

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
)

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

func computeIs(state compute.State, failure, silent string) func(*Observation) {
	return func(o *Observation) {
		o.Computes = []ComputeObservation{{Name: "ep-a", Status: state, Error: failure, Silent: silent}}
	}
}
