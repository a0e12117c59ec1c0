package rollout_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// The connection to the node broke while the command ran (255): nobody knows
// what happened there, so the launch time is read, and a person decides.
func TestRow_R4_SSHDrops(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.restarting()
	a.hookEnds(rollout.HookResult{Exit: 255, Word: "exit status 255"})
	a.asked(rollout.AskHookFailed, "R4")
	a.pass(time.Minute)
	require.Equal(t, 1, a.hooks, "never run again by itself")
	// It had restarted the node all the same.
	a.launch(1, client.AvailabilityActive)
	a.pass(5 * time.Second)
	p := a.asked(rollout.AskHookFailed, "R4")
	require.Equal(t, rollout.WordAccept, p.Choices[0].Word)
	require.Contains(t, p.Cause, "but the node was restarted")
}

// The start is on the disk and its end is not: no second start is recorded or run under
// the same key, whatever is answered.
func TestRow_R5_NoSecondRunUnderOneKey(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.restarting()
	first := a.hook.Eff
	a.pass(20 * time.Minute)
	require.Equal(t, 1, a.hooks, "an answer that does not come is no reason")
	a.hookEnds(rollout.HookResult{Exit: 1, Word: "exit status 1"})
	a.say(rollout.WordRetry)
	require.Equal(t, 2, a.hooks)
	require.NotEqual(t, first, a.hook.Eff)
	starts := map[string]int{}
	for _, r := range a.records {
		if r.Kind == "hook_start" {
			starts[r.Eff]++
		}
	}
	require.Equal(t, map[string]int{first: 1, a.hook.Eff: 1}, starts)
}

// Restarted, and not back within 300 s.
func TestRow_R6_NeverBack(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.restarting()
	a.launch(1, client.AvailabilityOffline)
	a.node(1).Scheduling = client.PolicyPauseForRestart
	a.hookEnds(rollout.HookResult{})
	a.pass(4 * time.Minute)
	require.Nil(t, a.m.Status().Prompt)
	a.pass(70 * time.Second)
	p := a.asked(rollout.AskNotBack, "R6")
	require.Contains(t, p.Cause, "availability Offline, policy PauseForRestart")
	// Aborted: the node is left down, and that is said and no policy is forced.
	a.say(rollout.WordAbort)
	a.pass(3 * time.Second)
	o := a.m.Status().Outcome
	require.NotNil(t, o)
	require.Equal(t, rollout.ExitAbortedDirty, o.Exit)
	require.Contains(t, o.Left[0].State, "PauseForRestart")
	require.Equal(t, []rollout.CallKind{rollout.CallDrain}, a.calls())
}

// Two launches after one restart: a crash loop halts the run and is not filled.
func TestRow_R9_CrashLoop(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.restarting()
	a.launch(1, client.AvailabilityWarmingUp)
	a.hookEnds(rollout.HookResult{})
	a.launch(1, client.AvailabilityWarmingUp)
	a.pass(3 * time.Second)
	a.asked(rollout.AskHalted, "R9")
	require.Equal(t, rollout.RunHalted, a.m.Status().State)
	a.node(1).Availability = client.AvailabilityActive
	a.pass(time.Minute)
	require.Equal(t, []rollout.CallKind{rollout.CallDrain}, a.calls(), "no fill without a word")
}

// PauseForRestart once the node is back: the known end of a late drain.
func TestRow_R13_PausedAfterTheReattach(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.restarting()
	a.launch(1, client.AvailabilityWarmingUp)
	a.hookEnds(rollout.HookResult{})
	a.node(1).Availability, a.node(1).Scheduling = client.AvailabilityActive, client.PolicyPauseForRestart
	a.pass(3 * time.Second)
	a.asked(rollout.AskPausedAfter, "R13")
	p := a.m.Status().Prompt
	require.Error(t, a.m.Check(rollout.Answer{Prompt: p.ID, Word: rollout.WordReset, At: a.now}), "the id is typed")
	a.say(rollout.WordReset)
	require.Equal(t, rollout.CallActivate, a.call.Kind)
	require.Equal(t, client.PolicyPauseForRestart, a.call.Expect)
	a.reply(nil)
	a.pass(3 * time.Second)
	a.asked(rollout.AskFill, "")
}

