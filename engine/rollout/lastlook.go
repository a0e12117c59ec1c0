package rollout

import (
	"context"
	"fmt"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
)

// lastLook reads the node list and the controller's counters right before a
// drain, a fill or a cancel is sent. The controller itself takes two starts that
// overlap, and its process ends over them (C24): what somebody else began since
// the call was decided upon keeps it from being sent. It cannot see what begins in
// the few milliseconds after it.
func (d *Driver) lastLook(ctx context.Context, e SendCall) (held string, err error) {
	snap, err := d.eng.cfg.Poller.Look(ctx)
	if err != nil {
		const cannot = "the node list cannot be read right before the call"
		return cannot, fmt.Errorf("not sent to node %s: %s: %w", e.Node, cannot, err)
	}
	return newcomer(e, snap), nil
}

// newcomer names what the newest picture shows of others that the one in which
// the call was decided upon did not; "" for nothing. Counters that cannot be
// read tell nothing, and hold nothing up.
func newcomer(e SendCall, now *cluster.Snapshot) string {
	for _, c := range now.Events { // newest first
		if !c.At.After(e.Saw.At) {
			break
		}
		switch c.What {
		case cluster.ForeignCalls:
			return "somebody else sent calls to this controller: " + c.To
		case cluster.LeaderChanged:
			return "another controller process leads: " + c.To
		}
	}
	for _, n := range now.Nodes.Value {
		was, known := e.Saw.Node(n.ID)
		if known && was.Scheduling == n.Scheduling {
			continue
		}
		switch n.Scheduling {
		case client.PolicyDraining, client.PolicyFilling, client.PolicyDeleting:
			return fmt.Sprintf("node %s has become %s", n.ID, n.Scheduling)
		}
		if n.ID == e.Node && e.Kind.starts() {
			return fmt.Sprintf("its policy has become %s", n.Scheduling)
		}
	}
	return ""
}

// heldBack goes back to what must hold before the call; it is asked about anew.
func (m *Machine) heldBack(why string, to nodeState) {
	m.step().approved = false
	m.note(NoteAnomaly, "E17", "not sent: "+why)
	m.enter(to)
}
