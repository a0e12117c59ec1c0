package view

import (
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/engine/action"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/reconfigure"
	"github.com/StorconTUI/storcon-tui/engine/release"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/themes"
)

// Context is all that a screen may draw from.
type Context struct {
	Styles   *themes.Styles
	ASCII    bool // a locale without UTF-8: draw ASCII twins of symbols and bars
	Now      time.Time
	Location *time.Location // for wall-clock times on screen
	Snapshot *cluster.Snapshot
	Run      *rollout.Status // the live or last run; nil = none
	// Reconfigure is the live or last run about computes; nil = none.
	Reconfigure *reconfigure.Status
	// Stale are the computes whose last known spec names other pageservers than the
	// controller does, with what differs; nil = not compared yet.
	Stale map[string][]compute.Change
	// Release is what happens to the nodes, whoever drives; set while a screen needs it, nil =
	// not known yet.
	Release *release.Release
	// TookOver is the beginning of the release that the operator has taken over; zero = none.
	TookOver time.Time
	// Earlier are the runs of this session before Run, as they ended: what they
	// did was ours too.
	Earlier []*rollout.Status
	// Fleet is all clusters, where they are watched side by side; nil elsewhere.
	Fleet      []FleetCluster
	Unfinished OpenRun // that an earlier process left; the zero value = none
	Elsewhere  Elsewhere
}

// OpenRun is a run that nobody drives and that is not finished.
type OpenRun struct {
	ID   string
	Verb string // of this program, that takes it up again: "rollout", "reconfigure"
}

// Elsewhere is what other processes of this host do or did.
type Elsewhere struct {
	Driver  string   // who drives just now, from where and since when; "" = nobody
	Run     string   // what is driven; "" = nothing yet
	Journal string   // path: of that run, else of the unfinished one
	Log     []string // newest records of that journal, oldest first
}

// Screen is one full-screen view. The root draws the header above it and the
// hint line below it.
type Screen interface {
	// ID names the screen; it is stable ("nodes", "node", "plan", "run", ...).
	ID() string
	// Key handles one key press, spelt as bubbletea's KeyMsg.String. It returns
	// nil when nothing is to be done outside the screen.
	Key(key string, c *Context) Intent
	// Lines draws exactly h lines of exactly w cells.
	Lines(c *Context, w, h int) []string
	// Hints are the keys that work here, most needed first.
	Hints(c *Context) []Hint
}

// TextEntry is implemented by screens that may be taking typed text (a filter,
// a node id). While it reports true the root hands every key but ctrl+c to the
// screen, and pasted text goes to Paste only.
type TextEntry interface {
	Typing() bool
	Paste(text string)
}

// Hint is one key and what it does here. Off says why it does nothing now.
type Hint struct {
	Key    string
	Does   string
	Off    string
	Action action.ID // "" for keys that only move the view
}

// Intent is what a screen asks the root for.
type Intent interface{ intent() }

// The intents.
type (
	// Back leaves the screen.
	Back struct{}
	// TakeUp takes an unfinished run up again; it then asks before it sends anything.
	TakeUp struct{ Run OpenRun }
	// Quit asks to leave the program.
	Quit struct{}
	// OpenNode shows one node.
	OpenNode struct{ Node client.NodeID }
	// OpenCompute shows one compute.
	OpenCompute struct{ Name string }
	// OpenComputes shows the computes that depend on a node.
	OpenComputes struct{ Node client.NodeID }
	// Open shows another screen by id ("help", "events", "run", "report", "runs").
	Open struct{ Screen string }
	// MakePlan plans a run for nodes, in this order, and shows the plan.
	MakePlan struct {
		Goal  rollout.Goal
		Nodes []client.NodeID
	}
	// StartRun starts the plan that is on the screen.
	StartRun struct{ Plan rollout.Plan }
	// GiveAnswer answers the run's prompt.
	GiveAnswer struct{ Answer rollout.Answer }
	// Say shows a line of feedback for a few seconds.
	Say struct{ Text string }
)

func (Back) intent()         {}
func (Quit) intent()         {}
func (TakeUp) intent()       {}
func (OpenNode) intent()     {}
func (OpenCompute) intent()  {}
func (OpenComputes) intent() {}
func (Open) intent()         {}
func (MakePlan) intent()     {}
func (StartRun) intent()     {}
func (GiveAnswer) intent()   {}
func (Say) intent()          {}
