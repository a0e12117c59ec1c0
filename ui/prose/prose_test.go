package prose

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/gate"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

var (
	at  = time.Date(2026, 3, 14, 21, 40, 0, 0, time.UTC)
	all = []rollout.Word{
		rollout.WordYes, rollout.WordNo, rollout.WordSkip, rollout.WordRetry, rollout.WordWait, rollout.WordCancel,
		rollout.WordAccept, rollout.WordOverride, rollout.WordReset, rollout.WordUndrained, rollout.WordManual,
		rollout.WordAbort, rollout.WordDetach, rollout.WordEvidence, rollout.WordResume,
		rollout.WordRestOfNode, rollout.WordRestOfAZ, rollout.WordRestOfRun,
	}
)

func statusWith(ask rollout.Ask, e rollout.Evidence) *rollout.Status {
	plan := rollout.StepPlan{Node: 7, Addr: "ps-7.internal", AZ: "eu-1a", Attached: 1567, Hook: "ssh ps-7 restart"}
	p := &rollout.Prompt{ID: "q", Ask: ask, Node: 7, Addr: plan.Addr, AZ: plan.AZ, Evidence: e, Expires: at.Add(time.Minute)}
	for _, w := range all {
		p.Choices = append(p.Choices, rollout.Choice{Word: w, Gate: map[bool]gate.Name{true: gate.AZRedundancy}[w == rollout.WordOverride]})
	}
	if ask <= rollout.AskActivate {
		p.Literal = "PUT /control/v1/node/7/something"
	}
	return &rollout.Status{
		Run: "01J8", Goal: rollout.GoalRestart, Identity: cluster.Identity{Name: "prod-eu-1"}, Prompt: p,
		Plan:  rollout.Plan{Goal: rollout.GoalRestart, Steps: []rollout.StepPlan{plan}},
		Steps: []rollout.StepStatus{{Plan: plan, State: rollout.StepRunning, AttachedBefore: 1567, Phases: []rollout.PhaseStatus{{Phase: rollout.PhaseDrain, State: rollout.PhaseBlocked}}}},
	}
}

// P24: every question names its node or what it is about, has its own words,
// and every answer of every question says what it does.
func TestEveryQuestionAndAnswerHasItsWords(t *testing.T) {
	titles := map[string]rollout.Ask{}
	for ask := rollout.AskDrain; ask <= rollout.AskCleanup; ask++ {
		for _, e := range []rollout.Evidence{
			{Attached: -1, Pending: -1},
			{Policy: client.PolicyDraining, Availability: client.AvailabilityOffline, Attached: 12, LeftoversKnown: true, Leftovers: []rollout.Leftover{{Shard: "aa-0001"}}, SkipMinutes: 33},
		} {
			st := statusWith(ask, e)
			for _, detail := range []Detail{Brief, Normal, Full} {
				q := Ask(st, st.Prompt, at, detail)
				require.NotContains(t, q.Title, "QUESTION", "ask %d has no words", ask)
				require.Contains(t, q.Where, "prod-eu-1")
				require.Contains(t, q.Where, "ps-7.internal")
				titles[q.Title] = ask
				labels := map[string]bool{}
				text := q.Title + q.Expires
				for _, f := range q.Facts {
					labels[f.Label] = true
					text += strings.Join(f.Lines, "")
				}
				require.True(t, labels["if not"], "ask %d does not say what happens if nothing is done", ask)
				require.True(t, labels["evidence"])
				if ask <= rollout.AskActivate {
					require.True(t, labels["then"], "ask %d does not say what follows", ask)
					require.Contains(t, text, st.Prompt.Literal)
				} else {
					require.True(t, labels["happened"] || labels["then"], "ask %d does not say what happened", ask)
				}
				require.Len(t, q.Options, len(all))
				for _, o := range q.Options {
					require.NotEmpty(t, o.Label, "ask %d, %s", ask, o.Word)
					if o.Word != rollout.WordYes || ask <= rollout.AskActivate {
						require.NotEmpty(t, o.Outcome, "ask %d, %s", ask, o.Word)
					}
					text += o.Label + o.Outcome
				}
				require.NotContains(t, text, "{", "ask %d", ask)
				require.NotContains(t, strings.ToLower(text), "are you sure")
			}
		}
	}
	require.GreaterOrEqual(t, len(titles), int(rollout.AskCleanup), "two questions share their words")
}

