package release

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
)

func seconds(at time.Time) float64 { return at.Sub(began).Seconds() }

// told is the log as "65 node 1 filling > done".
func told(events []Event) []string {
	var lines []string
	for _, e := range events {
		line := fmt.Sprintf("%g %s", seconds(e.At), e.Kind)
		if e.Kind == PhaseChanged {
			line = fmt.Sprintf("%g node %s %s > %s", seconds(e.At), e.Node, e.From, e.To)
		} else if e.Node != 0 {
			line += " " + e.Node.String()
		}
		if e.Anomaly != nil {
			line += " " + e.Anomaly.Kind.String()
		}
		if e.Inferred {
			line += " (inferred)"
		}
		lines = append(lines, line)
	}
	return lines
}

func TestNothingHappens(t *testing.T) {
	s := newScene(t, 3)
	s.until(3600)
	r := s.w.Release()
	require.False(t, r.Live())
	require.Zero(t, r.Started)
	require.Empty(t, s.events)
	require.Equal(t, Progress{Nodes: 3}, r.Progress)
	require.Equal(t, "waiting 0", way(r.Nodes[2]))
}

func TestAReleaseFromItsFirstDrainToItsEnd(t *testing.T) {
	s := newScene(t, 3)
	s.restartsNode(1, 5, "b2")
	s.restartsNode(2, 75, "b2")

	r := s.w.Release()
	require.True(t, r.Live())
	require.False(t, r.Joined)
	require.EqualValues(t, 5, seconds(r.Started))
	require.Equal(t, "b2", r.Target)
	require.Equal(t, Progress{Nodes: 3, Done: 2, OnTarget: 2, MovedOff: 200, MovedBack: 200, Expected: 200}, r.Progress)
	require.Equal(t, []Summary{
		{Name: "az-a", Nodes: 2, Done: 1, Attached: 200},
		{Name: "az-b", Nodes: 1, Done: 1, Attached: 100},
	}, r.ByAZ)
	require.Equal(t, []Summary{
		{Name: "b1", Nodes: 1, Attached: 100},
		{Name: "b2", Nodes: 2, Done: 2, Attached: 200},
	}, r.ByBuild)

	s.restartsNode(3, 145, "b2")
	s.until(264)
	require.True(t, s.w.Release().Live())
	s.until(300)
	r = s.w.Release()
	require.EqualValues(t, 205, seconds(r.Ended), "when the last node came to rest")
	require.Equal(t, 3, r.Progress.Done)
	require.Equal(t, []string{
		"5 release started",
		"5 node 1 waiting > draining",
		"25 node 1 draining > drained",
		"30 node 1 drained > restarting",
		"40 node 1 restarting > warming up",
		"42 node 1 warming up > back",
		"45 node 1 back > filling",
		"65 node 1 filling > done",
	}, told(s.events[:8]))
	require.Equal(t, "265 release ended", told(s.events)[len(s.events)-1])
	require.Equal(t, s.events, r.Log)
}

// One node restarted is a release of one node: it is over when nothing follows.
func TestOneNodeAlone(t *testing.T) {
	s := newScene(t, 3)
	s.restartsNode(2, 5, "b1")
	s.until(660)
	require.True(t, s.w.Release().Live())
	s.until(680)
	r := s.w.Release()
	require.EqualValues(t, 65, seconds(r.Ended))
	require.Equal(t, "", r.Target)
	require.Equal(t, 1, r.Progress.Done)

	s.at(700, drains(3)) // the next one
	r = s.w.Release()
	require.True(t, r.Live())
	require.EqualValues(t, 700, seconds(r.Started))
	require.Zero(t, r.Progress.Done)
	require.Equal(t, "waiting 700", way(r.Nodes[1]))
	require.Equal(t, []string{"700 release started", "700 node 3 waiting > draining"}, told(r.Log))
}

func TestARestartOfEveryNodeEndsSoonAfterTheLast(t *testing.T) {
	s := newScene(t, 2)
	s.restartsNode(1, 5, "b1")
	s.restartsNode(2, 75, "b1")
	s.until(196)
	require.EqualValues(t, 135, seconds(s.w.Release().Ended))
}

// Nodes on two builds are a release that is not finished, however long nothing happens.
func TestMixedBuildsDoNotEnd(t *testing.T) {
	s := newScene(t, 3)
	s.restartsNode(1, 5, "b2")
	s.until(3600)
	require.True(t, s.w.Release().Live())
}

// A Pause is no part of a release, and does not hold its end up.
func TestAPausedNodeIsLeftOut(t *testing.T) {
	s := newScene(t, 3)
	s.at(0, policy(3, client.PolicyPause))
	s.at(5, policy(2, client.PolicyPause))
	require.False(t, s.w.Release().Live())
	s.restartsNode(1, 10, "b1")
	s.until(140)
	r := s.w.Release()
	require.False(t, r.Live())
	require.Equal(t, 1, r.Progress.Nodes)
	require.Equal(t, Anomalous, s.node(3).Phase)
}

