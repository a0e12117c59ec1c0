package audit

import (
	"slices"
	"strings"

	"github.com/StorconTUI/storcon-tui/engine/journal"
)

// computes goes through the records of a reconfigure. A wave of computes goes side by
// side: the rule of one call holds for each compute.
type computes struct {
	plan     []string
	open     map[string]journal.Record // calls that are unanswered, by compute
	specs    map[string]string         // checksum of what was sent to it
	over     map[string]int            // line in which its end was recorded
	answered map[int]bool              // waves that somebody said yes to, or that a standing yes took
}

func newComputes(plan []string) *computes {
	return &computes{
		plan: plan, open: map[string]journal.Record{}, specs: map[string]string{}, over: map[string]int{}, answered: map[int]bool{},
	}
}

// sent is the data of an intent.
type sent struct {
	Compute string `json:"compute"`
	SHA256  string `json:"spec_sha256"`
	Wave    int    `json:"wave"`
}

// compute checks one record of a reconfigure.
func (c *checker) compute(r journal.Record) {
	k := c.computes
	switch r.Kind {
	case journal.KindPrompt:
		c.prompt(r)
	case journal.KindAnswer:
		c.answer(r)
		k.answer(r)
	case journal.KindIntent:
		c.send(r)
	case journal.KindResult:
		c.sentResult(r)
	case journal.KindState:
		k.state(r)
	case journal.KindResume:
		clear(k.open) // whoever takes it up has looked, and has said yes to what was shown
	case journal.KindClose:
		c.closeComputes(r)
	}
}

func (k *computes) answer(r journal.Record) {
	var a struct {
		Wave int    `json:"wave"`
		Word string `json:"word"`
	}
	if r.Decode(&a) == nil && a.Word == "yes" {
		k.answered[a.Wave] = true
	}
}

func (c *checker) send(r journal.Record) {
	k := c.computes
	c.intents[attempt(r)] = true
	var s sent
	if err := r.Decode(&s); err != nil || s.Compute == "" || s.SHA256 == "" {
		c.complain(r, RuleForm, "an intent that does not name its compute and its spec")
		return
	}
	if !slices.Contains(k.plan, s.Compute) {
		c.complain(r, RuleOutside, "compute %s is not in the plan", s.Compute)
	}
	if line := k.over[s.Compute]; line > 0 {
		c.complain(r, RuleOutside, "compute %s is over since line %d", s.Compute, line)
	}
	if before, ok := k.open[s.Compute]; ok {
		c.complain(r, RuleOneCall, "%s is sent while that of line %d is unanswered", r.Eff, before.Line)
	}
	if before := k.specs[s.Compute]; before != "" && before != s.SHA256 {
		c.complain(r, RuleAnswer, "compute %s is sent another spec than before", s.Compute)
	}
	if !k.answered[s.Wave] {
		c.complain(r, RuleAnswer, "%s: nobody said yes to wave %d", r.Eff, s.Wave)
	}
	k.open[s.Compute], k.specs[s.Compute] = r, s.SHA256
}

func (c *checker) sentResult(r journal.Record) {
	if !c.intents[attempt(r)] {
		c.complain(r, RuleIntent, "an answer to %s, attempt %d, of which no intent is recorded", r.Eff, r.Att)
	}
	for name, open := range c.computes.open {
		if attempt(open) == attempt(r) {
			delete(c.computes.open, name)
		}
	}
}

func (k *computes) state(r journal.Record) {
	var s struct {
		Compute string `json:"compute"`
		To      string `json:"to"`
	}
	if r.Decode(&s) != nil {
		return
	}
	switch s.To {
	case "PENDING", "WAITING", "UNANSWERED", "UNCLEAR", "VERIFYING":
		return
	}
	k.over[s.Compute] = r.Line
}

// closeComputes: a spec of which nobody knows the end must be among what is left.
func (c *checker) closeComputes(r journal.Record) {
	c.closed = r.Line
	var end journal.Close
	if err := r.Decode(&end); err != nil {
		c.complain(r, RuleForm, "%v", err)
		return
	}
	if end.Outcome == journal.ClosedByOperator {
		return
	}
	for name, open := range c.computes.open {
		told := c.computes.over[name] > 0 || slices.ContainsFunc(end.Left, func(l string) bool { return strings.HasPrefix(l, name+": ") })
		if !told {
			c.complain(r, RuleLeft, "%s of line %d was never answered, and is not listed", open.Eff, open.Line)
		}
	}
}
