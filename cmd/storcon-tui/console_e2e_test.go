package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
)

// demoArgs is a small demo that is twenty times as fast as a real cluster.
var demoArgs = []string{"demo", "--nodes", "4", "--tenants", "200", "--seed", "7", "--speed", "20"}

// firstRow is node 1 in the table, up and at rest.
const firstRow = `1\s+127\.0\.0\.1\S*\s+az-a\s+Active\s+Active`

// A person restarts two nodes of the demo: rows, marks, plan, every question
// answered, the report; then the terminal is as it was.
func TestConsoleRollout(t *testing.T) {
	t.Parallel()
	s := open(t, "storcon-tui", demoArgs...)
	before := s.cooked
	s.see(`DEMO`)
	s.see(firstRow)
	require.NotEqual(t, before, s.mode(), "the console reads single keys")
	s.press(" ") // marks node 1 and goes to the next
	s.see(`1 marked`)
	s.press(" ")
	s.see(`2 marked`)
	s.press("r")
	s.see(`nothing has been sent`)
	s.press("s")
	for _, node := range []string{"1", "2"} {
		for _, phase := range []string{"DRAIN", "RESTART", "FILL"} {
			s.see(phase + ` NODE ` + node + `\?`)
			s.answer("y")
		}
	}
	s.see(`The run has ended`)
	s.see(`4 mutating \(2 PUT drain, 2 PUT fill\), 2 hooks`)
	s.press("e")
	s.see(`REPORT`)
	s.press("q")
	require.Contains(t, []int{0, 10}, s.leaves())
	kept := strings.TrimPrefix(s.see(`the journals of the demo are kept in \S+`), "the journals of the demo are kept in ")
	runs, err := filepath.Glob(filepath.Join(kept, "storcon-tui", "*", "runs", "*", "journal.jsonl"))
	require.NoError(t, err)
	require.Len(t, runs, 1, "the report named it")
	left, err := os.ReadDir(filepath.Dir(kept))
	require.NoError(t, err)
	require.Len(t, left, 1, "nothing else is left, tokens above all")
	requireRestored(t, s)
	require.Equal(t, before, s.mode(), "the terminal's line discipline is as it was")
}

// requireRestored: main screen, cursor, no mouse or paste mode (T5).
func requireRestored(t *testing.T, s *screen) {
	t.Helper()
	sent := s.sent()
	for on, off := range map[string]string{
		ansi.SetModeAltScreenSaveCursor: ansi.ResetModeAltScreenSaveCursor,
		ansi.HideCursor:                 ansi.ShowCursor,
		ansi.SetModeBracketedPaste:      ansi.ResetModeBracketedPaste,
	} {
		require.Contains(t, sent, on)
		require.Greater(t, strings.LastIndex(sent, off), strings.LastIndex(sent, on), "%q must follow %q", off, on)
	}
}

// A closed or told terminal ends the console within seconds, in order (T6, E11).
// Rows: E9, E11.
func TestConsoleEndsBySignal(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		signal syscall.Signal
		code   int
	}{
		"SIGTERM": {syscall.SIGTERM, 143},
		"SIGHUP":  {syscall.SIGHUP, 129},
		"SIGINT":  {syscall.SIGINT, 130},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, "storcon-tui", demoArgs...)
			before := s.cooked
			s.see(firstRow)
			require.NoError(t, s.cmd.Process.Signal(test.signal))
			require.Equal(t, test.code, s.leaves())
			s.see("storcon-tui: ")
			require.Equal(t, 1, strings.Count(ansi.Strip(s.sent()), "storcon-tui: "), "one line for one signal")
			requireRestored(t, s)
			require.Equal(t, before, s.mode())
		})
	}
}

// Read-only: every key that could change something is off and nothing that is
// no read reaches the controller (T10).
func TestReadOnlyConsoleSendsNothing(t *testing.T) {
	t.Parallel()
	served := serve(t, "--nodes", "4", "--tenants", "40", "--seed", "7")
	s := open(t, "storcon-tui", "--config", served.config, "--read-only")
	s.see(`READ-ONLY`)
	s.see(firstRow)
	for _, key := range []string{"r", "s", "y", "\r", "d", "y", "\r", "f", "y", "x", "y", "u", "y", "1", "\r"} {
		s.press(key)
	}
	s.press("\x1b")
	s.press("\x1b")
	s.press("q")
	require.Equal(t, 0, s.leaves())
	require.Empty(t, served.changes(t))
}

// A verb with nodes opens the console on its plan.
func TestConsoleOpensOnAPlan(t *testing.T) {
	t.Parallel()
	served := serve(t, "--nodes", "4", "--tenants", "40", "--seed", "7")
	s := open(t, "storcon-tui", "--config", served.config, "rollout", "2", "3")
	s.see(`rolling restart of 2 nodes`)
	s.press("\x1b")
	s.press("q")
	require.Equal(t, 0, s.leaves())
	require.Empty(t, served.changes(t))
}

// muteLimit is far above the budget of the first frame and far below the five
// seconds that Bubble Tea waits for a terminal's answer.
const muteLimit = 3 * time.Second

// The program as it is built, on a terminal that never answers: the first
// frame does not wait for an answer. The test binary would not do, since the
// order in which packages initialise is the point.
func TestFirstFrameOnAMuteTerminal(t *testing.T) {
	t.Parallel()
	binary := filepath.Join(t.TempDir(), "storcon-tui")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	began := time.Now()
	s := openWith(t, "COLORFGBG=", binary, append(demoArgs, "--tenants", "4")...)
	s.see(`DEMO`)
	require.Less(t, time.Since(began), muteLimit)
	time.Sleep(settleFor) // until then a late answer could come, and no key counts
	s.press("q")
	require.Equal(t, 0, s.leaves())
}
