package rollout

import "github.com/StorconTUI/storcon-tui/client"

// earlyRestart waits until what a restart outside the plan left behind has
// settled: the drain's late end may pause the node for ever (D17, C8).
func (m *Machine) earlyRestart() {
	s := m.step()
	m.detail(PhaseDrain, "restarted outside the plan; waiting for its drain to end")
	if m.stale() || !m.agreed(2) || !m.slotDone() {
		return
	}
	switch {
	case s.seen.policy == client.PolicyDraining:
		m.blockAt(AskOrphan, "D17", "policy Draining, and the operation slot is free")
	case s.seen.policy == client.PolicyPauseForRestart:
		s.ours = ""
		m.note(NoteAnomaly, "R13", "the drain ended late and left the node in PauseForRestart")
		m.blockAt(AskPausedAfter, "R13", "the node was restarted while its drain ran and is left in PauseForRestart")
	case !m.settled():
		if m.due(s.until) {
			m.blockAt(AskNotBack, "R6", "availability "+string(s.seen.avail)+", policy "+string(s.seen.policy))
		}
	default:
		m.countEarly()
	}
}

// slotDone reports that the drain's operation is over.
func (m *Machine) slotDone() bool {
	s := m.step()
	if m.noAdmin {
		// The label tells nothing after a re-attach. A fill that is refused will.
		return true
	}
	since := s.since
	if p := s.probe.got; p != nil && p.Op != nil && p.Op.Node == s.Plan.Node {
		if !m.due(p.At.Add(m.set.BusyInterval)) {
			return false
		}
		since = m.at
	}
	p := m.slot(since)
	if p == nil || p.Err != nil {
		if p != nil {
			m.lackAdmin(p.Err)
		}
		return false
	}
	return p.Op == nil || p.Op.Node != s.Plan.Node
}

// countEarly counts the restart as this run's, or drains again.
func (m *Machine) countEarly() {
	s := m.step()
	s.lingers = m.noAdmin // nobody told
	s.ours, s.touched, s.accepted = "", false, false
	s.issue("restarted outside the plan while its drain ran")
	if s.redoAfter {
		s.redoAfter = false
		m.enter(beforeDrain)
		return
	}
	m.keepProcess()
	s.proven = true
	m.endPhase(PhaseDrain, PhaseFailed, "the node was restarted before it ended")
	m.endPhase(PhaseRestart, PhaseSkipped, "restarted outside the plan")
	m.enter(beforeFill)
}
