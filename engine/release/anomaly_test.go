package release

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
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

// A release may be over without the fill: then it is not waited for any more, but it
// is known that it was not there.
func TestTheReleaseEndsWithoutTheFill(t *testing.T) {
	s := newScene(t, 3)
	s.backAt(30)
	s.until(700)
	r := s.w.Release()
	require.EqualValues(t, 30, seconds(r.Ended))
	require.Zero(t, r.Progress.Done)
	require.Equal(t, []string{"30-630 node 1 is back and nobody has asked for its fill"}, s.anomalies(FillNeverAsked))
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
