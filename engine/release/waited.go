package release

import (
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// waited draws what the mere passing of time tells: what was not seen until now
// was not there.
func (t *track) waited(calmSince, now time.Time) {
	if !t.unproven.IsZero() && now.Sub(t.unproven) >= launchLate {
		if !t.comparable || t.node.Launched.IsZero() { // there is no proof to be had
			t.restarted, t.byLaunch, t.byReattach = t.unproven, true, true
		} else { // the same process as before: the node was given back
			t.cancelled, t.filled, t.done = t.unproven, false, false
		}
		t.unproven = time.Time{}
	}
	if t.inferredFill && now.Sub(t.attachedSince) >= 2*gaugeLate {
		t.filled = true
	}
	if at := t.whole(calmSince); !at.IsZero() && !now.Before(at) {
		t.filled = true
	}
}

// whole is when a node that is back may be said to need no fill: it has about what
// it had, by a gauge that is newer than its return. Zero = it does need one.
func (t *track) whole(calmSince time.Time) time.Time {
	if t.cur.Phase != Back || t.filled || t.restarted.IsZero() {
		return time.Time{}
	}
	known := t.before >= 0 && t.node.Attached >= 0
	if known && !t.hasItsShards() || !known && t.drained {
		return time.Time{}
	}
	from := later(t.back, t.attachedSince)
	if t.drained {
		if calmSince.IsZero() {
			return time.Time{}
		}
		from = later(from, calmSince)
	}
	return from.Add(gaugeLate)
}

// hasItsShards: it has nine tenths of what it had, as far as is known.
func (t *track) hasItsShards() bool {
	return t.before >= 0 && t.node.Attached >= 0 && t.node.Attached*10 >= t.before*9
}

// due is when waited may tell something new; zero = never.
func (t *track) due(calmSince time.Time) time.Time {
	var due time.Time
	if !t.unproven.IsZero() {
		due = earliest(due, t.unproven.Add(launchLate))
	}
	if t.inferredFill && !t.filled {
		due = earliest(due, t.attachedSince.Add(2*gaugeLate))
	}
	if t.cur.Phase == Restarting && t.node.Policy == client.PolicyPauseForRestart && !t.restarted.IsZero() {
		due = earliest(due, t.restarted.Add(reattachLate))
	}
	return earliest(due, t.whole(calmSince))
}

// earliest ignores moments that are zero.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
