package release

import (
	"slices"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// Watch takes the observations of one cluster in order and keeps the Release. Equal
// observations make an equal Release; those that are the Same as the one before add
// nothing but the time that has passed, if one is kept every KeepEvery. It is not safe
// for use by several goroutines.
type Watch struct {
	limits Settings

	cur     Observation // the newest
	seen    bool        // there is one
	now     time.Time   // of the newest, or the latest if a clock was set back
	looked  time.Time   // when the list of nodes was last read well
	resumed time.Time   // when somebody looked again after a silence
	listed  bool        // a node list was seen

	tracks map[client.NodeID]*track
	order  []*track // by id

	started, ended time.Time
	joined         bool
	joinedAt       time.Time // of the first list; zero = what was done before it is recognised
	settledSince   time.Time // every node is at rest; zero = not every one
	target         string
	mixedSince     time.Time // the nodes are on different builds; zero = they are not
	lastDone       time.Time // when the last node was done, else when the release began
	took           []time.Duration

	severalSince time.Time // more than one node is out; zero = not
	calls        callCounts
	calmSince    time.Time // no node is being drained; zero = one is

	around around
	conds  conds
	found  []finding // of the newest search

	log    []Event // of this release
	events []Event // of this observation

	due time.Time // when the mere passing of time may tell something; zero = never
}

// NewWatch has seen nothing yet.
func NewWatch(s Settings) *Watch {
	return &Watch{limits: s.orDefaults(), tracks: map[client.NodeID]*track{}}
}

func (w *Watch) live() bool { return !w.started.IsZero() && w.ended.IsZero() }

// See takes an observation in and returns what it changed, in the order in which it
// was concluded. An observation that is older than the last counts as made with it.
func (w *Watch) See(o Observation) []Event {
	w.events = nil
	now := later(w.now, o.At)
	silent := !w.seen || now.Sub(w.now) > silence
	if silent {
		w.resumed = now
	} else {
		w.pass(now)
	}
	switch same := w.seen && o.Same(w.cur); {
	case !same:
		w.take(o, now)
	case silent:
		w.now = now
		w.conclude()
	}
	w.now = now
	if o.Error == "" && !o.Stale {
		w.looked = now
	}
	return w.events
}

// pass lets the time go by in which what was seen last held.
func (w *Watch) pass(now time.Time) {
	for !w.due.IsZero() && !w.due.After(now) {
		w.now = w.due
		w.conclude()
	}
}

// take takes in an observation that shows something new.
func (w *Watch) take(o Observation, now time.Time) {
	if w.cur.Stale && !o.Stale {
		w.resumed = now
	}
	w.around.see(o, !w.seen, now)
	w.cur, w.seen, w.now = o, true, now
	l := look{last: w.looked, now: now, counted: o.Calls != nil}
	switch {
	case o.Stale && len(o.Nodes) == 0: // none was ever read
	case w.listed:
		w.apply(o, l)
	default:
		w.listed, w.looked = true, now
		w.join(o, l)
	}
	w.conclude()
}

// tell puts events into the log.
func (w *Watch) tell(events ...Event) {
	w.events = append(w.events, events...)
	w.log = append(w.log, events...)
	if extra := len(w.log) - maxLog; extra > 0 {
		w.log = w.log[extra:]
	}
}

// apply takes a list of nodes in that follows another one.
func (w *Watch) apply(o Observation, l look) {
	l.calm = !w.calmSince.IsZero() && l.now.Sub(w.calmSince) >= gaugeLate
	w.begin(o, l)
	order := make([]*track, 0, len(o.Nodes))
	for _, n := range o.Nodes {
		t, ok := w.tracks[n.ID]
		if !ok {
			t = w.appear(n, l.now)
			w.tell(Event{At: l.now, Kind: NodeAppeared, Node: n.ID})
		} else {
			if t.gone {
				t.gone = false
				w.tell(Event{At: l.now, Kind: NodeAppeared, Node: n.ID})
			}
			if relaunched(t.node, n) && t.node.Build != "" && n.Build != "" && t.node.Build != n.Build {
				w.target = n.Build
			}
			phase, missed := t.see(n, l)
			w.move(t, phase, missed, false, l.last)
		}
		order = append(order, t)
	}
	for _, t := range w.order {
		if _, listed := slices.BinarySearchFunc(o.Nodes, t.node.ID, byID); listed {
			continue
		}
		order = append(order, t)
		if !t.gone {
			t.gone = true
			w.tell(Event{At: l.now, Kind: NodeVanished, Node: t.node.ID})
		}
	}
	slices.SortFunc(order, func(a, b *track) int { return byID(a.node, b.node.ID) })
	w.order = order
	w.calls.see(o, w.order, l)
	w.survey(l.now)
}

func byID(n NodeObservation, id client.NodeID) int {
	switch {
	case n.ID < id:
		return -1
	case n.ID > id:
		return 1
	}
	return 0
}

// appear is a node that was not in the list before.
func (w *Watch) appear(n NodeObservation, now time.Time) *track {
	t := &track{node: n, policyOld: true, policySince: now, availabilitySince: now, attachedSince: now, cycle: idle()}
	if p := n.Policy; p == client.PolicyDraining || p == client.PolicyPauseForRestart || p == client.PolicyFilling {
		t.begin(n, now)
		t.partial = true
	}
	switch {
	case n.Policy == client.PolicyPauseForRestart:
		t.drained, t.before, t.lowest = true, -1, -1
		t.wentMute = n.Silent && !n.Launched.IsZero()
	case n.Policy == client.PolicyFilling, n.Availability == client.AvailabilityWarmingUp:
		t.restarted, t.byLaunch, t.byReattach, t.partial = now, true, true, true
	}
	t.cur = Span{Phase: t.phase(now), From: now}
	w.tracks[n.ID] = t
	return t
}

// move brings a node into a phase, through those that were missed since last.
func (w *Watch) move(t *track, to Phase, missed []Phase, inferred bool, last time.Time) {
	if to == t.cur.Phase && len(missed) == 0 {
		return
	}
	for i, at := range shares(t.cur, last, w.now, len(missed)) {
		w.tell(t.step(missed[i], at, true))
	}
	if to != t.cur.Phase {
		w.tell(t.step(to, w.now, inferred))
	}
	w.moved(t)
}

// shares spreads the begins of n phases evenly over the time from last to now. A step
// that was first seen at last gets a share too.
func shares(cur Span, last, now time.Time, n int) []time.Time {
	parts, first := n, 0
	if cur.Phase != Waiting && !last.After(cur.From) {
		parts, first = n+1, 1
	}
	var begins []time.Time
	for i := range n {
		begins = append(begins, last.Add(time.Duration(i+first)*now.Sub(last)/time.Duration(parts)))
	}
	return begins
}

// moved takes note of a node that has come into another phase.
func (w *Watch) moved(t *track) {
	if !t.exempt() && !w.settledSince.IsZero() {
		w.settledSince = w.now
	}
	if t.cur.Phase == Back && t.back.IsZero() {
		t.back = t.cur.From
	}
	if t.cur.Phase != Done || !t.finished.IsZero() {
		return
	}
	t.finished, t.done, t.inDrain = t.cur.From, true, time.Time{}
	if !t.partial && !t.restarted.IsZero() {
		from := t.begun
		if len(w.took) > 0 {
			from = w.lastDone
		}
		w.took = append(w.took, max(0, t.finished.Sub(from)))
	}
	w.lastDone = later(w.lastDone, t.finished)
}

// survey looks at all nodes together.
func (w *Watch) survey(now time.Time) {
	settled, draining, out := true, false, 0
	build, mixed := "", false
	for _, t := range w.order {
		draining = draining || !t.gone && t.node.Policy == client.PolicyDraining
		if !t.gone && t.node.out() {
			out++
		}
		if t.exempt() {
			continue
		}
		settled = settled && t.settled()
		if b := t.node.Build; b != "" {
			mixed = mixed || build != "" && b != build
			build = b
		}
	}
	since(&w.settledSince, settled, now)
	since(&w.calmSince, !draining, now)
	since(&w.mixedSince, mixed, now)
	since(&w.severalSince, out > 1, now)
	if !draining {
		return
	}
	for _, t := range w.order { // the release goes on without the fill of these
		if t.unfilled() && t.skipped.IsZero() {
			t.skipped = now
		}
	}
}

// conclude draws what follows from what is known at w.now, and when to look again.
func (w *Watch) conclude() {
	if !w.cur.Stale {
		w.recognise()
		w.wait()
	}
	w.end()
	w.conds.judge(w, w.find(), w.searched)
	w.schedule()
}

// wait has every node draw what the passing of time tells.
func (w *Watch) wait() {
	for _, t := range w.order {
		if t.gone {
			continue
		}
		t.waited(w.calmSince, w.now)
		to := t.phase(w.now)
		w.move(t, to, nil, to != Anomalous, w.now)
	}
	for {
		t, from, to := w.calls.unseenFill(w.order, w.now)
		if t == nil {
			return
		}
		t.filled = true
		w.tell(t.step(Filling, from, true), t.step(Done, to, true))
		w.moved(t)
	}
}

// schedule finds the next moment at which the passing of time may tell something.
func (w *Watch) schedule() {
	w.due = time.Time{}
	at := func(due time.Time) {
		if due.After(w.now) {
			w.due = earliest(w.due, due)
		}
	}
	if !w.cur.Stale {
		for _, t := range w.order {
			if !t.gone {
				at(t.due(w.calmSince))
			}
		}
		at(w.calls.due())
		if !w.joinedAt.IsZero() {
			at(w.joinedAt.Add(processesLate))
		}
	}
	w.conds.dues(w.limits, at)
	w.around.dues(w.limits, at)
	at(w.endDue())
}
