package release

import (
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// Kind is what looks wrong. Its value is stable, as for JSON; String is for people.
type Kind string

// The kinds of anomaly.
const (
	DrainCancelled        Kind = "drain_cancelled"
	RestartedDraining     Kind = "restarted_while_draining"
	PausedAfterReattach   Kind = "paused_after_reattach"
	SeveralOut            Kind = "several_nodes_out"
	OfflineLong           Kind = "offline_too_long"
	FillNeverAsked        Kind = "fill_never_asked_for"
	FillSkipped           Kind = "fill_skipped"
	OrphanedOperation     Kind = "orphaned_operation"
	ForeignConfigWrite    Kind = "foreign_config_write"
	ControllerUnreachable Kind = "controller_unreachable"
	ControllerRestarted   Kind = "controller_restarted"
	MixedBuilds           Kind = "mixed_builds"
	LeftOver              Kind = "left_over"
	ReconcilesStuck       Kind = "reconciles_stuck"
	ReconcilesGrowing     Kind = "reconciles_growing"
	DatabaseErrors        Kind = "database_errors"
	ComputeFailed         Kind = "compute_failed"
	ComputeUnreachable    Kind = "compute_unreachable"
)

func (k Kind) String() string { return strings.ReplaceAll(string(k), "_", " ") }

// Anomaly is something that looks wrong, or did.
type Anomaly struct {
	Kind    Kind          `json:"kind"`
	Node    client.NodeID `json:"node,omitempty"`    // 0 = not about one node
	Compute string        `json:"compute,omitempty"` // its name
	Since   time.Time     `json:"since"`             // when the state that is wrong was first seen
	Until   time.Time     `json:"until,omitzero"`    // when it was gone; zero = it stands
	Text    string        `json:"text"`              // the particulars, as they were when it began
}

// Stands reports that it is not over.
func (a Anomaly) Stands() bool { return a.Until.IsZero() }

// Kinds are all of them, in the order of a node's way.
func Kinds() []Kind {
	kinds := make([]Kind, len(meanings))
	for i, m := range meanings {
		kinds[i] = m.kind
	}
	return kinds
}

// Means says in a sentence what such an anomaly is; "" for a kind that is not known.
func (k Kind) Means() string { return k.meaning().means }

// Usually says in a sentence what an on-call usually does about it.
func (k Kind) Usually() string { return k.meaning().usually }

func (k Kind) meaning() meaning {
	for _, m := range meanings {
		if m.kind == k {
			return m
		}
	}
	return meaning{}
}

type meaning struct {
	kind           Kind
	means, usually string
}

var meanings = []meaning{
	{
		DrainCancelled,
		"A drain ended and the node was not restarted: it was cancelled, or given up with its controller.",
		"Find out who cancelled it, or whether the controller restarted; then have the drain started again.",
	},
	{
		RestartedDraining,
		"The node was restarted before its drain was over: shards that were still attached were away meanwhile.",
		"Check the computes of these shards; wait until the drain is over, for it may still pause the node.",
	},
	{
		PausedAfterReattach,
		"The node is back but stays PauseForRestart, set by a drain that outlived the restart; it gets no shards, for ever.",
		"Set the node's policy to Active, then fill it.",
	},
	{
		SeveralOut,
		"More than one node is away, draining or paused for a restart at once: shards may have no place to go.",
		"Stop the release before its next node; bring the nodes back one after the other.",
	},
	{
		OfflineLong,
		"The controller has not heard of the node for so long that it moves its shards elsewhere.",
		"Look at the machine and the log of the pageserver; start it again.",
	},
	{
		FillNeverAsked,
		"The node is back for minutes and its fill was not asked for: whoever drives may have stopped or failed.",
		"Look whether the script still runs; if it does not, fill the node.",
	},
	{
		FillSkipped,
		"The node was not filled: only the optimiser brings shards back, 16 every 20 s and only while nothing else reconciles.",
		"Wait as long as is estimated, or fill the node now if the others are crowded.",
	},
	{
		OrphanedOperation,
		"A drain or fill moves nothing: it hangs, or its controller is gone and only the policy is left of it.",
		"Look at the waiting shards; if no operation runs, set the policy to Active and start it again.",
	},
	{
		ForeignConfigWrite,
		"Somebody set a node's policy or availability by hand: a release drains and fills, and writes none.",
		"Ask who it was; two who drive at once undo each other's work.",
	},
	{
		ControllerUnreachable,
		"The controller does not answer: what is shown is old, and the release may have gone on.",
		"Look at the controller and the way to it; nothing that runs there is lost by that.",
	},
	{
		ControllerRestarted,
		"Another life of the controller leads: a drain or fill that ran is cancelled, or orphaned after a crash.",
		"Look for nodes left Draining or Filling, and why it restarted.",
	},
	{
		MixedBuilds,
		"Nodes run different builds for longer than a release takes: it has stopped half-way.",
		"Ask whoever drives whether it is to go on or back.",
	},
	{
		LeftOver,
		"A node is in a policy that is only meant for a while, and nothing happens to it: it serves less than it could.",
		"Find out who left it so; unless somebody needs it, set it to Active and fill it.",
	},
	{
		ReconcilesStuck,
		"The controller tries in vain to bring shards where they belong, or takes very long.",
		"Look at the last errors of these shards, and at the nodes and computes that they name.",
	},
	{
		ReconcilesGrowing,
		"The controller gets more to do than it gets done.",
		"Wait with the next node until it has caught up; look at slow nodes and at the control plane.",
	},
	{
		DatabaseErrors,
		"The controller's database refused queries: what the controller decided may not be kept.",
		"Look at the database before anything else is started.",
	},
	{
		ComputeFailed,
		"A compute that is watched has failed.",
		"Look at its error; whether it came with a node's restart shows in the timeline.",
	},
	{
		ComputeUnreachable,
		"A compute that is watched does not answer.",
		"Look whether it was stopped on purpose; else at its pod and the network.",
	},
}
