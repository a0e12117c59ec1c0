package hook

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// slow is far above what anything here takes that does not hang.
const slow = 20 * time.Second

func run(t *testing.T, script string, e Env, o Options) Result {
	t.Helper()
	return Spec{Shell: script, Timeout: slow, KillGrace: slow}.Run(t.Context(), e, o)
}

func TestExitClasses(t *testing.T) {
	for exit, want := range map[int]Class{
		0: Requested, 75: SafeRetry, 76: AlreadyRestarted, 77: RefusedByPolicy,
		1: Unknown, 2: Unknown, 74: Unknown, 78: Unknown, 127: Unknown, 255: Unknown,
	} {
		res := run(t, "exit "+strconv.Itoa(exit), Env{ID: 3}, Options{})
		if res.Class != want || res.ExitCode != exit || res.Err != nil || res.Signal != "" || res.TimedOut {
			t.Errorf("exit %d: %+v", exit, res)
		}
		if res.Started.IsZero() || res.Ended.Before(res.Started) {
			t.Errorf("exit %d: from %s to %s", exit, res.Started, res.Ended)
		}
	}
	res := run(t, "kill -KILL $$", Env{}, Options{})
	if res.Class != Unknown || res.Signal != "SIGKILL" || res.ExitCode != -1 || res.TimedOut {
		t.Errorf("killed: %+v", res)
	}
}

func TestWhatCannotBeStarted(t *testing.T) {
	cases := map[string]struct {
		spec Spec
		o    Options
		e    Env
	}{
		"no such program": {Spec{Argv: []string{"/nonexistent/program"}}, Options{}, Env{}},
		"manual":          {Spec{Manual: true}, Options{}, Env{}},
		"bad host":        {Spec{Argv: []string{"echo", "{{.Host}}"}}, Options{}, Env{Host: "-x"}},
		"no log":          {Spec{Shell: "echo ran"}, Options{LogPath: "/nonexistent/dir/log"}, Env{}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			c.o.Started = func(Started) { t.Error("started") }
			res := c.spec.Run(t.Context(), c.e, c.o)
			if res.Class != NotStarted || res.Err == nil || res.ExitCode != -1 {
				t.Errorf("got %+v", res)
			}
		})
	}
	t.Run("cancelled before", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		res := Spec{Shell: "echo ran"}.Run(ctx, Env{}, Options{Started: func(Started) { t.Error("started") }})
		if res.Class != NotStarted || !errors.Is(res.Err, context.Canceled) {
			t.Errorf("got %+v", res)
		}
	})
}

func TestEnvironment(t *testing.T) {
	t.Setenv("MY_TOKEN", "by name")
	t.Setenv("OTHER", "x supersecret y")
	t.Setenv("STORCON_TOKEN", "of somebody else")
	t.Setenv("KEPT", "yes")
	e := Env{
		ID: 3, Host: "ps-3", HTTPPort: 9898, AZ: "az a", Cluster: "prod", URL: "http://c:1", Run: "01J", Attempt: 2,
		Eff: "n3.restart.2", TargetRevision: "rel-2", PreLaunchMs: 1735787000123, DryRun: true,
	}
	o := Options{DenyEnv: []string{"MY_TOKEN"}, Redact: func(s string) string { return strings.ReplaceAll(s, "supersecret", "[redacted]") }}
	var lines []string // an environment may be longer than a tail
	o.Line = func(s string) { lines = append(lines, s) }
	run(t, `env; echo "arg: supersecret"`, e, o)
	for _, want := range []string{
		"STORCON_NODE_ID=3", "STORCON_NODE_HOST=ps-3", "STORCON_NODE_HTTP_PORT=9898", "STORCON_NODE_AZ=az a",
		"STORCON_CLUSTER=prod", "STORCON_URL=http://c:1", "STORCON_RUN=01J", "STORCON_ATTEMPT=2", "STORCON_EFF=n3.restart.2",
		"STORCON_TARGET_REVISION=rel-2", "STORCON_PRE_LAUNCH=1735787000123", "STORCON_DRY_RUN=1", "KEPT=yes", "arg: [redacted]",
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("%s is missing", want)
		}
	}
	all := strings.Join(lines, "\n")
	for _, never := range []string{"MY_TOKEN", "OTHER=", "STORCON_TOKEN", "supersecret"} {
		if strings.Contains(all, never) {
			t.Errorf("%s is there", never)
		}
	}
	if res := run(t, "env | grep STORCON_", Env{ID: 3}, Options{}); !slices.Contains(res.Tail, "STORCON_PRE_LAUNCH=") || !slices.Contains(res.Tail, "STORCON_DRY_RUN=0") {
		t.Errorf("unknown launch: %q", res.Tail)
	}
}

