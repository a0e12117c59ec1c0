package prose

import (
	"fmt"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// Question is a prompt in words.
type Question struct {
	Title   string // "RESTART NODE 1?"
	Where   string // "ps-1.internal · eu-1a · prod-eu-1"
	Row     string // row of the failure matrix; "" on the regular path
	Facts   []Fact
	Options []Option // in the prompt's order
	Expires string   // "It expires in 4 min 12 s, then ..."
}

// Fact is a label and what it stands for, a line or more.
type Fact struct {
	Label string // "runs", "left here", "evidence", "then", "if not"
	Lines []string
}

// Option is one choice in words.
type Option struct {
	rollout.Choice
	Label   string // "restart node 1"
	Outcome string // what happens when it is chosen
	Needs   string // what must be typed with it: "NODE-ID REASON"; "" = the word alone
}

// Spelling is the option as plain mode takes it: "undrained NODE-ID".
func (o Option) Spelling() string {
	return strings.TrimSpace(string(o.Word) + " " + o.Needs)
}

// Detail is how much of its evidence a question shows.
type Detail int

// The details. Counts are always there; lists are what differs.
const (
	Brief  Detail = iota // shards that stay are counted by reason
	Normal               // the first of them are named
	Full                 // everything, with whole ids
)

// Ask words the prompt of a run, which must not be nil.
func Ask(st *rollout.Status, p *rollout.Prompt, now time.Time, detail Detail) Question {
	a := asker{st: st, p: p, now: now, full: detail == Full, brief: detail == Brief, step: stepOf(st, p)}
	s := scripts[p.Ask]
	if p.Ask == rollout.AskRefused && p.Row == "X5" {
		s.title, s.what = "SOMEBODY SET NODE {node} TO {policy}", "after this run's plan; what somebody else set is not overwritten"
	}
	if s.title == "" {
		s.title = fmt.Sprintf("QUESTION %d ABOUT NODE {node}", p.Ask)
	}
	q := Question{Title: a.upper(s.title), Where: a.where(), Row: p.Row, Expires: Expiry(p, now)}
	q.Facts = a.facts(s)
	for _, c := range p.Choices {
		q.Options = append(q.Options, a.option(c))
	}
	return q
}

// Expiry says when a question ends by itself, and how.
func Expiry(p *rollout.Prompt, now time.Time) string {
	if p.Expires.IsZero() {
		return "It does not expire."
	}
	left := p.Expires.Sub(now)
	if left <= 0 {
		return "It has expired and is asked again with fresh facts."
	}
	return "It expires in " + Span(left) + ", then it is asked again with fresh facts."
}

// asker fills in one prompt.
type asker struct {
	st   *rollout.Status
	p    *rollout.Prompt
	now  time.Time
	full bool
	// brief leaves lists away.
	brief bool
	step  *rollout.StepStatus // nil when the prompt is about no node of the plan
}

func stepOf(st *rollout.Status, p *rollout.Prompt) *rollout.StepStatus {
	for i := range st.Steps {
		if st.Steps[i].Plan.Node == p.Node {
			return &st.Steps[i]
		}
	}
	return nil
}

func (a asker) where() string {
	var parts []string
	for _, s := range []string{a.p.Addr, a.p.AZ, Cluster(a.st.Identity)} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " · ")
}

func (a asker) option(c rollout.Choice) Option {
	o := Option{Choice: c, Needs: needs(c)}
	gate := strings.NewReplacer("{gate}", string(c.Gate))
	o.Label = gate.Replace(a.fill(wordFor(a.p, c.Word, askLabels, labels)))
	if o.Label == "" {
		o.Label = string(c.Word)
	}
	o.Outcome = gate.Replace(a.fill(wordFor(a.p, c.Word, askOutcomes, outcomes)))
	if o.Outcome == "" {
		o.Outcome = c.Does
	}
	return o
}

// fill puts the prompt's values in the place of the names in braces.
func (a asker) fill(text string) string {
	if !strings.Contains(text, "{") {
		return text
	}
	return strings.NewReplacer(
		"{node}", a.p.Node.String(),
		"{az}", orWord(a.p.AZ, "its AZ"),
		"{phase}", a.phase(),
		"{op}", a.operation(),
		"{policy}", orWord(string(a.p.Evidence.Policy), "as it is"),
		"{availability}", orWord(string(a.p.Evidence.Availability), "not up"),
		"{busy}", a.busy(),
		"{after-drain}", a.afterDrain(),
		"{next}", a.next(),
		"{served}", a.served(),
		"{skip}", a.skip(),
		"{onward}", a.onward(),
		"{stay-down}", a.stayDown(),
		"{quiet}", a.quiet(),
	).Replace(text)
}

// onward is what follows once the node is left.
func (a asker) onward() string {
	steps := a.st.Plan.Steps
	if n := len(steps); n > 0 && steps[n-1].Node == a.p.Node {
		return "ends the run: it is the last node"
	}
	return "goes on with the next node"
}

// upper fills a title and keeps the field's own spelling of states.
func (a asker) upper(title string) string {
	title = strings.ReplaceAll(title, "{phase}", strings.ToUpper(a.phase()))
	title = strings.ReplaceAll(title, "{op}", strings.ToUpper(a.operation()))
	return a.fill(title)
}

func orWord(s, word string) string {
	if s == "" {
		return word
	}
	return s
}
