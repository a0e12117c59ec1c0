package rollout

import (
	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/gate"
)

// beforeCancel is the question of a lone cancel.
func (m *Machine) beforeCancel() {
	s := m.step()
	if !m.fresh() {
		return
	}
	if s.seen.policy != client.PolicyDraining && s.seen.policy != client.PolicyFilling {
		if m.policyAgreed(2) {
			m.endPhase(PhaseCancel, PhaseSkipped, "nothing runs")
			m.endStep(StepSkipped, "no drain or fill runs any more: policy "+string(s.seen.policy))
		}
		return
	}
	results := m.gates(gate.BeforeCleanup)
	if m.gatesHold(results) {
		return
	}
	m.keepEpoch()
	m.keepLaunch()
	call := m.literal(cancelOf(s.seen.policy))
	c := yes(call + "; a drain that ends in PauseForRestart all the same is then set Active")
	m.put(question{ask: AskCancel, literal: call, gates: results, choices: m.always(c)})
}

// beforeActivate is the question of a lone set Active. It overwrites somebody's
// word, so it needs the id typed unless it only ends a finished drain.
func (m *Machine) beforeActivate() {
	s := m.step()
	if !m.fresh() {
		return
	}
	if s.seen.policy == client.PolicyActive {
		if m.policyAgreed(2) {
			m.endPhase(PhaseActivate, PhaseSkipped, "it is Active")
			m.endStep(StepSkipped, "its policy is Active already")
		}
		return
	}
	results := m.gates(gate.BeforeCleanup)
	if m.gatesHold(results) {
		return
	}
	c := yes(m.literal(CallActivate))
	c.TypeID = s.seen.policy != client.PolicyPauseForRestart
	c.Off = m.activateOff()
	m.put(question{ask: AskActivate, literal: m.literal(CallActivate), gates: results, choices: m.always(c)})
}

// cancelThen begins to cancel what runs on the node.
func (m *Machine) cancelThen(then after) {
	s := m.step()
	s.then = then
	s.cancels = cancelOf(s.seen.policy)
	if s.ours == client.OperationFill {
		s.cancels = CallCancelFill
	}
	m.enterCall(cancelReq)
	m.beginPhase(PhaseCancel, m.set.CancelTotal)
}

// cancelReq sends the cancel and reads its answer.
func (m *Machine) cancelReq() {
	s := m.step()
	if r := m.takeResult(); r != nil {
		if r.Held != "" && r.Err == nil {
			m.note(NoteAnomaly, "E17", "not sent: "+r.Held)
			m.blockAt(AskCleanup, "E17", "the cancel was not sent: "+r.Held) // it may be theirs that runs now
			return
		}
		m.cancelAnswered(r.Err)
		return
	}
	if m.stale() || m.call.busy() || !s.notTill.IsZero() && !m.due(s.notTill) {
		return
	}
	if s.seen.policy != client.PolicyDraining && s.seen.policy != client.PolicyFilling && m.policyAgreed(2) {
		m.enter(cancelling) // it has ended meanwhile
		return
	}
	if s.seen.avail != client.AvailabilityActive {
		m.detail(PhaseCancel, "a cancel is refused while the node is "+string(s.seen.avail)) // A3
		if m.due(s.until) {
			m.blockAt(AskCleanup, "A3", "the node is "+string(s.seen.avail)+"; its operation cannot be cancelled")
		}
		return
	}
	if m.maySend() {
		m.send(s.cancels)
	}
}

func (m *Machine) cancelAnswered(err error) {
	s := m.step()
	if op, ok := client.RunningOperation(err); ok {
		m.blockBusy(AskBusy, "D3", err.Error(), &op)
		return
	}
	switch kind := client.KindOf(err); {
	case err == nil, kind == client.Ambiguous && s.attempt > m.set.Retries:
		m.enter(cancelling)
	case client.NothingInProgress(err):
		m.note(NoteInfo, "A2", err.Error())
		s.refusedCancel = true
		m.enter(cancelling)
	case kind == client.Ambiguous, kind == client.Unreachable, client.NodeUnavailable(err):
		// A cancel may be repeated: it only fires a signal.
		m.note(NoteInfo, "A3", err.Error())
		s.notTill = m.at.Add(max(m.set.RetryMin, m.backoff(s.attempt)))
	case kind == client.Unauthorized:
		m.blockAt(AskUnauthorized, "D11", err.Error())
	default:
		m.blockAt(AskRefused, "A2", err.Error())
	}
}

