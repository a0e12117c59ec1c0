package main

import (
	"errors"
	"fmt"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

const (
	exitUsage   = rollout.ExitUsage
	exitJournal = rollout.ExitJournal

	exitWatchTimeout rollout.ExitCode = 12 // watch has ended before the release
	exitWatchAnomaly rollout.ExitCode = 13 // watch saw something that looks wrong
)

// exitError is an error, or the end of a run, with the exit code that it asks
// for. Without an error nothing is printed: all has been said.
type exitError struct {
	code rollout.ExitCode
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usage marks what was asked for wrongly.
func usage(err error) error { return &exitError{code: exitUsage, err: err} }

func usagef(format string, args ...any) error { return usage(fmt.Errorf(format, args...)) }

// preflight marks what the cluster or the plan does not allow; nothing was
// changed.
func preflight(err error) error { return &exitError{code: rollout.ExitPreflight, err: err} }

// ended is the end of a run.
func ended(code rollout.ExitCode) error {
	if code == rollout.ExitDone {
		return nil
	}
	return &exitError{code: code}
}

// exitCode is the one place where an error becomes an exit code.
func exitCode(err error) rollout.ExitCode {
	var (
		asked  *exitError
		locked *journal.ErrLocked
		broken *journal.CorruptError
		signal signalError
	)
	switch {
	case err == nil:
		return rollout.ExitDone
	case errors.As(err, &asked):
		return asked.code
	case errors.As(err, &signal):
		return rollout.ExitCode(128 + int(signal.signal)) // as shells have it: 130, 143
	case errors.As(err, &locked):
		return rollout.ExitLocked
	case errors.As(err, &broken), errors.Is(err, journal.ErrBroken), errors.Is(err, journal.ErrNewer):
		return rollout.ExitJournal
	case client.KindOf(err) == client.Unauthorized:
		return rollout.ExitAuth
	case client.KindOf(err) == client.Unreachable, client.KindOf(err) == client.BadAnswer:
		// What answers in other words is not the controller: it was not reached.
		return rollout.ExitUnreachable
	case client.KindOf(err) == client.ReadOnly:
		return rollout.ExitPreflight
	}
	return rollout.ExitInternal
}
