package history

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/release"
)

var t0 = time.Date(2026, 11, 30, 22, 15, 4, 123456789, time.UTC)

// quiet is a cluster of n nodes in which nothing happens.
func quiet(at time.Time, n int) release.Observation {
	o := release.Observation{At: at, Cluster: "prod", Leader: "10.0.0.1:1234@2026-11-01T00:00:00Z"}
	for id := 1; id <= n; id++ {
		o.Nodes = append(o.Nodes, release.NodeObservation{
			ID: client.NodeID(id), AZ: "eu-1a", Policy: client.PolicyActive, Availability: client.AvailabilityActive,
			Attached: 100, Secondary: 100, Home: 100, Build: "r1", Launched: at.Add(-time.Hour),
		})
	}
	return o
}

// after is an observation with another time and another policy of one node.
func after(o release.Observation, d time.Duration, id client.NodeID, policy client.NodePolicy) release.Observation {
	o.At = o.At.Add(d)
	o.Nodes = slices.Clone(o.Nodes)
	for i := range o.Nodes {
		if o.Nodes[i].ID == id {
			o.Nodes[i].Policy = policy
		}
	}
	return o
}

// record writes observations to a directory as one process.
func record(t testing.TB, dir string, o Options, seen ...release.Observation) {
	t.Helper()
	if o.Trouble == nil {
		o.Trouble = func(err error) { t.Errorf("trouble: %v", err) }
	}
	r := NewRecorder(dir, o)
	for _, s := range seen {
		r.Record(s)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

// played is everything that a recording gives.
func played(t testing.TB, path string) ([]release.Observation, Damage) {
	t.Helper()
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	all := slices.Collect(r.Observations())
	return all, r.Damage()
}

// distinct leaves out those that are the same as the one before.
func distinct(seen []release.Observation) []release.Observation {
	var out []release.Observation
	for _, o := range seen {
		if len(out) == 0 || !o.Same(out[len(out)-1]) {
			out = append(out, o)
		}
	}
	return out
}

func wantSame(t testing.TB, want, got []release.Observation) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("what is read is not what was written (-written +read):\n%s", diff)
	}
}

// names are the files of a recording, the oldest first.
func names(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if e.Name() != "lock" {
			names = append(names, e.Name())
		}
	}
	return names
}

func sizeOf(t testing.TB, dir string) (total int64) {
	t.Helper()
	for _, name := range names(t, dir) {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		total += info.Size()
	}
	return total
}

// anyObservations are what somebody may see one after the other: mostly little
// changes, nodes that come and go, and now and then the same again.
func anyObservations() *rapid.Generator[[]release.Observation] {
	return rapid.Custom(func(t *rapid.T) []release.Observation {
		var seen []release.Observation
		o := release.Observation{At: t0, Cluster: "prod", Nodes: []release.NodeObservation{anyNode().Draw(t, "first")}}
		for range rapid.IntRange(1, 40).Draw(t, "n") {
			seen = append(seen, o)
			o = next(t, o)
		}
		return seen
	})
}

func next(t *rapid.T, o release.Observation) release.Observation {
	o.At = o.At.Add(time.Duration(rapid.Int64Range(0, int64(3*time.Hour)).Draw(t, "later")))
	o.Nodes = slices.Clone(o.Nodes)
	for range rapid.IntRange(0, 3).Draw(t, "changes") {
		switch rapid.IntRange(0, 6).Draw(t, "change") {
		case 0:
			o.Nodes = slices.DeleteFunc(o.Nodes, func(n release.NodeObservation) bool {
				return n.ID%3 == rapid.Custom(func(t *rapid.T) client.NodeID {
					return client.NodeID(rapid.IntRange(0, 8).Draw(t, "gone"))
				}).Draw(t, "which")
			})
		case 1:
			n := anyNode().Draw(t, "node")
			if i, found := findNode(o.Nodes, n.ID); found {
				o.Nodes[i] = n
			} else {
				o.Nodes = slices.Insert(o.Nodes, i, n)
			}
		case 2:
			o.Stale = !o.Stale
			o.Error = rapid.SampledFrom([]string{"", "GET /control/v1/node: \u009b refused <&>"}).Draw(t, "error")
		case 3:
			o.Leader = rapid.SampledFrom([]string{"", "a@1", "b@2"}).Draw(t, "leader")
		case 4:
			o.Calls = rapid.SampledFrom([]map[string]int64{nil, {}, {"drain": 1}, {"drain": 1, "fill": 2}}).Draw(t, "calls")
		case 5:
			o.Computes = rapid.SampledFrom([][]release.ComputeObservation{
				nil, {{Name: "c", Status: "running"}}, {{Name: "c", Status: "failed", Error: "no \u007f disk"}, {Name: "d", Silent: "timeout"}},
			}).Draw(t, "computes")
			o.Foreign = release.ForeignCalls{At: o.At, Text: "drain 1"}
		default:
			if len(o.Nodes) > 0 {
				o.Nodes[0].Attached = rapid.Int64Range(-1, 500).Draw(t, "attached")
			}
		}
	}
	return o
}

func anyNode() *rapid.Generator[release.NodeObservation] {
	return rapid.Custom(func(t *rapid.T) release.NodeObservation {
		n := release.NodeObservation{
			ID:           client.NodeID(rapid.SampledFrom([]uint64{1, 2, 3, 4, 1 << 40, 1<<64 - 1}).Draw(t, "id")),
			AZ:           rapid.SampledFrom([]string{"", "a", "\u2028b"}).Draw(t, "az"),
			Policy:       client.NodePolicy(rapid.SampledFrom([]string{"Active", "Draining", "Odd\"One"}).Draw(t, "policy")),
			Availability: client.AvailabilityActive,
			Attached:     rapid.Int64Range(-1, 3).Draw(t, "attached"),
			Secondary:    -1, Home: -1,
		}
		if rapid.Bool().Draw(t, "launched") {
			n.Launched = t0.Add(time.Duration(rapid.Int64Range(0, 1e15).Draw(t, "launch")))
		}
		return n
	})
}
