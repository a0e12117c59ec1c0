package action

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// three is a selection on a healthy cluster of three nodes, the cursor on the third.
func three() Selection {
	var nodes []cluster.Node
	for id := client.NodeID(1); id <= 3; id++ {
		nodes = append(nodes, cluster.Node{Node: client.Node{
			ID: id, Availability: client.AvailabilityActive, Scheduling: client.PolicyActive,
		}})
	}
	return Selection{
		Now: now, Cursor: 3,
		Snapshot: &cluster.Snapshot{Nodes: cluster.Part[[]cluster.Node]{Value: nodes, At: now}},
	}
}

func (s Selection) with(change func(*Selection)) Selection {
	change(&s)
	return s
}

func (s Selection) policy(id client.NodeID, p client.NodePolicy) Selection {
	s.Snapshot.Nodes.Value[id-1].Scheduling = p
	return s
}

func (s Selection) away(a client.Availability) Selection {
	n := &s.Snapshot.Nodes.Value[2]
	n.Availability, n.AvailabilitySince = a, now.Add(-41*time.Second)
	return s
}

var mutating = []ID{Restart, Drain, Fill, Cancel, Activate}

// why is what each mutating action says; those left out can be done.
type why map[ID]string

func all(text string) why {
	w := why{}
	for _, id := range mutating {
		w[id] = text
	}
	return w
}

func (w why) but(id ID, text string) why {
	w[id] = text
	return w
}

func TestWhyAnActionIsOff(t *testing.T) {
	const (
		nothing = "node 3 is in Active: nothing to cancel"
		already = "node 3 is Active already"
	)
	for name, test := range map[string]struct {
		s    Selection
		want why
	}{
		"an Active node": {three(), why{Cancel: nothing, Activate: already}},
		"no snapshot":    {Selection{}, all("no data yet")},
		"never read":     {Selection{Snapshot: &cluster.Snapshot{}}, all("no data yet")},
		"T10: read-only": {three().with(func(s *Selection) { s.Snapshot.ReadOnly = true }), all("read-only: nothing is sent")},
		"T7: stale": {
			three().with(func(s *Selection) { s.Stale, s.Now = true, now.Add(14*time.Second) }),
			all("data is 14 s old"),
		},
		"T7: stale, without a clock": {
			three().with(func(s *Selection) { s.Stale, s.Now = true, time.Time{} }), all("data is stale"),
		},
		"a run is live":    {three().with(func(s *Selection) { s.RunLive = true }), all("a run is going on")},
		"nothing there":    {three().with(func(s *Selection) { s.Cursor = 0 }), all("no node is selected")},
		"T1: node is gone": {three().with(func(s *Selection) { s.Cursor = 9 }), all("node 9 is gone")},
		"an unfinished run blocks a restart and nothing else": {
			three().with(func(s *Selection) { s.Unfinished = "01J8" }),
			why{Restart: "run 01J8 is unfinished; close it first", Cancel: nothing, Activate: already},
		},
		"token without any power": {
			three().with(func(s *Selection) { s.Snapshot.Token.Scope = "tenant" }),
			all("the token's scope tenant may not; it needs infra or admin"),
		},
		"token expired": {
			three().with(func(s *Selection) { s.Snapshot.Token.Expires = now.Add(-time.Second) }),
			all("the token has expired"),
		},
		"D15: scope infra starts but sets no policy": {
			three().policy(3, client.PolicyPauseForRestart).with(func(s *Selection) { s.Snapshot.Token.Scope = "infra" }),
			why{
				Drain:    "node 3 is in PauseForRestart: it was drained already",
				Fill:     "node 3 is in PauseForRestart; only an Active one can be filled",
				Cancel:   "node 3 is in PauseForRestart: nothing to cancel",
				Activate: "setting a policy needs a token of scope admin",
			},
		},
		"N4: a node in Pause": {
			three().policy(3, client.PolicyPause),
			why{
				Restart:  "node 3 is in Pause; a restart never touches it",
				Drain:    "node 3 is in Pause; only an Active one can be drained",
				Fill:     "node 3 is in Pause; only an Active one can be filled",
				Cancel:   "node 3 is in Pause: nothing to cancel",
				Activate: "node 3 is in Pause, which is never overwritten from here",
			},
		},
		"N27: a node in Deleting": {
			three().policy(3, client.PolicyDeleting),
			why{
				Restart:  "node 3 is in Deleting; a restart never touches it",
				Drain:    "node 3 is in Deleting; only an Active one can be drained",
				Fill:     "node 3 is in Deleting; only an Active one can be filled",
				Cancel:   "node 3 is in Deleting: nothing to cancel",
				Activate: "node 3 is being deleted",
			},
		},
		"a node that drains": {
			three().policy(3, client.PolicyDraining),
			why{
				Drain: "node 3 is in Draining; only an Active one can be drained",
				Fill:  "node 3 is in Draining; only an Active one can be filled",
			},
		},
		"D3: another node drains": {
			three().policy(1, client.PolicyDraining),
			why{
				Drain: "the controller is busy: drain 1", Fill: "the controller is busy: drain 1",
				Cancel: nothing, Activate: already,
			},
		},
		"D8: an Offline node": {
			three().away(client.AvailabilityOffline),
			why{
				Drain: "node 3 is Offline for 41 s", Fill: "node 3 is Offline for 41 s",
				Cancel: nothing, Activate: already,
			},
		},
		"A3: cancel while warming up": {
			three().away(client.AvailabilityWarmingUp).policy(3, client.PolicyDraining),
			all("node 3 is WarmingUp for 41 s").but(Restart, "").but(Activate, ""),
		},
		"N4: paused nodes among others are left out of a restart": {
			three().policy(1, client.PolicyPause).with(func(s *Selection) { s.Marked = []client.NodeID{1, 2} }),
			why{Cancel: nothing, Activate: already},
		},
		"N4: nothing but paused nodes": {
			three().policy(1, client.PolicyPause).policy(2, client.PolicyDeleting).with(func(s *Selection) { s.Marked = []client.NodeID{1, 2} }),
			why{
				Restart: "node 1 is in Pause; a restart never touches it; node 2 is in Deleting; a restart never touches it",
				Drain:   "the controller is busy: delete 2", Fill: "the controller is busy: delete 2",
				Cancel: nothing, Activate: already,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, id := range mutating {
				want := test.want[id]
				if id == Restart && name == "T1: node is gone" {
					want = "node 9 is gone"
				}
				require.Equal(t, want, Why(id, test.s), "%s", id)
			}
		})
	}
}

