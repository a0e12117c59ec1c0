// Package audit checks the journal of a run after the fact: whether it shows
// that the engine kept its own rules. It looks at records alone. What a journal
// cannot show (what the cluster did) it does not judge, and it knows neither the
// controller nor the Machine that wrote the records.
package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/journal"
)

// The rules that are checked. The numbers are those of the engine's invariants.
const (
	RuleForm     = "form"     // a record lacks what its kind must say, or stands in the wrong place
	RuleOneNode  = "I1"       // at most one node is in work
	RuleOneCall  = "I2"       // at most one mutating call is unanswered
	RuleIntent   = "I3"       // no call without an intent before it
	RuleOpAlive  = "I4"       // no restart while an operation on the node may be alive
	RuleHookOnce = "I5"       // no restart command twice under the same key
	RuleAnswer   = "I7"       // no effect without an answer to the question that stood
	RuleOutside  = "I8"       // no call to a node that is not in the plan, or that is not the run's to move
	RuleLeft     = "I9"       // what is not put back is listed
	RuleSequence = "sequence" // numbers, checksums, the file as a whole
)

// Finding is one thing that is wrong.
type Finding struct {
	Line int    `json:"line"` // of the journal, from 1
	Rule string `json:"rule"`
	Text string `json:"text"`
}

func (f Finding) String() string { return fmt.Sprintf("line %d: %s: %s", f.Line, f.Rule, f.Text) }

// Check returns what is wrong with a run's records, in their order; nothing when
// they keep every rule. A run that is not closed is judged as far as it goes.
func Check(recs journal.Records) []Finding {
	c := checker{
		plan: map[client.NodeID]bool{}, working: map[client.NodeID]bool{}, nodes: map[client.NodeID]*node{},
		hooks: map[string]int{}, intents: map[string]bool{},
	}
	for _, r := range recs {
		c.record(r)
	}
	slices.SortStableFunc(c.found, func(a, b Finding) int { return cmp.Compare(a.Line, b.Line) })
	return c.found
}

// checker goes through the records once.
type checker struct {
	found []Finding

	plan    map[client.NodeID]bool // nodes that the run may touch
	working map[client.NodeID]bool // nodes between their first state and their last
	nodes   map[client.NodeID]*node
	hooks   map[string]int  // lines of the restarts, by key
	intents map[string]bool // by key and attempt
	open    *journal.Record // the mutating call that is unanswered
	asked   string          // id of the newest question
	closed  int             // line of the close record

	computes *computes // of a reconfigure; nil = the run is about nodes
	boot     string
	mono     int64
}

// node is what the journal showed of one node so far.
type node struct {
	answered bool // somebody has answered about this node
	fresh    bool // and nothing that goes forward was done on it since
	orphan   bool // the slot was seen without an operation of it, and nothing was sent since: its label is an orphan's
}

func (c *checker) complain(r journal.Record, rule, format string, args ...any) {
	c.found = append(c.found, Finding{Line: r.Line, Rule: rule, Text: fmt.Sprintf(format, args...)})
}

func (c *checker) node(id client.NodeID) *node {
	if c.nodes[id] == nil {
		c.nodes[id] = &node{}
	}
	return c.nodes[id]
}

func (c *checker) record(r journal.Record) {
	c.form(r)
	if c.computes != nil && r.Kind != journal.KindHeader {
		c.compute(r)
		return
	}
	switch r.Kind {
	case journal.KindHeader:
		c.header(r)
	case journal.KindPrompt:
		c.prompt(r)
	case journal.KindAnswer, journal.KindOverride:
		c.answer(r)
	case journal.KindIntent, journal.KindCleanupIntent:
		c.intent(r)
	case journal.KindResult, journal.KindCleanupResult:
		c.result(r)
	case journal.KindHookStart:
		c.hookStart(r)
	case journal.KindHookEnd:
		c.hookEnd(r)
	case journal.KindState:
		c.state(r)
	case journal.KindResume:
		c.resume()
	case journal.KindClose:
		c.close(r)
	}
}

