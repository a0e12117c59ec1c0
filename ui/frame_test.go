package ui

import (
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/ui/goldentest"
)

// hostile is text that tries to do something to the terminal (T19).
var hostile = rapid.OneOf(
	rapid.SampledFrom([]string{
		"\x1b[2J", "\x1b]52;c;ZXZpbA==\a", "\x1b]8;;http://evil\x1b\\x", "\u009b31m", "a\rb", "a\nb\tc", "\x00", "\xff\xfe", "\u202eevil", "", "漢字😀",
		"ps-1.internal", "Active",
	}),
	rapid.String(),
)

func requireExact(t rapid.TB, k *console) {
	frame := k.View()
	goldentest.Exact(t, strings.Split(frame, "\n"), k.w, k.h)
	for _, r := range ansi.Strip(frame) {
		require.False(t, r != '\n' && unicode.IsControl(r), "%q reached the frame", r)
	}
}

// T19: nothing but colour leaves the program as an escape sequence.
func TestServerTextIsShownNotObeyed(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		k := newConsole(t, nil, 100, 30)
		s := crew()
		s.Seq = 9
		text := hostile.Draw(rt, "text")
		s.Nodes.Value[0].ListenHTTPAddr = text
		s.Nodes.Value[0].Scheduling = client.NodePolicy(text)
		s.Name = text
		s.Events = append([]cluster.Change{{At: noon, What: cluster.ControllerLost, To: text}}, s.Events...)
		k.source.set(s)
		k.feed(changedMsg{})
		for _, screen := range []string{"", "e", "esc", "enter"} {
			if screen != "" {
				k.press(screen)
			}
			for _, part := range strings.Split(k.View(), "\x1b")[1:] {
				require.Regexp(rt, `^\[[0-9;]*m`, part, "an escape sequence that is no colour")
			}
			requireExact(rt, k)
		}
	})
}

func TestSentencesInPlaceOfEmptyTables(t *testing.T) {
	refused := &client.Error{Kind: client.Unauthorized, Method: "GET", Path: "/control/v1/node", Status: 403, Msg: "JWT scope 'admin' is ineligible"}
	notOurs := &client.Error{Kind: client.BadAnswer, Method: "GET", Path: "/control/v1/node", Status: 404, Msg: "page not found"}
	for name, c := range map[string]struct {
		nodes cluster.Part[[]cluster.Node]
		want  string
	}{
		"nothing yet":      {cluster.Part[[]cluster.Node]{}, "Waiting for the first answer of storcon.eu-1.internal:1234."},
		"none registered":  {known([]cluster.Node{}), "No nodes are registered with this controller."},
		"403":              {cluster.Part[[]cluster.Node]{Err: refused}, "The controller does not accept the token: the node list is off (GET /control/v1/node: 403"},
		"not a controller": {cluster.Part[[]cluster.Node]{Err: notOurs}, "does not answer like a storage controller"},
	} {
		t.Run(name, func(t *testing.T) {
			k := newConsole(t, nil, 120, 40)
			s := crew()
			s.Seq, s.Nodes = 20, c.nodes
			k.source.set(s)
			k.feed(changedMsg{})
			require.Contains(t, k.plainFrame(), c.want)
		})
	}
	k := newConsole(t, nil, 120, 40)
	k.View()
	k.press("/", "e", "u", "-", "9", "enter")
	require.Contains(t, k.plainFrame(), `Nothing matches "eu-9". esc clears the filter.`)
	k.press("esc")
	require.Contains(t, k.plainFrame(), "6 of 6")
}

// A count that becomes unknown stays on the screen as what it was.
func TestUnknownCountsAreNeverZero(t *testing.T) {
	k := newConsole(t, nil, 120, 40)
	s := crew()
	s.Seq = 10
	s.Nodes.Value[5].Attached = 1571
	k.source.set(s)
	k.feed(changedMsg{})
	k.View()
	s = crew()
	s.Seq = 11
	k.source.set(s)
	k.feed(changedMsg{})
	k.press("G")
	require.Regexp(t, `Offline 41 s .*(last seen|was) 1 571 `, k.plainFrame())
}

func TestDemoIsUnmistakable(t *testing.T) {
	k := newConsole(t, nil, 80, 24)
	s := crew()
	s.Seq, s.Demo = 10, true
	k.source.set(s)
	k.feed(changedMsg{})
	for _, keys := range [][]string{nil, {"enter"}, {"?"}, {"esc", "esc", "e"}} {
		k.press(keys...)
		require.True(t, strings.HasPrefix(k.plainFrame(), "  DEMO  "), k.plainFrame()[:80])
	}
}

func TestASCIILocale(t *testing.T) {
	k := newConsole(t, nil, 120, 40)
	k.deps.ASCII = true
	for _, key := range []string{" ", "enter", "?"} {
		k.press(key)
		for _, r := range k.View() {
			require.Less(t, r, unicode.MaxASCII+1)
		}
		requireExact(t, k)
	}
}

// The same picture is the same string: nothing is written when nothing changed.
func TestNothingChangesNothingIsDrawn(t *testing.T) {
	k := newConsole(t, nil, 120, 40)
	s := crew()
	s.Nodes.Value[5] = node(6, "eu-1c", client.AvailabilityActive, client.PolicyActive, 1, 2, 3) // no age in seconds
	s.Nodes.Value[1].PolicySince, s.Seq = noon.Add(-3e11), 30
	k.source.set(s)
	k.feed(changedMsg{})
	before := k.View()
	k.clock = k.clock.Add(1e9)
	k.feed(changedMsg{})
	require.Equal(t, before, k.View())
}

// However narrow the terminal, the age of the data and the cluster stay.
func TestHeaderKeepsTheAgeOfTheData(t *testing.T) {
	for _, run := range []bool{false, true} {
		for w := 45; w < 140; w++ {
			k := newConsole(t, nil, w, 24)
			if run {
				k.begin(draining())
			}
			first, _, _ := strings.Cut(k.plainFrame(), "\n")
			require.Contains(t, first, "data < 2 s", "%d cells", w)
			require.Contains(t, first, "prod-eu-1", "%d cells", w)
			require.Equal(t, run, strings.Contains(first, "run: drain 2"), "%d cells", w)
			if w >= 80 {
				require.Contains(t, first, "op: drain 2")
				require.Contains(t, first, "storcon.eu")
			}
		}
	}
}
