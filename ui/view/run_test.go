package view

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/StorconTUI/storcon-tui/engine/gate"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/ui/goldentest"
)

// seat is a person before the run screen: keys come a second apart unless said
// otherwise.
type seat struct {
	t *testing.T
	v *RunScreen
	c *Context
}

func sit(t *testing.T, st *rollout.Status) *seat {
	s := &seat{t: t, v: NewRunScreen(), c: runContext(goldentest.Styles(t, goldentest.Looks[0]), st)}
	s.draw()
	s.c.Now = s.c.Now.Add(time.Second)
	return s
}

func (s *seat) draw() string {
	return ansi.Strip(strings.Join(s.v.Lines(s.c, 100, 30), "\n"))
}

// press gives one key after a pause and the picture that follows it.
func (s *seat) press(key string, after time.Duration) Intent {
	s.c.Now = s.c.Now.Add(after)
	i := s.v.Key(key, s.c)
	s.draw()
	return i
}

func (s *seat) typed(text string) {
	for _, r := range text {
		require.Nil(s.t, s.press(string(r), 120*time.Millisecond))
	}
}

func TestYesAnswersTheQuestionOnTheScreen(t *testing.T) {
	s := sit(t, askRestart())
	require.Equal(t, GiveAnswer{rollout.Answer{Prompt: "q-1", Word: rollout.WordYes}}, s.press("y", time.Second))
}

// T2: nothing but a key of the list answers, and enter never does.
func TestEnterNeverConfirms(t *testing.T) {
	for name, st := range allPrompts() {
		s := sit(t, st)
		for _, key := range []string{"enter", " ", "tab", "esc", "x", "d", "f", "left", "ctrl+m", "Y"} {
			i := s.press(key, time.Second)
			_, answered := i.(GiveAnswer)
			require.False(t, answered, "%s: %s answered", name, key)
			_, paused := i.(PauseRun)
			require.False(t, paused)
		}
		require.False(t, s.v.Typing(), name)
	}
}

// T4: pasted text does nothing, with brackets or without.
func TestPasteNeverAnswers(t *testing.T) {
	for name, st := range allPrompts() {
		s := sit(t, st)
		s.v.Paste("yes\n3\n")
		require.False(t, s.v.Typing(), name)
		// Without brackets: runs of letters arrive as one key, the rest one by one.
		for _, key := range []string{"drain", "enter", "y", "enter", "yes", "enter", "1", "enter", "]11;rgb:1414/1919/1f1f", "alt+\\", "U", "1", "enter"} {
			i := s.press(key, time.Millisecond)
			_, answered := i.(GiveAnswer)
			require.False(t, answered, "%s: %q", name, key)
		}
	}
}

// T4: neither does a paste into the place for a node's id, whose enter comes alone.
func TestNodeIDIsTyped(t *testing.T) {
	s := sit(t, askNodeDown())
	require.Nil(t, s.press("U", time.Second))
	require.True(t, s.v.Typing())
	s.v.Paste("yes\n1\n")
	require.Contains(t, s.draw(), "only the node's id is taken here")
	require.Nil(t, s.press("enter", time.Second))
	require.Nil(t, s.press("1", time.Millisecond))
	require.Nil(t, s.press("enter", time.Millisecond), "too fast for a person")
	s.press("ctrl+u", time.Second)
	s.typed("2")
	require.Nil(t, s.press("enter", time.Second))
	require.Contains(t, s.draw(), "not the id of this node")
	s.typed("1")
	require.Equal(t, GiveAnswer{rollout.Answer{Prompt: "q-1", Word: rollout.WordUndrained, Node: 1}}, s.press("enter", time.Second))
	require.False(t, s.v.Typing())
}