// X5: nobody refused anything when somebody set the policy.
func TestPolicyOfSomebodyElseIsNoRefusal(t *testing.T) {
	st := statusWith(rollout.AskRefused, rollout.Evidence{Policy: client.PolicyPause, Attached: -1, Pending: -1})
	st.Prompt.Row = "X5"
	require.Equal(t, "SOMEBODY SET NODE 7 TO Pause", Ask(st, st.Prompt, at, Normal).Title)
	st.Prompt.Row = "D12"
	require.Contains(t, Ask(st, st.Prompt, at, Normal).Title, "REFUSED")
}

// Whoever skips the last node, or the only one, is told that the run ends with it.
func TestSkipSaysWhatFollows(t *testing.T) {
	st := statusWith(rollout.AskDrain, rollout.Evidence{})
	skip := func() string {
		for _, o := range Ask(st, st.Prompt, at, Normal).Options {
			if o.Word == rollout.WordSkip {
				return o.Outcome
			}
		}
		return ""
	}
	require.Equal(t, "leaves node 7 and ends the run: it is the last node", skip())
	st.Plan.Steps = append(st.Plan.Steps, rollout.StepPlan{Node: 8})
	require.Equal(t, "leaves node 7 and goes on with the next node", skip())
}

// L10: an orphaned fill restarts nothing, so nothing becomes unavailable.
func TestOrphanedFillTakesNothingDown(t *testing.T) {
	for phase, down := range map[rollout.Phase]bool{rollout.PhaseDrain: true, rollout.PhaseFill: false} {
		st := statusWith(rollout.AskOrphan, rollout.Evidence{LeftoversKnown: true, Leftovers: []rollout.Leftover{{Shard: "aa-0001"}}, Attached: 1})
		st.Steps[0].Phases[0].Phase = phase
		var text []string
		for _, f := range Ask(st, st.Prompt, at, Normal).Facts {
			text = append(text, f.Label+" "+strings.Join(f.Lines, "\n"))
		}
		require.Equal(t, down, strings.Contains(strings.Join(text, "\n"), "unavailable until it is back"), phase)
	}
}

// N3: the number of shards that a restart takes down is always said, a 0 too,
// and an unknown number is never a 0.
func TestRestartSaysWhatItTakesDown(t *testing.T) {
	shards := []rollout.Leftover{{Shard: "aa-0001", Reason: rollout.NoSecondary, Planned: true}, {Shard: "bb-0002"}}
	for _, c := range []struct {
		e    rollout.Evidence
		here string
		down string
		stay string
	}{
		{rollout.Evidence{LeftoversKnown: true, Attached: 0}, "0 shards: nothing is attached here any more", "no shard goes down with it", "serves no shards"},
		{rollout.Evidence{LeftoversKnown: true, Leftovers: shards[:1]}, "1 shard stays attached: unavailable until it is back (as planned)", "1 shard is unavailable", "keeps serving that 1 shard"},
		{rollout.Evidence{LeftoversKnown: true, Leftovers: shards}, "2 shards stay attached: unavailable until it is back (1 not in the plan)", "2 shards are unavailable", "keeps serving those 2 shards"},
		{rollout.Evidence{Attached: 5}, "the shard list cannot be read; the gauge counts 5 shards still attached", "5 shards are unavailable", "keeps serving those 5 shards"},
		{rollout.Evidence{Attached: -1}, "the shard list cannot be read, and no count is known either", "nobody knows how many shards go down", "serves what is still attached"},
	} {
		st := statusWith(rollout.AskRestart, c.e)
		q := Ask(st, st.Prompt, at, Normal)
		var text []string
		for _, f := range q.Facts {
			text = append(text, f.Label+" "+strings.Join(f.Lines, "\n"))
		}
		require.Contains(t, strings.Join(text, "\n"), "left here "+c.here)
		require.Contains(t, strings.Join(text, "\n"), c.stay)
		require.Contains(t, q.Options[0].Outcome, c.down)
	}
}

