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

// join takes in the first list of nodes. A node that is in the middle of a step is a
// release that goes on.
func (w *Watch) join(o Observation, l look) {
	for _, n := range o.Nodes {
		w.order = append(w.order, w.appear(n, l.now))
	}
	w.survey(l.now)
	w.calls.see(o, w.order, l)
	w.joinedAt = l.now
	inStep := slices.ContainsFunc(w.order, func(t *track) bool {
		return t.cur.Phase != Waiting && t.cur.Phase != Anomalous
	})
	if inStep {
		w.goesOn(l.now)
	}
}

// goesOn begins a release that went on before anybody looked.
func (w *Watch) goesOn(since time.Time) {
	w.started, w.joined, w.lastDone = since, true, since
	w.tell(Event{At: w.now, Kind: ReleaseStarted})
}

// recognise finds out, once the processes have been asked, what was done before anybody
// looked: the nodes on the newest build if there is more than one, else those that look as if
// they had been restarted in turn. It waits for the last process, but not for ever.
func (w *Watch) recognise() {
	if w.joinedAt.IsZero() {
		return
	}
	unknown := slices.ContainsFunc(w.order, func(t *track) bool { return !t.gone && t.node.Launched.IsZero() })
	if unknown && w.now.Before(w.joinedAt.Add(processesLate)) {
		return
	}
	first := w.joinedAt
	w.joinedAt = time.Time{}
	done := launchedInTurn(w.order, w.now)
	if !w.mixedSince.IsZero() && w.target == "" {
		w.target = newestBuild(w.order)
	}
	if w.target != "" {
		done = slices.DeleteFunc(slices.Clone(w.order), func(t *track) bool { return t.gone || t.node.Build != w.target })
	}
	if !w.live() {
		recent := len(done) > 0 && len(done) < len(w.order) && w.now.Sub(done[0].node.Launched) < w.limits.Quiet
		if w.mixedSince.IsZero() && !recent {
			return
		}
		w.goesOn(first)
	}
	w.recall(done)
}

// recall gives every node the spans that it must have had since the release began.
func (w *Watch) recall(restarted []*track) {
	for _, t := range restarted {
		w.started = earliest(w.started, t.launchedBy(w.now))
	}
	w.joined = w.joined || len(restarted) > 0
	if w.target != "" {
		w.mixedSince = earliest(w.mixedSince, w.started)
	}
	for _, t := range w.order {
		t.recall(w.started, w.now, slices.Contains(restarted, t))
		if t.cur.Phase == Done {
			w.lastDone = later(w.lastDone, t.finished)
		}
	}
}

// recall makes the node's spans reach back to where the release began.
func (t *track) recall(started, now time.Time, restarted bool) {
	seen := t.spans()
	waited := Span{Phase: Waiting, From: started, Inferred: true}
	if restarted && t.restarted.IsZero() && (t.cur.Phase == Filling || t.filled) {
		// It is being filled, so that its restart came before.
		t.restarted, t.byLaunch, t.byReattach, t.partial = t.launchedBy(now), true, true, true
	}
	switch {
	case restarted && t.begun.IsZero() && t.cur.Phase == Waiting:
		at := t.launchedBy(now)
		t.cycle = cycle{before: -1, lowest: -1, partial: true, filled: true, restarted: at, finished: at, byLaunch: true, byReattach: true}
		t.closed, t.cur, t.done = nil, waited, true
		t.step(Done, at, true)
	case len(seen) == 1 && (t.cur.Phase == Waiting || t.cur.Phase == Anomalous):
		t.cur.From, t.cur.Inferred = started, true
	case seen[0].Phase == Waiting:
		waited.To = seen[0].To
		t.closed = append([]Span{waited}, t.closed[1:]...)
	case seen[0].From.After(started):
		waited.To = seen[0].From
		t.closed = append([]Span{waited}, t.closed...)
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
// other and until now, the newest first. Nodes that were launched together were not.
func launchedInTurn(nodes []*track, now time.Time) []*track {
	sorted := slices.DeleteFunc(slices.Clone(nodes), func(t *track) bool { return t.gone || t.node.Launched.IsZero() })
	slices.SortStableFunc(sorted, func(a, b *track) int { return b.node.Launched.Compare(a.node.Launched) })
	next := now
	for i, t := range sorted {
		if next.Sub(t.node.Launched) > launchTurn {
			return sorted[:i]
		}
		next = t.node.Launched
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
