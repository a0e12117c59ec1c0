package rollout

import (
	"time"

	"github.com/StorconTUI/storcon-tui/client/pageserver"
	"github.com/StorconTUI/storcon-tui/engine/gate"
)

// keepFigures remembers of every picture what gates compare with: the figures
// when the run began, and for how long a gauge has been high.
func (m *Machine) keepFigures() {
	if m.snap == nil || !m.snap.Metrics.Known() {
		return
	}
	m.pending = m.pending.Add(m.snap.Metrics)
	if m.base == nil && m.state != RunReady {
		m.base = gate.BaselineOf(m.snap)
		m.recordBaseline()
	}
}

// phaseTime is how long the phase that begins at a moment may take before its
// limit asks; a token must outlive it.
func (m *Machine) phaseTime(at gate.At) time.Duration {
	switch at {
	case gate.BeforeDrain:
		return total(m.set.DrainTotal, m.step().Plan.Drain)
	case gate.BeforeRestart:
		return m.set.Proof + m.set.Reattach
	case gate.BeforeFill:
		return total(m.set.FillTotal, m.step().Plan.Fill)
	case gate.WhileBaking:
		return m.bakeFor()
	}
	return 0
}

// ownMoves is what this run's drains explain of the shards that are out of
// their AZ.
func (m *Machine) ownMoves() *gate.OwnMoves {
	var moves gate.OwnMoves
	for i := range m.steps {
		s := &m.steps[i]
		n := m.movedOff(i)
		if fill := s.phaseIfAny(PhaseFill); fill != nil && fill.State == PhaseDone {
			moves.Filled += n
			if fill.Ended.After(moves.FilledAt) {
				moves.FilledAt = fill.Ended
			}
			continue
		}
		moves.Unfilled += n
	}
	return &moves
}

// movedOff counts the shards that drains of this run moved off a node, 0 when
// that is not known.
func (m *Machine) movedOff(i int) int {
	s := &m.steps[i]
	drain := s.phaseIfAny(PhaseDrain)
	if drain == nil || drain.Started.IsZero() || s.AttachedBefore < 0 {
		return 0
	}
	left := s.LeftoversGauge
	if drain.State != PhaseDone && i == m.cur {
		left = m.attachedNow() // a drain that was given up may have moved some
	}
	if left < 0 {
		return 0
	}
	return int(max(0, s.AttachedBefore-left))
}

// phaseIfAny finds one of the step's phases, nil when it has none such.
func (s *step) phaseIfAny(p Phase) *PhaseStatus {
	for i := range s.Phases {
		if s.Phases[i].Phase == p {
			return &s.Phases[i]
		}
	}
	return nil
}

// version is what the restarted node should run, and what it says since its
// restart that it runs.
func (m *Machine) version() *gate.Version {
	s := m.step()
	if m.set.Revision == "" || m.plan.Goal != GoalRestart {
		return nil
	}
	v := &gate.Version{Target: m.set.Revision}
	read := func(at time.Time, info pageserver.Info) {
		another := info.LaunchMillis != s.preLaunch || s.unproven != ""
		if another && !s.HookStart.IsZero() && at.After(s.HookStart) && at.After(v.At) {
			v.Build, v.At = info.Build, at
		}
	}
	if p := s.proof.got; p != nil && p.Err == nil {
		read(p.At, p.Info)
	}
	if n, ok := m.node(); ok && n.Process.Known() {
		read(n.Process.At, n.Process.Value)
		v.Err = n.Process.Err
	}
	return v
}
