package plain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// script is a run that asks one prompt after the other and ends.
type script struct {
	mu        sync.Mutex
	st        rollout.Status
	prompts   []rollout.Prompt
	answers   []rollout.Answer
	paused    []string
	detached  []string
	abandoned []string
	lingers   bool  // a restart command keeps it from ending on Detach
	refuse    error // what the next Answer returns
	changed   chan struct{}
	done      chan struct{}
	stays     bool // Pause asks AskPaused, as the real one does
}

func newScript(prompts ...rollout.Prompt) *script {
	s := &script{prompts: prompts, changed: make(chan struct{}, 1), done: make(chan struct{})}
	s.st = rollout.Status{
		Run: "01J8ZQ4M6T8R2V0X9Y5B7C3DK2", Journal: "/state/runs/01J8.jsonl", Goal: rollout.GoalRestart,
		Identity: cluster.Identity{Name: "prod-eu-1"}, State: rollout.RunRunning,
		Plan: rollout.Plan{Goal: rollout.GoalRestart, Steps: []rollout.StepPlan{{Node: 1, Attached: 10}}},
		Steps: []rollout.StepStatus{{
			Plan: rollout.StepPlan{Node: 1, Attached: 10}, State: rollout.StepRunning, AttachedBefore: 10, AttachedAfter: -1,
			LeftoversGauge: -1, Phases: []rollout.PhaseStatus{{Phase: rollout.PhaseDrain, State: rollout.PhaseAsking}},
		}},
	}
	s.next()
	return s
}

// next puts the next prompt, or ends the run when there is none.
func (s *script) next() {
	s.st.Prompt = nil
	if len(s.prompts) == 0 {
		s.end(rollout.ExitDone, "done")
		return
	}
	p := s.prompts[0]
	s.prompts = s.prompts[1:]
	s.st.Prompt = &p
	s.ping()
}

func (s *script) end(code rollout.ExitCode, word string) {
	s.st.Prompt = nil
	s.st.State = rollout.RunEnded
	s.st.Outcome = &rollout.Outcome{Exit: code, Word: word, Exposed: -1, Baseline: -1}
	select {
	case <-s.done:
	default:
		close(s.done)
	}
}

func (s *script) ping() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// change alters the status and tells of it.
func (s *script) change(f func(*rollout.Status)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.st)
	s.ping()
}

func (s *script) Status() *rollout.Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.st
	return &st
}

func (s *script) Subscribe() (<-chan struct{}, func()) { return s.changed, func() {} }
func (s *script) Done() <-chan struct{}                { return s.done }

func (s *script) Answer(a rollout.Answer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refuse; err != nil {
		s.refuse = nil
		return err
	}
	if s.st.Prompt == nil || s.st.Prompt.ID != a.Prompt {
		return errors.New("this question is over")
	}
	s.answers = append(s.answers, a)
	s.next()
	return nil
}

func (s *script) Pause(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paused = append(s.paused, why)
	if s.stays {
		s.st.State, s.st.Why = rollout.RunPaused, why
		s.st.Prompt = &rollout.Prompt{ID: "paused", Ask: rollout.AskPaused, Node: 1, Choices: []rollout.Choice{{Word: rollout.WordResume}, {Word: rollout.WordAbort}}}
		s.ping()
	}
}

func (s *script) Detach(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.detached = append(s.detached, why)
	if s.lingers {
		return
	}
	s.end(rollout.ExitPaused, "paused")
}

func (s *script) Killed(why string, _ rollout.ExitCode) { s.Detach(why) }

func (s *script) Abandon(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.abandoned = append(s.abandoned, why)
	s.end(rollout.ExitPaused, "left")
}

func (s *script) abandonments() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.abandoned)
}

func (s *script) words() []rollout.Word {
	s.mu.Lock()
	defer s.mu.Unlock()
	var words []rollout.Word
	for _, a := range s.answers {
		words = append(words, a.Word)
	}
	return words
}

func prompt(id string, ask rollout.Ask, choices ...rollout.Choice) rollout.Prompt {
	return rollout.Prompt{
		ID: id, Ask: ask, Node: 1, Addr: "ps-1.internal", AZ: "eu-1a", Literal: "PUT /control/v1/node/1/drain",
		Evidence: rollout.Evidence{Policy: client.PolicyActive, Attached: 10, EpochStable: true},
		Choices:  append(choices, rollout.Choice{Word: rollout.WordNo}, rollout.Choice{Word: rollout.WordAbort}),
	}
}

