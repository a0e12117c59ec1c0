package rollout

import (
	"fmt"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/gate"
)

// beforeFill is everything that must hold before a fill, and the question.
func (m *Machine) beforeFill() {
	s := m.step()
	if !m.fresh() || s.waiting && !m.slotLooksFree() {
		return
	}
	m.gaugeBefore()
	switch {
	case m.settled():
	case s.seen.policy == client.PolicyFilling || s.seen.policy == client.PolicyDraining:
		if m.policyAgreed(2) {
			m.whoseLabel()
		}
		return
	case m.setAside():
		if m.policyAgreed(2) {
			m.blockAt(AskRefused, "X5", "somebody set the policy to "+string(s.seen.policy)+": a fill would be refused")
		}
		return
	case m.plan.Goal == GoalFill:
		m.fillNotReady()
		return
	default:
		m.enter(awaitReady)
		return
	}
	results := m.gates(gate.BeforeFill)
	if m.gatesHold(results) {
		return
	}
	m.keepEpoch()
	m.keepLaunch()
	if s.approved {
		m.enterCall(fillReq)
		return
	}
	m.askFill(results)
}

// askFill is the question, as trouble where the disk is empty.
func (m *Machine) askFill(results []gate.Result) {
	if h := m.step().hooked; h != nil && h.Result.Empty {
		m.askEmptyDisk(results)
		return
	}
	choices := []Choice{yes(m.literal(CallFill))}
	if m.plan.Goal == GoalRestart {
		choices = append(choices, m.skipFillChoice())
	}
	m.put(question{
		ask: AskFill, literal: m.literal(CallFill), gates: results,
		choices: m.always(append(choices, m.standingChoices()...)...),
	})
}

// askEmptyDisk: shards that come home to an empty disk are served from cold, so
// that a person decides, and leaving them where they are comes first (R10).
func (m *Machine) askEmptyDisk(results []gate.Result) {
	m.put(question{
		ask: AskFill, row: "R10", literal: m.literal(CallFill), gates: results,
		cause:   "the restart command says that the node's local disk is empty: what comes home is served from cold until it is downloaded",
		choices: m.always(m.skipFillChoice(), yes(m.literal(CallFill))),
	})
}

// fillNotReady: a lone fill needs the node Active/Active.
func (m *Machine) fillNotReady() {
	s := m.step()
	m.detail(PhaseFill, "waiting for the node: "+string(s.seen.avail)+", policy "+string(s.seen.policy))
	if s.seen.policy == client.PolicyPauseForRestart && m.policyAgreed(2) {
		m.blockAt(AskPausedAfter, "L1", "the policy is PauseForRestart: a fill would be refused")
		return
	}
	if s.seen.avail == client.AvailabilityOffline && m.agreed(2) || m.due(s.until) {
		m.blockAt(AskNotBack, "L2", fmt.Sprintf("availability %s, policy %s", s.seen.avail, s.seen.policy))
	}
}

func (m *Machine) skipFillChoice() Choice {
	does := "no fill: the controller's optimiser moves shards home slowly"
	if n := m.step().AttachedBefore; n > 0 {
		does += fmt.Sprintf(", for %.0f min at least", float64(n)/48)
	}
	return Choice{Word: WordSkip, Does: does}
}

// skipFill goes on without a fill (L5).
func (m *Machine) skipFill() {
	m.step().issue("the fill was skipped")
	m.endPhase(PhaseFill, PhaseSkipped, "skipped")
	m.step().ours = ""
	m.enter(verifying)
}

// fillReq sends the fill and reads its answer.
func (m *Machine) fillReq() {
	if r := m.takeResult(); r != nil {
		if r.Held != "" && r.Err == nil {
			m.heldBack(r.Held, beforeFill)
			return
		}
		m.answered(fillOperation(), r.Err)
		return
	}
	if !m.maySend() {
		return
	}
	if m.step().seen.policy != client.PolicyActive || m.gateHeldSince(gate.BeforeFill) {
		m.step().approved = false
		m.enter(beforeFill)
		return
	}
	m.send(CallFill)
}

// fillRefused reads the server's words. Too early is no error (L1, L2): the yes
// stands until the node is ready.
func (m *Machine) fillRefused(err error) {
	s := m.step()
	if op, ok := client.RunningOperation(err); ok {
		m.fillMeetsOperation(op, err)
		return
	}
	s.ours = ""
	if policy, ok := client.PolicyRefusal(err); ok {
		if policy == client.PolicyPauseForRestart {
			m.fillTooEarly("L1", err)
			return
		}
		m.blockAt(AskRefused, "X5", err.Error())
		return
	}
	if client.OrphanConflict(err) {
		m.blockAt(AskOrphan, "L6", err.Error())
		return
	}
	switch {
	case client.NodeUnavailable(err):
		m.fillTooEarly("L2", err)
	case client.NoSchedulableNodes(err):
		m.note(NoteInfo, "L10", err.Error())
		m.skipFill()
	case client.NodeUnknown(err):
		m.blockAt(AskGone, "D10", err.Error())
	default:
		m.blockAt(AskRefused, "", err.Error())
	}
}

