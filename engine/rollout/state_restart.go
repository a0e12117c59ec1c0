package rollout

import (
	"fmt"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/gate"
	"github.com/StorconTUI/storcon-tui/engine/journal"
)

// beforeRestart is everything that must hold before a restart, and the question.
func (m *Machine) beforeRestart() {
	s := m.step()
	if !m.fresh() {
		return
	}
	if m.epochChanged() {
		m.keepEpoch()
		m.note(NoteAnomaly, "C17", "another controller process leads: the policy is no proof, the shards are listed anew")
		s.phaseEnd = m.at
		m.enter(drainVerify)
		return
	}
	if s.seen.policy != client.PolicyPauseForRestart {
		if m.policyAgreed(2) {
			m.policyLost()
		}
		return
	}
	m.lookAtMoved()
	results := m.gates(gate.BeforeRestart)
	if m.gatesHold(withoutLeftovers(results)) {
		return
	}
	m.put(m.restartQuestion(results))
}

// withoutLeftovers leaves the gate about leftovers to the question: its typed
// yes is what accepts them.
func withoutLeftovers(results []gate.Result) []gate.Result {
	out := make([]gate.Result, 0, len(results))
	for _, r := range results {
		if r.Gate != gate.DrainLeftoversAccepted {
			out = append(out, r)
		}
	}
	return out
}

// restartQuestion names what will be unavailable. More than the plan listed,
// or a list that nobody can read, needs the id typed (D15, I6).
func (m *Machine) restartQuestion(results []gate.Result) question {
	s := m.step()
	q := question{ask: AskRestart, literal: m.hookLiteral(), gates: results}
	go1 := yes(m.hookLiteral())
	redo := m.resetChoice(", then drain again")
	switch {
	case !s.LeftoversKnown:
		q.row, q.cause = "D15", fmt.Sprintf("the list is not readable with this token; the gauge says %d attached", s.LeftoversGauge)
		go1.TypeID = true
		q.choices = m.always(go1, m.skipChoice(), redo)
	case s.unplanned() > 0:
		q.row = "D15"
		q.cause = fmt.Sprintf("%s still attached, %d of them not in the plan", plural(int64(len(s.Leftovers)), "shard"), s.unplanned())
		go1.TypeID = true
		q.choices = m.always(redo, go1, m.skipChoice())
	default:
		q.choices = m.always(append([]Choice{go1, m.skipChoice(), redo}, m.standingChoices()...)...)
	}
	return q
}

// policyLost: the node left PauseForRestart before the hook (R11).
func (m *Machine) policyLost() {
	s := m.step()
	if !m.sameProcess() {
		return
	}
	m.keepEpoch()
	m.blockAt(AskPolicyLost, "R11", "policy went from PauseForRestart to "+string(s.seen.policy)+"; shards may come back")
}

// restartCheck comes between the yes and the command: the shards are listed
// again, the process that is to end is read, and everything must still hold.
func (m *Machine) restartCheck() {
	s := m.step()
	m.detail(PhaseRestart, "listing the shards again")
	if m.stale() || m.hold.Reason != "" || !m.policyAgreed(1) {
		return
	}
	if m.epochChanged() || s.seen.policy != client.PolicyPauseForRestart {
		m.enter(beforeRestart)
		return
	}
	if !m.epochConfirmed(s.since) {
		return
	}
	proof := m.process(s.since)
	seen := m.movedSeen()
	if !m.relisted() || proof == nil || !seen {
		return
	}
	if holding := gate.Holding(m.gates(gate.BeforeRestart)); len(holding) > 0 {
		m.noteGate(gateRow(holding[0].Gate), "gate "+string(holding[0].Gate)+" holds since the answer: "+holding[0].Figure)
		s.leftoversAccepted = false
		m.enter(beforeRestart)
		return
	}
	if m.aged() {
		return
	}
	m.startHook()
}

// aged begins the checks anew when they took so long that the list is too old
// to restart on.
func (m *Machine) aged() bool {
	s := m.step()
	if m.at.Sub(s.LeftoversAt) < m.set.Listed && m.at.Sub(s.since) < m.set.Listed {
		return false
	}
	s.since = m.at
	return true
}

// relisted lists again upon the yes (I6); a list with a shard that the question
// did not show asks again.
func (m *Machine) relisted() bool {
	s := m.step()
	if m.noAdmin {
		return true
	}
	l := m.shards(s.since)
	if l == nil {
		return false
	}
	if l.Err != nil {
		m.lackAdmin(l.Err)
		s.phaseEnd, s.leftoversAccepted = m.at, false
		m.enter(drainVerify)
		return false
	}
	shown := map[client.TenantShardID]bool{}
	for _, o := range s.Leftovers {
		shown[o.Shard] = true
	}
	s.Leftovers, s.LeftoversAt = m.reasons(attached(l.Shards)), l.At
	s.LeftoversGauge = int64(len(s.Leftovers))
	for _, o := range s.Leftovers {
		if !shown[o.Shard] {
			s.leftoversAccepted = false
			m.note(NoteAnomaly, "I6", "the list got longer since the question: "+plural(int64(len(s.Leftovers)), "shard")+" attached")
			m.enter(beforeRestart)
			return false
		}
	}
	return true
}

