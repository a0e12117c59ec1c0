package view

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/themes"
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

// ID is "computes".
func (v *Computes) ID() string { return ScreenComputes }

func (v *Computes) load(c *Context) {
	v.now = c.Now
	if c.Snapshot == nil || v.loaded && c.Snapshot.Seq == v.shown {
		return
	}
	v.shown, v.loaded = c.Snapshot.Seq, true
	rows := make([]computeRow, len(c.Snapshot.Computes))
	for i, one := range c.Snapshot.Computes {
		rows[i] = newComputeRow(one)
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
	case CmdFilter:
		v.typing = true
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

// computesDetail is how many lines the compute under the cursor gets at most.
const computesDetail = 9

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
	detail := v.detail(c, w)
	detail = detail[:min(len(detail), computesDetail, max(h-6, 0))]
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
	if f := v.table.Filter(); f != "" {
		text += ` · contains "` + f + `"`
	}
	if v.table.Shown() == 0 {
		text += " · nothing matches; esc clears the filter"
	}
	return text
}

// detail is all that is known of the compute under the cursor: its words in full,
// and what it went through since this console looks.
func (v *Computes) detail(c *Context, w int) []string {
	r, ok := v.table.Cursor()
	if !ok || c.Snapshot == nil {
		return nil
	}
	p := page{w: w}
	s := c.Styles
	p.lines = append(p.lines, component.Rule(s.Dim, w))
	p.put(s.Strong, 1, r.name+"  "+r.url)
	switch {
	case r.why != "":
		p.put(s.Warn, 1, "no answer, what it does is unknown: "+r.why)
	case r.fault != "":
		p.put(s.Bad, 1, "error: "+r.fault)
	}
	if r.tenant != "" {
		p.put(s.Text, 1, "tenant "+r.tenant+"  timeline "+r.timeline)
	}
	var history []string
	for _, e := range c.Snapshot.Events {
		if e.What == cluster.ComputeStatusChanged && e.Name == r.name {
			history = append(history, clock(c, e)+" "+e.From+" to "+e.To)
		}
	}
	if len(history) > 0 {
		p.put(s.Dim, 1, "history: "+strings.Join(history, " · "))
	}
	return p.lines
}

// Hints are the keys of the list.
func (v *Computes) Hints(c *Context) []Hint {
	if v.typing {
		return []Hint{{Key: "enter", Does: "keep the filter"}, {Key: "esc", Does: "clear it"}}
	}
	return hintsFor(ScreenComputes, newSelection(c), c)
}

// computeRow is all that a row is drawn from, the time apart.
type computeRow struct {
	name, url        string
	state            compute.State // last known; "" = never
	why              string        // why it does not answer; "" = it does
	since            time.Time     // of the state; zero = before this console looked
	started, active  time.Time
	tenant, timeline string
	fault            string // the compute's own words
}

func newComputeRow(c cluster.Compute) computeRow {
	st := c.Status.Value
	r := computeRow{name: c.Name, url: c.URL, state: st.State, since: c.Since}
	if c.Status.Err != nil {
		r.why = c.Status.Err.Error()
	}
	deref(&r.tenant, st.Tenant)
	deref(&r.timeline, st.Timeline)
	deref(&r.fault, st.Error)
	deref(&r.started, st.StartTime)
	deref(&r.active, st.LastActive)
	return r
}

func deref[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// word is the state as it is shown: an old one never looks as if it were current.
func (r *computeRow) word() string {
	switch {
	case r.state == "" && r.why == "":
		return "reading …"
	case r.state == "":
		return "no answer"
	case r.why != "":
		return "was " + string(r.state)
	}
	return string(r.state)
}

// urgency puts what needs a person first.
func (r *computeRow) urgency() int {
	switch {
	case r.state == compute.StateFailed && r.why == "":
		return 0
	case r.why != "":
		return 1
	case r.state == compute.StateRunning:
		return 3
	}
	return 2
}

func (r *computeRow) style(s *themes.Styles) themes.Style {
	switch {
	case r.why != "":
		return s.Warn
	case r.state == compute.StateFailed:
		return s.Bad
	case r.state == compute.StateRunning:
		return s.Good
	}
	return s.Text // also words that this program does not know
}

func newComputesTable(now *time.Time) *component.Table[string, computeRow] {
	age := func(t time.Time) string {
		if t.IsZero() {
			return unknownFigure
		}
		return Age(now.Sub(t))
	}
	text := func(get func(*computeRow) string) func(*component.Line, *themes.Styles, *computeRow, int) {
		return func(l *component.Line, s *themes.Styles, r *computeRow, w int) { l.PutMax(s.Text, get(r), w) }
	}
	return component.NewTable(component.Spec[string, computeRow]{
		Key: func(r *computeRow) string { return r.name },
		Match: func(r *computeRow, lower string) bool {
			return component.ContainsFold(r.name, lower) || component.ContainsFold(r.word(), lower) ||
				component.ContainsFold(r.tenant, lower) || component.ContainsFold(r.fault, lower)
		},
		Stamp: func(r *computeRow) uint64 {
			var stamp uint64
			for _, t := range [...]time.Time{r.since, r.started, r.active} {
				if !t.IsZero() {
					n, unit := ageUnits(now.Sub(t))
					stamp = stamp*1_000_003 + uint64(n)*31 + uint64(unit[0])
				}
			}
			return stamp
		},
		Columns: []component.Column[computeRow]{
			{
				ID: "urgency", Title: "NAME", Min: 18, Narrow: 12, Max: 40,
				Want:    func(r *computeRow) int { return component.Width(r.name) },
				Compare: func(a, b *computeRow) int { return cmp.Compare(a.urgency(), b.urgency()) },
				Draw: func(l *component.Line, s *themes.Styles, r *computeRow, w int) {
					l.Put(s.Accent, component.TruncateMiddle(r.name, w))
				},
			},
			{
				ID: "status", Title: "STATUS", Min: 12, Max: 30,
				Want:    func(r *computeRow) int { return component.Width(r.word()) },
				Compare: func(a, b *computeRow) int { return cmp.Compare(a.word(), b.word()) },
				Draw: func(l *component.Line, s *themes.Styles, r *computeRow, w int) {
					l.PutMax(r.style(s), r.word(), w)
				},
			},
			{
				ID: "since", Title: "SINCE", Min: 6, Max: 6, Drop: 2, Right: true,
				Compare: func(a, b *computeRow) int { return b.since.Compare(a.since) },
				Draw: func(l *component.Line, s *themes.Styles, r *computeRow, w int) {
					l.PutRight(s.Text, age(r.since), w)
				},
			},
			{
				ID: "tenant", Title: "TENANT", Min: 11, Max: 11,
				Compare: func(a, b *computeRow) int { return cmp.Compare(a.tenant, b.tenant) },
				Draw:    text(func(r *computeRow) string { return orUnknown(prose.ShortShard(r.tenant)) }),
			},
			{
				ID: "up", Title: "UP", Min: 6, Max: 6, Drop: 1, Right: true,
				Compare: func(a, b *computeRow) int { return b.started.Compare(a.started) },
				Draw: func(l *component.Line, s *themes.Styles, r *computeRow, w int) {
					l.PutRight(s.Text, age(r.started), w)
				},
			},
			{
				ID: "active", Title: "ACTIVE", Min: 6, Max: 6, Right: true,
				Compare: func(a, b *computeRow) int { return b.active.Compare(a.active) },
				Draw: func(l *component.Line, s *themes.Styles, r *computeRow, w int) {
					l.PutRight(s.Text, age(r.active), w)
				},
			},
			{Title: "ERROR", Min: 10, Max: 200, Drop: 3, Draw: func(l *component.Line, s *themes.Styles, r *computeRow, w int) {
				if r.why != "" {
					l.PutMax(s.Dim, r.why, w)
					return
				}
				l.PutMax(s.Bad, r.fault, w)
			}},
		},
	})
}
