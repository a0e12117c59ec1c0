package gate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
)

const (
	// gaugeEvery is how often the controller renews its gauges (C14), and a
	// little more: a pass that has much to do is late.
	gaugeEvery = 25 * time.Second
	// pendingSlack is how many reconciles more than at the plan may wait: a
	// cluster in use always has some.
	pendingSlack = 16
	// pendingFor spans three refreshes of a gauge that is renewed every 20 s.
	pendingFor = 40 * time.Second
)

const notAmongMetrics = "not among the controller's metrics"

// metricsUnusable is why the controller's gauges cannot be judged by; "" = they can.
func metricsUnusable(in Input) string {
	metrics := in.Snapshot.Metrics
	switch {
	case !metrics.Known() && metrics.Err != nil:
		return "metrics unreadable: " + metrics.Err.Error()
	case !metrics.Known():
		return "metrics not read yet"
	case !metrics.Fresh(in.Now, metricsFresh):
		return "metrics are " + age(metrics.Age(in.Now)) + " old"
	}
	return ""
}

// gaugeMissing: a controller too old to have a gauge turns its gate off, for
// nobody could ever make it pass. One that had it at the plan is another matter.
func gaugeMissing(planned int64) Fact {
	if planned >= 0 {
		return unknown(fmt.Sprintf("gone from the controller's metrics; %d when the plan was made", planned))
	}
	return off(notAmongMetrics)
}

// Reading is one scrape of a gauge.
type Reading struct {
	At    time.Time
	Value int64
}

// Readings are scrapes of one gauge, the newest last.
type Readings []Reading

// Add is the readings with the pending reconciles of a scrape that is newer
// than they are. What is too old to matter is left out. It does not write to r.
func (r Readings) Add(metrics cluster.Part[client.Metrics]) Readings {
	value := metrics.Value.PendingReconciles
	if !metrics.Known() || value < 0 || len(r) > 0 && !metrics.At.After(r[len(r)-1].At) {
		return r
	}
	kept := slices.DeleteFunc(slices.Clone(r), func(old Reading) bool {
		return metrics.At.Sub(old.At) > 2*pendingFor
	})
	return append(kept, Reading{At: metrics.At, Value: value})
}

// aboveFor is for how long the gauge has been above limit without a break, at
// newest, which is. A gap in which a refresh may have gone unseen is a break.
func (r Readings) aboveFor(limit int64, newest time.Time) time.Duration {
	first := newest
	for _, reading := range slices.Backward(r) {
		if !reading.At.Before(newest) {
			continue
		}
		if reading.Value <= limit || first.Sub(reading.At) >= metricsFresh {
			break
		}
		first = reading.At
	}
	return newest.Sub(first)
}

// pendingReconciles holds only when the figure has been high for three
// refreshes (X6): what waits for a moment after a drain or fill is no trouble.
func pendingReconciles(in Input) Fact {
	if why := metricsUnusable(in); why != "" {
		return unknown(why)
	}
	metrics := in.Snapshot.Metrics
	pending, planned := metrics.Value.PendingReconciles, int64(-1)
	if in.Baseline != nil {
		planned = in.Baseline.Pending
	}
	limit := max(planned, 0) + pendingSlack
	switch {
	case pending < 0:
		return gaugeMissing(planned)
	case in.Baseline == nil:
		return pass(fmt.Sprintf("%d pending now; over %d for 3 refreshes will hold the run", pending, pending+pendingSlack))
	case pending <= limit && planned < 0:
		return pass(fmt.Sprintf("%d pending", pending))
	case pending <= limit:
		return pass(fmt.Sprintf("%d pending, %d when the plan was made", pending, planned))
	case planned < 0:
		return unknown(fmt.Sprintf("%d pending; unknown how many when the plan was made", pending))
	case in.Pending == nil:
		return unknown(fmt.Sprintf("%d pending, at most %d wanted; for how long is not known", pending, limit))
	}
	above := in.Pending.aboveFor(limit, metrics.At)
	text := fmt.Sprintf("%d pending, %d when the plan was made; above %d for %s", pending, planned, limit, age(above))
	if above < pendingFor {
		return pass(text + ", 3 refreshes would hold (remark)")
	}
	return fail(text)
}