// cancelling waits for a terminal policy and then for the cluster to be at
// rest: "cancelled" alone leaves up to 64 moves on their way (A1, C26).
func (m *Machine) cancelling() {
	s := m.step()
	if m.stale() || !m.policyAgreed(2) {
		return
	}
	ph := s.phase(PhaseCancel)
	if s.seen.policy == client.PolicyDraining || s.seen.policy == client.PolicyFilling {
		m.detail(PhaseCancel, "cancelled; waiting for the operation to end")
		if s.refusedCancel || m.due(ph.Deadline) {
			m.cancelHangs()
		}
		return
	}
	// A re-attach sets Active too, and the operation may live on and pause the
	// node when it ends (C8).
	if m.process(s.seen.first) == nil {
		return
	}
	s.lingers = s.lingers || m.launchChanged() && s.ours != ""
	s.ours, s.refusedCancel = "", false
	if s.lingers && !m.slotDone() {
		return
	}
	if !m.atRest() {
		m.detail(PhaseCancel, "policy "+string(s.seen.policy)+"; waiting for the moves on their way")
		if !m.due(ph.Deadline) {
			return
		}
		s.issue("after the cancel the cluster did not come to rest in " + m.set.CancelTotal.String())
	}
	m.endPhase(PhaseCancel, PhaseDone, "")
	m.emit(WatchShards{Node: s.Plan.Node, On: false})
	m.cancelled()
}

// cancelHangs asks the controller whether the operation still runs.
func (m *Machine) cancelHangs() {
	s := m.step()
	if m.noAdmin {
		m.blockAt(AskDeadline, "A1", "the policy is still "+string(s.seen.policy))
		return
	}
	p := m.slot(s.since)
	switch {
	case p == nil:
	case p.Err != nil:
		m.lackAdmin(p.Err)
	case p.Op == nil && (s.then == toSkip || s.then == toAbort):
		m.note(NoteInfo, "D7", "policy "+string(s.seen.policy)+", and the operation slot is free: it is set Active")
		m.endPhase(PhaseCancel, PhaseDone, "nothing runs")
		m.activateThen(s.then)
	case p.Op == nil:
		s.ours = ""
		m.blockAt(AskOrphan, "D7", "policy "+string(s.seen.policy)+", and the operation slot is free")
	default:
		m.blockBusy(AskDeadline, "A1", p.Op.String()+" still runs after the cancel", p.Op)
	}
}

// atRest: what is observed on the node is what is intended.
func (m *Machine) atRest() bool {
	s := m.step()
	if m.noAdmin {
		return m.snap.Metrics.Known() && m.snap.Metrics.Value.PendingReconciles <= 0
	}
	if !s.watchingRest {
		s.watchingRest, s.restSince = true, m.at
		m.emit(WatchShards{Node: s.Plan.Node, On: true})
	}
	part, ok := m.snap.Shards[s.Plan.Node]
	if part.Off != "" {
		m.noAdmin = true
		return false
	}
	rest := ok && part.At.After(s.restSince) && part.Value.Moving == 0
	if rest {
		s.watchingRest = false
	}
	return rest
}

