package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"regexp"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// screenTimeout bounds the wait for something to appear on a screen.
const screenTimeout = 30 * time.Second

// screen is the program in a pseudo-terminal, as a person has it. The terminal
// answers nothing; that its background is dark stands in the environment.
type screen struct {
	t      *testing.T
	cmd    *exec.Cmd
	master *os.File
	slave  *os.File     // kept open, to look at the terminal's state afterwards
	cooked unix.Termios // the terminal's mode before the program

	mu     sync.Mutex
	raw    bytes.Buffer  // everything that was sent to the terminal
	seen   int           // bytes of the stripped text that earlier waits have passed
	news   chan struct{} // more has arrived
	reader sync.WaitGroup
}

const darkTerminal = "COLORFGBG=15;0"

// open starts a program in a terminal of 40 lines and 120 columns.
func open(t *testing.T, program string, args ...string) *screen {
	t.Helper()
	return openWith(t, darkTerminal, program, args...)
}

func openWith(t *testing.T, env, program string, args ...string) *screen {
	t.Helper()
	master, slave, err := pty.Open()
	require.NoError(t, err)
	require.NoError(t, pty.Setsize(master, &pty.Winsize{Rows: 40, Cols: 120}))
	home := t.TempDir()
	s := &screen{t: t, master: master, slave: slave, news: make(chan struct{}, 1)}
	s.cmd = exec.Command(program, args...)
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = slave, slave, slave
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	s.cmd.Env = append(os.Environ(), "TERM=xterm-256color", "LANG=C.UTF-8", "LC_ALL=C.UTF-8", env,
		"XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home, "HOME="+home, "TMPDIR="+home)
	s.cooked = s.mode()
	require.NoError(t, s.cmd.Start())
	s.reader.Go(s.read)
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill() // it has ended in the tests that end it
		_ = slave.Close()
		_ = master.Close()
		s.reader.Wait()
	})
	return s
}

// read collects until the terminal is closed.
func (s *screen) read() {
	buf := make([]byte, 32<<10)
	for {
		n, err := s.master.Read(buf)
		if n > 0 {
			s.mu.Lock()
			s.raw.Write(buf[:n])
			s.mu.Unlock()
			select {
			case s.news <- struct{}{}:
			default:
			}
		}
		if err != nil {
			return
		}
	}
}

// see waits until something appears after what the last wait has found. The
// renderer sends changed lines only, so a pattern should be within one line.
func (s *screen) see(pattern string) string {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), screenTimeout)
	defer cancel()
	want := regexp.MustCompile(pattern)
	for {
		s.mu.Lock()
		all := ansi.Strip(s.raw.String())
		text := all[min(s.seen, len(all)):]
		found := want.FindStringIndex(text)
		if found != nil {
			s.seen += found[1]
		}
		s.mu.Unlock()
		if found != nil {
			return text[found[0]:found[1]]
		}
		select {
		case <-s.news:
		case <-ctx.Done():
			s.t.Fatalf("nothing like %q has appeared after:\n%s", pattern, text)
		}
	}
}

// press types one key. The console does not take two keys that come faster
// than a person types, so it waits a little after the last one.
func (s *screen) press(key string) {
	s.t.Helper()
	time.Sleep(keyGap) // what is simulated is a person, and people are slow
	_, err := s.master.WriteString(key)
	require.NoError(s.t, err)
}

const keyGap = 150 * time.Millisecond

// answer presses a key that decides something, once the question has been on
// the screen for long enough to be read.
func (s *screen) answer(key string) {
	s.t.Helper()
	time.Sleep(readGap)
	s.press(key)
}

// readGap is above the grace of a question and the repeat of a held key.
const readGap = 800 * time.Millisecond

// mode is the terminal's line discipline: echo, canonical input and the like.
func (s *screen) mode() unix.Termios {
	s.t.Helper()
	mode, err := unix.IoctlGetTermios(int(s.slave.Fd()), unix.TCGETS)
	require.NoError(s.t, err)
	return *mode
}

// leaves waits for the program's end and returns its exit code.
func (s *screen) leaves() int {
	s.t.Helper()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = s.cmd.Wait() // the exit code says it
	}()
	select {
	case <-ended:
	case <-time.After(screenTimeout):
		s.t.Fatalf("the program has not ended after:\n%s", ansi.Strip(s.sent()))
	}
	return s.cmd.ProcessState.ExitCode()
}

func (s *screen) sent() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.raw.String()
}
