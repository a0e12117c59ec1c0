package rollout

import (
	"fmt"

	"github.com/StorconTUI/storcon-tui/client"
)

// abort ends the run: the current node is put back, the others stay untouched.
// A restart command that runs is not killed: half a restart is worse (A7).
func (m *Machine) abort() {
	m.state, m.why = RunAborting, "the operator aborted the run"
	m.pausing, m.pausingLater, m.standing = false, false, nil
	if m.cur >= len(m.steps) {
		return
	}
	m.step().then = toAbort
	if m.atBoundary() {
		m.enter(cleaning)
	}
	m.turns = true
}

// abortDue turns an aborting run to its clean-up, once nothing is half done.
func (m *Machine) abortDue() bool {
	if m.state != RunAborting {
		return false
	}
	if m.puttingBack() || m.unread() {
		return false
	}
	if !m.idle() {
		m.detail(m.step().phaseOf(m.step().fsm), "aborting: waiting for what is in flight")
		return m.step().fsm != hookRunning
	}
	m.enter(cleaning)
	return true
}

// puttingBack reports that the clean-up is under way, or asks about itself.
func (m *Machine) puttingBack() bool {
	s := m.step()
	switch s.fsm {
	case cleaning, cancelReq, cancelling, activateReq, activating:
		return true
	case blocked:
		return s.block.ask == AskCleanup || s.blockPhase == 0 || s.blockPhase == PhaseCancel || s.blockPhase == PhaseActivate
	}
	return false
}

// skip leaves this node, put back, and goes on with the next.
func (m *Machine) skip(reason string) {
	s := m.step()
	if s.fsm == blocked && s.block.ask == AskGone {
		s.ours, s.touched = "", false
		m.endStep(StepGone, "it is not registered any more")
		return
	}
	if reason == "" {
		reason = "the operator skipped it"
	}
	s.Why = reason
	if m.state == RunHalted {
		m.state, m.why = RunRunning, ""
	}
	s.then = toSkip
	m.enter(cleaning)
}

// cleaning puts the current node back: what runs there for us is cancelled,
// and a policy that we moved is set Active again. What is not ours stays.
func (m *Machine) cleaning() {
	s := m.step()
	if m.stale() || m.hold.Reason != "" {
		return
	}
	if !s.touched && s.ours == "" && !s.lingers {
		m.settledAfter(s.then)
		return
	}
	if !m.policyAgreed(2) {
		return
	}
	switch s.seen.policy {
	case client.PolicyDraining, client.PolicyFilling:
		m.cancelThen(s.then)
	case client.PolicyPauseForRestart:
		if !s.HookStart.IsZero() && s.seen.avail == client.AvailabilityOffline {
			// The restarted process sets it Active by itself when it re-attaches.
			m.leaveDown()
			return
		}
		m.activateThen(s.then)
	default:
		m.putBackAfterEnd()
	}
}

// putBackAfterEnd: after a re-attach the policy is Active while the operation
// may live on and pause the node when it ends (C8).
func (m *Machine) putBackAfterEnd() {
	s := m.step()
	if (s.ours == "" && !s.lingers) || m.slotDone() {
		m.settledAfter(s.then)
		return
	}
	if m.due(s.until) {
		m.blockAt(AskCleanup, "A1", "an operation on the node outlives its restart")
	}
}

// leaveDown: the node was restarted and is not back; that is recorded, not mended (R6).
func (m *Machine) leaveDown() {
	s := m.step()
	why := "the node was restarted and is not back"
	if s.then == toAbort {
		m.endAborted(false, why)
		return
	}
	m.endStep(StepFailed, why)
}

// endAborted closes the current node and the run.
func (m *Machine) endAborted(clean bool, why string) {
	s := m.step()
	m.unfilled()
	m.notRestarted()
	left := m.leftBehind(why)
	s.State = StepAbortedClean
	outcome := Outcome{Exit: ExitPaused, Word: "aborted"}
	if !clean || len(left) > 0 {
		s.State = StepAbortedDirty
		outcome = Outcome{Exit: ExitAbortedDirty, Word: "aborted, not clean", Left: left}
		if len(left) == 0 {
			outcome.Left = []LeftBehind{m.whatStands(*s, why)}
		}
	}
	s.Why = why
	m.recordEnd(s)
	s.fsm = ended
	for i := range m.steps {
		if m.steps[i].State == StepPending {
			m.steps[i].State, m.steps[i].Why = StepSkipped, "the run was aborted before"
		}
	}
	m.finish(outcome)
}

// leftBehind names every node that is not as it should be left.
func (m *Machine) leftBehind(why string) []LeftBehind {
	var out []LeftBehind
	for i := range m.steps {
		s := m.steps[i]
		inWork := s.State == StepRunning || s.State == StepFailed
		// A drain that outlived its node's restart may set the policy long after
		// the step is over (C8).
		outlived := s.State != StepPending && s.lingers
		if inWork && s.mayStandOff() || outlived {
			if l := m.whatStands(s, why); l.State != "" {
				out = append(out, l)
			}
		}
	}
	return out
}

