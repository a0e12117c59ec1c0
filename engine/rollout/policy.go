package rollout

import (
	"fmt"
	"time"

	"github.com/StorconTUI/storcon-tui/engine/journal"
)

// Policy says which answers stand in a run that nobody watches. It knows the
// regular path only: what asks about trouble, what needs a node's id typed, and
// everything after the first anomaly is held for a person. A gate that holds is
// no such anomaly: the run goes on once it passes.
type Policy struct {
	Sum string // sha256 of the file that it was read from, hexadecimal

	Drain, Restart, Fill bool // yes to what is proposed
	SkipFill             bool // no fill at all, instead of Fill

	// Leftovers is how many shards, of those that the plan listed, may be
	// attached to a node that is restarted.
	Leftovers int
	MaxNodes  int           // of one run; 0 = any number
	Hold      time.Duration // for how long a question may wait for a person before the run is left
}

// by is who a policy's answers are by.
func (p Policy) by() Operator { return Operator{User: "policy sha256:" + p.Sum} }

// allows is the answer to a question, "" when it is a person's to give.
func (p Policy) allows(m *Machine, q question) Word {
	switch q.ask {
	case AskDrain:
		return wordIf(p.Drain, WordYes)
	case AskRestart:
		s := m.step()
		return wordIf(p.Restart && s.LeftoversKnown && len(s.Leftovers) <= p.Leftovers, WordYes)
	case AskFill:
		if p.SkipFill {
			return WordSkip
		}
		return wordIf(p.Fill, WordYes)
	}
	return ""
}

func wordIf(given bool, w Word) Word {
	if given {
		return w
	}
	return ""
}

// answerPolicy answers a question of the regular path as the policy says. The
// answer is journaled like a person's, by the policy's checksum.
func (m *Machine) answerPolicy(q question) {
	p := m.set.Policy
	if p == nil || m.prompt == nil || m.revoked || !q.proposes() {
		return
	}
	word := p.allows(m, q)
	c, ok := m.prompt.Choice(word)
	if !ok || c.TypeID || c.Off != "" {
		return
	}
	asked := *m.prompt
	answer := Answer{Prompt: asked.ID, Word: word, By: p.by(), At: m.at}
	m.record(journal.Record{Kind: journal.KindAnswer, By: actor(answer.By), Why: "the policy of this run", Cls: journal.DEC}.
		With(m.answerRecord(asked, answer)))
	m.clearPrompt()
	m.decide(asked, answer)
}

// noteGate notes a gate that holds; the policy of an unattended run outlives it.
func (m *Machine) noteGate(row, text string) {
	was := m.revoked
	m.note(NoteAnomaly, row, text)
	m.revoked = was
}

// heldUnattended is the end of an unattended run that stands at a question
// about trouble: it is halted, and refused when nothing was changed.
func (m *Machine) heldUnattended(o *Outcome) {
	p := m.prompt
	if m.set.Policy == nil || p == nil || p.Ask == AskPaused {
		return
	}
	o.Exit, o.Word = ExitHalted, "halted"
	text := fmt.Sprintf("node %s: nobody answered: %s", p.Node, askWord(p.Ask))
	o.Issues = append(o.Issues, text+because(p.Cause))
	if m.calls.Mutating() == 0 && m.calls.Hooks == 0 {
		o.Exit = ExitPreflight
	}
}
