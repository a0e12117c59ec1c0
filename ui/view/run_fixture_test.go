package view

import (
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/gate"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/themes"
)

// fixedNow is the moment at which all fixtures of a run are looked at.
var fixedNow = time.Date(2026, 3, 14, 21, 40, 12, 0, time.UTC)

func ago(d time.Duration) time.Time { return fixedNow.Add(-d) }

var prod = cluster.Identity{Name: "prod-eu-1", Endpoint: "storcon.eu-1.internal:1234"}

// runContext shows a run on an otherwise healthy cluster.
func runContext(s *themes.Styles, st *rollout.Status) *Context {
	snap := &cluster.Snapshot{Seq: 1, At: fixedNow, Identity: prod}
	snap.Nodes.At = ago(300 * time.Millisecond)
	for id := client.NodeID(1); id <= 6; id++ {
		n := cluster.Node{}
		n.ID, n.Availability, n.Scheduling = id, client.AvailabilityActive, client.PolicyActive
		snap.Nodes.Value = append(snap.Nodes.Value, n)
	}
	for name, state := range map[string]compute.State{"ep-cool-night-a1": compute.StateRunning, "ep-old-river-b7": compute.StateFailed} {
		one := cluster.Compute{Name: name}
		one.Status.At, one.Status.Value.State = fixedNow, state
		snap.Computes = append(snap.Computes, one)
	}
	return &Context{Styles: s, Now: fixedNow, Location: time.UTC, Snapshot: snap, Run: st}
}

var leftShards = []client.TenantShardID{
	"3aa90c1ce4bd4d8a9b0d2a7f11e08e41-0002",
	"77b1f2a8c5d94e07b8f6a93be51002cc",
	"c041d0f3a6b8472c95e1f0d7b2289e10",
}

func fixtureStep(id client.NodeID, az string, attached int64) rollout.StepPlan {
	n := id.String()
	return rollout.StepPlan{
		Node: id, Addr: "ps-" + n + ".internal", AZ: az, Policy: client.PolicyActive, Attached: attached, Secondary: 1602,
		Landing: []rollout.Landing{{Node: 3, Shards: 812}, {Node: 4, Shards: 752}},
		Calls:   []string{"PUT /control/v1/node/" + n + "/drain", "PUT /control/v1/node/" + n + "/fill"},
		Hook:    "ssh ps-" + n + ".internal 'sudo systemctl restart pageserver'",
		Drain:   rollout.Range{Min: time.Minute, Max: 3 * time.Minute},
		Restart: rollout.Range{Min: 5 * time.Second, Max: 30 * time.Second},
		Fill:    rollout.Range{Min: time.Minute, Max: 3 * time.Minute},
	}
}

func fixturePlan() rollout.Plan {
	one, two := fixtureStep(1, "eu-1a", 1567), fixtureStep(2, "eu-1a", 1560)
	one.Stay = []rollout.Stay{
		{Shard: leftShards[0], Reason: rollout.NoSecondary},
		{Shard: leftShards[1], Reason: rollout.NoSecondary},
		{Shard: leftShards[2], Reason: rollout.PolicyPause},
	}
	one.Computes = []string{"ep-cool-night-a1", "ep-old-river-b7"}
	return rollout.Plan{
		Goal: rollout.GoalRestart, Identity: prod, Made: ago(10 * time.Second),
		Steps:   []rollout.StepPlan{one, two},
		LeftOut: []rollout.LeftOut{{Node: 5, Policy: client.PolicyPause, Why: "its policy is Pause, set by somebody; a drain or fill would be refused"}},
		Gates: []gate.Result{
			{Gate: gate.AllOtherNodesActive, Verdict: gate.Pass, Figure: "5 of 5 other nodes Active", Halts: true},
			{Gate: gate.NoForeignOperation, Verdict: gate.Pass, Figure: "no operation seen"},
			{Gate: gate.SchedulableCapacity, Verdict: gate.Pass, Figure: "1 880 shards per remaining node, node 3 most"},
			{Gate: gate.StuckReconcilesZero, Verdict: gate.Fail, Figure: "2 stuck reconciles, 0 wanted", Overridable: true},
			{Gate: gate.AZRedundancy, Verdict: gate.Pass, Figure: "eu-1a keeps 1 node (remark)"},
			{Gate: gate.LeaderStable, Verdict: gate.Pass, Figure: "leader since 12 d"},
			{Gate: gate.JournalWritable, Verdict: gate.Pass, Figure: "synced"},
			{Gate: gate.RestartProven, Verdict: gate.Off, Figure: "asked after the restart"},
		},
	}
}

