package release

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
)

// around is what a Watch remembers of the cluster beside its nodes: since when what is
// so is so. Zero = it is not.
type around struct {
	errorSince time.Time // the node list cannot be read
	leader     string    // the newest that was known
	newLeader  time.Time
	leaderFrom string

	config     time.Time // the newest foreign config write
	configText string

	databaseErrors int64 // as last counted; -1 = not
	refused        time.Time
	refusedCount   int64

	stuckSince time.Time
	pending    int64 // reconciles, as last seen
	growth     growth

	computes map[string]computeState
}

// growth is how pending reconciles got more without ever getting less.
type growth struct {
	since, last time.Time // the first rise and the newest; zero = they did not rise
	from        int64
	rises       int
}

func (g *growth) see(was, is int64, now time.Time) {
	switch {
	case is < was:
		*g = growth{}
	case is > was && g.rises == 0:
		*g = growth{since: now, last: now, from: max(0, was), rises: 1}
	case is > was:
		g.last = now
		g.rises++
	}
}

// goes on: more than a drain that fills the queue once, and not at rest since.
func (g *growth) on(pending int64, now time.Time) bool {
	return g.rises >= 3 && now.Before(g.last.Add(restAfter)) && pending >= pendingMany && pending >= 2*g.from
}

type computeState struct{ failed, silent time.Time }

// since keeps the moment at which something began to hold.
func since(at *time.Time, holds bool, now time.Time) {
	switch {
	case !holds:
		*at = time.Time{}
	case at.IsZero():
		*at = now
	}
}

func (a *around) see(o Observation, first bool, now time.Time) {
	since(&a.errorSince, o.Error != "" || o.Stale, now)
	a.seeLeader(o.Leader, now)
	if f := o.Foreign; strings.Contains(f.Text, "config") && f.At.After(a.config) {
		a.config, a.configText = f.At, f.Text
	}
	r := o.Reconciles
	if !first && a.databaseErrors >= 0 && r.DatabaseErrors > a.databaseErrors {
		a.refused, a.refusedCount = now, r.DatabaseErrors-a.databaseErrors
	}
	a.databaseErrors = r.DatabaseErrors
	since(&a.stuckSince, r.Stuck > 0 || r.Long > 0, now)
	if !first {
		a.growth.see(a.pending, r.Pending, now)
	}
	a.pending = r.Pending
	computes := make(map[string]computeState, len(o.Computes))
	for _, c := range o.Computes {
		state := a.computes[c.Name]
		since(&state.failed, c.Status == compute.StateFailed, now)
		since(&state.silent, c.Silent != "", now)
		computes[c.Name] = state
	}
	a.computes = computes
}

// seeLeader compares only what was read in the same way: with an address, or without.
func (a *around) seeLeader(leader string, now time.Time) {
	if leader == "" {
		return
	}
	if a.leader != "" && leader != a.leader && strings.Contains(leader, "@") == strings.Contains(a.leader, "@") {
		a.newLeader, a.leaderFrom = now, a.leader
	}
	a.leader = leader
}

// dues are the moments at which what is found ends by the mere passing of time.
func (a *around) dues(limits Settings, at func(time.Time)) {
	for _, moment := range []time.Time{a.newLeader, a.config, a.refused} {
		at(moment.Add(limits.Moment))
	}
	at(a.growth.last.Add(restAfter))
}

// find lists what is wrong, or will be if it lasts.
func (w *Watch) find() []finding {
	w.found = w.found[:0]
	w.findAround()
	w.findComputes()
	if w.cur.Stale || !w.listed {
		return w.found
	}
	w.findTogether()
	for _, t := range w.order {
		if !t.gone {
			w.findNode(t)
		}
	}
	return w.found
}

// searched reports the kinds that find looks for: a list that is too old tells nothing
// of nodes.
func (w *Watch) searched(k Kind) bool {
	switch k {
	case ControllerUnreachable, ControllerRestarted, ForeignConfigWrite, DatabaseErrors,
		ReconcilesStuck, ReconcilesGrowing, ComputeFailed, ComputeUnreachable:
		return true
	}
	return !w.cur.Stale && w.listed
}

