package rollout_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/gate"
	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// holds is a question about one gate, before the first drain.
func (a *alone) holds(ask rollout.Ask, row string, name gate.Name) {
	a.t.Helper()
	p := a.asked(ask, row)
	held := gate.Holding(p.Evidence.Gates)
	require.Len(a.t, held, 1)
	require.Equal(a.t, name, held[0].Gate)
	require.Empty(a.t, a.sent, "nothing is sent while it holds")
}

// Another node goes Offline: the run halts, and goes on only on a word.
func TestRow_X1_AnotherNodeOffline(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.node(3).Availability = client.AvailabilityOffline
	a.pass(2 * time.Second)
	a.holds(rollout.AskHalted, "X1", gate.AllOtherNodesActive)
	require.Equal(t, rollout.RunHalted, a.m.Status().State)
	a.node(3).Availability = client.AvailabilityActive
	a.pass(2 * time.Second)
	p := a.asked(rollout.AskHalted, "X1")
	require.Equal(t, rollout.WordResume, p.Choices[0].Word)
	a.pass(time.Minute)
	require.Empty(t, a.sent)
	a.say(rollout.WordResume)
	a.asked(rollout.AskDrain, "")
}

// The AZ would have no schedulable node left: blocked, and the override needs
// the id and a reason.
func TestRow_X2_AZWithoutRedundancy(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.node(2).Scheduling, a.node(4).Scheduling = client.PolicyPause, client.PolicyPause
	a.node(3).Scheduling = client.PolicyPause // node 1 alone is schedulable
	a.pass(2 * time.Second)
	p := a.asked(rollout.AskGate, "X2")
	i := slices.IndexFunc(p.Choices, func(c rollout.Choice) bool { return c.Gate == gate.AZRedundancy })
	require.GreaterOrEqual(t, i, 0)
	require.True(t, p.Choices[i].TypeID)
	require.True(t, p.Choices[i].Reason)
	require.Empty(t, a.sent)
}

// The journal's disk is full: what was reserved is for putting things right, so
// nothing new is begun, nobody can override that, and room lets the run go on.
func TestRow_E18_NoRoomForNewCalls(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.full = "no more room for the journal"
	a.pass(2 * time.Second)
	p := a.asked(rollout.AskGate, "")
	held := gate.Holding(p.Evidence.Gates)
	require.Len(t, held, 1)
	require.Equal(t, gate.JournalWritable, held[0].Gate)
	require.False(t, slices.ContainsFunc(p.Choices, func(c rollout.Choice) bool { return c.Word == rollout.WordOverride }))
	require.Empty(t, a.sent)
	a.full = ""
	a.pass(2 * time.Second)
	a.asked(rollout.AskDrain, "")
}

// A node of the plan is gone: asked, and the rest of the run is not touched.
func TestRow_X3_NodeRemoved(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.nodes = a.nodes[1:]
	a.pass(3 * time.Second)
	a.asked(rollout.AskGone, "D10")
	a.say(rollout.WordSkip)
	st := a.m.Status()
	require.Equal(t, rollout.StepGone, st.Steps[0].State)
	require.Equal(t, client.NodeID(2), st.Prompt.Node)
	require.Empty(t, a.sent)
}

// A node joins: said, and not taken into the plan by itself.
func TestRow_X4_NodeAppears(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	n := a.nodes[3]
	n.ID = 5
	a.nodes = append(a.nodes, n)
	a.happens(cluster.Change{What: cluster.NodeAppeared, Node: 5})
	require.Contains(t, a.rows(), "X4")
	require.Len(t, a.m.Status().Steps, 2)
	a.asked(rollout.AskDrain, "")
	notes := len(a.m.Status().Notes)
	a.pass(time.Minute)
	require.Len(t, a.m.Status().Notes, notes, "told once")
}

// Somebody pauses a node: the one that waits is left out; the one whose drain
// runs is asked about, and the Pause stays.
func TestRow_X5_PausedBySomebody(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.node(1).Scheduling = client.PolicyPause
	a.pass(3 * time.Second)
	require.Equal(t, rollout.StepSkipped, a.m.Status().Steps[0].State)
	require.Contains(t, a.rows(), "X5")

	b := newAlone(t, rollout.GoalRestart)
	b.draining()
	b.settle(client.PolicyPause, 3)
	b.asked(rollout.AskDrainEnded, "X5")
	require.Equal(t, []rollout.CallKind{rollout.CallDrain}, b.calls())
}

