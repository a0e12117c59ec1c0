package gate

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
)

func (in Input) gauges(change func(*client.Metrics)) Input {
	change(&in.Snapshot.Metrics.Value)
	return in
}

// readings are scrapes of the gauge, so many seconds before the newest one.
func readings(value int64, before ...int) Readings {
	at := six().Snapshot.Metrics.At
	r := Readings{}
	for _, s := range before {
		r = append(r, Reading{At: at.Add(-time.Duration(s) * time.Second), Value: value})
	}
	return r
}

func TestPendingReconciles(t *testing.T) {
	pending := func(n, planned int64, r Readings) Input {
		return six().gauges(func(m *client.Metrics) { m.PendingReconciles = n }).with(func(in *Input) {
			in.Baseline, in.Pending = &Baseline{Pending: planned}, r
		})
	}
	plan := func(n int64) Input { return pending(n, 0, nil).with(func(in *Input) { in.Baseline = nil }) }
	const gate = PendingReconcilesLow
	check1(t, map[string]row{
		"at the plan":                      {AtPlan, gate, plan(40), Pass, "40 pending now; over 56 for 3 refreshes will hold the run"},
		"as many as allowed":               {BeforeDrain, gate, pending(20, 4, nil), Pass, "20 pending, 4 when the plan was made"},
		"few, and the plan knew no number": {BeforeDrain, gate, pending(16, -1, nil), Pass, "16 pending"},
		"many, and the plan knew no number": {
			BeforeDrain, gate, pending(17, -1, readings(17, 40, 20)),
			Unknown, "17 pending; unknown how many when the plan was made",
		},
		"C14: one reading is no trouble": {
			BeforeDrain, gate, pending(21, 4, Readings{}),
			Pass, "21 pending, 4 when the plan was made; above 20 for 0.0 s, 3 refreshes would hold (remark)",
		},
		"X6: high for 3 refreshes": {
			BeforeDrain, gate, pending(21, 4, readings(25, 40, 20, 0)),
			Fail, "21 pending, 4 when the plan was made; above 20 for 40 s",
		},
		"X6: while baking": {
			WhileBaking, gate, pending(21, 4, readings(25, 60, 40, 20)),
			Fail, "21 pending, 4 when the plan was made; above 20 for 60 s",
		},
		"high again after a low one": {
			BeforeDrain, gate, pending(21, 4, append(append(readings(25, 60), readings(20, 40)...), readings(25, 20)...)),
			Pass, "21 pending, 4 when the plan was made; above 20 for 20 s, 3 refreshes would hold (remark)",
		},
		"a gap in the readings proves nothing": {
			BeforeDrain, gate, pending(21, 4, readings(25, 60, 55)),
			Pass, "21 pending, 4 when the plan was made; above 20 for 0.0 s, 3 refreshes would hold (remark)",
		},
		"nobody keeps readings": {
			BeforeDrain, gate, pending(21, 4, nil),
			Unknown, "21 pending, at most 20 wanted; for how long is not known",
		},
		"a controller without the gauge": {BeforeDrain, gate, pending(-1, -1, nil), Off, "not among the controller's metrics"},
		"without the gauge at the plan":  {AtPlan, gate, plan(-1), Off, "not among the controller's metrics"},
		"the gauge went away": {
			BeforeDrain, gate, pending(-1, 4, nil),
			Unknown, "gone from the controller's metrics; 4 when the plan was made",
		},
		"old metrics": {
			BeforeDrain, gate, six().with(func(in *Input) { in.Snapshot.Metrics.At = ago(time.Minute) }),
			Unknown, "metrics are 60 s old",
		},
	})
}