// form checks what every record must have.
func (c *checker) form(r journal.Record) {
	if c.closed > 0 {
		c.complain(r, RuleForm, "a %s record after the close record in line %d", r.Kind, c.closed)
	}
	if r.Boot != "" && r.Boot == c.boot && r.Mono < c.mono {
		c.complain(r, RuleForm, "it was written before the record above it")
	}
	c.boot, c.mono = r.Boot, r.Mono
	switch r.Kind {
	case journal.KindIntent, journal.KindCleanupIntent, journal.KindResult, journal.KindCleanupResult,
		journal.KindHookStart, journal.KindHookEnd:
		if r.Eff == "" || r.Att < 1 || r.Node == 0 && c.computes == nil || r.Cls == "" {
			c.complain(r, RuleForm, "a %s record without effect, attempt, class or node", r.Kind)
		}
	}
}

func (c *checker) header(r journal.Record) {
	var h journal.Header
	if err := r.Decode(&h); err != nil {
		c.complain(r, RuleForm, "%v", err)
	}
	if r.Line > 1 {
		c.complain(r, RuleForm, "a second header")
	}
	for _, id := range h.Nodes {
		c.plan[id] = true
	}
	if h.Verb == journal.VerbReconfigure {
		c.computes = newComputes(h.Computes)
	}
}

func (c *checker) prompt(r journal.Record) {
	var q struct {
		ID string `json:"id"`
	}
	if err := r.Decode(&q); err != nil || q.ID == "" {
		c.complain(r, RuleForm, "a question without a name")
	}
	c.asked = q.ID
}

// answer: it must be to the question that stood, and somebody must have given it.
func (c *checker) answer(r journal.Record) {
	var a struct {
		Prompt string `json:"prompt"`
	}
	if err := r.Decode(&a); err != nil {
		c.complain(r, RuleForm, "%v", err)
	}
	if r.By == nil {
		c.complain(r, RuleAnswer, "nobody is named who answered")
	}
	if a.Prompt != c.asked {
		c.complain(r, RuleAnswer, "it answers question %q while %q stood", a.Prompt, c.asked)
	}
	n := c.node(r.Node)
	n.answered, n.fresh = true, true
}

// resume: whoever takes a run up has observed what came of the call that the
// process before left unanswered, and has said yes to what is proposed now.
func (c *checker) resume() {
	c.open = nil
	for id := range c.plan {
		n := c.node(id)
		n.answered, n.fresh = true, true
	}
}

// mutates reports a call that may change the cluster; a probe may not.
func mutates(r journal.Record) bool { return r.Cls != journal.OBS }

func (c *checker) intent(r journal.Record) {
	c.intents[attempt(r)] = true
	if !mutates(r) {
		return
	}
	c.inside(r)
	if c.open != nil {
		c.complain(r, RuleOneCall, "%s is sent while %s of line %d is unanswered", r.Eff, c.open.Eff, c.open.Line)
	}
	c.open = &r
	c.node(r.Node).orphan = false
	c.allowed(r)
}

// allowed: what goes forward uses an answer up; a further attempt, and what
// cancels or puts back, rests on the one before.
func (c *checker) allowed(r journal.Record) {
	n := c.node(r.Node)
	switch {
	case r.Cls != journal.ADV && r.Cls != journal.ONCE, r.Att > 1:
		if !n.answered && !c.node(0).answered {
			c.complain(r, RuleAnswer, "%s: nobody answered a question about node %s before", r.Eff, r.Node)
		}
	case !n.fresh:
		c.complain(r, RuleAnswer, "%s: no answer since the last step on node %s", r.Eff, r.Node)
	default:
		n.fresh = false
	}
}

func (c *checker) result(r journal.Record) {
	if !c.intents[attempt(r)] {
		c.complain(r, RuleIntent, "an answer to %s, attempt %d, of which no intent is recorded", r.Eff, r.Att)
	}
	if c.open != nil && attempt(*c.open) == attempt(r) {
		c.open = nil
	}
	var what journal.Result
	if err := r.Decode(&what); err != nil {
		c.complain(r, RuleForm, "%v", err)
	} else if !mutates(r) {
		c.node(r.Node).orphan = slotWithout(r.Node, what)
	} else if what.Class == journal.ResultRefused {
		c.node(r.Node).fresh = true // nothing happened: the answer still stands
	}
}

