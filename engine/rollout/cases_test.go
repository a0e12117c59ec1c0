package rollout_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/demo/server"
	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// N1: our patience ends before the drain does. Nothing is restarted: the
// question says what is left, and a restart is off while the operation lives.
// Rows: D13, D14.
func TestCase_N1_NoRestartWhileTheDrainRuns(t *testing.T) {
	o := slow()
	o.set = func(s *rollout.Settings) { s.NoProgress, s.DrainTotal = 300*time.Millisecond, time.Second }
	r := newRig(t, o)
	r.start(rollout.GoalRestart, 1)
	r.yes(rollout.AskDrain)
	p := r.asked(rollout.AskNoProgress)
	require.Equal(t, "D13", p.Row)
	c, ok := p.Choice(rollout.WordUndrained)
	require.True(t, ok)
	require.NotEmpty(t, c.Off, "off while the operation lives")
	err := r.driver.Answer(rollout.Answer{Prompt: p.ID, Word: rollout.WordUndrained, Node: 1})
	var off *rollout.ChoiceOffError
	require.ErrorAs(t, err, &off)
	require.NotEmpty(t, r.driver.Status().Steps[0].Phases[0].Progress.Blocking)
	// Cancel, wait for rest, then decide anew.
	r.say(rollout.AskNoProgress, rollout.Answer{Word: rollout.WordCancel})
	p = r.asked(rollout.AskDrainEnded)
	require.Zero(t, r.driver.Status().Calls.Hooks)
	c, _ = p.Choice(rollout.WordUndrained)
	require.Empty(t, c.Off)
	require.True(t, c.TypeID)
	require.Equal(t, []string{"PUT 1/drain 202", "DELETE 1/drain 202"}, r.mutations())
}

// N1: somebody restarts the node while its drain runs.
// Rows: D17.
func TestCase_N1_RestartedByOthersDuringTheDrain(t *testing.T) {
	r := newRig(t, slow())
	r.start(rollout.GoalRestart, 1)
	r.yes(rollout.AskDrain)
	r.drainRuns()
	require.NoError(t, r.RestartNode(t.Context(), 1, 10*time.Millisecond, ""))
	p := r.asked(rollout.AskRestartedEarly)
	require.Equal(t, "D17", p.Row)
	require.Zero(t, r.driver.Status().Calls.Hooks)
}

// N2: Active after our 202 is never a finished drain.
// Rows: D18.
func TestCase_N2_DrainEndedInActive(t *testing.T) {
	r := newRig(t, slow())
	r.start(rollout.GoalRestart, 1)
	r.yes(rollout.AskDrain)
	r.drainRuns()
	require.NoError(t, r.client.CancelDrain(t.Context(), 1)) // not by the run
	p := r.asked(rollout.AskDrainEnded)
	require.Equal(t, "D18", p.Row)
	require.NotContains(t, words(p), rollout.WordYes, "never restart now")
	require.Zero(t, r.driver.Status().Calls.Hooks)
	require.Equal(t, 1, r.driver.Status().Calls.Drain, "never begun again by itself")
	r.say(rollout.AskDrainEnded, rollout.Answer{Word: rollout.WordRetry})
	r.yes(rollout.AskDrain)
	r.when("second drain", func(st *rollout.Status) bool { return st.Calls.Drain == 2 })
}

func words(p rollout.Prompt) []rollout.Word {
	var out []rollout.Word
	for _, c := range p.Choices {
		out = append(out, c.Word)
	}
	return out
}

// N3: the question names what stays; the journal keeps the number.
func TestCase_N3_LeftoversAreNamed(t *testing.T) {
	r := newRig(t, options{})
	r.start(rollout.GoalRestart, 1)
	planned := r.driver.Status().Plan.Steps[0].Stay
	require.NotEmpty(t, planned)
	r.yes(rollout.AskDrain)
	p := r.asked(rollout.AskRestart)
	require.True(t, p.Evidence.LeftoversKnown)
	require.Len(t, p.Evidence.Leftovers, len(planned))
	for i, l := range p.Evidence.Leftovers {
		require.True(t, l.Planned)
		require.Equal(t, planned[i].Reason, l.Reason)
	}
	r.say(rollout.AskRestart, rollout.Answer{Word: rollout.WordYes})
	r.yes(rollout.AskFill)
	require.Equal(t, rollout.ExitDoneWithIssues, r.driver.Wait().Exit)
	require.Positive(t, r.driver.Wait().Exposed)
	for _, rec := range r.kinds(journal.KindHookStart) {
		require.Equal(t, len(planned), *rec.Pre.AttShards)
	}
}