func yesTo(id string, ask rollout.Ask) rollout.Prompt {
	return prompt(id, ask, rollout.Choice{Word: rollout.WordYes}, rollout.Choice{Word: rollout.WordSkip})
}

func undrained(id string) rollout.Prompt {
	return prompt(id, rollout.AskNodeDown, rollout.Choice{Word: rollout.WordUndrained, TypeID: true}, rollout.Choice{Word: rollout.WordWait})
}

// run feeds text from a pipe and gives back what was printed.
func run(t *testing.T, s *script, text string) (string, rollout.ExitCode) {
	t.Helper()
	var out bytes.Buffer
	code := Run(t.Context(), s, strings.NewReader(text), &out, Options{Location: time.UTC})
	return out.String(), code
}

func TestYesToEverything(t *testing.T) {
	s := newScript(yesTo("a", rollout.AskDrain), yesTo("b", rollout.AskRestart), yesTo("c", rollout.AskFill))
	pr, pw := io.Pipe()
	go func() {
		for {
			if _, err := io.WriteString(pw, "yes\n"); err != nil {
				return
			}
		}
	}()
	var out bytes.Buffer
	code := Run(t.Context(), s, pr, &out, Options{By: rollout.Operator{User: "ann"}})
	pr.Close()
	require.Equal(t, rollout.ExitDone, code)
	require.Equal(t, []rollout.Word{rollout.WordYes, rollout.WordYes, rollout.WordYes}, s.words())
	require.Equal(t, "ann", s.answers[0].By.User)
	require.False(t, s.answers[0].At.IsZero())
	lines := strings.Split(out.String(), "\n")
	require.Equal(t, "run 01J8ZQ4M6T8R2V0X9Y5B7C3DK2  journal /state/runs/01J8.jsonl", lines[0])
	require.Contains(t, lines[1], "PLAN")
	require.Contains(t, out.String(), "? DRAIN NODE 1?  yes | skip | no | abort | evidence\n")
	require.Contains(t, out.String(), "sends      PUT /control/v1/node/1/drain\n")
	require.Contains(t, out.String(), "REPORT  done (exit 0)")
	require.Less(t, strings.Index(out.String(), "? FILL"), strings.Index(out.String(), "REPORT"))
}

// A run that is taken up again does not claim that its plan is still untouched.
func TestPlanOfAResumedRun(t *testing.T) {
	for _, drains := range []int{0, 1} {
		s := newScript(yesTo("a", rollout.AskDrain))
		s.st.Calls.Drain = drains
		out, _ := run(t, s, "yes\n")
		require.Equal(t, drains == 0, strings.Contains(out, "nothing has been sent\n"), out)
	}
}

func TestEndOfInputPausesAndIsNoAnswer(t *testing.T) {
	for _, text := range []string{"", "yes", "yes\nye", "yes\nyes"} {
		s := newScript(yesTo("a", rollout.AskDrain), yesTo("b", rollout.AskRestart))
		out, code := run(t, s, text)
		require.Equal(t, rollout.ExitPaused, code)
		require.Len(t, s.answers, strings.Count(text, "\n"), "%q: a line that was not ended is no answer", text)
		require.Len(t, s.paused, 1)
		require.Len(t, s.detached, 1)
		require.Contains(t, out, "end of input, which is no answer: the run is paused")
	}
}

// The drain that a script began is followed to its end; only the question
// after it has nobody to answer.
func TestEndOfInputBetweenQuestionsWaitsForTheNext(t *testing.T) {
	s := newScript(yesTo("a", rollout.AskDrain))
	s.prompts = []rollout.Prompt{}
	answered := make(chan struct{})
	d := &lateScript{script: s, answered: answered}
	var out bytes.Buffer
	ended := make(chan rollout.ExitCode)
	go func() {
		ended <- Run(t.Context(), d, strings.NewReader("yes\n"), &out, Options{Location: time.UTC})
	}()
	<-answered
	s.mu.Lock()
	require.Empty(t, s.paused)
	s.mu.Unlock()
	s.change(func(st *rollout.Status) {
		p := yesTo("b", rollout.AskRestart)
		st.Prompt = &p
	})
	require.Equal(t, rollout.ExitPaused, <-ended)
	require.Equal(t, []string{"end of input, which is no answer"}, s.paused)
}

// lateScript takes an answer without asking the next question at once.
type lateScript struct {
	*script
	answered chan struct{}
}

func (l *lateScript) Answer(rollout.Answer) error {
	l.change(func(st *rollout.Status) { st.Prompt = nil })
	close(l.answered)
	return nil
}

