package ui

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
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