// It has no terminal to write on or to ask on, and nothing to read.
func TestNoTerminalAndNoInput(t *testing.T) {
	res := run(t, `cat; if (: >/dev/tty) 2>/dev/null; then echo tty; else echo none; fi`, Env{}, Options{})
	if !slices.Equal(res.Tail, []string{"none"}) {
		t.Errorf("got %q", res.Tail)
	}
}

func TestStartedNamesTheProcess(t *testing.T) {
	var s Started
	seen := filepath.Join(t.TempDir(), "seen")
	res := run(t, "while [ ! -e "+seen+" ]; do sleep 0.01; done; echo $$", Env{}, Options{Started: func(got Started) {
		s = got
		if !got.Alive() {
			t.Error("not alive right after its start")
		}
		if err := os.WriteFile(seen, nil, 0o600); err != nil {
			t.Error(err)
		}
	}})
	if !slices.Equal(res.Tail, []string{strconv.Itoa(s.PID)}) || s.PGID != s.PID || s.StartTicks == 0 {
		t.Errorf("started %+v, it says %q", s, res.Tail)
	}
	if s.Alive() {
		t.Error("alive after its end")
	}
	self := Started{PID: os.Getpid(), StartTicks: 1}
	if self.Alive() {
		t.Error("another process with its number passes for it")
	}
}

// Case R2: a hook that hangs is ended, and what it did stays unknown.
func TestHangIsEnded(t *testing.T) {
	cases := map[string]struct {
		script string
		grace  time.Duration
		signal string
	}{
		"obeys SIGTERM":         {"exec sleep 600", slow, "SIGTERM"},
		"ignores SIGTERM":       {"trap '' TERM; while :; do sleep 600; done", 200 * time.Millisecond, "SIGKILL"},
		"exits 0 upon SIGTERM":  {"trap 'exit 0' TERM; while :; do sleep 0.05; done", slow, ""},
		"exits 75 upon SIGTERM": {"trap 'exit 75' TERM; while :; do sleep 0.05; done", slow, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			res := Spec{Shell: c.script, Timeout: 300 * time.Millisecond, KillGrace: c.grace}.Run(t.Context(), Env{}, Options{})
			if !res.TimedOut || res.Class != Unknown || res.Signal != c.signal {
				t.Errorf("got %+v", res)
			}
			if took := time.Since(began); took > slow/2 {
				t.Errorf("took %s", took)
			}
		})
	}
}

// What a hanging hook has started is ended with it.
func TestHangEndsTheWholeGroup(t *testing.T) {
	pidFile := filepath.Join(t.TempDir(), "pid")
	script := `(trap '' TERM; echo started; exec sleep 600) & echo $! > ` + pidFile + `; wait`
	res := Spec{Shell: script, Timeout: 300 * time.Millisecond, KillGrace: 300 * time.Millisecond}.Run(t.Context(), Env{}, Options{})
	if !res.TimedOut {
		t.Fatalf("got %+v", res)
	}
	b, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	// It may still have to be reaped by whoever adopted it.
	for deadline := time.Now().Add(slow); startTicks(pid) != 0 && !zombie(pid); {
		if time.Now().After(deadline) {
			t.Fatalf("process %d still runs", pid)
		}
	}
}

func TestCancelEndsIt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	res := Spec{Shell: "echo go; exec sleep 600", Timeout: time.Hour}.Run(ctx, Env{}, Options{Line: func(string) { cancel() }})
	if !res.Cancelled || res.TimedOut || res.Class != Unknown || res.Signal != "SIGTERM" {
		t.Errorf("got %+v", res)
	}
}

// A daemon that the hook leaves behind may keep its output and live on; the hook
// has ended all the same.
func TestDaemonKeepsTheOutput(t *testing.T) {
	began := time.Now()
	res := run(t, "sleep 600 & echo pid $!", Env{}, Options{})
	if took := time.Since(began); took > slow/2 {
		t.Fatalf("took %s", took)
	}
	if res.Class != Requested || res.ExitCode != 0 || res.Err != nil || len(res.Tail) != 1 {
		t.Fatalf("got %+v", res)
	}
	pid, err := strconv.Atoi(strings.TrimPrefix(res.Tail[0], "pid "))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Errorf("the daemon did not live on: %v", err)
	}
}