// A limit is extended by a time that is typed; what is no time changes nothing, and a
// question that waiting does not answer says so.
func TestWaitForATime(t *testing.T) {
	s := sit(t, askNoProgress())
	require.Nil(t, s.press("W", time.Second))
	require.True(t, s.v.Typing())
	require.Contains(t, s.draw(), "For how long, such as 10m or 90s?")
	s.typed("soon")
	require.Nil(t, s.press("enter", time.Second))
	require.Contains(t, s.draw(), `"soon" is no time`)
	s.press("ctrl+u", time.Second)
	s.typed("12m")
	require.Equal(t, GiveAnswer{rollout.Answer{Prompt: "q-1", Word: rollout.WordWait, Extend: 12 * time.Minute}}, s.press("enter", time.Second))

	s = sit(t, askDrain())
	require.Equal(t, Say{"waiting is no answer to this question"}, s.press("W", time.Second))
}

func TestEscTakesAnEntryBack(t *testing.T) {
	s := sit(t, askNodeDown())
	s.press("U", time.Second)
	s.typed("1")
	require.IsType(t, Say{}, s.press("esc", time.Second))
	require.False(t, s.v.Typing())
	require.Nil(t, s.press("enter", time.Second))
}

func TestOverrideNamesItsGateAndReason(t *testing.T) {
	s := sit(t, askGate())
	require.Nil(t, s.press("o", time.Second))
	require.Contains(t, s.draw(), "1 override stuck_reconciles_zero")
	require.Nil(t, s.press("2", time.Second))
	s.typed("1")
	require.Nil(t, s.press("enter", time.Second))
	require.Nil(t, s.press("enter", time.Second), "a reason is needed")
	s.v.Paste("approved in CHG-118\n")
	require.Equal(t, GiveAnswer{rollout.Answer{
		Prompt: "q-1", Word: rollout.WordOverride, Gate: gate.AZRedundancy, Node: 1, Reason: "approved in CHG-118",
	}}, s.press("enter", time.Second))
}

// A question that has just appeared takes no key: it was meant for what was
// there before.
func TestKeysTypedAheadAreDropped(t *testing.T) {
	st := askDrain()
	s := sit(t, st)
	require.IsType(t, GiveAnswer{}, s.press("y", time.Second))
	next := *askRestart()
	next.Prompt.ID = "q-2"
	s.c.Run = &next
	require.Nil(t, s.v.Key("y", s.c), "before it was drawn")
	s.draw()
	require.Nil(t, s.press("y", 300*time.Millisecond), "within the grace")
	// Held down: the first repeat comes late, the others fast.
	require.Nil(t, s.press("y", 600*time.Millisecond))
	for range 14 {
		require.Nil(t, s.press("y", 30*time.Millisecond))
	}
	require.Equal(t, GiveAnswer{rollout.Answer{Prompt: "q-2", Word: rollout.WordYes}}, s.press("y", time.Second))
}

// An answer belongs to the question that was on the screen (T1).
func TestAnswerEndsWithItsQuestion(t *testing.T) {
	s := sit(t, askNodeDown())
	s.press("U", time.Second)
	s.typed("1")
	other := *askNodeDown()
	other.Prompt.ID = "q-2"
	s.c.Run = &other
	require.Equal(t, Say{"the question has changed; nothing was sent"}, s.v.Key("enter", s.c))
	require.Contains(t, s.draw(), "nothing was sent")
	require.False(t, s.v.Typing())
}

func TestOffChoiceSaysWhy(t *testing.T) {
	s := sit(t, askNoProgress())
	require.Equal(t, Say{"restart undrained is off: an operation on the node may still run: cancel it first"}, s.press("U", time.Second))
	require.Equal(t, Say{"y is no answer to this question"}, s.press("y", time.Second))
}

func TestPauseIsAlwaysAtHand(t *testing.T) {
	s := sit(t, draining())
	require.Equal(t, PauseRun{Why: "asked for by the operator"}, s.press("p", time.Second))
	require.Equal(t, PauseRun{Why: "asked for by the operator", Later: true}, s.press("P", time.Second))
	require.IsType(t, Say{}, sit(t, askDrain()).press("P", time.Second), "a question is answered with a pause itself")
	s = sit(t, finished())
	require.Nil(t, s.press("p", time.Second))
	require.Equal(t, Open{ScreenReport}, s.press("e", time.Second))
}

