package history

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// A second process is this test binary, told by its environment what to do.
const (
	neighbourDir  = "HISTORY_NEIGHBOUR_DIR"
	neighbourDoes = "HISTORY_NEIGHBOUR_DOES"
)

// neighbour records or reads until its input ends. A line on its output says that
// it has begun.
func neighbour(dir, does string) int {
	switch does {
	case "record":
		r := NewRecorder(dir, Options{})
		r.Record(quiet(t0, 1))
		fmt.Println(r.state == writing)
	case "read":
		for f := range oneFile(dir) {
			defer func() { _ = f.Close() }()
			fmt.Println(true)
		}
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

// oneFile opens the oldest file of a recording.
func oneFile(dir string) func(yield func(io.ReadCloser) bool) {
	return func(yield func(io.ReadCloser) bool) {
		files, err := list(dir)
		if err != nil || len(files) == 0 {
			return
		}
		if f, err := files[0].open(); err == nil {
			yield(f)
		}
	}
}

// startNeighbour starts a second process and waits until it has begun. kill ends it
// without a chance to clean up.
func startNeighbour(t *testing.T, dir, does string) (kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), neighbourDir+"="+dir, neighbourDoes+"="+does)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	}
	t.Cleanup(func() { _ = stdin.Close() })
	if line, err := bufio.NewReader(out).ReadString('\n'); strings.TrimSpace(line) != "true" {
		kill()
		t.Fatalf("the other process does not %s: %q, %v", does, line, err)
	}
	return kill
}

// Of two processes one records. The other reads meanwhile, and takes over when the
// first is gone, however it went.
func TestTwoProcessesRecordOneCluster(t *testing.T) {
	dir := t.TempDir()
	kill := startNeighbour(t, dir, "record")
	defer kill()
	r := NewRecorder(dir, Options{Trouble: func(err error) { t.Errorf("trouble: %v", err) }})
	seen := quiet(t0.Add(time.Second), 2)
	r.Record(seen)
	if r.state != standby {
		t.Fatalf("state %v while another process records; want standby", r.state)
	}
	if got, _ := played(t, dir); len(got) != 1 || len(got[0].Nodes) != 1 {
		t.Fatalf("read %v; want what the other process wrote", got)
	}
	kill()
	seen.At = seen.At.Add(tryEvery / 2)
	if r.Record(seen); r.state != standby {
		t.Errorf("the lock was tried again after %v", tryEvery/2)
	}
	seen = after(seen, tryEvery, 1, client.PolicyDraining)
	if r.Record(seen); r.state != writing {
		t.Fatalf("state %v after the other process died; want writing", r.state)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	got, damage := played(t, dir)
	if len(got) != 2 || !got[1].Same(seen) || damage.Any() {
		t.Errorf("read %v (%v); want both processes' in their order", got, damage)
	}
}

// A file that another process reads is neither compressed nor removed.
func TestAFileInUseStays(t *testing.T) {
	dir := t.TempDir()
	record(t, dir, Options{}, quiet(t0, 1))
	used := names(t, dir)[0]
	kill := startNeighbour(t, dir, "read")
	defer kill()
	later := t0.Add(2 * DefaultMaxAge)
	record(t, dir, Options{}, quiet(later, 1))
	if got := names(t, dir); len(got) != 2 || got[0] != used {
		t.Fatalf("files %v; want %s, which is read, and a new one", got, used)
	}
	kill()
	record(t, dir, Options{}, quiet(later.Add(time.Hour), 1))
	if _, err := os.Stat(filepath.Join(dir, used)); !os.IsNotExist(err) {
		t.Errorf("%s is still there though nobody reads it: %v", used, err)
	}
}
