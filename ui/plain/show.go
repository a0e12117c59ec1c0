package plain

import (
	"fmt"
	"strings"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

// tenths is how many progress lines one drain or fill prints.
const tenths = 10

// seen is what has been printed, so that a change is printed once and a poll
// never.
type seen struct {
	state  rollout.RunState
	hold   string
	phases map[phaseKey]phaseSeen
	note   *rollout.Note // the newest one that was printed
}

type phaseKey struct {
	node  client.NodeID
	phase rollout.Phase
}

type phaseSeen struct {
	state   rollout.PhaseState
	tenth   int64
	blocked bool
}

// Driver is a rolling restart, or a part of one, as this face needs it.
type Driver interface {
	controls
	Status() *rollout.Status
	Answer(rollout.Answer) error
}

var _ Driver = (*rollout.Driver)(nil)

// nodes tells of a run about nodes.
type nodes struct {
	*session
	d      Driver
	seen   seen
	prompt *rollout.Prompt // that was last printed
}

// head prints the first line, which names the run and its journal, and the plan.
func (s *nodes) head() {
	st := s.d.Status()
	s.print(fmt.Sprintf("run %s  journal %s", st.Run, st.Journal))
	sofar := prose.NothingSent
	if st.Calls.Mutating() > 0 {
		sofar = "as it was confirmed when the run began; some of it was sent"
	}
	for _, line := range prose.PlanText(st.Plan, sofar) {
		s.print(line)
	}
	s.seen = seen{
		state:  st.State,
		phases: map[phaseKey]phaseSeen{},
	}
}

// show prints what changed since the last call. The log tells of steps that end.
func (s *nodes) show() {
	st := s.d.Status()
	s.showRun(st)
	s.showNotes(st)
	for i := range st.Steps {
		for _, ph := range st.Steps[i].Phases {
			s.showPhase(&st.Steps[i], ph)
		}
	}
	s.showPrompt(st)
}

func (s *nodes) showRun(st *rollout.Status) {
	if st.Hold.Reason != s.seen.hold {
		s.seen.hold = st.Hold.Reason
		if st.Hold.Reason == "" {
			s.change("the hold is over, the run goes on")
		} else {
			s.change(prose.Held(st.Hold, s.o.Now()))
		}
	}
	if st.State == s.seen.state {
		return // why it stands so may carry an age, which changes with every look
	}
	begins := s.seen.state == rollout.RunReady && st.State == rollout.RunRunning
	s.seen.state = st.State
	if begins || st.State == rollout.RunEnded {
		return // the first question and the report say it
	}
	text := "run " + prose.RunState(st.State)
	if st.Why != "" {
		text += ": " + st.Why
	}
	s.change(text)
}

// showNotes prints the log's new lines. The log is a ring: what was printed is
// found by its newest line, counted from the end.
func (s *nodes) showNotes(st *rollout.Status) {
	from := 0
	if s.seen.note != nil {
		for i := len(st.Notes) - 1; i >= 0; i-- {
			if st.Notes[i] == *s.seen.note {
				from = i + 1
				break
			}
		}
	}
	for _, n := range st.Notes[from:] {
		s.print(s.clock(n.At) + "  " + prose.NoteLine(n))
		s.seen.note = &n
	}
}

func (s *nodes) showPhase(step *rollout.StepStatus, ph rollout.PhaseStatus) {
	node := step.Plan.Node
	key := phaseKey{node, ph.Phase}
	before := s.seen.phases[key]
	now := phaseSeen{state: ph.State, tenth: max(tenth(ph.Progress), before.tenth), blocked: len(ph.Progress.Blocking) > 0}
	if now == before {
		return
	}
	s.seen.phases[key] = now
	// A question says itself what a phase that asks is about.
	// The log says how a step came through its verify.
	if ph.State == rollout.PhaseWaiting || ph.State == rollout.PhaseAsking || ph.Phase == rollout.PhaseVerify {
		return
	}
	if now.blocked && !before.blocked {
		s.change(fmt.Sprintf("! node %s  %s: %s", node, prose.Phase(ph.Phase), prose.Blocked(ph.Progress.Blocking, s.o.Now())))
	}
	if now.state == before.state && (now.tenth == before.tenth || now.state != rollout.PhaseRunning) {
		return // how far a phase is that has stopped is told by its question
	}
	s.change(fmt.Sprintf("node %s  %s %s", node, prose.Phase(ph.Phase), s.phaseText(step, ph)))
}

func (s *nodes) phaseText(step *rollout.StepStatus, ph rollout.PhaseStatus) string {
	text := prose.PhaseState(ph.State)
	if figure := prose.Figure(step, ph); figure != "" {
		text += ": " + figure
	}
	if ph.State == rollout.PhaseRunning {
		if speed := prose.Speed(ph.Progress); speed != "" {
			text += ", " + speed
		}
	}
	if ph.Detail != "" && ph.State != rollout.PhaseDone && ph.Detail != text {
		text += ", " + ph.Detail
	}
	if !ph.Ended.IsZero() && !ph.Started.IsZero() {
		text += ", " + prose.Span(ph.Ended.Sub(ph.Started))
	}
	return text
}

// tenth is how many tenths of a drain or fill have moved.
func tenth(p rollout.Progress) int64 {
	if p.Total <= 0 || p.Left < 0 || p.Left > p.Total {
		return 0
	}
	return (p.Total - p.Left) * tenths / p.Total
}

func (s *nodes) showPrompt(st *rollout.Status) {
	switch {
	case s.leaving:
	case st.Prompt == nil:
		if s.open() {
			s.say("the question is withdrawn: the facts changed")
		}
		s.asked, s.prompt = "", nil
	case s.asked != st.Prompt.ID:
		s.question(st)
	}
}

// question prints a question with its facts. One that only repeats the last
// with fresh facts is short: the facts are an "evidence" away.
func (s *nodes) question(st *rollout.Status) {
	p := *st.Prompt
	again := s.open() && s.prompt.Ask == p.Ask && s.prompt.Node == p.Node && s.prompt.Row == p.Row
	if s.prompt = &p; again {
		s.say("asked again with fresh facts")
	}
	s.facts(st, &p, false)
	s.put(p.ID)
}

// evidence prints all that a question rests on and keeps it.
func (s *nodes) evidence() {
	s.facts(s.d.Status(), s.prompt, true)
	s.ask()
}

// facts prints a question's facts, and with full what each answer does.
func (s *nodes) facts(st *rollout.Status, p *rollout.Prompt, full bool) {
	detail := prose.Normal
	if full {
		detail = prose.Full
	}
	q := prose.Ask(st, p, s.o.Now(), detail)
	title := q.Title + "  " + q.Where
	if q.Row != "" {
		title += "  [" + q.Row + "]"
	}
	s.print(title)
	for _, f := range q.Facts {
		for i, text := range f.Lines {
			label := f.Label
			if i > 0 {
				label = ""
			}
			s.print(fmt.Sprintf("    %-9s  %s", label, text))
		}
	}
	for _, o := range q.Options {
		switch {
		case o.Off != "":
			s.print(fmt.Sprintf("    %-9s  off: %s", o.Word, o.Off))
		case full || o.TypeID:
			s.print(fmt.Sprintf("    %-9s  %s", o.Word, o.Outcome))
		}
	}
}

// ask prints the line that takes an answer: "? restart node 1: yes | no | ...".
func (s *nodes) ask() {
	q := prose.Ask(s.d.Status(), s.prompt, s.o.Now(), prose.Brief)
	words := make([]string, 0, len(q.Options)+1)
	for _, o := range q.Options {
		if o.Off == "" && o.Word != rollout.WordEvidence {
			words = append(words, o.Spelling())
		}
	}
	words = append(words, string(rollout.WordEvidence))
	s.print("? " + q.Title + "  " + strings.Join(words, " | "))
}

func (s *nodes) stands() string {
	if p := s.d.Status().Prompt; p != nil {
		return p.ID
	}
	return ""
}

func (s *nodes) answer(line string) (given bool, err error) {
	a, err := ParseAnswer(line, *s.prompt)
	if err != nil {
		return false, err
	}
	a.By, a.At = s.o.By, s.o.Now()
	return true, s.d.Answer(a)
}

// waitsFor names the restart command that runs.
func (s *nodes) waitsFor() string {
	st := s.d.Status()
	for i := range st.Steps {
		if step := &st.Steps[i]; !step.HookStart.IsZero() && step.HookEnd.IsZero() {
			return "the restart command of node " + step.Plan.Node.String() + " runs; it is not killed"
		}
	}
	return ""
}

func (s *nodes) report() (rollout.ExitCode, bool) {
	st := s.d.Status()
	for _, line := range prose.ReportText(st, s.o.Now()) {
		s.print(line)
	}
	if st.Outcome == nil {
		return 0, false
	}
	return st.Outcome.Exit, true
}
