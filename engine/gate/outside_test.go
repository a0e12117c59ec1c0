package gate

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
)

// Rows: X8.
func TestNotifications(t *testing.T) {
	moved := func(change func(*Moved)) Input {
		m := &Moved{At: ago(time.Second), Shards: []MovedShard{{ID: "aa-0102", Described: true}, {ID: "bb", Described: true}}}
		change(m)
		return six().with(func(in *Input) { in.Moved = m })
	}
	second := func(s MovedShard) Input {
		s.ID = "bb"
		return moved(func(m *Moved) { m.Shards[1] = s })
	}
	const gate, at = NotificationsClear, BeforeRestart
	check1(t, map[string]row{
		"all told":                  {at, gate, moved(func(*Moved) {}), Pass, "2 shards moved, none pending"},
		"nothing moved":             {at, gate, moved(func(m *Moved) { m.Shards = nil }), Pass, "no shard was moved"},
		"X8: one is pending":        {at, gate, second(MovedShard{Described: true, Pending: true}), Fail, "1 of 2 shards moved: bb has a notification pending"},
		"reconciling for a moment":  {at, gate, second(MovedShard{Described: true, ReconcilingSince: ago(29 * time.Second)}), Pass, "2 shards moved, none pending; 1 still reconcile (remark)"},
		"C28: it does not end":      {at, gate, second(MovedShard{Described: true, ReconcilingSince: ago(30 * time.Second)}), Fail, "1 of 2 shards moved: bb reconciling for 30 s"},
		"its tenant is gone":        {at, gate, second(MovedShard{Gone: true, Pending: true}), Pass, "2 shards moved, none pending"},
		"one not described":         {at, gate, second(MovedShard{}), Unknown, "1 of 2 shards moved were not described"},
		"never looked at":           {at, gate, moved(func(m *Moved) { m.At = time.Time{} }), Unknown, "the shards that were moved were not looked at yet"},
		"looked at too long ago":    {at, gate, moved(func(m *Moved) { m.At = ago(time.Minute) }), Unknown, "moved shards were looked at 60 s ago"},
		"the newest look failed":    {at, gate, moved(func(m *Moved) { m.Err = errors.New("refused") }), Unknown, "moved shards unreadable: refused"},
		"no scope":                  {at, gate, moved(func(m *Moved) { m.Off = "needs scope admin" }), Off, "not readable with this token: needs scope admin"},
		"nobody looks":              {at, gate, six(), Off, "the shards that were moved are not looked at"},
		"many: the first are named": {at, gate, moved(func(m *Moved) { m.Shards = many(6) }), Fail, "6 of 6 shards moved: s0 has a notification pending, s1 has a notification pending, s2 has a notification pending, s3 has a notification pending and 2 more"},
	})
}

func many(n int) (shards []MovedShard) {
	for i := range n {
		shards = append(shards, MovedShard{ID: client.TenantShardID(fmt.Sprintf("s%d", i)), Described: true, Pending: true})
	}
	return shards
}