func TestThreeStrayLinesPause(t *testing.T) {
	s := newScript(yesTo("a", rollout.AskDrain))
	out, code := run(t, s, "maybe\n\nok then\nyes\n")
	require.Equal(t, rollout.ExitPaused, code)
	require.Empty(t, s.answers)
	require.Equal(t, []string{"3 lines that were no answer"}, s.paused)
	require.Contains(t, out, `"maybe" is no answer to this question`)
	require.Contains(t, out, "an empty line is no answer")
}

func TestStrayLinesAreCountedAnew(t *testing.T) {
	s := newScript(yesTo("a", rollout.AskDrain), yesTo("b", rollout.AskRestart))
	_, code := run(t, s, "x\nx\nyes\nx\nx\nyes\n")
	require.Equal(t, rollout.ExitDone, code)
	require.Len(t, s.answers, 2)
}

func TestTypedNodeIDIsNeeded(t *testing.T) {
	s := newScript(undrained("a"))
	out, code := run(t, s, "undrained\nundrained 2\nundrained 1\n")
	require.Equal(t, rollout.ExitDone, code)
	require.Len(t, s.answers, 1)
	require.EqualValues(t, 1, s.answers[0].Node)
	require.Contains(t, out, "undrained does nothing without the node's id: undrained NODE-ID")
	require.Contains(t, out, "this question is about node 1, not 2")
	require.Contains(t, out, "? NODE 1 IS not up AND WAS NOT DRAINED  undrained NODE-ID | wait [10m] | no | abort | evidence")
}

func TestYesDoesNotReachADangerousAnswer(t *testing.T) {
	s := newScript(undrained("a"))
	_, code := run(t, s, strings.Repeat("yes\n", 10))
	require.Equal(t, rollout.ExitPaused, code)
	require.Empty(t, s.answers)
}

func TestEvidenceKeepsTheQuestion(t *testing.T) {
	s := newScript(yesTo("a", rollout.AskDrain))
	out, code := run(t, s, "evidence\nevidence\nevidence\nevidence\nyes\n")
	require.Equal(t, rollout.ExitDone, code)
	require.Equal(t, []rollout.Word{rollout.WordYes}, s.words())
	require.Equal(t, 5, strings.Count(out, "? DRAIN NODE 1?"))
	require.Contains(t, out, "    yes        starts the drain of node 1\n")
}

func TestRefusedAnswerIsShownAndAskedAgain(t *testing.T) {
	s := newScript(yesTo("a", rollout.AskDrain))
	s.refuse = errors.New("the gates have changed")
	out, code := run(t, s, "yes\nyes\n")
	require.Equal(t, rollout.ExitDone, code)
	require.Contains(t, out, "- the gates have changed\n? DRAIN NODE 1?")
}

// face is a session that nobody runs.
func face(d Driver, o Options, out io.Writer) *nodes {
	n := &nodes{session: newSession(d, strings.NewReader(""), out, o), d: d}
	n.session.talk = n
	return n
}

func TestOneLineAChangeAndNonePerPoll(t *testing.T) {
	s := newScript(yesTo("a", rollout.AskDrain))
	var out bytes.Buffer
	f := face(s, Options{Location: time.UTC, Now: time.Now}, &out)
	f.head()
	out.Reset()
	s.st.Prompt = nil
	drain := &s.st.Steps[0].Phases[0]
	drain.State, drain.Progress = rollout.PhaseRunning, rollout.Progress{Total: 1000, Left: 1000}
	s.st.Notes = []rollout.Note{{Node: 1, Text: "drain accepted"}}
	for left := int64(1000); left >= 0; left-- { // a poll each
		drain.Progress.Left = left
		f.show()
		f.show()
	}
	require.Equal(t, 1+11, strings.Count(out.String(), "\n"), "%s", out.String())
	s.st.Hold = rollout.Hold{Reason: "the controller is not answering"}
	drain.Progress.Blocking = []rollout.Blocking{{Shard: "3aa9", To: 4}}
	s.st.Notes = append(s.st.Notes, rollout.Note{Kind: rollout.NoteAnomaly, Row: "D3", Text: "foreign driver"})
	out.Reset()
	for range 10 {
		f.show()
	}
	require.Equal(t, 3, strings.Count(out.String(), "\n"), "%s", out.String())
	require.Contains(t, out.String(), "! foreign driver [D3]")
	require.Contains(t, out.String(), "1 shard held up: 3aa9 to node 4")
	require.Contains(t, out.String(), "held: the controller is not answering")
}

