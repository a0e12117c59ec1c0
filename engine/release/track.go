package release

import (
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// track is what a Watch remembers of one node.
type track struct {
	node NodeObservation // as last seen
	gone bool
	done bool // it was Done before in this release

	// When the present value was first seen.
	policySince, availabilitySince, attachedSince time.Time

	policyOld bool // the present policy was there when the node was first seen

	closed []Span // earlier phases; appended to, never written to
	cur    Span   // the present one

	cycle
}

// cycle is what is known of a node's present way through the phases.
type cycle struct {
	begun    time.Time // its first step that was seen
	partial  bool      // there were earlier ones
	finished time.Time // Done since
	before   int64     // attached at the first step; -1 = unknown
	lowest   int64     // the least since then
	drained  bool      // its drain came to an end

	// The newest restart: when its first sign was seen, and which signs were.
	restarted            time.Time
	byLaunch, byReattach bool

	back time.Time // when it was first Active/Active after the restart

	filled       bool // it was filled, or needs no fill
	inferredFill bool // it is being filled, as the gauge says and the policy does not
	rises        int  // times that the gauge rose without a fill

	cancelled time.Time // its drain ended without a restart
	unproven  time.Time // it left PauseForRestart without a sign of a restart
	// Its launch time was known before that, so that another one would be a sign.
	comparable bool
	inDrain    time.Time // it was restarted while its drain ran
	skipped    time.Time // it gets its shards back without a fill
	wentMute   bool      // its process stopped answering after the drain
}

// idle is a cycle in which nothing happened.
func idle() cycle { return cycle{before: -1, lowest: -1} }

func (t *track) settled() bool {
	return t.node.Policy == client.PolicyActive && t.node.Availability == client.AvailabilityActive
}

// exempt nodes are not part of a release: somebody has taken them out of scheduling,
// they are no longer there, or they have been down since before it began.
func (t *track) exempt() bool {
	down := t.cur.Phase == Anomalous && t.begun.IsZero() && len(t.closed) == 0
	return t.gone || down || t.node.Policy == client.PolicyPause || t.node.Policy == client.PolicyDeleting
}

// out is a node that serves nothing, or is about to.
func (n NodeObservation) out() bool {
	return n.Availability != client.AvailabilityActive ||
		n.Policy == client.PolicyDraining || n.Policy == client.PolicyPauseForRestart
}

// unfilled is a node that was drained and restarted and waits for its fill.
func (t *track) unfilled() bool { return t.cur.Phase == Back && t.drained && !t.filled }

// relaunched reports a process that is another one than before.
func relaunched(was, is NodeObservation) bool {
	return was.Address == is.Address && !was.Launched.IsZero() && !is.Launched.IsZero() && !was.Launched.Equal(is.Launched)
}

// look is one look at the cluster, as far as it concerns each node alike.
type look struct {
	last, now time.Time
	counted   bool // the controller's counters are known, and tell of fills
	calm      bool // no drain sends shards to other nodes, nor did one lately
}

// see takes in what was seen of the node, and returns the phase that it is in, beside
// those that it must have gone through since the last look. The spans are not touched.
func (t *track) see(n NodeObservation, l look) (Phase, []Phase) {
	was := t.node
	t.node = n
	if was.Policy != n.Policy {
		t.policySince, t.policyOld = l.now, false
	}
	if was.Availability != n.Availability {
		t.availabilitySince = l.now
	}
	restart := t.restart(was, n, l.now)
	t.seePolicy(was, n, restart, l)
	t.seeAttached(was, n, l)
	switch {
	case n.Policy != client.PolicyPauseForRestart || !n.Silent:
		t.wentMute = false
	case !was.Silent && was.Policy == client.PolicyPauseForRestart:
		t.wentMute = true
	}
	phase := t.phase(l.now)
	if restart && phase == t.cur.Phase && phase.order() >= Back.order() { // away and back between two looks
		return phase, []Phase{Restarting, WarmingUp}
	}
	drained, restarted := t.drained, !t.restarted.IsZero() || !t.unproven.IsZero()
	if t.cur.Phase.order() >= Back.order() { // what belongs to the way before was seen then
		drained, restarted = drained && t.begun.Equal(l.now), restart
	}
	return phase, missedBetween(t.cur.Phase, phase, drained, restarted)
}

// restart reports the first sign of a new restart. The launch time and the re-attach
// of one restart are seen at different moments.
func (t *track) restart(was, n NodeObservation, now time.Time) bool {
	launch := relaunched(was, n)
	reattach := was.Availability != client.AvailabilityWarmingUp && n.Availability == client.AvailabilityWarmingUp
	switch {
	case !launch && !reattach:
		return false
	case !t.unproven.IsZero(): // here is the proof
		t.restarted, t.unproven = t.unproven, time.Time{}
		t.byLaunch, t.byReattach = launch, reattach
		return false
	case t.sameRestart(launch, reattach, n, now):
		t.byLaunch, t.byReattach = t.byLaunch || launch, t.byReattach || reattach
		return false
	case t.begun.IsZero() || !t.finished.IsZero(): // a way begins without a drain
		t.begin(was, now)
	}
	if !t.cancelled.IsZero() && now.Sub(t.cancelled) < sameRestart {
		if !t.drained {
			t.inDrain = now // that is how its drain ended
		}
		t.cancelled = time.Time{}
	}
	t.restarted, t.byLaunch, t.byReattach = now, launch, reattach
	t.back, t.filled, t.inferredFill, t.rises, t.skipped = time.Time{}, false, false, 0, time.Time{}
	return true
}

// sameRestart reports signs that add to those of the restart that is known.
func (t *track) sameRestart(launch, reattach bool, n NodeObservation, now time.Time) bool {
	if t.restarted.IsZero() {
		return false
	}
	sameLaunch := !t.byLaunch && n.Launched.Before(t.restarted.Add(sameRestart))
	sameReattach := !t.byReattach && now.Sub(t.restarted) < sameRestart
	return (!launch || sameLaunch) && (!reattach || sameReattach)
}

// begin starts a new way through the phases.
func (t *track) begin(n NodeObservation, now time.Time) {
	t.cycle = cycle{begun: now, before: n.Attached, lowest: n.Attached}
}

// seePolicy draws what a change of policy tells.
func (t *track) seePolicy(was, n NodeObservation, restart bool, l look) {
	switch {
	case was.Policy != n.Policy:
		t.leaves(was, n, restart, l)
		t.enters(was, n, l.now)
	case restart && n.Policy == client.PolicyDraining:
		t.inDrain = l.now
	}
}

// leaves draws what the end of a policy tells.
func (t *track) leaves(was, n NodeObservation, restart bool, l look) {
	serves := (n.Policy == client.PolicyActive || n.Policy == client.PolicyFilling) && n.Availability == client.AvailabilityActive
	switch was.Policy {
	case client.PolicyDraining:
		t.leavesDrain(was, n, serves, restart, l)
	case client.PolicyPauseForRestart:
		if serves && t.restarted.IsZero() {
			t.unproven, t.comparable = l.now, !was.Launched.IsZero()
		}
	case client.PolicyFilling:
		t.filled = true
	}
}

// leavesDrain tells the end of a drain from a drain that was cut short. Between two
// looks that are far apart, a drain may end and a restart follow it.
func (t *track) leavesDrain(was, n NodeObservation, serves, restart bool, l look) {
	watched := l.now.Sub(l.last) <= unseen
	switch {
	case n.Policy == client.PolicyPauseForRestart && !restart:
		t.drained = true
	case restart && (watched || n.Policy == client.PolicyPauseForRestart):
		t.inDrain = l.now
	case restart:
		t.drained = true
	case serves && !watched:
		t.drained, t.unproven, t.comparable = true, l.now, !was.Launched.IsZero()
	case serves && n.Policy == client.PolicyActive:
		t.cancelled = l.now
	}
}

// enters draws what the begin of a policy tells.
func (t *track) enters(was, n NodeObservation, now time.Time) {
	switch n.Policy {
	case client.PolicyDraining:
		t.begin(n, now)
	case client.PolicyPauseForRestart:
		if was.Policy != client.PolicyDraining && t.inDrain.IsZero() { // its drain was too short to be seen
			t.begin(was, now)
			t.drained = true
		}
	case client.PolicyFilling:
		if t.begun.IsZero() && t.restarted.IsZero() {
			t.begin(n, now)
		}
		t.filled, t.inferredFill = false, false
	}
}

// seeAttached follows the gauge. Without a fill it rises by what the optimiser moves.
func (t *track) seeAttached(was, n NodeObservation, l look) {
	if was.Attached == n.Attached {
		return
	}
	t.attachedSince = l.now
	if n.Attached < 0 || t.begun.IsZero() {
		return
	}
	if t.lowest < 0 || n.Attached < t.lowest {
		t.lowest = n.Attached
	}
	if !l.calm || !t.unfilled() || !t.settled() || was.Attached < 0 || n.Attached < was.Attached {
		return
	}
	if n.Attached-was.Attached > maxOptimised && !l.counted {
		t.inferredFill = true
		return
	}
	t.rises++
	if t.rises >= 2 && t.skipped.IsZero() {
		t.skipped = l.now
	}
}

// phase is where the node is, by what was seen last.
func (t *track) phase(now time.Time) Phase {
	n := &t.node
	up := n.Availability == client.AvailabilityActive
	switch n.Policy {
	case client.PolicyDraining:
		return Draining
	case client.PolicyFilling:
		return Filling
	case client.PolicyPauseForRestart:
		switch {
		case t.pausedAfterReattach(now):
			return Anomalous
		case !t.restarted.IsZero() || !up || t.wentMute:
			return Restarting
		}
		return Drained
	case client.PolicyActive:
		switch {
		case n.Availability == client.AvailabilityWarmingUp:
			return WarmingUp
		case up:
			return t.activePhase()
		case t.cur.Phase == Drained || t.cur.Phase == Restarting || t.cur.Phase == WarmingUp:
			return Restarting
		}
	}
	return Anomalous
}

// pausedAfterReattach: a drain that outlives a restart may still set PauseForRestart. A
// launch time alone may be ahead of the node list.
func (t *track) pausedAfterReattach(now time.Time) bool {
	return t.node.Policy == client.PolicyPauseForRestart && !t.restarted.IsZero() &&
		(t.byReattach || !t.inDrain.IsZero() || now.Sub(t.restarted) >= reattachLate)
}

// activePhase is the phase of a node that is Active/Active.
func (t *track) activePhase() Phase {
	switch {
	case t.restarted.IsZero() && t.unproven.IsZero():
		if t.done {
			return Done
		}
		return Waiting
	case t.filled:
		return Done
	case t.inferredFill:
		return Filling
	}
	return Back
}

// missedBetween lists the phases that a node must have gone through unseen.
func missedBetween(from, to Phase, drained, restarted bool) []Phase {
	low, high := from.order(), to.order()
	if from == to || from == Anomalous || high == 0 {
		return nil
	}
	if low >= Back.order() {
		if high >= low {
			return nil
		}
		low = 0 // another way begins
	}
	var missed []Phase
	for _, p := range []Phase{Draining, Drained, Restarting, WarmingUp} {
		switch {
		case p.order() <= low || p.order() >= high:
		case p.order() < Restarting.order() && !drained:
		case p.order() >= Restarting.order() && !restarted:
		default:
			missed = append(missed, p)
		}
	}
	return missed
}

// step ends the present span at a moment, but not before its begin, and begins another.
func (t *track) step(to Phase, at time.Time, inferred bool) Event {
	at = later(t.cur.From, at)
	e := Event{At: at, Kind: PhaseChanged, Node: t.node.ID, From: t.cur.Phase, To: to, Inferred: inferred}
	next := Span{Phase: to, From: at, Inferred: inferred}
	if at.After(t.cur.From) {
		t.cur.To = at
		t.closed = append(t.closed, t.cur)
		if len(t.closed) > maxSpans {
			t.closed = t.closed[1:]
		}
	} else if last := len(t.closed) - 1; last >= 0 && t.closed[last].Phase == to { // what took no time was not
		next = t.closed[last]
		next.To = time.Time{}
		t.closed = t.closed[:last]
	}
	t.cur = next
	return e
}

// spans are all of them, the present one last.
func (t *track) spans() []Span {
	return append(t.closed[:len(t.closed):len(t.closed)], t.cur)
}
