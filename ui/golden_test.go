package ui

import (
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/themes"
	"github.com/StorconTUI/storcon-tui/ui/goldentest"
)

// frames compares whole frames of the console after some keys.
func frames(t *testing.T, prepare func(k *console)) {
	t.Helper()
	goldentest.Frames(t, func(s *themes.Styles, w, h int) []string {
		k := newConsole(t, s, w, h)
		k.View()
		prepare(k)
		return strings.Split(k.View(), "\n")
	})
}

func boolp(b bool) *bool { return &b }

// withShards adds the shard list of node 2.
func withShards(s *cluster.Snapshot) *cluster.Snapshot {
	list := []client.ShardLocation{
		{ID: "3aa9bd1c0a4f4c0e9b6d2f7715c08e41-0002", ObservedSecondary: boolp(false), IntendedSecondary: boolp(false)},
		{ID: "77b1aa1c0a4f4c0e9b6d2f7715c002cc", ObservedSecondary: boolp(false), IntendedSecondary: nil},
		{ID: "c041bb1c0a4f4c0e9b6d2f7715c09e10", ObservedSecondary: boolp(true), IntendedSecondary: boolp(true)},
		{ID: "d0e5bb1c0a4f4c0e9b6d2f7715c09e11", ObservedSecondary: nil, IntendedSecondary: boolp(false)},
	}
	tenant := "3aa9bd1c0a4f4c0e9b6d2f7715c08e41"
	s.Computes[4].Status.Value.Tenant = &tenant
	s.Shards = map[client.NodeID]cluster.Part[cluster.ShardCounts]{
		2: known(cluster.ShardCounts{Intended: 2, Observed: 2, Moving: 2, Secondary: 1, Shards: list}),
	}
	return s
}

func TestDashboardFrames(t *testing.T) {
	frames(t, func(k *console) { k.press(" ", " ") })
}

func TestNodeFrames(t *testing.T) {
	frames(t, func(k *console) {
		k.source.set(withShards(crew()))
		k.look()
		k.press("down", "enter")
	})
}

func TestHelpFrames(t *testing.T) {
	frames(t, func(k *console) { k.press("?") })
}

func TestLeavingFrames(t *testing.T) {
	frames(t, func(k *console) {
		k.begin(draining())
		k.press("q")
	})
}

func TestStaleFrames(t *testing.T) {
	frames(t, func(k *console) {
		s := crew()
		s.Seq++
		s.Nodes.At = noon.Add(-14 * time.Second)
		s.Nodes.Err = &client.Error{
			Kind: client.Unreachable, Method: "GET", Path: "/control/v1/node",
			Err: &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)},
		}
		k.source.set(s)
		k.feed(changedMsg{})
	})
}

// begin makes a run the live one, as starting a plan does.
func (k *console) begin(st *rollout.Status) *liveRun {
	r := newLiveRun(st)
	k.started(startedMsg{run: r})
	return r
}

// plainFrame is the frame without its colours.
func (k *console) plainFrame() string { return ansi.Strip(k.View()) }

// T21, T22: without colour the frame says the same.
func TestNoColourLosesNoWord(t *testing.T) {
	colour := newConsole(t, nil, 120, 40)
	none, err := themes.Load("dark", themes.Options{NoColor: true})
	require.NoError(t, err)
	plain := newConsole(t, none, 120, 40)
	colour.press("down", " ")
	plain.press("down", " ")
	require.Equal(t, colour.plainFrame(), plain.plainFrame())
	for _, sgr := range []string{"\x1b[3", "\x1b[9", "\x1b[4", ";3", ";9", ";4"} {
		require.NotContains(t, strings.ReplaceAll(plain.View(), "\x1b[1;4m", ""), sgr)
	}
	require.Contains(t, plain.View(), "\x1b[7m>")
}
