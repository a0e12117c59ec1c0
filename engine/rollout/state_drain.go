package rollout

import (
	"fmt"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/gate"
)

// beforeDrain is everything that must hold before a drain, and the question.
func (m *Machine) beforeDrain() {
	s := m.step()
	if !m.fresh() || !m.listBefore() {
		return
	}
	if s.waiting && !m.slotLooksFree() {
		return
	}
	switch s.seen.policy {
	case client.PolicyActive:
	case client.PolicyPauseForRestart:
		m.blockAt(AskDrainedEarlier, "D6", "policy PauseForRestart before this run drained it")
		return
	case client.PolicyPause, client.PolicyDeleting:
		m.note(NoteAnomaly, "X5", "policy "+string(s.seen.policy)+" since the plan was made")
		m.endStep(StepSkipped, "its policy is "+string(s.seen.policy)+", set by somebody")
		return
	case client.PolicyDraining, client.PolicyFilling:
		m.whoseLabel()
		return
	default:
		m.blockAt(AskRefused, "E24", fmt.Sprintf("policy %q is not known to this program", s.seen.policy))
		return
	}
	if !m.nodeUp() {
		return
	}
	results := m.gates(gate.BeforeDrain)
	if m.gatesHold(results) {
		return
	}
	m.keepEpoch()
	m.keepLaunch()
	if s.approved {
		m.enterCall(drainReq)
		return
	}
	m.askDrain(results)
}

// askDrain is the question. A node on which much is being split or imported is a person's
// to decide: what is moved in the middle of that is moved twice (X12).
func (m *Machine) askDrain(results []gate.Result) {
	q := question{ask: AskDrain, literal: m.literal(CallDrain), gates: results}
	drain, skip := yes(m.literal(CallDrain)), m.skipChoice()
	if n := m.step().Plan.Changing; n >= m.set.ManyChanging {
		q.row, q.cause = "X12", plural(int64(n), "shard")+" of this node were being split or imported when the plan was made"
		q.choices = m.always(skip, drain)
	} else {
		q.choices = m.always(append([]Choice{drain, skip}, m.standingChoices()...)...)
	}
	m.put(q)
}

// listBefore reads once what is attached before anything is touched, where the
// token allows it.
func (m *Machine) listBefore() bool {
	s := m.step()
	if s.beforeKnown || m.noAdmin {
		m.gaugeBefore()
		return true
	}
	l := m.shards(s.began)
	if l == nil {
		return false
	}
	if l.Err != nil {
		m.lackAdmin(l.Err)
		m.gaugeBefore()
		return true
	}
	s.before, s.beforeKnown = attached(l.Shards), true
	s.AttachedBefore = int64(len(s.before))
	m.recordBefore()
	return true
}

func (m *Machine) gaugeBefore() {
	s := m.step()
	if n, ok := m.node(); ok && s.AttachedBefore < 0 {
		s.AttachedBefore = n.Attached
	}
}

// lackAdmin remembers that the token does not reach scope admin.
func (m *Machine) lackAdmin(err error) {
	if client.KindOf(err) == client.Unauthorized && !m.noAdmin {
		m.noAdmin = true
		m.note(NoteInfo, "D15", "the shard list is not readable with this token: "+err.Error())
		m.turns = true
	}
}

func attached(list []client.ShardLocation) []client.TenantShardID {
	var out []client.TenantShardID
	for _, l := range list {
		if l.ObservedAttached() {
			out = append(out, l.ID)
		}
	}
	return out
}

// nodeUp waits for a node that warms up and asks about one that is down (D8).
func (m *Machine) nodeUp() bool {
	s := m.step()
	switch s.seen.avail {
	case client.AvailabilityActive:
		return true
	case client.AvailabilityWarmingUp:
		m.detail(PhaseDrain, "waiting for the node: WarmingUp")
		if m.due(s.until) {
			m.blockAt(AskNodeDown, "D8", "WarmingUp for longer than "+m.set.Reattach.String())
		}
	default:
		m.blockAt(AskNodeDown, "D8", "availability "+string(s.seen.avail))
	}
	return false
}

