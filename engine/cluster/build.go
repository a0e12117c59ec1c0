package cluster

import (
	"maps"
	"slices"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/pageserver"
)

// builder makes a Snapshot out of the one before and something that was read.
// It has no clock and does no I/O. It never writes to what it has published:
// what differs is copied, the rest is shared.
type builder struct {
	cur *Snapshot

	flips     map[client.NodeID][]time.Time           // recent changes of availability
	processes map[client.NodeID]Part[pageserver.Info] // newer than cur in their At alone
	failures  int                                     // of the node list, in a row
	lost      bool                                    // ControllerLost was said
	foreign   foreignWatch

	processOff string // why no pageserver is asked; "" = they are
}

func newBuilder(id Identity, computes []ComputeSource, now time.Time) *builder {
	first := &Snapshot{Seq: 1, At: now, Identity: id}
	first.setComputes(computes)
	return &builder{
		cur:       first,
		flips:     map[client.NodeID][]time.Time{},
		processes: map[client.NodeID]Part[pageserver.Info]{},
	}
}

// publish makes next the current snapshot.
func (b *builder) publish(next Snapshot, now time.Time, changed bool, changes ...Change) bool {
	next.At = now
	if len(changes) > 0 {
		changed = true
		slices.Reverse(changes) // newest first
		next.Events = append(changes, b.cur.Events...)
		if len(next.Events) > EventRing {
			next.Events = next.Events[:EventRing:EventRing]
		}
	}
	if changed {
		next.Seq++
	}
	b.cur = &next
	return changed
}

// nodes takes a good node list in.
func (b *builder) nodes(list []client.Node, now time.Time) bool {
	list, err := sortedNodes(list)
	if err != nil {
		return b.nodesFailed(err, now)
	}
	next, changes := *b.cur, []Change(nil)
	if b.lost {
		changes = append(changes, Change{At: now, What: ControllerBack, Down: now.Sub(b.cur.Nodes.Since), Attached: -1})
	}
	b.failures, b.lost = 0, false
	value, nodeChanges := b.join(list, now)
	changed := b.cur.Nodes.Err != nil || !b.cur.Nodes.Known() || !slices.EqualFunc(value, b.cur.Nodes.Value, sameNode)
	next.Nodes = next.Nodes.read(value, now)
	return b.publish(next, now, changed, append(changes, nodeChanges...)...)
}

// join makes the nodes of a snapshot out of a list in id order, beside the
// changes since the list before. The first list changes nothing: what it
// shows was there before the console looked.
func (b *builder) join(list []client.Node, now time.Time) ([]Node, []Change) {
	first := !b.cur.Nodes.Known()
	value := make([]Node, 0, len(list))
	var changes []Change
	was := b.cur.Nodes.Value
	for _, wire := range list {
		for len(was) > 0 && was[0].ID < wire.ID {
			changes = append(changes, b.vanished(was[0], now))
			was = was[1:]
		}
		var n Node
		if len(was) > 0 && was[0].ID == wire.ID {
			n = b.next(was[0], wire, now)
			changes = append(changes, changesOf(was[0], n, now)...)
			was = was[1:]
		} else {
			n = b.fresh(wire, first, now)
			if !first {
				changes = append(changes, Change{At: now, Node: wire.ID, What: NodeAppeared, To: n.Address(), Attached: -1})
			}
		}
		value = append(value, n)
	}
	for _, n := range was {
		changes = append(changes, b.vanished(n, now))
	}
	return value, changes
}

// next is a node that was in the list before.
func (b *builder) next(was Node, wire client.Node, now time.Time) Node {
	n := was
	n.Node = wire
	if was.Availability != wire.Availability {
		n.AvailabilitySince = now
		b.flips[wire.ID] = append(b.flips[wire.ID], now)
	}
	if was.Scheduling != wire.Scheduling {
		n.PolicySince = now
		if wire.Scheduling == client.PolicyDraining {
			n.RestartedDraining = time.Time{} // another drain
		}
	}
	if !sameAddress(was.Node, wire) { // perhaps another machine: its launch time compares to nothing
		delete(b.processes, wire.ID)
		n.Process = Part[pageserver.Info]{Off: b.processOff}
	}
	if process, ok := b.processes[wire.ID]; ok {
		n.Process = process
	}
	n.Flaps = b.recentFlips(wire.ID, now)
	return n
}

// fresh is a node that was not in the list before.
func (b *builder) fresh(wire client.Node, first bool, now time.Time) Node {
	n := Node{Node: wire}
	n.Process.Off = b.processOff
	if !first {
		n.AvailabilitySince, n.PolicySince = now, now
	}
	return n.withFigures(b.cur.Metrics)
}

func (b *builder) vanished(n Node, now time.Time) Change {
	delete(b.flips, n.ID)
	delete(b.processes, n.ID)
	return Change{At: now, Node: n.ID, What: NodeVanished, From: n.Address(), Attached: n.Attached}
}

func (b *builder) recentFlips(id client.NodeID, now time.Time) int {
	flips := slices.DeleteFunc(b.flips[id], func(at time.Time) bool { return now.Sub(at) > flapWindow })
	if len(flips) == 0 {
		delete(b.flips, id)
		return 0
	}
	b.flips[id] = flips
	return len(flips)
}

