package sim

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// As compute_ctl was recorded: the total counts from the spec on, and a start that has
// failed has neither a total nor a figure for what it did not come to the end of.
func TestFiguresOfStarts(t *testing.T) {
	for _, c := range New(Config{Seed: 3}).Computes() {
		s := c.Startup
		switch c.Status {
		case CtlRunning:
			require.Equal(t, s.SyncSafekeepers+s.Basebackup+s.StartPostgres+s.Config, s.Total())
			require.Positive(t, s.WaitForSpec)
		case CtlFailed:
			require.Zero(t, s.Total())
			require.Positive(t, s.SyncSafekeepers)
			require.Zero(t, s.Basebackup)
		default:
			require.Zero(t, s)
		}
	}
}
