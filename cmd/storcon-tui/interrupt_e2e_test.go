package main

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// session is a plain run that a test answers line by line.
type session struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string
	heard []string
	errs  said
}

// said is what a process says while it runs. It is safe for use by several goroutines.
type said struct {
	mu   sync.Mutex
	text strings.Builder
}

func (h *said) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.Write(p)
}

func (h *said) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.String()
}

func converse(t *testing.T, args ...string) *session {
	t.Helper()
	s := &session{t: t, cmd: exec.Command("storcon-tui", args...), lines: make(chan string)}
	var err error
	s.in, err = s.cmd.StdinPipe()
	require.NoError(t, err)
	out, err := s.cmd.StdoutPipe()
	require.NoError(t, err)
	s.cmd.Stderr = &s.errs
	require.NoError(t, s.cmd.Start())
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer close(s.lines)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			select {
			case s.lines <- lines.Text():
			case <-stop:
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill() // it has ended unless the test failed
		close(stop)
		<-done
	})
	return s
}

// hears reads lines until one contains the text.
func (s *session) hears(text string) string {
	s.t.Helper()
	limit := time.After(screenTimeout)
	for {
		select {
		case line, ok := <-s.lines:
			if !ok {
				s.t.Fatalf("it ended without saying %q:\n%s\n%s", text, strings.Join(s.heard, "\n"), s.errs.String())
			}
			s.heard = append(s.heard, line)
			if strings.Contains(line, text) {
				return line
			}
		case <-limit:
			s.t.Fatalf("it has not said %q:\n%s", text, strings.Join(s.heard, "\n"))
		}
	}
}

func (s *session) says(line string) {
	s.t.Helper()
	_, err := io.WriteString(s.in, line+"\n")
	require.NoError(s.t, err)
}

// ends reads what is left and returns the exit code.
func (s *session) ends() int {
	s.t.Helper()
	limit := time.After(screenTimeout)
	for {
		select {
		case line, ok := <-s.lines:
			if !ok {
				_ = s.cmd.Wait() // the exit code says it
				return s.cmd.ProcessState.ExitCode()
			}
			s.heard = append(s.heard, line)
		case <-limit:
			s.t.Fatalf("it has not ended:\n%s", strings.Join(s.heard, "\n"))
		}
	}
}

// A signal before anything was changed says so by its code, and leaves nothing
// that blocks the next run (E11).
// Rows: E11.
func TestSignalBeforeAnythingWasChanged(t *testing.T) {
	t.Parallel()
	served := serve(t, "--nodes", "4", "--tenants", "40", "--seed", "7")
	for name, test := range map[string]struct {
		signal syscall.Signal
		code   int
	}{
		"SIGTERM": {syscall.SIGTERM, 143},
		"SIGHUP":  {syscall.SIGHUP, 129},
	} {
		t.Run(name, func(t *testing.T) {
			state := t.TempDir()
			s := converse(t, "--config", served.config, "--state-dir", state, "rollout", "1", "--plain")
			s.hears("? DRAIN NODE 1?")
			require.NoError(t, s.cmd.Process.Signal(test.signal))
			require.Equal(t, test.code, s.ends(), s.errs.String())
			said := strings.Join(s.heard, "\n")
			require.Contains(t, said, fmt.Sprintf("(exit %d)", test.code), "the report says what the process says")
			shown := execute(t, "--config", served.config, "--state-dir", state, "runs", "export", runName(t, said), "-o", "json")
			require.Contains(t, shown.out, fmt.Sprintf(`"exit": %d`, test.code), "and so does the journal: %s", shown.errors)
			require.Empty(t, served.changes(t))
		})
	}
}

// SIGINT once pauses at the next boundary and offers a menu; twice leaves, says
// what goes on at the controller, and cancels nothing. The run is then
// unfinished: it blocks the next one until it is closed by name (E10, P1).
// Rows: E10.
func TestInterruptOncePausesTwiceLeaves(t *testing.T) {
	t.Parallel()
	served := serve(t, "--nodes", "4", "--seed", "7", "--speed", "4")
	state := t.TempDir()
	flags := []string{"--config", served.config, "--state-dir", state}
	s := converse(t, append(flags, "rollout", "1", "2", "--plain")...)
	s.hears("? DRAIN NODE 1?")
	s.says("yes")
	s.hears("drain running")
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGINT))
	s.hears("interrupted: the run pauses at the next boundary")
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGINT))
	s.hears("interrupted twice")
	require.Contains(t, []int{5, 6}, s.ends(), s.errs.String())
	said := strings.Join(s.heard, "\n")
	require.Contains(t, said, "Draining", "what is left at the controller is named")
	require.Equal(t, []call{{"PUT", "/control/v1/node/1/drain", 202}}, served.changes(t), "nothing is cancelled")

	status := execute(t, append(flags, "status")...)
	require.Equal(t, 0, status.code, status.errors)
	require.Contains(t, status.out, "was left unfinished")

	execute(t, append(flags, "rollout", "2", "--plain")...).refusesWith(t, 3, "is not finished", "runs close")
	run := runName(t, said)
	shown := execute(t, append(flags, "runs", "show", run)...)
	require.Equal(t, 0, shown.code, shown.errors)
	require.Contains(t, shown.out, "PUT /control/v1/node/1/drain")

	execute(t, append(flags, "runs", "close", "01ARZ3NDEKTSV4RRFFQ69G5FAV")...).refusesWith(t, 2, "unfinished: "+run)
	closed := execute(t, append(flags, "runs", "close", run)...)
	require.Equal(t, 0, closed.code, closed.errors)
	listed := execute(t, append(flags, "runs")...)
	require.Contains(t, listed.out, "closed by operator")
}

