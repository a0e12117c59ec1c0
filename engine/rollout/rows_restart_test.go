package rollout_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/demo/server"
	"github.com/StorconTUI/storcon-tui/engine/hook"
	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// The command fails and the node was not restarted: asked, never run again by itself.
func TestRow_R1_HookFails(t *testing.T) {
	r := newRig(t, options{do: "nothing", exit: 1})
	r.start(rollout.GoalRestart, 1)
	r.yes(rollout.AskDrain)
	r.yes(rollout.AskRestart)
	p := r.asked(rollout.AskHookFailed)
	require.Equal(t, "R1", p.Row)
	require.Contains(t, p.Cause, "exit status 1")
	require.Contains(t, p.Evidence.HookTail, "restarting node 1")
	require.Equal(t, 1, r.driver.Status().Calls.Hooks)
	// Once more, on the operator's typed word, under a key of its own.
	r.say(rollout.AskHookFailed, rollout.Answer{Word: rollout.WordRetry, Node: 1})
	r.when("second hook failed", func(st *rollout.Status) bool {
		return st.Calls.Hooks == 2 && st.Prompt != nil && st.Prompt.Ask == rollout.AskHookFailed
	})
	starts := r.kinds(journal.KindHookStart)
	require.Len(t, starts, 2)
	require.NotEqual(t, starts[0].Eff, starts[1].Eff)
	// Give the node back without a restart.
	r.say(rollout.AskHookFailed, rollout.Answer{Word: rollout.WordSkip})
	out := r.driver.Wait()
	require.Equal(t, rollout.ExitDoneWithIssues, out.Exit, describe(r.driver.Status()))
	require.Equal(t, rollout.StepSkipped, r.driver.Status().Steps[0].State)
	require.Len(t, onPath(r.mutations(), "PUT 1/config 200"), 1, "set Active again")
}

// The command fails although it did restart the node: the launch time decides.
func TestRow_R1_HookFailsButRestarted(t *testing.T) {
	r := newRig(t, options{exit: 1})
	r.start(rollout.GoalRestart, 1)
	r.yes(rollout.AskDrain)
	r.yes(rollout.AskRestart)
	r.when("proven", func(st *rollout.Status) bool {
		return st.Prompt != nil && st.Prompt.Ask == rollout.AskHookFailed && !st.Steps[0].Launch.IsZero()
	})
	r.say(rollout.AskHookFailed, rollout.Answer{Word: rollout.WordAccept})
	r.yes(rollout.AskFill)
	require.Equal(t, rollout.ExitDoneWithIssues, r.driver.Wait().Exit)
	require.Equal(t, 1, r.driver.Status().Calls.Hooks)
}

// The command hangs: it is ended, and what it did is unknown.
func TestRow_R2_HookHangs(t *testing.T) {
	r := newRig(t, options{spec: &hook.Spec{
		Argv: []string{"sleep", "60"}, Timeout: 200 * time.Millisecond, KillGrace: 100 * time.Millisecond,
	}})
	r.start(rollout.GoalRestart, 1)
	r.yes(rollout.AskDrain)
	r.yes(rollout.AskRestart)
	p := r.asked(rollout.AskHookFailed)
	require.Equal(t, "R2", p.Row)
	require.Equal(t, 1, r.driver.Status().Calls.Hooks)
	r.say(rollout.AskHookFailed, rollout.Answer{Word: rollout.WordAbort})
	require.Equal(t, rollout.ExitPaused, r.driver.Wait().Exit)
	require.Len(t, onPath(r.mutations(), "PUT 1/config 200"), 1)
}

// Exit 0 and the same process: never counted as a restart.
func TestRow_R3_RestartNotProven(t *testing.T) {
	r := newRig(t, options{do: "nothing", set: func(s *rollout.Settings) { s.Proof = 200 * time.Millisecond }})
	r.start(rollout.GoalRestart, 1)
	r.yes(rollout.AskDrain)
	r.yes(rollout.AskRestart)
	p := r.asked(rollout.AskRestartUnproven)
	require.Equal(t, "R3", p.Row)
	require.Empty(t, onPath(r.mutations(), "PUT 1/fill"))
	require.Equal(t, rollout.WordWait, p.Choices[0].Word)
	// A restart by somebody's hand ends the question by itself.
	require.NoError(t, r.RestartNode(t.Context(), 1, 10*time.Millisecond, ""))
	r.yes(rollout.AskFill)
	require.Contains(t, []rollout.ExitCode{rollout.ExitDone, rollout.ExitDoneWithIssues}, r.driver.Wait().Exit)
}

// A manual restart is proven like any other; nobody has to say "done" (R15).
func TestRow_R15_ManualRestart(t *testing.T) {
	r := newRig(t, options{spec: &hook.Spec{Manual: true}})
	r.start(rollout.GoalRestart, 1)
	r.yes(rollout.AskDrain)
	r.yes(rollout.AskRestart)
	r.when("waiting for a person", func(st *rollout.Status) bool { return !st.Steps[0].HookStart.IsZero() })
	require.NoError(t, r.RestartNode(t.Context(), 1, 10*time.Millisecond, ""))
	r.yes(rollout.AskFill)
	r.driver.Wait()
}

// The policy went back to Active before the hook: no restart, ask.
func TestRow_R11_PolicyLostBeforeTheHook(t *testing.T) {
	r := newRig(t, options{})
	r.start(rollout.GoalRestart, 1)
	r.yes(rollout.AskDrain)
	r.asked(rollout.AskRestart)
	r.policy(1, client.PolicyActive)
	p := r.asked(rollout.AskPolicyLost)
	require.Equal(t, "R11", p.Row)
	require.Zero(t, r.driver.Status().Calls.Hooks)
}

