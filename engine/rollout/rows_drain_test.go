package rollout_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/demo/server"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/gate"
	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

func (r *rig) fault(f server.Fault) {
	r.t.Helper()
	require.NoError(r.t, r.AddFault(f))
}

func drainFault(kind server.FaultKind, value string) server.Fault {
	return server.Fault{Path: "/node/1/drain$", Method: http.MethodPut, Count: 1, Kind: kind, Value: value}
}

// The PUT was carried out and its answer lost: it is read, probed and adopted.
func TestRow_D1_AmbiguousDrainIsAdopted(t *testing.T) {
	r := newRig(t, options{Options: server.Options{LocationDelay: 10 * time.Second}})
	r.fault(drainFault("drop-after", ""))
	r.start(rollout.GoalDrain, 1)
	r.yes(rollout.AskDrain)
	out := r.driver.Wait()
	st := r.driver.Status()
	require.Contains(t, rows(st), "D1")
	require.Contains(t, []rollout.ExitCode{rollout.ExitDone, rollout.ExitDoneWithIssues}, out.Exit, describe(st))
	require.Equal(t, 1, st.Calls.Drain, "never sent twice")
	require.Len(t, onPath(r.mutations(), "PUT 1/drain"), 1)
	results := r.kinds(journal.KindResult)
	var first journal.Result
	require.NoError(t, results[0].Decode(&first))
	require.Equal(t, journal.ResultAmbiguous, first.Class)
	r.intentsComeFirst()
}

// onPath are the calls whose words begin so.
func onPath(calls []string, prefix string) []string {
	var out []string
	for _, c := range calls {
		if len(c) >= len(prefix) && c[:len(prefix)] == prefix {
			out = append(out, c)
		}
	}
	return out
}

// intentsComeFirst checks I3 on the journal: each result has its intent before it.
func (r *rig) intentsComeFirst() {
	r.t.Helper()
	type key struct {
		eff string
		att int
	}
	intended := map[key]bool{}
	for _, rec := range r.records() {
		k := key{rec.Eff, rec.Att}
		switch rec.Kind {
		case journal.KindIntent, journal.KindHookStart:
			require.False(r.t, intended[k], "twice: %v", k)
			intended[k] = true
		case journal.KindResult, journal.KindHookEnd:
			require.True(r.t, intended[k], "no intent before %v", k)
		}
	}
}

// The PUT never arrived: two reads say Active, then it is sent once more.
func TestRow_D2_LostDrainIsSentAgain(t *testing.T) {
	r := newRig(t, options{})
	r.fault(drainFault("drop-before", ""))
	r.start(rollout.GoalDrain, 1)
	r.yes(rollout.AskDrain)
	out := r.driver.Wait()
	st := r.driver.Status()
	require.Contains(t, []rollout.ExitCode{rollout.ExitDone, rollout.ExitDoneWithIssues}, out.Exit, describe(st))
	require.Equal(t, []string{"PUT 1/drain 202"}, r.mutations())
	require.Equal(t, 2, st.Calls.Drain)
	var attempts []int
	for _, rec := range r.kinds(journal.KindIntent) {
		if rec.Cls == journal.ADV {
			require.Equal(t, "n1.drain.1", rec.Eff)
			attempts = append(attempts, rec.Att)
		}
	}
	require.Equal(t, []int{1, 2}, attempts)
	require.Contains(t, rows(st), "D2")
}

// Somebody else's drain holds the slot: ask, and go on only when told to wait.
func TestRow_D3_ForeignOperation(t *testing.T) {
	r := newRig(t, options{Options: server.Options{LocationDelay: 8 * time.Second}})
	r.start(rollout.GoalRestart, 1)
	r.asked(rollout.AskDrain)
	require.NoError(t, r.client.StartDrain(t.Context(), 2))
	p := r.askedRow("D3") // the gauges may tell of its moves first, as X9
	require.Equal(t, rollout.AskGate, p.Ask)
	require.Contains(t, p.Cause, string(gate.NoForeignOperation))
	// Set aside, the server itself refuses and names the operation.
	r.say(rollout.AskGate, rollout.Answer{Word: rollout.WordOverride, Gate: gate.NoForeignOperation, Reason: "test"})
	r.yes(rollout.AskDrain)
	p = r.asked(rollout.AskBusy)
	require.Equal(t, "D3", p.Row)
	require.Equal(t, &client.Operation{Kind: client.OperationDrain, Node: 2}, p.Evidence.Busy)
	require.Len(t, onPath(r.mutations(), "PUT 1/drain 412"), 1)
	r.say(rollout.AskBusy, rollout.Answer{Word: rollout.WordWait})
	r.asked(rollout.AskRestart)
	require.Len(t, onPath(r.mutations(), "PUT 1/drain 202"), 1)
	require.Len(t, onPath(r.mutations(), "DELETE"), 0, "somebody else's is never cancelled")
}

