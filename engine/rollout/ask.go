package rollout

import (
	"fmt"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/gate"
	"github.com/StorconTUI/storcon-tui/engine/journal"
)

// question is what a state wants to know.
type question struct {
	ask     Ask
	row     string
	cause   string
	literal string
	busy    *client.Operation
	gates   []gate.Result
	choices []Choice
	resume  []ResumeLine
}

// proposes reports a question of the regular path: it proposes the next phase.
func (q question) proposes() bool { return q.ask <= AskActivate && q.row == "" }

// put asks, or leaves the question that stands as it is when neither it nor
// what it rests on has changed. A question that got old is put anew under
// another ID, with fresh facts.
func (m *Machine) put(q question) {
	m.stands = true
	mark := m.markOf(q)
	if m.prompt != nil && m.mark == mark && !m.due(m.prompt.Expires) {
		return
	}
	m.asked++
	p := &Prompt{
		ID: fmt.Sprintf("q%d", m.asked), Ask: q.ask, Row: q.row, Node: m.id(),
		Literal: q.literal, Cause: q.cause, Choices: q.choices,
		Evidence: m.evidence(q), Asked: m.at, Expires: m.at.Add(m.set.Answer),
	}
	if m.cur < len(m.steps) {
		s := m.step()
		p.Addr, p.AZ = s.Plan.Addr, s.Plan.AZ
		m.showAsked(q)
	}
	m.prompt, m.mark = p, mark
	m.setDeciding(false) // a person decides now; the leader is read anew upon the answer
	m.due(p.Expires)
	m.record(journal.Record{Kind: journal.KindPrompt}.With(promptRecord(*p)))
	m.noticeTrouble(q)
	m.answerStanding(q)
	m.answerPolicy(q)
}

// markOf is what an answer to the question would rest on.
func (m *Machine) markOf(q question) string {
	var b strings.Builder
	fmt.Fprint(&b, q.ask, q.row, q.cause, q.literal, m.id())
	if q.busy != nil {
		fmt.Fprint(&b, *q.busy)
	}
	for _, c := range q.choices {
		fmt.Fprint(&b, c.Word, c.Gate, c.Off, c.TypeID)
	}
	for _, g := range q.gates {
		fmt.Fprint(&b, g.Gate, g.Verdict, g.Overridden != nil)
	}
	if m.cur < len(m.steps) {
		s := m.step()
		fmt.Fprint(&b, s.seen.policy, s.seen.avail, m.launchNow(), s.LeftoversKnown, s.LeftoversGauge)
		for _, l := range s.Leftovers {
			fmt.Fprint(&b, l.Shard)
		}
	}
	e, _ := m.epochOf()
	fmt.Fprint(&b, e.String())
	return b.String()
}

// clearPrompt takes the question back.
func (m *Machine) clearPrompt() { m.prompt, m.mark = nil, "" }

// goOnWaiting says since when a person is waited for, which another question in the place
// of one that nobody has answered does not change.
func (m *Machine) goOnWaiting(before *Prompt, ev Event) {
	p := m.prompt
	if p == nil || !p.Since.IsZero() {
		return
	}
	p.Since = p.Asked
	if _, answered := ev.(Answered); before != nil && !answered {
		p.Since = before.Since
	}
}

// showAsked puts the question into the phase that it is about.
func (m *Machine) showAsked(q question) {
	s := m.step()
	phase := s.phaseOf(s.fsm)
	if phase == 0 {
		return
	}
	ph := s.phase(phase)
	ph.Asked = m.at
	ph.State = PhaseBlocked
	if q.proposes() {
		ph.State = PhaseAsking
	}
}

// noticeTrouble notes a question about trouble once, however often it is put.
func (m *Machine) noticeTrouble(q question) {
	if q.proposes() || q.ask == AskPaused || q.ask == AskResume {
		return
	}
	key := fmt.Sprint(m.cur, q.ask, q.row, q.cause)
	if key == m.lastAsk {
		return
	}
	m.lastAsk = key
	text := askWord(q.ask)
	if q.cause != "" {
		text += ": " + q.cause
	}
	if q.ask == AskGate {
		m.noteGate(q.row, text)
		return
	}
	m.note(NoteAnomaly, q.row, text)
}

// evidence is what the cluster shows while the question is put.
func (m *Machine) evidence(q question) Evidence {
	e := Evidence{Attached: m.attachedNow(), Pending: -1, Gates: q.gates, Busy: q.busy, Resume: q.resume}
	if m.snap != nil && m.snap.Metrics.Known() {
		e.Pending = m.snap.Metrics.Value.PendingReconciles
	}
	if m.cur >= len(m.steps) {
		return e
	}
	s := m.step()
	e.Policy, e.Availability, e.PolicySince = s.seen.policy, s.seen.avail, s.seen.first
	e.Leftovers, e.LeftoversKnown, e.ListedAt = s.Leftovers, s.LeftoversKnown, s.LeftoversAt
	_, led := m.epochOf()
	e.EpochStable = led && !m.epochChanged() // a step that has not begun rests on the leader of now
	e.HookTail, e.PreLaunch = s.HookTail, s.PreLaunch
	if l := m.launchNow(); l != 0 {
		e.Launch = time.UnixMilli(l)
	}
	if q.ask == AskFill && s.AttachedBefore > 0 {
		e.SkipMinutes = float64(s.AttachedBefore) / 48 // 16 shards each 20 s (C15)
	}
	return e
}

