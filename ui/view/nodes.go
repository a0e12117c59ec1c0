package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/ui/component"
)

// Nodes is the dashboard: every node, and below it what has happened.
type Nodes struct {
	now      time.Time
	table    *component.Table[client.NodeID, nodeRow]
	lastSeen map[client.NodeID]int64
	shown    uint64 // Seq of what the table holds, meaningful if loaded
	loaded   bool
	stale    bool

	filterBox
	feed feed
}

var (
	_ Screen    = (*Nodes)(nil)
	_ TextEntry = (*Nodes)(nil)
)

// NewNodes makes the dashboard.
func NewNodes() *Nodes {
	n := &Nodes{lastSeen: map[client.NodeID]int64{}}
	n.table = newNodesTable(&n.now)
	n.of = n.table
	return n
}

// ID is "nodes".
func (n *Nodes) ID() string { return ScreenNodes }

// load takes over a new snapshot. It is called before anything looks at the
// table, so that a key falls on what is on the screen and not on older rows.
func (n *Nodes) load(c *Context) {
	n.now = c.Now
	if c.Snapshot == nil {
		return
	}
	stale := c.Snapshot.Nodes.Known() && c.Snapshot.Stale(c.Now)
	if n.loaded && c.Snapshot.Seq == n.shown && stale == n.stale {
		return
	}
	n.shown, n.loaded, n.stale = c.Snapshot.Seq, true, stale
	n.table.SetRows(nodeRows(c.Snapshot, stale, n.lastSeen))
}

// Key moves, marks, filters or asks for an action.
func (n *Nodes) Key(key string, c *Context) Intent {
	if n.typing {
		n.typed(key)
		return nil
	}
	b, ok := commandFor(ScreenNodes, key)
	if !ok {
		return nil
	}
	if b.Action != "" {
		// The targets are those that were on the screen when the key was
		// pressed: the new snapshot, if any, is loaded by the next drawing.
		return act(b, n.selection(c))
	}
	return n.run(b.Command, c)
}

func (n *Nodes) run(cmd Command, c *Context) Intent {
	switch cmd {
	case CmdOpen:
		if r, ok := n.table.Cursor(); ok {
			return OpenNode{Node: r.id}
		}
		return Say{Text: n.noRow()}
	case CmdMark:
		n.table.ToggleMark()
		n.table.Move(1)
	case CmdFilter:
		n.typing = true
	case CmdSort:
		n.table.CycleSort()
	case CmdReverse:
		id, desc := n.table.Sort()
		n.table.SetSort(id, !desc)
	case CmdNext:
		return n.nextProblem(c)
	case CmdBack:
		if !n.clear() { // one thing at a time
			n.table.ClearMarks()
		}
	default:
		if !moveTable(n.table, cmd) {
			return openScreen(cmd, c)
		}
	}
	return nil
}

// noRow says why there is no row under the cursor.
func (n *Nodes) noRow() string {
	if id, lost := n.table.Lost(); lost && n.table.Filter() == "" {
		return fmt.Sprintf("node %s is gone; choose another", id)
	}
	return "no node is under the cursor"
}

// nextProblem moves to the next node that needs attention, in the order of
// their urgency, beginning behind the one under the cursor.
func (n *Nodes) nextProblem(c *Context) Intent {
	var ids []client.NodeID
	for _, p := range Problems(c) {
		if p.Node != 0 && (len(ids) == 0 || ids[len(ids)-1] != p.Node) {
			ids = append(ids, p.Node)
		}
	}
	if len(ids) == 0 {
		return Say{Text: "no node needs attention"}
	}
	at := 0
	if r, ok := n.table.Cursor(); ok {
		for i, id := range ids {
			if id == r.id {
				at = i + 1
			}
		}
	}
	for i := range ids {
		if n.table.MoveTo(ids[(at+i)%len(ids)]) {
			return nil
		}
	}
	return Say{Text: "the filter hides every node that needs attention"}
}