// Pending reconciles well above the plan's for three refreshes hold the next drain.
func TestRow_X6_PendingReconciles(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.metrics.PendingReconciles = 17
	a.pass(30 * time.Second)
	a.asked(rollout.AskDrain, "")
	a.pass(20 * time.Second)
	a.holds(rollout.AskGate, "X6", gate.PendingReconcilesLow)
	a.metrics.PendingReconciles = 0
	a.pass(2 * time.Second)
	a.asked(rollout.AskDrain, "")
}

// A stuck reconcile that the plan did not know, with its tenant.
func TestRow_X7_StuckReconcile(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.metrics.StuckReconciles = 1
	a.metrics.LongRunning = []client.LongReconcile{{Tenant: "0a0b", Shard: "0001"}}
	a.pass(2 * time.Second)
	a.holds(rollout.AskGate, "X7", gate.StuckReconcilesZero)
	for _, g := range a.m.Status().Prompt.Evidence.Gates {
		if g.Gate == gate.StuckReconcilesZero {
			require.Contains(t, g.Figure, "0a0b")
		}
	}
}

// More shards out of their AZ than the run's own drains explain.
func TestRow_X9_AZViolationsGrow(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.metrics.AZViolations = 3
	a.pass(2 * time.Second)
	a.holds(rollout.AskGate, "X9", gate.AZViolationsBaseline)
}

// The controller answers 5xx, as with trouble at its database: nothing new is
// begun on what was read before.
func TestRow_X11_ControllerInTrouble(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	p := a.asked(rollout.AskDrain, "")
	a.silent = true
	a.pass(10 * time.Second)
	require.Nil(t, a.m.Status().Prompt, "the question is taken back with the picture that it rested on")
	require.Error(t, a.m.Check(rollout.Answer{Prompt: p.ID, Word: rollout.WordYes, At: a.now}))
	a.pass(time.Minute)
	require.NotEmpty(t, a.m.Status().Hold.Reason)
	require.Empty(t, a.sent)
	a.silent = false
	a.pass(3 * time.Second)
	a.asked(rollout.AskDrain, "")
}

// Two builds for longer than the limit: a reminder, once, and no stop.
func TestRow_X14_VersionSkew(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart, func(s *rollout.Settings) { s.Skew = time.Hour })
	for i := range a.nodes {
		a.nodes[i].Process.Value.Build.Revision = "old"
	}
	a.node(3).Process.Value.Build.Revision = "new"
	a.pass(50 * time.Minute)
	require.NotContains(t, a.rows(), "X14")
	a.pass(30 * time.Minute)
	told := slices.DeleteFunc(a.rows(), func(r string) bool { return r != "X14" })
	require.Len(t, told, 1)
	a.asked(rollout.AskDrain, "")
}

// The counters show another driver: the run stands, and names its calls.
func TestRow_E17_AnotherDriverStarts(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.say(rollout.WordRestOfRun)
	a.reply(nil)
	a.happens(cluster.Change{What: cluster.ForeignCalls, To: "drain 1, config 2"})
	st := a.m.Status()
	require.Equal(t, rollout.RunPaused, st.State)
	require.Contains(t, st.Why, "drain 1, config 2")
	require.Contains(t, a.rows(), "E17")
	a.settle(client.PolicyPauseForRestart, 0)
	require.Equal(t, rollout.AskPaused, a.m.Status().Prompt.Ask)
	require.Len(t, a.sent, 1)
	a.say(rollout.WordResume)
	a.pass(2 * time.Second)
	a.asked(rollout.AskRestart, "") // the standing answer is gone
	require.Zero(t, a.hooks)
}

// Somebody on another host drives: without a lease it is known by the policies and
// by the counters, and this run does not go on.
func TestRow_E15_AnotherHostDrives(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.node(3).Scheduling = client.PolicyDraining
	a.pass(2 * time.Second)
	a.asked(rollout.AskGate, "D3")
	require.Contains(t, a.m.Status().Prompt.Cause, string(gate.NoForeignOperation))
	a.happens(cluster.Change{What: cluster.ForeignCalls, To: "drain 1"})
	require.Equal(t, rollout.RunPaused, a.m.Status().State)
	require.Empty(t, a.sent)
}

// A fill that somebody cancelled ends like any other; the counters tell.
func TestRow_L9_FillCancelledBySomebody(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.filling()
	a.settle(client.PolicyActive, 1)
	a.happens(cluster.Change{What: cluster.ForeignCalls, To: "cancel fill 1"})
	require.Contains(t, a.rows(), "L9")
	require.Equal(t, rollout.RunPaused, a.m.Status().State, "the next node waits for a person")
	require.Len(t, a.sent, 2)
}

