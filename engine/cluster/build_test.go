package cluster

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/pageserver"
)

var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func nodeGen() *rapid.Generator[client.Node] {
	return rapid.Custom(func(t *rapid.T) client.Node {
		n := node(client.NodeID(rapid.Uint64Range(1, 8).Draw(t, "id")))
		n.Availability = rapid.SampledFrom([]client.Availability{
			client.AvailabilityActive, client.AvailabilityOffline, client.AvailabilityWarmingUp, "Sleepy",
		}).Draw(t, "availability")
		n.Scheduling = rapid.SampledFrom([]client.NodePolicy{
			client.PolicyActive, client.PolicyDraining, client.PolicyPauseForRestart, "Napping",
		}).Draw(t, "policy")
		return n
	})
}

// frozen is a published snapshot beside a deep print of it.
type frozen struct {
	s    *Snapshot
	text string
}

func freeze(s *Snapshot) frozen {
	return frozen{s, fmt.Sprintf("%+v|%+v|%+v", *s, s.Nodes.Value, s.Events)}
}

func TestSnapshotsAreSortedCompleteAndNeverWrittenAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := epoch
		b := newBuilder(Identity{Name: "x"}, nil, now)
		var past []frozen
		var listed []client.Node
		reads := rapid.IntRange(1, 30).Draw(t, "reads")
		for range reads {
			now = now.Add(time.Duration(rapid.IntRange(1, 90).Draw(t, "seconds")) * time.Second)
			before := b.cur
			var changed bool
			switch rapid.IntRange(0, 4).Draw(t, "read") {
			case 0, 1:
				list := rapid.SliceOfNDistinct(nodeGen(), 0, 8, func(n client.Node) client.NodeID { return n.ID }).Draw(t, "list")
				changed, listed = b.nodes(list, now), list
			case 2:
				changed = b.nodesFailed(errors.New("gone"), now)
			case 3:
				m := client.Metrics{Nodes: map[client.NodeID]client.NodeGauges{}}
				for id := range client.NodeID(9) {
					m.Nodes[id] = client.NodeGauges{Attached: int64(rapid.IntRange(-1, 3).Draw(t, "attached")), Shards: 7}
				}
				changed = b.metrics(m, nil, now)
			case 4:
				launch := rapid.Int64Range(0, 2).Draw(t, "launch")
				changed = b.process(client.NodeID(rapid.Uint64Range(1, 8).Draw(t, "id")), pageserver.Info{LaunchMillis: launch}, nil, now)
			}
			past = append(past, freeze(b.cur))
			checkSnapshot(t, b.cur, listed)
			if changed != (b.cur.Seq > before.Seq) {
				t.Fatalf("changed %v, sequence %d -> %d", changed, before.Seq, b.cur.Seq)
			}
			if !changed && !slices.EqualFunc(before.Nodes.Value, b.cur.Nodes.Value, sameNode) {
				t.Fatal("nodes differ under one sequence number")
			}
		}
		for i, p := range past {
			if got := freeze(p.s).text; got != p.text {
				t.Fatalf("snapshot %d was written to after it was published:\n%s", i, cmp.Diff(p.text, got))
			}
		}
	})
}

func checkSnapshot(t *rapid.T, s *Snapshot, listed []client.Node) {
	nodes := s.Nodes.Value
	if len(nodes) != len(listed) {
		t.Fatalf("%d nodes of %d listed", len(nodes), len(listed))
	}
	for i, n := range nodes {
		if i > 0 && nodes[i-1].ID >= n.ID {
			t.Fatalf("not in id order: %v before %v", nodes[i-1].ID, n.ID)
		}
		if found, ok := s.Node(n.ID); !ok || found.ID != n.ID {
			t.Fatalf("node %v is not found", n.ID)
		}
		if want := s.Metrics.Value.Nodes[n.ID].Attached; s.Metrics.Known() && n.Attached != want {
			t.Fatalf("node %v shows %d attached, the gauge says %d", n.ID, n.Attached, want)
		}
		if !s.Metrics.Known() && n.Attached != -1 {
			t.Fatalf("node %v shows %d attached without a scrape", n.ID, n.Attached)
		}
	}
	if len(s.Events) > EventRing {
		t.Fatalf("%d events", len(s.Events))
	}
	if !slices.IsSortedFunc(s.Events, func(a, b Change) int { return b.At.Compare(a.At) }) {
		t.Fatal("events are not newest first")
	}
}

func TestEventsOfOneRead(t *testing.T) {
	b := newBuilder(Identity{}, nil, epoch)
	paused, moved := node(2), node(3)
	paused.Scheduling = client.PolicyDraining
	b.nodes([]client.Node{node(1), paused, node(3)}, epoch)
	require.Empty(t, b.cur.Events, "the first list changes nothing")
	b.metrics(client.Metrics{Nodes: map[client.NodeID]client.NodeGauges{
		2: {Attached: 7, Shards: 9}, 99: {Attached: 5, Shards: 5}, // 99 was deleted; its series stays
	}}, nil, epoch)
	require.Len(t, b.cur.Nodes.Value, 3)

	paused.Scheduling, moved.ListenHTTPAddr = client.PolicyPauseForRestart, "elsewhere"
	at := epoch.Add(time.Second)
	b.nodes([]client.Node{moved, paused, node(4)}, at)
	want := []Change{
		{At: at, Node: 4, What: NodeAppeared, To: "ps:4", Attached: -1},
		{At: at, Node: 3, What: AddressChanged, From: "ps:3", To: "elsewhere:3", Attached: -1},
		{At: at, Node: 2, What: PolicyChanged, From: "Draining", To: "PauseForRestart", Attached: 7},
		{At: at, Node: 1, What: NodeVanished, From: "ps:1", Attached: -1},
	}
	require.Equal(t, want, b.cur.Events)
	n, _ := b.cur.Node(2)
	require.Equal(t, at, n.PolicySince)
	require.True(t, n.AvailabilitySince.IsZero())
	require.Equal(t, [3]int64{7, 2, 0}, [3]int64{n.Attached, n.Secondary, n.Home})
}

