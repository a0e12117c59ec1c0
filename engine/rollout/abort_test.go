package rollout_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/demo/server"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// Paused while the answer to the drain is on its way, then aborted: the answer
// is read first, so the drain that it tells of is cancelled.
func TestCase_P1_AbortAfterALateAnswer(t *testing.T) {
	r := newRig(t, slow())
	r.fault(server.Fault{Path: "/node/1/drain$", Method: http.MethodPut, Count: 1, Kind: "delay", Value: (300 * time.Millisecond).String()})
	r.start(rollout.GoalRestart, 1)
	r.yes(rollout.AskDrain)
	r.driver.Pause("ctrl-c") // the PUT is unanswered
	p := r.asked(rollout.AskPaused)
	require.Contains(t, p.Cause, "policy Draining")
	r.say(rollout.AskPaused, rollout.Answer{Word: rollout.WordAbort})
	require.Equal(t, rollout.ExitPaused, r.driver.Wait().Exit)
	require.Equal(t, []string{"PUT 1/drain 202", "DELETE 1/drain 202"}, r.mutations())
}

// Leaving while a call is unanswered waits for its answer and names what runs.
func TestCase_P1_DetachWaitsForTheAnswer(t *testing.T) {
	r := newRig(t, slow())
	r.fault(server.Fault{Path: "/node/1/drain$", Method: http.MethodPut, Count: 1, Kind: "delay", Value: (300 * time.Millisecond).String()})
	r.start(rollout.GoalDrain, 1)
	r.yes(rollout.AskDrain)
	r.driver.Detach("terminal lost")
	out := r.driver.Wait()
	require.Equal(t, rollout.ExitPaused, out.Exit)
	require.Len(t, out.Left, 1)
	require.Contains(t, out.Left[0].Command, "DELETE /control/v1/node/1/drain")
	r.intentsComeFirst()
}
