package history

import (
	"testing"
	"time"

	"github.com/StorconTUI/storcon-tui/engine/release"
)

// busy are so many observations of 50 nodes, each with one node's figures changed.
func busy(n int) []release.Observation {
	o := quiet(t0, 50)
	seen := []release.Observation{o}
	for i := range n - 1 {
		o = after(o, time.Second, 1, "Draining")
		o.Nodes[i%50].Attached = int64(i)
		seen = append(seen, o)
	}
	return seen
}

// What recording costs whoever watches 50 nodes: a look that shows a change, and one
// that does not.
func BenchmarkRecord(b *testing.B) {
	for name, change := range map[string]bool{"changed": true, "same": false} {
		b.Run(name, func(b *testing.B) {
			r := NewRecorder(b.TempDir(), Options{})
			seen := busy(1000)
			at := t0
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				o := seen[0]
				if change {
					o = seen[i%len(seen)]
				}
				at = at.Add(time.Millisecond)
				o.At = at
				r.Record(o)
			}
			_ = r.Close() // the directory goes
		})
	}
}

// What it costs to read an observation back.
func BenchmarkRead(b *testing.B) {
	dir := b.TempDir()
	record(b, dir, Options{}, busy(5000)...)
	r, err := Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		for range r.Observations() {
			n++
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(n), "µs/observation")
}