// add adds a finding, unless it never began.
func (w *Watch) add(kind Kind, node client.NodeID, since time.Time, hold time.Duration, text func() string) {
	if !since.IsZero() {
		w.found = append(w.found, finding{condKey: condKey{kind: kind, node: node}, since: since, hold: hold, text: text})
	}
}

// moment adds what happened in no time, for as long as it is shown.
func (w *Watch) moment(kind Kind, at time.Time, text func() string) {
	if w.now.Before(at.Add(w.limits.Moment)) {
		w.add(kind, 0, at, 0, text)
	}
}

func (w *Watch) findAround() {
	a, r := &w.around, w.cur.Reconciles
	w.add(ControllerUnreachable, 0, a.errorSince, w.limits.Unreachable, func() string {
		return strings.TrimSuffix("the list of nodes cannot be read: "+w.cur.Error, ": ")
	})
	w.moment(ControllerRestarted, a.newLeader, func() string {
		return fmt.Sprintf("it was %s and is %s", a.leaderFrom, a.leader)
	})
	w.moment(ForeignConfigWrite, a.config, func() string { return "calls of somebody else: " + a.configText })
	w.moment(DatabaseErrors, a.refused, func() string {
		return fmt.Sprintf("the controller's database refused %s", count(a.refusedCount, "query", "queries"))
	})
	w.add(ReconcilesStuck, 0, a.stuckSince, scrapedTwice, func() string {
		return fmt.Sprintf("%d stuck, %d running for over 120 s", max(0, r.Stuck), max(0, r.Long))
	})
	if a.growth.on(r.Pending, w.now) {
		w.add(ReconcilesGrowing, 0, a.growth.since, w.limits.Growing, func() string {
			return fmt.Sprintf("%d are pending, %d were, and they only get more", r.Pending, a.growth.from)
		})
	}
}

func (w *Watch) findComputes() {
	for _, c := range w.cur.Computes {
		state := w.around.computes[c.Name]
		w.addCompute(ComputeFailed, c.Name, state.failed, w.limits.Confirm, c.Error)
		w.addCompute(ComputeUnreachable, c.Name, state.silent, w.limits.Unreachable, c.Silent)
	}
}

func (w *Watch) addCompute(kind Kind, name string, since time.Time, hold time.Duration, why string) {
	if since.IsZero() {
		return
	}
	w.found = append(w.found, finding{
		condKey: condKey{kind: kind, compute: name}, since: since, hold: hold,
		text: func() string { return strings.TrimSuffix("compute "+name+": "+why, ": ") },
	})
}

// findTogether looks at what no node shows alone.
func (w *Watch) findTogether() {
	w.add(SeveralOut, 0, w.severalSince, w.limits.Confirm, func() string {
		var out []string
		for _, t := range w.order {
			if !t.gone && t.node.out() {
				out = append(out, fmt.Sprintf("%s (%s, %s)", t.node.ID, t.node.Availability, t.node.Policy))
			}
		}
		return "nodes " + strings.Join(out, ", ")
	})
	w.add(MixedBuilds, 0, w.mixedSince, w.limits.MixedBuilds, func() string {
		builds := map[string]int{}
		var names []string
		for _, t := range w.order {
			if b := t.node.Build; b != "" && !t.exempt() {
				if builds[b]++; builds[b] == 1 {
					names = append(names, b)
				}
			}
		}
		slices.Sort(names)
		for i, b := range names {
			names[i] = fmt.Sprintf("%s on %s", count(int64(builds[b]), "node", "nodes"), b)
		}
		return strings.Join(names, ", ")
	})
}

