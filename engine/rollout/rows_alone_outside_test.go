package rollout_test

import (
	"errors"
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

// alerts is what the monitoring said a moment ago.
func (a *alone) alerts(part cluster.Part[[]string]) {
	a.firing = &part
	a.pass(2 * time.Second)
}

// An alert fires before the drain: the run halts and nothing is sent. Alerts that
// cannot be asked for hold it too, whatever was known before, and it goes on by
// itself only from that.
func TestRow_X10_Alerts(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.alerts(cluster.Part[[]string]{At: a.now})
	a.asked(rollout.AskDrain, "")
	a.alerts(cluster.Part[[]string]{At: a.now, Value: []string{"HighLatency"}})
	a.holds(rollout.AskHalted, "X10", gate.AlertsClear)
	require.Equal(t, rollout.RunHalted, a.m.Status().State)
	a.alerts(cluster.Part[[]string]{At: a.now})
	a.pass(time.Minute)
	require.Empty(t, a.sent, "a halted run waits for a word")
}

func TestRow_X10_PrometheusDown(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.alerts(cluster.Part[[]string]{At: a.now, Err: errors.New("connection refused"), Since: a.now})
	a.pass(20 * time.Second) // an unknown is given a moment to become known
	p := a.asked(rollout.AskGate, "X10")
	held := gate.Holding(p.Evidence.Gates)
	require.Equal(t, gate.AlertsClear, held[0].Gate)
	require.Equal(t, gate.Unknown, held[0].Verdict)
	require.True(t, slices.ContainsFunc(p.Choices, func(c rollout.Choice) bool { return c.Gate == gate.AlertsClear }))
	require.Empty(t, a.sent)
	a.alerts(cluster.Part[[]string]{At: a.now})
	a.asked(rollout.AskDrain, "")
}

// The token is refused in the middle of a drain: within seconds the run is held
// and asked about, nothing is sent, and a token that counts again takes it on by
// itself.
func TestRow_D11_ReadsRefusedMidDrain(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.draining()
	sent := len(a.sent)
	a.silent, a.silence = true, &client.Error{Kind: client.Unauthorized, Status: 401, Msg: "token expired"}
	a.pass(4 * time.Second)
	p := a.asked(rollout.AskUnauthorized, "D11")
	require.Contains(t, p.Cause, "token expired")
	require.True(t, a.m.Status().Hold.Refused)
	a.pass(10 * time.Minute)
	a.asked(rollout.AskUnauthorized, "D11")
	a.silent = false
	a.pass(3 * time.Second)
	st := a.m.Status()
	require.Empty(t, st.Hold.Reason)
	require.True(t, st.Prompt == nil || st.Prompt.Ask != rollout.AskUnauthorized, describe(&st))
	require.Len(t, a.sent, sent)
}

// The controller's database refused queries a moment ago: nothing is begun until it has
// been quiet for a minute, and then it goes on by itself.
func TestRow_X11_DatabaseTrouble(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.dbErrorsAt = a.now
	a.pass(20 * time.Second) // an unknown is given a moment to become known
	p := a.asked(rollout.AskGate, "D21")
	held := gate.Holding(p.Evidence.Gates)
	require.Equal(t, gate.ControllerReachable, held[0].Gate)
	require.Contains(t, held[0].Figure, "its database refused 3 queries")
	require.Empty(t, a.sent)
	a.pass(time.Minute)
	a.asked(rollout.AskDrain, "")
}

// Much of the node is being split or imported: its drain is asked about as trouble,
// skipping it comes first, and no standing answer covers it. A little of that is only a
// remark of the plan.
func TestRow_X12_SplitsAndImports(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.asked(rollout.AskDrain, "")
	plan := a.m.Status().Plan
	plan.Steps[0].Changing = 9
	a = &alone{t: t, now: a.now, nodes: a.nodes, left: a.left, leader: a.leader, metrics: a.metrics, m: rollout.New(plan, rollout.Defaults())}
	a.pass(3 * time.Second)
	p := a.asked(rollout.AskDrain, "X12")
	require.Contains(t, p.Cause, "9 shards")
	require.Equal(t, rollout.WordSkip, p.Choices[0].Word)
	_, offered := p.Choice(rollout.WordRestOfRun)
	require.False(t, offered)
	require.Empty(t, a.sent)
	a.say(rollout.WordYes)
	require.Len(t, a.sent, 1)
}

// The lock file was replaced, so that another process could drive: nothing is
// sent, nobody can override that, and it goes on once the lock keeps others out.
func TestRow_E16_TheLockIsLost(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.unlocked = "the lock was replaced"
	a.pass(2 * time.Second)
	p := a.asked(rollout.AskGate, "")
	held := gate.Holding(p.Evidence.Gates)
	require.Len(t, held, 1)
	require.Equal(t, gate.LockHeld, held[0].Gate)
	require.False(t, slices.ContainsFunc(p.Choices, func(c rollout.Choice) bool { return c.Word == rollout.WordOverride }))
	require.Empty(t, a.sent)
	a.unlocked = ""
	a.pass(2 * time.Second)
	a.asked(rollout.AskDrain, "")
}

// The restart command says that the node came up with an empty disk: its fill is
// asked about as trouble, leaving the shards where they are comes first, and no
// standing answer covers it.
func TestRow_R10_EmptyDisk(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.restarting()
	a.launch(1, client.AvailabilityActive)
	a.hookEnds(rollout.HookResult{Word: "exit status 0", Empty: true})
	a.pass(5 * time.Second)
	p := a.asked(rollout.AskFill, "R10")
	require.Contains(t, p.Cause, "empty")
	require.Equal(t, rollout.WordSkip, p.Choices[0].Word)
	for _, word := range []rollout.Word{rollout.WordRestOfNode, rollout.WordRestOfRun} {
		_, offered := p.Choice(word)
		require.False(t, offered, word)
	}
	require.Contains(t, a.rows(), "R10")
	before := len(a.sent)
	a.say(rollout.WordYes)
	require.Len(t, a.sent, before+1, "a person may want it filled all the same")
}

// A controller that stops answering is said within 3 s, long before anything is held;
// so is that it answers again.
func TestCase_N6_SilenceIsSaidAtOnce(t *testing.T) {
	a := newAlone(t, rollout.GoalRestart)
	a.silent = true
	a.pass(3 * time.Second)
	st := a.m.Status()
	require.Empty(t, st.Hold.Reason)
	require.Contains(t, st.Notes[len(st.Notes)-1].Text, "the controller does not answer: ")
	a.pass(10 * time.Second)
	now := a.m.Status()
	require.Len(t, now.Notes, len(st.Notes), "once")
	a.silent = false
	a.pass(2 * time.Second)
	st = a.m.Status()
	require.Contains(t, st.Notes[len(st.Notes)-1].Text, "answers again after 13s")
}

// The two pauses. Now: in the middle of a drain, which goes on. Later: the drain comes to
// its end first, and the next phase is not begun though a standing answer covers it. The
// journal says which.
func TestPauseNowAndLater(t *testing.T) {
	paused := func(a *alone) string {
		for _, r := range a.records {
			if r.Kind == journal.KindPause {
				return string(r.Data)
			}
		}
		return ""
	}
	now := newAlone(t, rollout.GoalRestart)
	now.draining()
	now.apply(rollout.Interrupted{At: now.now, Kind: rollout.Pause, Why: "test"})
	now.pass(time.Second)
	now.asked(rollout.AskPaused, "")
	require.Equal(t, rollout.RunPaused, now.m.Status().State)
	require.JSONEq(t, `{"at":"now"}`, paused(now))

	later := newAlone(t, rollout.GoalRestart)
	later.asked(rollout.AskDrain, "")
	later.say(rollout.WordRestOfRun)
	later.reply(nil)
	later.apply(rollout.Interrupted{At: later.now, Kind: rollout.PauseLater, Why: "test"})
	later.pass(5 * time.Second)
	require.Equal(t, rollout.RunRunning, later.m.Status().State, "the drain is not over")
	later.settle(client.PolicyPauseForRestart, 0)
	later.pass(10 * time.Second)
	later.asked(rollout.AskPaused, "")
	require.Zero(t, later.hooks, "the restart was covered by a standing answer, and not begun")
	require.JSONEq(t, `{"at":"boundary"}`, paused(later))
	later.say(rollout.WordResume)
	later.pass(2 * time.Second)
	require.Equal(t, rollout.RunRunning, later.m.Status().State, "once")
}