// The end of input is no answer: the run pauses and is left so.
func TestEndOfInputPauses(t *testing.T) {
	t.Parallel()
	served := serve(t, "--nodes", "4", "--tenants", "40", "--seed", "7")
	got := execute(t, "--config", served.config, "rollout", "1", "--plain")
	require.Equal(t, 5, got.code, got.errors)
	require.Contains(t, got.out, "end of input")
	require.Empty(t, served.changes(t))
}

// A second run on the same cluster is refused with who drives it (E14, P7).
// Rows: E14.
func TestSecondDriverIsRefused(t *testing.T) {
	t.Parallel()
	served := serve(t, "--nodes", "4", "--tenants", "40", "--seed", "7")
	flags := []string{"--config", served.config, "--state-dir", t.TempDir()}
	s := converse(t, append(flags, "rollout", "1", "--plain")...)
	s.hears("? DRAIN NODE 1?")
	run := runName(t, strings.Join(s.heard, "\n"))
	execute(t, append(flags, "rollout", "2", "--plain")...).refusesWith(t, 7, "is driven by", "pid", run)
	execute(t, append(flags, "drain", "2", "--plain")...).refusesWith(t, 7, "is driven by")
	s.says("abort")
	require.Equal(t, 5, s.ends(), strings.Join(s.heard, "\n"))
	require.Empty(t, served.changes(t))
}

// Lone operations have the same confirmation and send one call each.
func TestLoneOperations(t *testing.T) {
	t.Parallel()
	served := serve(t, "--nodes", "4", "--tenants", "100", "--seed", "7", "--speed", "20")
	flags := []string{"--config", served.config, "--state-dir", t.TempDir()}
	drained := executeWith(t, nil, &yes{}, append(flags, "drain", "1", "--plain")...)
	require.Contains(t, []int{0, 10}, drained.code, drained.out+drained.errors)
	require.Equal(t, []call{{"PUT", "/control/v1/node/1/drain", 202}}, served.changes(t))
	status := execute(t, append(flags, "status")...)
	require.Contains(t, status.out, "node 1 is PauseForRestart")

	// A read-only console sends nothing, in whatever way it is asked (T10).
	for _, verb := range []string{"drain", "fill", "cancel", "rollout"} {
		node := "2"
		if verb == "cancel" {
			node = "1"
		}
		got := executeWith(t, nil, &yes{}, append(flags, "--read-only", verb, node, "--plain")...)
		require.Equal(t, 3, got.code, verb+": "+got.out+got.errors)
	}
	require.Len(t, served.changes(t), 1)
}

// The command that a run which is left names for a node puts that node right (A6, P18).
func TestNamedCommandPutsTheNodeRight(t *testing.T) {
	t.Parallel()
	served := serve(t, "--nodes", "4", "--tenants", "100", "--seed", "7", "--speed", "20")
	flags := []string{"--config", served.config, "--state-dir", t.TempDir()}
	left := executeWith(t, nil, strings.NewReader("yes\n"), append(flags, "rollout", "1", "--plain")...)
	require.Equal(t, 5, left.code, left.out+left.errors)
	_, named, ok := strings.Cut(left.out, "put right by: storcon-tui ")
	require.True(t, ok, left.out)
	named, _, _ = strings.Cut(named, "  (")
	put := executeWith(t, nil, strings.NewReader("yes\n"), append(append(flags, strings.Fields(named)...), "--plain")...)
	require.Equal(t, 0, put.code, put.out+put.errors)
	require.Contains(t, served.changes(t), call{"PUT", "/control/v1/node/1/config", 200})
	status := execute(t, append(flags, "status")...)
	require.NotContains(t, status.out, "PauseForRestart")
}

func runName(t *testing.T, said string) string {
	t.Helper()
	fields := strings.Fields(said)
	require.Greater(t, len(fields), 1)
	require.Equal(t, "run", fields[0], said)
	return fields[1]
}
