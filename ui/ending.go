package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"golang.org/x/sys/unix"
)

// ending collects why the program ends when it is not the operator's wish. The
// first cause counts. Nothing is written before the terminal is restored.
type ending struct {
	cancel context.CancelFunc

	mu     sync.Mutex
	panic  string // "" = none
	stack  string
	signal os.Signal
	tty    error
}

// errHungUp: the other end of the terminal is closed.
var errHungUp = errors.New("it was hung up")

// crashed notes a panic and ends the program.
func (e *ending) crashed(where string, cause any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.panic == "" {
		e.panic, e.stack = fmt.Sprintf("panic in %s: %v", where, cause), string(debug.Stack())
	}
	e.cancel()
}

// recovered hands a panic of the calling goroutine to crash. It is deferred.
func recovered(where string, crash func(string, any)) {
	if cause := recover(); cause != nil {
		crash(where, cause)
	}
}

// watch ends the program on a signal that asks for it, and when the terminal
// is gone without one: under nohup no signal tells of it, and reads at end of
// file tell Bubble Tea nothing.
func (e *ending) watch(ctx context.Context, input io.Reader) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGTERM, syscall.SIGQUIT, os.Interrupt)
	defer signal.Stop(signals)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case s := <-signals:
			e.mu.Lock()
			e.signal = s
			e.mu.Unlock()
			e.cancel()
			return
		case <-tick.C:
			if hungUp(input) {
				e.mu.Lock()
				e.tty = errHungUp
				e.mu.Unlock()
				e.cancel()
				return
			}
		}
	}
}

// hungUp reports that the terminal's other end is closed. An input that is no
// file is never hung up.
func hungUp(input io.Reader) bool {
	f, ok := input.(*os.File)
	if input == nil {
		f, ok = os.Stdin, true
	}
	if !ok {
		return false
	}
	fds := []unix.PollFd{{Fd: int32(f.Fd())}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n > 0 && fds[0].Revents&(unix.POLLHUP|unix.POLLERR|unix.POLLNVAL) != 0
}

// reason is the error that Run returns.
func (e *ending) reason(parent context.Context, d Deps, err error) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.panic != "":
		return e.report(d)
	case e.signal != nil:
		return &LostError{Signal: e.signal, Err: err}
	case e.tty != nil:
		return &LostError{Err: e.tty}
	case parent.Err() != nil:
		return parent.Err()
	case errors.Is(err, tea.ErrProgramKilled):
		return &LostError{Err: err}
	}
	return err
}

// report puts a panic's stack into the crash log, or on standard error, and
// says where it is.
func (e *ending) report(d Deps) error {
	text := fmt.Sprintf("%s %s\n\n%s\n", d.Version, e.panic, e.stack)
	if d.CrashLog != "" {
		f, err := os.OpenFile(d.CrashLog, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = io.WriteString(f, text)
			err = errors.Join(err, f.Close())
		}
		if err == nil {
			return fmt.Errorf("%s; its stack is in %s", e.panic, d.CrashLog)
		}
	}
	_, _ = io.WriteString(stderr(d), text)
	return errors.New(e.panic)
}