// WarmingUp beyond what the controller itself tolerates.
func TestRow_R14_WarmingUpForLong(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.restarting()
	a.launch(1, client.AvailabilityWarmingUp)
	a.hookEnds(rollout.HookResult{})
	a.pass(290 * time.Second)
	require.Nil(t, a.m.Status().Prompt)
	a.pass(20 * time.Second)
	a.asked(rollout.AskNotBack, "R14")
	a.node(1).Availability = client.AvailabilityActive
	a.pass(3 * time.Second)
	a.asked(rollout.AskFill, "")
}

// Nothing moves in the fill: asked with what leaving it costs.
func TestRow_L4_FillStuck(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.filling()
	a.pass(95 * time.Second)
	p := a.asked(rollout.AskNoProgress, "L4")
	require.Subset(t, words(p), []rollout.Word{rollout.WordWait, rollout.WordCancel})
	a.say(rollout.WordCancel)
	require.Equal(t, rollout.CallCancelFill, a.call.Kind)
	a.reply(nil)
	a.settle(client.PolicyActive, 2)
	a.pass(3 * time.Second)
	require.Contains(t, a.m.Status().Steps[0].Issues, "the fill was cancelled")
	require.Equal(t, rollout.StepDegraded, a.m.Status().Steps[0].State)
}

// Skipped by a person's word: recorded, with how long the imbalance lasts.
func TestRow_L5_FillSkipped(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.restarted()
	p := a.asked(rollout.AskFill, "")
	require.InDelta(t, 5.0/48, p.Evidence.SkipMinutes, 1e-9)
	a.say(rollout.WordSkip)
	a.pass(3 * time.Second)
	s := a.m.Status().Steps[0]
	require.Equal(t, rollout.StepDegraded, s.State)
	require.Contains(t, s.Issues, "the fill was skipped")
	require.Equal(t, []rollout.CallKind{rollout.CallDrain}, a.calls())
}

// The controller crashed in the fill: the label is an orphan, reset on a word.
func TestRow_L6_FillOrphan(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.filling()
	a.restartController()
	a.pass(5 * time.Second)
	a.asked(rollout.AskOrphan, "L6")
	a.say(rollout.WordReset)
	require.Equal(t, client.PolicyFilling, a.call.Expect)
	a.reply(nil)
	a.pass(3 * time.Second)
	a.asked(rollout.AskFill, "")
}

// Fewer came home than had been there: said where they are, and no fault.
func TestRow_L7_FewerThanBefore(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.filling()
	a.settle(client.PolicyActive, 2)
	a.pass(3 * time.Second)
	s := a.m.Status().Steps[0]
	require.Equal(t, rollout.StepDone, s.State, "%v", s.Issues)
	require.EqualValues(t, 2, s.AttachedAfter)
	require.Equal(t, 2, s.Home.Home)
	require.Equal(t, 3, s.Home.SameAZ, "they stayed on node 3, in the same AZ")
	require.Equal(t, []rollout.Landing{{Node: 3, Shards: 3}}, s.Home.Where)
}

// The freshly restarted node dies in its fill: the whole run stands.
func TestRow_L8_NodeDiesInTheFill(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.filling()
	a.launch(1, client.AvailabilityWarmingUp)
	a.pass(3 * time.Second)
	a.asked(rollout.AskHalted, "L8")
	require.Equal(t, rollout.RunHalted, a.m.Status().State)
	require.Equal(t, []rollout.CallKind{rollout.CallDrain, rollout.CallFill}, a.calls())
}
