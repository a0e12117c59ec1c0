package plain

import (
	"fmt"
	"strings"
	"time"

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

// head prints the first line, which names the run and its journal, and the plan.
func (s *session) head(st *rollout.Status) {
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
func (s *session) show(st *rollout.Status) {
	s.showRun(st)
	s.showNotes(st)
	for i := range st.Steps {
		for _, ph := range st.Steps[i].Phases {
			s.showPhase(&st.Steps[i], ph)
		}
	}
	s.showPrompt(st)
}

func (s *session) showRun(st *rollout.Status) {
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
func (s *session) showNotes(st *rollout.Status) {
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

func (s *session) showPhase(step *rollout.StepStatus, ph rollout.PhaseStatus) {
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

func (s *session) phaseText(step *rollout.StepStatus, ph rollout.PhaseStatus) string {
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

func (s *session) showPrompt(st *rollout.Status) {
	switch {
	case s.leaving:
	case st.Prompt == nil:
		if s.open() {
			s.say("the question is withdrawn: the facts changed")
		}
		s.asked = nil
	case s.asked == nil || s.asked.ID != st.Prompt.ID:
		s.question(st)
	}
}

// question prints a question with its facts. One that only repeats the last
// with fresh facts is short: the facts are an "evidence" away.
func (s *session) question(st *rollout.Status) {
	p := *st.Prompt
	again := s.open() && s.asked.Ask == p.Ask && s.asked.Node == p.Node && s.asked.Row == p.Row
	s.asked, s.answered = &p, false
	if again {
		s.say("asked again with fresh facts")
	}
	s.facts(st, &p, false)
	if s.o.Terminal {
		flushTyped(s.in)
	}
	s.askedAt = s.o.Now()
	s.ask(&p)
}

// evidence prints all that a question rests on and keeps it.
func (s *session) evidence() {
	s.facts(s.d.Status(), s.asked, true)
	s.ask(s.asked)
}

// facts prints a question's facts, and with full what each answer does.
func (s *session) facts(st *rollout.Status, p *rollout.Prompt, full bool) {
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
func (s *session) ask(p *rollout.Prompt) {
	q := prose.Ask(s.d.Status(), p, s.o.Now(), prose.Brief)
	words := make([]string, 0, len(q.Options)+1)
	for _, o := range q.Options {
		if o.Off == "" && o.Word != rollout.WordEvidence {
			words = append(words, o.Spelling())
		}
	}
	words = append(words, string(rollout.WordEvidence))
	s.print("? " + q.Title + "  " + strings.Join(words, " | "))
}

// change prints a line with the time at which it was seen.
func (s *session) change(text string) { s.print(s.clock(s.o.Now()) + "  " + text) }

func (s *session) clock(at time.Time) string { return at.In(s.o.Location).Format("15:04:05") }