// fixtureRun is a run of the plan whose first node is in the phases given.
func fixtureRun(phases ...rollout.PhaseStatus) *rollout.Status {
	plan := fixturePlan()
	st := &rollout.Status{
		Seq: 7, Run: "01J8ZQ4M6T8R2V0X9Y5B7C3DK2", Goal: plan.Goal, Identity: prod,
		Journal: "/var/lib/storcon-tui/runs/01J8ZQ4M6T8R2V0X9Y5B7C3DK2.jsonl",
		At:      fixedNow, Started: ago(250 * time.Second), State: rollout.RunRunning, Plan: plan,
		Notes: []rollout.Note{
			{At: ago(250 * time.Second), Text: "run begins: rolling restart of nodes 1, 2"},
			{At: ago(160 * time.Second), Node: 1, Text: "drain accepted (202)"},
			{At: ago(48 * time.Second), Node: 1, Text: "policy PauseForRestart, 3 shards stayed"},
		},
	}
	for i, s := range plan.Steps {
		step := rollout.StepStatus{Plan: s, LeftoversGauge: -1, AttachedBefore: s.Attached, AttachedAfter: -1, ExposedShards: -1}
		if i == 0 {
			step.State, step.Phases = rollout.StepRunning, phases
		}
		st.Steps = append(st.Steps, step)
	}
	return st
}

var drained = rollout.PhaseStatus{
	Phase: rollout.PhaseDrain, State: rollout.PhaseDone, Started: ago(160 * time.Second), Ended: ago(48 * time.Second),
	Progress: rollout.Progress{Total: 1567, Left: 3, LastMove: ago(48 * time.Second)},
}

func waiting(p rollout.Phase) rollout.PhaseStatus { return rollout.PhaseStatus{Phase: p} }

func asking(p rollout.Phase) rollout.PhaseStatus {
	return rollout.PhaseStatus{Phase: p, State: rollout.PhaseAsking, Asked: ago(48 * time.Second)}
}

func fixtureEvidence() rollout.Evidence {
	return rollout.Evidence{
		Policy: client.PolicyPauseForRestart, PolicySince: ago(48 * time.Second), Availability: client.AvailabilityActive,
		Attached: 3, LeftoversKnown: true, ListedAt: ago(2 * time.Second), EpochStable: true,
		Leftovers: []rollout.Leftover{
			{Shard: leftShards[0], Reason: rollout.NoSecondary, Planned: true},
			{Shard: leftShards[1], Reason: rollout.NoSecondary, Planned: true},
			{Shard: leftShards[2], Reason: rollout.PolicyPause, Planned: true},
		},
	}
}

func fixturePrompt(ask rollout.Ask, row string, choices ...rollout.Choice) *rollout.Prompt {
	return &rollout.Prompt{
		ID: "q-1", Ask: ask, Row: row, Node: 1, Addr: "ps-1.internal", AZ: "eu-1a",
		Evidence: fixtureEvidence(), Choices: choices, Asked: ago(48 * time.Second), Expires: fixedNow.Add(252 * time.Second),
	}
}

var usual = []rollout.Choice{
	{Word: rollout.WordNo}, {Word: rollout.WordAbort}, {Word: rollout.WordDetach}, {Word: rollout.WordEvidence},
}

func askDrain() *rollout.Status {
	st := fixtureRun(asking(rollout.PhaseDrain), waiting(rollout.PhaseRestart), waiting(rollout.PhaseFill))
	p := fixturePrompt(rollout.AskDrain, "", append([]rollout.Choice{
		{Word: rollout.WordYes, Does: "PUT /control/v1/node/1/drain"},
		{Word: rollout.WordSkip},
		{Word: rollout.WordRestOfNode},
		{Word: rollout.WordRestOfAZ},
		{Word: rollout.WordRestOfRun},
	}, usual...)...)
	p.Literal = "PUT /control/v1/node/1/drain"
	p.Evidence = rollout.Evidence{Policy: client.PolicyActive, Availability: client.AvailabilityActive, Attached: 1567, EpochStable: true}
	st.Prompt = p
	return st
}

func askRestart() *rollout.Status {
	st := fixtureRun(drained, asking(rollout.PhaseRestart), waiting(rollout.PhaseFill))
	hook := st.Plan.Steps[0].Hook
	p := fixturePrompt(rollout.AskRestart, "", append([]rollout.Choice{
		{Word: rollout.WordYes, Does: hook},
		{Word: rollout.WordSkip, Does: `PUT /control/v1/node/1/config {"node_id":1,"scheduling":"Active"}, then go on with the next node`},
		{Word: rollout.WordReset, Does: `PUT /control/v1/node/1/config {"node_id":1,"scheduling":"Active"}, then drain again`, TypeID: true},
		{Word: rollout.WordRestOfNode},
		{Word: rollout.WordRestOfAZ},
		{Word: rollout.WordRestOfRun},
	}, usual...)...)
	p.Literal = hook
	st.Prompt = p
	return st
}

