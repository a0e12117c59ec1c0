package prose

import (
	"strings"

	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// labels are what a key's hint says, a few words each.
var labels = map[rollout.Word]string{
	rollout.WordYes:        "yes",
	rollout.WordNo:         "pause",
	rollout.WordSkip:       "skip node {node}",
	rollout.WordRetry:      "retry",
	rollout.WordWait:       "wait",
	rollout.WordCancel:     "cancel the {op}",
	rollout.WordAccept:     "accept",
	rollout.WordOverride:   "override {gate}",
	rollout.WordReset:      "set node {node} Active",
	rollout.WordUndrained:  "restart undrained",
	rollout.WordManual:     "by hand",
	rollout.WordAbort:      "abort run",
	rollout.WordDetach:     "detach",
	rollout.WordEvidence:   "evidence",
	rollout.WordResume:     "go on",
	rollout.WordRestOfNode: "yes to the rest of node {node}",
	rollout.WordRestOfAZ:   "of {az}",
	rollout.WordRestOfRun:  "of the run",
}

// askLabels are labels that say more for one kind of question.
var askLabels = map[rollout.Ask]map[rollout.Word]string{
	rollout.AskDrain:           {rollout.WordYes: "drain node {node}"},
	rollout.AskRestart:         {rollout.WordYes: "restart node {node}", rollout.WordReset: "set Active, drain again"},
	rollout.AskFill:            {rollout.WordYes: "fill node {node}", rollout.WordSkip: "skip the fill"},
	rollout.AskCancel:          {rollout.WordYes: "cancel the {op}"},
	rollout.AskActivate:        {rollout.WordYes: "set node {node} Active"},
	rollout.AskBusy:            {rollout.WordRetry: "look again", rollout.WordAccept: "take it over"},
	rollout.AskHalted:          {rollout.WordRetry: "look again"},
	rollout.AskCleanup:         {rollout.WordDetach: "leave it so"},
	rollout.AskResume:          {rollout.WordYes: "take it up", rollout.WordNo: "not now"},
	rollout.AskHookFailed:      {rollout.WordRetry: "run it again", rollout.WordAccept: "count as restarted"},
	rollout.AskRestartUnproven: {rollout.WordRetry: "run it again", rollout.WordAccept: "count as restarted"},
	rollout.AskNotBack:         {rollout.WordRetry: "run it again"},
	rollout.AskDrainEnded:      {rollout.WordRetry: "drain again"},
	rollout.AskNotDrained:      {rollout.WordReset: "set Active, drain again"},
	rollout.AskPolicyLost:      {rollout.WordRetry: "drain again"},
	rollout.AskDrainedEarlier:  {rollout.WordAccept: "take it as drained", rollout.WordReset: "set Active, drain again"},
	rollout.AskRestartedEarly:  {rollout.WordWait: "count as restarted", rollout.WordRetry: "drain again"},
}

// outcomes say what happens when the word is chosen.
var outcomes = map[rollout.Word]string{
	rollout.WordNo:         "pauses the run here; nothing more is sent, what runs at the controller goes on",
	rollout.WordSkip:       "leaves node {node} and {onward}",
	rollout.WordRetry:      "tries once more",
	rollout.WordWait:       "keeps waiting, then asks again",
	rollout.WordCancel:     "cancels the {op}; moves under way go on for seconds, then you are asked again",
	rollout.WordAccept:     "takes the evidence as it is and goes on; the report names it",
	rollout.WordOverride:   "goes on against {gate} for node {node} only; the report names it",
	rollout.WordReset:      "sets the policy of node {node} to Active: the controller may place shards there again",
	rollout.WordUndrained:  "restarts node {node} without a finished drain: {stay-down}",
	rollout.WordManual:     "runs nothing: you restart node {node} by hand, the run waits for the proof",
	rollout.WordAbort:      "ends the run: puts node {node} right if it can, leaves the other nodes untouched",
	rollout.WordDetach:     "leaves the run as it is: nothing more is sent, what runs at the controller goes on",
	rollout.WordEvidence:   "shows all that is known; the question stays",
	rollout.WordResume:     "goes on; the next act is asked about first",
	rollout.WordRestOfNode: "yes to this and to all that follows on node {node}, until the first anomaly",
	rollout.WordRestOfAZ:   "yes to this and to all that follows in {az}, until the first anomaly",
	rollout.WordRestOfRun:  "yes to this and to all that follows in this run, until the first anomaly",
}

// askOutcomes are outcomes that differ for one kind of question.
var askOutcomes = map[rollout.Ask]map[rollout.Word]string{
	rollout.AskDrain: {
		rollout.WordYes: "starts the drain of node {node}",
	},
	rollout.AskRestart: {
		rollout.WordYes:   "runs the command once: {stay-down}",
		rollout.WordReset: "does not restart now: sets node {node} Active, then asks about its drain again",
		rollout.WordSkip:  "does not restart node {node}: sets it Active and {onward}",
	},
	rollout.AskFill: {
		rollout.WordYes:  "starts the fill of node {node}",
		rollout.WordSkip: "sends no fill{skip}",
	},
	rollout.AskCancel:   {rollout.WordYes: "cancels the {op} of node {node}"},
	rollout.AskActivate: {rollout.WordYes: "sets the policy of node {node} to Active"},
	rollout.AskBusy: {
		rollout.WordWait:   "waits until {busy} has ended, then goes on with what you confirmed",
		rollout.WordRetry:  "asks the controller once more what it holds",
		rollout.WordAccept: "counts {busy} as this run's own; the report names it",
	},
	rollout.AskHalted: {
		rollout.WordRetry:  "reads everything again; the run goes on only when the gates pass and you say so",
		rollout.WordResume: "goes on with the run; the next act is asked about first",
	},
	rollout.AskNoProgress: {
		rollout.WordWait: "lets the {phase} go on and asks again if it still does not move",
	},
	rollout.AskDeadline: {rollout.WordWait: "gives the {phase} more time, then asks again"},
	rollout.AskHookFailed: {
		rollout.WordRetry:  "runs the command once more, as a new attempt",
		rollout.WordAccept: "counts node {node} as restarted on the evidence shown; the report names it",
	},
	rollout.AskRestartUnproven: {
		rollout.WordWait:   "keeps looking for a new launch time, then asks again",
		rollout.WordRetry:  "runs the command once more, as a new attempt",
		rollout.WordAccept: "counts node {node} as restarted although nothing proves it; the report names it",
	},
	rollout.AskNotBack: {rollout.WordWait: "keeps waiting for node {node}, then asks again"},
	rollout.AskDrainedEarlier: {
		rollout.WordAccept: "lists what is still attached, then asks about the restart",
		rollout.WordReset:  "sets node {node} Active, then asks about its drain",
	},
	rollout.AskOrphan:     {rollout.WordReset: "sets node {node} Active and goes on from there"},
	rollout.AskNotDrained: {rollout.WordReset: "sets node {node} Active, then asks about its drain again"},
	rollout.AskDrainEnded: {rollout.WordRetry: "reads the gates, then asks about the drain again"},
	rollout.AskPolicyLost: {rollout.WordRetry: "reads the gates, then asks about the drain again"},
	rollout.AskRestartedEarly: {
		rollout.WordWait:  "waits for the operation to end, then counts the restart as done; the report names it",
		rollout.WordRetry: "asks about the drain again once the operation has ended",
	},
	rollout.AskPausedAfter:  {rollout.WordWait: "looks again"},
	rollout.AskGate:         {rollout.WordWait: "looks again, and goes on asking once the gates pass"},
	rollout.AskUnreachable:  {rollout.WordWait: "goes on trying for as long again"},
	rollout.AskUnauthorized: {rollout.WordRetry: "reads the token again and tries"},
	rollout.AskResume: {
		rollout.WordYes: "takes the run up as shown",
		rollout.WordNo:  "leaves the run as it is; nothing is sent",
	},
	rollout.AskCleanup: {
		rollout.WordRetry:  "tries again to put node {node} right",
		rollout.WordDetach: "leaves node {node} as it stands; the report names it with the command that puts it right",
	},
}

func wordFor(p *rollout.Prompt, w rollout.Word, special map[rollout.Ask]map[rollout.Word]string, general map[rollout.Word]string) string {
	if text, ok := special[p.Ask][w]; ok {
		return text
	}
	return general[w]
}

// needs says what must be typed after the word: " NODE-ID REASON".
func needs(c rollout.Choice) string {
	var parts []string
	if c.Word == rollout.WordOverride {
		parts = append(parts, string(c.Gate))
	}
	if c.Word == rollout.WordWait {
		parts = append(parts, "[10m]")
	}
	if c.TypeID {
		parts = append(parts, "NODE-ID")
	}
	if c.Reason {
		parts = append(parts, "REASON")
	}
	return strings.Join(parts, " ")
}
