package plain

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/ui/component"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

// Driver is the run as this face needs it.
type Driver interface {
	Status() *rollout.Status
	Subscribe() (<-chan struct{}, func())
	Answer(rollout.Answer) error
	Pause(why string)
	Detach(why string)
	Killed(why string, exit rollout.ExitCode)
	Abandon(why string)
	Done() <-chan struct{}
}

var _ Driver = (*rollout.Driver)(nil)

// Options of a Run. The zero value reads from a pipe and writes UTF-8.
type Options struct {
	By       rollout.Operator // who answers
	Terminal bool             // in is a terminal: what is typed before a question appears is dropped
	ASCII    bool             // the locale shows no UTF-8
	Location *time.Location   // of printed times; nil = local
	Now      func() time.Time // nil = time.Now
	// Interrupts are wishes to stop (ctrl-c): the first pauses the run, a
	// second one leaves it. nil = none.
	Interrupts <-chan struct{}
	// Exit is the code that the end of the context asks for, if nothing was changed
	// until then. nil = that of a run that was left.
	Exit func(cause error) rollout.ExitCode
}

// leaveMost is how long a program that leaves waits for a restart command. A
// session that ends gives its programs little longer before it kills them.
const leaveMost = 5 * time.Second

// maxStray is how many lines that are no answer one question bears.
const maxStray = 3

// Run shows a run line by line and reads its answers until it has ended, and
// gives back its exit code. A cancelled context, a second interrupt and output
// that cannot be written leave the run: nothing more is sent, what runs at the
// controller goes on. End of input and three lines that are no answer pause
// the run and leave it so.
func Run(ctx context.Context, d Driver, in io.Reader, out io.Writer, o Options) rollout.ExitCode {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Location == nil {
		o.Location = time.Local
	}
	changed, unsubscribe := d.Subscribe()
	defer unsubscribe()
	input := openInput(in, o.Now)
	defer input.close()
	s := &session{d: d, o: o, in: in, out: out, lines: input.lines, done: ctx.Done()}
	s.head(d.Status())
	for s.step(ctx, changed) {
	}
	return s.end()
}

// session is one Run.
type session struct {
	d     Driver
	o     Options
	in    io.Reader
	out   io.Writer
	lines <-chan typed
	done  <-chan struct{} // of the context; nil once it was obeyed

	seen        seen
	asked       *rollout.Prompt // the question that was last printed
	askedAt     time.Time
	answered    bool   // asked has been answered
	held        *typed // a piped line that found no question
	stray       int    // lines in a row that were no answer
	inputEnded  bool
	interrupted int
	leaving     bool
	patience    <-chan time.Time // when a restart command is no longer waited for; nil = not leaving
	writeFailed bool
}

// step shows what is new and waits for the next thing to happen. It reports
// false when the run has ended.
func (s *session) step(ctx context.Context, changed <-chan struct{}) bool {
	s.show(s.d.Status())
	if s.writeFailed && !s.leaving {
		s.leave("the output cannot be written")
	}
	if s.held != nil && s.open() {
		line := *s.held
		s.held = nil
		s.take(line)
		return true
	}
	if s.inputEnded && s.open() && !s.leaving {
		s.pause("end of input, which is no answer")
	}
	select {
	case <-s.d.Done():
		return false
	case <-changed:
	case line, ok := <-s.source():
		s.receive(line, ok)
	case <-s.o.Interrupts:
		s.interrupt()
	case <-s.done:
		s.done = nil
		s.killed(context.Cause(ctx))
	case <-s.patience:
		s.patience = nil
		s.d.Abandon("left while its restart command runs")
	}
	return true
}

// open reports a question that waits for an answer.
func (s *session) open() bool { return s.asked != nil && !s.answered }

// source is where lines are taken from just now. A pipe is read only while a
// question is open: every line of it is an answer. A terminal is always read,
// so that nothing typed ahead waits for the next question.
func (s *session) source() <-chan typed {
	if s.inputEnded || s.leaving || s.held != nil || !s.o.Terminal && !s.open() {
		return nil
	}
	return s.lines
}

