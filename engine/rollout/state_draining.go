package rollout

import (
	"fmt"
	"slices"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// drainReobserve: whether a drain of ours runs is not known. The cluster is
// read, and only then something is done (D1, D2, D19, D20).
func (m *Machine) drainReobserve() {
	s := m.step()
	if r := m.takeResult(); r != nil { // the repeated PUT of a token without Admin
		m.answered(drainOperation(), r.Err)
		return
	}
	if m.call.busy() || !m.policyAgreed(2) {
		return
	}
	switch s.seen.policy {
	case client.PolicyDraining:
		m.isDrainAlive()
	case client.PolicyPauseForRestart:
		m.keepEpoch()
		m.note(NoteInfo, "D1", "the drain was taken: policy PauseForRestart")
		m.drainBegan()
	case client.PolicyActive:
		if s.accepted {
			if m.sameProcess() {
				m.drainFellBack()
			}
			return
		}
		m.note(NoteInfo, "D2", "policy Active in two reads: the drain did not begin")
		if !m.again() {
			m.blockAt(AskRefused, "D2", "the drain did not begin after "+fmt.Sprint(s.attempt)+" attempts")
			return
		}
		m.enter(drainReq)
	default:
		m.blockAt(AskRefused, "D6", "policy "+string(s.seen.policy)+" after a drain was asked for")
	}
}

// isDrainAlive asks what holds the slot: with Admin by a probe that changes
// nothing, else by repeating the PUT, which the server refuses in telling
// words while the policy is Draining.
func (m *Machine) isDrainAlive() {
	if m.noAdmin {
		if m.maySend() {
			m.send(CallDrain)
		}
		return
	}
	m.isAlive(drainOperation())
}

// orphanRow: a drain that had begun was lost with the controller.
func (m *Machine) orphanRow() string {
	if m.step().accepted {
		return "D20"
	}
	return "D7"
}

// draining watches a drain that runs on the controller.
func (m *Machine) draining() {
	s := m.step()
	if m.stale() {
		m.detail(PhaseDrain, "the controller does not answer")
		return
	}
	if m.restartedEarly() {
		return
	}
	if m.epochChanged() {
		m.anotherLeads()
		return
	}
	switch s.seen.policy {
	case client.PolicyDraining:
		m.setDeciding(false) // so that its end has the leader read at once
		m.detail(PhaseDrain, "")
		m.drainLimits()
	case client.PolicyPauseForRestart:
		m.setDeciding(true)
		if m.policyAgreed(2) && m.epochConfirmed(s.seen.first) {
			m.drainEnded()
		}
	case client.PolicyActive:
		m.setDeciding(true)
		if m.policyAgreed(2) && (m.epochConfirmed(s.seen.first) || m.epochChanged()) && m.sameProcess() {
			m.drainFellBack()
		}
	default:
		if m.policyAgreed(2) {
			s.ours = ""
			m.blockAt(AskDrainEnded, "X5", "somebody set the policy to "+string(s.seen.policy))
		}
	}
}

// anotherLeads: the controller was restarted (D20), or another instance took
// over (D22). Either way it knows nothing of the drain.
func (m *Machine) anotherLeads() {
	s, row := m.step(), "D20"
	if now, _ := m.epochOf(); now.Address != s.epoch.Address {
		row = "D22"
	}
	m.note(NoteAnomaly, row, "another controller process leads since the drain began; everything is read again")
	s.epochMoved = true
	m.keepEpoch()
	m.enter(drainReobserve)
}

// sameProcess reports that the node's process was read since the policy
// changed and is the one from before: a re-attach sets Active too (D17).
func (m *Machine) sameProcess() bool {
	return m.process(m.step().seen.first) != nil && !m.restartedEarly()
}

// restartedEarly asks about a node that somebody restarted.
func (m *Machine) restartedEarly() bool {
	if !m.launchChanged() {
		return false
	}
	m.step().lingers = m.step().ours != ""
	m.blockAt(AskRestartedEarly, "D17", "the node's process was launched anew before this run restarted it")
	return true
}

// drainFellBack: Active after our drain is never a finished drain (N2).
func (m *Machine) drainFellBack() {
	s := m.step()
	s.ours = ""
	row, cause := "D18", "policy went back to Active: cancelled by somebody, or it failed"
	if m.epochChanged() || s.epochMoved {
		row, cause = "D19", "policy went back to Active: the controller was restarted"
	}
	m.blockAt(AskDrainEnded, row, cause)
}

// drainEnded: the policy is set as the operation's last act.
func (m *Machine) drainEnded() {
	s := m.step()
	s.ours, s.lingers = "", false
	s.phaseEnd = m.at
	m.emit(WatchShards{Node: s.Plan.Node, On: false})
	m.enter(drainVerify)
}

// drainLimits asks when nothing moves or the time is over; the drain goes on.
func (m *Machine) drainLimits() {
	s := m.step()
	s.lingers = s.lingers && s.reads == 0 // the label tells of it again
	ph := s.phase(PhaseDrain)
	if m.endUnwritten(ph) {
		return
	}
	m.limits(ph, "D13", "D14")
}

// endUnwritten: nothing has moved for long, and the slot does not hold the
// drain. The controller could not write its end (D24). It reports true while
// that is being asked, or was found so.
func (m *Machine) endUnwritten(ph *PhaseStatus) bool {
	stalled := ph.Progress.LastMove.Add(m.set.NoProgress)
	if m.noAdmin || !m.due(stalled) {
		return false
	}
	p := m.slot(stalled)
	switch {
	case p == nil:
		return m.prompt == nil
	case p.Err != nil:
		m.lackAdmin(p.Err)
		return false
	case p.Op != nil && p.Op.Node == m.id():
		return false
	case !m.snap.Nodes.At.After(p.At):
		return true // it may have ended between the two reads
	}
	m.step().ours = ""
	m.blockAt(AskOrphan, "D24", "policy Draining, nothing moves, and the operation slot is free: the end of the drain was not written")
	return true
}

// limits asks about a phase that does not move or takes too long. The
// operation goes on meanwhile, and its end answers the question too.
func (m *Machine) limits(ph *PhaseStatus, stuckRow, totalRow string) {
	stuck := m.due(ph.Progress.LastMove.Add(m.set.NoProgress))
	over := m.due(ph.Deadline)
	if !stuck && !over {
		if m.prompt != nil {
			m.clearPrompt()
		}
		ph.State = PhaseRunning
		return
	}
	q := question{ask: AskNoProgress, row: stuckRow, cause: "nothing has moved for " + m.set.NoProgress.String()}
	if over {
		q = question{ask: AskDeadline, row: totalRow, cause: "the time limit is reached and it still runs"}
	}
	ph.Progress.Blocking = m.blocking(ph.Progress.LastMove)
	q.choices = m.limitChoices()
	m.put(q)
}

func (m *Machine) limitChoices() []Choice {
	kind := CallCancelDrain
	out := []Choice{wait("keep waiting; the limit starts anew")}
	if m.step().fsm == filling {
		kind = CallCancelFill
	}
	out = append(out, Choice{Word: WordCancel, Does: m.literal(kind) + ", then ask again"})
	if m.step().fsm == draining {
		out = append(out, m.undrainedChoice())
	}
	return m.always(out...)
}

// drainVerify lists what a drain left behind. "Drained" is this list, not the
// policy (N3, C17).
func (m *Machine) drainVerify() {
	s := m.step()
	if m.stale() {
		return
	}
	if m.epochChanged() {
		m.note(NoteAnomaly, "D19", "another controller process leads since the drain ended; the shards are listed on it")
		m.keepEpoch()
		s.phaseEnd = m.at
	}
	known, ok := m.leftovers(s.phaseEnd)
	if !ok {
		return
	}
	if known && m.nothingMoved() {
		m.endPhase(PhaseDrain, PhaseFailed, "nothing moved")
		cause := fmt.Sprintf("all %d shards are still attached", len(s.Leftovers))
		if s.accepted && s.ordinal[CallDrain.phase()] > 0 && !s.epochMoved {
			cause = "the drain ended and moved nothing (lag or unknown): " + cause
		}
		m.blockAt(AskNotDrained, "D16", cause)
		return
	}
	m.endPhase(PhaseDrain, PhaseDone, "")
	m.leftoverIssue()
	if m.plan.Goal == GoalDrain {
		s.AttachedAfter = m.leftoverCount()
		m.doneStep()
		return
	}
	m.enter(beforeRestart)
}

// leftovers fills in what is still attached, from a list read since t or, where
// the token does not allow it, from a gauge that has been renewed twice (I6).
func (m *Machine) leftovers(t time.Time) (known, ok bool) {
	s := m.step()
	if !m.noAdmin {
		l := m.shards(t)
		if l == nil {
			return false, false
		}
		if l.Err == nil {
			s.Leftovers = m.reasons(attached(l.Shards))
			s.LeftoversKnown, s.LeftoversAt = true, l.At
			s.LeftoversGauge = int64(len(s.Leftovers))
			return true, true
		}
		m.lackAdmin(l.Err)
		if !m.noAdmin {
			m.blockAt(AskRefused, "", l.Err.Error())
			return false, false
		}
	}
	renewed := t.Add(2 * m.set.GaugeRefresh)
	m.detail(PhaseDrain, "waiting for the gauge of attached shards to be renewed twice")
	n, _ := m.node()
	if !m.due(renewed) || !m.snap.Metrics.Known() || m.snap.Metrics.At.Before(renewed) {
		return false, false
	}
	s.Leftovers, s.LeftoversKnown, s.LeftoversAt = nil, false, m.snap.Metrics.At
	s.LeftoversGauge = n.Attached
	return false, true
}

// reasons says why each shard stayed, as far as the plan knew.
func (m *Machine) reasons(shards []client.TenantShardID) []Leftover {
	out := make([]Leftover, len(shards))
	for i, id := range shards {
		out[i] = Leftover{Shard: id, Reason: LagOrUnknown}
		for _, stay := range m.step().Plan.Stay {
			if stay.Shard == id {
				out[i].Reason, out[i].Planned = stay.Reason, true
			}
		}
	}
	return out
}

// unplanned counts the leftovers that the confirmed plan did not list.
func (s *step) unplanned() int {
	n := 0
	for _, l := range s.Leftovers {
		if !l.Planned {
			n++
		}
	}
	return n
}

// nothingMoved: as many as before are attached, though the plan had some move.
func (m *Machine) nothingMoved() bool {
	s := m.step()
	return s.beforeKnown && len(s.before) > 0 && len(s.Leftovers) >= len(s.before) && s.unplanned() > 0 &&
		!slices.ContainsFunc(s.before, func(id client.TenantShardID) bool {
			return !slices.ContainsFunc(s.Leftovers, func(l Leftover) bool { return l.Shard == id })
		})
}

func (m *Machine) leftoverCount() int64 {
	s := m.step()
	if s.LeftoversKnown {
		return int64(len(s.Leftovers))
	}
	return s.LeftoversGauge
}

// leftoverIssue puts what stayed into the report.
func (m *Machine) leftoverIssue() {
	s := m.step()
	n, extra := m.leftoverCount(), s.unplanned()
	switch {
	case n < 0:
		s.issue("how many shards stayed is not known")
	case n == 0:
	case s.LeftoversKnown && extra == 0:
		s.issue(plural(n, "shard") + " stayed, as planned")
	case s.LeftoversKnown:
		s.issue(fmt.Sprintf("%s stayed, %d of them not in the plan", plural(n, "shard"), extra))
	default:
		s.issue(plural(n, "shard") + " stayed by the gauge; the list was not readable")
	}
}

func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
