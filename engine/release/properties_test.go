package release

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/StorconTUI/storcon-tui/client"
)

// histories are observations of one cluster in order, in which anything may happen from
// one look to the next.
var histories = rapid.Custom(func(t *rapid.T) []Observation {
	at, looks := began, []Observation(nil)
	nodes := rapid.IntRange(1, 4).Draw(t, "nodes")
	var last Observation
	for range rapid.IntRange(1, 40).Draw(t, "looks") {
		o := anObservation.Draw(t, "look")
		o.At, o.Nodes = at, nil
		for i := range nodes {
			n := aNode.Draw(t, "node")
			n.ID, n.Address = client.NodeID(i+1), "ps"
			if len(last.Nodes) == nodes && rapid.IntRange(0, 2).Draw(t, "changes") > 0 {
				n = last.Nodes[i]
			}
			o.Nodes = append(o.Nodes, n)
		}
		if rapid.IntRange(0, 9).Draw(t, "node gone") == 0 {
			o.Nodes = o.Nodes[1:]
		}
		looks = append(looks, o)
		last = o
		pauses := []time.Duration{0, time.Second, 5 * time.Second, 40 * time.Second, 10 * time.Minute}
		at = at.Add(rapid.SampledFrom(pauses).Draw(t, "pause"))
	}
	return looks
})

// TestSpansCoverTheTime: a node is in one phase at any moment since the release began
// or it was first seen.
func TestSpansCoverTheTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := NewWatch(Settings{})
		for _, o := range histories.Draw(t, "history") {
			w.See(o)
			r := w.Release()
			for _, n := range r.Nodes {
				for i, span := range n.Spans {
					if i+1 < len(n.Spans) {
						require.True(t, span.To.After(span.From), "%v", n.Spans)
						require.Equal(t, span.To, n.Spans[i+1].From, "%v", n.Spans)
						require.NotEqual(t, span.Phase, n.Spans[i+1].Phase, "%v", n.Spans)
					}
				}
				last := n.Spans[len(n.Spans)-1]
				require.Zero(t, last.To)
				require.Equal(t, n.Phase, last.Phase)
				require.False(t, last.From.After(r.At))
				require.False(t, r.Live() && n.Spans[0].From.Before(r.Started))
			}
		}
	})
}

// TestAnEqualLookChangesNothing: a poll is not a change.
func TestAnEqualLookChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := NewWatch(Settings{})
		for _, o := range histories.Draw(t, "history") {
			w.See(o)
			before := w.Release()
			require.Empty(t, w.See(o))
			require.Equal(t, before, w.Release())
		}
	})
}

// recording is what is kept of the observations: see KeepEvery.
type recording struct {
	kept    []Observation
	pending *Observation // the Same as the last kept
}

func (r *recording) record(o Observation) {
	last := len(r.kept) - 1
	if last >= 0 && o.Same(r.kept[last]) && o.At.Sub(r.kept[last].At) < KeepEvery {
		r.pending = &o
		return
	}
	r.flush()
	r.kept = append(r.kept, o)
}

func (r *recording) flush() {
	if r.pending != nil {
		r.kept = append(r.kept, *r.pending)
		r.pending = nil
	}
}

// TestAReplayIsTheRelease: what was recorded, without most of the looks that added nothing
// but time, and through JSON, makes the release that was seen live.
func TestAReplayIsTheRelease(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		live, replayed := NewWatch(Settings{}), NewWatch(Settings{})
		var rec recording
		var seen []Event
		var lasted time.Duration
		for _, o := range histories.Draw(t, "history") {
			// The same is seen for a while; then comes the next of the history.
			o.At = o.At.Add(lasted)
			for range rapid.IntRange(1, 30).Draw(t, "seconds") {
				seen = append(seen, live.See(o)...)
				rec.record(o)
				o.At = o.At.Add(time.Second)
				lasted += time.Second
			}
		}
		rec.flush()
		var again []Event
		for _, o := range rec.kept {
			line, err := json.Marshal(o)
			require.NoError(t, err)
			var read Observation
			require.NoError(t, json.Unmarshal(line, &read))
			again = append(again, replayed.See(read)...)
		}
		require.Equal(t, seen, again)
		require.Equal(t, live.Release(), replayed.Release())
	})
}

// TestAnomaliesBeginAndEndOnce: what stands does not begin again, what is over does not
// end again, and the release has what the events told.
func TestAnomaliesBeginAndEndOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := NewWatch(Settings{})
		standing := map[condKey]time.Time{}
		for _, o := range histories.Draw(t, "history") {
			for _, e := range w.See(o) {
				if e.Anomaly == nil {
					require.True(t, e.Kind != PhaseChanged || e.From != e.To, "%v", e)
					continue
				}
				key := condKey{kind: e.Anomaly.Kind, node: e.Anomaly.Node, compute: e.Anomaly.Compute}
				since, stands := standing[key]
				if e.Kind == AnomalyBegan {
					require.False(t, stands, "%v began twice", key)
					require.True(t, e.Anomaly.Stands())
					require.NotEmpty(t, e.Anomaly.Text)
					standing[key] = e.Anomaly.Since
					continue
				}
				require.True(t, stands, "%v ended and had not begun", key)
				require.Equal(t, since, e.Anomaly.Since)
				require.False(t, e.Anomaly.Until.Before(since))
				delete(standing, key)
			}
			require.Equal(t, len(standing), w.Release().Standing())
		}
	})
}
