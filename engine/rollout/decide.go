package rollout

import (
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// decideOwn does what an answer says where its meaning is the question's own.
func (m *Machine) decideOwn(p Prompt, a Answer) {
	switch a.Word {
	case WordYes:
		m.decideYes(p)
	case WordWait:
		m.decideWait(p, a.Extend)
	case WordRetry:
		m.decideRetry(p)
	case WordCancel:
		if m.state == RunPaused {
			m.state, m.why = RunRunning, ""
		}
		m.cancelThen(toMenu)
	case WordReset:
		m.decideReset(p)
	case WordAccept:
		m.decideAccept(p, a)
	case WordManual:
		m.step().proveTill = m.at.Add(m.set.Hook + m.set.Proof)
		m.step().hooked = nil
		m.enter(restartProve)
	}
	m.turns = true
}

// decideYes starts what was proposed.
func (m *Machine) decideYes(p Prompt) {
	s := m.step()
	switch p.Ask {
	case AskDrain:
		m.enterCall(drainReq)
		m.beginPhase(PhaseDrain, 0)
	case AskRestart:
		s.leftoversAccepted = true
		m.enter(restartCheck)
		m.beginPhase(PhaseRestart, 0)
	case AskFill:
		m.enterCall(fillReq)
		m.beginPhase(PhaseFill, 0)
	case AskCancel:
		s.touched, s.ours = true, operationOf(s.seen.policy)
		m.cancelThen(toGoal)
	case AskActivate:
		m.activateThen(toGoal)
	}
}

func operationOf(p client.NodePolicy) client.OperationKind {
	if p == client.PolicyFilling {
		return client.OperationFill
	}
	return client.OperationDrain
}

// decideWait extends a limit, or waits for what only time or others can bring.
func (m *Machine) decideWait(p Prompt, extend time.Duration) {
	if p.Ask == AskUnreachable {
		m.patience += max(extend, m.set.OutageBudget)
		return
	}
	s := m.step()
	switch s.fsm {
	case draining, filling, cancelling:
		ph := s.phase(s.phaseOf(s.fsm))
		ph.Progress.LastMove = m.at
		ph.Deadline = m.at.Add(m.extension(extend, s.fsm))
		ph.State = PhaseRunning
		return
	case blocked:
	default:
		s.since = m.at // a gate: look again after the usual moment
		return
	}
	if s.block.ask == AskBusy {
		s.waiting, s.approved, s.reads = true, true, 0
		return
	}
	s.until = m.at.Add(max(extend, m.set.Reattach))
	s.proveTill = m.at.Add(max(extend, m.set.Proof))
	until := s.until
	m.enter(m.waitState(s.block.ask))
	s.until = until
}

func (m *Machine) extension(extend time.Duration, f nodeState) time.Duration {
	if extend > 0 {
		return extend
	}
	switch f {
	case draining:
		return total(m.set.DrainTotal, m.step().Plan.Drain)
	case filling:
		return total(m.set.FillTotal, m.step().Plan.Fill)
	}
	return m.set.CancelTotal
}

// waitState is where a blocked step waits.
func (m *Machine) waitState(a Ask) nodeState {
	switch a {
	case AskNodeDown:
		return beforeDrain
	case AskRestartUnproven:
		return restartProve
	case AskNotBack, AskPausedAfter:
		return m.stateAgain()
	case AskRestartedEarly:
		return earlyRestart
	case AskDeadline:
		if m.step().blockPhase == PhaseCancel {
			m.beginPhase(PhaseCancel, m.set.CancelTotal)
			return cancelling
		}
	}
	return m.stateAgain()
}

// decideRetry tries again from the newest facts.
func (m *Machine) decideRetry(p Prompt) {
	s := m.step()
	if m.state == RunHalted {
		m.state, m.why = RunRunning, ""
	}
	s.approved, s.waiting = false, false
	switch p.Ask {
	case AskDrainEnded, AskPolicyLost:
		s.accepted = false
		m.enter(beforeDrain)
	case AskHookFailed, AskRestartUnproven, AskNotBack:
		m.hookAgain()
	case AskRestartedEarly:
		s.redoAfter = true
		m.enter(earlyRestart)
	case AskCleanup:
		m.enter(cleaning)
	case AskUnauthorized:
		m.noAdmin = false // the token may have been renewed
		m.enter(m.stateAgain())
	default:
		m.enter(m.stateAgain())
	}
}

// hookAgain runs the command another time: a drained node is asked about anew
// with a fresh list, an undrained one after its checks.
func (m *Machine) hookAgain() {
	s := m.step()
	if s.undone || s.seen.policy != client.PolicyPauseForRestart {
		m.enter(undrainedCheck)
		return
	}
	m.keepEpoch()
	if s.LeftoversAt.IsZero() {
		s.phaseEnd = m.at // an earlier process listed them: they are listed and asked about here
		m.enter(drainVerify)
		return
	}
	s.leftoversAccepted = true
	m.enter(restartCheck)
}

// decideReset sets the policy Active and goes on from there.
func (m *Machine) decideReset(p Prompt) {
	s := m.step()
	s.touched, s.approved = true, false
	then := toRedo
	switch {
	case p.Ask == AskPausedAfter && s.blockPhase == PhaseDrain:
		then = toEarly
	case p.Ask == AskPausedAfter && m.plan.Goal == GoalRestart:
		then = toReady
	case m.plan.Goal == GoalFill, s.blockPhase == PhaseFill:
		then = toFill
	case m.plan.Goal == GoalCancel:
		then = toGoal
	}
	m.activateThen(then)
}

// decideAccept goes on from what the cluster shows, on the operator's word.
func (m *Machine) decideAccept(p Prompt, a Answer) {
	s := m.step()
	switch p.Ask {
	case AskGate, AskHalted:
		m.cutBake(a)
	case AskDrainedEarlier:
		s.touched, s.accepted, s.ours = true, true, ""
		s.phaseEnd = m.at
		m.keepEpoch()
		m.keepLaunch()
		m.beginPhase(PhaseDrain, 0)
		s.issue("it was drained before this run")
		m.enter(drainVerify)
	case AskBusy:
		s.issue("the drain was begun by somebody else")
		m.keepEpoch()
		m.keepLaunch()
		m.drainBegan()
	case AskHookFailed, AskRestartUnproven:
		if s.proven {
			s.issue("the restart command failed, the restart is proven")
		} else {
			s.unproven = "accepted by " + a.By.User + "@" + a.By.Host + because(a.Reason)
			s.issue("the restart is not proven: " + s.unproven)
		}
		m.enter(awaitReady)
		s.until = m.at.Add(m.set.Reattach)
	}
}
