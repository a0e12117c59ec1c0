package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/ui/view"
)

// everyKey is every key that a plain terminal can send.
func everyKey() []string {
	var keys []string
	for r := '!'; r <= '~'; r++ {
		keys = append(keys, string(r))
	}
	for name := range keyTypes {
		keys = append(keys, name)
	}
	slices.Sort(keys)
	return append(keys, " ")
}

// No letter means two things in one place.
func TestNoKeyMeansTwoThings(t *testing.T) {
	seen := map[string]string{}
	for _, b := range view.KeyMap() {
		require.NotEmpty(t, b.Screens, b.Short)
		require.True(t, b.Command != "" || b.Action != "", b.Short)
		for _, screen := range b.Screens {
			for _, key := range b.Keys {
				at := screen + " " + key
				require.Empty(t, seen[at], "%s is %s and %s", at, seen[at], b.Short)
				seen[at] = b.Short
			}
		}
	}
}

// T2: whatever is pressed, nothing is started and nothing is cancelled before
// the plan has been shown and its own key pressed there; and enter confirms
// nothing at all.
func TestNoKeySendsAnythingUnconfirmed(t *testing.T) {
	opened := map[string][]string{
		view.ScreenNodes: nil, view.ScreenNode: {"enter"}, view.ScreenHelp: {"?"}, view.ScreenEvents: {"e"},
		view.ScreenRuns: {"L"}, "filter": {"/"}, "filter with text": {"/", "p", "s"},
	}
	for screen, way := range opened {
		for _, key := range everyKey() {
			k := newConsole(t, nil, 100, 30)
			k.runs.run = newLiveRun(asking())
			k.View()
			k.press(way...)
			k.press(key, "enter")
			require.Empty(t, k.runs.started, "%s on %s started a run", key, screen)
			require.Len(t, strings.Split(k.View(), "\n"), 30)
		}
	}
	for _, key := range everyKey() {
		k := newConsole(t, nil, 100, 30)
		k.runs.run = newLiveRun(asking())
		k.View()
		k.press("r")
		require.Equal(t, view.ScreenPlan, k.top().ID())
		k.press(key)
		want := 0
		if key == "s" {
			want = 1
		}
		require.Len(t, k.runs.started, want, "%q on the plan", key)
	}
}

func TestEditingKeysOnlyEditTheFilter(t *testing.T) {
	k := newConsole(t, nil, 100, 30)
	k.View()
	k.press("/", "e", "u", "x", "backspace", "d", "ctrl+w", "u", "ctrl+h", "delete", "p", "s", "-", "3")
	require.Empty(t, k.runs.planned)
	require.Contains(t, k.plainFrame(), "1 of 6")
	k.press("enter")
	k.source.set(crew())
	k.clock = noon
	k.press("d")
	require.Empty(t, k.runs.planned, "the controller is busy with node 2: drain is off")
	require.Contains(t, k.plainFrame(), "drain is off: the controller is busy: drain 2")
	k.press("r")
	require.Equal(t, []string{"restart[3]"}, k.runs.planned)
}

// T1: rows are sorted by a column that changes, come and go; the plan is for
// the node that was under the cursor.
func TestPlanIsForTheNodeUnderTheCursor(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		k := newConsole(t, nil, 100, 30)
		k.View()
		k.press("down", "down", "s", "s", "s", "s", "s") // node 3, sorted by attached
		for i := range rapid.IntRange(1, 8).Draw(rt, "polls") {
			s := crew()
			s.Seq = uint64(100 + i)
			nodes := slices.Clone(s.Nodes.Value)
			for j := range nodes {
				nodes[j].Attached = rapid.Int64Range(0, 5000).Draw(rt, "attached")
			}
			if rapid.Bool().Draw(rt, "vanish") {
				nodes = slices.DeleteFunc(nodes, func(n cluster.Node) bool { return n.ID == 5 })
			}
			s.Nodes.Value = nodes
			k.source.set(s)
			k.feed(changedMsg{})
			k.View()
		}
		k.press("r")
		require.Equal(rt, []string{"restart[3]"}, k.runs.planned)
	})
}

func TestNothingFallsOnTheNeighbourOfAVanishedNode(t *testing.T) {
	k := newConsole(t, nil, 100, 30)
	k.View()
	k.press("down", "down")
	s := crew()
	s.Seq++
	s.Nodes.Value = slices.DeleteFunc(s.Nodes.Value, func(n cluster.Node) bool { return n.ID == 3 })
	k.source.set(s)
	k.feed(changedMsg{})
	require.Contains(t, k.plainFrame(), "node 3 is gone")
	k.press("r")
	require.Empty(t, k.runs.planned)
	require.Contains(t, k.plainFrame(), "restart is off: node 3 is gone; choose another")
	k.press("down", "r")
	require.Len(t, k.runs.planned, 1)
}

