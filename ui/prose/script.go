package prose

import "github.com/StorconTUI/storcon-tui/engine/rollout"

// script is the wording of one kind of question. Fields in braces are filled
// in from the prompt: {node}, {phase}, {op} (drain or fill), {policy}, {busy},
// {next} (what follows the fill), {served} (what the node serves meanwhile).
type script struct {
	title string
	runs  string // label of the literal; "sends" when empty
	what  string // what happened; "" on the regular path
	then  string // what follows a yes
	ifNot string // what stays as it is when nobody answers
}

// scripts has the regular path first, then trouble in the order of its phase.
var scripts = map[rollout.Ask]script{
	rollout.AskDrain: {
		title: "DRAIN NODE {node}?",
		then:  "wait until its policy is PauseForRestart, list what stayed, {after-drain}",
		ifNot: "nothing is sent; node {node} stays {policy} and keeps its shards",
	},
	rollout.AskRestart: {
		title: "RESTART NODE {node}?",
		runs:  "runs",
		then:  "wait for a new launch time and Active/Active, then ask about the fill",
		ifNot: "node {node} stays {policy}: it {served} and takes no new ones",
	},
	rollout.AskFill: {
		title: "FILL NODE {node}?",
		then:  "wait until its policy is Active again, see where its shards are, {next}",
		ifNot: "node {node} stays Active with few shards{skip}",
	},
	rollout.AskCancel: {
		title: "CANCEL THE {op} OF NODE {node}?",
		then:  "the policy goes back at once, moves under way go on for seconds: wait until the cluster is at rest",
		ifNot: "the {op} goes on",
	},
	rollout.AskActivate: {
		title: "SET NODE {node} ACTIVE?",
		then:  "read it back; the controller may place shards on node {node} again",
		ifNot: "node {node} stays {policy}",
	},
	rollout.AskBusy: {
		title: "NODE {node} HAS TO WAIT: THE CONTROLLER IS BUSY",
		what:  "the controller runs one operation at a time and holds {busy}, which this run did not start",
		ifNot: "nothing is sent for node {node}; {busy} goes on without us",
	},
	rollout.AskNodeDown: {
		title: "NODE {node} IS {availability} AND WAS NOT DRAINED",
		what:  "a node that is not up cannot be drained; its shards stay attached to it until it is back or failed over",
		ifNot: "nothing is sent; node {node} stays {availability}",
	},
	rollout.AskOrphan: {
		title: "NODE {node} SAYS {policy}, BUT NO OPERATION RUNS",
		what:  "the operation behind the label is gone (a controller that was killed leaves this); it will not go on by itself",
		ifNot: "node {node} stays {policy} for good: the controller will neither finish nor undo it",
	},
	rollout.AskDrainedEarlier: {
		title: "NODE {node} WAS {policy} BEFORE THIS RUN",
		what:  "somebody drained it earlier, or it was left over; the label alone does not say that it is empty",
		ifNot: "node {node} stays {policy} and takes no new shards",
	},
	rollout.AskDrainEnded: {
		title: "THE DRAIN OF NODE {node} DID NOT COMPLETE",
		what:  "PauseForRestart was not reached: it was cancelled, it failed, or the controller restarted",
		ifNot: "node {node} stays {policy}; the optimiser brings shards back to it",
	},
	rollout.AskNotDrained: {
		title: "NODE {node} SAYS {policy}, BUT NOTHING MOVED",
		what:  "as many shards are attached as before, so the node counts as not drained, whatever its label says",
		ifNot: "node {node} stays {policy} and keeps serving its shards",
	},
	rollout.AskNoProgress: {
		title: "THE {phase} OF NODE {node} IS NOT MOVING",
		what:  "no shard has moved{quiet}; the operation still runs at the controller",
		ifNot: "the {phase} goes on at the controller, at its own pace",
	},
	rollout.AskDeadline: {
		title: "THE {phase} OF NODE {node} IS OVER ITS TIME LIMIT",
		what:  "the limit stops nothing by itself; what runs goes on until you decide",
		ifNot: "the {phase} goes on",
	},
	rollout.AskRestartedEarly: {
		title: "NODE {node} RESTARTED DURING ITS DRAIN",
		what:  "its launch time changed and this run did not do it: it restarted before it was drained",
		ifNot: "node {node} stays as it came back",
	},
	rollout.AskHookFailed: {
		title: "THE RESTART COMMAND FOR NODE {node} FAILED",
		runs:  "ran",
		what:  "the command did not report success; whether the node restarted is told by its launch time only",
		ifNot: "node {node} stays {policy}; the command is not run again by itself",
	},
	rollout.AskRestartUnproven: {
		title: "THE RESTART OF NODE {node} IS NOT PROVEN",
		runs:  "ran",
		what:  "the command ended, but the node shows no new launch time: it may never have restarted",
		ifNot: "node {node} stays {policy}; nothing is filled",
	},
	rollout.AskNotBack: {
		title: "NODE {node} IS NOT BACK",
		what:  "it has not come back to Active within its limit; the controller fails its shards over while it is Offline",
		ifNot: "node {node} stays {availability}",
	},
	rollout.AskPausedAfter: {
		title: "NODE {node} IS BACK, BUT ITS POLICY IS STILL {policy}",
		what:  "a drain that outlived the restart wrote it; nothing else will undo it, and a fill is refused until then",
		ifNot: "node {node} stays {policy}: up, and without new shards",
	},
	rollout.AskPolicyLost: {
		title: "NODE {node} IS {policy} BEFORE ITS RESTART, NO LONGER PauseForRestart",
		what:  "somebody or something changed its policy; shards may be flowing back to it",
		ifNot: "node {node} stays {policy}; nothing is sent",
	},
	rollout.AskRefused: {
		title: "THE CONTROLLER REFUSED THE {phase} OF NODE {node}",
		what:  "in words that this program does not know; they stand below as they came",
		ifNot: "nothing more is sent for node {node}",
	},
	rollout.AskGate: {
		title: "A GATE HOLDS THE {phase} OF NODE {node}",
		what:  "each gate is overridden alone, by name, for node {node} only; all that hold are below",
		ifNot: "nothing is sent; the gates are read again all the time",
	},
	rollout.AskHalted: {
		title: "THE RUN IS HALTED",
		what:  "a gate that guards the whole cluster failed; no new drain or restart starts",
		ifNot: "the run stands; what runs at the controller goes on",
	},
	rollout.AskGone: {
		title: "NODE {node} IS GONE",
		what:  "the controller no longer lists it; nothing can be sent to it",
		ifNot: "the run stands at node {node}",
	},
	rollout.AskUnreachable: {
		title: "THE CONTROLLER CANNOT BE REACHED",
		what:  "nobody knows what happens to node {node} meanwhile; timers stand still, nothing is sent blindly",
		ifNot: "reads go on until it answers; nothing is sent",
	},
	rollout.AskUnauthorized: {
		title: "THE CONTROLLER REFUSES THE TOKEN",
		what:  "it has expired or its scope is too low; what runs at the controller goes on meanwhile",
		ifNot: "the run stands and nothing is sent; a token that is renewed at its source is taken up by itself",
	},
	rollout.AskPaused: {
		title: "THE RUN IS PAUSED",
		what:  "nothing new is started; what runs at the controller goes on",
		ifNot: "the run stays paused",
	},
	rollout.AskCleanup: {
		title: "NODE {node} IS NOT PUT RIGHT YET",
		what:  "this run changed node {node} and it is not Active again; the run ends when it is, or when you leave it so",
		ifNot: "node {node} stays {policy} and the run stays open",
	},
	rollout.AskResume: {
		title: "TAKE THE RUN UP AGAIN?",
		what:  "the program that drove it is gone; below is, node by node, what its journal says, what the cluster shows and what follows a yes",
		then:  "go on from what the cluster shows; the gates are read anew, and no older yes stands but where it is named, and no standing answer or policy file",
		ifNot: "nothing is sent; the run stays unfinished",
	},
}
