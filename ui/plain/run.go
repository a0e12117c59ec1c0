package plain

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/ui/component"
)

// controls are what every kind of run has.
type controls interface {
	Subscribe() (<-chan struct{}, func())
	Pause(why string)
	Detach(why string)
	Killed(why string, exit rollout.ExitCode)
	Abandon(why string)
	Done() <-chan struct{}
}

// talk is what differs between the kinds of runs: what there is to say.
type talk interface {
	head()          // the run, its journal and its plan
	show()          // what is new since the last call
	ask()           // the question's last line once more
	evidence()      // all that the question rests on
	stands() string // id of the question that the run has now; "" = none
	// answer reads a line as an answer to the question that was printed; given says that
	// the run was asked, and the error is its.
	answer(line string) (given bool, err error)
	waitsFor() string // what keeps a run that is left; "" = nothing
	// report prints what came of the run; the exit code counts only with known.
	report() (exit rollout.ExitCode, known bool)
}

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

// Run shows a rolling restart, or a part of one, line by line and reads its answers until
// it has ended, and gives back its exit code. A cancelled context, a second interrupt and output
// that cannot be written leave the run: nothing more is sent, what runs at the
// controller goes on. End of input and three lines that are no answer pause
// the run and leave it so.
func Run(ctx context.Context, d Driver, in io.Reader, out io.Writer, o Options) rollout.ExitCode {
	s := newSession(d, in, out, o)
	s.talk = &nodes{session: s, d: d}
	return s.run(ctx)
}

func newSession(c controls, in io.Reader, out io.Writer, o Options) *session {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Location == nil {
		o.Location = time.Local
	}
	return &session{c: c, o: o, in: in, out: out}
}

// run converses until the run has ended.
func (s *session) run(ctx context.Context) rollout.ExitCode {
	changed, unsubscribe := s.c.Subscribe()
	defer unsubscribe()
	input := openInput(s.in, s.o.Now)
	defer input.close()
	s.lines, s.done = input.lines, ctx.Done()
	s.talk.head()
	for s.step(ctx, changed) {
	}
	return s.end()
}

// session is one run on one terminal or pipe.
type session struct {
	talk
	c     controls
	o     Options
	in    io.Reader
	out   io.Writer
	lines <-chan typed
	done  <-chan struct{} // of the context; nil once it was obeyed

	asked       string // id of the question that was last printed; "" = none
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
	s.show()
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
	case <-s.c.Done():
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
		s.c.Abandon("left while its restart command runs")
	}
	return true
}

// open reports a question that waits for an answer.
func (s *session) open() bool { return s.asked != "" && !s.answered }

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
		s.show()
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
	given, err := s.answer(line.text)
	switch {
	case err == nil:
		s.answered, s.stray = true, 0
	case given && s.stands() != s.asked: // nobody's fault: the new question is printed next
		s.say("the question changed before the answer arrived: " + err.Error())
	default:
		s.reject(err)
	}
}

func (s *session) reject(err error) {
	s.stray++
	s.say(err.Error())
	if s.stray >= maxStray {
		s.pause(fmt.Sprintf("%d lines that were no answer", maxStray))
		return
	}
	s.ask()
}

// pause pauses the run and leaves it so.
func (s *session) pause(why string) {
	s.say(why + ": the run is paused")
	s.leaving = true
	s.c.Pause(why)
	s.c.Detach(why)
}

func (s *session) leave(why string) {
	s.sayLeaving(why)
	s.c.Detach(why)
}

// killed leaves because of a signal.
func (s *session) killed(cause error) {
	if s.o.Exit == nil {
		s.leave(cause.Error())
		return
	}
	s.sayLeaving(cause.Error())
	s.c.Killed(cause.Error(), s.o.Exit(cause))
}

func (s *session) sayLeaving(why string) {
	s.leaving = true
	s.say("leaving the run: " + why + "; nothing more is sent, what was begun goes on")
	if what := s.waitsFor(); what != "" {
		s.say(what + ", and is waited for " + leaveMost.String() + " at most")
	}
	s.patience = time.After(leaveMost)
}

func (s *session) interrupt() {
	s.interrupted++
	if s.leaving {
		s.patience = nil
		s.c.Abandon("told to leave once more")
		return
	}
	if s.interrupted > 1 {
		s.leave("interrupted twice")
		return
	}
	s.say("interrupted: the run pauses at the next boundary; once more leaves it")
	s.c.Pause("interrupted")
}

// end prints the report and gives the exit code.
func (s *session) end() rollout.ExitCode {
	s.leaving = true // no question is printed any more
	s.show()
	exit, known := s.report()
	switch {
	case known:
		return exit
	case s.interrupted > 0, s.inputEnded, s.stray >= maxStray:
		return rollout.ExitPaused
	}
	return rollout.ExitInternal
}

// put prints the last line of a new question. On a terminal what was typed before it
// stood there is dropped.
func (s *session) put(id string) {
	s.asked, s.answered = id, false
	if s.o.Terminal {
		flushTyped(s.in)
	}
	s.askedAt = s.o.Now()
	s.ask()
}

// change prints a line with the time at which it was seen.
func (s *session) change(text string) { s.print(s.clock(s.o.Now()) + "  " + text) }

func (s *session) clock(at time.Time) string { return at.In(s.o.Location).Format("15:04:05") }

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
