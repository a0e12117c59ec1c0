package rollout

import (
	"fmt"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// ResumeLine says for one node what taking a run up again would rest on and do.
type ResumeLine struct {
	Node     client.NodeID
	Believed string // what the journal says
	Observed string // what the cluster shows; "" for a node that is not touched
	Proposal string // what follows a yes
}

// sight is what the cluster shows of one node.
type sight struct {
	listed bool
	policy client.NodePolicy
	avail  client.Availability
	launch int64 // of the process that runs, ms; 0 = it does not answer
	epoch  string
}

// resumeAt is where a step is taken up again.
type resumeAt int

const (
	takeNotBegun resumeAt = iota
	takeGone
	takeCleanup
	takeAskDrain
	takeDrainAnswered
	takeDrainCheck
	takeDrainCancelled
	takeDrainVerify
	takePolicyLost
	takeRestartedEarly
	takeHookAlive
	takeProve
	takeReady
	takeFillAnswered
	takeFillCheck
	takeAskFill
	takeVerify
	takeAskCancel
	takeCancelling
	takeAskActivate
	takeActivating
)

// takes words what each of them does.
var takes = map[resumeAt]string{
	takeNotBegun:       "not begun: its turn comes as planned",
	takeGone:           "gone: it is not registered any more, asked about",
	takeCleanup:        "the clean-up goes first: what runs for this run is cancelled, the policy is set Active",
	takeAskDrain:       "ask about its drain, again",
	takeDrainAnswered:  "the yes to its drain stands: read the gates, then send it",
	takeDrainCheck:     "see whether the drain runs, without sending it again, and go on from there",
	takeDrainCancelled: "ask what next: its drain was cancelled by this run",
	takeDrainVerify:    "list what is still attached, then ask about the restart",
	takePolicyLost:     "ask what next: it left PauseForRestart before its restart",
	takeRestartedEarly: "ask what next: it was restarted, and not by this run",
	takeHookAlive:      "wait for the restart command that still runs; it is not run again",
	takeProve:          "look for proof of its restart; the command is not run again without being asked for",
	takeReady:          "wait for Active/Active, then ask about its fill",
	takeFillAnswered:   "wait for Active/Active; the yes to its fill stands: read the gates, then send it",
	takeFillCheck:      "see whether the fill runs, without sending it again, and go on from there",
	takeAskFill:        "ask about its fill, again (one that has nothing to do moves nothing)",
	takeVerify:         "look where its shards are",
	takeAskCancel:      "ask about the cancel, again",
	takeCancelling:     "wait until what was cancelled has ended",
	takeAskActivate:    "ask about setting it Active, again",
	takeActivating:     "see that it is Active",
}

// propose chooses where a step is taken up: by what the cluster shows. The
// journal only says what was meant and approved. answered says that the newest
// yes still stands.
func propose(goal Goal, aborting bool, b NodeBelief, o sight, answered bool) resumeAt {
	switch {
	case !o.listed:
		return takeGone
	case aborting && b.State != "", b.Leaving:
		return takeCleanup
	case goal == GoalCancel:
		return either(b.Cancel.Seq > 0, takeCancelling, takeAskCancel)
	case goal == GoalActivate:
		return either(b.Activate.Seq > 0 && o.policy == client.PolicyActive, takeActivating, takeAskActivate)
	case b.FillSkipped:
		return takeVerify
	case b.Fill.Seq > b.Hook.Seq:
		return proposeFill(b, o)
	case b.Hook.Seq > b.Drain.Seq:
		return proposeRestart(b, o, answered)
	case b.Drain.Seq > 0:
		return proposeDrain(b, o)
	case b.State == "":
		return takeNotBegun
	case goal == GoalFill:
		return either(answered, takeFillAnswered, takeAskFill)
	}
	return either(answered, takeDrainAnswered, takeAskDrain)
}

func either(yes bool, then, otherwise resumeAt) resumeAt {
	if yes {
		return then
	}
	return otherwise
}

// another reports that the node's process is another one than before.
func (o sight) another(before int64) bool { return before != 0 && o.launch != 0 && o.launch != before }

func proposeDrain(b NodeBelief, o sight) resumeAt {
	switch {
	case o.another(b.Drain.Pre.Launch):
		return takeRestartedEarly
	case o.policy != client.PolicyActive && o.policy != client.PolicyPauseForRestart:
		return takeDrainCheck
	case o.policy == client.PolicyPauseForRestart:
		return either(b.Drained, takeDrainVerify, takeDrainCheck)
	case b.Activate.after(b.Drain):
		return takeAskDrain
	case b.Cancel.after(b.Drain):
		return takeDrainCancelled
	case b.Drained:
		return takePolicyLost
	}
	return either(b.Drain.taken(), takeDrainCheck, takeAskDrain)
}

// proposeRestart: a started command is never run again by itself.
func proposeRestart(b NodeBelief, o sight, answered bool) resumeAt {
	switch {
	case b.Hook.Alive && !b.Hook.ended():
		return takeHookAlive
	case o.another(b.Hook.Pre.Launch), b.Unproven != "":
		return either(answered, takeFillAnswered, takeReady)
	}
	return takeProve
}

func proposeFill(b NodeBelief, o sight) resumeAt {
	switch {
	case o.policy == client.PolicyFilling:
		return takeFillCheck
	case o.policy != client.PolicyActive:
		return takeReady
	case b.Cancel.after(b.Fill), b.Fill.taken():
		return takeVerify
	}
	return takeAskFill
}

// stands reports that a yes may still be acted upon: it is young, and what it
// rested on is as it was. A yes to a restart never does: what it accepted is
// listed and shown again.
func (a AnswerBelief) stands(o sight, now time.Time, validity time.Duration) bool {
	return a.Seq > 0 && a.Ask != askWord(AskRestart) && now.Sub(a.At) < validity &&
		a.Policy == o.policy && a.Availability == o.avail && a.Launch == o.launch && a.Epoch == o.epoch
}

// words says what the journal believes of a node, newest first.
func (n NodeBelief) words(now time.Time) string {
	if n.end != nil {
		text := n.end.As
		if text == "" {
			text = "ended"
		}
		return text + because(n.end.Why)
	}
	if n.State == "" {
		return "not begun"
	}
	parts := []string{strings.ToLower(strings.ReplaceAll(n.State, "_", " "))}
	add := func(name string, e EffectBelief) {
		switch {
		case e.Seq == 0:
		case !e.Answered:
			parts = append(parts, name+" was about to be sent at "+clock(e.At)+", no answer")
		default:
			parts = append(parts, name+" sent at "+clock(e.At)+", "+string(e.Class))
		}
	}
	add("drain", n.Drain)
	add("cancel", n.Cancel)
	add("set Active", n.Activate)
	if h := n.Hook; h.Seq > 0 {
		text := "restart command started at " + clock(h.At)
		switch {
		case h.ended():
			text += ", " + h.Result.Word
		case h.Alive:
			text += fmt.Sprintf(", process %d still runs", h.Process.PID)
		default:
			text += ", its end is not known"
		}
		parts = append(parts, text)
	}
	add("fill", n.Fill)
	if n.Answer.Seq > 0 {
		parts = append(parts, "yes to "+n.Answer.Ask+" "+now.Sub(n.Answer.At).Round(time.Second).String()+" ago, not acted upon")
	}
	return strings.Join(parts, "; ")
}

func clock(t time.Time) string { return t.UTC().Format("15:04:05Z") }

// words says what the cluster shows of a node.
func (o sight) words(before int64) string {
	if !o.listed {
		return "not registered"
	}
	text := fmt.Sprintf("policy %s, %s", o.policy, o.avail)
	switch {
	case o.launch == 0:
		text += ", its process does not answer"
	case before == 0:
	case o.launch == before:
		text += ", same process as before"
	default:
		text += ", launched anew at " + clock(time.UnixMilli(o.launch))
	}
	return text
}

// launchBefore is the launch time that the node's newest phase rested on.
func (n NodeBelief) launchBefore() int64 {
	switch {
	case n.Fill.Seq > n.Hook.Seq && n.Fill.Seq > 0:
		return n.Fill.Pre.Launch
	case n.Hook.Seq > n.Drain.Seq:
		return n.Hook.Pre.Launch
	}
	return n.Drain.Pre.Launch
}