// askNoProgress is a drain that hangs: its restart is dangerous and off.
func askNoProgress() *rollout.Status {
	ph := rollout.PhaseStatus{
		Phase: rollout.PhaseDrain, State: rollout.PhaseBlocked, Started: ago(700 * time.Second),
		Progress: rollout.Progress{Total: 1567, Left: 8, LastMove: ago(540 * time.Second), Blocking: []rollout.Blocking{
			{Shard: leftShards[0], To: 4, Since: ago(540 * time.Second), Reason: "reconciling", LastError: "compute notification refused: 503"},
			{Shard: leftShards[1], To: 3, Since: ago(530 * time.Second), Reason: "reconciling"},
		}},
	}
	st := fixtureRun(ph, waiting(rollout.PhaseRestart), waiting(rollout.PhaseFill))
	p := fixturePrompt(rollout.AskNoProgress, "D13", append([]rollout.Choice{
		{Word: rollout.WordWait},
		{Word: rollout.WordCancel, Does: "DELETE /control/v1/node/1/drain"},
		{Word: rollout.WordUndrained, TypeID: true, Off: "an operation on the node may still run: cancel it first"},
	}, usual...)...)
	p.Evidence.Policy, p.Evidence.PolicySince = client.PolicyDraining, ago(700*time.Second)
	p.Evidence.LeftoversKnown, p.Evidence.Leftovers, p.Evidence.Attached, p.Evidence.Pending = false, nil, 8, 2
	st.Prompt = p
	return st
}

// askNodeDown wants the node's id typed: nothing was drained.
func askNodeDown() *rollout.Status {
	st := fixtureRun(rollout.PhaseStatus{Phase: rollout.PhaseDrain, State: rollout.PhaseBlocked, Asked: ago(20 * time.Second)},
		waiting(rollout.PhaseRestart), waiting(rollout.PhaseFill))
	hook := st.Plan.Steps[0].Hook
	p := fixturePrompt(rollout.AskNodeDown, "D8", append([]rollout.Choice{
		{Word: rollout.WordWait}, {Word: rollout.WordSkip}, {Word: rollout.WordUndrained, Does: hook, TypeID: true},
	}, usual...)...)
	p.Evidence.Policy, p.Evidence.Availability = client.PolicyActive, client.AvailabilityOffline
	p.Evidence.LeftoversKnown, p.Evidence.Leftovers, p.Evidence.Attached, p.Evidence.Pending = false, nil, 1567, 12
	st.Prompt = p
	return st
}

func askGate() *rollout.Status {
	st := fixtureRun(rollout.PhaseStatus{Phase: rollout.PhaseDrain, State: rollout.PhaseBlocked, Asked: ago(20 * time.Second)},
		waiting(rollout.PhaseRestart), waiting(rollout.PhaseFill))
	p := fixturePrompt(rollout.AskGate, "", append([]rollout.Choice{
		{Word: rollout.WordWait},
		{Word: rollout.WordOverride, Gate: gate.StuckReconcilesZero, Reason: true},
		{Word: rollout.WordOverride, Gate: gate.AZRedundancy, Reason: true, TypeID: true},
		{Word: rollout.WordSkip},
	}, usual...)...)
	p.Evidence.Policy, p.Evidence.Attached, p.Evidence.LeftoversKnown, p.Evidence.Leftovers = client.PolicyActive, 1567, false, nil
	p.Evidence.Gates = []gate.Result{
		{Gate: gate.StuckReconcilesZero, Verdict: gate.Fail, Figure: "2 stuck reconciles, 0 wanted", Overridable: true},
		{Gate: gate.AZRedundancy, Verdict: gate.Fail, Figure: "eu-1a would keep no node; 14 shards have their only secondary there", Overridable: true},
		{Gate: gate.LeaderStable, Verdict: gate.Pass, Figure: "leader since 12 d"},
	}
	st.Prompt = p
	return st
}

func askHookFailed() *rollout.Status {
	st := fixtureRun(drained, rollout.PhaseStatus{Phase: rollout.PhaseRestart, State: rollout.PhaseBlocked, Started: ago(15 * time.Second)}, waiting(rollout.PhaseFill))
	hook := st.Plan.Steps[0].Hook
	p := fixturePrompt(rollout.AskHookFailed, "R1", append([]rollout.Choice{
		{Word: rollout.WordRetry, Does: "run once more: " + hook, TypeID: true},
		{Word: rollout.WordManual},
		{Word: rollout.WordAccept, TypeID: true, Reason: true},
		{Word: rollout.WordSkip},
	}, usual...)...)
	p.Cause = "exit status 255"
	p.Evidence.HookTail = []string{"ssh: connect to host ps-1.internal port 22: Connection timed out"}
	p.Evidence.Launch, p.Evidence.PreLaunch = ago(12*24*time.Hour), ago(12*24*time.Hour)
	st.Prompt = p
	return st
}

