package plain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/StorconTUI/storcon-tui/engine/reconfigure"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

// ComputesDriver is a reconfigure of computes as this face needs it.
type ComputesDriver interface {
	controls
	Status() *reconfigure.Status
	Answer(reconfigure.Answer) error
}

var _ ComputesDriver = (*reconfigure.Driver)(nil)

// RunComputes is Run for a reconfigure of computes.
func RunComputes(ctx context.Context, d ComputesDriver, in io.Reader, out io.Writer, o Options) rollout.ExitCode {
	s := newSession(d, in, out, o)
	s.talk = &computes{session: s, d: d, states: map[int]reconfigure.ItemState{}}
	return s.run(ctx)
}

// computes tells of a run about computes.
type computes struct {
	*session
	d      ComputesDriver
	state  reconfigure.RunState
	states map[int]reconfigure.ItemState // that were told, by item
	note   *reconfigure.Note             // the newest that was printed
	prompt *reconfigure.Prompt           // that was last printed
}

func (s *computes) head() {
	st := s.d.Status()
	s.print(fmt.Sprintf("run %s  journal %s", st.Run, st.Journal))
	sofar := prose.NothingSent
	if st.Sent > 0 {
		sofar = "as it was confirmed when the run began; some of it was sent"
	}
	for _, line := range prose.ReconfigureText(st.Plan, sofar) {
		s.print(line)
	}
	s.state = reconfigure.RunRunning
	for i := range st.Items {
		s.states[i] = st.Items[i].State
	}
}

func (s *computes) show() {
	st := s.d.Status()
	if st.State != s.state && st.State != reconfigure.RunReady {
		s.state = st.State
		if st.State != reconfigure.RunEnded {
			text := "run " + prose.ReconfigureRunState(st.State)
			if st.Why != "" {
				text += ": " + st.Why
			}
			s.change(text)
		}
	}
	for i := range st.Items {
		s.showItem(i, &st.Items[i])
	}
	s.showNotes(st)
	s.showPrompt(st)
}

// showItem tells of a compute on its way; its end stands in the log.
func (s *computes) showItem(i int, it *reconfigure.ItemStatus) {
	if s.states[i] == it.State {
		return
	}
	s.states[i] = it.State
	switch {
	case it.State == reconfigure.ItemUnanswered:
		s.change(it.Item.Compute + "  POST /configure sent")
	case it.State.Over() && len(it.Path) > 0:
		s.change(it.Item.Compute + "  " + prose.ItemPath(it))
	}
}

func (s *computes) showNotes(st *reconfigure.Status) {
	from := 0
	if s.note != nil {
		for i := len(st.Notes) - 1; i >= 0; i-- {
			if st.Notes[i] == *s.note {
				from = i + 1
				break
			}
		}
	}
	for _, n := range st.Notes[from:] {
		mark, row := "", ""
		if n.Bad {
			mark = "! "
		}
		if n.Row != "" {
			row = "  [" + n.Row + "]"
		}
		s.print(s.clock(n.At) + "  " + mark + strings.TrimSpace(n.Compute+"  "+n.Text) + row)
		s.note = &n
	}
}

func (s *computes) showPrompt(st *reconfigure.Status) {
	switch {
	case s.leaving:
	case st.Prompt == nil:
		if s.open() {
			s.say("the question is withdrawn: the facts changed")
		}
		s.asked, s.prompt = "", nil
	case s.asked != st.Prompt.ID:
		p := *st.Prompt
		if s.open() && s.prompt.Ask == p.Ask && s.prompt.Wave == p.Wave {
			s.say("asked again with fresh facts")
		}
		s.prompt = &p
		s.facts(false)
		s.put(p.ID)
	}
}

// fewFacts is how many computes a question lists before "evidence" is asked for.
const fewFacts = 8

// facts prints what the question rests on; with all every compute and what each answer
// does.
func (s *computes) facts(all bool) {
	title, facts := prose.ReconfigureAsk(s.d.Status(), s.prompt)
	s.print(title)
	for i, f := range facts {
		if !all && i == fewFacts && len(facts) > fewFacts+1 {
			s.print(fmt.Sprintf("    … and %d more", len(facts)-i))
			break
		}
		s.print("    " + f)
	}
	for _, c := range s.prompt.Choices {
		switch {
		case c.Off != "":
			s.print(fmt.Sprintf("    %-9s  off: %s", c.Word, c.Off))
		case all || c.Word == rollout.WordYes:
			s.print(fmt.Sprintf("    %-9s  %s", c.Word, c.Does))
		}
	}
}

func (s *computes) ask() {
	title, _ := prose.ReconfigureAsk(s.d.Status(), s.prompt)
	var words []string
	for _, c := range s.prompt.Choices {
		if c.Off == "" {
			words = append(words, spellingOf(c))
		}
	}
	s.print("? " + title + "  " + strings.Join(append(words, string(rollout.WordEvidence)), " | "))
}

func spellingOf(c reconfigure.Choice) string {
	if c.Reason {
		return string(c.Word) + " REASON"
	}
	return string(c.Word)
}

func (s *computes) evidence() {
	s.facts(true)
	s.ask()
}

func (s *computes) stands() string {
	if p := s.d.Status().Prompt; p != nil {
		return p.ID
	}
	return ""
}

// answer reads "WORD [reason ...]".
func (s *computes) answer(line string) (given bool, err error) {
	fields := strings.Fields(line)
	if len(fields) == 0 {
		return false, errors.New("an empty line is no answer")
	}
	word := wordOf(fields[0])
	c, ok := s.prompt.Choice(word)
	switch {
	case !ok:
		return false, fmt.Errorf("%q is no answer to this question", string(word))
	case c.Reason && len(fields) == 1:
		return false, fmt.Errorf("%s needs a reason: %s", word, spellingOf(c))
	}
	return true, s.d.Answer(reconfigure.Answer{
		Prompt: s.prompt.ID, Word: word, Reason: strings.Join(fields[1:], " "), By: s.o.By, At: s.o.Now(),
	})
}

// waitsFor names the computes that have not answered.
func (s *computes) waitsFor() string {
	var names []string
	for _, it := range s.d.Status().Items {
		if it.State == reconfigure.ItemUnanswered || it.State == reconfigure.ItemUnclear {
			names = append(names, it.Item.Compute)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "no answer yet from " + strings.Join(names, ", ") + ": what was sent goes on there"
}

func (s *computes) report() (rollout.ExitCode, bool) {
	st := s.d.Status()
	for _, line := range prose.ReconfigureReport(st) {
		s.print(line)
	}
	if st.Outcome == nil {
		return 0, false
	}
	return st.Outcome.Exit, true
}
