package rollout

import (
	"fmt"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// hookTailMax bounds the hook's lines that a Status carries.
const hookTailMax = 50

func (m *Machine) hookOutput(e HookOutput) {
	if e.Eff != m.hook.eff || e.Eff == "" {
		return
	}
	s := m.work()
	s.HookTail = append(s.HookTail, e.Line)
	if len(s.HookTail) > hookTailMax {
		s.HookTail = s.HookTail[len(s.HookTail)-hookTailMax:]
	}
}

func (m *Machine) hookEnded(e HookEnded) {
	if e.Eff != m.hook.eff || e.Eff == "" {
		return
	}
	s := m.work()
	m.recordHookEnd(e.Eff, e.Result)
	m.hook = inflight{}
	s.HookEnd, s.hooked = m.at, &e
	s.proveTill = m.at.Add(m.set.Proof)
	if len(e.Result.Tail) > 0 {
		s.HookTail = e.Result.Tail
	}
	m.emit(Hurry{})
}

// hookRunning waits for the restart command.
func (m *Machine) hookRunning() {
	s := m.step()
	m.detail(PhaseRestart, "the restart command runs")
	if s.hooked == nil {
		return
	}
	m.note(NoteInfo, "", "the restart command ended: "+s.hooked.Result.Word)
	m.enter(restartProve)
	s.until = m.at.Add(m.set.Reattach)
}

// restartProve looks for another process than before. The command's word alone
// is not believed, in neither direction (R1-R4).
func (m *Machine) restartProve() {
	s := m.step()
	if s.hooked != nil {
		m.detail(PhaseRestart, "waiting for proof: a new launch time")
	}
	proof := m.process(m.proofSince())
	if m.proves() {
		return
	}
	if s.hooked != nil && !s.hooked.Result.clean() {
		if proof != nil && m.policyAgreed(1) {
			m.hookFailed()
		}
		return
	}
	if s.preLaunch == 0 && s.reattached && m.agreed(2) && m.settled() {
		m.unprovenAsk("the launch time before is not known; the node left and came back by its availability and policy")
		return
	}
	if m.due(s.proveTill) {
		m.unprovenAsk("launch time unchanged or unreadable since the restart began")
	}
}

// proofSince paces the reads of the process.
func (m *Machine) proofSince() time.Time {
	s := m.step()
	t := s.since
	if s.proof.got != nil && s.proof.from.After(t) {
		t = s.proof.from
		if m.due(t.Add(m.set.ProofInterval)) {
			t = m.at
		}
	}
	return t
}

// proves takes a new launch time as what it is.
func (m *Machine) proves() bool {
	s := m.step()
	now := m.launchNow()
	if s.preLaunch == 0 || now == 0 || now == s.preLaunch {
		return false
	}
	s.proven = true
	m.keepProcess()
	m.note(NoteInfo, "", "restart proven: another launch time than before")
	if s.hooked != nil && !s.hooked.Result.clean() {
		m.blockAt(AskHookFailed, m.hookRow(), "the command failed ("+s.hooked.Result.Word+"), but the node was restarted")
		return true
	}
	m.enter(awaitReady)
	return true
}

// keepProcess shows the process that runs now.
func (m *Machine) keepProcess() {
	s := m.step()
	s.launch = m.launchNow()
	if s.launch == 0 {
		return
	}
	s.Launch = time.UnixMilli(s.launch)
	if p := s.proof.got; p != nil && p.Err == nil && p.Info.LaunchMillis == s.launch {
		s.Build = p.Info.Build
	} else if n, ok := m.node(); ok && n.Process.Value.LaunchMillis == s.launch {
		s.Build = n.Process.Value.Build
	}
}

func (m *Machine) hookFailed() {
	s := m.step()
	m.blockAt(AskHookFailed, m.hookRow(), "the command failed ("+s.hooked.Result.Word+") and the launch time is unchanged or unreadable")
}

// hookRow tells the ways to fail apart.
func (m *Machine) hookRow() string {
	r := m.step().hooked.Result
	switch {
	case r.Exit == 255:
		return "R4"
	case r.Exit < 0 && !r.Nothing:
		return "R2"
	}
	return "R1"
}

func (m *Machine) unprovenAsk(why string) {
	row := "R3"
	switch h := m.step().hooked; {
	case m.step().Plan.Hook == "":
		row = "R15"
	case h != nil && h.Result.Lost:
		row = "R5"
		why = "the restart command: " + h.Result.Word + "; it may never have run; " + why
	}
	m.blockAt(AskRestartUnproven, row, why)
}

// settled reports Active/Active.
func (m *Machine) settled() bool {
	s := m.step()
	return s.seen.policy == client.PolicyActive && s.seen.avail == client.AvailabilityActive
}

// setAside reports a policy that somebody else has set and that is not for us to
// overwrite (N4, X5).
func (m *Machine) setAside() bool {
	p := m.step().seen.policy
	return p == client.PolicyPause || p == client.PolicyDeleting
}

// awaitReady waits until the restarted node is Active/Active.
func (m *Machine) awaitReady() {
	s := m.step()
	if m.launchChanged() {
		m.keepProcess()
		m.halt("R9", "the node was launched again: a crash loop")
		return
	}
	if m.otherAddress() {
		return
	}
	m.detail(PhaseRestart, "waiting for the node: "+string(s.seen.avail)+", policy "+string(s.seen.policy))
	if m.settled() || m.setAside() && !s.approved && s.seen.avail == client.AvailabilityActive {
		if m.agreed(2) && !m.otherNode() {
			m.nodeBack()
		}
		return
	}
	if s.seen.policy == client.PolicyPauseForRestart && s.reattached && s.seen.avail == client.AvailabilityActive {
		if m.agreed(2) {
			m.blockAt(AskPausedAfter, "R13", "the node re-attached and its policy is PauseForRestart again")
		}
		return
	}
	if m.due(s.until) {
		row := "R6"
		if s.seen.avail == client.AvailabilityWarmingUp {
			row = "R14"
		}
		m.blockAt(AskNotBack, row, fmt.Sprintf("availability %s, policy %s", s.seen.avail, s.seen.policy))
	}
}

// otherAddress halts when what came back under the node's id is elsewhere: it
// may be another machine (R7). Told once; who goes on has seen the new address.
func (m *Machine) otherAddress() bool {
	s := m.step()
	n, ok := m.node()
	if !ok || s.Plan.Addr == "" || n.ListenHTTPAddr == s.Plan.Addr {
		return false
	}
	was := s.Plan.Addr
	s.Plan.Addr = n.ListenHTTPAddr
	m.halt("R7", "the node came back at another address: "+n.ListenHTTPAddr+", not "+was)
	return true
}

// otherNode asks the process that came back which node it is, and halts when it
// is another one (R7). Told once. A process that does not say holds nothing up:
// the controller has taken it by its own registration.
func (m *Machine) otherNode() bool {
	s := m.step()
	p := m.process(s.since)
	switch {
	case p == nil:
		return true
	case p.Err != nil, p.Says == 0, p.Says == s.Plan.Node, p.Says == s.stranger:
		return false
	}
	s.stranger = p.Says
	m.halt("R7", "the process at its address says that it is node "+p.Says.String())
	return true
}

// nodeBack ends the restart.
func (m *Machine) nodeBack() {
	s := m.step()
	if s.BackAfter == 0 {
		s.BackAfter = m.at.Sub(s.HookStart)
	}
	s.touched, s.ours = false, "" // re-attach took back what the drain had set
	m.endPhase(PhaseRestart, PhaseDone, "")
	if s.approved {
		m.enterCall(fillReq)
		return
	}
	m.enter(beforeFill)
}