// Whoever leaves between restart and fill is told that the node is up and nearly
// empty, with the command that fills it (P1).
func TestCase_P1_LeavingBeforeTheFill(t *testing.T) {
	for name, word := range map[string]rollout.Word{"abort": rollout.WordAbort, "detach": rollout.WordDetach} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, options{})
			r.restartTo(rollout.AskFill)
			r.say(rollout.AskFill, rollout.Answer{Word: word})
			require.Equal(t, rollout.ExitPaused, r.driver.Wait().Exit)
			require.Contains(t, strings.Join(r.driver.Status().Steps[0].Issues, "\n"), "not filled; shards come back by: storcon-tui fill 1")
		})
	}
}

// A command whose effect nobody has seen is not called "not restarted".
func TestCase_P10_LeavingWhileTheRestartIsUnproven(t *testing.T) {
	r := newRig(t, options{do: "nothing", set: func(s *rollout.Settings) { s.Proof = 200 * time.Millisecond }})
	r.restartTo(rollout.AskRestartUnproven)
	r.say(rollout.AskRestartUnproven, rollout.Answer{Word: rollout.WordDetach})
	left := r.driver.Wait().Left
	require.Len(t, left, 1)
	require.Contains(t, left[0].State, "nothing proves the restart yet")
}

// Somebody's Pause at the question of the fill: it is asked about at once, no
// fill is sent, and the Pause is not overwritten.
func TestRow_X5_PauseBeforeTheFill(t *testing.T) {
	r := newRig(t, options{})
	r.restartTo(rollout.AskFill)
	r.policy(1, client.PolicyPause)
	before := len(r.mutations())
	p := r.asked(rollout.AskRefused)
	require.Equal(t, "X5", p.Row)
	r.say(rollout.AskRefused, rollout.Answer{Word: rollout.WordSkip})
	require.Equal(t, rollout.ExitDoneWithIssues, r.driver.Wait().Exit)
	require.Len(t, r.mutations(), before)
	require.Contains(t, strings.Join(r.driver.Status().Steps[0].Issues, "\n"), "restarted and not filled")
}

// Refused because the node is not back: the yes stands, and is sent again.
func TestRow_L1_FillBeforeReattach(t *testing.T) {
	r := newRig(t, options{})
	r.fault(server.Fault{
		Path: "/node/1/fill$", Method: http.MethodPut, Count: 1, Kind: "status",
		Value: "412 Precondition failed: Node 1 cannot be filled due to PauseForRestart policy",
	})
	r.restartTo(rollout.AskFill)
	r.yes(rollout.AskFill)
	out := r.driver.Wait()
	require.Contains(t, []rollout.ExitCode{rollout.ExitDone, rollout.ExitDoneWithIssues}, out.Exit)
	require.Equal(t, []string{"PUT 1/fill 412", "PUT 1/fill 202"}, onPath(r.mutations(), "PUT 1/fill"))
	require.Contains(t, rows(r.driver.Status()), "L1")
}

func TestRow_L2_FillWhileWarmingUp(t *testing.T) {
	r := newRig(t, options{})
	r.fault(server.Fault{
		Path: "/node/1/fill$", Method: http.MethodPut, Count: 2, Kind: "status", Value: "503 Node 1 is currently unavailable",
	})
	r.restartTo(rollout.AskFill)
	r.yes(rollout.AskFill)
	out := r.driver.Wait()
	require.Contains(t, []rollout.ExitCode{rollout.ExitDone, rollout.ExitDoneWithIssues}, out.Exit)
	require.Equal(t, []string{"PUT 1/fill 503", "PUT 1/fill 503", "PUT 1/fill 202"}, onPath(r.mutations(), "PUT 1/fill"))
	require.Contains(t, rows(r.driver.Status()), "L2")
}

// The answer to the fill was lost: read, and adopted or asked for again.
func TestRow_L3_AmbiguousFill(t *testing.T) {
	r := newRig(t, options{})
	r.fault(server.Fault{Path: "/node/1/fill$", Method: http.MethodPut, Count: 1, Kind: "drop-after"})
	r.restartTo(rollout.AskFill)
	r.yes(rollout.AskFill)
	out := r.driver.Wait()
	require.Contains(t, []rollout.ExitCode{rollout.ExitDone, rollout.ExitDoneWithIssues}, out.Exit)
	require.Contains(t, rows(r.driver.Status()), "L3")
	r.intentsComeFirst()
}

// restartTo confirms drain and restart of node 1.
func (r *rig) restartTo(ask rollout.Ask) {
	r.t.Helper()
	r.start(rollout.GoalRestart, 1)
	r.yes(rollout.AskDrain)
	r.yes(rollout.AskRestart)
	r.asked(ask)
}

// A run that is aborted after a failed command names the failure in its report,
// and what was exposed is known: the process has never been down.
// Rows: R1.
func TestAbortNamesTheFailedCommand(t *testing.T) {
	r := newRig(t, options{do: "nothing", exit: 1})
	r.start(rollout.GoalRestart, 1)
	r.yes(rollout.AskDrain)
	r.yes(rollout.AskRestart)
	r.say(rollout.AskHookFailed, rollout.Answer{Word: rollout.WordAbort})
	out := r.driver.Wait()
	require.Contains(t, out.Issues, "node 1: the restart command failed: exit status 1")
	require.Zero(t, out.Exposed)
	require.Zero(t, out.Baseline)

	var said []string
	for _, n := range r.driver.Status().Notes {
		said = append(said, n.Text)
	}
	require.Contains(t, said, "PUT /control/v1/node/1/drain accepted (202)")
}