func (s *session) receive(line typed, ok bool) {
	if !ok {
		s.inputEnded = true
		if !s.open() {
			s.say("end of input: the run pauses at its next question")
		}
		return
	}
	if !s.o.Terminal {
		// The question may have changed since it was printed; a piped line
		// answers the one that is open when it is read.
		s.show(s.d.Status())
		if !s.open() {
			s.held = &line
			return
		}
	}
	s.take(line)
}

// take reads a line as an answer to the question that was printed.
func (s *session) take(line typed) {
	switch {
	case s.o.Terminal && !s.open():
		s.say("nothing is asked; this line does nothing")
		return
	case s.o.Terminal && line.at.Before(s.askedAt):
		s.say("typed before the question appeared; this line does nothing")
		return
	case wordOf(line.text) == rollout.WordEvidence:
		s.evidence()
		return
	}
	answer, err := ParseAnswer(line.text, *s.asked)
	if err != nil {
		s.reject(err)
		return
	}
	answer.By, answer.At = s.o.By, s.o.Now()
	if err := s.d.Answer(answer); err != nil {
		s.refused(err)
		return
	}
	s.answered, s.stray = true, 0
}

// refused says why the run did not take an answer. A question that was
// replaced meanwhile is nobody's fault: the new one is printed next.
func (s *session) refused(err error) {
	if now := s.d.Status().Prompt; now == nil || now.ID != s.asked.ID {
		s.say("the question changed before the answer arrived: " + err.Error())
		return
	}
	s.reject(err)
}

func (s *session) reject(err error) {
	s.stray++
	s.say(err.Error())
	if s.stray >= maxStray {
		s.pause(fmt.Sprintf("%d lines that were no answer", maxStray))
		return
	}
	s.ask(s.asked)
}

// pause pauses the run and leaves it so.
func (s *session) pause(why string) {
	s.say(why + ": the run is paused")
	s.leaving = true
	s.d.Pause(why)
	s.d.Detach(why)
}

func (s *session) leave(why string) {
	s.sayLeaving(why)
	s.d.Detach(why)
}

// killed leaves because of a signal.
func (s *session) killed(cause error) {
	if s.o.Exit == nil {
		s.leave(cause.Error())
		return
	}
	s.sayLeaving(cause.Error())
	s.d.Killed(cause.Error(), s.o.Exit(cause))
}

func (s *session) sayLeaving(why string) {
	s.leaving = true
	s.say("leaving the run: " + why + "; nothing more is sent, what runs at the controller goes on")
	if node, ok := restarting(s.d.Status()); ok {
		s.say("the restart command of node " + node + " runs; it is not killed, and is waited for " + leaveMost.String() + " at most")
	}
	s.patience = time.After(leaveMost)
}

// restarting is the node whose restart command runs.
func restarting(st *rollout.Status) (node string, ok bool) {
	for i := range st.Steps {
		if s := &st.Steps[i]; !s.HookStart.IsZero() && s.HookEnd.IsZero() {
			return s.Plan.Node.String(), true
		}
	}
	return "", false
}

func (s *session) interrupt() {
	s.interrupted++
	if s.leaving {
		s.patience = nil
		s.d.Abandon("told to leave once more")
		return
	}
	if s.interrupted > 1 {
		s.leave("interrupted twice")
		return
	}
	s.say("interrupted: the run pauses at the next boundary; once more leaves it")
	s.d.Pause("interrupted")
}

// end prints the report and gives the exit code.
func (s *session) end() rollout.ExitCode {
	st := s.d.Status()
	s.leaving = true // no question is printed any more
	s.show(st)
	for _, line := range prose.ReportText(st, s.o.Now()) {
		s.print(line)
	}
	switch {
	case st.Outcome != nil:
		return st.Outcome.Exit
	case s.interrupted > 0, s.inputEnded, s.stray >= maxStray:
		return rollout.ExitPaused
	}
	return rollout.ExitInternal
}

// say prints what this face itself has to tell.
func (s *session) say(text string) { s.print("- " + text) }

// print writes one line. After a failed write nothing is written any more.
func (s *session) print(line string) {
	if s.writeFailed {
		return
	}
	line = component.Printable(line)
	if s.o.ASCII {
		line = component.ASCII(line)
	}
	if _, err := fmt.Fprintln(s.out, line); err != nil {
		s.writeFailed = true
	}
}
