package reconfigure

import (
	"time"

	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// Status is a run as people see it: a projection of the Machine, immutable.
type Status struct {
	Seq      uint64
	Run      string // ulid
	Journal  string // path
	Identity cluster.Identity
	At       time.Time
	Started  time.Time
	Ended    time.Time // zero while it lives
	State    RunState
	Why      string // words to State
	Wave     int    // present, from 1
	Plan     Plan
	Items    []ItemStatus
	Prompt   *Prompt // nil while nothing is asked
	Notes    []Note  // oldest first, bounded
	Sent     int     // POST /configure, those that are unanswered too
	Outcome  *Outcome
}

// RunState is where a run stands.
type RunState int

// The states of a run.
const (
	RunReady RunState = iota
	RunRunning
	RunPaused
	RunHalted // more failed than may
	RunEnded
)

// ItemState is where one compute stands.
type ItemState int

// The states of an item, those that are no end first.
const (
	ItemPending    ItemState = iota // its turn has not come
	ItemWaiting                     // it is busy with something else (K2)
	ItemUnanswered                  // POST /configure was sent, and is not answered
	ItemUnclear                     // the call ended without an answer: the status has to tell (K1)
	ItemVerifying                   // applied, says the compute; the effect is being read

	ItemDone     // applied, and all that was changed reads back
	ItemAccepted // applied; not all of it can be read back
	ItemDegraded // applied, and something reads back different (K8)
	ItemFailed   // K4, K9, K11, or it could not be asked
	ItemRefused  // the compute does not take this spec (K3)
	ItemStuck    // it never came out of being configured (K10)
	ItemUnknown  // no answer: nobody knows what it did
	ItemGone     // it ended meanwhile (K5)
	ItemSkipped  // nothing was sent
)

// Over reports an end.
func (s ItemState) Over() bool { return s >= ItemDone }

// Bad reports an end that counts towards the limit of failures.
func (s ItemState) Bad() bool {
	switch s {
	case ItemFailed, ItemRefused, ItemStuck, ItemUnknown:
		return true
	}
	return false
}

// ItemStatus is one compute of a run.
type ItemStatus struct {
	Item  Item
	State ItemState
	Row   string // row of the failure matrix, "" for the regular path
	Why   string // words to State, the compute's own where it has some
	Left  string // what still works, or what has to be done; "" = nothing to say

	Compute compute.State // what it said last
	Before  compute.State // and before the spec was sent
	Path    []Passed      // the states it went through since then
	Differs []Differs     // settings that read back different

	Sent    time.Time // zero = never
	Ended   time.Time // zero = not over
	Attempt int
	Sending bool // a call is on its way
}

// Passed is a state of a compute and when it was first seen.
type Passed struct {
	State compute.State
	At    time.Time
}

// Differs is a setting that does not have the value it was given.
type Differs struct {
	Name, Want, Have string
	Restart          bool // Postgres says that it waits for a restart
}

// Note is one line of a run's log.
type Note struct {
	At      time.Time
	Compute string // "" = about the run
	Bad     bool
	Row     string
	Text    string
}

// Outcome is how a run ended.
type Outcome struct {
	Exit       rollout.ExitCode
	Word       string
	Issues     []string
	Left       []string // what is left on computes, and what to do about it
	JournalSum string   // sha256, hexadecimal
}

// Count is how many items are in a state.
func (s *Status) Count(state ItemState) int {
	n := 0
	for i := range s.Items {
		if s.Items[i].State == state {
			n++
		}
	}
	return n
}
