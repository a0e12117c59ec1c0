package ui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/themes"
	_ "github.com/StorconTUI/storcon-tui/ui/backdrop"
)

func TestMain(m *testing.M) {
	// The first Notify starts a goroutine that never ends; it must not be
	// started inside a test's bubble.
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	signal.Stop(c)
	goleak.VerifyTestMain(m)
}

// screen is what the program has written.
type screen struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func (s *screen) size() int { return len(s.text()) }

// session is a whole program in a bubble of fake time.
type session struct {
	source *source
	runs   *runs
	in     *io.PipeWriter
	out    *screen
	errs   *screen
	done   chan error
	cancel context.CancelFunc
}

func begin(t *testing.T, change func(*Deps)) *session {
	t.Helper()
	styles, err := themes.Load("dark", themes.Options{NoColor: true})
	require.NoError(t, err)
	r, w := io.Pipe()
	s := &session{
		source: newSource(nil), runs: &runs{}, in: w,
		out: &screen{}, errs: &screen{}, done: make(chan error, 1),
	}
	s.refresh()
	d := Deps{
		Source: s.source, Runs: s.runs, Styles: styles, Location: time.UTC, Version: "storcon-tui test",
		Width: 100, Height: 30, Input: r, Output: s.out, Stderr: s.errs,
	}
	if change != nil {
		change(&d)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	go func() { s.done <- Run(ctx, d) }()
	s.wait(time.Second)
	return s
}

// refresh has the controller answered just now.
func (s *session) refresh() {
	n := crew()
	n.Nodes.At = time.Now()
	s.source.set(n)
}

func (s *session) wait(d time.Duration) {
	time.Sleep(d) // of the bubble: no real time passes
	synctest.Wait()
}

// typed writes each part in a read of its own, gap apart.
func (s *session) typed(gap time.Duration, parts ...string) {
	for _, p := range parts {
		_, _ = io.WriteString(s.in, p)
		s.wait(gap)
	}
}

func (s *session) end(t *testing.T) error {
	t.Helper()
	s.cancel()
	_ = s.in.Close()
	return <-s.done
}

// T4: whatever a terminal sends on its own, and whatever is pasted, starts
// nothing, answers nothing and plans nothing.
func TestPasteAndRepliesAreNoCommands(t *testing.T) {
	const gap = 300 * time.Millisecond
	split := func(text string) []string { return strings.Split(text, "|") }
	for name, parts := range map[string][]string{
		"background reply":           {"\x1b]11;rgb:1414/1919/1f1f\x1b\\"},
		"background reply, BEL":      {"\x1b]11;rgb:1414/1919/1f1f\a"},
		"split after esc":            split("\x1b|]11;rgb:1414/1919/1f1f\x1b\\"),
		"split in the colour":        split("\x1b]11;rg|b:1414/1919/1f1f\x1b\\"),
		"split to single characters": split("\x1b]|1|1|;|r|g|b|:|d|d|/|f|f|/|u|u|\x1b\\"),
		"split before its end":       split("\x1b]11;rgb:1414/1919/1f1f\x1b|\\"),
		"device attributes":          {"\x1b[?62;22c"},
		"split device attributes":    split("\x1b[|?62;2|2c"),
		"cursor position":            split("\x1b[12|;40R"),
		"bracketed paste":            {"\x1b[200~drain\ny\nyes\n3\nr\n\x1b[201~"},
		"bracketed paste of a key":   {"\x1b[200~r\x1b[201~"},
		"unbracketed paste":          {"drain\ny\nyes\n3\nr\n"},
		"unbracketed lines":          {"r\ny\nr\ny\n"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := begin(t, nil)
				if name == "unbracketed lines" {
					// The first character of a paste cannot be told from a key.
					parts = []string{"x\nr\nr\ny\n"}
				}
				s.typed(gap, parts...)
				require.Empty(t, s.runs.planned)
				require.Empty(t, s.runs.started)
				require.Empty(t, s.source.watched, "enter opened a node")
				s.wait(3 * time.Second)
				s.refresh()
				s.wait(time.Second)
				s.typed(gap, "r")
				require.Equal(t, []string{"restart[1]"}, s.runs.planned, "a key pressed afterwards still works")
				require.ErrorIs(t, s.end(t), context.Canceled)
			})
		})
	}
}

