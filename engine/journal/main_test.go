package journal

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/StorconTUI/storcon-tui/client"
)

// holdLockEnv makes this test binary a process that takes the lock of a store
// and keeps it until its standard input ends.
const holdLockEnv = "JOURNAL_TEST_HOLD_LOCK"

func TestMain(m *testing.M) {
	if dir := os.Getenv(holdLockEnv); dir != "" {
		os.Exit(holdLock(dir))
	}
	goleak.VerifyTestMain(m)
}

func holdLock(stateDir string) int {
	s, err := Open(stateDir, "prod-eu-1", Options{})
	if err == nil {
		_, err = s.Lock(Info{User: "oncall1", Host: "jump1", TTY: "pts/4", Run: "01J", Version: "v1"})
	}
	var busy *ErrLocked
	switch {
	case errors.As(err, &busy):
		fmt.Println("busy:", busy.Owner.PID)
		return 7
	case err != nil:
		fmt.Println("error:", err)
		return 1
	}
	fmt.Println("held")
	if os.Getenv("JOURNAL_TEST_CHILD") != "" {
		// A restart command that outlives its console.
		cmd := exec.Command("sleep", "600")
		if err := cmd.Start(); err != nil {
			fmt.Println("error:", err)
			return 1
		}
		fmt.Println("child:", cmd.Process.Pid)
	}
	buf := make([]byte, 1)
	_, _ = os.Stdin.Read(buf)
	return 0
}

// faults is what the files of a store suffer from.
type faults struct {
	mu       sync.Mutex
	opened   int // files so far
	until    int // only the first so many files fail; 0 = all do
	writes   int
	syncs    int
	writeErr error // returned by Write from now on
	short    int   // bytes that a failing Write still lands
	syncErr  error
}

func (f *faults) counts() (writes, syncs int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.writes, f.syncs
}

func (f *faults) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.writeErr, f.syncErr, f.short = nil, nil, 0
}

func (f *faults) open(path string) (File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.opened++
	inner, err := openOS(path)
	return &faultyFile{File: inner, faults: f, nth: f.opened}, err
}

// faultyFile writes to the real file until it is told to fail.
type faultyFile struct {
	File
	*faults
	nth int
}

func (f *faultyFile) fails() bool { return f.until == 0 || f.nth <= f.until }

func (f *faultyFile) Write(b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.writes++
	if !f.fails() || f.writeErr == nil && f.short == 0 {
		return f.File.Write(b)
	}
	n, err := f.File.Write(b[:f.short])
	return n, errors.Join(err, f.writeErr)
}

func (f *faultyFile) Datasync() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.syncs++
	if f.fails() && f.syncErr != nil {
		return f.syncErr
	}
	return f.File.Datasync()
}

// fixture is a locked store with one run in it.
type fixture struct {
	store *Store
	lock  *Lock
	file  *faults
	j     *Journal
}

func setUp(t *testing.T, o Options) *fixture {
	t.Helper()
	f := &fixture{file: &faults{}}
	o.OpenFile = f.file.open
	var err error
	if f.store, err = Open(t.TempDir(), "prod-eu-1", o); err != nil {
		t.Fatal(err)
	}
	if f.lock, err = f.store.Lock(Info{User: "oncall1", Host: "jump1"}); err != nil {
		t.Fatal(err)
	}
	if f.j, err = f.store.Create(header()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = f.j.Close()
		_ = f.lock.Release()
	})
	return f
}

func header() Header {
	return Header{
		Tool: "v1", Verb: "restart", Nodes: []client.NodeID{3, 1},
		Members: []Member{{1, "az-a"}, {3, "az-b"}}, Plan: []byte(`{"steps":[3,1]}`),
		By: &Actor{User: "oncall1", Host: "jump1"},
	}
}

func (f *fixture) append(t *testing.T, recs ...Record) {
	t.Helper()
	for _, r := range recs {
		if err := f.j.Append(r); err != nil {
			t.Fatalf("append %s: %v", r.Kind, err)
		}
	}
}

func intent() Record {
	attached := 1567
	return Record{
		Kind: KindIntent, Node: 3, Eff: "n3.drain.1", Att: 1, Cls: ADV, Call: "PUT node/3/drain", Why: "ans:2",
		Pre: &Pre{Policy: "Active", Availability: "Active", AttShards: &attached, Launch: 1735787000123},
		By:  &Actor{User: "oncall1", TTY: "pts/4"},
	}
}
