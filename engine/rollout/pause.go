package rollout

import (
	"cmp"

	"github.com/StorconTUI/storcon-tui/engine/journal"
)

// pauseHere stops the run. What runs on the controller goes on. The record says
// which of the two pauses it is.
func (m *Machine) pauseHere() {
	at := "now"
	if !m.pausing {
		at = "boundary"
	}
	m.pausing, m.pausingLater = false, false
	m.state = RunPaused
	m.clearPrompt()
	m.record(journal.Record{Kind: journal.KindPause, Durable: true, Why: m.why}.With(map[string]string{"at": at}))
	m.note(NoteInfo, "", "paused"+because(m.why))
	m.turns = true
}

// askPaused is the menu of a paused run.
func (m *Machine) askPaused() {
	choices := []Choice{{Word: WordResume, Does: "go on where it stands; what comes next is asked about"}}
	if m.cur < len(m.steps) {
		choices = append(choices, m.pausedCancel()...)
	}
	choices = append(choices,
		Choice{Word: WordAbort, Does: "end the run: put this node back, leave the others untouched"},
		Choice{Word: WordDetach, Does: "leave; what runs on the controller goes on"},
	)
	m.put(question{ask: AskPaused, cause: m.whatRuns(), choices: choices})
}

// pausedCancel offers to cancel what runs for us.
func (m *Machine) pausedCancel() []Choice {
	s := m.step()
	if s.fsm != draining && s.fsm != filling {
		return nil
	}
	kind := CallCancelDrain
	if s.fsm == filling {
		kind = CallCancelFill
	}
	return []Choice{{Word: WordCancel, Does: m.literal(kind) + ", then ask again"}}
}

// whatRuns says exactly what is left if everybody walks away now (P1).
func (m *Machine) whatRuns() string {
	if m.cur >= len(m.steps) || m.snap == nil {
		return "nothing of this run is under way"
	}
	if l := m.whatStands(*m.step(), ""); l.State != "" && (m.step().touched || m.step().ours != "") {
		return "node " + l.Node.String() + ": " + l.State
	}
	return "nothing of this run is under way on node " + m.id().String()
}

// resume takes a paused or halted run up again. Every state looks at the newest
// facts, so nothing has to be restored.
func (m *Machine) resume() {
	if m.state != RunPaused && m.state != RunHalted {
		return
	}
	m.record(journal.Record{Kind: journal.KindResume})
	m.state, m.why = RunRunning, ""
	if m.cur < len(m.steps) {
		s := m.step()
		s.reads = 0
		if s.fsm == blocked && s.block.ask == AskHalted {
			m.enter(m.stateAgain())
		}
	}
	m.turns = true
}

// stateAgain is where a halted step is looked at again.
func (m *Machine) stateAgain() nodeState {
	s := m.step()
	switch s.blockPhase {
	case PhaseRestart:
		if s.HookStart.IsZero() {
			return beforeRestart
		}
		return awaitReady
	case PhaseFill:
		return beforeFill
	case PhaseVerify:
		return verifying
	case PhaseBake:
		return baking
	case PhaseCancel:
		return cancelling
	case PhaseActivate:
		return beforeActivate
	}
	return beforeDrain
}

// outageAsked asks when the controller has been silent beyond the budget (D21), and
// at once when it refuses the token, which no waiting cures by itself (D11).
func (m *Machine) outageAsked() bool {
	if m.hold.Reason == "" {
		if m.askedOutage && m.prompt != nil {
			m.clearPrompt()
		}
		m.askedOutage = false
		return false
	}
	m.askedOutage = true
	if m.hold.Refused {
		m.put(question{ask: AskUnauthorized, row: "D11", cause: m.hold.Reason, choices: []Choice{
			{Word: WordDetach, Does: "leave; what runs on the controller goes on"},
		}})
		return true
	}
	if !m.due(m.hold.Since.Add(m.set.OutageBudget + m.patience)) {
		m.clearPrompt() // an answer given now could not be acted upon
		return true
	}
	m.put(question{ask: AskUnreachable, row: "D21", cause: "no good answer since " + m.hold.Since.UTC().Format("15:04:05"), choices: []Choice{
		wait("keep trying for as long again"),
		{Word: WordDetach, Does: "leave; what runs on the controller goes on"},
	}})
	return true
}

// endDetached leaves. The journal stays open, so the next start shows the run,
// unless nothing was ever sent.
func (m *Machine) endDetached() {
	if m.belief != nil {
		m.leaveUntaken()
		return
	}
	m.unfilled()
	left := m.leftBehindAll()
	m.record(journal.Record{Kind: journal.KindLostTerminal, Why: m.leaving}.With(m.abandonedHook(leftLines(left))))
	o := Outcome{Exit: ExitPaused, Word: "detached", Left: left}
	switch {
	case m.state == RunAborting && len(left) > 0:
		o.Exit, o.Word = ExitAbortedDirty, "aborted, not clean"
	case m.state == RunHalted:
		o.Exit, o.Word = ExitHalted, "halted"
		o.Issues = []string{m.why}
	}
	m.heldUnattended(&o)
	if m.calls.Mutating() == 0 && m.calls.Hooks == 0 {
		o.Word += " before anything was changed"
		o.Exit = cmp.Or(m.killed, o.Exit)
		m.finish(o)
		return
	}
	m.leave(o)
}

// leftBehindAll also names a node that is between two phases.
func (m *Machine) leftBehindAll() []LeftBehind {
	if m.snap == nil {
		return nil
	}
	return m.leftBehind("")
}

// endBroken: without a journal nothing more may be done (E18).
func (m *Machine) endBroken() {
	if !m.idle() && !(m.leaving != "" && m.mayLeave()) {
		return
	}
	m.state = RunHalted
	m.leave(Outcome{
		Exit: ExitJournal, Word: "halted: the journal cannot be written", Left: m.leftBehindAll(),
		Issues: []string{"journal: " + m.broken.Error()},
	})
}

func leftLines(left []LeftBehind) []string {
	out := make([]string, len(left))
	for i, l := range left {
		out[i] = "node " + l.Node.String() + ": " + l.State + " | " + l.Command
	}
	return out
}