// A node that is dead does not keep the others' release from its end.
func TestANodeThatWasDownBeforeIsLeftOut(t *testing.T) {
	s := newScene(t, 3)
	s.at(0, offline(3))
	s.restartsNode(1, 40, "b2")
	s.restartsNode(2, 110, "b2")
	s.until(240)
	r := s.w.Release()
	require.EqualValues(t, 170, seconds(r.Ended))
	require.Equal(t, 2, r.Progress.Nodes)

	s.at(300, drains(1)) // but one that goes down meanwhile does
	s.at(310, active(1))
	s.at(320, offline(2))
	s.until(1200)
	require.True(t, s.w.Release().Live())
}

func TestJoinedInTheMiddle(t *testing.T) {
	s := newScene(t, 4)
	s.blind(launch(1, -600, "b2"), launch(2, -200, "b2"), drains(3))
	s.look(0)
	r := s.w.Release()
	require.True(t, r.Live())
	require.True(t, r.Joined)
	require.EqualValues(t, -600, seconds(r.Started))
	require.Equal(t, "b2", r.Target)
	require.Equal(t, Progress{Nodes: 4, Done: 2, OnTarget: 2, Expected: 100}, r.Progress)
	require.Equal(t, "~done -600", way(r.Nodes[0]))
	require.Equal(t, "~waiting -600 | ~done -200", way(r.Nodes[1]))
	require.Equal(t, "~waiting -600 | draining 0", way(r.Nodes[2]))
	require.Equal(t, "~waiting -600", way(r.Nodes[3]))
	require.False(t, r.ETA.Known(), "how long nodes 1 and 2 took was not seen")
	require.Equal(t, []string{"0 release started"}, told(r.Log))
}

func TestJoining(t *testing.T) {
	for _, row := range []struct {
		name   string
		before []func(*Observation)
		live   bool
		done   []client.NodeID
	}{
		{"at rest", nil, false, nil},
		{"all launched together just now", []func(*Observation){
			launch(1, -100, "b1"), launch(2, -101, "b1"), launch(3, -100, "b1"), launch(4, -99, "b1"),
		}, false, nil},
		{"all restarted by now", []func(*Observation){
			launch(1, -400, "b1"), launch(2, -300, "b1"), launch(3, -200, "b1"), launch(4, -100, "b1"),
		}, false, nil},
		{"between two nodes, the build is the same", []func(*Observation){
			launch(1, -400, "b1"), launch(2, -300, "b1"),
		}, true, []client.NodeID{1, 2}},
		{"some were restarted an hour ago", []func(*Observation){
			launch(1, -4000, "b1"), launch(2, -3600, "b1"),
		}, false, nil},
		{"between two nodes, the build is new, hours ago", []func(*Observation){
			launch(4, -7200, "b2"),
		}, true, []client.NodeID{4}},
		{"rolled back: the older build is the newer launch", []func(*Observation){
			launch(1, -900, "b2"), launch(2, -300, "b0"), launch(3, -920, "b2"), launch(4, -940, "b2"),
		}, true, []client.NodeID{2}},
		{"a node is filled", []func(*Observation){unknownProcesses, fills(2)}, true, nil},
		{"a node warms up", []func(*Observation){unknownProcesses, reattaches(2)}, true, nil},
		{"a node is paused", []func(*Observation){policy(2, client.PolicyPause)}, false, nil},
		{"a node is offline", []func(*Observation){offline(2)}, false, nil},
		{"a node waits for its restart", []func(*Observation){drained(2)}, true, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newScene(t, 4)
			s.blind(row.before...)
			s.look(0)
			r := s.w.Release()
			require.Equal(t, row.live, r.Live())
			require.Equal(t, row.live, r.Joined)
			var done []client.NodeID
			for _, n := range r.Nodes {
				if n.Phase == Done {
					done = append(done, n.ID)
				}
			}
			require.Equal(t, row.done, done)
		})
	}
}

// A node that was being filled at the first look is done when it is Active again.
func TestJoinedInAFill(t *testing.T) {
	s := newScene(t, 3)
	s.at(0, fills(1), launch(1, -60, "b2"))
	s.at(20, active(1))
	require.Equal(t, "~waiting -60 | filling 0 | done 20", way(s.node(1)))
	require.False(t, s.w.Release().ETA.Known(), "its beginning was not seen")
}

// The first look shows a process that was not asked yet.
func TestJoinedBeforeTheProcessesAreAsked(t *testing.T) {
	s := newScene(t, 4)
	s.at(0, unknownProcesses, drains(3))
	require.True(t, s.w.Release().Live())
	s.at(1, launch(1, -600, "b2"), launch(2, -200, "b2"), launch(3, -86400, "b1"))
	require.EqualValues(t, 0, seconds(s.w.Release().Started), "node 4 was not asked yet")
	s.at(2, launch(4, -86400, "b1"))
	r := s.w.Release()
	require.EqualValues(t, -600, seconds(r.Started))
	require.Equal(t, Progress{Nodes: 4, Done: 2, OnTarget: 2, Expected: 100}, r.Progress)
	require.Equal(t, "~waiting -600 | ~done -200", way(r.Nodes[1]))
	require.Equal(t, "~waiting -600 | draining 0", way(r.Nodes[2]))
	require.Equal(t, "~waiting -600", way(r.Nodes[3]))
	require.Equal(t, []string{"0 release started"}, told(r.Log))

	s = newScene(t, 3) // one never answers: the others tell enough after a while
	s.at(0, unknownProcess(3), launch(1, -100, "b2"))
	require.False(t, s.w.Release().Live())
	s.until(21)
	require.True(t, s.w.Release().Live())
	require.Equal(t, []string{"20 release started"}, told(s.events))
	require.Equal(t, Done, s.node(1).Phase)
}

