package rollout_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// say answers the question that stands, which must be the expected one.
func (s *scene) say(ask rollout.Ask, a rollout.Answer) {
	s.t.Helper()
	st := s.m.Status()
	require.NotNil(s.t, st.Prompt, describe(&st))
	require.Equal(s.t, ask, st.Prompt.Ask, describe(&st))
	a.Prompt, a.At, a.By = st.Prompt.ID, s.now, rollout.Operator{User: "oncall1", Host: "jump1"}
	require.NoError(s.t, s.m.Check(a))
	s.apply(rollout.Answered{At: s.now, Answer: a})
}

// settle looks until nothing more happens without time.
func (s *scene) settle() *rollout.Status {
	s.t.Helper()
	st := s.look(time.Second)
	for range 3 {
		st = s.look(time.Second)
	}
	return st
}

// ended answers the call or the restart command that was asked for last.
func (s *scene) ended() {
	s.t.Helper()
	for i := len(s.effects) - 1; i >= 0; i-- {
		switch e := s.effects[i].(type) {
		case rollout.SendCall:
			s.apply(rollout.CallEnded{At: s.now, Eff: e.Eff})
			return
		case rollout.RunHook:
			s.apply(rollout.HookEnded{At: s.now, Eff: e.Eff, Result: rollout.HookResult{Word: "exit status 0"}})
			return
		}
	}
	require.FailNow(s.t, "nothing was sent")
}

// drained, restarted and filled are what the cluster does after a yes.
func (s *scene) drained(id client.NodeID) {
	s.t.Helper()
	s.look(time.Second)
	s.ended()
	s.nodes[id-1].Scheduling, s.nodes[id-1].Attached = client.PolicyPauseForRestart, 0
	s.settle()
}

func (s *scene) restarted(id client.NodeID) {
	s.t.Helper()
	s.settle()
	s.ended()
	n := &s.nodes[id-1]
	n.Scheduling = client.PolicyActive
	n.Process.Value.LaunchMillis++
	s.settle()
}

func (s *scene) filled(id client.NodeID) {
	s.t.Helper()
	s.look(time.Second)
	s.ended()
	s.nodes[id-1].Attached = 5
	s.look(time.Second)
	s.look(time.Second)
}

// restart takes a node through drain, restart and fill, each confirmed.
func (s *scene) restart(id client.NodeID) {
	s.t.Helper()
	s.settle()
	s.say(rollout.AskDrain, rollout.Answer{Word: rollout.WordYes})
	s.drained(id)
	s.say(rollout.AskRestart, rollout.Answer{Word: rollout.WordYes})
	s.restarted(id)
	s.say(rollout.AskFill, rollout.Answer{Word: rollout.WordYes})
	s.filled(id)
}

func phaseState(st *rollout.Status, p rollout.Phase) rollout.PhaseState {
	for _, ph := range st.Steps[0].Phases {
		if ph.Phase == p {
			return ph.State
		}
	}
	return -1
}

// A node counts as well after so many good looks in a row, and no sooner; a bad
// one begins the row anew.
func TestVerifyNeedsGoodLooksInARow(t *testing.T) {
	s := newScene(t, rollout.Settings{Verify: 3, VerifyEvery: 5 * time.Second}, 1)
	s.restart(1)
	st := s.look(time.Second)
	require.Equal(t, rollout.PhaseRunning, phaseState(st, rollout.PhaseVerify), describe(st))
	s.look(5 * time.Second) // the second
	s.nodes[0].Availability = client.AvailabilityWarmingUp
	s.look(time.Second)
	s.nodes[0].Availability = client.AvailabilityActive
	st = s.look(time.Second) // the first again
	require.Equal(t, "1 of 3 good looks in a row", st.Steps[0].Phases[3].Detail)
	s.look(5 * time.Second)
	st = s.look(4 * time.Second)
	require.Nil(t, st.Outcome)
	st = s.look(time.Second)
	require.NotNil(t, st.Outcome, describe(st))
	require.Equal(t, rollout.ExitDone, st.Outcome.Exit)
}

// A bake lasts as long as it was set to, with every gate passing throughout: one
// that fails asks, and the bake begins anew.
func TestBakeBeginsAnewAfterAFailedGate(t *testing.T) {
	s := newScene(t, rollout.Settings{Bake: time.Minute}, 1)
	s.restart(1)
	require.Equal(t, rollout.PhaseRunning, phaseState(s.look(time.Second), rollout.PhaseBake))
	require.Nil(t, s.look(50*time.Second).Outcome)
	s.metrics.StuckReconciles = 1
	st := s.look(time.Second)
	require.Equal(t, rollout.AskGate, st.Prompt.Ask)
	require.Equal(t, "X7", st.Prompt.Row)
	s.metrics.StuckReconciles = 0
	require.Nil(t, s.look(time.Second).Prompt)
	require.Nil(t, s.look(50*time.Second).Outcome, "the minute counts from the failure")
	require.NotNil(t, s.look(10*time.Second).Outcome)
}

// A node that is launched again while it bakes halts the run (R9); what others
// do halts it too (X1).
func TestBakeHalts(t *testing.T) {
	for row, trouble := range map[string]func(*scene){
		"R9": func(s *scene) { s.nodes[0].Process.Value.LaunchMillis++ },
		"X1": func(s *scene) { s.nodes[3].Availability = client.AvailabilityOffline },
		"R6": func(s *scene) { s.nodes[0].Availability = client.AvailabilityWarmingUp },
	} {
		t.Run(row, func(t *testing.T) {
			s := newScene(t, rollout.Settings{Bake: time.Minute}, 1, 2)
			s.restart(1)
			s.look(time.Second)
			trouble(s)
			st := s.look(time.Second)
			require.NotNil(t, st.Prompt, describe(st))
			require.Equal(t, row, st.Prompt.Row)
			require.Equal(t, rollout.StepRunning, st.Steps[0].State, "the next node waits")
			require.Equal(t, row != "R6", st.State == rollout.RunHalted)
		})
	}
}

// A person may end a bake; the report names who.
func TestBakeCutShort(t *testing.T) {
	s := newScene(t, rollout.Settings{Bake: time.Minute}, 1)
	s.restart(1)
	s.metrics.StuckReconciles = 1
	s.look(time.Second)
	s.say(rollout.AskGate, rollout.Answer{Word: rollout.WordAccept, Reason: "known"})
	st := s.m.Status()
	require.Equal(t, rollout.ExitDoneWithIssues, st.Outcome.Exit)
	require.Equal(t, []string{"node 1: its bake was cut short by oncall1@jump1: known"}, st.Outcome.Issues)
}