// cancelled goes on with what the cancel was for.
func (m *Machine) cancelled() {
	s := m.step()
	paused := s.seen.policy == client.PolicyPauseForRestart
	fill := s.cancels == CallCancelFill
	if paused {
		m.note(NoteInfo, "A4", "the cancel came too late: the drain ended in PauseForRestart")
	}
	switch {
	case fill && s.then == toMenu:
		s.issue("the fill was cancelled")
		m.endPhase(PhaseFill, PhaseFailed, "cancelled")
		m.enter(verifying)
	case paused && s.then == toMenu:
		s.phaseEnd = m.at
		m.keepEpoch()
		m.enter(drainVerify)
	case paused:
		m.activateThen(s.then)
	case s.then == toMenu:
		m.endPhase(PhaseDrain, PhaseFailed, "cancelled")
		m.blockAt(AskDrainEnded, "A1", "the drain was cancelled by this run")
	default:
		m.settledAfter(s.then)
	}
}

// activateThen begins to set the policy Active.
func (m *Machine) activateThen(then after) {
	m.step().then = then
	m.enterCall(activateReq)
	if m.plan.Goal == GoalActivate {
		m.beginPhase(PhaseActivate, 0)
	}
}

// activateReq sets the policy, compare and set: the Driver reads it right
// before and right after.
func (m *Machine) activateReq() {
	s := m.step()
	if r := m.takeResult(); r != nil {
		m.activateAnswered(*r)
		return
	}
	if m.stale() || m.call.busy() || !m.policyAgreed(1) {
		return
	}
	if s.seen.policy == client.PolicyActive {
		m.enter(activating)
		return
	}
	if m.maySend() {
		m.send(CallActivate)
	}
}

func (m *Machine) activateAnswered(r CallEnded) {
	s := m.step()
	if r.Seen != "" {
		m.note(NoteInfo, "", "not set: the policy became "+string(r.Seen))
		if r.Seen != client.PolicyActive {
			m.blockAt(AskRefused, "R11", "the policy changed to "+string(r.Seen)+" meanwhile")
			return
		}
	}
	err := r.Err
	if op, ok := client.RunningOperation(err); ok { // A5
		m.note(NoteInfo, "A5", err.Error())
		m.detail(s.phaseOf(s.fsm), "waiting for "+op.String()+" before the policy can be set")
		s.notTill = m.at.Add(m.set.BusyInterval)
		return
	}
	switch client.KindOf(err) {
	case 0:
		if err == nil {
			m.enter(activating)
			return
		}
		m.blockAt(AskRefused, "", err.Error())
	case client.Ambiguous, client.Unreachable:
		if !m.again() {
			m.cannotActivate("D12", err)
		}
	case client.Unauthorized:
		m.noAdmin = true
		m.cannotActivate("A6", err)
	default:
		m.cannotActivate("", err)
	}
}

// cannotActivate ends an abort with something left to do, and asks otherwise.
func (m *Machine) cannotActivate(row string, err error) {
	if m.step().then == toAbort {
		m.note(NoteError, row, err.Error())
		m.endAborted(false, err.Error())
		return
	}
	ask := AskRefused
	if client.KindOf(err) == client.Unauthorized {
		ask = AskUnauthorized
	}
	m.blockAt(ask, row, err.Error())
}

// activating sees the policy Active before anything else is done.
func (m *Machine) activating() {
	s := m.step()
	if !m.policyAgreed(2) {
		return
	}
	if s.seen.policy != client.PolicyActive {
		m.blockAt(AskRefused, "R11", "the policy was set Active and is "+string(s.seen.policy))
		return
	}
	s.ours = ""
	m.settledAfter(s.then)
}

// settledAfter goes on once the node is Active and nothing of ours runs on it.
func (m *Machine) settledAfter(then after) {
	s := m.step()
	s.touched, s.accepted, s.ours = false, false, ""
	switch then {
	case toRedo:
		m.enter(beforeDrain)
	case toReady:
		m.enter(awaitReady)
	case toFill:
		m.enter(beforeFill)
	case toEarly:
		m.enter(earlyRestart)
	case toSkip:
		m.endStep(StepSkipped, s.Why)
	case toAbort:
		m.endAborted(true, "")
	default:
		if m.plan.Goal == GoalActivate {
			m.endPhase(PhaseActivate, PhaseDone, "")
		}
		m.doneStep()
	}
}