// Joined while one node warms up and is then filled.
func TestJoinedInAWarmUp(t *testing.T) {
	s := newScene(t, 3)
	s.at(0, unknownProcesses, reattaches(1))
	s.at(3, up(1), fills(1))
	s.at(9, active(1))
	require.Equal(t, "warming_up 0 | filling 3 | done 9", way(s.node(1)))
}

// Joined beside a node that is dead: it does not keep the release from its end.
func TestJoinedBesideADeadNode(t *testing.T) {
	s := newScene(t, 3)
	s.at(0, launch(1, -200, "b2"), fills(1), offline(3))
	s.at(9, active(1))
	s.restartsNode(2, 20, "b2")
	s.until(150)
	r := s.w.Release()
	require.EqualValues(t, 80, seconds(r.Ended))
	require.Equal(t, "~anomalous -200", way(r.Nodes[2]))
}

// Without a list of nodes nothing is known of a release, and nothing is concluded.
func TestTheFirstLooksFail(t *testing.T) {
	s := newScene(t, 2)
	nodes := s.o.Nodes
	s.o.Nodes, s.o.Stale, s.o.Error = nil, true, "refused"
	s.until(3)
	require.Empty(t, s.w.Release().Nodes)
	s.o.Nodes, s.o.Stale, s.o.Error = nodes, false, ""
	s.look(3)
	require.Len(t, s.w.Release().Nodes, 2)
	require.False(t, s.w.Release().Live())
}

func TestNodesComeAndGo(t *testing.T) {
	s := newScene(t, 3)
	s.at(5, drains(1))
	nodes := s.o.Nodes
	s.o.Nodes = nodes[:2]
	s.look(6)
	r := s.w.Release()
	require.True(t, r.Nodes[2].Gone)
	require.Equal(t, 2, r.Progress.Nodes)
	s.o.Nodes = append(nodes[:3:3], NodeObservation{ID: 9, Policy: client.PolicyActive, Availability: client.AvailabilityActive})
	s.look(7)
	r = s.w.Release()
	require.Equal(t, 4, r.Progress.Nodes)
	require.Equal(t, "waiting 7", way(r.Nodes[3]))
	require.Equal(t, []string{
		"5 release started", "5 node 1 waiting > draining",
		"6 node vanished 3", "7 node appeared 3", "7 node appeared 9",
	}, told(s.events))
}

func TestETA(t *testing.T) {
	s := newScene(t, 5)
	require.False(t, s.w.Release().ETA.Known())
	s.restartsNode(1, 10, "b2") // 60 s
	eta := s.w.Release().ETA
	require.Equal(t, 1, eta.Seen)
	require.EqualValues(t, 70+4*60, seconds(eta.At))
	require.EqualValues(t, 70+4*48, seconds(eta.Earliest), "one node tells nothing of the spread: a fifth")
	require.EqualValues(t, 70+4*72, seconds(eta.Latest))

	s.restartsNode(2, 110, "b2") // 100 s with the pause before it
	s.restartsNode(3, 250, "b2") // 140 s
	eta = s.w.Release().ETA
	require.Equal(t, 3, eta.Seen)
	require.EqualValues(t, 310+2*100, seconds(eta.At))
	require.EqualValues(t, 310+2*80, seconds(eta.Earliest))
	require.EqualValues(t, 310+2*120, seconds(eta.Latest))

	s.at(360, drains(4))
	require.EqualValues(t, 360+50+100, seconds(s.w.Release().ETA.At), "50 s of node 4 have passed")
	s.until(611)
	require.EqualValues(t, 610+100, seconds(s.w.Release().ETA.At), "node 4 is late: at best it is done now")
}

// What a Release holds is not changed by what is seen later.
func TestAReleaseIsNotChangedAfterwards(t *testing.T) {
	s := newScene(t, 2)
	s.at(5, drains(1))
	r := s.w.Release()
	before := fmt.Sprintf("%+v", r)
	s.restartsNode(1, 10, "b2")
	s.restartsNode(2, 80, "b2")
	s.until(300)
	require.Equal(t, before, fmt.Sprintf("%+v", r))
}

func TestTheLogIsBounded(t *testing.T) {
	s := newScene(t, 1)
	s.at(0)
	for i := range 1500 {
		s.at(2*i+2, drains(1))
		s.at(2*i+3, active(1))
	}
	r := s.w.Release()
	require.Len(t, r.Log, maxLog)
	require.Equal(t, Waiting, r.Log[maxLog-1].To)
	require.Len(t, r.Nodes[0].Spans, maxSpans+1)
}
