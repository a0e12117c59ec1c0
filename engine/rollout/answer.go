package rollout

import (
	"errors"
	"fmt"
	"strings"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/gate"
	"github.com/StorconTUI/storcon-tui/engine/journal"
)

// ErrNoQuestion: nothing is asked.
var ErrNoQuestion = errors.New("nothing is asked now")

// ErrNoReason: the answer needs words that say why.
var ErrNoReason = errors.New("this answer needs a reason")

// StaleAnswerError is an answer to a question that has expired or was put anew
// because what it rested on changed.
type StaleAnswerError struct{ Prompt, Now string }

func (e *StaleAnswerError) Error() string {
	return fmt.Sprintf("question %s has expired or its facts have changed; question %s stands now", e.Prompt, e.Now)
}

// NotAChoiceError is a word that the question does not take.
type NotAChoiceError struct {
	Word    Word
	Gate    gate.Name
	Choices []Word
}

func (e *NotAChoiceError) Error() string {
	words := make([]string, len(e.Choices))
	for i, w := range e.Choices {
		words[i] = string(w)
	}
	word := string(e.Word)
	if e.Gate != "" {
		word += " " + string(e.Gate)
	}
	return fmt.Sprintf("%q is no answer to this question; it takes %s", word, strings.Join(words, ", "))
}

// ChoiceOffError is a choice that cannot be taken now.
type ChoiceOffError struct {
	Word Word
	Why  string
}

func (e *ChoiceOffError) Error() string { return fmt.Sprintf("%q is off: %s", string(e.Word), e.Why) }

// TypeIDError is a dangerous answer without the id of the node it is about.
type TypeIDError struct{ Want, Got client.NodeID }

func (e *TypeIDError) Error() string {
	if e.Got == 0 {
		return "this answer needs the node's id: " + e.Want.String()
	}
	return fmt.Sprintf("the question is about node %s, not node %s", e.Want, e.Got)
}

// Check says why an answer cannot be accepted, nil when it can.
func (m Machine) Check(a Answer) error {
	p := m.prompt
	if p == nil || m.state == RunEnded {
		return ErrNoQuestion
	}
	if a.Prompt != p.ID || !a.At.Before(p.Expires) {
		return &StaleAnswerError{Prompt: a.Prompt, Now: p.ID}
	}
	c, ok := p.find(a)
	if !ok {
		return &NotAChoiceError{Word: a.Word, Gate: a.Gate, Choices: p.words()}
	}
	switch {
	case c.Off != "":
		return &ChoiceOffError{Word: a.Word, Why: c.Off}
	case a.Node != 0 && a.Node != p.Node, c.TypeID && a.Node == 0:
		return &TypeIDError{Want: p.Node, Got: a.Node}
	case c.Reason && strings.TrimSpace(a.Reason) == "":
		return ErrNoReason
	}
	return nil
}

// find is the choice that an answer names; overrides differ by their gate.
func (p Prompt) find(a Answer) (Choice, bool) {
	for _, c := range p.Choices {
		if c.Word == a.Word && c.Gate == a.Gate {
			return c, true
		}
	}
	return Choice{}, false
}

func (p Prompt) words() []Word {
	var out []Word
	for _, c := range p.Choices {
		out = append(out, c.Word)
	}
	return out
}

// answer takes an answer that Check has passed.
func (m *Machine) answer(a Answer) {
	if m.Check(a) != nil {
		return
	}
	p := *m.prompt
	if a.Word == WordEvidence {
		return
	}
	kind := journal.KindAnswer
	if a.Word == WordOverride {
		kind = journal.KindOverride
	}
	m.record(journal.Record{Kind: kind, By: actor(a.By), Cls: journal.DEC, Why: a.Reason}.With(m.answerRecord(p, a)))
	m.clearPrompt()
	switch a.Word {
	case WordRestOfNode, WordRestOfAZ, WordRestOfRun:
		m.stand(a)
		a.Word = WordYes
	}
	m.decide(p, a)
}

func actor(o Operator) *journal.Actor {
	return &journal.Actor{User: o.User, Host: o.Host, TTY: o.TTY}
}

func (m *Machine) answerRecord(p Prompt, a Answer) answerData {
	e, _ := m.epochOf()
	d := answerData{
		Prompt: p.ID, Ask: askWord(p.Ask), Row: p.Row, Word: a.Word, TypedNode: a.Node,
		Gate: a.Gate, ExtendS: a.Extend.Seconds(), Leftovers: len(p.Evidence.Leftovers), Attached: p.Evidence.Attached,
		Policy: p.Evidence.Policy, Availability: p.Evidence.Availability, Epoch: e.String(),
	}
	if !p.Evidence.Launch.IsZero() {
		d.Launch = p.Evidence.Launch.UnixMilli()
	}
	return d
}

// decide does what an answer says. Words with one meaning everywhere come
// first; the rest is the question's own.
func (m *Machine) decide(p Prompt, a Answer) {
	if p.Ask == AskResume {
		m.decideResume(p, a)
		return
	}
	switch a.Word {
	case WordNo:
		m.pausing, m.why = true, "the operator paused here"
	case WordAbort:
		m.abort()
	case WordDetach:
		m.leaving, m.why = "detached", "the operator detached"
	case WordSkip:
		if p.Ask == AskFill || p.Ask == AskNoProgress && m.step().fsm == filling {
			m.skipFill()
			return
		}
		m.skip(a.Reason)
	case WordOverride:
		m.override(a)
	case WordResume:
		m.resume()
	case WordUndrained:
		m.undrained(a)
	default:
		m.decideOwn(p, a)
	}
}

// override sets one gate aside, for this node.
func (m *Machine) override(a Answer) {
	o := gate.Override{Gate: a.Gate, Node: m.id(), Reason: a.Reason, By: a.By.User + "@" + a.By.Host}
	m.overrides = append(m.overrides, o)
	s := m.step()
	s.Overrides = append(s.Overrides, o)
	s.issue("gate " + string(a.Gate) + " was overridden: " + a.Reason)
	if m.state == RunHalted {
		m.state, m.why = RunRunning, ""
	}
}
