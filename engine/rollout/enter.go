package rollout

import "github.com/StorconTUI/storcon-tui/client"

// enter goes to a state. What the phase before asked is taken back.
func (m *Machine) enter(to nodeState) {
	s := m.step()
	if s.fsm == to {
		return
	}
	m.recordState(s.fsm, to, false)
	s.fsm, s.since = to, m.at
	s.until = m.at.Add(m.set.Reattach)
	if s.phaseOf(to) != 0 {
		ph := s.phase(s.phaseOf(to))
		if ph.State == PhaseAsking || ph.State == PhaseBlocked || ph.State == PhaseWaiting && !ph.Started.IsZero() {
			ph.State = PhaseRunning
		}
	}
	m.clearPrompt()
	m.decideOften(to)
	m.turns = true
}

// enterCall goes to a state that sends a new call.
func (m *Machine) enterCall(to nodeState) {
	m.step().attempt = 0
	m.enter(to)
}

// decideOften has the leader read often where a decision rests on it.
func (m *Machine) decideOften(in nodeState) {
	on := false
	switch in {
	case beforeDrain, beforeFill, drainVerify, beforeRestart, restartCheck, undrainedCheck, drainReobserve, cleaning:
		on = true
	}
	m.setDeciding(on)
}

func (m *Machine) setDeciding(on bool) {
	if m.deciding != on {
		m.deciding = on
		m.emit(Decide{On: on})
	}
}

// blockAt stops the step with a question about trouble.
func (m *Machine) blockAt(ask Ask, row, cause string) { m.blockBusy(ask, row, cause, nil) }

func (m *Machine) blockBusy(ask Ask, row, cause string, busy *client.Operation) {
	s := m.step()
	phase := s.phaseOf(s.fsm)
	m.enter(blocked)
	s.block = block{ask: ask, row: row, cause: cause, busy: busy}
	s.blockPhase = phase
	if phase != 0 {
		s.phase(phase).State = PhaseBlocked
		s.phase(phase).Detail = askWord(ask)
	}
}

// run lets the current state look at the facts.
func (m *Machine) run() {
	if s := m.step(); s.approved && !s.approvedTill.IsZero() && !m.at.Before(s.approvedTill) {
		s.approved = false
	}
	if m.step().lost >= 2 && m.mayBeGone() {
		m.gone()
		return
	}
	if m.abortDue() {
		return
	}
	switch m.step().phaseOf(m.step().fsm) {
	case PhaseDrain:
		m.runDrain()
	case PhaseRestart:
		m.runRestart()
	case PhaseFill:
		m.runFill()
	case PhaseVerify:
		m.verifying()
	case PhaseBake:
		m.baking()
	default:
		m.runRest()
	}
}

func (m *Machine) runDrain() {
	switch m.step().fsm {
	case beforeDrain:
		m.beforeDrain()
	case drainReq:
		m.drainReq()
	case drainReobserve:
		m.drainReobserve()
	case draining:
		m.draining()
	case drainVerify:
		m.drainVerify()
	case earlyRestart:
		m.earlyRestart()
	}
}

func (m *Machine) runRestart() {
	switch m.step().fsm {
	case beforeRestart:
		m.beforeRestart()
	case restartCheck:
		m.restartCheck()
	case undrainedCheck:
		m.undrainedCheck()
	case hookRunning:
		m.hookRunning()
	case restartProve:
		m.restartProve()
	case awaitReady:
		m.awaitReady()
	}
}

func (m *Machine) runFill() {
	switch m.step().fsm {
	case beforeFill:
		m.beforeFill()
	case fillReq:
		m.fillReq()
	case fillReobserve:
		m.fillReobserve()
	case awaitFillable:
		m.awaitFillable()
	case filling:
		m.filling()
	}
}

func (m *Machine) runRest() {
	switch m.step().fsm {
	case beforeCancel:
		m.beforeCancel()
	case cancelReq:
		m.cancelReq()
	case cancelling:
		m.cancelling()
	case beforeActivate:
		m.beforeActivate()
	case activateReq:
		m.activateReq()
	case activating:
		m.activating()
	case cleaning:
		m.cleaning()
	case blocked:
		m.blocked()
	}
}