// No other node may take shards: the gate says so before anything is sent, and
// the server's own refusal halts the run.
func TestRow_D5_NoOtherSchedulable(t *testing.T) {
	r := newRig(t, options{})
	r.fault(drainFault("status", "412 Precondition failed: No other schedulable nodes to drain to"))
	r.start(rollout.GoalRestart, 1)
	r.yes(rollout.AskDrain)
	p := r.asked(rollout.AskHalted)
	require.Equal(t, "D5", p.Row)
	require.Equal(t, rollout.RunHalted, r.driver.Status().State)
	r.say(rollout.AskHalted, rollout.Answer{Word: rollout.WordAbort})
	require.Equal(t, rollout.ExitPaused, r.driver.Wait().Exit)
	require.Empty(t, onPath(r.mutations(), "PUT 1/drain 202"))
}

func TestRow_D5_GateBeforeTheDrain(t *testing.T) {
	r := newRig(t, options{Options: server.Options{Nodes: 2, AZs: 1}})
	r.policy(2, client.PolicyPause)
	r.start(rollout.GoalRestart, 1)
	p := r.asked(rollout.AskGate)
	require.Contains(t, p.Cause, string(gate.SchedulableCapacity))
	_, undrained := p.Choice(rollout.WordUndrained)
	require.True(t, undrained, "restart without drain is its own, typed way")
	require.Empty(t, onPath(r.mutations(), "PUT 1/drain"))
}

// policy sets a node's policy by hand and waits until the console sees it.
func (r *rig) policy(id client.NodeID, p client.NodePolicy) {
	r.t.Helper()
	require.NoError(r.t, r.client.ConfigureNode(r.t.Context(), client.NodeConfig{NodeID: id, Scheduling: &p}))
	r.until("policy "+string(p), func(s *cluster.Snapshot) bool {
		n, ok := s.Node(id)
		return ok && n.Scheduling == p
	})
}

// Reads that are refused hold the run in the words of what it is: the token, not
// a silent controller. It is asked about at once, nothing is sent.
func TestRow_D11_ReadsRefused(t *testing.T) {
	r := newRig(t, options{set: func(s *rollout.Settings) { s.RefusedAfter = 100 * time.Millisecond }})
	r.start(rollout.GoalRestart, 1)
	r.asked(rollout.AskDrain)
	r.fault(server.Fault{Path: "/control/v1/node$", Method: http.MethodGet, Count: 1000, Kind: "status", Value: "401 Unauthorized: token expired"})
	st := r.when("held", func(st *rollout.Status) bool { return st.Hold.Reason != "" })
	require.Contains(t, st.Hold.Reason, "refuses the token")
	require.NotContains(t, st.Hold.Reason, "does not answer")
	require.Contains(t, rows(st), "D11")
	p := r.asked(rollout.AskUnauthorized)
	require.Equal(t, "D11", p.Row)
	require.Contains(t, p.Cause, "token expired")
	require.Empty(t, r.mutations())
}

// PauseForRestart before we began: verify and go on, or reset; never assumed.
func TestRow_D6_DrainedEarlier(t *testing.T) {
	r := newRig(t, options{})
	r.policy(1, client.PolicyPauseForRestart)
	r.start(rollout.GoalRestart, 1)
	p := r.asked(rollout.AskDrainedEarlier)
	require.Equal(t, "D6", p.Row)
	r.say(rollout.AskDrainedEarlier, rollout.Answer{Word: rollout.WordAccept})
	// Nothing had moved: the list says so, and there is no restart to confirm.
	p = r.asked(rollout.AskNotDrained)
	require.Equal(t, "D16", p.Row)
	r.say(rollout.AskNotDrained, rollout.Answer{Word: rollout.WordReset, Node: 1})
	r.yes(rollout.AskDrain)
	r.asked(rollout.AskRestart)
}

