package hook

import "github.com/StorconTUI/storcon-tui/client"

// Evidence is what is known about a restart. The values before it were read,
// and journaled, before the command was started. Later ones are compared with
// them and never with a clock of ours.
type Evidence struct {
	PreLaunchMs int64 // launch of the process before, ms by the node's clock; 0 = unknown
	LaunchMs    int64 // launch of the process now; 0 = unknown
	// LaunchChanges counts how often the launch was seen to change since the
	// command was started. 0 is fine where only the two values are known.
	LaunchChanges int

	PreRevision    string // build before; "" = unknown; shown beside the others, proves nothing
	Revision       string // build now; "" = unknown
	TargetRevision string // build that it must have now; "" = any

	PreIdentity Identity // of unit, process or pod before
	Identity    Identity // and now

	Availability client.Availability // now
	Policy       client.NodePolicy   // now

	SeenWarmingUp bool // availability was WarmingUp since
	SeenOffline   bool // availability was Offline since
	// PolicyReturned: PauseForRestart became Active although nobody asked the
	// controller for it, which is what a re-attach does.
	PolicyReturned bool
	HookExit       *int // nil: not ended, or no command
}

// Reason is one thing that speaks for or against a restart.
type Reason int

// The reasons. The first two prove a restart, those from SeenWarmingUp to
// HookExitedZero only suggest one, the rest speak against it or say what is
// missing.
const (
	LaunchChanged Reason = iota + 1
	IdentityChanged
	RevisionIsTarget
	SeenWarmingUp
	PolicyReturned
	SeenOffline
	HookExitedZero
	LaunchSame
	LaunchUnknown
	RevisionIsOther
	RevisionUnknown
	HookFailed
	NotActive      // availability is not Active
	PolicyNotReset // policy is not Active
	LaunchedTwice
)

var reasonNames = map[Reason]string{
	LaunchChanged:    "launch time changed",
	IdentityChanged:  "unit, process or pod changed",
	RevisionIsTarget: "build is the target",
	SeenWarmingUp:    "was seen warming up",
	PolicyReturned:   "policy returned to Active by itself",
	SeenOffline:      "was seen offline",
	HookExitedZero:   "command exited with 0",
	LaunchSame:       "launch time is the same as before",
	LaunchUnknown:    "launch time is unknown",
	RevisionIsOther:  "build is not the target",
	RevisionUnknown:  "build is unknown",
	HookFailed:       "command did not exit with 0",
	NotActive:        "availability is not Active",
	PolicyNotReset:   "policy is not Active",
	LaunchedTwice:    "launched more than once",
}

func (r Reason) String() string { return reasonNames[r] }

// Verdict is what the evidence amounts to.
type Verdict struct {
	// Restarted: the process was replaced, whatever it does now.
	Restarted bool
	// Proven: restarted, back in service and, where one was asked for, with the
	// target build. Nothing less goes on without a person, and a command that
	// failed all the same (HookFailed) is shown to one (R1).
	Proven bool
	// CrashLoop: it was launched more than once; it must not be filled.
	CrashLoop bool
	// WrongVersion: restarted, and the build is known and not the target.
	WrongVersion bool
	// WeakOnly: nothing proves a restart and something suggests one. A person
	// may accept it.
	WeakOnly bool
	Reasons  []Reason
}

// Judge weighs the evidence. It is a pure function.
func Judge(e Evidence) Verdict {
	var v Verdict
	v.Restarted = v.strong(e)
	weak := v.weak(e)
	v.WeakOnly = weak && !v.Restarted
	right := v.build(e)
	inService := v.service(e)
	v.CrashLoop = v.note(e.LaunchChanges > 1, LaunchedTwice)
	v.Proven = v.Restarted && right && inService && !v.CrashLoop
	return v
}

// note keeps a reason that holds, and says whether it does.
func (v *Verdict) note(holds bool, r Reason) bool {
	if holds {
		v.Reasons = append(v.Reasons, r)
	}
	return holds
}

// strong is what proves by itself that the process was replaced.
func (v *Verdict) strong(e Evidence) bool {
	launch := v.note(launchChanged(e), LaunchChanged)
	identity := v.note(identityChanged(e.PreIdentity, e.Identity), IdentityChanged)
	known := !v.note(e.PreLaunchMs == 0 || e.LaunchMs == 0, LaunchUnknown)
	v.note(known && !launch, LaunchSame)
	return launch || identity
}

// weak is what a restart leaves behind and other things do too.
func (v *Verdict) weak(e Evidence) bool {
	warming := v.note(e.SeenWarmingUp, SeenWarmingUp)
	policy := v.note(e.PolicyReturned, PolicyReturned)
	offline := v.note(e.SeenOffline && e.Availability == client.AvailabilityActive, SeenOffline)
	exited := v.note(e.HookExit != nil && *e.HookExit == 0, HookExitedZero)
	v.note(e.HookExit != nil && *e.HookExit != 0, HookFailed)
	return warming || policy || offline || exited
}

// build says whether the node runs what it should.
func (v *Verdict) build(e Evidence) bool {
	switch {
	case e.TargetRevision == "":
		return true
	case v.note(e.Revision == e.TargetRevision, RevisionIsTarget):
		return true
	case v.note(e.Revision == "", RevisionUnknown):
		return false
	}
	v.WrongVersion = v.note(true, RevisionIsOther) && v.Restarted
	return false
}

// service says whether the controller uses the node again.
func (v *Verdict) service(e Evidence) bool {
	away := v.note(e.Availability != client.AvailabilityActive, NotActive)
	held := v.note(e.Policy != client.PolicyActive, PolicyNotReset)
	return !away && !held
}

// launchChanged compares for inequality: a node whose clock was set back has
// been restarted all the same.
func launchChanged(e Evidence) bool {
	return e.PreLaunchMs != 0 && e.LaunchMs != 0 && e.LaunchMs != e.PreLaunchMs
}

// identityChanged needs both values: one that is empty could not be read.
func identityChanged(pre, now Identity) bool {
	differ := func(a, b string) bool { return a != "" && b != "" && a != b }
	return differ(pre.InvocationID, now.InvocationID) || differ(pre.PIDStart, now.PIDStart) || differ(pre.PodUID, now.PodUID)
}
