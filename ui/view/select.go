package view

import (
	"fmt"
	"strings"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/action"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/ui/component"
)

// selection is the catalogue's Selection and, when no node is under the
// cursor, why.
type selection struct {
	action.Selection
	none string
}

func newSelection(c *Context) selection {
	return selection{Selection: action.Selection{
		Snapshot:   c.Snapshot,
		Now:        c.Now,
		Stale:      c.Snapshot == nil || c.Snapshot.Stale(c.Now),
		RunLive:    c.Run != nil && c.Run.State != rollout.RunEnded,
		RunEnded:   c.Run != nil && c.Run.State == rollout.RunEnded,
		Ours:       liveNodes(c.Run),
		Unfinished: c.Unfinished.ID,
		Driver:     c.Elsewhere.Driver,
	}}
}

// why says why an action cannot be done for a selection, "" when it can.
func (s selection) why(id action.ID) string {
	a, ok := action.Find(id)
	if !ok {
		return "not in the catalogue"
	}
	if a.Scope == action.Node && s.Cursor == 0 && s.none != "" {
		return s.none
	}
	if a.Scope == action.Nodes && len(s.Targets()) == 0 && s.none != "" {
		return s.none
	}
	return a.Why(s.Selection)
}

// act turns a key's action into what the root is asked for. One that is off
// says why.
func act(b Binding, s selection) Intent {
	if why := s.why(b.Action); why != "" {
		return Say{Text: b.Short + " is off: " + why}
	}
	switch b.Action {
	case action.Restart:
		return MakePlan{Goal: rollout.GoalRestart, Nodes: s.Targets()}
	case action.Drain:
		return MakePlan{Goal: rollout.GoalDrain, Nodes: one(s)}
	case action.Fill:
		return MakePlan{Goal: rollout.GoalFill, Nodes: one(s)}
	case action.Cancel:
		return MakePlan{Goal: rollout.GoalCancel, Nodes: one(s)}
	case action.Activate:
		return MakePlan{Goal: rollout.GoalActivate, Nodes: one(s)}
	}
	return nil
}

func one(s selection) []client.NodeID { return []client.NodeID{s.Cursor} }

// hintsFor lists the keys of a screen in the order of the key map. Those that
// only move the cursor are left to the help screen.
func hintsFor(screen string, s selection, c *Context) []Hint {
	var hints []Hint
	for _, b := range keyMap {
		if !b.On(screen) {
			continue
		}
		h := Hint{Key: b.Shown, Does: b.Short, Action: b.Action}
		switch b.Command {
		case CmdUp, CmdDown, CmdPageUp, CmdPageDn, CmdFirst, CmdLast, CmdClose, CmdRedraw:
			continue
		case CmdBack:
			if screen == ScreenNodes {
				continue
			}
		case CmdRun, CmdComp, CmdRuns:
			if !leadsSomewhere(b.Command, c) {
				continue
			}
		}
		if b.Action != "" {
			h.Off = s.why(b.Action)
			if n := len(s.Marked); n > 0 && b.Action == action.Restart {
				h.Does = fmt.Sprintf("restart %d marked", n)
			}
		}
		hints = append(hints, h)
	}
	return hints
}

// mover is what both tables and scrolled texts do.
type mover interface {
	Move(n int)
	Page(n int)
	First()
	Last()
}

var _ mover = (*component.Scroll)(nil)

// moveTable carries out a command that moves and reports whether it was one.
func moveTable(m mover, cmd Command) bool {
	switch cmd {
	case CmdUp:
		m.Move(-1)
	case CmdDown:
		m.Move(1)
	case CmdPageUp:
		m.Page(-1)
	case CmdPageDn:
		m.Page(1)
	case CmdFirst:
		m.First()
	case CmdLast:
		m.Last()
	default:
		return false
	}
	return true
}

// leadsSomewhere reports a screen that has something to show just now.
func leadsSomewhere(cmd Command, c *Context) bool {
	switch cmd {
	case CmdRun:
		return c.Run != nil || c.Reconfigure != nil
	case CmdComp:
		return c.Snapshot != nil && len(c.Snapshot.Computes) > 0
	case CmdRuns:
		return c.Unfinished.ID != "" || c.Elsewhere.Driver != ""
	}
	return true
}

// openScreen is what the commands that leave a screen ask for.
func openScreen(cmd Command, c *Context) Intent {
	switch cmd {
	case CmdBack:
		return Back{}
	case CmdQuit:
		return Quit{}
	case CmdHelp:
		return Open{Screen: ScreenHelp}
	case CmdEvents:
		return Open{Screen: ScreenEvents}
	case CmdRuns:
		return Open{Screen: ScreenRuns}
	case CmdRelease:
		return Open{Screen: ScreenRelease}
	case CmdComp:
		return Open{Screen: ScreenComputes}
	case CmdRun:
		switch {
		case ReconfigureLive(c.Reconfigure), c.Run == nil && c.Reconfigure != nil:
			return Open{Screen: ScreenReconfigure}
		case c.Run == nil:
			return Say{Text: "there is no run"}
		case c.Run.State == rollout.RunEnded:
			return Open{Screen: ScreenReport}
		}
		return Open{Screen: ScreenRun}
	}
	return nil
}

// missingNodes is the sentence for a node list that has nothing to show.
func missingNodes(s *cluster.Snapshot) string {
	switch {
	case s == nil:
		return "Waiting for the controller's first answer."
	case s.Nodes.Known():
		return "No nodes are registered with this controller."
	case s.Nodes.Off != "":
		return "The node list is off: " + s.Nodes.Off + "."
	case s.Nodes.Err == nil:
		return "Waiting for the first answer of " + s.Endpoint + "."
	}
	err := s.Nodes.Err
	switch client.KindOf(err) {
	case client.Unauthorized:
		return "The controller does not accept the token: the node list is off (" + err.Error() + ")."
	case client.BadAnswer:
		return "What answers at " + s.Endpoint + " does not answer like a storage controller (" + err.Error() + "). Is the port right?"
	case client.Unreachable:
		return "The controller at " + s.Endpoint + " does not answer: " + strings.TrimSuffix(err.Error(), ".") + ". Trying again."
	}
	return "The node list cannot be read: " + err.Error() + "."
}
