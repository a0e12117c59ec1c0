package view

import (
	"cmp"
	"fmt"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/themes"
	"github.com/StorconTUI/storcon-tui/ui/component"
)

// place is what a node is to a shard.
type place int

const (
	notHere place = iota
	secondary
	attached
	unconfirmed // the node is away, and nobody tells what it holds
)

func placeOf(isSecondary *bool) place {
	switch {
	case isSecondary == nil:
		return notHere
	case *isSecondary:
		return secondary
	}
	return attached
}

func (p place) String() string {
	return [...]string{"not here", "secondary", "attached", "unconfirmed"}[p]
}

// shardRow is one location of the node.
type shardRow struct {
	id                 string
	intended, observed place
}

// movement words the difference between intended and observed, "" for none.
func (r *shardRow) movement() string {
	switch {
	case r.intended == r.observed, r.observed == unconfirmed:
		return ""
	case r.observed == attached:
		return "leaving"
	case r.intended == attached:
		return "arriving"
	}
	return "changing"
}

func newShardTable() *component.Table[string, shardRow] {
	text := func(get func(*shardRow) string) func(*component.Line, *themes.Styles, *shardRow, int) {
		return func(l *component.Line, s *themes.Styles, r *shardRow, w int) { l.PutMax(s.Text, get(r), w) }
	}
	t := component.NewTable(component.Spec[string, shardRow]{
		Key:   func(r *shardRow) string { return r.id },
		Match: func(r *shardRow, lower string) bool { return component.ContainsFold(r.id, lower) },
		Columns: []component.Column[shardRow]{
			{
				ID: "interest", Title: "SHARD", Min: 20, Max: 38,
				Compare: func(a, b *shardRow) int { return cmp.Compare(interest(b), interest(a)) },
				Draw:    text(func(r *shardRow) string { return r.id }),
			},
			{Title: "INTENDED", Min: 9, Max: 12, Draw: text(func(r *shardRow) string { return r.intended.String() })},
			{Title: "OBSERVED", Min: 11, Max: 12, Draw: text(func(r *shardRow) string { return r.observed.String() })},
			{Title: "", Min: 8, Max: 12, Drop: 1, Draw: func(l *component.Line, s *themes.Styles, r *shardRow, w int) {
				l.PutMax(s.Busy, r.movement(), w)
			}},
		},
	})
	return t
}

// interest puts what moves first, then what is attached.
func interest(r *shardRow) int {
	if r.movement() != "" {
		return 10
	}
	if r.observed == unconfirmed {
		return int(r.intended)
	}
	return int(r.observed)
}

// load takes over a new shard list.
func (n *Node) load(c *Context) (part cluster.Part[cluster.ShardCounts], ok bool) {
	if c.Snapshot == nil {
		return part, false
	}
	part, ok = c.Snapshot.Shards[n.id]
	if !ok || part.At.Equal(n.at) {
		return part, ok
	}
	n.at = part.At
	node, _ := c.Snapshot.Node(n.id)
	rows := make([]shardRow, len(part.Value.Shards))
	for i, s := range part.Value.Shards {
		rows[i] = shardRow{id: string(s.ID), intended: placeOf(s.IntendedSecondary), observed: placeOf(s.ObservedSecondary)}
		if rows[i].observed == notHere && node.Availability == client.AvailabilityOffline {
			rows[i].observed = unconfirmed
		}
	}
	n.table.SetRows(rows)
	return part, ok
}

// shards draws the shard list, or says why there is none.
func (n *Node) shards(c *Context, w, h int) []string {
	if h <= 0 {
		return nil
	}
	s := c.Styles
	part, ok := n.load(c)
	title := component.NewLine(w)
	title.Gap(1).Put(s.Title, "SHARDS").Gap(2)
	if n.table.Total() == 0 {
		return component.Box(n.none(title, s, noShards(part, ok, n.id), w), w, h)
	}
	title.Put(s.Text, fmt.Sprintf("%d, those that move first", n.table.Total()))
	body := n.table.Lines(s, w, h-1)
	if first, last := n.table.Window(); last-first+1 < n.table.Total() {
		title.Put(s.Dim, fmt.Sprintf(" · rows %d–%d", first, last))
	}
	return append([]string{title.String()}, body...)
}

// none says behind the title why no list is shown.
func (n *Node) none(title *component.Line, s *themes.Styles, why string, w int) []string {
	const indent = 9
	var lines []string
	for i, part := range component.Wrap(why, max(w-indent-1, 1)) {
		if i > 0 {
			title = component.NewLine(w).Gap(indent)
		}
		lines = append(lines, title.Put(s.Text, part).String())
	}
	return lines
}

func noShards(part cluster.Part[cluster.ShardCounts], watched bool, id client.NodeID) string {
	switch {
	case partTrouble(part) != "":
		return "the list is off: " + partTrouble(part)
	case !watched || !part.Known():
		return "reading …"
	}
	return "no shard has a location on node " + id.String()
}