// The log is a ring: what fell out of it is not taken for news.
func TestRingOfNotes(t *testing.T) {
	s := newScript(yesTo("a", rollout.AskDrain))
	var out bytes.Buffer
	f := face(s, Options{Location: time.UTC, Now: time.Now}, &out)
	f.head()
	out.Reset()
	for i := range 50 {
		s.st.Notes = append(s.st.Notes, rollout.Note{At: time.Unix(int64(i), 0), Text: "note"})
		s.st.Notes = s.st.Notes[max(0, len(s.st.Notes)-5):]
		f.showNotes(s.Status())
		f.showNotes(s.Status())
	}
	require.Equal(t, 50, strings.Count(out.String(), "\n"))
}

func TestExpiredQuestionIsAskedAgain(t *testing.T) {
	s := newScript(yesTo("a", rollout.AskDrain))
	var out bytes.Buffer
	f := face(s, Options{Location: time.UTC, Now: time.Now}, &out)
	f.head()
	f.show()
	again := yesTo("b", rollout.AskDrain)
	s.st.Prompt = &again
	f.show()
	f.show()
	require.Equal(t, 1, strings.Count(out.String(), "- asked again with fresh facts"))
	require.Equal(t, 2, strings.Count(out.String(), "? DRAIN NODE 1?"))
	s.st.Prompt = nil
	f.show()
	require.Contains(t, out.String(), "- the question is withdrawn: the facts changed")
	require.False(t, f.open())
}

// A run that stands tells so once, whatever goes on meanwhile: neither the age in
// its reason nor the shards that still move make another line (P6, X1).
func TestWhatStandsIsToldOnce(t *testing.T) {
	s := newScript(yesTo("a", rollout.AskDrain))
	var out bytes.Buffer
	f := face(s, Options{Location: time.UTC, Now: time.Now}, &out)
	f.head()
	s.st.Prompt = nil
	for i := range int64(10) {
		s.st.State, s.st.Why = rollout.RunHalted, fmt.Sprintf("gate all_other_nodes_active: node 3 Offline for %d s", i)
		s.st.Steps[0].Phases[0] = rollout.PhaseStatus{
			Phase: rollout.PhaseDrain, State: rollout.PhaseBlocked,
			Progress: rollout.Progress{Total: 10, Left: 10 - i},
		}
		f.show()
	}
	require.Equal(t, 1, strings.Count(out.String(), "run halted"), out.String())
	require.Equal(t, 1, strings.Count(out.String(), "drain stopped"), out.String())
}

func TestTypedAheadOnATerminalIsDropped(t *testing.T) {
	s := newScript(yesTo("a", rollout.AskDrain), yesTo("b", rollout.AskRestart))
	now := time.Date(2026, 3, 14, 21, 40, 0, 0, time.UTC)
	var out bytes.Buffer
	f := face(s, Options{Terminal: true, Location: time.UTC, Now: func() time.Time { return now }}, &out)
	f.head()
	f.take(typed{"yes", now})
	require.Contains(t, out.String(), "nothing is asked; this line does nothing")
	f.show()
	f.take(typed{"yes", now.Add(-time.Millisecond)})
	require.Contains(t, out.String(), "typed before the question appeared")
	require.Empty(t, s.answers)
	f.take(typed{"yes", now.Add(time.Second)})
	require.Len(t, s.answers, 1)
	// The answer is in, the next question not yet on the screen.
	f.take(typed{"yes", now.Add(2 * time.Second)})
	require.Len(t, s.answers, 1)
	require.Zero(t, f.stray)
}

func TestInterruptPausesThenLeaves(t *testing.T) {
	s := newScript(yesTo("a", rollout.AskDrain))
	s.stays = true
	pr, pw := io.Pipe()
	interrupts := make(chan struct{})
	var out bytes.Buffer
	ended := make(chan rollout.ExitCode)
	go func() {
		ended <- Run(t.Context(), s, pr, &out, Options{Location: time.UTC, Interrupts: interrupts})
	}()
	interrupts <- struct{}{}
	interrupts <- struct{}{}
	require.Equal(t, rollout.ExitPaused, <-ended)
	pw.Close()
	require.Equal(t, []string{"interrupted"}, s.paused)
	require.Equal(t, []string{"interrupted twice"}, s.detached)
	require.Contains(t, out.String(), "? THE RUN IS PAUSED  resume | abort | evidence")
}

