package prose

import (
	"fmt"

	"github.com/StorconTUI/storcon-tui/engine/gate"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// Goal says what a run is for: "rolling restart", "drain".
func Goal(g rollout.Goal) string {
	switch g {
	case rollout.GoalRestart:
		return "rolling restart"
	case rollout.GoalDrain:
		return "drain"
	case rollout.GoalFill:
		return "fill"
	case rollout.GoalCancel:
		return "cancel"
	case rollout.GoalActivate:
		return "set Active"
	}
	return string(g)
}

// Phase names a phase.
func Phase(p rollout.Phase) string {
	switch p {
	case rollout.PhaseDrain:
		return "drain"
	case rollout.PhaseRestart:
		return "restart"
	case rollout.PhaseFill:
		return "fill"
	case rollout.PhaseVerify:
		return "verify"
	case rollout.PhaseBake:
		return "bake"
	case rollout.PhaseCancel:
		return "cancel"
	case rollout.PhaseActivate:
		return "set Active"
	}
	return fmt.Sprintf("phase %d", p)
}

// PhaseState says how far a phase is.
func PhaseState(s rollout.PhaseState) string {
	switch s {
	case rollout.PhaseWaiting:
		return "waiting"
	case rollout.PhaseAsking:
		return "waiting for you"
	case rollout.PhaseRunning:
		return "running"
	case rollout.PhaseDone:
		return "done"
	case rollout.PhaseSkipped:
		return "skipped"
	case rollout.PhaseFailed:
		return "failed"
	case rollout.PhaseBlocked:
		return "stopped, waiting for you"
	}
	return fmt.Sprintf("state %d", s)
}

// Mark is the symbol of a phase's state.
func (m Marks) Mark(s rollout.PhaseState) string {
	switch s {
	case rollout.PhaseAsking:
		return m.Asking
	case rollout.PhaseRunning:
		return m.Running
	case rollout.PhaseDone:
		return m.Done
	case rollout.PhaseFailed:
		return m.Failed
	case rollout.PhaseBlocked:
		return m.Trouble
	}
	return m.Waiting
}

// StepState says how a node's step stands or ended.
func StepState(s rollout.StepState) string {
	switch s {
	case rollout.StepPending:
		return "waiting"
	case rollout.StepRunning:
		return "running"
	case rollout.StepDone:
		return "done"
	case rollout.StepDegraded:
		return "done with issues"
	case rollout.StepSkipped:
		return "skipped"
	case rollout.StepGone:
		return "gone from the controller"
	case rollout.StepFailed:
		return "failed"
	case rollout.StepAbortedClean:
		return "aborted, nothing left behind"
	case rollout.StepAbortedDirty:
		return "aborted, something is left to put right"
	}
	return fmt.Sprintf("state %d", s)
}

// StepMark is the symbol of a step's state.
func (m Marks) StepMark(s rollout.StepState) string {
	switch s {
	case rollout.StepRunning:
		return m.Running
	case rollout.StepDone:
		return m.Done
	case rollout.StepDegraded, rollout.StepGone, rollout.StepAbortedDirty:
		return m.Trouble
	case rollout.StepFailed:
		return m.Failed
	}
	return m.Waiting
}

// RunState says how a run stands.
func RunState(s rollout.RunState) string {
	switch s {
	case rollout.RunReady:
		return "ready"
	case rollout.RunRunning:
		return "running"
	case rollout.RunPaused:
		return "paused"
	case rollout.RunHalted:
		return "halted"
	case rollout.RunAborting:
		return "aborting"
	case rollout.RunEnded:
		return "ended"
	}
	return fmt.Sprintf("state %d", s)
}

// StayReason says why a drain leaves a shard where it is.
func StayReason(r rollout.StayReason) string {
	switch r {
	case rollout.NoSecondary:
		return "no secondary"
	case rollout.PolicyPause:
		return "shard policy Pause"
	case rollout.PolicyStop:
		return "shard policy Stop"
	case rollout.LagOrUnknown:
		return "secondary lags, or reason unknown"
	}
	return fmt.Sprintf("reason %d", r)
}

// Gate words one result: "capacity: 71 % of the load fits". The measured
// figure is always part of it.
func Gate(r gate.Result) string {
	text := string(r.Gate)
	if r.Node != 0 {
		text += " (node " + r.Node.String() + ")"
	}
	text += ": " + r.Figure
	if r.Overridden != nil {
		text += " · overridden by " + r.Overridden.By + ": " + r.Overridden.Reason
	}
	return text
}

// GateVerdict is the word in front of a gate; an overridden one says so.
func GateVerdict(r gate.Result) string {
	if r.Overridden != nil && (r.Verdict == gate.Fail || r.Verdict == gate.Unknown) {
		return "overridden"
	}
	return r.Verdict.String()
}

// Exit says what an exit code means.
func Exit(code rollout.ExitCode) string {
	if text, ok := exits[code]; ok {
		return text
	}
	return "unknown exit code"
}

var exits = map[rollout.ExitCode]string{
	rollout.ExitDone:           "done",
	rollout.ExitInternal:       "internal error",
	rollout.ExitUsage:          "wrong usage",
	rollout.ExitPreflight:      "preflight failed, nothing was changed",
	rollout.ExitHalted:         "halted by a gate",
	rollout.ExitPaused:         "paused, detached or aborted; nothing is left to put right",
	rollout.ExitAbortedDirty:   "aborted, something is left to put right",
	rollout.ExitLocked:         "another console holds the lock",
	rollout.ExitAuth:           "the controller refuses the token",
	rollout.ExitUnreachable:    "the controller cannot be reached",
	rollout.ExitDoneWithIssues: "done with issues",
	rollout.ExitJournal:        "the journal cannot be written or verified",
	rollout.ExitHungUp:         "the terminal was gone before anything was changed",
	rollout.ExitInterrupted:    "interrupted before anything was changed",
	rollout.ExitTerminated:     "terminated before anything was changed",
}
