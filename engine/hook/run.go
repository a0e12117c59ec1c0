package hook

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Class says what may be concluded from how the command ended. None of them
// proves a restart: Judge does.
type Class int

const (
	// Unknown: anything may have happened.
	Unknown Class = iota
	// Requested: exit 0, the restart was requested or done.
	Requested
	// SafeRetry: exit 75, nothing happened and it may be tried again.
	SafeRetry
	// AlreadyRestarted: exit 76, there was nothing left to do.
	AlreadyRestarted
	// RefusedByPolicy: exit 77, something forbids it.
	RefusedByPolicy
	// NotStarted: there was no process at all, so nothing happened.
	NotStarted
)

func (c Class) String() string {
	switch c {
	case Unknown:
		return "unknown"
	case Requested:
		return "requested"
	case SafeRetry:
		return "safe to retry"
	case AlreadyRestarted:
		return "already restarted"
	case RefusedByPolicy:
		return "refused by policy"
	case NotStarted:
		return "not started"
	}
	return fmt.Sprintf("class %d", int(c))
}

// Started identifies the process, so that a later one of ours can tell whether it
// is still alive.
type Started struct {
	PID        int    `json:"pid"`
	PGID       int    `json:"pgid"`
	StartTicks uint64 `json:"start_ticks,omitempty"` // of the kernel's clock since boot; 0 = unknown
}

// Options is what a run needs besides the node.
type Options struct {
	// LogPath is a file that the output is appended to; "" means none. The
	// command is not started when it cannot be opened.
	LogPath string
	// Redact removes secrets from a text; nil changes nothing.
	Redact func(string) string
	// DenyEnv names the variables that the command must not inherit.
	DenyEnv []string
	// Started is called once the process exists, before anything waits for it.
	Started func(Started)
	// Leave, when it is closed, has Run return at once and leave the command
	// running. It goes on writing to SpoolPath, where Collect finds it. nil = never.
	Leave <-chan struct{}
	// Line is called with every line of output, clean and bounded, from one
	// goroutine at a time. It must not wait for anything.
	Line func(string)
}

// Result is what came of one execution.
type Result struct {
	Started   time.Time
	Ended     time.Time
	ExitCode  int    // -1 when it did not exit by itself
	Signal    string // that ended it, such as "SIGKILL"; "" for none
	TimedOut  bool
	Cancelled bool // ctx ended it
	Left      bool // it runs on: Options.Leave was closed
	Class     Class
	Tail      []string // last lines of output, at most TailLines
	Cut       bool     // there was more output than was kept
	Identity  Identity // from the line {"storcon_hook":...}
	Err       error    // why it was not started, or why its output was lost
}

// Run executes the command and waits for it. It returns after the timeout plus
// the grace at the latest, whatever the command does with signals.
//
// Ending ctx ends the command as a timeout does. A half-done restart is worse
// than a slow one, so a caller ends it only when a person asked for that.
func (s Spec) Run(ctx context.Context, e Env, o Options) Result {
	if o.Redact == nil {
		o.Redact = func(t string) string { return t }
	}
	argv, err := s.Render(e)
	if err == nil && len(argv) == 0 {
		err = errors.New("this restart is done by hand: there is no command")
	}
	if err != nil {
		return notStarted(fmt.Errorf("restart command of node %s: %w", e.ID, err))
	}
	out, err := newOutput(o)
	if err != nil {
		return notStarted(fmt.Errorf("restart command of node %s: %w", e.ID, err))
	}
	sp, err := newSpool(o.LogPath, out)
	if err != nil {
		return notStarted(errors.Join(fmt.Errorf("restart command of node %s: %w", e.ID, err), out.finish()))
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = e.environ(o.DenyEnv, o.Redact)
	cmd.Stdout, cmd.Stderr = sp.file, sp.file
	// A session is a process group without a terminal.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}

	began := time.Now()
	if err := ctx.Err(); err != nil {
		return notStarted(errors.Join(err, sp.close(false)))
	}
	if err := cmd.Start(); err != nil {
		return notStarted(errors.Join(fmt.Errorf("start restart command of node %s: %w", e.ID, err), sp.close(false)))
	}
	pid := cmd.Process.Pid
	if o.Started != nil {
		o.Started(Started{PID: pid, PGID: pid, StartTicks: startTicks(pid)})
	}
	sp.follow()
	res := s.wait(ctx, cmd, o.Leave)
	res.Started, res.Ended = began, time.Now()
	res.Err = errors.Join(res.Err, sp.finish(res.Left))
	res.Tail, res.Cut, res.Identity = out.tail, out.cut, out.identity
	return res
}

func notStarted(err error) Result {
	now := time.Now()
	return Result{Started: now, Ended: now, ExitCode: -1, Class: NotStarted, Err: err}
}

// wait returns when the command has ended, by itself or by force, or was left.
func (s Spec) wait(ctx context.Context, cmd *exec.Cmd, leave <-chan struct{}) Result {
	timeout, grace := s.Timeout, s.KillGrace
	if timeout == 0 {
		timeout = DefaultTimeout
	}
	if grace == 0 {
		grace = DefaultKillGrace
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	timer := time.NewTimer(timeout)
	defer timer.Stop()

	var res Result
	select {
	case err := <-done:
		return conclude(res, cmd, err)
	case <-timer.C:
		res.TimedOut = true
	case <-leave:
		res.Left, res.ExitCode = true, -1
		return res // whoever waits for it goes on, for as long as this program lives
	case <-ctx.Done():
		res.Cancelled = true
	}
	return conclude(res, cmd, endGroup(cmd.Process.Pid, grace, done))
}

// endGroup ends the command and everything that it started: SIGTERM, the grace,
// SIGKILL. It returns what waiting for the command gave.
func endGroup(pgid int, grace time.Duration, done <-chan error) error {
	_ = unix.Kill(-pgid, unix.SIGTERM)
	deadline := time.NewTimer(grace)
	defer deadline.Stop()
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	var err error
	ended := false
	for {
		select {
		case err = <-done:
			ended, done = true, nil
		case <-look.C:
			if ended && errors.Is(unix.Kill(-pgid, 0), unix.ESRCH) {
				return err
			}
		case <-deadline.C:
			_ = unix.Kill(-pgid, unix.SIGKILL)
			if !ended {
				err = <-done
			}
			return err
		}
	}
}

// conclude reads how the command ended.
func conclude(res Result, cmd *exec.Cmd, err error) Result {
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		res.Err = fmt.Errorf("wait for restart command: %w", err)
	}
	res.ExitCode = -1
	ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	switch {
	case !ok:
	case ws.Signaled():
		res.Signal = unix.SignalName(ws.Signal())
	default:
		res.ExitCode = ws.ExitStatus()
	}
	if !res.TimedOut && !res.Cancelled {
		res.Class = classify(res.ExitCode)
	}
	return res
}

func classify(exit int) Class {
	switch exit {
	case 0:
		return Requested
	case 75:
		return SafeRetry
	case 76:
		return AlreadyRestarted
	case 77:
		return RefusedByPolicy
	}
	return Unknown
}

// Alive says whether a process that was started earlier, perhaps by a console
// that is gone, still runs. Numbers of processes are used again, so the time of
// its start has to fit as well.
func (s Started) Alive() bool {
	if s.PID <= 0 || s.StartTicks == 0 {
		return false
	}
	return startTicks(s.PID) == s.StartTicks && !zombie(s.PID)
}

// openLog opens a log for appending, readable by its owner only.
func openLog(path string) (*os.File, error) {
	if path == "" {
		return nil, nil
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
}
