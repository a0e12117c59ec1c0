package rollout_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/gate"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// Nothing moves for 90 s: asked, with what waits, and the drain goes on.
func TestRow_D13_NothingMoves(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.draining()
	a.moving = 2
	a.pass(80 * time.Second)
	require.Nil(t, a.m.Status().Prompt, "not before its time")
	a.pass(15 * time.Second)
	p := a.asked(rollout.AskNoProgress, "D13")
	require.Subset(t, words(p), []rollout.Word{rollout.WordWait, rollout.WordCancel, rollout.WordUndrained})
	require.NotEmpty(t, a.m.Status().Steps[0].Phases[0].Progress.Blocking, "the waiting shards are named")
	// A move ends the question: nobody has to answer it.
	a.left[1] = 4
	a.pass(2 * time.Second)
	require.Nil(t, a.m.Status().Prompt)
	require.Equal(t, []rollout.CallKind{rollout.CallDrain}, a.calls())
}

// It moves all the time and never ends: the total limit asks, and a restart is
// off while the operation lives.
func TestRow_D14_TheDrainNeverEnds(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.left[1] = 100
	a.draining()
	for range 5 {
		a.pass(time.Minute)
		a.left[1]--
	}
	p := a.asked(rollout.AskDeadline, "D14")
	c, ok := p.Choice(rollout.WordUndrained)
	require.True(t, ok)
	require.NotEmpty(t, c.Off)
	a.say(rollout.WordCancel)
	require.Equal(t, rollout.CallCancelDrain, a.call.Kind)
	a.reply(nil)
	require.Zero(t, a.hooks, "cancelled is not ended")
	a.settle(client.PolicyActive, 90)
	p = a.asked(rollout.AskDrainEnded, "A1")
	c, _ = p.Choice(rollout.WordUndrained)
	require.Empty(t, c.Off)
	require.Zero(t, a.hooks)
}

// PauseForRestart with everything still there is no drain (C17).
func TestRow_D16_PauseForRestartWithoutADrain(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.draining()
	a.settle(client.PolicyPauseForRestart, 5)
	p := a.asked(rollout.AskNotDrained, "D16")
	require.Contains(t, p.Cause, "the drain ended and moved nothing", "the drain was ours, and accepted")
	require.Contains(t, words(p), rollout.WordUndrained)
	require.NotContains(t, words(p), rollout.WordYes, "there is no restart to confirm")
	a.say(rollout.WordReset)
	a.reply(nil)
	a.asked(rollout.AskDrain, "")
	require.Zero(t, a.hooks)
}

// The node was restarted under its drain. The drain's late end pauses it (C8):
// that is waited for, mended when a person says so, and only then counted.
func TestRow_D17_RestartedDuringTheDrain(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.draining()
	a.launch(1, client.AvailabilityActive)
	a.pass(3 * time.Second)
	a.asked(rollout.AskRestartedEarly, "D17")
	a.say(rollout.WordWait)
	a.pass(10 * time.Second)
	require.Nil(t, a.m.Status().Prompt, "its operation still holds the slot")
	a.settle(client.PolicyPauseForRestart, 0)
	a.pass(5 * time.Second)
	a.asked(rollout.AskPausedAfter, "R13")
	a.say(rollout.WordReset)
	a.reply(nil)
	a.pass(5 * time.Second)
	a.asked(rollout.AskFill, "")
	require.Contains(t, a.m.Status().Steps[0].Issues, "restarted outside the plan while its drain ran")
	require.Zero(t, a.hooks)
}

// Somebody cancelled it: asked, never begun again by itself.
func TestRow_D18_CancelledBySomebody(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.draining()
	a.settle(client.PolicyActive, 3)
	p := a.asked(rollout.AskDrainEnded, "D18")
	require.NotContains(t, words(p), rollout.WordYes)
	a.pass(time.Minute)
	require.Equal(t, []rollout.CallKind{rollout.CallDrain}, a.calls())
}

// restartController is another life of the controller; the slot is empty in it.
func (a *alone) restartController() {
	a.leader.StartedAt, a.leader.Since = a.now, a.now.Add(time.Second) // as first read
	a.slot = nil
}

// A graceful restart of the controller sets Active: the drain is lost.
func TestRow_D19_ControllerRestartedGracefully(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.draining()
	a.restartController()
	a.node(1).Scheduling = client.PolicyActive
	a.pass(4 * time.Second)
	a.asked(rollout.AskDrainEnded, "D19")
	a.say(rollout.WordRetry)
	a.pass(2 * time.Second)
	a.asked(rollout.AskDrain, "")
	require.Len(t, a.sent, 1, "asked before it is sent again")
}

