package reconfigure

import (
	"fmt"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// Ask is what a prompt is about.
type Ask string

// The questions.
const (
	AskWave   Ask = "wave"   // send the specs of the next wave
	AskHalted Ask = "halted" // more failed than may
	AskPaused Ask = "paused"
	AskResume Ask = "resume" // an earlier process left the run: take it up again?
)

// Words that only these questions take; the others are those of a rolling restart.
const (
	WordContinue rollout.Word = "continue" // after more failures than may
)

// Prompt is one question. It is bound to the facts that it shows; it expires, and is
// then asked again with fresh ones under a new ID.
type Prompt struct {
	ID      string
	Ask     Ask
	Wave    int
	Facts   []Fact
	Choices []Choice // the first is what the facts support
	Cause   string   // of AskHalted, AskPaused
	Asked   time.Time
	Expires time.Time
	// Since is from when on a question has stood without a break: this one, or those that it
	// took the place of unanswered.
	Since time.Time
}

// Fact is what is known of one compute that the question is about.
type Fact struct {
	Compute string
	Status  compute.State // "" = it does not answer
	Ready   bool          // it takes a spec
	Why     string        // not ready, in words; of AskResume what would be done
	Journal ItemState     // of AskResume: what the journal says
}

// Choice is one answer that a prompt takes.
type Choice struct {
	Word   rollout.Word
	Does   string // what it does, literally
	Reason bool   // words must be given why
	Off    string // why it is off now; "" = it can be chosen
}

// Choice finds the choice for a word.
func (p Prompt) Choice(w rollout.Word) (Choice, bool) {
	for _, c := range p.Choices {
		if c.Word == w {
			return c, true
		}
	}
	return Choice{}, false
}

// Answer is an operator's decision on one prompt.
type Answer struct {
	Prompt string // Prompt.ID
	Word   rollout.Word
	Reason string
	By     rollout.Operator
	At     time.Time
}

// Check says why an answer cannot be accepted, nil when it can. The errors are those of
// a rolling restart.
func (m Machine) Check(a Answer) error {
	p := m.prompt
	if p == nil || m.state == RunEnded {
		return rollout.ErrNoQuestion
	}
	if a.Prompt != p.ID || !a.At.Before(p.Expires) {
		return &rollout.StaleAnswerError{Prompt: a.Prompt, Now: p.ID}
	}
	c, ok := p.Choice(a.Word)
	switch {
	case !ok:
		e := &rollout.NotAChoiceError{Word: a.Word}
		for _, c := range p.Choices {
			e.Choices = append(e.Choices, c.Word)
		}
		return e
	case c.Off != "":
		return &rollout.ChoiceOffError{Word: a.Word, Why: c.Off}
	case c.Reason && strings.TrimSpace(a.Reason) == "":
		return rollout.ErrNoReason
	}
	return nil
}

// put asks, or leaves the question that stands as it is when neither it nor what it
// rests on has changed.
func (m *Machine) put(p Prompt) {
	m.stands = true
	p.Wave = m.wave
	mark := fmt.Sprint(p.Ask, p.Wave, p.Facts, p.Choices, p.Cause)
	if m.prompt != nil && m.mark == mark && !m.due(m.prompt.Expires) {
		return
	}
	m.asked++
	p.ID, p.Asked, p.Expires = fmt.Sprintf("q%d", m.asked), m.at, m.at.Add(m.set.Answer)
	p.Since = m.at
	if m.prompt != nil {
		p.Since = m.prompt.Since
	}
	m.prompt, m.mark = &p, mark
	m.due(p.Expires)
	d := promptData{ID: p.ID, Ask: p.Ask, Wave: p.Wave, Cause: p.Cause}
	for _, f := range p.Facts {
		d.Computes = append(d.Computes, factData{f.Compute, f.Status, f.Ready})
	}
	m.record(journal.Record{Kind: journal.KindPrompt}.With(d))
	if p.Ask == AskWave && m.standing {
		m.decide(p, Answer{Prompt: p.ID, Word: rollout.WordYes, Reason: "rest-of-run was answered", At: m.at})
	}
}

// answer takes an answer that Check has passed.
func (m *Machine) answer(a Answer) {
	if m.Check(a) != nil {
		return
	}
	p := *m.prompt
	if a.Word == rollout.WordRestOfRun {
		m.standing = true
		a.Word = rollout.WordYes
	}
	m.decide(p, a)
}

// decide records an answer and does what it says.
func (m *Machine) decide(p Prompt, a Answer) {
	by := &journal.Actor{User: a.By.User, Host: a.By.Host, TTY: a.By.TTY}
	m.record(journal.Record{Kind: journal.KindAnswer, By: by, Cls: journal.DEC, Why: a.Reason}.With(answerData{
		Prompt: p.ID, Ask: p.Ask, Wave: p.Wave, Word: a.Word, Standing: m.standing,
	}))
	m.prompt, m.mark, m.stands, m.turns = nil, "", false, true
	switch a.Word {
	case rollout.WordYes:
		m.yes(p)
	case rollout.WordSkip:
		m.skipWave(a.Reason)
	case rollout.WordWait:
		m.waitMore()
	case WordContinue:
		m.forgive(a.Reason)
	case rollout.WordResume:
		m.state, m.why, m.pausing = RunRunning, "", false
	case rollout.WordNo:
		if p.Ask == AskResume {
			m.leaving = "the operator left it as it is"
			return
		}
		m.pausing, m.why = true, "the operator paused here"
	case rollout.WordAbort:
		m.aborting = true
	case rollout.WordDetach:
		m.leaving = "the operator detached"
	}
}

// yes approves what was proposed. A compute that takes no spec now is left out.
func (m *Machine) yes(p Prompt) {
	if p.Ask == AskResume {
		m.takenUp()
		return
	}
	m.approved = true
	for i := range m.items {
		it := &m.items[i]
		if it.Item.Wave != m.wave || it.State.Over() {
			continue
		}
		if why := it.notReady(); why != "" {
			m.end(it, ItemSkipped, "", why, "nothing was sent")
		}
	}
}

func (m *Machine) skipWave(reason string) {
	m.byHand = true
	for i := range m.items {
		if it := &m.items[i]; it.Item.Wave == m.wave && !it.State.Over() {
			m.end(it, ItemSkipped, "", "skipped: "+reason, "nothing was sent")
		}
	}
	m.approved = true
}

// waitMore gives computes that are not ready their time again.
func (m *Machine) waitMore() {
	for i := range m.items {
		it := &m.items[i]
		it.busySince, it.misses = m.at, 0
		it.looked = time.Time{}
	}
}

// forgive lets a run go on although more failed than may.
func (m *Machine) forgive(reason string) {
	m.forgiven = m.bad()
	m.state, m.why, m.standing = RunRunning, "", false
	m.note("", "", "goes on after "+plural(m.forgiven, "failure")+": "+reason, false)
}
