package rollout

import (
	"fmt"

	"github.com/StorconTUI/storcon-tui/client"
)

// blocked asks what to do about trouble, and looks whether the cluster has
// answered meanwhile.
func (m *Machine) blocked() {
	s := m.step()
	if m.unblocked() {
		return
	}
	if m.state == RunAborting && s.block.ask != AskCleanup {
		s.block.ask = AskCleanup
	}
	m.put(question{ask: s.block.ask, row: s.block.row, cause: s.block.cause, busy: s.block.busy, choices: m.blockedChoices()})
}

// unblocked: what a question was about may have come to pass.
func (m *Machine) unblocked() bool {
	s := m.step()
	if m.stale() || m.state == RunHalted {
		return false
	}
	switch s.block.ask {
	case AskRestartUnproven, AskHookFailed:
		return m.provenLate()
	case AskNotBack:
		return m.settled() && m.agreed(2) && m.goOn(m.stateAgain())
	case AskNodeDown:
		return s.seen.avail == client.AvailabilityActive && m.agreed(2) && m.goOn(beforeDrain)
	case AskGone:
		return m.foundAgain()
	case AskBusy:
		return s.waiting && m.slotLooksFree() && m.goOn(m.stateAgain())
	}
	return false
}

// goOn enters a state and reports that the question is over.
func (m *Machine) goOn(to nodeState) bool {
	m.enter(to)
	return true
}

// foundAgain: the node is in the list again.
func (m *Machine) foundAgain() bool {
	s := m.step()
	if s.reads == 0 || s.lost > 0 || s.goneFrom == pending {
		return false
	}
	m.note(NoteInfo, "D10", "the node is in the list again")
	return m.goOn(s.goneFrom)
}

// provenLate goes on reading the process: a late restart answers the question.
func (m *Machine) provenLate() bool {
	if !m.step().proven && m.proves() {
		return true
	}
	m.process(m.proofSince())
	return false
}

// blockedChoices are the answers to a question about trouble; the first is what
// the evidence supports.
func (m *Machine) blockedChoices() []Choice {
	s := m.step()
	switch s.block.ask {
	case AskBusy:
		return m.busyChoices()
	case AskNodeDown:
		return m.always(wait("wait for the node"), m.undrainedChoice(), m.skipChoice())
	case AskOrphan:
		return m.orphanChoices()
	case AskDrainedEarlier:
		return m.always(accept("list what is still attached and go on as drained", false), m.resetChoice(", then drain"), m.skipChoice())
	case AskDrainEnded, AskPolicyLost:
		return m.always(retry(m.literal(CallDrain)+", after the gates and another question"), m.undrainedChoice(), m.skipChoice())
	case AskNotDrained:
		return m.always(m.resetChoice(", then drain again"), m.undrainedChoice(), m.skipChoice())
	case AskDeadline:
		return m.always(wait("keep waiting"), m.skipChoice())
	case AskRestartedEarly:
		return m.always(wait("wait for the operation to end, then count the restart as done"), retry("drain again once its operation has ended"), m.skipChoice())
	case AskHookFailed, AskRestartUnproven, AskNotBack, AskPausedAfter:
		return m.restartChoices()
	case AskGone:
		return m.always(Choice{Word: WordSkip, Does: "go on with the next node"})
	case AskHalted:
		return m.haltedChoices()
	case AskCleanup:
		return m.cleanupChoices()
	}
	return m.always(retry("try again, from the newest facts"), m.skipChoice())
}

// restartChoices answer the questions about a restart.
func (m *Machine) restartChoices() []Choice {
	switch m.step().block.ask {
	case AskHookFailed:
		return m.hookFailedChoices()
	case AskNotBack:
		return m.notBackChoices()
	case AskPausedAfter:
		return m.always(m.resetChoice(""), wait("look again"))
	}
	return m.always(wait("keep looking for a new launch time"), m.hookAgainChoice(),
		accept("go on although nothing proves the restart", true), m.skipChoice())
}

func accept(does string, typed bool) Choice {
	return Choice{Word: WordAccept, Does: does, TypeID: typed, Reason: typed}
}

func (m *Machine) busyChoices() []Choice {
	s := m.step()
	does := "wait until it has ended, then send what was confirmed"
	if s.waiting {
		does = "go on waiting"
	}
	out := []Choice{wait(does), retry("look again")}
	if s.block.row == "D4" && s.block.busy != nil && s.block.busy.Kind == client.OperationDrain {
		out = append(out, accept("take the running drain over as this run's", true))
	}
	return m.always(append(out, m.skipChoice())...)
}

func (m *Machine) orphanChoices() []Choice {
	s := m.step()
	out := []Choice{m.resetChoice(", then go on from there")}
	if s.seen.policy == client.PolicyDraining && s.blockPhase == PhaseDrain {
		undrained := m.undrainedChoice()
		if m.plan.Goal == GoalRestart && !m.noAdmin {
			undrained.Off = "" // the slot is asked again before the command runs
		}
		out = append(out, undrained)
	}
	return m.always(append(out, m.skipChoice())...)
}

func (m *Machine) hookFailedChoices() []Choice {
	s := m.step()
	if s.proven {
		return m.always(accept("count the restart as done: another process runs", false))
	}
	again := m.hookAgainChoice()
	if s.hooked != nil && s.hooked.Result.Nothing {
		again.TypeID = false
	}
	return m.always(again,
		Choice{Word: WordManual, Does: "wait: I restart the node by hand"},
		accept("go on although nothing proves the restart", true), m.skipChoice())
}

// hookAgainChoice runs the command another time, under a key of its own.
func (m *Machine) hookAgainChoice() Choice {
	return Choice{Word: WordRetry, Does: "run once more: " + m.hookLiteral(), TypeID: true}
}

func (m *Machine) notBackChoices() []Choice {
	s := m.step()
	out := []Choice{wait(fmt.Sprintf("wait %s more", m.set.Reattach))}
	if !s.HookStart.IsZero() && !s.proven {
		out = append(out, m.hookAgainChoice())
	}
	return m.always(append(out, m.skipChoice())...)
}

func (m *Machine) haltedChoices() []Choice {
	s := m.step()
	out := []Choice{retry("look again from the newest facts")}
	if s.blockPhase == PhaseDrain && m.plan.Goal == GoalRestart {
		out = append(out, m.undrainedChoice())
	}
	return m.always(append(out, m.skipChoice())...)
}

func (m *Machine) cleanupChoices() []Choice {
	return []Choice{
		retry("try again to put the node back"),
		{Word: WordDetach, Does: "leave it as it stands; it is named with the command that puts it right"},
	}
}