// N4: somebody's Pause is left out and said; a node in another state is asked
// about; nothing is overwritten in passing.
// Rows: X5.
func TestCase_N4_PausedNodes(t *testing.T) {
	r := newRig(t, options{})
	r.policy(1, client.PolicyPause)
	plan, err := r.engine.Plan(t.Context(), rollout.GoalRestart, []client.NodeID{1, 2})
	require.NoError(t, err)
	require.Len(t, plan.Steps, 1)
	require.Equal(t, client.NodeID(1), plan.LeftOut[0].Node)
	require.Equal(t, client.PolicyPause, plan.LeftOut[0].Policy)

	_, err = r.engine.Plan(t.Context(), rollout.GoalRestart, []client.NodeID{1})
	var nothing *rollout.NothingToDoError
	require.ErrorAs(t, err, &nothing)

	r.run(plan)
	r.asked(rollout.AskDrain)
	r.policy(2, client.PolicyPause) // after the plan was made
	out := r.driver.Wait()
	require.Equal(t, rollout.ExitDoneWithIssues, out.Exit)
	require.Equal(t, rollout.StepSkipped, r.driver.Status().Steps[0].State)
	require.Empty(t, onPath(r.mutations(), "PUT 2/drain"))
}

// N6: the controller is killed in the middle of a drain and comes back with an
// orphan. Everything is read again; no second drain, no restart.
// Rows: D20, D21.
func TestCase_N6_ControllerKilledDuringTheDrain(t *testing.T) {
	o := slow()
	o.set = func(s *rollout.Settings) { s.HoldAfter = 100 * time.Millisecond }
	r := newRig(t, o)
	r.start(rollout.GoalRestart, 1)
	r.yes(rollout.AskDrain)
	r.drainRuns()
	r.KillController()
	st := r.when("held", func(st *rollout.Status) bool { return st.Hold.Reason != "" })
	require.Equal(t, rollout.PhaseRunning, st.Steps[0].Phases[0].State, "neither failed nor done")
	r.StartController()
	p := r.asked(rollout.AskOrphan)
	require.Equal(t, "D20", p.Row)
	st = r.driver.Status()
	require.Empty(t, st.Hold.Reason)
	require.Zero(t, st.Calls.Hooks)
	require.Equal(t, 1, st.Calls.Drain)
	require.Contains(t, rows(st), "D21")
}

// N6: after a graceful stop the policy is Active again, which is no end of a drain.
// Rows: D19.
func TestCase_N6_ControllerTerminatedDuringTheDrain(t *testing.T) {
	r := newRig(t, slow())
	r.start(rollout.GoalRestart, 1)
	r.yes(rollout.AskDrain)
	r.drainRuns()
	r.TermController()
	r.StartController()
	p := r.asked(rollout.AskDrainEnded)
	require.Contains(t, []string{"D18", "D19"}, p.Row)
	require.Zero(t, r.driver.Status().Calls.Hooks)
}

// P1: leaving says exactly what is left, and the journal shows it to the next start.
func TestCase_P1_LeavingDuringTheDrain(t *testing.T) {
	r := newRig(t, slow())
	r.start(rollout.GoalRestart, 1)
	r.yes(rollout.AskDrain)
	r.drainRuns()
	r.driver.Pause("ctrl-c")
	p := r.asked(rollout.AskPaused)
	require.Contains(t, p.Cause, "Draining")
	require.Subset(t, words(p), []rollout.Word{rollout.WordResume, rollout.WordCancel, rollout.WordDetach, rollout.WordAbort})
	r.say(rollout.AskPaused, rollout.Answer{Word: rollout.WordDetach})
	out := r.driver.Wait()
	require.Equal(t, rollout.ExitPaused, out.Exit)
	require.Len(t, out.Left, 1)
	require.Contains(t, out.Left[0].State, "policy Draining")
	require.Contains(t, out.Left[0].Command, "storcon-tui cancel 1")
	require.Contains(t, out.Left[0].Command, "DELETE /control/v1/node/1/drain")
	require.Empty(t, onPath(r.mutations(), "DELETE"), "never an implicit cancel")

	// The next start sees it first, and it blocks a new rolling restart alone.
	open, err := r.engine.Unfinished()
	require.NoError(t, err)
	require.Equal(t, r.driver.Status().Run, open.ID)
	plan, err := r.engine.Plan(t.Context(), rollout.GoalRestart, []client.NodeID{2})
	require.NoError(t, err)
	_, err = r.engine.Start(t.Context(), plan)
	var unfinished *rollout.UnfinishedRunError
	require.ErrorAs(t, err, &unfinished)
	r.start(rollout.GoalCancel, 1)
	r.yes(rollout.AskCancel)
	require.Equal(t, rollout.ExitDone, r.driver.Wait().Exit)
}

// P1: abort puts the node back: what runs is cancelled and the policy is Active.
func TestCase_P1_AbortDuringTheDrain(t *testing.T) {
	r := newRig(t, slow())
	r.start(rollout.GoalRestart, 1, 2)
	r.yes(rollout.AskDrain)
	r.drainRuns()
	r.driver.Pause("ctrl-c")
	r.say(rollout.AskPaused, rollout.Answer{Word: rollout.WordAbort})
	out := r.driver.Wait()
	require.Equal(t, rollout.ExitPaused, out.Exit, describe(r.driver.Status()))
	require.Empty(t, out.Left)
	require.Equal(t, []string{"PUT 1/drain 202", "DELETE 1/drain 202"}, r.mutations())
	n, err := r.client.Node(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, client.PolicyActive, n.Scheduling)
	require.Equal(t, rollout.StepSkipped, r.driver.Status().Steps[1].State)
}