func TestFigures(t *testing.T) {
	for n, want := range map[int64]string{-1: "…", 0: "0", 999: "999", 1567: "1 567", 1234567: "1 234 567"} {
		require.Equal(t, want, Count(n))
	}
	for d, want := range map[time.Duration]string{
		-time.Second: "0 s", 400 * time.Millisecond: "0.4 s", 48 * time.Second: "48 s", 112 * time.Second: "1 min 52 s",
		2 * time.Minute: "2 min", 190 * time.Minute: "3 h 10 min", 5 * time.Hour: "5 h", 12 * 24 * time.Hour: "12 d",
		59*time.Second + 900*time.Millisecond: "1 min",
	} {
		require.Equal(t, want, Span(d), d)
	}
	for r, want := range map[rollout.Range]string{
		{}: "…", {Max: 20 * time.Second}: "~20 s", {Min: 5 * time.Second, Max: 30 * time.Second}: "5–30 s",
		{Min: time.Minute, Max: 3 * time.Minute}: "1–3 m", {Min: 50 * time.Second, Max: 90 * time.Second}: "50–90 s",
		{Min: 61 * time.Second, Max: 121 * time.Second}: "1–3 m", {Min: 37 * time.Second, Max: 191 * time.Second}: "<1–4 m",
		{Min: 16 * time.Second, Max: 80 * time.Second}: "15–80 s", {Min: 20 * time.Second, Max: 20 * time.Second}: "~20 s",
		{Min: 90 * time.Minute, Max: 150 * time.Minute}: "1–3 h", {Min: 400 * time.Millisecond, Max: 700 * time.Millisecond}: "<1–1 s",
	} {
		require.Equal(t, want, Estimate(r))
	}
	require.Equal(t, "1 shard", Things(1, "shard"))
	require.Equal(t, "… shards", Things(-1, "shard"))
	require.Equal(t, "3aa9…8e41-0002", ShortShard("3aa90c1ce4bd4d8a9b0d2a7f11e08e41-0002"))
	require.Equal(t, "99.9 %", Percent(73416, 73488))
	require.Equal(t, "100 %", Percent(5, 5))
	require.Equal(t, "…", Percent(5, 0))
}

func TestExposure(t *testing.T) {
	require.Equal(t, "72 shard·s; undrained it would have been about 73 488: 99.9 % less", ExposedLine(&rollout.Outcome{Exposed: 72, Baseline: 73488}))
	require.Equal(t, "unknown", ExposedLine(&rollout.Outcome{Exposed: -1, Baseline: 10}))
	require.Equal(t, "4 mutating (2 PUT drain, 2 PUT fill), 2 hooks, 611 reads", CallsLine(rollout.Calls{Drain: 2, Fill: 2, Hooks: 2, Reads: 611}))
}

func TestReportNamesWhatIsLeft(t *testing.T) {
	st := statusWith(rollout.AskCleanup, rollout.Evidence{})
	st.Outcome = &rollout.Outcome{
		Exit: rollout.ExitAbortedDirty, Word: "aborted", Exposed: -1, Baseline: -1,
		Left: []rollout.LeftBehind{{Node: 7, State: "policy Draining: the drain goes on", Command: "curl -X PUT …"}},
	}
	st.Steps[0].Issues = []string{"the drain was cancelled | by *somebody*"}
	st.Steps[0].Overrides = []gate.Override{{Gate: gate.AZRedundancy, Node: 7, By: "ann", Reason: "CHG-118"}}
	text := strings.Join(ReportText(st, at), "\n")
	require.Contains(t, text, "REPORT  aborted (exit 6)")
	require.Contains(t, text, "left     node 7: policy Draining: the drain goes on")
	require.Contains(t, text, "put right by: curl -X PUT …")
	require.Contains(t, text, "node 7: gate az_redundancy overridden by ann: CHG-118")
	md := ReportMarkdown(st, at)
	require.Contains(t, md, `- **issues**: node 7: the drain was cancelled \| by \*somebody\*`)
	require.Contains(t, md, "| node | step | drain |")
	require.Contains(t, md, "| ---: | --- |")
}