// fillTooEarly waits for the node, and asks for the fill again once it is ready
// or the server's next word differs.
func (m *Machine) fillTooEarly(row string, err error) {
	s := m.step()
	m.note(NoteInfo, row, err.Error())
	if s.attempt > m.set.Retries && m.at.After(s.phase(PhaseFill).Started.Add(m.set.Reattach)) {
		m.blockAt(AskNotBack, row, err.Error())
		return
	}
	s.notTill = m.at.Add(m.set.RetryMin)
	s.approved = true
	m.enter(awaitFillable)
}

// awaitFillable waits after a fill that came too early.
func (m *Machine) awaitFillable() {
	s := m.step()
	m.detail(PhaseFill, "waiting for the first heartbeat: "+string(s.seen.avail)+", policy "+string(s.seen.policy))
	if m.settled() && m.agreed(2) {
		if m.due(s.notTill) {
			m.enter(beforeFill)
		}
		return
	}
	if m.due(s.until) {
		s.approved = false
		m.blockAt(AskNotBack, "L2", fmt.Sprintf("availability %s, policy %s", s.seen.avail, s.seen.policy))
	}
}

func (m *Machine) fillMeetsOperation(op client.Operation, err error) {
	s := m.step()
	s.lingers = op.Node == s.Plan.Node
	switch {
	case op == client.Operation{Kind: client.OperationFill, Node: s.Plan.Node} && s.ours != "":
		m.note(NoteInfo, "L3", "the fill runs: an earlier attempt was taken")
		m.fillBegan()
	case s.waiting || op == client.Operation{Kind: client.OperationDrain, Node: s.Plan.Node}:
		// A drain of this node that outlived its restart ends by itself (N1).
		s.ours = ""
		m.note(NoteInfo, "N1", err.Error())
		if m.at.After(s.phase(PhaseFill).Started.Add(m.set.Reattach)) {
			m.blockBusy(AskBusy, "N1", err.Error(), &op)
			return
		}
		s.waiting, s.approved, s.notTill = true, true, m.at.Add(m.set.BusyInterval)
		m.enter(beforeFill)
	default:
		s.ours = ""
		m.blockBusy(AskBusy, "D3", err.Error(), &op)
	}
}

func (m *Machine) fillBegan() {
	m.runs(client.OperationFill, filling, PhaseFill, total(m.set.FillTotal, m.step().Plan.Fill))
}

// fillReobserve: whether a fill of ours runs, ran or never began is not known.
func (m *Machine) fillReobserve() {
	s := m.step()
	if m.call.busy() || !m.policyAgreed(2) {
		return
	}
	switch s.seen.policy {
	case client.PolicyFilling:
		m.isFillAlive()
	case client.PolicyActive:
		// A fill may be over in a millisecond (C11). Asking again is harmless:
		// one that has nothing to do moves nothing.
		m.note(NoteInfo, "L3", "policy Active: the fill is asked for again")
		if !m.again() {
			m.blockAt(AskRefused, "L3", "the fill was not answered clearly after "+fmt.Sprint(s.attempt)+" attempts")
			return
		}
		m.enter(fillReq)
	default:
		m.enter(beforeFill)
	}
}

func (m *Machine) isFillAlive() {
	if m.noAdmin {
		m.fillBegan() // its end or its limit will tell
		return
	}
	m.isAlive(fillOperation())
}

// filling watches a fill that runs on the controller.
func (m *Machine) filling() {
	s := m.step()
	if m.stale() {
		m.detail(PhaseFill, "the controller does not answer")
		return
	}
	if m.launchChanged() || s.seen.avail == client.AvailabilityOffline && m.agreed(2) {
		s.lingers, s.ours = true, ""
		m.halt("L8", "the freshly restarted node went away during its fill")
		return
	}
	if m.epochChanged() {
		m.note(NoteAnomaly, "L6", "another controller process leads since the fill began; everything is read again")
		m.keepEpoch()
		m.enter(fillReobserve)
		return
	}
	switch s.seen.policy {
	case client.PolicyFilling:
		m.detail(PhaseFill, "")
		m.limits(s.phase(PhaseFill), "L4", "L4")
	case client.PolicyActive:
		if m.policyAgreed(2) {
			m.fillEnded()
		}
	default:
		if m.policyAgreed(2) {
			s.ours, s.touched = "", false
			m.blockAt(AskRefused, "X5", "somebody set the policy to "+string(s.seen.policy)+" during the fill")
		}
	}
}

func (m *Machine) fillEnded() {
	s := m.step()
	s.ours, s.touched = "", false
	m.emit(WatchShards{Node: s.Plan.Node, On: false})
	m.endPhase(PhaseFill, PhaseDone, "")
	m.enter(verifying)
	m.beginPhase(PhaseVerify, 0)
}
