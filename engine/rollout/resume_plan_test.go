package rollout

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/journal"
)

const (
	before = 1_000
	anew   = 2_000
)

// sent is a call that the journal has an intent of; class "" is one without an
// answer.
func sent(seq uint64, class journal.ResultClass) EffectBelief {
	return EffectBelief{Seq: seq, Pre: journal.Pre{Launch: before}, Answered: class != "", Class: class}
}

func seen(p client.NodePolicy, launch int64) sight {
	return sight{listed: true, policy: p, avail: client.AvailabilityActive, launch: launch}
}

// The table of what taking a run up proposes, row by row: what the journal says,
// what the cluster shows.
//
// Rows: E1, E2, E3, E4, E5, E6, E7, E8, A8.
func TestPropose(t *testing.T) {
	const (
		active, drainingNow, paused, fillingNow = client.PolicyActive, client.PolicyDraining, client.PolicyPauseForRestart, client.PolicyFilling
	)
	start := HookBelief{Eff: "n1.restart.1", Seq: 20, Pre: journal.Pre{Launch: before}}
	alive, over := start, start
	alive.Alive = true
	over.EndAt = time.Unix(1, 0)
	drained := NodeBelief{State: "ASK_RESTART", Drain: sent(10, journal.ResultOK), Drained: true}
	restarted := func(h HookBelief, fill EffectBelief) NodeBelief {
		b := drained
		b.State, b.Hook, b.Fill = "HOOK_RUNNING", h, fill
		return b
	}
	intent := NodeBelief{State: "DRAIN_REQ", Drain: sent(10, "")}
	draining := NodeBelief{State: "DRAINING", Drain: sent(10, journal.ResultOK)}
	with := func(b NodeBelief, f func(*NodeBelief)) NodeBelief { f(&b); return b }

	for name, row := range map[string]struct {
		goal     Goal
		aborting bool
		b        NodeBelief
		o        sight
		answered bool
		want     resumeAt
	}{
		"not begun":                             {b: NodeBelief{}, o: seen(active, before), want: takeNotBegun},
		"E4 at the prompt":                      {b: NodeBelief{State: "PRECHECK"}, o: seen(active, before), want: takeAskDrain},
		"E5 answered, no intent":                {b: NodeBelief{State: "DRAIN_REQ"}, o: seen(active, before), answered: true, want: takeDrainAnswered},
		"E5 answered, but old or changed":       {b: NodeBelief{State: "DRAIN_REQ"}, o: seen(active, before), want: takeAskDrain},
		"E1 drain intent, Active":               {b: intent, o: seen(active, before), want: takeAskDrain},
		"E2 drain intent, Draining":             {b: intent, o: seen(drainingNow, before), want: takeDrainCheck},
		"drain intent, PauseForRestart":         {b: intent, o: seen(paused, before), want: takeDrainCheck},
		"E3 draining, Draining":                 {b: draining, o: seen(drainingNow, before), want: takeDrainCheck},
		"E3 draining, PauseForRestart":          {b: draining, o: seen(paused, before), want: takeDrainCheck},
		"draining, Active":                      {b: draining, o: seen(active, before), want: takeDrainCheck},
		"draining, process does not answer":     {b: draining, o: seen(paused, 0), want: takeDrainCheck},
		"D17 draining, Active, anew":            {b: draining, o: seen(active, anew), want: takeRestartedEarly},
		"R13 draining, PauseForRestart, anew":   {b: draining, o: seen(paused, anew), want: takeRestartedEarly},
		"draining, cancelled by us":             {b: with(draining, func(b *NodeBelief) { b.Cancel = sent(12, journal.ResultOK) }), o: seen(active, before), want: takeDrainCancelled},
		"draining, set Active by us":            {b: with(draining, func(b *NodeBelief) { b.Activate = sent(12, "") }), o: seen(active, before), want: takeAskDrain},
		"drained, PauseForRestart":              {b: drained, o: seen(paused, before), want: takeDrainVerify},
		"restart approved, no START":            {b: drained, o: seen(paused, before), answered: true, want: takeDrainVerify},
		"R11 drained, Active":                   {b: drained, o: seen(active, before), want: takePolicyLost},
		"R5 START, no end, same":                {b: restarted(start, EffectBelief{}), o: seen(paused, before), want: takeProve},
		"R5 START, no end, no answer":           {b: restarted(start, EffectBelief{}), o: seen(paused, 0), want: takeProve},
		"E6 START, no end, process alive":       {b: restarted(alive, EffectBelief{}), o: seen(paused, before), want: takeHookAlive},
		"START, no end, anew":                   {b: restarted(start, EffectBelief{}), o: seen(active, anew), want: takeReady},
		"E7 START and end, same":                {b: restarted(over, EffectBelief{}), o: seen(paused, before), want: takeProve},
		"E7 START and end, anew":                {b: restarted(over, EffectBelief{}), o: seen(active, anew), want: takeReady},
		"unproven and accepted":                 {b: with(restarted(over, EffectBelief{}), func(b *NodeBelief) { b.Unproven = "accepted" }), o: seen(active, before), want: takeReady},
		"E5 fill answered, no intent":           {b: restarted(over, EffectBelief{}), o: seen(active, anew), answered: true, want: takeFillAnswered},
		"fill intent, Filling":                  {b: restarted(over, sent(30, "")), o: seen(fillingNow, anew), want: takeFillCheck},
		"fill intent, Active":                   {b: restarted(over, sent(30, "")), o: seen(active, anew), want: takeAskFill},
		"E8 filling, Filling":                   {b: restarted(over, sent(30, journal.ResultOK)), o: seen(fillingNow, anew), want: takeFillCheck},
		"E8 filling, Active":                    {b: restarted(over, sent(30, journal.ResultOK)), o: seen(active, anew), want: takeVerify},
		"filling, PauseForRestart":              {b: restarted(over, sent(30, journal.ResultOK)), o: seen(paused, anew), want: takeReady},
		"fill skipped":                          {b: with(restarted(over, EffectBelief{}), func(b *NodeBelief) { b.FillSkipped = true }), o: seen(active, anew), want: takeVerify},
		"A8 aborting, Draining":                 {b: draining, aborting: true, o: seen(drainingNow, before), want: takeCleanup},
		"A8 aborting, Active":                   {b: draining, aborting: true, o: seen(active, before), want: takeCleanup},
		"A8 skipping":                           {b: with(drained, func(b *NodeBelief) { b.Leaving = true }), o: seen(paused, before), want: takeCleanup},
		"missing":                               {b: draining, o: sight{}, want: takeGone},
		"missing while aborting":                {b: draining, aborting: true, o: sight{}, want: takeGone},
		"lone fill, answered":                   {goal: GoalFill, b: NodeBelief{State: "FILL_REQ"}, o: seen(active, before), answered: true, want: takeFillAnswered},
		"lone fill, asked":                      {goal: GoalFill, b: NodeBelief{State: "ASK_FILL"}, o: seen(active, before), want: takeAskFill},
		"lone cancel, not sent":                 {goal: GoalCancel, b: NodeBelief{State: "ASK_CANCEL"}, o: seen(drainingNow, before), want: takeAskCancel},
		"lone cancel, sent":                     {goal: GoalCancel, b: NodeBelief{State: "CANCEL_REQ", Cancel: sent(5, "")}, o: seen(drainingNow, before), want: takeCancelling},
		"lone set Active, sent and Active":      {goal: GoalActivate, b: NodeBelief{State: "ACTIVATE_REQ", Activate: sent(5, "")}, o: seen(active, before), want: takeActivating},
		"lone set Active, sent and not Active":  {goal: GoalActivate, b: NodeBelief{State: "ACTIVATE_REQ", Activate: sent(5, "")}, o: seen(paused, before), want: takeAskActivate},
		"a second drain after a fill of before": {b: NodeBelief{State: "DRAINING", Drain: sent(40, journal.ResultOK), Hook: over}, o: seen(drainingNow, before), want: takeDrainCheck},
	} {
		t.Run(name, func(t *testing.T) {
			if row.goal == "" {
				row.goal = GoalRestart
			}
			got := propose(row.goal, row.aborting, row.b, row.o, row.answered)
			require.Equal(t, takes[row.want], takes[got])
		})
	}
}

