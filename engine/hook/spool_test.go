package hook

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// leave runs a script until its first line and leaves it.
func leave(t *testing.T, script string, o Options) Started {
	t.Helper()
	leave := make(chan struct{})
	var once bool
	var process Started
	o.Leave = leave
	o.Started = func(s Started) { process = s }
	o.Line = func(string) {
		if !once {
			once = true
			close(leave)
		}
	}
	res := run(t, script, Env{}, o)
	if !res.Left || res.Class != Unknown || res.Err != nil {
		t.Fatalf("got %+v", res)
	}
	return process
}

func gone(t *testing.T, s Started) {
	t.Helper()
	for deadline := time.Now().Add(slow); s.Alive(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("process %d still runs", s.PID)
		}
	}
}

// A command that was left goes on to its end, and what it printed in the meantime
// is there for whoever comes back to it (E6).
func TestLeftCommandIsCollected(t *testing.T) {
	dir := t.TempDir()
	log, goOn := filepath.Join(dir, "3-1.log"), filepath.Join(dir, "go")
	process := leave(t, `echo one; until [ -e `+goOn+` ]; do sleep 0.01; done
echo two s3cret; echo '{"storcon_hook":{"disk":"empty"}}'`, Options{LogPath: log})
	if b, err := os.ReadFile(log); err != nil || !strings.HasPrefix(string(b), "one\n[left running; ") || !strings.Contains(string(b), SpoolPath(log)) {
		t.Errorf("log: %q, %v", b, err)
	}
	if err := os.WriteFile(goOn, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	gone(t, process)

	res, err := Collect(Options{LogPath: log, Redact: func(s string) string { return strings.ReplaceAll(s, "s3cret", "[redacted]") }})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"one", "two [redacted]", `{"storcon_hook":{"disk":"empty"}}`}
	if !slices.Equal(res.Tail, want) || res.Identity.Disk != DiskEmpty {
		t.Errorf("got %+v", res)
	}
	if b, err := os.ReadFile(log); err != nil || string(b) != strings.Join(want, "\n")+"\n" {
		t.Errorf("log: %q, %v", b, err)
	}
	if _, err := os.Stat(SpoolPath(log)); !os.IsNotExist(err) {
		t.Errorf("what it said as it said it is still there: %v", err)
	}
	if res, err := Collect(Options{LogPath: log}); err != nil || res.Tail != nil {
		t.Errorf("a second time: %+v, %v", res, err)
	}
}

// After much output the log keeps its head: the spool has it no more.
func TestLeftAfterMuchOutput(t *testing.T) {
	dir := t.TempDir()
	log, goOn := filepath.Join(dir, "3-1.log"), filepath.Join(dir, "go")
	left := make(chan struct{})
	var process Started
	res := run(t, `echo first; yes 0123456789 | head -n 200000; echo flood over; until [ -e `+goOn+` ]; do sleep 0.01; done; echo last`,
		Env{}, Options{LogPath: log, Leave: left, Started: func(s Started) {
			process = s
			go func() {
				defer close(left)
				for range 2000 {
					if st, err := os.Stat(log); err == nil && st.Size() > MaxOutputBytes {
						return
					}
					time.Sleep(5 * time.Millisecond)
				}
			}()
		}})
	if !res.Left {
		t.Fatalf("got %+v", res)
	}
	if err := os.WriteFile(goOn, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	gone(t, process)
	got, err := Collect(Options{LogPath: log})
	if err != nil || len(got.Tail) == 0 || got.Tail[len(got.Tail)-1] != "last" {
		t.Errorf("got %+v, %v", got, err)
	}
	b, err := os.ReadFile(log)
	if err != nil || !strings.HasPrefix(string(b), "first\n0123456789\n") || len(b) > 3*MaxOutputBytes {
		t.Errorf("log of %d bytes: %v", len(b), err)
	}
}

// Nothing is left on the disk of a command that ended before our eyes, or that
// never was.
func TestSpoolIsRemoved(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "3-1.log")
	for _, spec := range []Spec{{Shell: "echo ran", Timeout: slow}, {Argv: []string{"/nonexistent/program"}}} {
		spec.Run(t.Context(), Env{}, Options{LogPath: log})
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 1 || entries[0].Name() != "3-1.log" {
			t.Errorf("%v: %v, %v", spec, entries, err)
		}
	}
}
