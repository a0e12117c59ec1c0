// Package gate holds the named safety checks.
//
// A gate looks at a Snapshot and the facts of a run and says pass, fail or
// unknown, with the figures that it compared. It has no clock, sends nothing
// and decides nothing: the rollout decides what a verdict stops.
package gate

import "github.com/StorconTUI/storcon-tui/client"

// Name is a gate's name, as people and the journal use it.
type Name string

// The gates.
const (
	ControllerReachable    Name = "controller_reachable"
	LeaderStable           Name = "leader_stable"
	NoForeignOperation     Name = "no_foreign_operation"
	AllOtherNodesActive    Name = "all_other_nodes_active"
	AZRedundancy           Name = "az_redundancy"
	SchedulableCapacity    Name = "schedulable_capacity"
	PendingReconcilesLow   Name = "pending_reconciles_low"
	StuckReconcilesZero    Name = "stuck_reconciles_zero"
	NotificationsClear     Name = "compute_notifications_clear"
	AZViolationsBaseline   Name = "az_violations_baseline"
	AlertsClear            Name = "alerts_clear"
	InWindow               Name = "in_window"
	LockHeld               Name = "lock_held"
	JournalWritable        Name = "journal_writable"
	TokenValid             Name = "token_valid"
	DrainLeftoversAccepted Name = "drain_leftovers_accepted"
	RestartProven          Name = "restart_proven"
	VersionMatches         Name = "version_matches"
	NodeStable             Name = "node_stable"
)

// Verdict of a gate. Unknown holds like a fail; Off is neither.
type Verdict int

// The verdicts.
const (
	Unknown Verdict = iota
	Pass
	Fail
	Off // not configured, or not readable with this token or from this controller
)

func (v Verdict) String() string {
	return [...]string{"unknown", "pass", "fail", "off"}[v]
}

// At is the moment for which gates are asked.
type At int

// The moments.
const (
	AtPlan At = iota + 1
	BeforeDrain
	BeforeRestart
	BeforeFill
	BeforeCleanup
	WhileBaking // a node is up, filled and watched before the next one
)

// Result is one gate's answer, with its evidence.
type Result struct {
	Gate    Name
	Verdict Verdict
	Node    client.NodeID // 0 = the run as a whole
	// Figure is the measured value in a few words: "71 % of the load fits",
	// "node 6 Offline 41 s". Never empty.
	Figure string
	// Halts: a fail stops the whole run, not only this step.
	Halts bool
	// Overridable by a person with a reason.
	Overridable bool
	Overridden  *Override
}

// Holds reports that the result keeps a phase from starting.
func (r Result) Holds() bool {
	return (r.Verdict == Fail || r.Verdict == Unknown) && r.Overridden == nil
}

// Override is a person's decision to go on against one gate for one node.
type Override struct {
	Gate   Name
	Node   client.NodeID
	Reason string
	By     string
}