// unfilled puts into the report that the current node was restarted and nobody
// has filled it: it is up, and nearly empty.
func (m *Machine) unfilled() {
	if m.cur >= len(m.steps) || m.plan.Goal != GoalRestart {
		return
	}
	s := m.step()
	fill := s.phase(PhaseFill)
	if s.proven && fill.State != PhaseDone && fill.State != PhaseSkipped && s.ours == "" {
		s.issue("restarted and not filled; shards come back by: " + command("fill", s.Plan.Node, CallFill))
	}
}

// notRestarted puts a restart command that failed into the report. A process that
// is still the one of before was not down, so nobody was exposed.
func (m *Machine) notRestarted() {
	if m.cur >= len(m.steps) {
		return
	}
	s := m.step()
	if s.proven || s.hooked == nil || s.hooked.Result.clean() {
		return
	}
	s.issue("the restart command failed: " + s.hooked.Result.Word)
	if now, at := m.launchRead(); now != 0 && now == s.preLaunch && at.After(s.HookEnd) {
		s.stayedUp, s.ExposedShards = true, 0
	}
}

// mayStandOff reports that the node's policy may be this run's doing: also when
// what it began outlived a re-attach, or ended late.
func (s step) mayStandOff() bool {
	return s.touched || s.ours != "" || s.lingers || s.ordinal[CallDrain.phase()]+s.ordinal[CallFill.phase()] > 0
}

// whatStands words what stands on one node and what puts it right.
func (m *Machine) whatStands(s step, why string) LeftBehind {
	id := s.Plan.Node
	l := LeftBehind{Node: id}
	policy := s.seen.policy
	if n, ok := m.snap.Node(id); ok {
		policy = n.Scheduling
	}
	switch policy {
	case client.PolicyDraining:
		l.State = "policy Draining: the drain goes on; nobody will restart or fill the node"
		l.Command = command("cancel", id, CallCancelDrain)
	case client.PolicyFilling:
		l.State = "policy Filling: the fill goes on and ends by itself"
		l.Command = command("cancel", id, CallCancelFill)
	case client.PolicyPauseForRestart:
		l.State = "policy PauseForRestart: the node takes no shards until it is restarted or set Active"
		if !s.HookStart.IsZero() {
			l.State = "its restart command was run and nothing proves the restart yet; policy PauseForRestart when last read"
		}
		l.Command = command("activate", id, CallActivate)
	default:
		if s.ours != "" {
			l.State = "a " + string(s.ours) + " may have begun: policy " + string(policy)
			l.Command = command("cancel", id, cancelsOurs(s))
		}
	}
	if s.orphaned(policy) {
		l.State = "policy " + string(policy) + ", and no operation runs that would end it: the node takes no shards until it is set Active"
		l.Command = command("activate", id, CallActivate)
	}
	if m.hook.busy() && id == m.id() {
		l = m.leftRunning(policy)
	}
	if l.State != "" && why != "" {
		l.State += " (" + why + ")"
	}
	return l
}

// orphaned reports that the policy tells of an operation, and that the slot was
// free when it had been seen already.
func (s step) orphaned(policy client.NodePolicy) bool {
	if policy != client.PolicyDraining && policy != client.PolicyFilling {
		return false
	}
	p := s.probe.got
	return p != nil && p.Err == nil && p.Op == nil && policy == s.seen.policy && !s.probe.from.Before(s.seen.first)
}

// cancelsOurs is the call that cancels the step's own operation.
func cancelsOurs(s step) CallKind {
	if s.ours == client.OperationFill {
		return CallCancelFill
	}
	return CallCancelDrain
}

func command(verb string, id client.NodeID, k CallKind) string {
	return fmt.Sprintf("storcon-tui %s %s  (%s)", verb, id, k.Literal(id))
}

// mayBeGone: a node that is missing from the list is gone, unless the step is
// over or asks about that already.
func (m *Machine) mayBeGone() bool {
	s := m.step()
	if s.fsm == blocked && s.block.ask == AskGone {
		return false
	}
	return m.atBoundary() && s.fsm != ended && len(m.snap.Nodes.Value) > 0
}

// gone: the node is not registered any more (D10).
func (m *Machine) gone() {
	s := m.step()
	if m.state == RunAborting {
		s.ours, s.touched = "", false
		m.endAborted(true, "the node is not registered any more")
		return
	}
	s.goneFrom = s.fsm
	if s.fsm == blocked {
		s.goneFrom = cleaning
	}
	m.blockAt(AskGone, "D10", "the node is not registered with the controller any more")
}
