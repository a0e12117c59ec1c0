package rollout

import (
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// operation is what a drain and a fill have in common: how the answer to the call
// that starts one is read, how it is found out whether one runs, and what its
// beginning means. What they mean for the node, the states say.
type operation struct {
	kind      client.OperationKind
	policy    client.NodePolicy // while it runs
	unclear   string            // row of an answer that is missing
	reobserve nodeState         // where it is found out whether it runs
	began     func(*Machine)
	refused   func(*Machine, error)
	orphanRow func(*Machine) string
}

func drainOperation() operation {
	return operation{
		kind: client.OperationDrain, policy: client.PolicyDraining, unclear: "D1", reobserve: drainReobserve,
		began: (*Machine).drainBegan, refused: (*Machine).drainRefused, orphanRow: (*Machine).orphanRow,
	}
}

func fillOperation() operation {
	return operation{
		kind: client.OperationFill, policy: client.PolicyFilling, unclear: "L3", reobserve: fillReobserve,
		began: (*Machine).fillBegan, refused: (*Machine).fillRefused,
		orphanRow: func(*Machine) string { return "L6" },
	}
}

// answered reads the answer to the call that starts the operation. One that is not
// clear leads back to the cluster, never to another call (D1, L3).
func (m *Machine) answered(o operation, err error) {
	s := m.step()
	switch client.KindOf(err) {
	case 0:
		if err == nil {
			o.began(m)
			return
		}
		m.blockAt(AskRefused, "", err.Error())
	case client.Ambiguous:
		s.ours, s.touched = o.kind, true
		m.note(NoteInfo, o.unclear, "no clear answer to the "+string(o.kind)+"; the node is read again: "+err.Error())
		m.enter(o.reobserve)
	case client.Unreachable:
		m.note(NoteInfo, "D9", "the "+string(o.kind)+" was not taken: "+err.Error())
		if !m.again() {
			m.blockAt(AskRefused, "D12", err.Error())
			return
		}
		m.enter(o.reobserve)
	case client.Unauthorized:
		m.blockAt(AskUnauthorized, "D11", err.Error())
	default:
		o.refused(m, err)
	}
}

// isAlive asks what holds the slot, by a probe that changes nothing: ours, nobody,
// so that the policy is an orphan's, or somebody else.
func (m *Machine) isAlive(o operation) {
	s := m.step()
	p := m.slot(s.since)
	switch {
	case p == nil:
	case p.Err != nil:
		m.lackAdmin(p.Err)
		if !m.noAdmin {
			m.blockAt(AskRefused, "", p.Err.Error())
		}
	case p.Op == nil:
		s.ours = ""
		m.blockAt(AskOrphan, o.orphanRow(m), "policy "+string(o.policy)+", and the operation slot is free")
	case *p.Op == client.Operation{Kind: o.kind, Node: s.Plan.Node}:
		m.keepEpoch()
		m.note(NoteInfo, o.unclear, "the "+string(o.kind)+" runs: "+p.Op.String()+" holds the slot")
		o.began(m)
	default:
		s.ours = ""
		m.blockBusy(AskBusy, "D3", "policy "+string(o.policy)+" is an orphan while somebody else runs "+p.Op.String(), p.Op)
	}
}

// runs takes in that the operation is ours and has begun, and watches the shards that
// it moves.
func (m *Machine) runs(kind client.OperationKind, state nodeState, phase Phase, limit time.Duration) {
	s := m.step()
	s.ours, s.touched = kind, true
	s.waiting, s.approved, s.lingers = false, false, false
	s.lastLeft, s.samples = -1, nil
	m.enter(state)
	m.beginPhase(phase, limit)
	if !m.noAdmin {
		m.emit(WatchShards{Node: s.Plan.Node, On: true})
	}
}