// Rows: X10.
func TestAlertsWindowAndToken(t *testing.T) {
	alerts := func(p cluster.Part[[]string]) Input { return six().with(func(in *Input) { in.Alerts = &p }) }
	window := func(text string) Input {
		w, err := ParseWindow(text)
		require.NoError(t, err)
		return six().with(func(in *Input) { in.Window = &w })
	}
	token := func(expires time.Time, phase time.Duration) Input {
		return six().with(func(in *Input) {
			in.Snapshot.Token, in.PhaseTime = cluster.TokenView{Source: "file x.jwt", Expires: expires}, phase
		})
	}
	down := errors.New("connection refused")
	read := ago(time.Second)
	check1(t, map[string]row{
		"none fires":      {BeforeDrain, AlertsClear, alerts(cluster.Part[[]string]{At: read}), Pass, "none fires"},
		"X10: two fire":   {BeforeDrain, AlertsClear, alerts(cluster.Part[[]string]{At: read, Value: []string{"Lag", "Slow"}}), Fail, "2 firing: Lag, Slow"},
		"X10: one baking": {WhileBaking, AlertsClear, alerts(cluster.Part[[]string]{At: read, Value: []string{"Lag"}}), Fail, "1 firing: Lag"},
		"X10: Prometheus is down": {
			BeforeDrain, AlertsClear, alerts(cluster.Part[[]string]{At: read, Err: down}), Unknown, "alerts unreadable: connection refused",
		},
		"not asked yet":      {AtPlan, AlertsClear, alerts(cluster.Part[[]string]{}), Unknown, "alerts not asked for yet"},
		"asked too long ago": {BeforeDrain, AlertsClear, alerts(cluster.Part[[]string]{At: ago(time.Minute)}), Unknown, "alerts were asked for 60 s ago"},
		"no query":           {BeforeDrain, AlertsClear, six(), Off, "no query is configured"},
		"turned off":         {BeforeDrain, AlertsClear, alerts(cluster.Part[[]string]{Off: "demo"}), Off, "demo"},

		// now is Sunday noon.
		"open":      {BeforeDrain, InWindow, window("Sun 10:00-12:30 UTC"), Pass, "Sun 10:00-12:30 UTC; closes in 30 min"},
		"closed":    {AtPlan, InWindow, window("Mon-Fri 22:00-04:00 UTC"), Fail, "outside Mon-Fri 22:00-04:00 UTC; opens in 34 h"},
		"no window": {AtPlan, InWindow, six(), Off, "no window is configured"},

		"does not expire":            {BeforeFill, TokenValid, token(time.Time{}, time.Hour), Pass, "does not expire"},
		"no token":                   {BeforeFill, TokenValid, six(), Pass, "no token is sent"},
		"outlives the phase":         {BeforeFill, TokenValid, token(now.Add(59*time.Minute), 58*time.Minute), Pass, "expires in 59 min"},
		"D11: expires in the phase":  {BeforeRestart, TokenValid, token(now.Add(4*time.Minute), 4*time.Minute), Fail, "expires in 4 min; this phase may take 4 min"},
		"D11: expired":               {BeforeDrain, TokenValid, token(ago(72*time.Hour), 0), Fail, "expired 3 d ago"},
		"D11: expires at the moment": {BeforeDrain, TokenValid, token(now, 0), Fail, "expired 0.0 s ago"},
	})
}

// Rows: R8.
func TestVersionAndStable(t *testing.T) {
	built := client.Build{Revision: "git:6a35a3e9f149798d", Tag: "build_tag:release-7"}
	version := func(v Version) Input { return six().with(func(in *Input) { in.Version = &v }) }
	stable := func(s Stable) Input { return six().with(func(in *Input) { in.Stable = &s }) }
	const gate, at = VersionMatches, BeforeFill
	runs := "runs git:6a35a3e9f149798d build_tag:release-7"
	check1(t, map[string]row{
		"revision":            {at, gate, version(Version{Target: "6a35a3e9f149798d", Build: built, At: now}), Pass, runs},
		"as the node says it": {at, gate, version(Version{Target: built.Revision, Build: built, At: now}), Pass, runs},
		"its beginning":       {at, gate, version(Version{Target: "6a35a3e", Build: built, At: now}), Pass, runs},
		"too little of it":    {at, gate, version(Version{Target: "6a35a3", Build: built, At: now}), Fail, runs + ", not 6a35a3"},
		"tag":                 {at, gate, version(Version{Target: "release-7", Build: built, At: now}), Pass, runs},
		"R8: another build":   {at, gate, version(Version{Target: "release-8", Build: built, At: now}), Fail, runs + ", not release-8"},
		"a prefix alone":      {at, gate, version(Version{Target: "git:", Build: client.Build{Revision: "git:"}, At: now}), Fail, "runs git: , not git:"},
		"not read yet":        {at, gate, version(Version{Target: "release-7", Build: built}), Unknown, "build not read since the restart"},
		"not readable":        {at, gate, version(Version{Target: "release-7", Err: errors.New("refused")}), Unknown, "build unreadable: refused"},
		"says nothing":        {at, gate, version(Version{Target: "release-7", At: now}), Unknown, "the node does not say what it runs"},
		"no target":           {at, gate, version(Version{Build: built, At: now}), Off, "no target build is configured"},

		"K in a row":      {WhileBaking, NodeStable, stable(Stable{Passes: 5, Needed: 5}), Pass, "5 of 5 good looks in a row"},
		"not yet":         {WhileBaking, NodeStable, stable(Stable{Passes: 3, Needed: 5}), Unknown, "3 of 5 good looks in a row so far"},
		"the newest fell": {WhileBaking, NodeStable, stable(Stable{Passes: 9, Needed: 5, Broken: "node 1 WarmingUp"}), Fail, "0 of 5 good looks in a row: node 1 WarmingUp"},
		"nobody asks":     {WhileBaking, NodeStable, stable(Stable{Passes: 9}), Off, "nobody asks for several good looks"},
	})
}

