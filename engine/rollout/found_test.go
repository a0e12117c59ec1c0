package rollout_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// Histories that the random ones of TestInvariants came upon, kept as they are told.

// A fill takes a node off Active too. Whoever skips the node whose fill was lost
// with its controller leaves no label behind that nobody will take away (I9).
func TestFound_AnOrphanOfOurFillIsPutBackWhenItsNodeIsSkipped(t *testing.T) {
	a := newAlone(t, rollout.GoalFill)
	a.asked(rollout.AskFill, "")
	a.say(rollout.WordYes)
	a.carry(*a.call) // taken, and its answer is lost
	a.slot = nil     // and so is the fill
	a.reply(&client.Error{Kind: client.Ambiguous})
	a.pass(3 * time.Second)
	a.asked(rollout.AskOrphan, "L6")

	a.say(rollout.WordSkip)
	require.Equal(t, rollout.CallCancelFill, a.call.Kind)
	a.reply(&client.Error{Kind: client.Refused, Status: 412, Msg: "Precondition failed: Node 1 has no fill in progress"})
	a.pass(3 * time.Second)
	require.NotNil(t, a.call, "the slot is free: the label is taken away without another question")
	require.Equal(t, rollout.CallActivate, a.call.Kind)
	require.Equal(t, client.PolicyFilling, a.call.Expect)
	a.reply(nil)
	a.pass(3 * time.Second)

	require.Equal(t, client.PolicyActive, a.node(1).Scheduling)
	out := a.m.Status().Outcome
	require.NotNil(t, out)
	require.Empty(t, out.Left)
	require.Equal(t, rollout.ExitDoneWithIssues, out.Exit)
}

// The same by a token that cannot set it Active: named, and exit 6 (A6).
func TestFound_AnOrphanOfOurFillIsNamedWhenItCannotBePutBack(t *testing.T) {
	a := newAlone(t, rollout.GoalFill)
	a.say(rollout.WordYes)
	a.reply(nil)
	a.slot = nil
	a.pass(100 * time.Second)
	a.asked(rollout.AskNoProgress, "L4")
	a.say(rollout.WordAbort)
	a.reply(&client.Error{Kind: client.Refused, Status: 412, Msg: "Precondition failed: Node 1 has no fill in progress"})
	a.pass(3 * time.Second)
	a.reply(&client.Error{Kind: client.Unauthorized, Status: 403, Msg: "Forbidden"})
	out := a.m.Status().Outcome
	require.NotNil(t, out)
	require.Equal(t, rollout.ExitAbortedDirty, out.Exit)
	require.Len(t, out.Left, 1)
	require.Contains(t, out.Left[0].Command, "storcon-tui activate 1", "a cancel would find nothing to cancel")
}

// The token cannot probe, the node was restarted while its drain ran, and the
// repeated drain is told that the first one lives. Active is no proof of its end,
// so there is no restart without a drain (I4, C8).
func TestFound_ADrainThatOutlivedAReattachIsNotTakenForDead(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.noAdmin = true
	a.draining()
	a.launch(1, client.AvailabilityActive)
	a.pass(3 * time.Second)
	a.asked(rollout.AskRestartedEarly, "D17")
	a.say(rollout.WordRetry)
	a.asked(rollout.AskDrain, "")
	a.say(rollout.WordYes)
	a.reply(&client.Error{Kind: client.Ambiguous})
	a.pass(5 * time.Second)
	require.NotNil(t, a.call, "asked again")
	a.reply(&client.Error{Kind: client.Refused, Status: 412, Msg: "Precondition failed: Background operation already ongoing for node: drain 1"})
	a.pass(3 * time.Second)
	p := a.asked(rollout.AskDrainEnded, "D18")
	c, ok := p.Choice(rollout.WordUndrained)
	require.True(t, ok)
	require.Contains(t, c.Off, "may have outlived")
}

// A node was restarted by somebody in the middle of our drain and, since a token without
// Admin cannot ask what holds the slot, was taken for done; the drain, which had outlived that, set the policy when the next node was in work. Whoever
// leaves then is told of it (I9, C8).
func TestFound_ADrainThatEndsAfterItsStepIsNamed(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.noAdmin = true
	a.draining()
	a.launch(1, client.AvailabilityActive)
	a.pass(3 * time.Second)
	a.asked(rollout.AskRestartedEarly, "D17")
	a.say(rollout.WordWait)
	a.pass(3 * time.Second)
	a.asked(rollout.AskFill, "")
	a.say(rollout.WordSkip)
	a.pass(5 * time.Second)
	require.Equal(t, client.NodeID(2), a.m.Status().Prompt.Node, "the next node is in work")

	a.node(1).Scheduling = client.PolicyPauseForRestart
	a.pass(3 * time.Second)
	a.apply(rollout.Interrupted{At: a.now, Kind: rollout.Detach, Why: "test"})
	out := a.m.Status().Outcome
	require.NotNil(t, out)
	require.Len(t, out.Left, 1)
	require.Equal(t, client.NodeID(1), out.Left[0].Node)
	require.Contains(t, out.Left[0].State, "PauseForRestart")
}