func (w *Watch) findNode(t *track) {
	n, id := &t.node, t.node.ID
	if n.Availability != client.AvailabilityActive && n.Availability != client.AvailabilityWarmingUp {
		w.add(OfflineLong, id, t.availabilitySince, w.limits.Offline, func() string {
			return fmt.Sprintf("node %s is %s", id, n.Availability)
		})
	}
	if !t.cancelled.IsZero() {
		w.add(DrainCancelled, id, t.cancelled, w.cancelledHold(t), func() string { return w.cancelText(t) })
	}
	if !t.inDrain.IsZero() {
		w.add(RestartedDraining, id, t.inDrain, 0, func() string {
			return fmt.Sprintf("node %s was restarted while its drain ran%s", id, left(n.Attached))
		})
	}
	if t.pausedAfterReattach(w.now) {
		w.add(PausedAfterReattach, id, later(t.policySince, t.restarted), w.limits.Confirm, func() string {
			return fmt.Sprintf("node %s is %s, %s, though it was restarted", id, n.Availability, n.Policy)
		})
	}
	if w.live() && t.unfilled() {
		w.add(FillNeverAsked, id, t.back, w.limits.FillAsked, func() string {
			return fmt.Sprintf("node %s is back and nobody has asked for its fill", id)
		})
		if !t.hasItsShards() {
			w.add(FillSkipped, id, t.skipped, callsLate, func() string { return t.skippedText() })
		}
	}
	w.findLeftOver(t)
}

// findLeftOver looks for labels that have outlived what they stand for.
func (w *Watch) findLeftOver(t *track) {
	n, id := &t.node, t.node.ID
	moved := later(t.policySince, t.attachedSince)
	orphaned := false
	switch n.Policy {
	case client.PolicyDraining, client.PolicyFilling:
		// A controller that ends in good order gives its operation up.
		if w.around.newLeader.After(t.policySince.Add(leaderLate)) {
			orphaned = true
			w.add(OrphanedOperation, id, w.around.newLeader, reattachLate, func() string {
				return fmt.Sprintf("the controller began anew while node %s was %s", id, n.Policy)
			})
		} else if n.Attached >= 0 {
			w.add(OrphanedOperation, id, moved, w.limits.Stalled, func() string {
				return fmt.Sprintf("node %s is %s and its %s have not moved for %s", id, n.Policy, count(n.Attached, "shard", "shards"), w.limits.Stalled)
			})
		}
	case client.PolicyPause, client.PolicyPauseForRestart:
	default:
		return
	}
	if orphaned || w.conds.stands(OrphanedOperation, id) || t.pausedAfterReattach(w.now) {
		return // it has a better name
	}
	hold, from := w.limits.LeftOver, t.policySince
	switch {
	case n.Policy == client.PolicyPause && t.policyOld:
		hold = w.limits.Confirm // it was there before anybody looked
	case n.Policy != client.PolicyPause && n.Policy != client.PolicyPauseForRestart:
		from = moved
	}
	w.add(LeftOver, id, from, hold, func() string {
		return fmt.Sprintf("node %s is %s and nothing happens%s", id, n.Policy, left(n.Attached))
	})
}

// cancelledHold: where launch times are known, a restart that was not seen may still
// explain why the drain ended; a counted cancel needs no other explanation.
func (w *Watch) cancelledHold(t *track) time.Duration {
	counted := w.calls.cancelled.Add(launchLate)
	if t.node.Launched.IsZero() || t.cancelled.Before(counted) || t.drained {
		return w.limits.Confirm
	}
	return launchLate
}

func (w *Watch) cancelText(t *track) string {
	id := t.node.ID
	switch at := w.around.newLeader; {
	case t.drained:
		return fmt.Sprintf("node %s was drained and set Active again without a restart", id)
	case !at.IsZero() && at.Sub(t.cancelled).Abs() < launchLate:
		return fmt.Sprintf("the controller began anew and gave the drain of node %s up%s", id, left(t.node.Attached))
	}
	return fmt.Sprintf("the drain of node %s ended without PauseForRestart%s", id, left(t.node.Attached))
}

// skippedText has the least time that the optimiser needs.
func (t *track) skippedText() string {
	if t.before < 0 || t.node.Attached < 0 {
		return fmt.Sprintf("node %s gets no fill", t.node.ID)
	}
	missing := max(0, t.before-t.node.Attached)
	minutes := (missing + optimisedAMinute - 1) / optimisedAMinute
	return fmt.Sprintf("node %s gets no fill: %s are missing, which the optimiser brings back in %s at best",
		t.node.ID, count(missing, "shard", "shards"), count(minutes, "minute", "minutes"))
}

// left says how many shards are still attached, where that is known.
func left(attached int64) string {
	if attached < 0 {
		return ""
	}
	return fmt.Sprintf("; %s attached", count(attached, "shard", "shards"))
}

func count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
