package rollout

import (
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/journal"
)

// place puts the current step where it is taken up.
func (m *Machine) place(at resumeAt, b NodeBelief) {
	s := m.step()
	s.State, s.began = StepRunning, m.at
	s.launch = b.launchBefore()
	s.until = m.at.Add(m.set.Reattach)
	m.emit(WatchProcess{Node: s.Plan.Node, On: true})
	switch at {
	case takeGone:
		m.enter(firstState(m.plan.Goal))
	case takeCleanup:
		m.placeCleanup(b)
	case takeAskDrain, takeDrainAnswered, takeDrainCheck, takeDrainCancelled, takeDrainVerify, takePolicyLost, takeRestartedEarly:
		m.placeDrain(at, b)
	case takeHookAlive, takeProve, takeReady:
		m.placeRestart(at, b)
	case takeFillAnswered, takeAskFill, takeFillCheck, takeVerify:
		m.placeFill(at, b)
	default:
		m.placeLone(at)
	}
	m.turns = true
}

// placeCleanup puts the node back before anything else.
func (m *Machine) placeCleanup(b NodeBelief) {
	s := m.step()
	s.then = toSkip
	if m.state == RunAborting {
		s.then = toAbort
	}
	switch s.seen.policy {
	case client.PolicyDraining:
		s.ours = client.OperationDrain
	case client.PolicyFilling:
		s.ours, s.touched = client.OperationFill, true
	}
	s.lingers = b.Drain.maybe() && !b.Drained && m.launchChanged()
	s.proven = b.Hook.Seq > 0 && m.sight().another(b.Hook.Pre.Launch)
	m.enter(cleaning)
}

func (m *Machine) placeDrain(at resumeAt, b NodeBelief) {
	s := m.step()
	if at == takeAskDrain || at == takeDrainAnswered {
		s.touched = false
		m.letStand(at == takeDrainAnswered, b)
		m.enter(beforeDrain)
		return
	}
	s.touched, s.accepted, s.attempt = true, b.Drain.taken(), b.Drain.Attempt
	m.keepEpoch()
	s.epochMoved = s.epoch.String() != b.Drain.Pre.Epoch
	m.beginPhase(PhaseDrain, 0)
	switch at {
	case takeDrainVerify:
		s.phaseEnd = m.at
		m.enter(drainVerify)
	case takePolicyLost:
		m.endPhase(PhaseDrain, PhaseDone, "")
		m.enter(beforeRestart)
	case takeRestartedEarly:
		if b.Drain.maybe() && !b.Drained {
			s.ours, s.lingers = client.OperationDrain, true
		}
		m.enter(earlyRestart)
		m.blockAt(AskRestartedEarly, "D17", "the node's process was launched anew while nobody drove the run")
	case takeDrainCancelled:
		m.enter(drainReobserve)
		m.endPhase(PhaseDrain, PhaseFailed, "cancelled")
		m.blockAt(AskDrainEnded, "A1", "the drain was cancelled by this run")
	default:
		s.ours = client.OperationDrain
		m.enter(drainReobserve)
	}
}

// letStand keeps a yes that nothing followed, for as long as it is valid.
func (m *Machine) letStand(answered bool, b NodeBelief) {
	if answered {
		m.step().approved, m.step().approvedTill = true, b.Answer.At.Add(m.set.Answer)
	}
}

// passed marks the phases that are behind.
func (s *step) passed(phases ...Phase) {
	for _, p := range phases {
		if ph := s.phase(p); ph.State == PhaseWaiting {
			ph.State = PhaseDone
		}
	}
}

func (m *Machine) placeRestart(at resumeAt, b NodeBelief) {
	s := m.step()
	s.passed(PhaseDrain)
	m.keepEpoch()
	m.beginPhase(PhaseRestart, 0)
	s.phase(PhaseRestart).Started = b.Hook.At
	switch at {
	case takeHookAlive:
		m.hook = inflight{eff: b.Hook.Eff}
		m.emit(WatchHook{
			Eff: b.Hook.Eff, Node: s.Plan.Node, Attempt: s.ordinal["restart"],
			Process: b.Hook.Process, Until: b.Hook.At.Add(m.set.Hook),
		})
		m.enter(hookRunning)
	case takeProve:
		m.placeProve(b)
	default:
		m.placeReady(b)
	}
}