// A6: without scope admin an abort cannot set the policy: exit 6, and the command.
func TestRow_A6_AbortWithoutAdmin(t *testing.T) {
	r := newRig(t, options{scope: "infra", Options: server.Options{AllMovable: true}})
	r.start(rollout.GoalRestart, 1)
	r.yes(rollout.AskDrain)
	r.askedRow("D15")
	r.say(rollout.AskRestart, rollout.Answer{Word: rollout.WordAbort})
	out := r.driver.Wait()
	require.Equal(t, rollout.ExitAbortedDirty, out.Exit)
	require.Len(t, out.Left, 1)
	require.Contains(t, out.Left[0].State, "PauseForRestart")
	require.Contains(t, out.Left[0].Command, "/control/v1/node/1/config")
}

// P4: an answer without the field, cut or empty is no end of a drain.
// Rows: E23.
func TestCase_P4_MissingIsNotDone(t *testing.T) {
	r := newRig(t, slow())
	r.start(rollout.GoalRestart, 1)
	r.yes(rollout.AskDrain)
	r.drainRuns()
	for _, body := range []string{"", "cut", "null", "[]", `[{"id":1,"availability":"Active"}]`} {
		r.fault(server.Fault{Path: "/control/v1/node$", Method: http.MethodGet, Count: 2, Kind: "body", Value: body})
	}
	was := r.driver.Status().Seq
	st := r.when("some reads later", func(st *rollout.Status) bool { return st.Seq > was+12 })
	require.Zero(t, st.Calls.Hooks)
	if st.Prompt != nil {
		require.NotEqual(t, rollout.AskRestart, st.Prompt.Ask)
	}
	require.NotEqual(t, rollout.PhaseDone, st.Steps[0].Phases[0].State)
}

// P14: one node alone cannot be drained; told at once, with the undrained
// restart as a way of its own.
func TestCase_P14_SingleNode(t *testing.T) {
	r := newRig(t, options{Options: server.Options{Nodes: 1, AZs: 1}})
	r.start(rollout.GoalRestart, 1)
	p := r.asked(rollout.AskGate)
	require.True(t, p.Evidence.EpochStable, "a step that rests on nothing yet has no leader that changed")
	c, ok := p.Choice(rollout.WordUndrained)
	require.True(t, ok)
	require.Empty(t, c.Off)
	r.say(rollout.AskGate, rollout.Answer{Word: rollout.WordUndrained, Node: 1, Reason: "only node"})
	r.yes(rollout.AskFill) // refused: no other node to fill from (L10)
	out := r.driver.Wait()
	require.Equal(t, rollout.ExitDoneWithIssues, out.Exit, describe(r.driver.Status()))
	// On a slow machine the node warms up again first: that refusal comes before (L2).
	require.Equal(t, []string{"PUT 1/fill 412"}, slices.DeleteFunc(r.mutations(), func(c string) bool { return c == "PUT 1/fill 503" }))
	require.Contains(t, rows(r.driver.Status()), "L10")
	require.Equal(t, 1, r.driver.Status().Calls.Hooks)
}

// A standing answer goes on by itself until the first anomaly.
func TestStandingAnswer(t *testing.T) {
	r := newRig(t, options{})
	r.start(rollout.GoalRestart, 1, 2)
	r.say(rollout.AskDrain, rollout.Answer{Word: rollout.WordRestOfRun})
	out := r.driver.Wait()
	require.Equal(t, rollout.ExitDoneWithIssues, out.Exit, describe(r.driver.Status()))
	require.Len(t, r.mutations(), 4)
	require.Len(t, r.kinds(journal.KindAnswer), 6)
}

func TestStandingAnswerEndsWithAnAnomaly(t *testing.T) {
	r := newRig(t, options{do: "nothing", exit: 1})
	r.start(rollout.GoalRestart, 1)
	r.say(rollout.AskDrain, rollout.Answer{Word: rollout.WordRestOfRun})
	r.asked(rollout.AskHookFailed)
	require.NoError(t, r.RestartNode(t.Context(), 1, 10*time.Millisecond, ""))
	r.when("proven", func(st *rollout.Status) bool {
		return st.Prompt != nil && len(st.Prompt.Choices) > 0 && st.Prompt.Choices[0].Word == rollout.WordAccept
	})
	r.say(rollout.AskHookFailed, rollout.Answer{Word: rollout.WordAccept})
	r.asked(rollout.AskFill) // asked: the standing answer is gone
	require.Empty(t, onPath(r.mutations(), "PUT 1/fill"))
}

// The lock belongs to one driver; the second is told who holds it.
func TestLockHeld(t *testing.T) {
	r := newRig(t, options{})
	r.start(rollout.GoalDrain, 1)
	plan, err := r.engine.Plan(t.Context(), rollout.GoalDrain, []client.NodeID{2})
	require.NoError(t, err)
	_, err = r.engine.Start(t.Context(), plan)
	var held *journal.ErrLocked
	require.ErrorAs(t, err, &held)
	require.Equal(t, "oncall1", held.Owner.User)
}