// What came back under the node's id is elsewhere: halted, nothing is filled.
func TestRow_R7_BackAtAnotherAddress(t *testing.T) {
	r := newRig(t, options{do: "nothing"})
	plan, err := r.engine.Plan(t.Context(), rollout.GoalRestart, []client.NodeID{1})
	require.NoError(t, err)
	plan.Steps[0].Addr = "10.9.9.9" // where the node was when the plan was made
	r.run(plan)
	r.yes(rollout.AskDrain)
	r.yes(rollout.AskRestart)
	r.when("the command began", func(st *rollout.Status) bool { return !st.Steps[0].HookStart.IsZero() })
	require.NoError(t, r.RestartNode(t.Context(), 1, 10*time.Millisecond, ""))
	p := r.askedRow("R7")
	require.Equal(t, rollout.AskHalted, p.Ask)
	require.Contains(t, p.Cause, "not 10.9.9.9")
	require.Empty(t, onPath(r.mutations(), "PUT 1/fill"))
	r.say(rollout.AskHalted, rollout.Answer{Word: rollout.WordRetry})
	r.asked(rollout.AskFill)
}

// What came back at the node's address says that it is another node: nothing is
// filled into it until a person has looked.
func TestRow_R7_BackAsAnotherNode(t *testing.T) {
	r := newRig(t, options{do: "set?says=7"})
	r.start(rollout.GoalRestart, 1)
	r.yes(rollout.AskDrain)
	r.yes(rollout.AskRestart)
	r.when("the command ended", func(st *rollout.Status) bool { return !st.Steps[0].HookEnd.IsZero() })
	require.NoError(t, r.RestartNode(t.Context(), 1, 10*time.Millisecond, ""))
	p := r.askedRow("R7")
	require.Equal(t, rollout.AskHalted, p.Ask)
	require.Contains(t, p.Cause, "says that it is node 7")
	require.Empty(t, onPath(r.mutations(), "PUT 1/fill"))
	r.say(rollout.AskHalted, rollout.Answer{Word: rollout.WordRetry})
	r.asked(rollout.AskFill)
}

// The machine slept: what was read and answered before counts no more.
func TestRow_E12_TheMachineSlept(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	p := a.asked(rollout.AskDrain, "")
	a.now = a.now.Add(time.Second)
	a.apply(rollout.WokeUp{At: a.now, Slept: time.Hour})
	require.Nil(t, a.m.Status().Prompt)
	require.Error(t, a.m.Check(rollout.Answer{Prompt: p.ID, Word: rollout.WordYes, At: a.now}))
	a.see()
	require.NotEqual(t, p.ID, a.asked(rollout.AskDrain, "").ID)

	// A yes from before the sleep does not start the command after it.
	b := newAlone(t, rollout.GoalRestart)
	b.drained()
	q := b.m.Status().Prompt
	b.silent = true // nothing is read meanwhile
	b.see()
	b.apply(rollout.Answered{At: b.now, Answer: rollout.Answer{Prompt: q.ID, Word: rollout.WordYes, At: b.now}})
	b.apply(rollout.WokeUp{At: b.now.Add(time.Second), Slept: time.Hour})
	b.silent = false
	b.pass(3 * time.Second)
	b.asked(rollout.AskRestart, "")
	require.Zero(t, b.hooks)
	require.Contains(t, b.rows(), "E12")
}

// A clock that is set back moves no limit: events carry moments, and an earlier
// one is no passage of time. The journal keeps the monotonic time beside.
func TestRow_E13_ClockStep(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.draining()
	before := a.m.Status().At
	a.apply(rollout.Tick{At: a.now.Add(-time.Hour)})
	require.Equal(t, before, a.m.Status().At)
	require.Nil(t, a.m.Status().Prompt)
	a.pass(10 * time.Second)
	require.Nil(t, a.m.Status().Prompt)

	r := newRig(t, options{})
	r.start(rollout.GoalDrain, 1)
	r.yes(rollout.AskDrain)
	r.driver.Wait()
	last := int64(0)
	for _, rec := range r.records() {
		require.GreaterOrEqual(t, rec.Mono, last, "grows whatever the wall clock says")
		last = rec.Mono
	}
	require.Positive(t, last)
}