// whoseLabel finds out whether the operation that the policy tells of runs.
func (m *Machine) whoseLabel() {
	s := m.step()
	policy := string(s.seen.policy)
	if m.noAdmin {
		m.blockAt(AskBusy, "D4", "policy "+policy+"; whether it runs cannot be asked with this token")
		return
	}
	p := m.slot(s.since)
	switch {
	case p == nil:
	case p.Err != nil:
		m.lackAdmin(p.Err)
	case p.Op == nil:
		m.blockAt(AskOrphan, "D7", "policy "+policy+", and the operation slot is free")
	case p.Op.Node == s.Plan.Node:
		m.blockBusy(AskBusy, "D4", "somebody else runs "+p.Op.String(), p.Op)
	default:
		m.blockBusy(AskBusy, "D3", "somebody else runs "+p.Op.String()+"; policy "+policy+" here is an orphan", p.Op)
	}
}

// slotLooksFree reports that no node shows an operation any more, twice over,
// and not too soon after the last refusal.
func (m *Machine) slotLooksFree() bool {
	s := m.step()
	if !s.notTill.IsZero() && !m.due(s.notTill) {
		return false
	}
	if op := m.snap.Operation(m.at); len(op.Seen) > 0 {
		s.reads = 0
		m.detail(s.phaseOf(s.fsm), "waiting for "+op.Seen[0].String()+", not ours")
		return false
	}
	if s.reads < 2 {
		m.another()
		return false
	}
	return true
}

// drainReq sends the drain and reads its answer.
func (m *Machine) drainReq() {
	if r := m.takeResult(); r != nil {
		if r.Held != "" && r.Err == nil {
			m.heldBack(r.Held, beforeDrain)
			return
		}
		m.answered(drainOperation(), r.Err)
		return
	}
	if !m.maySend() || m.call.busy() {
		return
	}
	if s := m.step(); s.seen.policy != client.PolicyActive || m.gateHeldSince(gate.BeforeDrain) {
		s.approved = false
		m.enter(beforeDrain)
		return
	}
	m.send(CallDrain)
}

// drainRefused reads the server's words.
func (m *Machine) drainRefused(err error) {
	s := m.step()
	if op, ok := client.RunningOperation(err); ok {
		m.drainMeetsOperation(op, err)
		return
	}
	s.ours = ""
	if policy, ok := client.PolicyRefusal(err); ok {
		m.refusedByPolicy(policy, err)
		return
	}
	if client.OrphanConflict(err) {
		m.blockAt(AskOrphan, "D7", err.Error())
		return
	}
	switch {
	case client.NoSchedulableNodes(err):
		m.halt("D5", err.Error())
	case client.NodeUnavailable(err):
		m.note(NoteInfo, "D8", err.Error())
		m.enter(beforeDrain)
	case client.NodeUnknown(err):
		m.blockAt(AskGone, "D10", err.Error())
	default:
		m.blockAt(AskRefused, "", err.Error())
	}
}

// refusedByPolicy: the policy is another one than the drain was asked for.
func (m *Machine) refusedByPolicy(policy client.NodePolicy, err error) {
	switch policy {
	case client.PolicyPauseForRestart:
		m.blockAt(AskDrainedEarlier, "D6", err.Error())
	case client.PolicyPause, client.PolicyDeleting:
		m.endStep(StepSkipped, "its policy is "+string(policy)+", set by somebody")
	default:
		m.blockAt(AskRefused, "D6", err.Error())
	}
}

// drainMeetsOperation: the slot is taken, by ours or by somebody else's.
func (m *Machine) drainMeetsOperation(op client.Operation, err error) {
	s := m.step()
	mine := op == client.Operation{Kind: client.OperationDrain, Node: s.Plan.Node}
	s.lingers = op.Node == s.Plan.Node
	switch {
	case mine && s.ours != "":
		m.note(NoteInfo, "D1", "the drain runs: an earlier attempt was taken")
		m.drainBegan()
		s.lingers = true // until the policy says so too: it may be one that outlived a re-attach (C8)
	case s.waiting:
		s.ours = ""
		s.notTill, s.approved = m.at.Add(m.set.BusyInterval), true
		m.enter(beforeDrain)
	case mine:
		m.blockBusy(AskBusy, "D4", err.Error(), &op)
	default:
		s.ours = ""
		m.blockBusy(AskBusy, "D3", err.Error(), &op)
	}
}

// drainBegan: the server took it, or shows that it did.
func (m *Machine) drainBegan() {
	s := m.step()
	s.accepted = true
	m.runs(client.OperationDrain, draining, PhaseDrain, total(m.set.DrainTotal, s.Plan.Drain))
}
