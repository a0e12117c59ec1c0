package rollout

import (
	"cmp"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/journal"
)

// absorb takes an event's facts in. What they mean is for the states to say.
func (m *Machine) absorb(ev Event) {
	m.passTime(ev.at())
	switch e := ev.(type) {
	case Observed:
		m.full, m.unlocked = e.Full, e.Unlocked
		m.observe(e.Snapshot)
	case Listed:
		take(&m.work().list, e.Tag, e)
	case ProofRead:
		take(&m.work().proof, e.Tag, e)
	case Probed:
		m.probed(e)
	case Located:
		take(&m.work().locate, e.Tag, e)
	case MovedDescribed:
		m.movedTold(e)
	case CallEnded:
		m.callEnded(e)
	case HookOutput:
		m.hookOutput(e)
	case HookBegan:
		m.hookBegan(e)
	case HookEnded:
		m.hookEnded(e)
	case JournalFailed:
		m.journalFailed(e)
	case Interrupted:
		m.interrupt(e)
	case WokeUp:
		m.wokeUp(e)
	}
	m.holdOrRelease()
}

// probed: a slot that is free, or holds something else, ends all doubt.
func (m *Machine) probed(e Probed) {
	s := m.work()
	if !take(&s.probe, e.Tag, e) {
		return
	}
	m.recordProbe(e)
	if e.Err == nil && (e.Op == nil || e.Op.Node != s.Plan.Node) {
		s.lingers = false
	}
}

// work is the current step, or a place for late answers when there is none.
func (m *Machine) work() *step {
	if m.cur < len(m.steps) {
		return &m.steps[m.cur]
	}
	return &step{}
}

// passTime moves on to t. The limits of a phase stand still while the run is
// held or paused.
func (m *Machine) passTime(t time.Time) {
	if t.Before(m.at) {
		return
	}
	passed := t.Sub(m.at)
	frozen := m.hold.Reason != "" || m.state == RunPaused
	if frozen && !m.at.IsZero() && m.cur < len(m.steps) {
		m.step().shift(passed)
	}
	m.at = t
}

// shift moves the step's limits by d.
func (s *step) shift(d time.Duration) {
	later := func(t *time.Time) {
		if !t.IsZero() {
			*t = t.Add(d)
		}
	}
	later(&s.until)
	later(&s.bakeTill)
	for i := range s.Phases {
		if s.Phases[i].State == PhaseRunning || s.Phases[i].State == PhaseBlocked {
			later(&s.Phases[i].Deadline)
			later(&s.Phases[i].Progress.LastMove)
		}
	}
}

// observe takes a picture of the cluster. A node list counts once: the reads
// that must agree are different reads.
func (m *Machine) observe(s *cluster.Snapshot) {
	if s == nil {
		return
	}
	newer := m.snap == nil || s.Nodes.At.After(m.snap.Nodes.At)
	m.snap = s
	m.keepFigures()
	if newer && s.Nodes.Err == nil && m.cur < len(m.steps) {
		m.reread = time.Time{}
		m.read(m.step())
	}
	if m.cur < len(m.steps) {
		m.track()
	}
	m.happened()
}

// read counts one good read of the node list for the current node.
func (m *Machine) read(s *step) {
	s.reads++
	n, ok := m.snap.Node(s.Plan.Node)
	if !ok {
		s.lost++
		s.seen = reading{}
		return
	}
	s.lost = 0
	if n.Scheduling != s.seen.policy {
		s.seen.samePolicy, s.seen.first = 0, m.at
		s.seen.same = 0
	}
	if n.Availability != s.seen.avail {
		s.seen.same = 0
	}
	s.seen.policy, s.seen.avail = n.Scheduling, n.Availability
	s.seen.samePolicy++
	s.seen.same++
	if !s.HookStart.IsZero() && (n.Availability == client.AvailabilityWarmingUp || n.Scheduling == client.PolicyActive && !s.undone) {
		s.reattached = true
	}
}

// stale reports that the node list may not be acted upon.
func (m *Machine) stale() bool {
	return m.snap == nil || m.snap.Nodes.Err != nil || m.snap.Nodes.At.Before(m.awake) || m.snap.Stale(m.at)
}

// fresh is the opposite, for the states that ask: a question that rests on a
// picture too old to act upon is taken back.
func (m *Machine) fresh() bool {
	if m.snap != nil && m.snap.Nodes.Known() && m.due(m.snap.Nodes.At.Add(cluster.StaleAfter)) {
		m.clearPrompt()
	}
	return !m.stale()
}

// node is the current node as last read; false when it is not in the list.
func (m *Machine) node() (cluster.Node, bool) {
	if m.snap == nil {
		return cluster.Node{}, false
	}
	return m.snap.Node(m.id())
}

// agreed reports that at least n reads in a row, all after our last change,
// show what is shown now. It sees to it that the missing ones are made.
func (m *Machine) agreed(n int) bool {
	s := m.step()
	if !m.stale() && min(s.reads, s.seen.same) >= n {
		return true
	}
	m.another()
	return false
}

// policyAgreed is agreed about the policy alone.
func (m *Machine) policyAgreed(n int) bool {
	s := m.step()
	if !m.stale() && min(s.reads, s.seen.samePolicy) >= n {
		return true
	}
	m.another()
	return false
}

// another asks for one more read of the node list, not too soon after the last.
func (m *Machine) another() {
	if m.snap == nil || m.snap.Nodes.Err != nil {
		return // the poller is on it
	}
	if !m.reread.IsZero() {
		m.due(m.reread.Add(cluster.StaleAfter))
		if m.at.Sub(m.reread) < cluster.StaleAfter {
			return
		}
	}
	if m.due(m.snap.Nodes.At.Add(m.set.Reread)) {
		m.reread = m.at
		m.emit(Hurry{})
	}
}

