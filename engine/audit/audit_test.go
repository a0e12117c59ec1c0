package audit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/audit"
	"github.com/StorconTUI/storcon-tui/engine/journal"
)

// written numbers records as a journal does.
func written(recs ...journal.Record) journal.Records {
	for i := range recs {
		recs[i].Line, recs[i].Seq = i+1, uint64(i+1)
		recs[i].Boot, recs[i].Mono = "boot", int64(i)
	}
	return recs
}

func header(nodes ...client.NodeID) journal.Record {
	return journal.Record{Kind: journal.KindHeader}.With(journal.Header{Nodes: nodes})
}

func ask(id string) journal.Record {
	return journal.Record{Kind: journal.KindPrompt, Node: 1}.With(map[string]string{"id": id})
}

func yes(id string) journal.Record {
	return journal.Record{Kind: journal.KindAnswer, Node: 1, By: &journal.Actor{User: "oncall1"}}.With(map[string]string{"prompt": id})
}

func intent(eff string, cls journal.Class) journal.Record {
	return journal.Record{Kind: journal.KindIntent, Node: 1, Eff: eff, Att: 1, Cls: cls, Pre: &journal.Pre{Policy: "Active"}}
}

func result(eff string, class journal.ResultClass) journal.Record {
	return journal.Record{Kind: journal.KindResult, Node: 1, Eff: eff, Att: 1, Cls: journal.ADV}.With(journal.Result{Class: class})
}

func hook(kind journal.Kind, policy string) journal.Record {
	return journal.Record{Kind: kind, Node: 1, Eff: "n1.restart.1", Att: 1, Cls: journal.ONCE, Pre: &journal.Pre{Policy: policy}}
}

func state(node client.NodeID, to string) journal.Record {
	return journal.Record{Kind: journal.KindState, Node: node}.With(journal.State{From: "X", To: to})
}

func end(c journal.Close) journal.Record { return journal.Record{Kind: journal.KindClose}.With(c) }

func probed(class journal.ResultClass, msg string) journal.Record {
	return journal.Record{Kind: journal.KindResult, Node: 1, Eff: "n1.probe.1", Att: 1, Cls: journal.OBS}.
		With(journal.Result{Class: class, Msg: msg})
}

var (
	probe   = intent("n1.probe.1", journal.OBS)
	drainOK = result("n1.drain.1", journal.ResultOK)
	drain   = intent("n1.drain.1", journal.ADV)
	done    = end(journal.Close{Outcome: journal.Done})
)

