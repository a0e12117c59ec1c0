package ui

import (
	"fmt"
	"testing"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
)

// fleet is a cluster of n nodes.
func fleet(n int) *cluster.Snapshot {
	s := crew()
	s.Seq = 100
	s.Nodes.Value = make([]cluster.Node, n)
	for i := range s.Nodes.Value {
		s.Nodes.Value[i] = node(client.NodeID(i+1), "eu-1"+string(rune('a'+i%3)), client.AvailabilityActive, client.PolicyActive,
			int64(1500+i%400), 1600, 3000)
	}
	return s
}

func benched(b *testing.B, n int) *console {
	b.Helper()
	k := newConsole(b, nil, 200, 50)
	k.source.set(fleet(n))
	k.feed(changedMsg{})
	k.View()
	return k
}

// One key: Update and View at 200x50. The budget is 0.5 ms at 500 nodes, and
// the same within 20 % at 100 and at 10 000.
func BenchmarkFrame(b *testing.B) {
	for _, n := range []int{100, 500, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			k := benched(b, n)
			down, up := keyMsg("down"), keyMsg("up")
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				if i++; i/40%2 == 0 {
					k.Update(down)
				} else {
					k.Update(up)
				}
				k.View()
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1000, "ms/frame")
		})
	}
}

// A message that changes nothing costs no frame.
func BenchmarkUnchanged(b *testing.B) {
	k := benched(b, 500)
	b.ReportAllocs()
	for b.Loop() {
		k.Update(changedMsg{})
		k.View()
	}
}

// A new snapshot in which one node has changed.
func BenchmarkSnapshot(b *testing.B) {
	for _, n := range []int{100, 500, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			k := benched(b, n)
			b.ReportAllocs()
			for b.Loop() {
				next := *k.source.now
				next.Seq++
				k.source.now = &next
				k.Update(changedMsg{})
				k.View()
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1000, "ms/frame")
		})
	}
}

// Applying and clearing a filter at 10 000 rows: 60 and 40 ms.
func BenchmarkFilter(b *testing.B) {
	k := benched(b, 10_000)
	for b.Loop() {
		for _, key := range []string{"/", "9", "9", "enter", "esc"} {
			k.clock = k.clock.Add(time.Millisecond * 100)
			k.Update(keyMsg(key))
			k.View()
		}
	}
}