func TestViewsAreOffOnlyWithoutSomethingToShow(t *testing.T) {
	s := three()
	require.Equal(t, "no run is going on", Why(ViewRun, s))
	require.Equal(t, "no run has ended in this session", Why(ViewReport, s))
	require.Equal(t, "no node needs attention", Why(NextProblem, s))
	draining := s.with(func(s *Selection) { s.Snapshot.Nodes.Value[1].Scheduling = client.PolicyDraining })
	require.Empty(t, Why(NextProblem, draining), "somebody else's drain")
	draining.Ours = map[client.NodeID]bool{draining.Snapshot.Nodes.Value[1].ID: true}
	require.Equal(t, "no node needs attention", Why(NextProblem, draining), "the drain of our own run")
	s = three()
	s.RunLive, s.RunEnded = true, true
	s = s.away(client.AvailabilityOffline)
	for _, id := range []ID{ViewRun, ViewReport, NextProblem, Mark, Details, Filter, Sort, Events, ViewRuns, Help, Quit} {
		require.Empty(t, Why(id, s), id)
	}
	for _, id := range []ID{Filter, Sort, Events, ViewRuns, Help, Quit} {
		require.Empty(t, Why(id, Selection{}), "%s works without a controller", id)
	}
	require.Equal(t, "no node is selected", Why(Mark, s.with(func(s *Selection) { s.Cursor = 0 })))
	require.Contains(t, Why("dance", s), "no such action")
}

// What another console drives is only followed here, and only what was left can be
// taken up (E14).
func TestAnotherConsoleDrives(t *testing.T) {
	driven := three().with(func(s *Selection) { s.Driver, s.Unfinished = "oncall1@jump1", "01J" })
	for _, id := range []ID{Restart, Drain, Fill, Cancel, Activate, Resume} {
		require.Contains(t, Why(id, driven), "driven by oncall1@jump1", id)
	}
	require.Empty(t, Why(ViewRuns, driven))
	require.Equal(t, "no run is unfinished", Why(Resume, three()))
	require.Empty(t, Why(Resume, three().with(func(s *Selection) { s.Unfinished = "01J" })))
}

// T2: what changes the cluster is named here, one by one; nothing else may.
func TestCatalogue(t *testing.T) {
	dangers := map[ID]Danger{Restart: Typed, Drain: Confirmed, Fill: Confirmed, Cancel: Confirmed, Activate: Typed, Resume: Confirmed}
	seen, titles := map[ID]bool{}, map[string]bool{}
	for _, a := range Catalogue() {
		require.False(t, seen[a.ID] || titles[a.Title], "%s is there twice", a.ID)
		seen[a.ID], titles[a.Title] = true, true
		require.NotEmpty(t, a.Title)
		require.NotZero(t, a.Scope)
		require.Equal(t, dangers[a.ID], a.Danger, a.ID)
		found, ok := Find(a.ID)
		require.True(t, ok)
		require.Equal(t, a.Title, found.Title)
	}
	_, ok := Find("dance")
	require.False(t, ok)
}

func TestTargetsAreTheMarkedNodesElseTheCursor(t *testing.T) {
	require.Equal(t, []client.NodeID{3}, three().Targets())
	require.Equal(t, []client.NodeID{1, 2}, Selection{Cursor: 3, Marked: []client.NodeID{1, 2}}.Targets())
	require.Empty(t, Selection{}.Targets())
}