// epochOf is the leader that a snapshot shows.
func (m *Machine) epochOf() (cluster.Epoch, bool) {
	if m.snap == nil || !m.snap.Leader.Known() {
		return cluster.Epoch{}, false
	}
	return m.snap.Leader.Value, true
}

// keepEpoch makes the present leader the one that the phase rests on.
func (m *Machine) keepEpoch() {
	s := m.step()
	s.epoch, s.epochKnown = m.epochOf()
}

// epochChanged reports another life of the controller than the phase began on.
func (m *Machine) epochChanged() bool {
	s := m.step()
	now, ok := m.epochOf()
	return ok && s.epochKnown && !now.Same(s.epoch)
}

// epochConfirmed reports that the leader was read since t and is still the one
// that the phase began on. Where nothing tells one leader from the next, the
// gate leader_stable has said so, and it holds nothing up here.
func (m *Machine) epochConfirmed(t time.Time) bool {
	if !m.step().epochKnown {
		_, ok := m.epochOf()
		return !ok
	}
	return m.snap.Leader.At.After(t) && !m.epochChanged()
}

// launchChanged reports another process than the one the phase began with.
func (m *Machine) launchChanged() bool {
	s := m.step()
	now := m.launchNow()
	return s.launch != 0 && now != 0 && now != s.launch
}

// launchNow is the node's launch time in ms as last read; 0 = unknown.
func (m *Machine) launchNow() int64 {
	launch, _ := m.launchRead()
	return launch
}

// launchRead also says when that was read.
func (m *Machine) launchRead() (launch int64, readAt time.Time) {
	if n, ok := m.node(); ok && n.Process.Known() {
		launch, readAt = n.Process.Value.LaunchMillis, n.Process.At
	}
	if p := m.step().proof.got; p != nil && p.Err == nil && p.At.After(readAt) {
		launch, readAt = p.Info.LaunchMillis, p.At
	}
	return launch, readAt
}

// keepLaunch makes the present process the one that the phase rests on.
func (m *Machine) keepLaunch() { m.step().launch = m.launchNow() }

func (m *Machine) callEnded(e CallEnded) {
	if e.Eff != m.call.eff || e.Eff == "" {
		return
	}
	s := m.work()
	m.record(journal.Record{Kind: journal.KindResult, Eff: e.Eff, Att: s.attempt, Cls: m.call.kind.class(), Call: m.call.kind.Literal(s.Plan.Node)}.
		With(resultOf(e)))
	if e.Held != "" {
		m.count(m.call.kind, -1)
	}
	if e.Err == nil && e.Held == "" && e.Seen == "" {
		m.note(NoteInfo, "", m.call.kind.accepted(s.Plan.Node))
	}
	m.call = inflight{}
	s.result = &e
	s.reads = 0
	m.emit(Hurry{})
}

// journalFailed: nothing may be sent any more. What was about to be is not in
// flight, since its record came first.
func (m *Machine) journalFailed(e JournalFailed) {
	m.broken = e.Err
	if e.Unsent {
		m.call, m.hook = inflight{}, inflight{}
	}
}

func (m *Machine) interrupt(e Interrupted) {
	switch e.Kind {
	case Pause:
		if m.state == RunRunning {
			m.pausing, m.why = true, e.Why
		}
	case PauseLater:
		if m.state == RunRunning && !m.pausing {
			m.pausingLater, m.why = true, e.Why
			m.note(NoteInfo, "", "the run pauses when this phase is over"+because(e.Why))
		}
	case Detach, Abandon:
		m.abandoned = m.abandoned || e.Kind == Abandon
		m.leaving, m.why, m.killed = e.Why, e.Why, cmp.Or(m.killed, e.Exit)
		if m.leaving == "" {
			m.leaving = "detached"
		}
	}
}

// holdOrRelease freezes the run while the controller has been silent for long, or
// refuses the token, and observes everything anew once it is back (N6, D11).
func (m *Machine) holdOrRelease() {
	if m.snap == nil || m.state == RunReady {
		return
	}
	if err := m.snap.Nodes.Err; err != nil {
		m.hush(err)
		return
	}
	silence := m.at.Sub(m.silentSince).Round(time.Second).String()
	switch {
	case m.hold.Refused:
		m.note(NoteInfo, "D11", "the controller takes the token again after "+silence)
	case m.hold.Reason != "", m.saidSilent:
		m.note(NoteInfo, "D21", "the controller answers again after "+silence)
	}
	m.hold, m.saidSilent = Hold{}, false
}

// hush takes in that the node list cannot be read just now.
func (m *Machine) hush(err error) {
	m.silentSince = m.snap.Nodes.Since
	refused := client.KindOf(err) == client.Unauthorized
	limit, why, row := m.set.HoldAfter, "the controller does not answer: ", "D21"
	if refused {
		limit, why, row = m.set.RefusedAfter, "the controller refuses the token: ", "D11"
	}
	switch {
	case m.hold.Reason == "" && m.due(m.silentSince.Add(limit)), m.hold.Reason != "" && m.hold.Refused != refused:
		m.hold = Hold{Reason: why + err.Error(), Since: m.silentSince, Refused: refused}
		m.note(NoteError, row, m.hold.Reason)
	case m.hold.Reason == "" && !m.saidSilent && m.due(m.silentSince.Add(m.set.SilentAfter)):
		m.saidSilent = true
		m.note(NoteError, row, why+err.Error()+"; it is asked again and again")
	}
	if m.cur < len(m.steps) {
		m.step().reads = 0
	}
}