func TestMarkedNodesAreThePlan(t *testing.T) {
	k := newConsole(t, nil, 100, 30)
	k.View()
	k.press(" ", "down", " ", "/", "p", "s", "-", "4", "enter")
	require.Contains(t, k.plainFrame(), "2 marked (2 hidden)")
	k.press("r")
	require.Equal(t, []string{"restart[1 3]"}, k.runs.planned)
}

// T7: old data blocks actions and says why.
func TestStaleDataBlocksActions(t *testing.T) {
	k := newConsole(t, nil, 100, 30)
	k.View()
	k.clock = k.clock.Add(14 * time.Second)
	k.feed(changedMsg{})
	require.Contains(t, k.plainFrame(), "STALE 14 s")
	require.Contains(t, k.plainFrame(), "was Active")
	for _, key := range []string{"r", "d", "f", "x", "u"} {
		k.press(key)
		require.Regexp(t, `off: data is 1[4-7] s old`, k.plainFrame())
	}
	require.Empty(t, k.runs.planned)
}

// T10: read-only is read-only from every screen.
func TestReadOnlyPlansNothing(t *testing.T) {
	for _, way := range [][]string{nil, {"enter"}} {
		k := newConsole(t, nil, 100, 30)
		s := crew()
		s.Seq, s.ReadOnly = 8, true
		k.source.set(s)
		k.feed(changedMsg{})
		k.View()
		k.press(way...)
		for _, key := range []string{"r", "d", "f", "x", "u"} {
			k.press(key)
			require.Contains(t, k.plainFrame(), "off: read-only")
		}
		require.Empty(t, k.runs.planned)
		require.Contains(t, k.plainFrame(), " READ-ONLY ")
	}
}

// T12, P1: ctrl+c closes the innermost thing; with a live run it asks, however
// often and however fast it is pressed.
func TestCtrlCClosesTheInnermostThing(t *testing.T) {
	k := newConsole(t, nil, 100, 30)
	k.View()
	k.press("/", "p", "ctrl+c")
	require.Contains(t, k.plainFrame(), "6 of 6", "the filter is closed and cleared")
	k.press("enter", "?")
	require.False(t, k.feed(keyMsg("ctrl+c")))
	require.Equal(t, view.ScreenNode, k.top().ID())
	require.False(t, k.feed(keyMsg("ctrl+c")))
	require.Equal(t, view.ScreenNodes, k.top().ID())
	require.True(t, k.feed(keyMsg("ctrl+c")))
}

func TestALiveRunIsAlwaysAskedAbout(t *testing.T) {
	k := newConsole(t, nil, 100, 30)
	run := k.begin(draining())
	for range 7 {
		require.False(t, k.feed(keyMsg("ctrl+c")))
	}
	require.Equal(t, view.ScreenQuit, k.top().ID())
	require.Contains(t, k.plainFrame(), "node 2 Draining: the drain goes on by itself; then nobody will restart or fill the node")
	k.press("enter", "q", "y", "ctrl+d")
	require.Empty(t, run.calls())
	k.press("esc", "q")
	require.Equal(t, view.ScreenQuit, k.top().ID())
	k.clock = k.clock.Add(time.Second)
	require.True(t, k.feed(keyMsg("l")))
	require.Equal(t, []string{"detach"}, run.calls())
}

func TestCancelFromTheQuestionPausesFirst(t *testing.T) {
	k := newConsole(t, nil, 100, 30)
	run := k.begin(draining())
	k.press("q", "c")
	require.Equal(t, []string{"pause"}, run.calls())
	require.Equal(t, view.ScreenRun, k.top().ID())
}

func TestCancelFromTheQuestionAnswersWhereItIsAsked(t *testing.T) {
	st := draining()
	st.Prompt = &rollout.Prompt{
		ID: "q7", Ask: rollout.AskNoProgress, Node: 2, Expires: noon.Add(time.Hour),
		Choices: []rollout.Choice{{Word: rollout.WordWait}, {Word: rollout.WordCancel}},
	}
	k := newConsole(t, nil, 100, 30)
	run := k.begin(st)
	k.press("q", "c")
	require.Equal(t, []string{"answer cancel q7"}, run.calls())
}