func TestHugeOutputIsBounded(t *testing.T) {
	log := filepath.Join(t.TempDir(), "3-1.log")
	lines, bytes := 0, 0
	res := run(t, `yes 0123456789012345678901234567890123456789 | head -n 200000; echo the end`, Env{}, Options{
		LogPath: log, Line: func(s string) { lines++; bytes += len(s) + 1 },
	})
	if res.Class != Requested || !res.Cut || res.Err != nil {
		t.Errorf("got %+v", res)
	}
	if bytes > MaxOutputBytes+100 || lines < 20000 {
		t.Errorf("%d lines, %d bytes were handed over", lines, bytes)
	}
	if len(res.Tail) != TailLines || res.Tail[TailLines-1] != "the end" {
		t.Errorf("tail has %d lines and ends with %q", len(res.Tail), res.Tail[len(res.Tail)-1])
	}
	st, err := os.Stat(log)
	if err != nil || st.Size() != int64(bytes) || st.Mode().Perm() != 0o600 {
		t.Errorf("log: %v, %v", st, err)
	}
}

func TestOneEndlessLineIsBounded(t *testing.T) {
	res := run(t, `head -c 3000000 /dev/zero | tr '\0' x; echo; echo the end`, Env{}, Options{})
	if len(res.Tail) != 2 || len(res.Tail[0]) != MaxLineBytes+len(cutMark) || res.Tail[1] != "the end" || !res.Cut {
		t.Errorf("%d lines, cut %t", len(res.Tail), res.Cut)
	}
}

func TestBinaryOutputIsNeutralised(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	res := run(t, `printf 'a\033[2Jb\233\000\377c\r\nno newline'; printf 'é\tx' >&2`, Env{}, Options{LogPath: log})
	want := []string{`a\x1b[2Jb\x9b\x00\xffc`, "no newlineé x"}
	if !slices.Equal(res.Tail, want) {
		t.Errorf("got %q, want %q", res.Tail, want)
	}
	if b, err := os.ReadFile(log); err != nil || string(b) != strings.Join(want, "\n")+"\n" {
		t.Errorf("log: %q, %v", b, err)
	}
}

// A secret at the very place where a line is cut is not let through in part.
func TestSecretAtTheCut(t *testing.T) {
	const secret = "s3cr3t-s3cr3t-s3cr3t"
	redact := func(s string) string { return strings.ReplaceAll(s, secret, "[redacted]") }
	for off := range len(secret) {
		script := "printf '%0" + strconv.Itoa(MaxLineBytes-off) + "d' 0; echo " + secret
		res := run(t, script, Env{}, Options{Redact: redact})
		if strings.Contains(res.Tail[0], "s3c") {
			t.Fatalf("offset %d: %q", off, res.Tail[0][MaxLineBytes-30:])
		}
	}
}

func TestIdentityLine(t *testing.T) {
	cases := map[string]Identity{
		`echo '{"storcon_hook":{"invocation_id":"ab12","pid_start":12345678901234567,"pod_uid":"u"}}'`:                      {InvocationID: "ab12", PIDStart: "12345678901234567", PodUID: "u"},
		`echo '{"storcon_hook":{"invocation_id":"one"}}'; echo x; echo ' {"storcon_hook":{"pod_uid":"two"}}' >&2; echo bye`: {PodUID: "two"},
		`echo '{"storcon_hook":{"invocation_id":["x"],"pid_start":null}}'`:                                                  {},
		`echo '{"storcon_hook":{"disk":"empty"}}'`:                                                                          {Disk: DiskEmpty},
		`echo '{"storcon_hook":'`:     {},
		`echo '{"storcon_hook":"x"}'`: {},
		`echo hello`:                  {},
	}
	for script, want := range cases {
		if got := run(t, script, Env{}, Options{}).Identity; got != want {
			t.Errorf("%s: got %+v", script, got)
		}
	}
}

// One that was begun earlier, by a console that is gone, is recognised.
func TestAliveOfAnotherProcess(t *testing.T) {
	cmd := exec.Command("sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := Started{PID: cmd.Process.Pid, StartTicks: startTicks(cmd.Process.Pid)}
	if !s.Alive() {
		t.Error("not alive")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if s.Alive() {
		t.Error("alive after its end")
	}
}