// When a run has ended nothing of it runs, and nothing waits for anybody.
func TestReportOfAnEndedRunIsOver(t *testing.T) {
	for _, state := range []rollout.PhaseState{rollout.PhaseRunning, rollout.PhaseBlocked} {
		st := &rollout.Status{Goal: rollout.GoalRestart, Steps: []rollout.StepStatus{{
			Plan: rollout.StepPlan{Node: 7}, State: rollout.StepSkipped,
			Phases: []rollout.PhaseStatus{{Phase: rollout.PhaseDrain, State: state, Started: at}},
		}}}
		require.Equal(t, PhaseState(state), ReportRows(st)[0][2])
		st.Outcome = &rollout.Outcome{Exit: rollout.ExitPaused}
		require.Equal(t, "not done", ReportRows(st)[0][2])
		st.Steps[0].State = rollout.StepRunning
		require.Equal(t, "left unfinished", ReportRows(st)[0][1])
	}
}

func TestPlanText(t *testing.T) {
	p := rollout.Plan{
		Goal: rollout.GoalRestart, Identity: cluster.Identity{Name: "prod-eu-1", Demo: true},
		Steps: []rollout.StepPlan{{
			Node: 1, AZ: "eu-1a", Policy: client.PolicyActive, Attached: 1567, Hook: "ssh ps-1 restart",
			Stay:    []rollout.Stay{{Shard: "a", Reason: rollout.NoSecondary}, {Shard: "b", Reason: rollout.PolicyPause}},
			Landing: []rollout.Landing{{Node: 3, Shards: 812}, {Node: 4, Shards: 752}, {Node: 5, Shards: 1}},
			Calls:   []string{"PUT /control/v1/node/1/drain", "PUT /control/v1/node/1/fill"},
			Restart: rollout.Range{Min: 5 * time.Second, Max: 30 * time.Second},
		}},
		LeftOut: []rollout.LeftOut{{Node: 5, Policy: client.PolicyPause, Why: "set by somebody"}},
		Gates: []gate.Result{
			{Gate: gate.LeaderStable, Verdict: gate.Pass, Figure: "leader since 12 d"},
			{Gate: gate.StuckReconcilesZero, Verdict: gate.Fail, Figure: "2 stuck"},
		},
	}
	text := strings.Join(PlanText(p, NothingSent), "\n")
	for _, want := range []string{
		"PLAN  rolling restart of node 1 on prod-eu-1 (DEMO) · nothing has been sent",
		"2: 1 no secondary, 1 shard policy Pause", "3 (+812), 4 (+752) and 1 more",
		"PUT /control/v1/node/1/drain → hook: ssh ps-1 restart → wait for a new launch time and Active → PUT /control/v1/node/1/fill  (2 mutating calls, 1 hook)",
		"node 5 (Pause) is left out: set by somebody",
		"node 1 now, undrained: 1 567 shards x 5–30 s. Drained: 2 shards x 5–30 s.",
	} {
		require.Contains(t, text, want)
	}
	require.Less(t, strings.Index(text, "fail"), strings.Index(text, "pass"), "what holds comes first")
	p.TenantsOff = "the token lacks scope admin"
	text = strings.Join(PlanText(p, NothingSent), "\n")
	require.Contains(t, text, "is not known: the token lacks scope admin")
	require.NotContains(t, text, "no secondary")
}

func TestEveryExitCodeHasAMeaning(t *testing.T) {
	for _, code := range []rollout.ExitCode{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 130, 143} {
		require.NotEqual(t, "unknown exit code", Exit(code))
	}
}