func (c *checker) hookStart(r journal.Record) {
	c.inside(r)
	c.allowed(r)
	if before := c.hooks[r.Eff]; before > 0 {
		c.complain(r, RuleHookOnce, "%s was begun in line %d already", r.Eff, before)
	}
	c.hooks[r.Eff] = r.Line
	switch {
	case c.open != nil:
		c.complain(r, RuleOpAlive, "a restart while %s of line %d is unanswered", c.open.Eff, c.open.Line)
	case !c.node(r.Node).orphan && r.Pre != nil && (r.Pre.Policy == string(client.PolicyDraining) || r.Pre.Policy == string(client.PolicyFilling)):
		c.complain(r, RuleOpAlive, "a restart under the policy %s", r.Pre.Policy)
	}
}

// slotWithout reports a probe that found no operation of the node: the slot is free, or
// somebody else's.
func slotWithout(id client.NodeID, probe journal.Result) bool {
	running, busy := strings.CutPrefix(probe.Msg, "running: ")
	return probe.Class == journal.ResultOK || busy && !strings.HasSuffix(running, " "+id.String())
}

func (c *checker) hookEnd(r journal.Record) {
	if c.hooks[r.Eff] == 0 {
		c.complain(r, RuleIntent, "the end of %s, of which no start is recorded", r.Eff)
	}
}

// inside: the node is the run's to move.
func (c *checker) inside(r journal.Record) {
	if !c.plan[r.Node] {
		c.complain(r, RuleOutside, "%s: node %s is not in the plan", r.Eff, r.Node)
	}
	if r.Pre == nil {
		return
	}
	switch p := client.NodePolicy(r.Pre.Policy); p {
	case client.PolicyPause, client.PolicyDeleting:
		// A restart is no call: a person may have it of such a node, by its typed id.
		if r.Cls == journal.ADV {
			c.complain(r, RuleOutside, "%s: somebody has set node %s to %s", r.Eff, r.Node, p)
		}
	}
}

// state follows which node is in work.
func (c *checker) state(r journal.Record) {
	var s journal.State
	if err := r.Decode(&s); err != nil {
		c.complain(r, RuleForm, "%v", err)
		return
	}
	if s.To == "ENDED" {
		delete(c.working, r.Node)
		return
	}
	for other := range c.working {
		if other != r.Node {
			c.complain(r, RuleOneNode, "node %s is in work while node %s is", r.Node, other)
		}
	}
	c.working[r.Node] = true
}

// close: a node that was not seen to its end must be among what is left, and
// what is left must show in the exit code.
func (c *checker) close(r journal.Record) {
	c.closed = r.Line
	var end journal.Close
	if err := r.Decode(&end); err != nil {
		c.complain(r, RuleForm, "%v", err)
		return
	}
	if end.Outcome == journal.ClosedByOperator {
		return // somebody's word, whatever stood
	}
	if c.open != nil {
		c.complain(r, RuleOneCall, "%s of line %d was never answered", c.open.Eff, c.open.Line)
	}
	done := end.Outcome == journal.Done || end.Outcome == journal.DoneWithIssues
	for id := range c.working {
		if done && !listed(end.Left, id) {
			c.complain(r, RuleLeft, "node %s has not reached its end and is not listed", id)
		}
	}
	if done && len(end.Left) > 0 {
		c.complain(r, RuleLeft, "%d things are left and the outcome is %s", len(end.Left), end.Outcome)
	}
	if end.Outcome == journal.AbortedDirty && len(end.Left) == 0 {
		c.complain(r, RuleLeft, "the outcome is %s and nothing is listed as left", end.Outcome)
	}
}

func listed(left []string, id client.NodeID) bool {
	return slices.ContainsFunc(left, func(l string) bool { return strings.HasPrefix(l, "node "+id.String()+":") })
}

func attempt(r journal.Record) string { return fmt.Sprintf("%s/%d", r.Eff, r.Att) }
