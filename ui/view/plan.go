package view

import (
	"slices"

	"github.com/StorconTUI/storcon-tui/engine/gate"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/ui/component"
)

// PlanScreen shows what a run will do before anything is sent. Its order can be
// changed here and nowhere later. A lone drain, fill, cancel or set Active is
// planned on it too.
type PlanScreen struct {
	plan   rollout.Plan
	cursor int
	scroll component.Scroll
	// follow asks for the row under the cursor to be scrolled into view.
	follow bool
	taking *takeOver // it is asked whether a release is taken over; nil = it is not
}

var _ TextEntry = (*PlanScreen)(nil)

// NewPlanScreen shows a plan.
func NewPlanScreen(p rollout.Plan) *PlanScreen {
	p.Steps, p.LeftOut, p.Gates = slices.Clone(p.Steps), slices.Clone(p.LeftOut), slices.Clone(p.Gates)
	return &PlanScreen{plan: p, follow: true}
}

// ID names the screen.
func (v *PlanScreen) ID() string { return ScreenPlan }

// Plan is the plan as it stands, in the order that was chosen here.
func (v *PlanScreen) Plan() rollout.Plan { return v.plan }

// Typing reports that the cluster's name is being typed.
func (v *PlanScreen) Typing() bool { return v.taking != nil }

// Paste takes text into the cluster's name. It starts nothing.
func (v *PlanScreen) Paste(text string) { v.taking.field.Paste(text) }

// Key handles one key press.
func (v *PlanScreen) Key(key string, c *Context) Intent {
	if v.taking != nil {
		return v.takingKey(key, c)
	}
	b, ok := commandFor(ScreenPlan, key)
	if !ok {
		return nil
	}
	switch b.Command {
	case CmdStart:
		if why := v.startOff(c); why != "" {
			return Say{"not started: " + why}
		}
		if othersDrive(c) {
			v.taking = &takeOver{flight: flightOf(c.Release)}
			return nil
		}
		return StartRun{Plan: v.plan}
	case CmdUp:
		v.move(-1)
	case CmdDown:
		v.move(1)
	case CmdEarlier:
		return v.shift(-1)
	case CmdLater:
		return v.shift(1)
	case CmdRemove:
		return v.remove()
	case CmdPageUp:
		v.scroll.Page(-1)
	case CmdPageDn:
		v.scroll.Page(1)
	}
	return wayOut(b.Command)
}

// takingKey is a key while it is asked whether a release is taken over. The question is
// gone with the release.
func (v *PlanScreen) takingKey(key string, c *Context) Intent {
	why := v.startOff(c)
	switch {
	case key == "esc":
		v.taking = nil
		return Say{"taken back; nothing was sent"}
	case why != "":
		v.taking = nil
		return Say{"not started: " + why}
	case !othersDrive(c):
		v.taking = nil
		return Say{"the release is over; nothing was sent"}
	case !v.taking.key(key, c):
		return nil
	}
	v.taking = nil
	v.plan.TookOver = tookOver(c.Release)
	return StartRun{Plan: v.plan}
}

// move moves the cursor; past the last row it scrolls on to what is below.
func (v *PlanScreen) move(n int) {
	to := min(max(v.cursor+n, 0), max(len(v.plan.Steps)-1, 0))
	if to == v.cursor {
		v.scroll.Move(n)
		return
	}
	v.cursor, v.follow = to, true
}

// shift moves the node under the cursor in the order, and the cursor with it.
func (v *PlanScreen) shift(n int) Intent {
	to := v.cursor + n
	if to < 0 || to >= len(v.plan.Steps) {
		return nil
	}
	steps := v.plan.Steps
	steps[v.cursor], steps[to] = steps[to], steps[v.cursor]
	v.cursor, v.follow = to, true
	return nil
}

// remove takes the node under the cursor out of the plan, with its gates.
func (v *PlanScreen) remove() Intent {
	if len(v.plan.Steps) <= 1 {
		return Say{"the last node stays in the plan; esc leaves it"}
	}
	gone := v.plan.Steps[v.cursor]
	v.plan.Steps = slices.Delete(v.plan.Steps, v.cursor, v.cursor+1)
	v.plan.LeftOut = append(v.plan.LeftOut, rollout.LeftOut{Node: gone.Node, Policy: gone.Policy, Why: "taken out here"})
	v.plan.Gates = slices.DeleteFunc(v.plan.Gates, func(r gate.Result) bool { return r.Node == gone.Node })
	v.cursor = min(v.cursor, len(v.plan.Steps)-1)
	v.follow = true
	return Say{"node " + gone.Node.String() + " is taken out of the plan"}
}

// startOff says why the plan cannot be started now, "" when it can.
func (v *PlanScreen) startOff(c *Context) string {
	switch {
	case len(v.plan.Steps) == 0:
		return "the plan has no node"
	case v.plan.Identity.ReadOnly:
		return "this console is read-only"
	case c.Snapshot == nil || c.Snapshot.Stale(c.Now):
		return "the node list is stale: the controller is not answering"
	case c.Run != nil && c.Run.Outcome == nil:
		return "run " + shortRun(c.Run.Run) + " is still going on"
	case c.Elsewhere.Driver != "":
		return "another console drives (L)"
	case c.Unfinished.ID != "" && v.plan.Goal == rollout.GoalRestart:
		return "run " + shortRun(c.Unfinished.ID) + " was left unfinished; take it up or close it first (L)"
	}
	return ""
}

// Hints are the keys that work here.
func (v *PlanScreen) Hints(c *Context) []Hint {
	if v.taking != nil {
		return []Hint{{Key: "enter", Does: "take over"}, {Key: "esc", Does: "take it back"}}
	}
	start := Hint{Key: "s", Does: "start (asks before the first call)", Off: v.startOff(c)}
	if len(v.plan.Steps) > 0 {
		start.Does = "start (asks before node " + v.plan.Steps[0].Node.String() + ")"
	}
	hints := []Hint{start}
	if len(v.plan.Steps) > 1 {
		hints = append(hints, Hint{Key: "J/K", Does: "reorder"}, Hint{Key: "-", Does: "take out"})
	}
	return append(hints, Hint{Key: "esc", Does: "back"}, Hint{Key: "?", Does: "help"})
}
