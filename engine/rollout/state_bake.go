package rollout

import (
	"time"

	"github.com/StorconTUI/storcon-tui/engine/gate"
)

// countLook counts a good look at a node that is verified or bakes, and begins
// anew with one that is not good. Looks that are too close together are one.
func (m *Machine) countLook() {
	s := m.step()
	if !m.settled() {
		s.looks, s.lookedAt = 0, time.Time{}
		s.broken = string(s.seen.avail) + ", policy " + string(s.seen.policy)
		return
	}
	read := m.snap.Nodes.At
	if s.reads == 0 || !s.lookedAt.IsZero() && read.Before(s.lookedAt.Add(m.set.VerifyEvery)) {
		return
	}
	s.looks, s.lookedAt, s.broken = s.looks+1, read, ""
}

// stable is what the gate about a node that bakes goes by.
func (m *Machine) stable() *gate.Stable {
	s := m.step()
	if s.fsm != baking {
		return nil
	}
	return &gate.Stable{Passes: s.looks, Needed: m.set.Verify, Broken: s.broken}
}

// bakeFor is how long the current node is watched after its verify; 0 = not at
// all.
func (m *Machine) bakeFor() time.Duration {
	switch {
	case m.plan.Goal != GoalRestart:
		return 0
	case m.step().Plan.Canary:
		return m.set.CanaryBake
	}
	return m.set.Bake
}

// baking watches a node that is up and filled before the next one goes. The
// gates pass throughout or the bake begins anew: a break in the middle is what it is for.
func (m *Machine) baking() {
	s := m.step()
	if m.stale() {
		m.detail(PhaseBake, "the controller does not answer")
		return
	}
	if m.launchChanged() {
		s.looks, s.bakeTill = 0, time.Time{}
		m.keepLaunch() // who resumes bakes this process
		m.halt("R9", "the node was launched again")
		return
	}
	m.countLook()
	if s.bakeTill.IsZero() {
		s.bakeTill = m.at.Add(m.bakeFor())
	}
	results := m.gates(gate.WhileBaking)
	for _, r := range results {
		if r.Verdict == gate.Fail && r.Holds() {
			s.bakeTill = m.at.Add(m.bakeFor())
		}
	}
	if m.gatesHold(results) {
		return
	}
	s.since = m.at // a gate that becomes unknown gets its moment from here
	s.phase(PhaseBake).State = PhaseRunning
	m.detail(PhaseBake, "the gates pass; "+s.bakeTill.Sub(m.at).Round(time.Second).String()+" to go")
	if m.due(s.bakeTill) {
		m.endPhase(PhaseBake, PhaseDone, "")
		m.doneStep()
	}
}

// cutBake counts the node as done on the operator's word.
func (m *Machine) cutBake(a Answer) {
	m.step().issue("its bake was cut short by " + a.By.User + "@" + a.By.Host + because(a.Reason))
	m.endPhase(PhaseBake, PhaseSkipped, "cut short")
	if m.state == RunHalted {
		m.state, m.why = RunRunning, ""
	}
	m.doneStep()
}

// cutBakeChoice ends a bake early.
func cutBakeChoice() Choice {
	c := accept("end the bake here and count the node as done", false)
	c.Reason = true
	return c
}