// P24: every confirm names cluster, node and address, the literal call, and
// what comes next; harmless ones do not wear the style of danger.
func TestEveryConfirmSaysWhatItIsAbout(t *testing.T) {
	danger := goldentest.Styles(t, goldentest.Looks[0]).Danger.Render("x")
	danger = danger[:strings.Index(danger, "x")]
	for name, st := range allPrompts() {
		for _, size := range goldentest.Sizes {
			v := NewRunScreen()
			c := runContext(goldentest.Styles(t, goldentest.Looks[0]), st)
			drawn := strings.Join(v.Lines(c, size[0], size[1]-chrome), "\n")
			text := strings.Join(strings.Fields(ansi.Strip(drawn)), " ")
			for _, must := range []string{"prod-eu-1", "NODE 1", "ps-1.internal", "if not", "evidence", "No default", "expires in 4 min 12 s", "X abort run", "p pause"} {
				require.Contains(t, text, must, "%s at %v", name, size)
			}
			if literal := st.Prompt.Literal; literal != "" {
				require.Contains(t, text, literal, "%s at %v", name, size)
				require.Contains(t, text, "then", "%s at %v", name, size)
			}
			_, typed := typedChoice(st)
			require.Equal(t, typed, strings.Contains(drawn, danger), "%s at %v", name, size)
			require.NotContains(t, strings.ToLower(text), "are you sure")
		}
	}
}

func typedChoice(st *rollout.Status) (rollout.Choice, bool) {
	for _, c := range st.Prompt.Choices {
		if c.TypeID && c.Off == "" {
			return c, true
		}
	}
	return rollout.Choice{}, false
}

// T21: without colour every state is a word, and the chosen row a marker.
func TestWithoutColourNothingIsLost(t *testing.T) {
	mono := goldentest.Styles(t, goldentest.Looks[2])
	for name, st := range allPrompts() {
		c := runContext(mono, st)
		for _, line := range NewRunScreen().Lines(c, 100, 30) {
			require.NotRegexp(t, `\x1b\[[0-9;]*(3[0-9]|4[0-9]|9[0-7]|10[0-7])[;m]`, line, name)
		}
		require.Contains(t, ansi.Strip(strings.Join(NewRunScreen().Lines(c, 100, 40), "\n")), "waiting for you", name)
	}
	lines := NewPlanScreen(fixturePlan()).Lines(runContext(mono, nil), 100, 30)
	require.Contains(t, lines[3], "\x1b[7m")
	require.True(t, strings.HasPrefix(ansi.Strip(lines[3]), ">"))
}

func TestASCIILocale(t *testing.T) {
	for name, st := range allRuns() {
		c := runContext(goldentest.Styles(t, goldentest.Looks[2]), st)
		c.ASCII = true
		for _, v := range []Screen{NewRunScreen(), NewReportScreen(), NewPlanScreen(fixturePlan())} {
			for _, line := range v.Lines(c, 80, 24) {
				for _, r := range line {
					require.LessOrEqual(t, r, rune(126), "%s: %q", name, line)
				}
			}
		}
	}
}

// Every screen is exactly as large as the terminal, whatever it has to say, and
// a question's choices and its expiry are always on it.
func TestRunScreensFitAnySize(t *testing.T) {
	runs := allRuns()
	var names []string
	for name := range runs {
		names = append(names, name)
	}
	styles := goldentest.Styles(t, goldentest.Looks[0])
	rapid.Check(t, func(rt *rapid.T) {
		st := *runs[rapid.SampledFrom(names).Draw(rt, "run")]
		for range rapid.IntRange(0, 40).Draw(rt, "more nodes") {
			st.Steps = append(st.Steps, rollout.StepStatus{Plan: fixtureStep(9, rapid.String().Draw(rt, "az"), -1)})
		}
		w, h := rapid.IntRange(40, 220).Draw(rt, "w"), rapid.IntRange(12, 60).Draw(rt, "h")
		c := runContext(styles, &st)
		run := NewRunScreen()
		for _, v := range []Screen{run, NewReportScreen(), NewPlanScreen(st.Plan)} {
			for range rapid.IntRange(0, 4).Draw(rt, "keys") {
				c.Now = c.Now.Add(time.Second)
				v.Key(rapid.SampledFrom([]string{"down", "pgdown", "up", "v", "l", "U", "o", "1", "J", "-", "a"}).Draw(rt, "key"), c)
				v.Lines(c, w, h)
			}
			goldentest.Exact(rt, v.Lines(c, w, h), w, h)
		}
		if st.Prompt != nil && w >= 80 && h >= 22 && !run.Typing() {
			text := strings.Join(strings.Fields(ansi.Strip(strings.Join(run.Lines(c, w, h), " "))), " ")
			require.Contains(rt, text, "X abort run")
			require.Contains(rt, text, "fresh facts.")
		}
	})
}