// 409: the policy tells of a drain that does not run.
func TestRow_D7_Orphan(t *testing.T) {
	r := newRig(t, options{})
	r.policy(1, client.PolicyDraining) // a label without an operation
	r.start(rollout.GoalRestart, 1)
	p := r.asked(rollout.AskOrphan)
	require.Equal(t, "D7", p.Row)
	err := r.driver.Answer(rollout.Answer{Prompt: p.ID, Word: rollout.WordReset})
	var typed *rollout.TypeIDError
	require.ErrorAs(t, err, &typed, "forcing a policy needs the id")
	r.say(rollout.AskOrphan, rollout.Answer{Word: rollout.WordReset, Node: 1})
	r.yes(rollout.AskDrain)
	r.asked(rollout.AskRestart)
	force := r.kinds(journal.KindIntent)
	require.Condition(t, func() bool {
		for _, rec := range force {
			if rec.Cls == journal.FORCE && rec.Pre.Policy == "Draining" {
				return true
			}
		}
		return false
	}, "the reset's intent says what it overwrote")
}

// Offline and not drained: wait, restart undrained (typed), skip.
func TestRow_D8_NodeOffline(t *testing.T) {
	r := newRig(t, options{Options: server.Options{AllMovable: true}})
	require.NoError(t, r.StopNode(1))
	r.until("Offline", func(s *cluster.Snapshot) bool {
		n, _ := s.Node(1)
		return n.Availability == client.AvailabilityOffline
	})
	r.start(rollout.GoalRestart, 1)
	p := r.asked(rollout.AskNodeDown)
	require.Equal(t, "D8", p.Row)
	c, ok := p.Choice(rollout.WordUndrained)
	require.True(t, ok)
	require.True(t, c.TypeID)
	require.Empty(t, onPath(r.mutations(), "PUT 1"))
	// It comes back by itself, and the ordinary path goes on.
	require.NoError(t, r.StartNode(t.Context(), 1, ""))
	r.asked(rollout.AskDrain)
}

// Shards that the plan did not list stayed: the yes needs the id typed.
func TestRow_D15_LeftoversBeyondThePlan(t *testing.T) {
	r := newRig(t, options{Options: server.Options{AllMovable: true}})
	plan, err := r.engine.Plan(t.Context(), rollout.GoalRestart, []client.NodeID{1})
	require.NoError(t, err)
	require.Greater(t, len(plan.Steps[0].Landing), 1)
	far := int64(1 << 40)
	require.NoError(t, r.SetNode(plan.Steps[0].Landing[0].Node, &far, nil))
	r.run(plan)
	r.yes(rollout.AskDrain)
	p := r.askedRow("D15")
	require.Len(t, p.Evidence.Leftovers, plan.Steps[0].Landing[0].Shards)
	require.NotEmpty(t, p.Evidence.Leftovers)
	c, _ := p.Choice(rollout.WordYes)
	require.True(t, c.TypeID)
	require.NotEqual(t, rollout.WordYes, p.Choices[0].Word, "yes is not what the evidence supports")
	require.Zero(t, r.driver.Status().Calls.Hooks)
	err = r.driver.Answer(rollout.Answer{Prompt: p.ID, Word: rollout.WordYes})
	var typed *rollout.TypeIDError
	require.ErrorAs(t, err, &typed)
	r.say(rollout.AskRestart, rollout.Answer{Word: rollout.WordYes, Node: 1})
	r.yes(rollout.AskFill)
	require.Equal(t, rollout.ExitDoneWithIssues, r.driver.Wait().Exit)
}

func (r *rig) askedRow(row string) rollout.Prompt {
	r.t.Helper()
	return *r.when("question of row "+row, func(st *rollout.Status) bool {
		return st.Prompt != nil && st.Prompt.Row == row
	}).Prompt
}

// A token of scope infra: no list, so the gauge after two renewals, and the id typed.
func TestRow_D15_TokenWithoutAdmin(t *testing.T) {
	r := newRig(t, options{scope: "infra", Options: server.Options{AllMovable: true}})
	r.start(rollout.GoalRestart, 1)
	require.NotEmpty(t, r.driver.Status().Plan.TenantsOff)
	r.yes(rollout.AskDrain)
	p := r.askedRow("D15")
	require.False(t, p.Evidence.LeftoversKnown)
	c, _ := p.Choice(rollout.WordYes)
	require.True(t, c.TypeID)
	r.say(rollout.AskRestart, rollout.Answer{Word: rollout.WordYes, Node: 1})
	r.yes(rollout.AskFill)
	out := r.driver.Wait()
	require.Contains(t, []rollout.ExitCode{rollout.ExitDone, rollout.ExitDoneWithIssues}, out.Exit, describe(r.driver.Status()))
	require.Zero(t, r.driver.Status().Calls.Probes)
	require.NotZero(t, r.driver.Status().Steps[0].AttachedAfter, "not the gauge of before the fill")
}
