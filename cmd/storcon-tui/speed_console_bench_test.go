package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
)

// consoleProcess is the program in a pseudo-terminal that notes when output
// arrives. It looks at little at a time, so as not to measure itself.
type consoleProcess struct {
	b      *testing.B
	cmd    *exec.Cmd
	began  time.Time
	master *os.File
	reader sync.WaitGroup

	mu      sync.Mutex
	recent  bytes.Buffer // since the last forget
	arrived time.Time    // of the newest byte
	total   int
	news    chan struct{}
}

// openBenched starts the program. A terminal that answers says that it is dark;
// a mute one says nothing at all.
func openBenched(b *testing.B, answers bool, program string, args ...string) *consoleProcess {
	b.Helper()
	master, slave, err := pty.Open()
	require.NoError(b, err)
	require.NoError(b, pty.Setsize(master, &pty.Winsize{Rows: 50, Cols: 200}))
	home := b.TempDir()
	c := &consoleProcess{b: b, master: master, news: make(chan struct{}, 1), cmd: exec.Command(program, args...)}
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = slave, slave, slave
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	c.cmd.Env = []string{
		"TERM=xterm-256color", "LANG=C.UTF-8", "PATH=" + os.Getenv("PATH"),
		"XDG_CONFIG_HOME=" + home, "XDG_STATE_HOME=" + home, "HOME=" + home, "TMPDIR=" + home,
	}
	c.began = time.Now()
	require.NoError(b, c.cmd.Start())
	require.NoError(b, slave.Close())
	c.reader.Go(func() { c.read(answers) })
	return c
}

// close ends the program and waits for its last output.
func (c *consoleProcess) close() {
	c.b.Helper()
	require.NoError(c.b, c.cmd.Process.Kill())
	_ = c.cmd.Wait() // killed
	c.reader.Wait()
	require.NoError(c.b, c.master.Close())
}

// read collects until the program has gone.
func (c *consoleProcess) read(answers bool) {
	buf := make([]byte, 64<<10)
	for {
		n, err := c.master.Read(buf)
		if err != nil {
			return
		}
		at := time.Now()
		if answers {
			answerQueries(buf[:n], c.master)
		}
		c.mu.Lock()
		c.recent.Write(buf[:n])
		c.arrived = at
		c.total += n
		c.mu.Unlock()
		select {
		case c.news <- struct{}{}:
		default:
		}
	}
}

// await returns the time at which the output had a line that matches.
func (c *consoleProcess) await(want *regexp.Regexp) time.Time {
	c.b.Helper()
	limit := time.After(screenTimeout)
	for {
		c.mu.Lock()
		text, at := c.recent.String(), c.arrived
		c.mu.Unlock()
		if want.MatchString(ansi.Strip(text)) {
			return at
		}
		select {
		case <-c.news:
		case <-limit:
			c.b.Fatalf("nothing like %q has appeared after:\n%s", want, ansi.Strip(text))
		}
	}
}

// forget drops the output so far; the next await sees only what comes then.
func (c *consoleProcess) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.recent.Reset()
}

// press types a key and returns when.
func (c *consoleProcess) press(key string) time.Time {
	c.b.Helper()
	at := time.Now()
	_, err := c.master.WriteString(key)
	require.NoError(c.b, err)
	return at
}

// written is the number of bytes that the terminal got.
func (c *consoleProcess) written() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.total
}

// processorTime is what all its threads have used, in steps of 10 ms.
func (c *consoleProcess) processorTime() time.Duration {
	c.b.Helper()
	_, after, found := strings.Cut(c.proc("stat"), ") ")
	require.True(c.b, found)
	fields := strings.Fields(after) // from the third field on
	const user, system = 14 - 3, 15 - 3
	return c.ticks(fields[user]) + c.ticks(fields[system])
}

func (c *consoleProcess) ticks(text string) time.Duration {
	c.b.Helper()
	n, err := strconv.Atoi(text)
	require.NoError(c.b, err)
	return time.Duration(n) * 10 * time.Millisecond // USER_HZ is 100 on Linux
}

// memoryMB is a line of the process' status, in 10^6 bytes.
func (c *consoleProcess) memoryMB(name string) float64 {
	c.b.Helper()
	for line := range strings.Lines(c.proc("status")) {
		if fields := strings.Fields(line); fields[0] == name {
			kib, err := strconv.Atoi(fields[1])
			require.NoError(c.b, err)
			return float64(kib) * 1024 / 1e6
		}
	}
	c.b.Fatalf("no %s", name)
	return 0
}

func (c *consoleProcess) proc(file string) string {
	c.b.Helper()
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(c.cmd.Process.Pid), file))
	require.NoError(c.b, err)
	return string(text)
}
