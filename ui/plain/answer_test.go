package plain

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/engine/gate"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

func rich() rollout.Prompt {
	return rollout.Prompt{ID: "q", Node: 3, Choices: []rollout.Choice{
		{Word: rollout.WordYes},
		{Word: rollout.WordNo},
		{Word: rollout.WordSkip},
		{Word: rollout.WordWait},
		{Word: rollout.WordAccept, TypeID: true, Reason: true},
		{Word: rollout.WordUndrained, TypeID: true},
		{Word: rollout.WordOverride, Gate: gate.StuckReconcilesZero, Reason: true},
		{Word: rollout.WordOverride, Gate: gate.AZRedundancy, Reason: true, TypeID: true},
		{Word: rollout.WordCancel, Off: "nothing runs"},
		{Word: rollout.WordRestOfAZ},
	}}
}

func TestParseAnswer(t *testing.T) {
	for line, want := range map[string]rollout.Answer{
		"yes":                                  {Word: rollout.WordYes},
		"  YES  ":                              {Word: rollout.WordYes},
		"y":                                    {Word: rollout.WordYes},
		"yes 3":                                {Word: rollout.WordYes, Node: 3},
		"n":                                    {Word: rollout.WordNo},
		"pause":                                {Word: rollout.WordNo},
		"no time for it":                       {Word: rollout.WordNo, Reason: "time for it"},
		"skip disk is being moved":             {Word: rollout.WordSkip, Reason: "disk is being moved"},
		"wait":                                 {Word: rollout.WordWait},
		"wait 10m":                             {Word: rollout.WordWait, Extend: 10 * time.Minute},
		"wait 1h30m 3 big shards":              {Word: rollout.WordWait, Extend: 90 * time.Minute, Node: 3, Reason: "big shards"},
		"wait for Ann":                         {Word: rollout.WordWait, Reason: "for Ann"},
		"undrained 3":                          {Word: rollout.WordUndrained, Node: 3},
		"accept 3 seen in the log":             {Word: rollout.WordAccept, Node: 3, Reason: "seen in the log"},
		"rest-of-az":                           {Word: rollout.WordRestOfAZ},
		"override stuck_reconciles_zero known": {Word: rollout.WordOverride, Gate: gate.StuckReconcilesZero, Reason: "known"},
		"override az_redundancy 3 approved in CHG-118": {Word: rollout.WordOverride, Gate: gate.AZRedundancy, Node: 3, Reason: "approved in CHG-118"},
	} {
		got, err := ParseAnswer(line, rich())
		require.NoError(t, err, line)
		want.Prompt = "q"
		require.Equal(t, want, got, line)
	}
}

func TestParseAnswerRefuses(t *testing.T) {
	for line, why := range map[string]string{
		"":                                   "an empty line is no answer",
		" \t":                                "an empty line is no answer",
		"yess":                               `"yess" is no answer to this question`,
		"yesyes":                             `"yesyes" is no answer to this question`,
		"abort":                              `"abort" is no answer to this question`,
		"cancel":                             "cancel is off now: nothing runs",
		"yes 4":                              "this question is about node 3, not 4",
		"yes 99999999999999999999":           "this question is about node 3, not 99999999999999999999",
		"undrained":                          "undrained does nothing without the node's id: undrained NODE-ID",
		"undrained node 3":                   "undrained does nothing without the node's id: undrained NODE-ID",
		"undrained 33":                       "this question is about node 3, not 33",
		"accept because":                     "accept does nothing without the node's id: accept NODE-ID REASON",
		"accept 3":                           "accept needs a reason: accept NODE-ID REASON",
		"override":                           "override needs the gate's name: override GATE",
		"override lock_held":                 `no gate "lock_held" can be overridden here`,
		"override az_redundancy why":         "override does nothing without the node's id: override az_redundancy NODE-ID REASON",
		"override stuck_reconciles_zero":     "override needs a reason: override stuck_reconciles_zero REASON",
		"override stuck_reconciles_zero 4 x": "this question is about node 3, not 4",
		"wait 10":                            "this question is about node 3, not 10",
		"wait 10mm":                          `"10mm" is no time; write it like 10m or 90s`,
		"wait -5m":                           "wait takes a time of more than 0 and at most 24h, not -5m",
		"wait 48h":                           "wait takes a time of more than 0 and at most 24h, not 48h",
	} {
		got, err := ParseAnswer(line, rich())
		require.EqualError(t, err, why, "%q gave %+v", line, got)
		require.Zero(t, got, line)
	}
}

// Whatever comes in, what comes out is a choice of the prompt with all its parts.
func FuzzParseAnswer(f *testing.F) {
	for _, line := range []string{"yes", "wait 10m", "override az_redundancy 3 why", "undrained 3", "accept 3 x", "\x00", "yes\r"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		p := rich()
		a, err := ParseAnswer(line, p)
		if err != nil {
			require.Zero(t, a)
			return
		}
		require.Equal(t, p.ID, a.Prompt)
		require.True(t, a.Node == 0 || a.Node == p.Node)
		for _, c := range p.Choices {
			if c.Word == a.Word && c.Gate == a.Gate {
				require.Empty(t, c.Off)
				require.True(t, !c.TypeID || a.Node == p.Node)
				require.True(t, !c.Reason || a.Reason != "")
				require.True(t, a.Extend >= 0 && a.Extend <= 24*time.Hour)
				return
			}
		}
		t.Fatalf("%q became %+v, which is no choice", line, a)
	})
}