func TestReadingsAreKeptOncePerScrapeAndForAWhile(t *testing.T) {
	scrape := func(second int, n int64) cluster.Part[client.Metrics] {
		return cluster.Part[client.Metrics]{At: now.Add(time.Duration(second) * time.Second), Value: client.Metrics{PendingReconciles: n}}
	}
	var r Readings
	r = r.Add(cluster.Part[client.Metrics]{})
	require.Nil(t, r, "nothing was read")
	r = r.Add(scrape(0, 5)).Add(scrape(0, 5)).Add(scrape(5, -1))
	require.Equal(t, Readings{{now, 5}}, r)
	kept := r.Add(scrape(80, 6))
	require.Len(t, kept, 2)
	require.Equal(t, Readings{{now.Add(81 * time.Second), 7}}, r.Add(scrape(81, 7)), "the first is too old")
	require.Equal(t, Readings{{now, 5}}, r, "what was given is not written to")
}

func TestAZViolations(t *testing.T) {
	violations := func(n, planned int64, m *OwnMoves) Input {
		return six().gauges(func(g *client.Metrics) { g.AZViolations = n }).with(func(in *Input) {
			in.Baseline, in.Moves = &Baseline{AZViolations: planned}, m
		})
	}
	plan := func(n int64) Input { return violations(n, 0, nil).with(func(in *Input) { in.Baseline = nil }) }
	scraped := six().Snapshot.Metrics.At
	filled := func(before time.Duration) *OwnMoves { return &OwnMoves{Filled: 30, FilledAt: scraped.Add(-before)} }
	const gate = AZViolationsBaseline
	check1(t, map[string]row{
		"none at the plan":       {AtPlan, gate, plan(0), Pass, "0 out of their AZ"},
		"some at the plan":       {AtPlan, gate, plan(3), Pass, "3 out of their AZ now; more than these will hold the run (remark)"},
		"no more than then":      {BeforeDrain, gate, violations(3, 3, &OwnMoves{}), Pass, "3 out of their AZ, 3 when the plan was made"},
		"X9: more than then":     {BeforeDrain, gate, violations(4, 3, &OwnMoves{}), Fail, "4 out of their AZ, 3 when the plan was made"},
		"X9: more, while baking": {WhileBaking, gate, violations(4, 3, &OwnMoves{}), Fail, "4 out of their AZ, 3 when the plan was made"},
		"X9: the gauge may not have seen the fill": {
			BeforeDrain, gate, violations(33, 3, filled(24*time.Second)),
			Pass, "33 out of their AZ, 3 when the plan was made; no more than this run's own drains moved (remark)",
		},
		"X9: more than the drain moved": {BeforeDrain, gate, violations(34, 3, filled(0)), Fail, "34 out of their AZ, 3 when the plan was made"},
		"L7: the fill brought too few home": {
			BeforeDrain, gate, violations(4, 3, filled(25*time.Second)),
			Fail, "4 out of their AZ, 3 when the plan was made",
		},
		"L5: the fill was skipped": {
			BeforeDrain, gate, violations(43, 3, &OwnMoves{Unfilled: 40}),
			Pass, "43 out of their AZ, 3 when the plan was made; no more than this run's own drains moved (remark)",
		},
		"own moves not told": {BeforeDrain, gate, violations(4, 3, nil), Off, "4 out of their AZ, 3 when the plan was made; not told which of these this run moved itself"},
		"plan knew no number": {
			BeforeDrain, gate, violations(4, -1, &OwnMoves{Unfilled: 9}),
			Unknown, "4 out of their AZ; unknown how many when the plan was made",
		},
		"a controller without the gauge": {BeforeDrain, gate, violations(-1, -1, &OwnMoves{}), Off, "not among the controller's metrics"},
		"the gauge went away":            {BeforeDrain, gate, violations(-1, 0, &OwnMoves{}), Unknown, "gone from the controller's metrics; 0 when the plan was made"},
		"no metrics": {
			BeforeDrain, gate, six().with(func(in *Input) { in.Snapshot.Metrics = cluster.Part[client.Metrics]{} }),
			Unknown, "metrics not read yet",
		},
	})
}