// Leaving waits for a restart command, which is not killed (A7); the wait is told.
func TestLeavingTellsOfARunningRestart(t *testing.T) {
	s := newScript(yesTo("a", rollout.AskDrain))
	var out bytes.Buffer
	f := face(s, Options{Location: time.UTC, Now: time.Now}, &out)
	f.leave("told to end")
	require.NotContains(t, out.String(), "restart command")
	s.st.Steps[0].HookStart = time.Date(2026, 3, 14, 21, 40, 0, 0, time.UTC)
	f.leave("told to end")
	require.Contains(t, out.String(), "the restart command of node 1 runs; it is not killed")
}

// One signal more, or five seconds, and the restart command is not waited for.
func TestLeavingDoesNotWaitForLong(t *testing.T) {
	for name, again := range map[string]bool{"a second signal": true, "time": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScript(yesTo("a", rollout.AskDrain))
				s.lingers = true
				ctx, cancel := context.WithCancel(t.Context())
				cancel()
				pr, pw := io.Pipe()
				interrupts := make(chan struct{}, 1)
				ended := make(chan rollout.ExitCode)
				began := time.Now()
				go func() { ended <- Run(ctx, s, pr, io.Discard, Options{Interrupts: interrupts}) }()
				synctest.Wait()
				require.Empty(t, s.abandonments())
				want := leaveMost
				if again {
					want = 0
					interrupts <- struct{}{}
				}
				require.Equal(t, rollout.ExitPaused, <-ended)
				pw.Close()
				require.Len(t, s.abandonments(), 1)
				require.Equal(t, want, time.Since(began))
			})
		})
	}
}

func TestCancelledContextLeaves(t *testing.T) {
	s := newScript(yesTo("a", rollout.AskDrain))
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the terminal is gone"))
	pr, pw := io.Pipe()
	var out bytes.Buffer
	require.Equal(t, rollout.ExitPaused, Run(ctx, s, pr, &out, Options{}))
	pw.Close()
	require.Equal(t, []string{"the terminal is gone"}, s.detached)
	require.Empty(t, s.paused)
}

// brokenWriter is a terminal that was closed.
type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("input/output error") }

func TestBrokenOutputLeaves(t *testing.T) {
	s := newScript(yesTo("a", rollout.AskDrain))
	pr, pw := io.Pipe()
	require.Equal(t, rollout.ExitPaused, Run(t.Context(), s, pr, brokenWriter{}, Options{}))
	pw.Close()
	require.Equal(t, []string{"the output cannot be written"}, s.detached)
}

func TestASCII(t *testing.T) {
	s := newScript(yesTo("a", rollout.AskDrain))
	s.st.Identity.Name = "prod·eu\x1b[31m"
	var out bytes.Buffer
	Run(t.Context(), s, strings.NewReader("yes\n"), &out, Options{ASCII: true})
	for _, r := range out.String() {
		require.True(t, r == '\n' || r >= 0x20 && r < 0x7f, "%q", r)
	}
}

// The reader of a pipe that nobody writes to or closes is let go of.
func TestReaderIsLetGoOf(t *testing.T) {
	before := goleak.IgnoreCurrent()
	s := newScript(yesTo("a", rollout.AskDrain))
	pr, pw, err := os.Pipe()
	require.NoError(t, err)
	defer pw.Close()
	defer pr.Close()
	asked := &notify{asked: make(chan struct{})}
	ended := make(chan rollout.ExitCode)
	go func() { ended <- Run(t.Context(), s, pr, asked, Options{}) }()
	<-asked.asked
	s.mu.Lock()
	s.end(rollout.ExitHalted, "halted")
	s.mu.Unlock()
	require.Equal(t, rollout.ExitHalted, <-ended)
	goleak.VerifyNone(t, before)
}

// notify tells when a question was printed.
type notify struct {
	asked chan struct{}
	once  sync.Once
}

func (n *notify) Write(b []byte) (int, error) {
	if bytes.HasPrefix(b, []byte("? ")) {
		n.once.Do(func() { close(n.asked) })
	}
	return len(b), nil
}

func TestOverlongLineIsNoAnswer(t *testing.T) {
	s := newScript(yesTo("a", rollout.AskDrain))
	out, code := run(t, s, "yes "+strings.Repeat("x", 3*maxLine)+"\nyes\n")
	require.Equal(t, rollout.ExitDone, code)
	require.Len(t, s.answers, 1)
	require.Empty(t, s.answers[0].Reason)
	require.Contains(t, out, "is no answer")
}