func TestPasteDoesNotConfirm(t *testing.T) {
	for name, text := range map[string]string{
		"bracketed":     "\x1b[200~drain\ny\nyes\n3\n\x1b[201~",
		"unbracketed":   "drain\ny\nyes\n3\n",
		"a yes first":   "y\nyes\n3\n",
		"a leave first": "l\ny\n",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := begin(t, nil)
				st := asking()
				st.Prompt.Expires = time.Now().Add(time.Hour)
				s.runs.run = newLiveRun(st)
				s.typed(time.Second, "r")
				s.typed(3*time.Second, "s")
				require.Len(t, s.runs.started, 1)
				s.typed(time.Second, text)
				require.Empty(t, s.runs.run.calls())
				s.typed(time.Second, "q", text)
				require.Empty(t, s.runs.run.calls())
				require.Contains(t, s.out.text(), "LEAVE?")
				s.typed(time.Second, "\x1b", "y")
				require.Equal(t, []string{"answer yes q1"}, s.runs.run.calls(), "a person's key still answers")
				require.Error(t, s.end(t))
				require.Equal(t, []string{"answer yes q1", "detach"}, s.runs.run.calls())
			})
		})
	}
}

func TestPasteGoesToTheFilter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := begin(t, nil)
		s.typed(time.Second, "/", "\x1b[200~ps-3\n\x1b[201~")
		require.Contains(t, s.out.text(), "ps-3")
		require.Contains(t, s.out.text(), "1 of 6")
		require.Error(t, s.end(t))
	})
}

// A key that is pressed while the terminal may still be answering is not taken.
func TestKeysWaitForTheTerminalToSettle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := begin(t, func(d *Deps) { d.Settle = 3 * time.Second })
		s.typed(time.Second, "r")
		require.Empty(t, s.runs.planned)
		s.wait(2 * time.Second)
		s.refresh()
		s.typed(time.Second, "r")
		require.Len(t, s.runs.planned, 1)
		require.Error(t, s.end(t))
	})
}

// However often the engine pings, the screen looks again twenty times a second
// at most, and what it shows in the end is the newest.
func TestPingsFallTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := begin(t, nil)
		asked := 0
		for i := range 1000 {
			n := crew()
			n.Seq, n.Nodes.At = uint64(1000+i), time.Now()
			n.Nodes.Value[0].Attached = int64(10_000 + i)
			s.source.set(n)
			s.wait(time.Millisecond)
		}
		s.wait(time.Second)
		for i := range 1000 {
			if strings.Contains(s.out.text(), fmt.Sprintf(" 10 %03d ", i)) {
				asked++
			}
		}
		require.Contains(t, s.out.text(), " 10 999 ")
		require.Less(t, asked, 40, "frames drawn in a second")
		require.Error(t, s.end(t))
	})
}

func TestNothingIsWrittenWhileNothingChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		quiet := func() *cluster.Snapshot {
			n := crew()
			n.Nodes.Value, n.Events = n.Nodes.Value[2:4], nil
			n.Nodes.At = time.Now()
			n.Leader.Value.StartedAt = time.Now().Add(-12 * 24 * time.Hour)
			for i := range n.Nodes.Value {
				n.Nodes.Value[i].Process.Value.Launch = time.Now().Add(-12 * 24 * time.Hour)
			}
			return n
		}
		s := begin(t, nil)
		s.source.set(quiet())
		s.wait(2 * time.Second)
		for range 60 { // the poller goes on reading and publishes the new age only
			n := quiet()
			s.source.set(n)
			s.wait(time.Second)
		}
		before := s.out.size()
		for range 60 {
			s.source.set(quiet())
			s.wait(time.Second)
		}
		require.Equal(t, before, s.out.size())
		require.Error(t, s.end(t))
	})
}

// What happens outside of the screens is said on whichever one is open.
func TestWhatIsToldIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := make(chan string)
		s := begin(t, func(d *Deps) { d.Told = told })
		told <- "cluster crew is not recorded any more: disk full"
		s.wait(time.Second)
		require.Contains(t, s.out.text(), "cluster crew is not recorded any more: disk full")
		require.Error(t, s.end(t))
	})
}