// Words that this program does not know are not safe.
func TestRow_E24_UnknownWords(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.node(1).Scheduling = "Napping"
	a.pass(3 * time.Second)
	require.Contains(t, a.asked(rollout.AskRefused, "E24").Cause, "Napping", "shown as sent")
	b := newAlone(t, rollout.GoalRestart)
	b.node(3).Availability = "Sleepy"
	b.pass(3 * time.Second)
	b.asked(rollout.AskHalted, "X1")
	require.Empty(t, append(a.sent, b.sent...))
}

// Nobody answers for an hour: the question is put anew with fresh facts each
// time, a late yes to an old one does not count, and the gates are asked again.
func TestRow_E28_NobodyAnswers(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	old := a.asked(rollout.AskDrain, "")
	a.pass(time.Hour)
	p := a.asked(rollout.AskDrain, "")
	require.NotEqual(t, old.ID, p.ID)
	require.Less(t, a.now.Sub(p.Asked), 5*time.Minute)
	require.Equal(t, old.Asked, p.Since, "a person is waited for since the first of them")
	var stale *rollout.StaleAnswerError
	require.ErrorAs(t, a.m.Check(rollout.Answer{Prompt: old.ID, Word: rollout.WordYes, At: a.now}), &stale)
	a.node(3).Availability = client.AvailabilityOffline
	a.see()
	require.Equal(t, old.Asked, a.asked(rollout.AskHalted, "X1").Since, "nor does another question end that")
	require.Empty(t, a.sent)
}

// An answer ends the wait for a person; the next question begins another one.
func TestTheWaitForAPersonEndsWithAnAnswer(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	first := a.asked(rollout.AskDrain, "")
	require.Equal(t, first.Asked, first.Since)
	a.pass(time.Minute)
	a.say(rollout.WordNo)
	p := a.asked(rollout.AskPaused, "")
	require.Equal(t, p.Asked, p.Since)
	require.True(t, p.Since.After(first.Since))
}

// A cancel is refused while the node is not up: it waits for that, and says so.
func TestRow_A3_CancelWhileWarmingUp(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.draining()
	a.apply(rollout.Interrupted{At: a.now, Kind: rollout.Pause, Why: "test"})
	a.say(rollout.WordAbort)
	require.Equal(t, rollout.CallCancelDrain, a.call.Kind)
	a.node(1).Availability = client.AvailabilityWarmingUp
	a.reply(&client.Error{Kind: client.Refused, Status: 503, Msg: "Node 1 is currently unavailable"})
	a.pass(20 * time.Second)
	require.Nil(t, a.call, "no use before it is Active")
	require.Nil(t, a.m.Status().Outcome, "and the clean-up stays open")
	a.node(1).Availability = client.AvailabilityActive
	a.pass(3 * time.Second)
	a.reply(nil)
	a.settle(client.PolicyActive, 3)
	a.pass(3 * time.Second)
	require.Equal(t, rollout.ExitPaused, a.m.Status().Outcome.Exit)
}

// Somebody's operation forbids to set the policy: waited for, and tried again.
func TestRow_A5_ForeignOperationForbidsTheReset(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.drained()
	a.say(rollout.WordAbort)
	a.pass(2 * time.Second)
	require.Equal(t, rollout.CallActivate, a.call.Kind)
	busy := refused("Precondition failed: Ongoing background operation forbids configuring: fill 3")
	a.reply(busy)
	a.reply(busy)
	require.Nil(t, a.m.Status().Outcome)
	require.Contains(t, a.rows(), "A5")
	a.pass(3 * time.Second)
	a.reply(nil)
	a.pass(3 * time.Second)
	require.Equal(t, rollout.ExitPaused, a.m.Status().Outcome.Exit)
	require.Equal(t, client.PolicyActive, a.node(1).Scheduling)
}

// An abort does not end the restart command: what it did is seen first.
func TestRow_A7_AbortDuringTheHook(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.restarting()
	a.apply(rollout.Interrupted{At: a.now, Kind: rollout.Pause, Why: "test"})
	a.pass(30 * time.Second)
	require.NotNil(t, a.hook, "it runs on")
	require.Nil(t, a.m.Status().Outcome)
	a.launch(1, client.AvailabilityActive)
	a.hookEnds(rollout.HookResult{})
	a.pass(2 * time.Second)
	a.say(rollout.WordAbort)
	a.pass(5 * time.Second)
	require.Equal(t, rollout.ExitPaused, a.m.Status().Outcome.Exit)
	require.Equal(t, 1, a.hooks)
	ended := slices.ContainsFunc(a.records, func(r journal.Record) bool { return r.Kind == journal.KindHookEnd })
	require.True(t, ended)
}
