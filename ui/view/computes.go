package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/ui/component"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

// Computes lists the configured computes with what compute_ctl says of each, and
// below it all of the one under the cursor.
type Computes struct {
	now    time.Time
	table  *component.Table[string, computeRow]
	shown  uint64 // Seq of what the table holds, meaningful if loaded
	loaded bool
	stale  int // how many were known to be stale

	filterBox
}

var (
	_ Screen    = (*Computes)(nil)
	_ TextEntry = (*Computes)(nil)
)

// NewComputes makes the list of computes.
func NewComputes() *Computes {
	v := &Computes{}
	v.table = newComputesTable(&v.now)
	v.of = v.table
	return v
}

// NewComputesOn makes the list of those that depend on a node; esc shows all.
func NewComputesOn(node client.NodeID) *Computes {
	v := NewComputes()
	v.setFilter(nodeFilter + node.String())
	return v
}

// ID is "computes".
func (v *Computes) ID() string { return ScreenComputes }

func (v *Computes) load(c *Context) {
	v.now = c.Now
	if c.Snapshot == nil || v.loaded && c.Snapshot.Seq == v.shown && v.stale == len(c.Stale) {
		return
	}
	v.stale = len(c.Stale)
	v.shown, v.loaded = c.Snapshot.Seq, true
	rows := make([]computeRow, len(c.Snapshot.Computes))
	for i, one := range c.Snapshot.Computes {
		rows[i] = newComputeRow(c.Snapshot, one)
		rows[i].stale = len(c.Stale[one.Name]) > 0
	}
	v.table.SetRows(rows)
}

// Key moves, filters and sorts.
func (v *Computes) Key(key string, c *Context) Intent {
	if v.typing {
		v.typed(key)
		return nil
	}
	b, ok := commandFor(ScreenComputes, key)
	if !ok {
		return nil
	}
	switch b.Command {
	case CmdOpen:
		if r, ok := v.table.Cursor(); ok {
			return OpenCompute{Name: r.name}
		}
		return Say{Text: "no compute is under the cursor"}
	case CmdRespec, CmdRespecAll:
		return v.respec(b.Command)
	case CmdFilter:
		v.typing = true
	case CmdState:
		v.nextState()
	case CmdSort:
		v.table.CycleSort()
	case CmdReverse:
		id, desc := v.table.Sort()
		v.table.SetSort(id, !desc)
	case CmdBack:
		if !v.clear() {
			return Back{}
		}
	default:
		if !moveTable(v.table, b.Command) {
			return openScreen(b.Command, c)
		}
	}
	return nil
}

// respec asks for a new spec for the compute under the cursor, or for all that are
// shown.
func (v *Computes) respec(command Command) Intent {
	r, ok := v.table.Cursor()
	switch {
	case !ok:
		return Say{Text: "no compute is under the cursor"}
	case command == CmdRespec:
		return Respec{Computes: []string{r.name}}
	}
	var names []string
	for _, row := range v.table.Visible() {
		names = append(names, row.name)
	}
	return Respec{Computes: names}
}

// nextState shows only the computes of one state: of the most urgent one first, then
// of the next, in the end all again.
func (v *Computes) nextState() {
	rows := slices.Clone(v.table.Rows())
	slices.SortStableFunc(rows, func(a, b computeRow) int {
		return cmp.Or(cmp.Compare(a.urgency(), b.urgency()), cmp.Compare(a.word(), b.word()))
	})
	filters := []string{""}
	for i := range rows {
		if f := stateFilter + strings.ToLower(rows[i].word()); !slices.Contains(filters, f) {
			filters = append(filters, f)
		}
	}
	at := slices.Index(filters, v.table.Filter()) // -1, something else: begin anew behind it
	v.setFilter(filters[(max(at, 0)+1)%len(filters)])
}

func (v *Computes) setFilter(text string) {
	v.field.Set(text)
	v.table.SetFilter(text)
}

// detailHeight is how many lines the compute under the cursor gets: what the table
// leaves, but enough to say what is the matter with it where there is room for both.
func (v *Computes) detailHeight(h int) int {
	const least, most, smallest = 5, 9, 12
	if h < smallest {
		return 0
	}
	return min(max(h-2-v.table.Shown(), least), most)
}

// Lines draws the table and, below it, the compute under the cursor.
func (v *Computes) Lines(c *Context, w, h int) []string {
	v.load(c)
	s := c.Styles
	title := component.NewLine(w).Gap(1).Put(s.Title, "COMPUTES").Gap(2)
	if v.table.Total() == 0 {
		title.Put(s.Text, "none is configured: see [[clusters.NAME.computes]]")
		return component.Box([]string{title.String()}, w, h)
	}
	title.Put(s.Text, v.count())
	if v.typing {
		title.Gap(2).Put(s.Strong, "/")
		v.field.Draw(title, s, max(title.Left()-1, 8))
	}
	if sentence := v.empty(c); sentence != "" {
		lines := []string{title.String()}
		for _, part := range component.Wrap(sentence, max(w-4, 1)) {
			lines = append(lines, component.NewLine(w).Gap(2).Put(s.Text, part).String())
		}
		return component.Box(lines, w, h)
	}
	detail := v.detail(c, w)
	detail = detail[:min(len(detail), v.detailHeight(h))]
	lines := append([]string{title.String()}, v.table.Lines(s, w, h-1-len(detail))...)
	return component.Box(append(lines, detail...), w, h)
}

func (v *Computes) count() string {
	id, desc := v.table.Sort()
	arrow := "↑"
	if desc {
		arrow = "↓"
	}
	text := fmt.Sprintf("%d of %d · by %s %s", v.table.Shown(), v.table.Total(), id, arrow)
	f := v.table.Filter()
	state, ofState := strings.CutPrefix(f, stateFilter)
	node, ofNode := strings.CutPrefix(f, nodeFilter)
	switch {
	case ofState:
		text += " · only " + state
	case ofNode:
		text += " · only on node " + node
	case f != "":
		text += ` · contains "` + f + `"`
	}
	return text
}

// empty is the sentence in place of a table without rows, "" when there are rows.
func (v *Computes) empty(c *Context) string {
	if v.table.Shown() > 0 {
		return ""
	}
	f := v.table.Filter()
	node, ofNode := strings.CutPrefix(f, nodeFilter)
	if !ofNode {
		return fmt.Sprintf("Nothing matches %q. esc clears the filter.", f)
	}
	known := "."
	if _, unknown := c.Snapshot.ComputesOn(0); unknown > 0 {
		known = fmt.Sprintf(", as far as is known: of %s it is not known where its shards are.", prose.Things(int64(unknown), "compute"))
	}
	return "No compute depends on node " + node + known + " esc shows all."
}

// detail is what the compute under the cursor says, its trouble in full.
func (v *Computes) detail(c *Context, w int) []string {
	r, ok := v.table.Cursor()
	if !ok || c.Snapshot == nil {
		return nil
	}
	one, ok := c.Snapshot.Compute(r.name)
	if !ok {
		return nil
	}
	p := newSheet(c, w)
	p.rule()
	p.add(component.NewLine(w).Gap(1).Put(p.s.Strong, r.name).Gap(2).Put(p.s.Dim, r.url))
	computeFacts(p, c, &one)
	return p.lines
}

// Hints are the keys of the list.
func (v *Computes) Hints(c *Context) []Hint {
	if v.typing {
		return []Hint{{Key: "enter", Does: "keep the filter"}, {Key: "esc", Does: "clear it"}}
	}
	return hintsFor(ScreenComputes, newSelection(c), c)
}
