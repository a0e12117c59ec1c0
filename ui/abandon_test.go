package ui

import (
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// A console that is left, or told to end, does not wait out a restart command,
// and does not go without its journal closed either.
// Rows: E9, E11.
func TestDetachAbandonsARestartCommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		run := newLiveRun(draining())
		run.stuck = true
		began := time.Now()
		detach(run, "told to end")
		require.Equal(t, []string{"detach", "abandon"}, run.calls())
		require.Equal(t, detachMax, time.Since(began))
	})
}

// What a signal ends says so by the same code in the run's journal and at the exit.
func TestSignalled(t *testing.T) {
	for sig, want := range map[syscall.Signal]rollout.ExitCode{
		syscall.SIGTERM: rollout.ExitTerminated, syscall.SIGHUP: rollout.ExitHungUp, syscall.SIGINT: rollout.ExitInterrupted, syscall.SIGQUIT: 0,
	} {
		require.Equal(t, want, signalled(&LostError{Signal: sig}), sig)
	}
	require.Zero(t, signalled(&LostError{Err: errHungUp}))
	require.Zero(t, signalled(nil))
}
