package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/themes"
	"github.com/StorconTUI/storcon-tui/ui/component"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

// Node shows one node: what it is, its shards, and what became of it. The
// shard list is read while the screen is open.
type Node struct {
	id    client.NodeID
	table *component.Table[string, shardRow]
	at    time.Time // of the list that the table holds
	feed  feed
}

var _ Screen = (*Node)(nil)

// NewNode makes the screen of one node.
func NewNode(id client.NodeID) *Node {
	return &Node{id: id, table: newShardTable()}
}

// ID is "node".
func (n *Node) ID() string { return ScreenNode }

// Watches is the node whose shard list is needed.
func (n *Node) Watches() client.NodeID { return n.id }

// Key scrolls the shards or asks for an action on this node.
func (n *Node) Key(key string, c *Context) Intent {
	b, ok := commandFor(ScreenNode, key)
	if !ok {
		return nil
	}
	if b.Action != "" {
		return act(b, n.selection(c))
	}
	if moveTable(n.table, b.Command) {
		return nil
	}
	if b.Command == CmdComp {
		return OpenComputes{Node: n.id}
	}
	return openScreen(b.Command, c)
}

func (n *Node) selection(c *Context) selection {
	sel := newSelection(c)
	sel.Cursor = n.id
	return sel
}

// Hints are the keys that work here.
func (n *Node) Hints(c *Context) []Hint { return hintsFor(ScreenNode, n.selection(c), c) }

// Lines draws facts, shards and history.
func (n *Node) Lines(c *Context, w, h int) []string {
	lines := n.facts(c, w)
	const historyRows, leastShards = 4, 5
	left := h - len(lines)
	history := min(historyRows+2, left-leastShards)
	if history < 3 {
		history = 0
	}
	lines = append(lines, n.shards(c, w, left-history)...)
	if history > 0 {
		lines = append(lines, component.Rule(c.Styles.Rule, w))
		lines = append(lines, n.history(c, w, history-1)...)
	}
	return component.Box(lines, w, h)
}

// facts are the lines about the node itself.
func (n *Node) facts(c *Context, w int) []string {
	s := c.Styles
	title := component.NewLine(w)
	title.Gap(1).Put(s.Title, "NODE "+n.id.String()).Gap(2)
	node, ok := n.node(c)
	if !ok {
		return []string{title.Put(s.Bad, "is not registered with the controller").String()}
	}
	title.Put(s.Strong, node.Address())
	if az := node.AZ(); az != "" {
		title.Put(s.Text, " · "+az)
	}
	stale := c.Snapshot.Stale(c.Now)
	if stale {
		title.Gap(2).Put(s.Badge, " "+Age(c.Snapshot.Nodes.Age(c.Now))+" old ")
	}
	lines := []string{title.String()}
	fact := func(label string, style themes.Style, text string) *component.Line {
		l := component.NewLine(w)
		return l.Gap(3).Put(s.Dim, label).To(17).Put(style, text)
	}
	add := func(l *component.Line) { lines = append(lines, l.String()) }
	add(fact("availability", dimIf(s, stale, availabilityStyle(s, node.Availability)), string(node.Availability)).
		Put(s.Text, stoodSince(c, node.AvailabilitySince)+flapText(node)))
	add(fact("policy", dimIf(s, stale, policyStyle(s, node.Scheduling)), string(node.Scheduling)).
		Put(s.Text, stoodSince(c, node.PolicySince)))
	add(fact("shards", s.Text, figuresText(c, node)))
	add(fact("listed", s.Text, listedText(c, n.id)))
	add(fact("process", s.Text, processText(c, node)))
	if len(c.Snapshot.Computes) > 0 {
		label := "computes"
		for _, text := range dependentsOf(c.Snapshot, n.id).fitting(w-18, 2) {
			add(fact(label, s.Text, text))
			label = ""
		}
	}
	return lines
}

// node finds the node in the newest snapshot.
func (n *Node) node(c *Context) (cluster.Node, bool) {
	if c.Snapshot == nil {
		return cluster.Node{}, false
	}
	return c.Snapshot.Node(n.id)
}

// stoodSince says from when a value stands, as far as this console has seen.
func stoodSince(c *Context, since time.Time) string {
	if since.IsZero() {
		return "  since before this console looked"
	}
	return "  since " + since.In(location(c)).Format("15:04:05") + ", " + Age(c.Now.Sub(since))
}

func flapText(n cluster.Node) string {
	if n.Flaps == 0 {
		return ""
	}
	return " · " + prose.Things(int64(n.Flaps), "change") + " in 5 min"
}

// figuresText words the controller's gauges.
func figuresText(c *Context, n cluster.Node) string {
	row := nodeRow{attached: n.Attached, secondary: n.Secondary, home: n.Home}
	text := fmt.Sprintf("%s attached · %s secondary · %s of home", prose.Count(n.Attached), prose.Count(n.Secondary), row.homeText())
	if why := partTrouble(c.Snapshot.Metrics); why != "" {
		return text + " (" + why + ")"
	}
	return text + " (intended)"
}

// listedText words the shard list: what the pageserver confirmed.
func listedText(c *Context, id client.NodeID) string {
	part, watched := c.Snapshot.Shards[id]
	if why := partTrouble(part); why != "" {
		return "shard list: " + why
	}
	if !watched || !part.Known() {
		return "reading the shard list"
	}
	v := part.Value
	if node, ok := c.Snapshot.Node(id); ok && node.Availability == client.AvailabilityOffline {
		return prose.Count(int64(v.Observed)) + " attached confirmed; the node is Offline and tells nothing (seen " + coarse(part.Age(c.Now)) + " ago)"
	}
	return fmt.Sprintf("%s attached · %s secondary · %s moving (seen %s ago)",
		prose.Count(int64(v.Observed)), prose.Count(int64(v.Secondary)), prose.Count(int64(v.Moving)), coarse(part.Age(c.Now)))
}

// coarse keeps ages of data that is read every two seconds from changing the
// screen all the time.
func coarse(d time.Duration) string {
	if d < 5*time.Second {
		return "< 5 s"
	}
	return Age(d)
}

func processText(c *Context, n cluster.Node) string {
	p := n.Process
	var parts []string
	if p.Known() {
		parts = append(parts, "build "+orUnknown(buildName(p.Value.Build)))
		if !p.Value.Launch.IsZero() {
			parts = append(parts, "up "+Age(c.Now.Sub(p.Value.Launch))+
				", launched "+p.Value.Launch.In(location(c)).Format("2006-01-02 15:04:05"))
		}
	}
	if why := partTrouble(p); why != "" {
		parts = append(parts, why)
	}
	if len(parts) == 0 {
		return unknownFigure
	}
	return strings.Join(parts, " · ")
}

// history draws the node's own events.
func (n *Node) history(c *Context, w, h int) []string {
	lines := []string{component.NewLine(w).Gap(1).Put(c.Styles.Title, "HISTORY").String()}
	for _, item := range n.feed.load(c) {
		if item.event.Node == n.id && len(lines) < h {
			lines = append(lines, item.line(c, w))
		}
	}
	if len(lines) == 1 {
		lines = append(lines, component.NewLine(w).Gap(1).
			Put(c.Styles.Dim, "Nothing has changed since this console began to look.").String())
	}
	return component.Box(lines, w, h)
}
