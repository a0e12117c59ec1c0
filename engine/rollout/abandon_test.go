package rollout_test

import (
	"encoding/json"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/engine/hook"
	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// A program that is told to end leaves a long restart command running, and says
// which process it is, on the screen and in the journal.
func TestAbandon_LeavesTheRestartCommand(t *testing.T) {
	r := newRig(t, options{spec: &hook.Spec{Argv: []string{"sleep", "60"}, Timeout: time.Minute}})
	r.start(rollout.GoalRestart, 1)
	r.yes(rollout.AskDrain)
	r.yes(rollout.AskRestart)
	r.when("the command runs", func(st *rollout.Status) bool { return st.Calls.Hooks == 1 })
	r.driver.Detach("told to end")
	select {
	case <-r.driver.Done():
		t.Fatal("leaving waits for the command")
	case <-time.After(300 * time.Millisecond):
	}
	r.driver.Abandon("told to end again")
	out := r.driver.Wait()
	require.Equal(t, rollout.ExitPaused, out.Exit)
	require.Len(t, out.Left, 1)

	var left struct {
		Hook struct {
			PID   int    `json:"pid"`
			Ticks uint64 `json:"start_ticks"`
			Log   string `json:"log"`
		} `json:"hook"`
	}
	recs := r.kinds(journal.KindLostTerminal)
	require.Len(t, recs, 1)
	require.NoError(t, json.Unmarshal(recs[0].Data, &left))
	require.Positive(t, left.Hook.PID)
	t.Cleanup(func() { _ = syscall.Kill(left.Hook.PID, syscall.SIGKILL) })
	require.True(t, hook.Started{PID: left.Hook.PID, StartTicks: left.Hook.Ticks}.Alive(), "it is not killed")
	require.Contains(t, out.Left[0].State, left.Hook.Log)
	require.Contains(t, out.Left[0].State, "was left running")
	require.Empty(t, r.kinds(journal.KindHookEnd), "what came of it is not known")
}