// promptRecord is what the journal keeps of a question.
func promptRecord(p Prompt) any {
	words := make([]string, len(p.Choices))
	for i, c := range p.Choices {
		words[i] = string(c.Word)
	}
	return map[string]any{
		"id": p.ID, "ask": askWord(p.Ask), "row": p.Row, "literal": p.Literal, "cause": p.Cause,
		"choices": words, "expires": p.Expires.UTC(), "policy": p.Evidence.Policy,
		"availability": p.Evidence.Availability, "leftovers": len(p.Evidence.Leftovers),
		"leftovers_known": p.Evidence.LeftoversKnown, "attached": p.Evidence.Attached,
	}
}

var askWords = map[Ask]string{
	AskDrain: "drain?", AskRestart: "restart?", AskFill: "fill?", AskCancel: "cancel?", AskActivate: "set Active?",
	AskBusy:            "the controller's operation slot is taken",
	AskNodeDown:        "the node is not up and not drained",
	AskOrphan:          "the policy tells of an operation that does not run",
	AskDrainedEarlier:  "the node was drained before this run",
	AskDrainEnded:      "the drain did not complete",
	AskNotDrained:      "the policy says drained, but nothing moved",
	AskNoProgress:      "nothing moves",
	AskDeadline:        "the time limit is reached",
	AskRestartedEarly:  "the node was restarted outside the plan",
	AskHookFailed:      "the restart command failed",
	AskRestartUnproven: "the restart is not proven",
	AskNotBack:         "the node is not back",
	AskPausedAfter:     "the node is back but left in PauseForRestart",
	AskPolicyLost:      "the policy changed before the restart",
	AskRefused:         "the controller refused",
	AskGate:            "a gate holds",
	AskHalted:          "the run is halted",
	AskGone:            "the node is gone",
	AskUnreachable:     "the controller does not answer",
	AskUnauthorized:    "the token does not allow it",
	AskPaused:          "the run is paused",
	AskCleanup:         "something is left to put right",
	AskResume:          "take the run up again?",
}

func askWord(a Ask) string { return askWords[a] }

// shapes of choices that several questions share.

func yes(does string) Choice { return Choice{Word: WordYes, Does: does} }

func retry(does string) Choice { return Choice{Word: WordRetry, Does: does} }

func wait(does string) Choice { return Choice{Word: WordWait, Does: does} }

// always are the ways out that every question has.
func (m *Machine) always(choices ...Choice) []Choice {
	return append(choices,
		Choice{Word: WordNo, Does: "pause here; nothing is sent"},
		Choice{Word: WordAbort, Does: "end the run: put this node back, leave the others untouched"},
		Choice{Word: WordDetach, Does: "leave; what runs on the controller goes on"},
	)
}

// skipChoice leaves this node and goes on with the next.
func (m *Machine) skipChoice() Choice {
	c := Choice{Word: WordSkip, Does: "leave this node and go on with the next"}
	if m.step().touched {
		c.Does = m.literal(CallActivate) + ", then go on with the next node"
		c.Off = m.activateOff()
	}
	return c
}

// standingChoices are yes to what comes next as well.
func (m *Machine) standingChoices() []Choice {
	if m.plan.Goal != GoalRestart {
		return nil
	}
	return []Choice{
		{Word: WordRestOfNode, Does: "yes, and to what comes next on this node, until the first anomaly"},
		{Word: WordRestOfAZ, Does: "yes, and to what comes next in this AZ, until the first anomaly"},
		{Word: WordRestOfRun, Does: "yes, and to all that comes next in this run, until the first anomaly"},
	}
}

// resetChoice sets the policy Active.
func (m *Machine) resetChoice(then string) Choice {
	return Choice{Word: WordReset, Does: m.literal(CallActivate) + then, TypeID: true, Off: m.activateOff()}
}

// undrainedChoice restarts without a finished drain.
func (m *Machine) undrainedChoice() Choice {
	c := Choice{Word: WordUndrained, TypeID: true, Does: "restart without a finished drain: " + m.hookLiteral()}
	switch {
	case m.plan.Goal != GoalRestart:
		c.Off = "this run restarts nothing"
	case m.step().lingers && !m.noAdmin:
		// The slot is asked before the command runs.
	case m.step().lingers:
		c.Off = "an operation may have outlived the node's restart, and this token cannot ask the controller"
	case m.operationMayLive():
		c.Off = "an operation on the node may still run: cancel it first"
	}
	return c
}

func (m *Machine) literal(k CallKind) string { return k.Literal(m.id()) }

func (m *Machine) hookLiteral() string {
	if h := m.step().Plan.Hook; h != "" {
		return h
	}
	return "restart node " + m.id().String() + " by hand"
}

// activateOff says why the policy cannot be set, "" when it can.
func (m *Machine) activateOff() string {
	if m.noAdmin {
		return "needs scope admin, which the token lacks"
	}
	return ""
}