func TestNoKeyMeansTwoThings(t *testing.T) {
	for _, screen := range []string{ScreenPlan, ScreenRun, ScreenReport} {
		seen := map[string]Command{}
		for _, b := range runKeyMap() {
			if !b.On(screen) {
				continue
			}
			for _, key := range b.Keys {
				require.NotContains(t, seen, key, screen)
				seen[key] = b.Command
			}
		}
	}
	for _, w := range []rollout.Word{
		rollout.WordYes, rollout.WordNo, rollout.WordSkip, rollout.WordRetry, rollout.WordWait, rollout.WordCancel,
		rollout.WordAccept, rollout.WordOverride, rollout.WordReset, rollout.WordUndrained, rollout.WordManual,
		rollout.WordAbort, rollout.WordDetach, rollout.WordResume, rollout.WordRestOfNode, rollout.WordRestOfAZ, rollout.WordRestOfRun,
	} {
		require.NotEmpty(t, KeyFor(w), w)
	}
}

func TestPlanStartsAndIsReordered(t *testing.T) {
	c := runContext(goldentest.Styles(t, goldentest.Looks[0]), nil)
	v := NewPlanScreen(fixturePlan())
	require.Nil(t, v.Key("enter", c), "enter starts nothing")
	require.Nil(t, v.Key("J", c))
	start := v.Key("s", c).(StartRun)
	require.EqualValues(t, 2, start.Plan.Steps[0].Node)
	require.EqualValues(t, 1, start.Plan.Steps[1].Node)
	require.EqualValues(t, 1, fixturePlan().Steps[0].Node)
	require.IsType(t, Say{}, v.Key("-", c), "the cursor went along: node 1 goes")
	require.Len(t, v.Plan().Steps, 1)
	require.EqualValues(t, 1, v.Plan().LeftOut[1].Node)
	require.IsType(t, Say{}, v.Key("-", c))
	require.Len(t, v.Plan().Steps, 1)

	c.Now = c.Now.Add(time.Minute)
	require.Equal(t, Say{"not started: the node list is stale: the controller is not answering"}, v.Key("s", c))
	require.NotEmpty(t, v.Hints(c)[0].Off)
}

func TestUnfinishedRunBlocksOnlyARollingRestart(t *testing.T) {
	c := runContext(goldentest.Styles(t, goldentest.Looks[0]), nil)
	c.Unfinished.ID = "01J8ZQ4M6T8R2V0X9Y5B7C3DK2"
	require.IsType(t, Say{}, NewPlanScreen(fixturePlan()).Key("s", c))
	lone := fixturePlan()
	lone.Goal, lone.Steps = rollout.GoalDrain, lone.Steps[:1]
	require.IsType(t, StartRun{}, NewPlanScreen(lone).Key("s", c))
}

func allPrompts() map[string]*rollout.Status {
	return map[string]*rollout.Status{
		"drain": askDrain(), "restart": askRestart(), "no progress": askNoProgress(),
		"node down": askNodeDown(), "gate": askGate(), "hook failed": askHookFailed(),
	}
}

func allRuns() map[string]*rollout.Status {
	all := allPrompts()
	all["draining"], all["stalling"], all["restarting"] = draining(), stalling(), restarting()
	all["finished"], all["dirty"] = finished(), abortedDirty()
	return all
}
