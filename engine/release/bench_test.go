package release

import (
	"testing"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
)

// BenchmarkSee is what one look at 50 nodes costs: one that changes nothing, one in
// which a gauge moves, and one in the worst release, in which every node is offline.
func BenchmarkSee(b *testing.B) {
	scene := func() Observation {
		o := Observation{At: began, Cluster: "eu-1", Calls: map[string]int64{"drain": 3}}
		for i := range 50 {
			o.Nodes = append(o.Nodes, NodeObservation{
				ID: client.NodeID(i + 1), Address: "ps:9898", AZ: "az-a", Policy: client.PolicyActive,
				Availability: client.AvailabilityActive, Attached: 1000, Build: "b1", Launched: began.Add(-time.Hour),
			})
		}
		o.Nodes[7].Policy = client.PolicyDraining
		return o
	}
	for _, row := range []struct {
		name   string
		change func(*Observation, int)
	}{
		{"same", func(*Observation, int) {}},
		{"moving", func(o *Observation, i int) { o.Nodes[7].Attached = int64(i) }},
		{"offline", func(o *Observation, i int) {
			o.Nodes[7].Attached = int64(i)
			for j := range o.Nodes {
				o.Nodes[j].Availability = client.AvailabilityOffline
			}
		}},
	} {
		b.Run(row.name, func(b *testing.B) {
			// Two observations in turn: See keeps the one that it was given.
			w, turns := NewWatch(Settings{}), [2]Observation{scene(), scene()}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				o := &turns[i%2]
				o.At = began.Add(time.Duration(i) * time.Second)
				row.change(o, i)
				w.See(*o)
				i++
			}
		})
	}
}

// BenchmarkObserve is what taking an observation out of a snapshot costs.
func BenchmarkObserve(b *testing.B) {
	s := &cluster.Snapshot{At: began}
	for i := range 50 {
		n := cluster.Node{Node: client.Node{ID: client.NodeID(i + 1), ListenHTTPAddr: "pageserver-1.internal", ListenHTTPPort: 9898}}
		s.Nodes.Value = append(s.Nodes.Value, n)
	}
	s.Nodes.At, s.Metrics.At = began, began
	for range 60 {
		s.Metrics.Value.Requests = append(s.Metrics.Value.Requests, client.RequestCount{Route: "control_v1_node_drain", Status: 202, Count: 1})
	}
	b.ReportAllocs()
	for b.Loop() {
		Observe(s)
	}
}

// BenchmarkRelease is what a screen asks for after a change.
func BenchmarkRelease(b *testing.B) {
	w := NewWatch(Settings{})
	o := Observation{At: began}
	for i := range 50 {
		o.Nodes = append(o.Nodes, NodeObservation{ID: client.NodeID(i + 1), Policy: client.PolicyDraining, Availability: client.AvailabilityActive})
	}
	w.See(o)
	b.ReportAllocs()
	for b.Loop() {
		w.Release()
	}
}
