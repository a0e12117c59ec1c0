package rollout

import (
	"math"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// beginPhase starts a phase's clock.
func (m *Machine) beginPhase(p Phase, limit time.Duration) *PhaseStatus {
	ph := m.step().phase(p)
	ph.State, ph.Detail = PhaseRunning, ""
	if ph.Started.IsZero() {
		ph.Started = m.at
	}
	ph.Ended = time.Time{}
	ph.Progress.LastMove = m.at
	ph.Deadline = time.Time{}
	if limit > 0 {
		ph.Deadline = m.at.Add(limit)
	}
	return ph
}

// endPhase stops a phase's clock.
func (m *Machine) endPhase(p Phase, state PhaseState, detail string) {
	ph := m.step().phase(p)
	ph.State, ph.Detail, ph.Ended = state, detail, m.at
	ph.Deadline = time.Time{}
	if ph.Started.IsZero() && state != PhaseSkipped {
		ph.Started = m.at
	}
}

// detail says in a few words what a phase waits for.
func (m *Machine) detail(p Phase, text string) { m.step().phase(p).Detail = text }

// attachedNow is the node's attached shards: observed where the list is
// watched or was read after the drain, else as the gauges have it; -1 = unknown.
func (m *Machine) attachedNow() int64 {
	if n, ok := m.watched(); ok {
		return n
	}
	if m.cur < len(m.steps) && m.step().LeftoversKnown {
		switch m.step().phaseOf(m.step().fsm) {
		case PhaseRestart, PhaseFill:
			return int64(len(m.step().Leftovers))
		}
	}
	if n, ok := m.node(); ok && m.snap.Metrics.Known() {
		return n.Attached
	}
	return -1
}

// watched is the observed count of the watched shard list.
func (m *Machine) watched() (int64, bool) {
	if m.snap == nil {
		return -1, false
	}
	part, ok := m.snap.Shards[m.id()]
	if !ok || !part.Known() || part.At.Before(m.step().since.Add(-m.set.Listed)) {
		return -1, false
	}
	return int64(part.Value.Observed), true
}

// sample is one point of a phase's progress.
type sample struct {
	at   time.Time
	left int64
}

// rateWindow is what a rate is measured over.
const rateWindow = time.Minute

// track renews the progress of a drain or fill from the newest counts (C25).
func (m *Machine) track() {
	s := m.step()
	var ph *PhaseStatus
	switch s.fsm {
	case draining:
		ph = s.phase(PhaseDrain)
	case filling:
		ph = s.phase(PhaseFill)
	default:
		return
	}
	now, observed := m.watched()
	if !observed && m.noAdmin {
		now = m.attachedNow()
	}
	if now < 0 {
		return
	}
	p := &ph.Progress
	if p.Intent == observed {
		// Intent and observation are two series: a step from one to the other is no movement.
		s.samples = nil
	}
	p.Intent = !observed
	p.Total = s.AttachedBefore
	p.Left = now
	if s.fsm == filling {
		p.Left = -1
		if p.Total >= 0 {
			p.Left = max(0, p.Total-now)
		}
	}
	if s.lastLeft != now {
		s.lastLeft = now
		p.LastMove = m.at
		s.samples = append(s.samples, sample{m.at, now})
	}
	m.rate(s, p)
	m.nearEnd(s, p)
}

// near is how close to its end a phase is watched more closely, and hotEvery
// how often that is asked for again.
const (
	near     = 10 * time.Second
	hotEvery = 4 * time.Second
)

// nearEnd has the node list read often while a phase is about to end.
func (m *Machine) nearEnd(s *step, p *Progress) {
	if p.ETA.Max == 0 || p.ETA.Min > near || m.at.Sub(s.hotAt) < hotEvery {
		return
	}
	s.hotAt = m.at
	m.emit(Hot{})
}

// rate measures the last minute and estimates the rest, ±30 %.
func (m *Machine) rate(s *step, p *Progress) {
	for len(s.samples) > 2 && m.at.Sub(s.samples[0].at) > rateWindow {
		s.samples = s.samples[1:]
	}
	p.Rate, p.ETA = 0, Range{}
	if len(s.samples) < 2 {
		return
	}
	first, last := s.samples[0], s.samples[len(s.samples)-1]
	span := m.at.Sub(first.at).Seconds()
	if span <= 0 || first.left == last.left {
		return
	}
	p.Rate = math.Abs(float64(first.left-last.left)) / span
	left := p.Left
	if s.fsm == draining {
		left -= int64(len(s.Plan.Stay))
	}
	if left > 0 {
		rest := float64(left) / p.Rate * float64(time.Second)
		p.ETA = Range{Min: time.Duration(rest * 0.7), Max: time.Duration(rest * 1.3)}
	}
}

// blockingMax bounds how many shards are shown as holding a phase up.
const blockingMax = 20

// blocking are the shards that are on their way and have not arrived.
func (m *Machine) blocking(since time.Time) []Blocking {
	if m.snap == nil {
		return nil
	}
	var out []Blocking
	for _, l := range m.snap.Shards[m.id()].Value.Shards {
		if l.ObservedAttached() == l.IntendedAttached() || len(out) >= blockingMax {
			continue
		}
		out = append(out, Blocking{Shard: l.ID, Since: since, Reason: "intended elsewhere, still confirmed where it was"})
	}
	return out
}

// operationMayLive reports that a drain or fill on the node is, or may be,
// alive. Only then is a restart impossible (I4).
func (m *Machine) operationMayLive() bool {
	s := m.step()
	switch {
	case m.call.busy():
		return true
	case s.seen.policy == client.PolicyDraining, s.seen.policy == client.PolicyFilling, s.seen.policy == client.PolicyDeleting:
		return true
	case s.ours != "", s.lingers:
		return true // until a state has seen its end
	}
	return false
}
