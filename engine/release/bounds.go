package release

import (
	"slices"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// begin starts a release when a node that was at rest is not any more.
func (w *Watch) begin(o Observation, l look) {
	if w.live() {
		return
	}
	for _, n := range o.Nodes {
		t, ok := w.tracks[n.ID]
		if !ok || !takesPart(t.node, n) {
			continue
		}
		at := l.now
		if n.Policy != client.PolicyDraining && n.Policy != client.PolicyFilling {
			at = l.last // its first steps were missed
		}
		w.start(at)
		return
	}
}

// takesPart reports a step of a release: a drain, a fill, a restart. A Pause is
// somebody's decision about one node, and no step of anything.
func takesPart(was, n NodeObservation) bool {
	if relaunched(was, n) || was.Availability != client.AvailabilityWarmingUp && n.Availability == client.AvailabilityWarmingUp {
		return true
	}
	return was.Policy != n.Policy && (n.Policy == client.PolicyDraining ||
		n.Policy == client.PolicyPauseForRestart || n.Policy == client.PolicyFilling)
}

// start begins a release: what was before is forgotten, but for the anomalies that stand.
func (w *Watch) start(at time.Time) {
	w.started, w.ended, w.joined = at, time.Time{}, false
	w.settledSince, w.target, w.took, w.lastDone = time.Time{}, "", nil, at
	w.log, w.conds.over = nil, nil
	w.order = slices.DeleteFunc(slices.Clone(w.order), func(t *track) bool {
		if t.gone {
			delete(w.tracks, t.node.ID)
		}
		return t.gone
	})
	for _, t := range w.order {
		t.cycle, t.done, t.closed = idle(), false, nil
		t.cur = Span{Phase: t.phase(w.now), From: at}
	}
	w.tell(Event{At: w.now, Kind: ReleaseStarted})
}

// endDue is when the release is over if nothing happens until then; zero = it is not.
func (w *Watch) endDue() time.Time {
	if !w.live() || w.settledSince.IsZero() || !w.mixedSince.IsZero() || w.cur.Stale {
		return time.Time{}
	}
	hold := w.limits.Settled
	for _, t := range w.order {
		if !t.exempt() && t.cur.Phase != Done && (w.target == "" || t.node.Build != w.target || t.cur.Phase == Back) {
			hold = w.limits.Quiet
			break
		}
	}
	return w.after(w.settledSince, hold)
}

// after is when a state that was first seen at since has lasted for so long. Through
// a silence nobody knows whether it did, so it is to be seen anew for a while.
func (w *Watch) after(since time.Time, hold time.Duration) time.Time {
	return later(since.Add(hold), w.resumed.Add(min(hold, seenAgain)))
}

// end ends the release once nothing has happened for long enough.
func (w *Watch) end() {
	due := w.endDue()
	if due.IsZero() || due.After(w.now) {
		return
	}
	w.ended = w.settledSince
	for _, t := range w.order {
		t.cancelled, t.inDrain, t.skipped = time.Time{}, time.Time{}, time.Time{}
	}
	w.tell(Event{At: w.now, Kind: ReleaseEnded})
}

// join takes in the first list of nodes. A release goes on if a node is in the middle of
// a step, if the nodes are on different builds, or if some were launched in turn just now.
func (w *Watch) join(o Observation, l look) {
	for _, n := range o.Nodes {
		w.order = append(w.order, w.appear(n, l.now))
	}
	w.survey(l.now)
	w.calls.see(o, w.order, l)
	launched := launchedInTurn(w.order, l.now)
	inStep := slices.ContainsFunc(w.order, func(t *track) bool {
		return t.cur.Phase != Waiting && t.cur.Phase != Anomalous
	})
	recent := len(launched) > 0 && len(launched) < len(w.order) &&
		l.now.Sub(launched[0].node.Launched) < w.limits.Quiet
	if !inStep && w.mixedSince.IsZero() && !recent {
		return
	}
	if !w.mixedSince.IsZero() {
		w.target = newestBuild(w.order)
	}
	if w.target != "" {
		launched = slices.DeleteFunc(slices.Clone(w.order), func(t *track) bool { return t.node.Build != w.target })
	}
	w.started, w.joined = l.now, true
	for _, t := range launched {
		w.started = earliest(w.started, t.launchedBy(l.now))
	}
	if w.target != "" {
		w.mixedSince = w.started
	}
	launched = slices.DeleteFunc(launched, func(t *track) bool { return !t.settled() })
	w.lastDone = w.started
	for _, t := range launched {
		w.lastDone = later(w.lastDone, t.launchedBy(l.now))
	}
	w.recall(launched, l.now)
	w.tell(Event{At: l.now, Kind: ReleaseStarted})
}

// recall gives every node the spans that it must have had since the release began.
func (w *Watch) recall(done []*track, now time.Time) {
	for _, t := range w.order {
		waited := Span{Phase: Waiting, From: w.started, Inferred: true}
		if slices.Contains(done, t) {
			at := t.launchedBy(now)
			t.cycle = cycle{before: -1, lowest: -1, partial: true, filled: true, restarted: at, finished: at, byLaunch: true, byReattach: true}
			t.cur, t.done = waited, true
			t.step(Done, at, true)
			continue
		}
		phase, since := t.cur.Phase, t.cur.From
		t.cur = waited
		if phase != Waiting {
			t.step(phase, since, false)
		}
	}
}

// launchedBy is when its process was launched, now at the latest and when it is not known.
func (t *track) launchedBy(now time.Time) time.Time {
	if t.node.Launched.IsZero() || t.node.Launched.After(now) {
		return now
	}
	return t.node.Launched
}

// launchedInTurn finds the nodes that look as if they had been restarted one after the
// other, the newest first. Nodes that were launched together were not.
func launchedInTurn(nodes []*track, now time.Time) []*track {
	sorted := slices.DeleteFunc(slices.Clone(nodes), func(t *track) bool { return t.node.Launched.IsZero() })
	slices.SortStableFunc(sorted, func(a, b *track) int { return b.node.Launched.Compare(a.node.Launched) })
	for i, t := range sorted {
		if i > 0 && sorted[i-1].node.Launched.Sub(t.node.Launched) > launchTurn {
			return sorted[:i]
		}
		if i+1 < len(sorted) && t.node.Launched.Sub(sorted[i+1].node.Launched) < launchApart {
			return sorted[:i]
		}
	}
	return sorted
}

// newestBuild is that of the node which was launched last; "" when no launch is known.
func newestBuild(nodes []*track) string {
	var newest *track
	for _, t := range nodes {
		known := !t.gone && t.node.Build != "" && !t.node.Launched.IsZero()
		if known && (newest == nil || t.node.Launched.After(newest.node.Launched)) {
			newest = t
		}
	}
	if newest == nil {
		return ""
	}
	return newest.node.Build
}