// T5: wherever it panics, the terminal is restored first, the stack goes to the
// log, and a live run is let go of.
// Rows: E26.
func TestPanicsRestoreTheTerminal(t *testing.T) {
	for name, c := range map[string]struct {
		arrange func(s *session)
		where   string
	}{
		"in a command":  {func(s *session) { s.runs.panic = "plan"; s.typed(time.Second, "r") }, "a command"},
		"in routing":    {func(s *session) { s.source.panics(); s.wait(2 * time.Second) }, "routing"},
		"in a listener": {func(s *session) { s.runs.run = newLiveRun(nil); s.typed(time.Second, "r", "s") }, "the listener"},
	} {
		t.Run(name, func(t *testing.T) {
			log := filepath.Join(t.TempDir(), "crash.log")
			synctest.Test(t, func(t *testing.T) {
				s := begin(t, func(d *Deps) { d.CrashLog = log })
				c.arrange(s)
				err := <-s.done
				_ = s.in.Close()
				s.cancel()
				require.ErrorContains(t, err, "panic in "+c.where)
				require.ErrorContains(t, err, log)
				out := s.out.text()
				require.Greater(t, strings.LastIndex(out, "\x1b[?1049l"), strings.LastIndex(out, "\x1b[?1049h"), "the main screen is back")
				require.Greater(t, strings.LastIndex(out, "\x1b[?25h"), strings.LastIndex(out, "\x1b[?25l"), "the cursor is back")
				require.Greater(t, strings.LastIndex(out, "\x1b[?2004l"), strings.LastIndex(out, "\x1b[?2004h"), "paste mode is off")
				require.Empty(t, s.errs.text())
			})
			stack, err := os.ReadFile(log)
			require.NoError(t, err)
			require.Contains(t, string(stack), "goroutine")
		})
	}
}

// T6: the terminal goes away; the console ends within seconds and lets go of
// the run.
// Rows: E9.
func TestLostTerminalEndsTheConsole(t *testing.T) {
	master, tty, err := pty.Open()
	require.NoError(t, err)
	defer func() { _ = tty.Close() }()
	require.NoError(t, pty.Setsize(master, &pty.Winsize{Rows: 30, Cols: 100}))
	styles, err := themes.Load("dark", themes.Options{NoColor: true})
	require.NoError(t, err)
	src, starts := newSource(nil), &runs{run: newLiveRun(draining())}
	n := crew()
	n.Nodes.At = time.Now()
	src.set(n)
	done := make(chan error, 1)
	go func() {
		done <- Run(context.Background(), Deps{Source: src, Runs: starts, Styles: styles, Input: tty, Output: tty})
	}()
	reader := &untilSeen{r: master}
	reader.wait(t, "NODES")
	_, err = master.WriteString("r")
	require.NoError(t, err)
	reader.wait(t, "PLAN")
	time.Sleep(2 * burstGap) // real time: two keys of a person are further apart than a burst
	_, err = master.WriteString("s")
	require.NoError(t, err)
	reader.wait(t, "RUN")
	require.NoError(t, master.Close())
	select {
	case err = <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("the console lives on without a terminal")
	}
	var lost *LostError
	require.ErrorAs(t, err, &lost)
	require.Equal(t, []string{"detach"}, starts.run.calls())
}

// untilSeen reads a terminal's output until a word has come.
type untilSeen struct {
	r    io.Reader
	seen []byte
}

func (u *untilSeen) wait(t *testing.T, word string) {
	t.Helper()
	buf := make([]byte, 4096)
	for !bytes.Contains(u.seen, []byte(word)) {
		n, err := u.r.Read(buf)
		require.NoError(t, err, "waiting for %q", word)
		u.seen = append(u.seen, buf[:n]...)
	}
}

func TestLeavingWithoutARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := begin(t, nil)
		s.typed(time.Second, "q")
		require.NoError(t, <-s.done)
		require.True(t, s.source.ended)
		_ = s.in.Close()
		s.cancel()
	})
}

// A run that starts while the console is being left is let go of.
func TestLeavingWhileARunStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := begin(t, nil)
		s.runs.run = newLiveRun(draining())
		s.runs.slow = 10 * time.Second
		s.typed(time.Second, "r")
		s.typed(time.Second, "s")
		err := s.end(t)
		require.True(t, errors.Is(err, context.Canceled), "%v", err)
		require.Equal(t, []string{"detach"}, s.runs.run.calls())
	})
}