func stuckReconciles(in Input) Fact {
	if why := metricsUnusable(in); why != "" {
		return unknown(why)
	}
	metrics := in.Snapshot.Metrics.Value
	stuck := metrics.StuckReconciles
	switch {
	case stuck < 0:
		return unknown("not among the controller's metrics")
	case in.Baseline == nil && stuck > 0:
		return pass(fmt.Sprintf("%d stuck now; more than these will hold the run (remark)", stuck))
	case in.Baseline == nil || stuck == 0:
		return pass(fmt.Sprintf("%d stuck", stuck))
	case in.Baseline.Stuck < 0:
		return unknown(fmt.Sprintf("%d stuck; unknown how many when the plan was made", stuck))
	case stuck > in.Baseline.Stuck:
		return fail(fmt.Sprintf("%d stuck, %d when the plan was made%s", stuck, in.Baseline.Stuck, longRunning(metrics)))
	}
	return pass(fmt.Sprintf("%d stuck, %d when the plan was made", stuck, in.Baseline.Stuck))
}

// longRunning names the reconciles that run for over 120 s; a stuck one is
// often among them.
func longRunning(m client.Metrics) string {
	if len(m.LongRunning) == 0 {
		return ""
	}
	const most = 3
	var names []string
	for _, r := range m.LongRunning[:min(most, len(m.LongRunning))] {
		names = append(names, fmt.Sprintf("%s shard %s", r.Tenant, r.Shard))
	}
	text := "; running long: " + strings.Join(names, ", ")
	if rest := len(m.LongRunning) - most; rest > 0 {
		text += fmt.Sprintf(" and %d more", rest)
	}
	return text
}

// OwnMoves is what this run's own drains explain of the shards that are out of
// their AZ. A drain puts shards where their secondaries are, most of them
// in another AZ; a fill brings them back.
type OwnMoves struct {
	// Unfilled counts the shards that drains of this run moved off nodes that
	// got no fill: it was skipped, cancelled or refused (L5). The optimiser
	// brings these back in its own time.
	Unfilled int
	// Filled counts those of nodes whose fill has ended, at FilledAt the last.
	Filled   int
	FilledAt time.Time
}

// explains is how many of the violations that the gauge showed at a moment the
// run may have made itself.
func (m OwnMoves) explains(at time.Time) int64 {
	own := m.Unfilled
	if !m.FilledAt.IsZero() && at.Sub(m.FilledAt) < gaugeEvery {
		own += m.Filled // the gauge may be from before the fill's end
	}
	return int64(own)
}

// azViolations compares with the plan (X9). A fill that the gauge has not seen
// yet, or that a person chose to skip, does not hold the next node: that much
// more is a remark. What a fill should have brought home and did not, holds
// until the optimiser has, or a person says otherwise. Shards that stayed on another
// node of their AZ (C27) are no violations, so they never hold anything.
func azViolations(in Input) Fact {
	if why := metricsUnusable(in); why != "" {
		return unknown(why)
	}
	metrics := in.Snapshot.Metrics
	count, planned := metrics.Value.AZViolations, int64(-1)
	if in.Baseline != nil {
		planned = in.Baseline.AZViolations
	}
	now := fmt.Sprintf("%d out of their AZ", count)
	switch {
	case count < 0:
		return gaugeMissing(planned)
	case in.Baseline == nil && count > 0:
		return pass(now + " now; more than these will hold the run (remark)")
	case in.Baseline == nil || count == 0:
		return pass(now)
	case planned < 0:
		return unknown(now + "; unknown how many when the plan was made")
	}
	now += fmt.Sprintf(", %d when the plan was made", planned)
	switch {
	case count <= planned:
		return pass(now)
	case in.Moves == nil:
		return off(now + "; not told which of these this run moved itself")
	case count-planned <= in.Moves.explains(metrics.At):
		return pass(now + "; no more than this run's own drains moved (remark)")
	}
	return fail(now)
}
