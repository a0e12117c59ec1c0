// Package action is the catalogue of what an operator can do.
//
// It is the only list: the keys, the hint line, the help screen, plain mode
// and the journal are views of it. An action that cannot be done now stays in
// the list and says why. The package knows no keys and sends nothing.
package action

import (
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
)

// ID names an action in the journal, in documents and in key maps.
type ID string

// Scope is what an action applies to.
type Scope int

// The scopes.
const (
	Console Scope = iota + 1 // the screen itself
	Node                     // the node under the cursor
	Nodes                    // the marked nodes, or the one under the cursor
	Run                      // the live run
)

// Danger is what an action can do to the cluster.
type Danger int

// The dangers.
const (
	Harmless  Danger = iota // sends nothing
	Confirmed               // changes the cluster after a confirm
	Typed                   // may need the node's id typed
)

// Action is one entry.
type Action struct {
	ID     ID
	Title  string // imperative, a few words: "restart marked nodes"
	Scope  Scope
	Danger Danger
	// Why says why the action is off for this selection; "" = it can be done.
	Why func(Selection) string
}

// Selection is what an action would apply to.
type Selection struct {
	Snapshot *cluster.Snapshot
	Now      time.Time       // for the age of the data; zero = not told
	Stale    bool            // Snapshot is too old to act upon
	Cursor   client.NodeID   // 0 = none
	Marked   []client.NodeID // in id order
	RunLive  bool            // a run of ours is going on
	RunEnded bool            // a run of ours has ended, and its report can be shown
	// Ours are the nodes that a live run of ours is working on: what it does
	// there is no problem.
	Ours map[client.NodeID]bool
	// Unfinished is the run that blocks a new one; "" = none.
	Unfinished string
	// Driver is who else on this host drives the cluster just now; "" = nobody.
	Driver string
}

// Targets are the nodes that a Nodes action applies to.
func (s Selection) Targets() []client.NodeID {
	if len(s.Marked) > 0 {
		return s.Marked
	}
	if s.Cursor != 0 {
		return []client.NodeID{s.Cursor}
	}
	return nil
}