func TestCheck(t *testing.T) {
	paused := drain
	paused.Pre = &journal.Pre{Policy: "Pause"}
	stranger := drain
	stranger.Node = 7
	nobody := yes("q1")
	nobody.By = nil
	bare := drain
	bare.Att = 0
	early := done
	tests := map[string]struct {
		recs journal.Records
		line int
		rule string
	}{
		"keeps every rule": {written(header(1), state(1, "PRECHECK"), ask("q1"), yes("q1"), drain, drainOK,
			ask("q2"), yes("q2"), hook(journal.KindHookStart, "PauseForRestart"), hook(journal.KindHookEnd, ""), state(1, "ENDED"), done), 0, ""},
		"a refused call leaves its answer standing": {written(header(1), ask("q1"), yes("q1"), drain,
			result("n1.drain.1", journal.ResultRefused), intent("n1.drain.2", journal.ADV)), 0, ""},
		"an orphan's label, by a probe that found the slot free": {written(header(1), ask("q1"), yes("q1"),
			probe, probed(journal.ResultOK, "the slot is free"), hook(journal.KindHookStart, "Draining")), 0, ""},
		"an orphan's label, by a probe that found another's operation": {written(header(1), ask("q1"), yes("q1"),
			probe, probed(journal.ResultRefused, "running: fill 11"), hook(journal.KindHookStart, "Draining")), 0, ""},
		"a run that goes on":                     {written(header(1), state(1, "PRECHECK"), ask("q1"), yes("q1"), drain), 0, ""},
		"taken up again after a kill":            {written(header(1), ask("q1"), yes("q1"), drain, journal.Record{Kind: journal.KindResume}, intent("n1.drain.2", journal.ADV)), 0, ""},
		"what cancels rests on any answer":       {written(header(1), ask("q1"), yes("q1"), drain, drainOK, intent("n1.canceldrain.1", journal.CAN)), 0, ""},
		"closed by a person":                     {written(header(1), state(1, "DRAINING"), end(journal.Close{Outcome: journal.ClosedByOperator})), 0, ""},
		"I1: two nodes in work":                  {written(header(1, 2), state(1, "DRAINING"), state(2, "PRECHECK")), 3, audit.RuleOneNode},
		"I2: two calls at once":                  {written(header(1), ask("q1"), yes("q1"), drain, intent("n1.canceldrain.1", journal.CAN)), 5, audit.RuleOneCall},
		"I3: an answer to nothing":               {written(header(1), drainOK), 2, audit.RuleIntent},
		"I3: a restart that was never announced": {written(header(1), hook(journal.KindHookEnd, "")), 2, audit.RuleIntent},
		"I4: restarted under a drain":            {written(header(1), ask("q1"), yes("q1"), hook(journal.KindHookStart, "Draining")), 4, audit.RuleOpAlive},
		"I4: restarted while a probe found the drain": {written(header(1), ask("q1"), yes("q1"),
			probe, probed(journal.ResultRefused, "running: drain 1"), hook(journal.KindHookStart, "Draining")), 6, audit.RuleOpAlive},
		"I4: restarted with the drain unanswered": {written(header(1), ask("q1"), yes("q1"), drain, ask("q2"), yes("q2"), hook(journal.KindHookStart, "Active")), 7, audit.RuleOpAlive},
		"I5: twice": {written(header(1), ask("q1"), yes("q1"), hook(journal.KindHookStart, "Active"), ask("q2"), yes("q2"),
			hook(journal.KindHookStart, "Active")), 7, audit.RuleHookOnce},
		"I7: nobody was asked":                {written(header(1), drain), 2, audit.RuleAnswer},
		"I7: one answer, two steps":           {written(header(1), ask("q1"), yes("q1"), drain, drainOK, hook(journal.KindHookStart, "Active")), 6, audit.RuleAnswer},
		"I7: an answer to an older question":  {written(header(1), ask("q1"), ask("q2"), yes("q1"), drain), 4, audit.RuleAnswer},
		"I7: nobody answered":                 {written(header(1), ask("q1"), nobody), 3, audit.RuleAnswer},
		"I7: cancelled without a word":        {written(header(1), intent("n1.canceldrain.1", journal.CAN)), 2, audit.RuleAnswer},
		"I8: a node outside the plan":         {written(header(1), ask("q1"), yes("q1"), stranger), 4, audit.RuleOutside},
		"I8: somebody's Pause":                {written(header(1), ask("q1"), yes("q1"), paused), 4, audit.RuleOutside},
		"I9: not at its end":                  {written(header(1), state(1, "DRAINING"), done), 3, audit.RuleLeft},
		"I9: left and called done":            {written(header(1), end(journal.Close{Outcome: journal.Done, Left: []string{"node 1: x"}})), 2, audit.RuleLeft},
		"I9: dirty without a list":            {written(header(1), end(journal.Close{Outcome: journal.AbortedDirty, Exit: 6})), 2, audit.RuleLeft},
		"I2: closed over an unanswered call":  {written(header(1), ask("q1"), yes("q1"), drain, done), 5, audit.RuleOneCall},
		"form: a call without its attempt":    {written(header(1), ask("q1"), yes("q1"), bare), 4, audit.RuleForm},
		"form: something after the end":       {written(header(1), early, state(1, "DRAINING")), 3, audit.RuleForm},
		"form: a header in the middle":        {written(header(1), header(1)), 2, audit.RuleForm},
		"form: a question that has no name":   {written(header(1), ask("")), 2, audit.RuleForm},
		"form: a close record without a word": {written(header(1), journal.Record{Kind: journal.KindClose}), 2, audit.RuleForm},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			found := audit.Check(tc.recs)
			if tc.rule == "" {
				require.Empty(t, found)
				return
			}
			require.NotEmpty(t, found)
			require.Contains(t, rules(found), tc.rule, "%v", found)
			for _, f := range found {
				require.Equal(t, tc.line, f.Line, "%v", found)
			}
		})
	}
}

func rules(found []audit.Finding) []string {
	out := make([]string, len(found))
	for i, f := range found {
		out[i] = f.Rule
	}
	return out
}

// Records that were shuffled show it by the host's own clock.
func TestOrderOfWriting(t *testing.T) {
	recs := written(header(1), ask("q1"), yes("q1"))
	recs[2].Mono = 0
	require.Equal(t, []string{audit.RuleForm}, rules(audit.Check(recs)))
	recs[2].Boot = "another"
	require.Empty(t, audit.Check(recs), "clocks of two boots do not compare")
}
