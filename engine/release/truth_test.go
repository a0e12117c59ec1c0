package release

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/StorconTUI/storcon-tui/client"
)

// truth is a release as it really went: each node's way, one after another.
type truth struct {
	began time.Time
	nodes []trueWay
	end   time.Time
}

// trueWay is one node: when its drain began, and how long each of its phases took.
type trueWay struct {
	drainAt                                          time.Time
	drain, wait, down, warm, idle, fill, gap         time.Duration
	shards                                           int64
	drainedAt, downAt, upAt, activeAt, fillAt, endAt time.Time
}

func (w *trueWay) reckon() {
	w.drainedAt = w.drainAt.Add(w.drain)
	w.downAt = w.drainedAt.Add(w.wait)
	w.upAt = w.downAt.Add(w.down)
	w.activeAt = w.upAt.Add(w.warm)
	w.fillAt = w.activeAt.Add(w.idle)
	w.endAt = w.fillAt.Add(w.fill)
}

var someTruths = rapid.Custom(func(t *rapid.T) truth {
	some := func(name string, least, most time.Duration) time.Duration {
		if rapid.IntRange(0, 3).Draw(t, name+" short") == 0 {
			most = min(most, least+2*time.Second)
		}
		return time.Duration(rapid.Int64Range(int64(least), int64(most)).Draw(t, name))
	}
	tr := truth{began: began}
	at := began.Add(30 * time.Second)
	for range rapid.IntRange(1, 4).Draw(t, "nodes") {
		w := trueWay{
			drainAt: at,
			drain:   some("drain", 50*time.Millisecond, time.Minute),
			wait:    some("wait", 300*time.Millisecond, 20*time.Second),
			down:    some("down", 3*time.Second, 55*time.Second),
			warm:    some("warm", 0, 5*time.Second),
			idle:    some("idle", 100*time.Millisecond, 20*time.Second),
			fill:    some("fill", time.Millisecond, time.Minute),
			gap:     some("gap", 3*time.Second, time.Minute),
			shards:  rapid.Int64Range(0, 900).Draw(t, "shards"),
		}
		w.reckon()
		tr.nodes = append(tr.nodes, w)
		at = w.endAt.Add(w.gap)
		tr.end = w.endAt
	}
	return tr
})

// shows is what a controller shows of the node at that moment.
func (w *trueWay) shows(at time.Time) (client.NodePolicy, client.Availability) {
	switch {
	case at.Before(w.drainAt):
	case at.Before(w.drainedAt):
		return client.PolicyDraining, client.AvailabilityActive
	case at.Before(w.upAt):
		if at.Sub(w.downAt) > 30*time.Second {
			return client.PolicyPauseForRestart, client.AvailabilityOffline
		}
		return client.PolicyPauseForRestart, client.AvailabilityActive
	case at.Before(w.activeAt):
		return client.PolicyActive, client.AvailabilityWarmingUp
	case at.Before(w.fillAt):
	case at.Before(w.endAt):
		return client.PolicyFilling, client.AvailabilityActive
	}
	return client.PolicyActive, client.AvailabilityActive
}

// attached is how many shards it has: it loses them while it is drained, and gets them
// back while it is filled.
func (w *trueWay) attached(at time.Time) int64 {
	part := func(from, to time.Time) int64 { return w.shards * int64(at.Sub(from)) / int64(to.Sub(from)) }
	switch {
	case at.Before(w.drainAt):
		return w.shards
	case at.Before(w.drainedAt):
		return w.shards - part(w.drainAt, w.drainedAt)
	case at.Before(w.fillAt):
		return 0
	case at.Before(w.endAt):
		return part(w.fillAt, w.endAt)
	}
	return w.shards
}

// watched looks at the truth as a Poller does: the list every second, the counters every
// 5 s with gauges that are renewed every 20 s, the processes every so often.
func (tr *truth) watched(processes time.Duration, from, until time.Time, odd func(look int, was, is *Observation)) *Watch {
	w := NewWatch(Settings{})
	var o Observation
	for i := 0; ; i++ {
		at := from.Add(time.Duration(i) * 970 * time.Millisecond)
		if at.After(until) {
			return w
		}
		next := Observation{At: at, Cluster: "eu-1", Leader: "c1@1", Calls: o.Calls}
		scrape := at.Truncate(5 * time.Second)
		gauges := at.Truncate(20 * time.Second)
		asked := at.Truncate(processes)
		if asked.Before(from.Add(1500 * time.Millisecond)) {
			asked = from.Add(1500 * time.Millisecond)
		}
		next.Calls = map[string]int64{"drain": 0, "fill": 0}
		for j := range tr.nodes {
			way := &tr.nodes[j]
			policy, availability := way.shows(at)
			n := NodeObservation{
				ID: client.NodeID(j + 1), Address: fmt.Sprintf("ps-%d:9898", j+1), Policy: policy, Availability: availability,
				Attached: way.attached(gauges), Secondary: -1, Home: -1,
				Build: "b1", Launched: tr.began.Add(-time.Hour),
			}
			if !asked.Before(way.upAt) {
				n.Build, n.Launched = "b2", way.upAt
			}
			if at.Before(from.Add(1500 * time.Millisecond)) { // not asked yet
				n.Build, n.Launched = "", time.Time{}
			}
			n.Silent = !asked.Before(way.downAt) && asked.Before(way.upAt)
			if !scrape.Before(way.drainAt) {
				next.Calls["drain"]++
			}
			if !scrape.Before(way.fillAt) {
				next.Calls["fill"]++
			}
			next.Nodes = append(next.Nodes, n)
		}
		if odd != nil {
			odd(i, &o, &next)
		}
		o = next
		w.See(o)
	}
}