// Results that nobody waits for any more open nothing.
func TestLateAnswersAreDropped(t *testing.T) {
	k := newConsole(t, nil, 100, 30)
	k.View()
	_, cmd := k.Update(keyMsg("r"))
	require.NotNil(t, cmd)
	k.press("r")
	require.Contains(t, k.plainFrame(), "planning", "a second key asks for nothing")
	k.gen++
	k.Update(cmd())
	require.Equal(t, view.ScreenNodes, k.top().ID())
	require.Len(t, k.runs.planned, 1)
}

func TestNextProblemGoesRound(t *testing.T) {
	k := newConsole(t, nil, 100, 30)
	k.View()
	var seen []string
	for range 4 {
		k.press("n")
		i := strings.Index(k.plainFrame(), "\n>")
		seen = append(seen, strings.Fields(k.plainFrame()[i:])[1])
	}
	require.Equal(t, []string{"6", "5", "2", "6"}, seen)
}

func TestShardsAreWatchedWhileTheNodeIsOpen(t *testing.T) {
	k := newConsole(t, nil, 100, 30)
	k.View()
	k.press("down", "enter", "?", "esc", "esc")
	require.Equal(t, []string{"watch 2", "release 2", "watch 2", "release 2"}, k.source.watched)
}

// The layout is exact at any size, whatever the cluster says.
func TestFrameIsExactlyTheTerminal(t *testing.T) {
	keys := everyKey()
	rapid.Check(t, func(rt *rapid.T) {
		k := newConsole(t, nil, rapid.IntRange(20, 220).Draw(rt, "w"), rapid.IntRange(5, 60).Draw(rt, "h"))
		s := crew()
		s.Seq = 50
		text := func(name string) string { return hostile.Draw(rt, name) }
		s.Name, s.Endpoint = text("name"), text("endpoint")
		s.Nodes.Value = nil
		for i := range rapid.IntRange(0, 40).Draw(rt, "rows") {
			n := node(client.NodeID(i+1), text("az"), client.Availability(text("availability")),
				client.NodePolicy(text("policy")), rapid.Int64Range(-1, 1_000_000).Draw(rt, "attached"), 3, 4)
			n.ListenHTTPAddr = text("addr")
			s.Nodes.Value = append(s.Nodes.Value, n)
		}
		if rapid.Bool().Draw(rt, "failing") {
			s.Nodes.Err = fmt.Errorf("%s", text("error"))
		}
		s.Events = append(s.Events, cluster.Change{Node: 1, What: cluster.PolicyChanged, From: text("from"), To: text("to")})
		if rapid.Bool().Draw(rt, "run") {
			k.begin(asking())
		}
		k.source.set(s)
		k.feed(changedMsg{})
		for range rapid.IntRange(0, 6).Draw(rt, "keys") {
			k.press(rapid.SampledFrom(keys).Draw(rt, "key"))
			requireExact(rt, k)
		}
		k.Update(tea.WindowSizeMsg{Width: rapid.IntRange(20, 220).Draw(rt, "w2"), Height: rapid.IntRange(5, 60).Draw(rt, "h2")})
		requireExact(rt, k)
	})
}

// openRuns tells which run is open now.
type openRuns struct {
	*runs
	id string
}

func (r *openRuns) Unfinished() (view.OpenRun, error) {
	return view.OpenRun{ID: r.id, Verb: "rollout"}, nil
}

// A run that was left open may be closed in another terminal.
func TestRunsScreenLooksAgainWhatIsOpen(t *testing.T) {
	k := newConsole(t, nil, 100, 30)
	open := &openRuns{runs: k.runs, id: "01J8ZQ4M6T8R2V0X9Y5B7C3DK2"}
	k.deps.Runs, k.deps.Unfinished = open, view.OpenRun{ID: open.id, Verb: "rollout"}
	k.press("L")
	require.Contains(t, k.View(), "Left unfinished: run 01J8ZQ4M6T8R2V0X9Y5B7C3DK2")
	open.id = ""
	k.press("esc", "L")
	require.Contains(t, k.View(), "No earlier run was left unfinished.")
}

// What was said on one screen is not read as said on another.
func TestFeedbackStaysOnItsScreen(t *testing.T) {
	k := newConsole(t, nil, 100, 30)
	k.press("x")
	require.Contains(t, k.View(), "cancel is off")
	k.press("?")
	require.NotContains(t, k.View(), "cancel is off")
	k.press("esc")
	require.NotContains(t, k.View(), "cancel is off")
}