func draining() *rollout.Status {
	return fixtureRun(rollout.PhaseStatus{
		Phase: rollout.PhaseDrain, State: rollout.PhaseRunning, Started: ago(58 * time.Second), Deadline: fixedNow.Add(182 * time.Second),
		Progress: rollout.Progress{
			Total: 1567, Left: 756, LastMove: ago(time.Second), Rate: 14, ETA: rollout.Range{Min: 50 * time.Second, Max: 90 * time.Second},
		},
	}, waiting(rollout.PhaseRestart), waiting(rollout.PhaseFill))
}

func stalling() *rollout.Status {
	st := draining()
	pr := &st.Steps[0].Phases[0].Progress
	pr.Left, pr.LastMove, pr.Rate, pr.ETA = 8, ago(35*time.Second), 0, rollout.Range{}
	pr.Blocking = askNoProgress().Steps[0].Phases[0].Progress.Blocking
	st.Hold = rollout.Hold{Reason: "the controller is not answering (connection refused)", Since: ago(40 * time.Second)}
	return st
}

func restarting() *rollout.Status {
	st := fixtureRun(drained, rollout.PhaseStatus{
		Phase: rollout.PhaseRestart, State: rollout.PhaseRunning, Started: ago(9 * time.Second), Detail: "the restart command runs",
	}, waiting(rollout.PhaseFill))
	st.Steps[0].HookTail = []string{"stopping pageserver", "starting pageserver"}
	return st
}

func finished() *rollout.Status {
	st := fixtureRun()
	for i := range st.Steps {
		s := &st.Steps[i]
		off := time.Duration(i) * 8 * time.Minute
		at := func(d time.Duration) time.Time { return ago(20*time.Minute - off - d) }
		s.State = rollout.StepDone
		s.Phases = []rollout.PhaseStatus{
			{Phase: rollout.PhaseDrain, State: rollout.PhaseDone, Started: at(0), Ended: at(112 * time.Second), Progress: rollout.Progress{Total: s.Plan.Attached, Left: 0}},
			{Phase: rollout.PhaseRestart, State: rollout.PhaseDone, Started: at(150 * time.Second), Ended: at(174 * time.Second)},
			{Phase: rollout.PhaseFill, State: rollout.PhaseDone, Started: at(200 * time.Second), Ended: at(323 * time.Second)},
			{Phase: rollout.PhaseVerify, State: rollout.PhaseDone, Started: at(323 * time.Second), Ended: at(324 * time.Second)},
		}
		s.LeftoversKnown, s.LeftoversAt, s.AttachedAfter = true, at(112*time.Second), s.Plan.Attached-1
		s.HookStart, s.BackAfter, s.ExposedShards = at(150*time.Second), 24*time.Second, 0
		s.Home = &rollout.HomeReport{Home: int(s.Plan.Attached) - 6, SameAZ: 5, Other: 1, Where: []rollout.Landing{{Node: 3, Shards: 5}, {Node: 4, Shards: 1}}}
	}
	one := &st.Steps[0]
	one.State, one.ExposedShards, one.Phases[0].Progress.Left = rollout.StepDegraded, 3, 3
	one.Leftovers = fixtureEvidence().Leftovers
	one.Issues = []string{"3 shards stayed, as planned"}
	st.Started, st.Ended, st.State = ago(20*time.Minute), ago(56*time.Second), rollout.RunEnded
	st.Calls = rollout.Calls{Drain: 2, Fill: 2, Hooks: 2, Reads: 611}
	st.Outcome = &rollout.Outcome{
		Exit: rollout.ExitDoneWithIssues, Word: "done with issues", Exposed: 72, Baseline: 73488,
		JournalSum: "9f2c41d07be6a8835c1e9a4f60b7d2283c5f1e0a9b8d7c6e5f4a3b2c1d0e9f8a",
	}
	return st
}

func abortedDirty() *rollout.Status {
	st := finished()
	st.Steps[1].State, st.Steps[1].Why = rollout.StepAbortedDirty, "the token may not set a policy (403)"
	st.Steps[1].Phases = st.Steps[1].Phases[:1]
	st.Steps[1].AttachedAfter, st.Steps[1].HookStart, st.Steps[1].BackAfter, st.Steps[1].Home = -1, time.Time{}, 0, nil
	st.Why = "aborted by the operator"
	st.Outcome.Exit, st.Outcome.Word = rollout.ExitAbortedDirty, "aborted"
	st.Outcome.Left = []rollout.LeftBehind{{
		Node: 2, State: "policy PauseForRestart: it takes no new shards and nobody will restart or fill it",
		Command: "curl -X PUT https://storcon.eu-1.internal:1234/control/v1/node/2/config -H 'Authorization: Bearer …' -d '{\"node_id\":2,\"scheduling\":\"Active\"}'",
	}}
	return st
}