// placeProve looks for proof. A command whose end nobody saw gets the same time
// as one that ended now: what it asked for may still be under way.
func (m *Machine) placeProve(b NodeBelief) {
	s := m.step()
	wait := m.set.Proof
	switch {
	case b.Hook.ended():
		s.hooked = &HookEnded{At: b.Hook.EndAt, Eff: b.Hook.Eff, Result: b.Hook.Result}
		s.HookTail = b.Hook.Result.Tail
	case s.Plan.Hook == "":
		wait += m.set.Hook
	default:
		lost := HookResult{Exit: -1, Lost: true, Word: "nobody saw the end"}
		m.recordHookEnd(b.Hook.Eff, lost)
		s.HookEnd, s.hooked = m.at, &HookEnded{At: m.at, Eff: b.Hook.Eff, Result: lost}
	}
	m.enter(restartProve)
	s.proveTill = m.at.Add(wait)
}

func (m *Machine) recordHookEnd(eff string, r HookResult) {
	m.record(journal.Record{Kind: journal.KindHookEnd, Eff: eff, Att: 1, Cls: journal.ONCE}.With(hookEndData{
		Exit: r.Exit, Word: r.Word, Nothing: r.Nothing, Already: r.Already, Lost: r.Lost, Empty: r.Empty, Tail: r.Tail,
	}))
}

// placeReady goes on with a node that was restarted, or is taken for it.
func (m *Machine) placeReady(b NodeBelief) {
	s := m.step()
	s.proven = m.sight().another(b.Hook.Pre.Launch)
	if !s.proven {
		s.unproven = b.Unproven
		s.issue("the restart is not proven: " + b.Unproven)
	}
	m.keepProcess()
	if b.Hook.Seq > 0 && !b.Hook.ended() && s.Plan.Hook != "" {
		m.recordHookEnd(b.Hook.Eff, HookResult{Exit: -1, Lost: true, Word: "nobody saw the end"})
		s.HookEnd = m.at
	}
	m.enter(awaitReady)
}

func (m *Machine) placeFill(at resumeAt, b NodeBelief) {
	s := m.step()
	if at == takeFillAnswered {
		m.letStand(true, b)
		if m.plan.Goal == GoalRestart {
			m.beginPhase(PhaseRestart, 0)
			s.passed(PhaseDrain)
			m.placeReady(b)
			return
		}
		m.enter(beforeFill)
		return
	}
	m.placeRestarted(b)
	switch at {
	case takeFillCheck:
		s.ours, s.attempt = client.OperationFill, b.Fill.Attempt
		m.beginPhase(PhaseFill, 0)
		m.enter(fillReobserve)
	case takeVerify:
		m.placeVerify(b)
	default:
		m.enter(beforeFill)
	}
}

// placeRestarted marks what is behind a fill.
func (m *Machine) placeRestarted(b NodeBelief) {
	s := m.step()
	s.touched = false
	if m.plan.Goal != GoalRestart {
		return
	}
	s.passed(PhaseDrain, PhaseRestart)
	s.proven, s.unproven = m.sight().another(b.Hook.Pre.Launch), b.Unproven
	if s.launch != 0 {
		s.Launch = time.UnixMilli(s.launch)
	}
	m.keepEpoch()
}

func (m *Machine) placeVerify(b NodeBelief) {
	s := m.step()
	switch {
	case b.FillSkipped:
		s.issue("the fill was skipped")
		m.endPhase(PhaseFill, PhaseSkipped, "skipped")
	case b.Cancel.after(b.Fill):
		s.issue("the fill was cancelled")
		m.endPhase(PhaseFill, PhaseFailed, "cancelled")
	default:
		s.passed(PhaseFill)
	}
	m.enter(verifying)
	m.beginPhase(PhaseVerify, 0)
}

// placeLone goes on with a cancel or a set Active that is a run of its own.
func (m *Machine) placeLone(at resumeAt) {
	s := m.step()
	m.keepEpoch()
	m.keepLaunch()
	s.then = toGoal
	switch at {
	case takeCancelling:
		s.touched, s.ours = true, operationOf(s.seen.policy)
		s.cancels = cancelOf(s.seen.policy)
		m.beginPhase(PhaseCancel, m.set.CancelTotal)
		m.enter(cancelling)
	case takeActivating:
		m.beginPhase(PhaseActivate, 0)
		m.enter(activating)
	case takeAskActivate:
		m.enter(beforeActivate)
	default:
		m.enter(beforeCancel)
	}
}