// What is not known never passes, whatever else is known.
func TestUnknownNeverPasses(t *testing.T) {
	damage := map[string]struct {
		gates []Name
		do    func(*rapid.T, *Input)
	}{
		"metrics lost": {
			[]Name{PendingReconcilesLow, AZViolationsBaseline, StuckReconcilesZero},
			func(_ *rapid.T, in *Input) { in.Snapshot.Metrics.At = time.Time{} },
		},
		"metrics old": {
			[]Name{PendingReconcilesLow, AZViolationsBaseline, StuckReconcilesZero},
			func(t *rapid.T, in *Input) {
				in.Snapshot.Metrics.At = ago(metricsFresh + time.Duration(rapid.IntRange(0, 1e12).Draw(t, "age")))
			},
		},
		"gauges missing": {
			[]Name{PendingReconcilesLow, AZViolationsBaseline, StuckReconcilesZero},
			func(_ *rapid.T, in *Input) {
				m := &in.Snapshot.Metrics.Value
				m.PendingReconciles, m.AZViolations, m.StuckReconciles = -1, -1, -1
			},
		},
		"a shard not described": {[]Name{NotificationsClear}, func(t *rapid.T, in *Input) {
			i := rapid.IntRange(0, len(in.Moved.Shards)-1).Draw(t, "shard")
			in.Moved.Shards[i].Described, in.Moved.Shards[i].Gone = false, false
		}},
		"shards unreadable": {[]Name{NotificationsClear}, func(_ *rapid.T, in *Input) { in.Moved.Err = errors.New("refused") }},
		"shards not read":   {[]Name{NotificationsClear}, func(_ *rapid.T, in *Input) { in.Moved.At = time.Time{} }},
		"alerts unreadable": {[]Name{AlertsClear}, func(_ *rapid.T, in *Input) { in.Alerts.Err = errors.New("refused") }},
		"alerts not read":   {[]Name{AlertsClear}, func(_ *rapid.T, in *Input) { in.Alerts.At = time.Time{} }},
		"build not read":    {[]Name{VersionMatches}, func(_ *rapid.T, in *Input) { in.Version.At = time.Time{} }},
		"too few looks": {[]Name{NodeStable}, func(t *rapid.T, in *Input) {
			in.Stable.Passes = rapid.IntRange(-1, in.Stable.Needed-1).Draw(t, "passes")
		}},
	}
	for name, d := range damage {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				in := anyInput(t)
				d.do(t, &in)
				for at := AtPlan; at <= WhileBaking; at++ {
					for _, r := range Evaluate(at, in) {
						for _, g := range d.gates {
							if r.Gate == g && r.Verdict == Pass {
								t.Fatalf("%s passes: %s", g, r.Figure)
							}
						}
					}
				}
			})
		})
	}
}

// anyInput is a cluster in any state, all of it known and everything configured.
func anyInput(t *rapid.T) Input {
	n := func(label string) int { return rapid.IntRange(0, 60).Draw(t, label) }
	before := func(label string) time.Time { return ago(time.Duration(n(label)) * time.Second) }
	in := six().gauges(func(m *client.Metrics) {
		m.PendingReconciles, m.AZViolations, m.StuckReconciles = int64(n("pending")), int64(n("violations")), int64(n("stuck"))
	})
	if rapid.Bool().Draw(t, "baseline") {
		in.Baseline = &Baseline{Stuck: int64(n("stuck then")), Pending: int64(n("pending then")), AZViolations: int64(n("violations then"))}
	} else {
		in.Baseline = nil
	}
	in.Moves = &OwnMoves{Unfilled: n("unfilled"), Filled: n("filled"), FilledAt: before("fill")}
	in.Moved = &Moved{At: before("look")}
	for range 1 + n("shards")/10 {
		shard := MovedShard{Described: true, Gone: rapid.Bool().Draw(t, "gone"), Pending: rapid.Bool().Draw(t, "notification")}
		if rapid.Bool().Draw(t, "reconciles") {
			shard.ReconcilingSince = before("reconciling")
		}
		in.Moved.Shards = append(in.Moved.Shards, shard)
	}
	in.Alerts = &cluster.Part[[]string]{At: before("alerts"), Value: rapid.SliceOfN(rapid.String(), 0, 3).Draw(t, "firing")}
	in.Version = &Version{Target: "release-7", Build: client.Build{Tag: "release-7"}, At: now}
	in.Stable = &Stable{Needed: 1 + n("needed"), Passes: 100}
	return in
}