// nodesFailed takes a failed read of the node list in. The loss of the
// controller is an event from the second failure on: one alone is noise.
func (b *builder) nodesFailed(err error, now time.Time) bool {
	next, changed := *b.cur, false
	b.failures++
	next.Nodes, changed = next.Nodes.failed(err, now)
	if b.failures < 2 || b.lost {
		return b.publish(next, now, changed)
	}
	b.lost = true
	return b.publish(next, now, changed, Change{At: now, What: ControllerLost, To: err.Error(), Attached: -1})
}

// metrics takes a good scrape in.
func (b *builder) metrics(m client.Metrics, ours map[string]sentCalls, now time.Time) bool {
	next, changes := *b.cur, []Change(nil)
	changed := b.cur.Metrics.Err != nil || !b.cur.Metrics.Known() || !sameFigures(m, b.cur.Metrics.Value)
	next.Metrics = next.Metrics.read(m, now)
	if next.Nodes.Known() {
		value := make([]Node, len(next.Nodes.Value))
		for i, n := range next.Nodes.Value {
			value[i] = n.withFigures(next.Metrics)
		}
		if !slices.EqualFunc(value, next.Nodes.Value, sameNode) {
			next.Nodes.Value, changed = value, true
		}
	}
	if next.Leader.Off != "" {
		epochChanged, epochChanges := next.setEpoch(Epoch{StartedAt: m.ProcessStart}, now)
		changed = changed || epochChanged
		changes = append(changes, epochChanges...)
	}
	was := b.cur.Metrics
	sameProcess := was.Known() && was.Value.ProcessStart.Equal(m.ProcessStart)
	if refused := m.DatabaseErrors - was.Value.DatabaseErrors; sameProcess && refused > 0 {
		next.DatabaseErrors, next.DatabaseErrorsAt, changed = refused, now, true
	}
	if called := b.foreign.scrape(m, ours); called != "" {
		changes = append(changes, Change{At: now, What: ForeignCalls, To: called, Attached: -1})
	}
	return b.publish(next, now, changed, changes...)
}

func (b *builder) metricsFailed(err error, now time.Time) bool {
	next, changed := *b.cur, false
	next.Metrics, changed = next.Metrics.failed(err, now)
	return b.publish(next, now, changed)
}

// sameFigures compares what a person may look at. The request counters move
// with our own polls and are left out.
func sameFigures(a, b client.Metrics) bool {
	return a.TenantShards == b.TenantShards && a.PendingReconciles == b.PendingReconciles &&
		a.StuckReconciles == b.StuckReconciles && a.AZViolations == b.AZViolations &&
		a.Optimizations == b.Optimizations && a.ReconcilesSpawned == b.ReconcilesSpawned &&
		a.Leadership == b.Leadership && a.Build == b.Build && a.ProcessStart.Equal(b.ProcessStart) &&
		maps.Equal(a.ReconcilesCompleted, b.ReconcilesCompleted) &&
		maps.Equal(a.Nodes, b.Nodes) && slices.Equal(a.LongRunning, b.LongRunning)
}

// setEpoch takes an epoch in, from whichever source it was read. A start that is
// not known (zero) says nothing.
func (s *Snapshot) setEpoch(e Epoch, now time.Time) (changed bool, changes []Change) {
	if e.StartedAt.IsZero() {
		return false, nil
	}
	was := s.Leader
	e.Since = now
	if was.Known() && was.Value.Same(e) {
		e.Since = was.Value.Since
	}
	s.Leader = Part[Epoch]{Value: e, At: now, Off: was.Off}
	sameSource := (was.Value.Address == "") == (e.Address == "")
	if was.Known() && sameSource && !was.Value.Same(e) {
		changes = append(changes, Change{
			At: now, What: LeaderChanged, From: was.Value.String(), To: e.String(), Attached: -1,
		})
	}
	return !was.Known() || was.Err != nil || !was.Value.Same(e), changes
}

// leader takes a leader row in; nil when the controller keeps none.
func (b *builder) leader(row *client.Leader, now time.Time) bool {
	if row == nil {
		return b.leaderOff(offNoLeaderRow, now)
	}
	next := *b.cur
	wasOff := next.Leader.Off != ""
	next.Leader.Off = ""
	changed, changes := next.setEpoch(Epoch{Address: row.Address, StartedAt: row.StartedAt}, now)
	return b.publish(next, now, changed || wasOff, changes...)
}

// leaderOff falls back to the start time of the process.
func (b *builder) leaderOff(why string, now time.Time) bool {
	next, changed := *b.cur, false
	next.Leader, changed = next.Leader.off(why)
	if changed {
		next.Leader.Value, next.Leader.At = Epoch{}, time.Time{}
		if b.cur.Metrics.Known() {
			next.setEpoch(Epoch{StartedAt: b.cur.Metrics.Value.ProcessStart}, b.cur.Metrics.At)
		}
	}
	return b.publish(next, now, changed)
}

func (b *builder) leaderFailed(err error, now time.Time) bool {
	if why, yes := lacksAdmin(err, "/control/v1/leader"); yes {
		return b.leaderOff(why, now)
	}
	next, changed := *b.cur, false
	next.Leader, changed = next.Leader.failed(err, now)
	return b.publish(next, now, changed)
}

func (b *builder) token(t TokenView, now time.Time) bool {
	next := *b.cur
	changed := next.Token != t
	next.Token = t
	return b.publish(next, now, changed)
}

func sameTime(a, b *time.Time) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Equal(*b)
}