// A crash leaves the label without its operation.
func TestRow_D20_ControllerCrashed(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.draining()
	a.restartController()
	a.pass(4 * time.Second)
	a.asked(rollout.AskOrphan, "D20")
	a.say(rollout.WordReset)
	require.Equal(t, rollout.CallActivate, a.call.Kind)
	require.Equal(t, client.PolicyDraining, a.call.Expect, "set only if it still is so")
	a.reply(nil)
	a.pass(2 * time.Second)
	a.asked(rollout.AskDrain, "")
}

// Silence of 30 s holds the run and its limits; beyond the budget it asks.
func TestRow_D21_ControllerSilent(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.draining()
	a.silent = true
	a.pass(20 * time.Second)
	require.Empty(t, a.m.Status().Hold.Reason)
	a.pass(15 * time.Second)
	require.Contains(t, a.m.Status().Hold.Reason, "the controller does not answer")
	a.pass(4 * time.Minute)
	require.Nil(t, a.m.Status().Prompt, "neither the drain's limits nor the budget are reached")
	a.pass(time.Minute)
	p := a.asked(rollout.AskUnreachable, "D21")
	require.Equal(t, []rollout.Word{rollout.WordWait, rollout.WordDetach}, words(p))
	a.silent = false
	a.pass(5 * time.Second)
	st := a.m.Status()
	require.Empty(t, st.Hold.Reason)
	require.Nil(t, st.Prompt, "the drain runs and its limits stood still")
	require.Len(t, a.sent, 1)
	require.Zero(t, a.hooks)
}

// Another leader between the end of a drain and the restart: its policy is no
// proof, and the shards are listed on it.
func TestRow_D22_LeadershipMoves(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.drained()
	a.left[1] = 3 // the old instance had told of a list that was not true
	a.restartController()
	a.leader.Address = "d"
	a.see()
	if p := a.m.Status().Prompt; p != nil {
		require.NotEqual(t, rollout.AskRestart, p.Ask, "one read is no stable leader")
	}
	a.pass(4 * time.Second)
	p := a.asked(rollout.AskRestart, "D15")
	require.Len(t, p.Evidence.Leftovers, 3)
	require.Zero(t, a.hooks)
	// A fall of the leader right before a call holds the call.
	b := newAlone(t, rollout.GoalRestart)
	b.asked(rollout.AskDrain, "")
	b.restartController()
	b.see()
	p0 := b.m.Status().Prompt
	if p0 != nil {
		require.NotEqual(t, rollout.AskDrain, p0.Ask)
	}
	b.pass(2 * time.Second)
	b.asked(rollout.AskDrain, "")
}

// The drain's destination dies: the drain goes on, and no new node is begun.
func TestRow_D23_ADestinationDies(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.draining()
	a.node(3).Availability = client.AvailabilityOffline
	a.pass(5 * time.Second)
	require.Nil(t, a.m.Status().Prompt, "what runs may end")
	require.Empty(t, a.calls()[1:], "nothing is cancelled without a word")
	a.settle(client.PolicyPauseForRestart, 0)
	a.asked(rollout.AskRestart, "")
	a.say(rollout.WordYes)
	a.launch(1, client.AvailabilityActive)
	a.hookEnds(rollout.HookResult{})
	a.say(rollout.WordYes)
	a.reply(nil)
	a.settle(client.PolicyActive, 5)
	a.pass(5 * time.Second)
	a.asked(rollout.AskHalted, "X1")
	st := a.m.Status()
	require.Equal(t, rollout.RunHalted, st.State)
	require.Equal(t, client.NodeID(2), st.Prompt.Node)
	held := gate.Holding(st.Prompt.Evidence.Gates)
	require.Equal(t, gate.AllOtherNodesActive, held[0].Gate)
}

// The label stays after the work is over, since the controller could not write
// the end: the slot is asked, and it is an orphan.
func TestRow_D24_TheEndWasNotWritten(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.draining()
	a.left[1], a.slot = 0, nil
	a.pass(100 * time.Second)
	a.asked(rollout.AskOrphan, "D24")
	a.say(rollout.WordReset)
	require.Equal(t, rollout.CallActivate, a.call.Kind)
}