// TestTheTruthIsFound: of a release in which nothing goes wrong, every phase of 2 s is
// attributed, each node is done, and nothing looks wrong but what lasts too long.
func TestTheTruthIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := someTruths.Draw(t, "truth")
		processes := rapid.SampledFrom([]time.Duration{2 * time.Second, 17 * time.Second}).Draw(t, "processes")
		w := tr.watched(processes, tr.began, tr.end.Add(150*time.Second), nil)
		r := w.Release()
		for _, a := range r.Anomalies {
			require.Equal(t, OfflineLong, a.Kind, "%+v", a)
		}
		require.Equal(t, len(tr.nodes), r.Progress.Done)
		require.Equal(t, len(tr.nodes), r.Progress.OnTarget)
		require.WithinDuration(t, tr.nodes[0].drainAt, r.Started, time.Second)
		require.WithinDuration(t, tr.end, r.Ended, 10*time.Second)
		for i, real := range tr.nodes {
			n := r.Nodes[i]
			for _, p := range []struct {
				phase    Phase
				from, to time.Time
			}{
				{Draining, real.drainAt, real.drainedAt},
				{WarmingUp, real.upAt, real.activeAt},
				{Back, real.activeAt, real.fillAt},
				{Filling, real.fillAt, real.endAt},
			} {
				if p.to.Sub(p.from) >= 2*time.Second {
					require.InDelta(t, p.to.Sub(p.from).Seconds(), timeIn(n, p.phase, p.from, p.to), 2, "node %s %s from %s: %s", n.ID, p.phase, p.from.Sub(began), way(n))
				}
			}
			paused := timeIn(n, Drained, real.drainedAt, real.upAt) + timeIn(n, Restarting, real.drainedAt, real.upAt)
			require.InDelta(t, real.upAt.Sub(real.drainedAt).Seconds(), paused, 2, way(n))
		}
	})
}

// TestTheTruthIsFoundFromTheMiddleOn: whenever somebody begins to look, the release goes
// on, ends when it does, and nothing looks wrong that is not.
func TestTheTruthIsFoundFromTheMiddleOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := someTruths.Draw(t, "truth")
		last := tr.nodes[len(tr.nodes)-1]
		first := tr.nodes[0].drainAt
		from := first.Add(time.Duration(rapid.Int64Range(0, int64(last.downAt.Sub(first))).Draw(t, "from")))
		w := tr.watched(2*time.Second, from, tr.end.Add(150*time.Second), nil)
		r := w.Release()
		require.True(t, r.Joined)
		for _, a := range r.Anomalies {
			require.Equal(t, OfflineLong, a.Kind, "%+v", a)
		}
		var ways []string
		for _, n := range r.Nodes {
			ways = append(ways, way(n))
		}
		require.Equal(t, len(tr.nodes), r.Progress.Done, ways)
		require.WithinDuration(t, tr.end, r.Ended, 10*time.Second, ways)
	})
}

// TestOddReadingsSayNothing: now and then a read fails, or shows what is not so, once.
func TestOddReadingsSayNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := someTruths.Draw(t, "truth")
		every := rapid.IntRange(7, 40).Draw(t, "every")
		kind := rapid.IntRange(0, 4).Draw(t, "kind")
		w := tr.watched(2*time.Second, tr.began, tr.end.Add(150*time.Second), func(look int, was, is *Observation) {
			if look%every != every-1 || is.At.After(tr.end.Add(time.Minute)) {
				return
			}
			switch kind {
			case 0:
				is.Error, is.Nodes = "connection reset", was.Nodes
			case 1:
				is.Calls = nil
			}
			for i := range is.Nodes {
				switch n := &is.Nodes[i]; kind {
				case 2:
					n.Silent = true
				case 3:
					n.Attached = -1
				case 4:
					n.Availability = client.AvailabilityOffline
				}
			}
		})
		r := w.Release()
		for _, a := range r.Anomalies {
			require.Equal(t, OfflineLong, a.Kind, "%+v", a)
		}
		var ways []string
		for _, n := range r.Nodes {
			ways = append(ways, way(n))
		}
		require.Equal(t, len(tr.nodes), r.Progress.Done, ways)
	})
}

// timeIn is how many seconds of a time a node spent in a phase.
func timeIn(n NodeProgress, p Phase, from, to time.Time) float64 {
	var sum time.Duration
	for _, s := range n.Spans {
		if s.To.IsZero() || s.To.After(to) {
			s.To = to
		}
		if s.Phase == p && s.To.After(later(s.From, from)) {
			sum += s.To.Sub(later(s.From, from))
		}
	}
	return sum.Seconds()
}