// undrained takes the typed wish to restart without a finished drain.
func (m *Machine) undrained(a Answer) {
	s := m.step()
	s.issue("restarted without a finished drain" + because(a.Reason))
	m.note(NoteAnomaly, "", "restart without a finished drain was chosen"+because(a.Reason))
	if m.state == RunHalted {
		m.state, m.why = RunRunning, ""
	}
	s.undone = true
	if ph := s.phase(PhaseDrain); ph.State != PhaseDone {
		m.endPhase(PhaseDrain, PhaseSkipped, "restart without a finished drain")
	}
	m.enter(undrainedCheck)
}

// undrainedCheck makes sure that no operation lives on the node, lists what
// will be unavailable, and then restarts (I4, I6).
func (m *Machine) undrainedCheck() {
	s := m.step()
	m.detail(PhaseRestart, "making sure that no operation runs")
	if m.stale() || m.hold.Reason != "" || !m.policyAgreed(1) {
		return
	}
	if m.noAdmin && m.operationMayLive() {
		m.blockAt(AskBusy, "D14", "policy "+string(s.seen.policy)+": an operation may still run on the node")
		return
	}
	if !m.slotProvenFree() {
		return
	}
	proof := m.process(s.since)
	if proof == nil || !m.undrainedListed() || m.aged() {
		return
	}
	m.startHook()
}

// slotProvenFree asks the controller, where the token allows it.
func (m *Machine) slotProvenFree() bool {
	if m.noAdmin {
		return !m.launchChanged() // after a re-attach the label proves nothing (C8)
	}
	p := m.slot(m.step().since)
	if p == nil {
		return false
	}
	if p.Err != nil {
		m.lackAdmin(p.Err)
		if !m.noAdmin {
			m.blockAt(AskRefused, "", p.Err.Error())
		}
		return false
	}
	if p.Op != nil && p.Op.Node == m.id() {
		m.blockBusy(AskBusy, "D14", p.Op.String()+" still runs", p.Op)
		return false
	}
	return true
}

func (m *Machine) undrainedListed() bool {
	s := m.step()
	if m.noAdmin {
		n, _ := m.node()
		s.LeftoversKnown, s.LeftoversAt, s.LeftoversGauge = false, m.at, n.Attached
		return true
	}
	l := m.shards(s.since)
	if l == nil {
		return false
	}
	if l.Err != nil {
		m.lackAdmin(l.Err)
		return false
	}
	s.Leftovers, s.LeftoversKnown, s.LeftoversAt = m.reasons(attached(l.Shards)), true, l.At
	s.LeftoversGauge = int64(len(s.Leftovers))
	return true
}

// startHook records the start, durably, and runs the command. There is no other
// place that does.
func (m *Machine) startHook() {
	s := m.step()
	s.ordinal["restart"]++
	eff := m.eff("restart")
	m.keepProcess()
	s.preLaunch, s.PreLaunch, s.PreBuild = s.launch, s.Launch, s.Build
	s.Launch, s.Build = time.Time{}, client.Build{}
	s.HookStart, s.HookEnd, s.HookTail, s.hooked, s.process = m.at, time.Time{}, nil, nil, HookBegan{}
	s.reattached, s.proven, s.unproven = false, false, ""
	s.ExposedShards = m.leftoverCount()
	s.touched, s.reads = true, 0
	m.enter(hookRunning)
	m.beginPhase(PhaseRestart, 0)
	m.calls.Hooks++
	pre := m.pre()
	if n := int(s.ExposedShards); n >= 0 {
		pre.AttShards = &n
	}
	m.record(journal.Record{
		Kind: journal.KindHookStart, Eff: eff, Att: 1, Cls: journal.ONCE, Call: m.hookLiteral(), Pre: pre,
	})
	if s.Plan.Hook == "" {
		s.HookEnd = m.at
		m.detail(PhaseRestart, "waiting for node "+m.id().String()+" to be restarted by hand")
		m.enter(restartProve)
		s.proveTill = m.at.Add(m.set.Hook + m.set.Proof)
		return
	}
	m.hook = inflight{eff: eff}
	m.emit(RunHook{Eff: eff, Node: s.Plan.Node, Attempt: s.ordinal["restart"], Launch: s.PreLaunch, LaunchMillis: s.preLaunch, Timeout: m.set.Hook})
}