// Lines draws the table over the newest events.
func (n *Nodes) Lines(c *Context, w, h int) []string {
	n.load(c)
	lines := make([]string, 0, h)
	if h <= 0 {
		return lines
	}
	if sentence := n.empty(c); sentence != "" {
		lines = append(lines, n.title(c, w))
		for _, text := range component.Wrap(sentence, max(w-4, 1)) {
			l := component.NewLine(w)
			lines = append(lines, l.Gap(2).Plain(text).String())
		}
		return component.Box(lines, w, h)
	}
	events := n.eventsHeight(h)
	rows := n.table.Lines(c.Styles, w, h-1-events) // first: the title names the rows that are visible
	lines = append(append(lines, n.title(c, w)), rows...)
	if events > 0 {
		lines = append(lines, component.Rule(c.Styles.Rule, w), component.NewLine(w).Gap(1).Put(c.Styles.Title, "EVENTS").String())
		lines = append(lines, n.feed.newest(c, w, events-2)...)
	}
	return component.Box(lines, w, h)
}

// eventsHeight gives the table what it needs first and the events the rest,
// but not less than a few lines where there is room for both.
func (n *Nodes) eventsHeight(h int) int {
	const least, smallest = 4, 12
	if h < smallest {
		return 0
	}
	rest := h - 1 - (n.table.Shown() + 1)
	return max(rest, 2+max(least, h/5))
}

func (n *Nodes) title(c *Context, w int) string {
	s := c.Styles
	l := component.NewLine(w)
	l.Gap(1).Put(s.Title, "NODES").Gap(2)
	if n.typing {
		l.Put(s.Key, "filter: ")
		n.field.Draw(l, s, max(l.Left()-40, 10))
		l.Gap(2).Put(s.Text, fmt.Sprintf("%d of %d", n.table.Shown(), n.table.Total()))
		return l.Put(s.Dim, " · enter keeps, esc clears").String()
	}
	l.Put(s.Text, fmt.Sprintf("%d of %d", n.table.Shown(), n.table.Total()))
	if f := n.table.Filter(); f != "" {
		l.Put(s.Warn, fmt.Sprintf(" · filter %q", f))
	}
	if id, desc := n.table.Sort(); id != "" {
		l.Put(s.Dim, " · by "+id+" "+map[bool]string{false: "↑", true: "↓"}[desc])
	}
	if first, last := n.table.Window(); first > 1 || last < n.table.Shown() {
		l.Put(s.Dim, fmt.Sprintf(" · rows %d–%d", first, last))
	}
	if id, lost := n.table.Lost(); lost && n.table.Filter() == "" {
		l.Put(s.Warn, fmt.Sprintf(" · node %s is gone", id))
	}
	if marked := len(n.table.Marked()); marked > 0 {
		text := fmt.Sprintf("%d marked (%d hidden) ", marked, n.table.Hidden())
		l.To(w-len(text)).Put(s.Marked, strings.TrimSpace(text))
	}
	return l.String()
}

// empty is the sentence in place of a table without rows, "" when there are
// rows.
func (n *Nodes) empty(c *Context) string {
	if n.table.Shown() > 0 {
		return ""
	}
	if f := n.table.Filter(); f != "" && n.table.Total() > 0 {
		return fmt.Sprintf("Nothing matches %q. esc clears the filter.", f)
	}
	return missingNodes(c.Snapshot)
}

// Hints are the keys that work now.
func (n *Nodes) Hints(c *Context) []Hint {
	n.load(c) // hints are drawn together with the table
	if n.typing {
		return []Hint{{Key: "enter", Does: "keep filter"}, {Key: "esc", Does: "clear filter"}}
	}
	return hintsFor(ScreenNodes, n.selection(c), c)
}

// selection is what an action would apply to.
func (n *Nodes) selection(c *Context) selection {
	sel := newSelection(c)
	if r, ok := n.table.Cursor(); ok {
		sel.Cursor = r.id
	} else {
		sel.none = n.noRow()
	}
	sel.Marked = n.table.Marked()
	return sel
}
