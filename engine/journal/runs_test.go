package journal

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/StorconTUI/storcon-tui/client"
)

func TestRunsAndUnfinished(t *testing.T) {
	f := setUp(t, Options{})
	first := f.j.RunID()
	f.append(t, intent(), Record{Kind: KindClose}.With(Close{Outcome: DoneWithIssues, Exit: 10}))
	second, err := f.store.Create(header())
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Append(intent()); err != nil {
		t.Fatal(err)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(f.store.Dir(), "runs", "lost+found"), 0o700); err != nil {
		t.Fatal(err)
	}
	runs, err := f.store.Runs()
	if err != nil || len(runs) != 2 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	byID := map[string]RunInfo{runs[0].ID: runs[0], runs[1].ID: runs[1]}
	done, open := byID[first], byID[second.RunID()]
	if !done.Closed || done.Outcome != DoneWithIssues || done.Exit != 10 || done.LastKind != KindClose || done.Err != nil {
		t.Errorf("closed run: %+v", done)
	}
	if diff := cmp.Diff([]client.NodeID{3, 1}, open.Nodes); diff != "" {
		t.Error(diff)
	}
	if open.Closed || open.Cluster != "prod-eu-1" || open.Verb != "restart" || open.By.User != "oncall1" || open.LastKind != KindIntent {
		t.Errorf("open run: %+v", open)
	}
	unfinished, err := f.store.Unfinished()
	if err != nil || len(unfinished) != 1 || unfinished[0].ID != second.RunID() {
		t.Fatalf("unfinished: %+v, %v", unfinished, err)
	}

	if err := f.store.MarkClosed(second.RunID(), Actor{User: "oncall2"}, "node 3 was put back by hand"); err != nil {
		t.Fatal(err)
	}
	recs, _, err := f.store.Read(second.RunID())
	if err != nil {
		t.Fatal(err)
	}
	last := recs[len(recs)-1]
	if last.Kind != KindClose || last.By.User != "oncall2" || last.Why != "node 3 was put back by hand" {
		t.Errorf("last record: %+v", last)
	}
	if unfinished, err := f.store.Unfinished(); err != nil || len(unfinished) != 0 {
		t.Errorf("still unfinished: %v, %v", unfinished, err)
	}
	if err := f.store.MarkClosed(first, Actor{}, ""); err == nil || !strings.Contains(err.Error(), "was closed at") {
		t.Errorf("closing twice: %v", err)
	}
}

// Case P9: a wholly bad journal is kept aside, never deleted, and blocks a new
// run only until somebody closes it.
func TestBadJournalIsSetAside(t *testing.T) {
	for name, content := range map[string]string{
		"empty": "", "NULs": strings.Repeat("\x00", 4096), "of something else": "<html>\n</html>\n",
	} {
		t.Run(name, func(t *testing.T) {
			f := setUp(t, Options{})
			if err := f.j.Close(); err != nil {
				t.Fatal(err)
			}
			overwrite(t, f.j.Path(), []byte(content))
			unfinished, err := f.store.Unfinished()
			if err != nil || len(unfinished) != 1 || unfinished[0].Err == nil || unfinished[0].Started.IsZero() {
				t.Fatalf("unfinished: %+v, %v", unfinished, err)
			}
			if err := f.store.MarkClosed(f.j.RunID(), Actor{User: "u"}, "power loss"); err != nil {
				t.Fatal(err)
			}
			if b, err := os.ReadFile(f.j.Path() + ".bad"); err != nil || string(b) != content {
				t.Errorf("set aside: %q, %v", b, err)
			}
			if unfinished, err := f.store.Unfinished(); err != nil || len(unfinished) != 0 {
				t.Errorf("still unfinished: %v, %v", unfinished, err)
			}
		})
	}
	t.Run("missing", func(t *testing.T) {
		f := setUp(t, Options{})
		if err := errors.Join(f.j.Close(), os.Remove(f.j.Path())); err != nil {
			t.Fatal(err)
		}
		if err := f.store.MarkClosed(f.j.RunID(), Actor{User: "u"}, "never began"); err != nil {
			t.Fatal(err)
		}
		if unfinished, err := f.store.Unfinished(); err != nil || len(unfinished) != 0 {
			t.Errorf("still unfinished: %v, %v", unfinished, err)
		}
	})
}

func TestNamesOfClustersAndRunsStayInside(t *testing.T) {
	state := t.TempDir()
	seen := map[string]string{}
	for _, name := range []string{"prod", "..", ".", "a/b", "a%2Fb", "../../etc", "127.0.0.1:1234", "[::1]:1234", "%2E"} {
		s, err := Open(state, name, Options{})
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		if filepath.Dir(s.Dir()) != filepath.Join(state, "storcon-tui") {
			t.Errorf("%q leads to %s", name, s.Dir())
		}
		if other, taken := seen[s.Dir()]; taken {
			t.Errorf("%q and %q share %s", name, other, s.Dir())
		}
		seen[s.Dir()] = name
		if _, _, err := s.Read("../../x"); err == nil || errors.Is(err, os.ErrNotExist) {
			t.Errorf("a run's name was not checked: %v", err)
		}
	}
	for _, name := range []string{"", strings.Repeat("x", 300)} {
		if _, err := Open(state, name, Options{}); err == nil {
			t.Errorf("%.10q was taken", name)
		}
	}
}

