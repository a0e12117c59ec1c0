package view

import (
	"fmt"
	"slices"
	"time"

	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/release"
	"github.com/StorconTUI/storcon-tui/ui/component"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

// FleetCluster is one of the clusters that are watched side by side, as it is now.
type FleetCluster struct {
	Name     string
	Trouble  string            // why it is not watched; "" = it is
	Snapshot *cluster.Snapshot // nil = none yet
	Release  *release.Release  // nil = none yet
}

// OpenCluster opens the console of a cluster.
type OpenCluster struct{ Name string }

func (OpenCluster) intent() {}

// FleetScreen shows all clusters, a row each, and below them what is wrong with the one
// under the cursor and what has happened there. It changes nothing.
type FleetScreen struct {
	table *component.Table[string, fleetRow]

	filterBox
}

var (
	_ Screen    = (*FleetScreen)(nil)
	_ TextEntry = (*FleetScreen)(nil)
)

// NewFleet makes the screen of the context's clusters, by name.
func NewFleet() *FleetScreen {
	v := &FleetScreen{table: newFleetTable()}
	v.of = v.table
	return v
}

// ID is "fleet".
func (v *FleetScreen) ID() string { return ScreenFleet }

func (v *FleetScreen) load(c *Context) {
	rows := make([]fleetRow, len(c.Fleet))
	for i := range c.Fleet {
		rows[i] = newFleetRow(c, &c.Fleet[i])
	}
	v.table.SetRows(rows)
}

// Key moves, filters, sorts and opens.
func (v *FleetScreen) Key(key string, c *Context) Intent {
	v.load(c)
	if v.typing {
		v.typed(key)
		return nil
	}
	b, ok := commandFor(ScreenFleet, key)
	if !ok {
		return nil
	}
	switch b.Command {
	case CmdOpen:
		if r, ok := v.table.Cursor(); ok {
			return OpenCluster{Name: r.name}
		}
		return Say{Text: "no cluster is under the cursor"}
	case CmdNext:
		return v.next()
	case CmdFilter:
		v.typing = true
	case CmdSort:
		v.table.CycleSort()
	case CmdReverse:
		id, desc := v.table.Sort()
		v.table.SetSort(id, !desc)
	case CmdBack:
		v.clear()
	default:
		if !moveTable(v.table, b.Command) {
			return wayOut(b.Command)
		}
	}
	return nil
}

// next goes to the next cluster, in the order on the screen, that needs a person.
func (v *FleetScreen) next() Intent {
	rows, at := v.table.Visible(), -1
	if under, ok := v.table.Cursor(); ok {
		at = slices.IndexFunc(rows, func(r fleetRow) bool { return r.name == under.name })
	}
	for i := range rows {
		if r := rows[(at+1+i)%len(rows)]; r.wrong() {
			v.table.MoveTo(r.name)
			return nil
		}
	}
	return Say{Text: "nothing looks wrong with any cluster that is shown"}
}

// leastFleetDetail is how many lines the cluster under the cursor gets at least, where
// there is room for it at all.
const leastFleetDetail = 8

// Lines draws the table and, below it, the cluster under the cursor.
func (v *FleetScreen) Lines(c *Context, w, h int) []string {
	v.load(c)
	s := c.Styles
	title := component.NewLine(w).Gap(1).Put(s.Title, "CLUSTERS").Gap(2).Put(s.Text, v.count())
	if v.typing {
		title.Gap(2).Put(s.Strong, "/")
		v.field.Draw(title, s, max(title.Left()-1, 8))
	}
	lines := []string{title.String()}
	if v.table.Shown() == 0 {
		text := fmt.Sprintf("Nothing matches %q. esc clears the filter.", v.table.Filter())
		lines = append(lines, component.NewLine(w).Gap(2).Put(s.Text, text).String())
		return finish(c, component.Box(lines, w, h))
	}
	rows := min(v.table.Shown()+1, h-1)
	if least := h - 1 - leastFleetDetail; least > leastPanel {
		rows = min(rows, least)
	}
	lines = append(lines, v.table.Lines(s, w, rows)...)
	if left := h - len(lines); left > 1 {
		lines = append(lines, v.detail(c, w, left)...)
	}
	return finish(c, component.Box(lines, w, h))
}

// count says how many there are, how they are, and in which order they stand.
func (v *FleetScreen) count() string {
	wrong, live := 0, 0
	for _, r := range v.table.Rows() {
		if r.wrong() {
			wrong++
		}
		if r.live {
			live++
		}
	}
	id, desc := v.table.Sort()
	arrow := "↑"
	if desc {
		arrow = "↓"
	}
	text := fmt.Sprintf("%d of %d · by %s %s", v.table.Shown(), v.table.Total(), id, arrow)
	if live > 0 {
		text = fmt.Sprintf("%s under way · %s", prose.Things(int64(live), "release"), text)
	}
	switch {
	case wrong == 1:
		text = "! 1 needs a look · " + text
	case wrong > 1:
		text = fmt.Sprintf("! %d need a look · %s", wrong, text)
	}
	if f := v.table.Filter(); f != "" {
		text += ` · contains "` + f + `"`
	}
	return text
}

// detail fills h lines with the cluster under the cursor.
func (v *FleetScreen) detail(c *Context, w, h int) []string {
	p := newSheet(c, w)
	p.rule()
	r, ok := v.table.Cursor()
	if !ok {
		return component.Box(p.lines, w, h)
	}
	at := slices.IndexFunc(c.Fleet, func(f FleetCluster) bool { return f.Name == r.name })
	f := &c.Fleet[at]
	head := component.NewLine(w).Gap(1).Put(p.s.Strong, f.Name)
	if f.Snapshot != nil && f.Snapshot.Endpoint != f.Name {
		head.Gap(2).Put(p.s.Dim, f.Snapshot.Endpoint)
	}
	p.add(head)
	switch {
	case f.Trouble != "":
		p.text(p.s.Bad, "It is not watched: "+f.Trouble)
		p.text(p.s.Text, "It is tried again every "+prose.Span(FleetRetry)+".")
	case f.Release == nil || len(f.Release.Nodes) == 0:
		p.text(p.s.Text, missingNodes(f.Snapshot))
	default:
		p.text(p.s.Text, "Release: "+releaseState(f.Release, location(c)))
		drawFleetRelease(p, c, f.Release, h-len(p.lines))
	}
	return component.Box(p.lines, w, h)
}

// FleetRetry is how often a cluster that cannot be watched is tried again.
const FleetRetry = 15 * time.Second

// drawFleetRelease draws in h lines what looks wrong now, and what has happened lately.
func drawFleetRelease(p *sheet, c *Context, r *release.Release, h int) {
	const leastLog = 2
	standing := make([]release.Anomaly, 0, len(r.Anomalies))
	for _, a := range slices.Backward(r.Anomalies) {
		if a.Stands() {
			standing = append(standing, a)
		}
	}
	room := max(h-leastLog, 1)
	for i, a := range standing {
		if more := len(standing) - i; i == room-1 && more > 1 {
			p.text(p.s.Bad, fmt.Sprintf("! and %d more", more))
			break
		}
		p.add(fleetAnomaly(p, c, a))
	}
	if len(standing) == 0 {
		p.text(p.s.Dim, "Nothing looks wrong.")
	}
	p.lines = append(p.lines, releaseLog(c, r, p.w, max(h-min(max(len(standing), 1), room), 0))...)
}

// fleetAnomaly is an anomaly in one line: what, of whom, since when, and the particulars.
func fleetAnomaly(p *sheet, c *Context, a release.Anomaly) *component.Line {
	const ofWhom, since, text = 26, 36, 52
	who := ""
	switch {
	case a.Node != 0:
		who = "node " + a.Node.String()
	case a.Compute != "":
		who = a.Compute
	}
	l := component.NewLine(p.w).Gap(1).PutMax(p.s.Bad, "! "+a.Kind.String(), ofWhom-2).To(ofWhom)
	l.PutMax(p.s.Accent, who, since-ofWhom-1).To(since)
	l.Put(p.s.Text, "since "+a.Since.In(location(c)).Format("15:04:05")).To(text)
	return l.PutMax(p.s.Text, a.Text, l.Left()-1)
}

// Hints are the keys of the screen.
func (v *FleetScreen) Hints(c *Context) []Hint {
	if v.typing {
		return []Hint{{Key: "enter", Does: "keep the filter"}, {Key: "esc", Does: "clear it"}}
	}
	return slices.DeleteFunc(hintsFor(ScreenFleet, newSelection(c), c), func(h Hint) bool {
		return h.Key == "esc" && v.table.Filter() == ""
	})
}