// E5: a yes stands only while it is young and what it rested on is as it was.
func TestAnswerStands(t *testing.T) {
	at := time.Unix(1_000, 0)
	a := AnswerBelief{
		Seq: 5, At: at, Ask: askWord(AskDrain), Policy: client.PolicyActive,
		Availability: client.AvailabilityActive, Launch: before, Epoch: "a@1",
	}
	o := sight{listed: true, policy: client.PolicyActive, avail: client.AvailabilityActive, launch: before, epoch: "a@1"}
	validity := 5 * time.Minute
	require.True(t, a.stands(o, at.Add(validity-1), validity))
	require.False(t, a.stands(o, at.Add(validity), validity), "older than it is valid")
	require.False(t, AnswerBelief{}.stands(o, at, validity), "there is none")
	for name, change := range map[string]func(*sight){
		"policy":       func(o *sight) { o.policy = client.PolicyDraining },
		"availability": func(o *sight) { o.avail = client.AvailabilityOffline },
		"process":      func(o *sight) { o.launch = anew },
		"leader":       func(o *sight) { o.epoch = "b@2" },
	} {
		changed := o
		change(&changed)
		require.False(t, a.stands(changed, at, validity), "another %s", name)
	}
	a.Ask = askWord(AskRestart)
	require.False(t, a.stands(o, at, validity), "a restart is asked about again")
}