// holder starts another process that holds the lock; end lets it go.
func holder(t *testing.T, state string, env ...string) (cmd *exec.Cmd, first string, out *bufio.Reader) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), holdLockEnv+"="+state), env...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	out = bufio.NewReader(pipe)
	first, err = out.ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return cmd, strings.TrimSpace(first), out
}

// Case P7 and E14: the second console of a host is told who drives.
func TestLockBetweenProcesses(t *testing.T) {
	state := t.TempDir()
	s, err := Open(state, "prod-eu-1", Options{})
	if err != nil {
		t.Fatal(err)
	}
	cmd, first, _ := holder(t, state)
	if first != "held" {
		t.Fatalf("the other process says %q", first)
	}
	_, err = s.Lock(Info{User: "me"})
	var busy *ErrLocked
	if !errors.As(err, &busy) {
		t.Fatalf("got %v", err)
	}
	if o := busy.Owner; o.PID != cmd.Process.Pid || o.User != "oncall1" || o.TTY != "pts/4" || o.Run != "01J" || o.Since.IsZero() {
		t.Errorf("owner is %+v", o)
	}
	for _, word := range []string{"oncall1@jump1", strconv.Itoa(cmd.Process.Pid), "pts/4", "01J", "prod-eu-1"} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q does not name %s", err, word)
		}
	}

	// A killed console leaves no lock behind.
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	l, err := s.Lock(Info{User: "me"})
	if err != nil {
		t.Fatalf("after kill -9: %v", err)
	}
	if _, second, _ := holder(t, state); second != "busy: "+strconv.Itoa(os.Getpid()) {
		t.Errorf("the other process says %q", second)
	}
	if err := l.SetInfo(Info{User: "me", Run: "01K"}); err != nil {
		t.Fatal(err)
	}
	if info, ok := s.Owner(); !ok || info.Run != "01K" || info.PID != os.Getpid() {
		t.Errorf("owner is %+v", info)
	}
	if err := errors.Join(l.Release(), l.Release()); err != nil {
		t.Error(err)
	}
	if _, third, _ := holder(t, state); third != "held" {
		t.Errorf("after release the other process says %q", third)
	}
}

// A restart command that outlives its console must not keep the lock.
func TestChildDoesNotInheritTheLock(t *testing.T) {
	state := t.TempDir()
	s, err := Open(state, "prod-eu-1", Options{})
	if err != nil {
		t.Fatal(err)
	}
	cmd, first, out := holder(t, state, "JOURNAL_TEST_CHILD=1")
	if first != "held" {
		t.Fatalf("the other process says %q", first)
	}
	line, err := out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(line, "child: ")))
	if err != nil {
		t.Fatalf("the other process says %q", line)
	}
	defer func() { _ = syscall.Kill(child, syscall.SIGKILL) }()
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if err := syscall.Kill(child, 0); err != nil {
		t.Fatalf("the child is gone: %v", err)
	}
	l, err := s.Lock(Info{})
	if err != nil {
		t.Fatalf("the child keeps the lock: %v", err)
	}
	if err := l.Release(); err != nil {
		t.Error(err)
	}
}

func TestSecondStoreOfTheSameProcess(t *testing.T) {
	f := setUp(t, Options{})
	var busy *ErrLocked
	if _, err := f.store.Lock(Info{}); !errors.As(err, &busy) {
		t.Errorf("same store: %v", err)
	}
	other := &Store{dir: f.store.dir, cluster: "prod-eu-1", now: f.store.now}
	if _, err := other.Lock(Info{}); !errors.As(err, &busy) || busy.Owner.PID != os.Getpid() {
		t.Errorf("another store: %v", err)
	}
}

func TestReleasedLockDoesNotRenameTheNextHolder(t *testing.T) {
	f := setUp(t, Options{})
	f.store.mu.Lock()
	first := f.store.lock
	f.store.mu.Unlock()
	if err := first.Release(); err != nil {
		t.Fatal(err)
	}
	next, err := f.store.Lock(Info{User: "next"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = next.Release() }()
	if err := first.SetInfo(Info{User: "first"}); !errors.Is(err, ErrNotLocked) {
		t.Errorf("a released lock: %v", err)
	}
	if owner, _ := f.store.Owner(); owner.User != "next" {
		t.Errorf("the holder is called %q", owner.User)
	}
}