// E23, P4: a list that cannot be right is a failed read.
// Rows: E23.
func TestNodeListedTwiceIsAFailedRead(t *testing.T) {
	b := newBuilder(Identity{}, nil, epoch)
	b.nodes([]client.Node{node(1)}, epoch)
	b.nodes([]client.Node{node(2), node(2)}, epoch.Add(time.Second))
	require.ErrorContains(t, b.cur.Nodes.Err, "node 2 is in it twice")
	require.Equal(t, client.NodeID(1), b.cur.Nodes.Value[0].ID)
	require.Equal(t, epoch, b.cur.Nodes.At)
}

// N18: a node that flaps is told by the number of its changes, and forgiven
// after five minutes.
func TestFlaps(t *testing.T) {
	b := newBuilder(Identity{}, nil, epoch)
	now := epoch
	for _, a := range []client.Availability{"Active", "Offline", "WarmingUp", "Active"} {
		n := node(1)
		n.Availability = a
		b.nodes([]client.Node{n}, now)
	}
	require.Equal(t, 3, b.cur.Nodes.Value[0].Flaps)
	require.False(t, b.cur.Nodes.Value[0].Flapping(), "a restart is no flapping")

	b = newBuilder(Identity{}, nil, epoch)
	for i := range 5 {
		n := node(1)
		if i%2 == 1 {
			n.Availability = client.AvailabilityOffline
		}
		b.nodes([]client.Node{n}, now)
		now = now.Add(time.Second)
	}
	require.Equal(t, 4, b.cur.Nodes.Value[0].Flaps)
	require.True(t, b.cur.Nodes.Value[0].Flapping())
	seq := b.cur.Seq
	b.nodes([]client.Node{node(1)}, now.Add(6*time.Minute))
	require.Zero(t, b.cur.Nodes.Value[0].Flaps)
	require.Greater(t, b.cur.Seq, seq)
}

func TestEventRingIsBounded(t *testing.T) {
	b := newBuilder(Identity{}, nil, epoch)
	for i := range EventRing + 50 {
		n := node(1)
		n.Scheduling = client.NodePolicy(fmt.Sprint(i))
		b.nodes([]client.Node{n}, epoch.Add(time.Duration(i)*time.Second))
	}
	require.Len(t, b.cur.Events, EventRing)
	require.Equal(t, fmt.Sprint(EventRing+49), b.cur.Events[0].To)
}

func TestDownTime(t *testing.T) {
	at := func(s int) time.Time { return epoch.Add(time.Duration(s) * time.Second) }
	answered := Part[pageserver.Info]{At: at(10)}
	silent := Part[pageserver.Info]{At: at(10), Err: errors.New("refused"), Since: at(14)}
	for name, test := range map[string]struct {
		was    Part[pageserver.Info]
		launch time.Time
		want   time.Duration
	}{
		"from the last answer":                    {answered, at(16), 6 * time.Second},
		"from the first silence":                  {silent, at(16), 2 * time.Second},
		"a clock behind ours tells nothing":       {answered, at(5), 0},
		"a clock ahead of ours tells nothing":     {answered, at(99), 0},
		"a launch that the silence came after":    {silent, at(12), 0},
		"no time between is no time, not a fault": {answered, at(10), 0},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, test.want, downTime(test.was, pageserver.Info{Launch: test.launch}, at(20)))
		})
	}
}

// A process that restarts behind another address is not the one we knew.
func TestAddressChangeForgetsTheProcess(t *testing.T) {
	b := newBuilder(Identity{}, nil, epoch)
	b.nodes([]client.Node{node(1)}, epoch)
	b.process(1, pageserver.Info{LaunchMillis: 5}, nil, epoch)
	n := node(1)
	n.ListenHTTPAddr = "elsewhere"
	b.nodes([]client.Node{n}, epoch.Add(time.Second))
	require.False(t, b.cur.Nodes.Value[0].Process.Known())
	b.process(1, pageserver.Info{LaunchMillis: 6}, nil, epoch.Add(2*time.Second))
	require.Equal(t, []ChangeKind{AddressChanged}, kinds(b.cur.Events))
}

// BenchmarkBuildOf500Nodes is what a read that brings nothing new costs beside
// its decoding.
func BenchmarkBuildOf500Nodes(b *testing.B) {
	const nodes = 500
	var list []client.Node
	for id := range client.NodeID(nodes) {
		list = append(list, node(id+1))
	}
	build := newBuilder(Identity{}, nil, epoch)
	build.nodes(list, epoch)
	now := epoch
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(time.Second)
		if build.nodes(list, now) {
			b.Fatal("nothing changed")
		}
	}
	b.ReportMetric(nodes, "nodes")
}
