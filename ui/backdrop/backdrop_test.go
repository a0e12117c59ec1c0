package backdrop_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/creack/pty"
)

// patience is far above what a frame takes, for slow machines, and well below
// the five seconds that termenv waits for an answer.
const patience = 2500 * time.Millisecond

// The programs are started on a pseudo terminal that is never answered.
func TestFirstFrameOnMuteTerminal(t *testing.T) {
	bin := build(t, "./testdata/firstframe")
	took := firstOutput(t, exec.Command(bin), "first frame")
	t.Logf("first frame after %s", took.Round(time.Millisecond))
	if took > patience {
		t.Errorf("first frame took %s: Bubble Tea asked the terminal before this package was initialised", took)
	}
}

// The program itself must have the same order, down to the verbs that draw
// nothing.
func TestProgramDoesNotAskMuteTerminal(t *testing.T) {
	bin := build(t, "../../cmd/storcon-tui")
	began := time.Now()
	cmd := exec.Command(bin, "version")
	cmd.Env = terminalEnv()
	tty := start(t, cmd)
	var seen bytes.Buffer
	_, _ = seen.ReadFrom(tty) // a pty whose other side has ended reads as an error
	if err := cmd.Wait(); err != nil {
		t.Logf("version: %v", err)
	}
	took := time.Since(began)
	t.Logf("version took %s", took.Round(time.Millisecond))
	if took > patience {
		t.Errorf("version took %s: package main must import ui/backdrop", took)
	}
	if bytes.Contains(seen.Bytes(), []byte("\x1b]11;?")) {
		t.Errorf("the terminal was asked for its background: %q", seen.Bytes())
	}
}

func build(t *testing.T, pkg string) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "program")
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", bin, pkg)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", pkg, err, out)
	}
	return bin
}

// terminalEnv is a terminal type that termenv does ask.
func terminalEnv() []string {
	return append(os.Environ(), "TERM=xterm-256color", "COLORFGBG=")
}

func start(t *testing.T, cmd *exec.Cmd) *os.File {
	t.Helper()
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Fatalf("start on a pseudo terminal: %v", err)
	}
	t.Cleanup(func() { _ = tty.Close() })
	return tty
}

// firstOutput says how long it takes until the program shows want.
func firstOutput(t *testing.T, cmd *exec.Cmd, want string) time.Duration {
	t.Helper()
	began := time.Now()
	cmd.Env = terminalEnv()
	tty := start(t, cmd)
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	// The end of a hanging program ends the read below.
	stop := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
	defer stop.Stop()
	var seen []byte
	buf := make([]byte, 4096)
	for !bytes.Contains(seen, []byte(want)) {
		n, err := tty.Read(buf)
		seen = append(seen, buf[:n]...)
		if err != nil {
			t.Fatalf("%q never came, only %q: %v", want, seen, err)
		}
	}
	return time.Since(began)
}
