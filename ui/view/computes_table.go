package view

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/themes"
	"github.com/StorconTUI/storcon-tui/ui/component"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

// noAnswer is the word for a compute that does not say what it does.
const noAnswer = "no answer"

// stateFilter begins a filter that is about the status alone.
const stateFilter = "state:"

// computeRow is all that a row is drawn from, the time apart.
type computeRow struct {
	name, url        string
	state            compute.State // last known; "" = never
	why              string        // why it does not answer; "" = it does
	since            time.Time     // of the state, or of the silence; zero = before this console looked
	looked           time.Time     // when this console first saw it
	started, active  time.Time
	tenant, timeline string
	nodes            string // that hold its tenant's shards: "1, 3"; "" = not known
	pending          bool   // the control plane has not been told of a shard that moved
	startup          int64  // ms; 0 = not known
	fault            string // the compute's own words
	stale            bool   // its last known spec names other pageservers than the controller
}

// spec says whether the last known spec is stale.
func (r *computeRow) spec() string {
	if r.stale {
		return "stale"
	}
	return ""
}

func newComputeRow(s *cluster.Snapshot, c cluster.Compute) computeRow {
	st := c.Status.Value
	r := computeRow{
		name: c.Name, url: c.URL, state: st.State, since: c.Since, startup: c.Startup.Value.Total,
		nodes: tenantNodes(s, c.Tenant()), pending: s.NotificationPending(&c),
	}
	if c.Status.Err != nil {
		r.why, r.since = c.Status.Err.Error(), c.Status.Since
	}
	if len(c.Seen) > 0 {
		r.looked = c.Seen[0].At
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

// tenantNodes are the nodes that a tenant's shards are attached to.
func tenantNodes(s *cluster.Snapshot, id client.TenantID) string {
	var nodes []client.NodeID
	for _, shard := range s.Tenants[id].Value {
		if n := shard.NodeAttached; n != nil && !slices.Contains(nodes, *n) {
			nodes = append(nodes, *n)
		}
	}
	return nodeList(nodes)
}

// word is the state as it is shown: an old one never looks as if it were current.
func (r *computeRow) word() string {
	switch {
	case r.why != "":
		return noAnswer
	case r.state == "":
		return "reading …"
	}
	return string(r.state)
}

// remark is the trouble in one line.
func (r *computeRow) remark() string {
	switch {
	case r.why != "" && r.state != "":
		return "was " + string(r.state) + "; " + r.why
	case r.why != "":
		return r.why
	case r.fault != "":
		return r.fault
	case r.pending:
		return "notification pending"
	}
	return ""
}

// urgency puts what needs a person first.
func (r *computeRow) urgency() int {
	switch {
	case r.state == compute.StateFailed && r.why == "":
		return 0
	case r.why != "":
		return 1
	case r.pending:
		return 2
	case r.state == compute.StateRunning:
		return 4
	}
	return 3
}

// style is that of the status. One that this program does not know has none.
func (r *computeRow) style(s *themes.Styles) themes.Style {
	switch {
	case r.why != "":
		return s.Warn
	case r.state == compute.StateFailed:
		return s.Bad
	case r.state == compute.StateRunning:
		return s.Good
	}
	return s.Text
}

// matches reports a row that a filter, in lower case, is about.
func (r *computeRow) matches(lower string) bool {
	if state, ok := strings.CutPrefix(lower, stateFilter); ok {
		return strings.ToLower(r.word()) == state
	}
	if node, ok := strings.CutPrefix(lower, nodeFilter); ok {
		return slices.Contains(strings.Split(r.nodes, ", "), node)
	}
	for _, text := range []string{r.name, r.word(), r.tenant, r.timeline, r.spec(), r.remark()} {
		if component.ContainsFold(text, lower) {
			return true
		}
	}
	return false
}

// sinceText is how long the status stands: at least so long where this console has
// not seen it come.
func (r *computeRow) sinceText(now time.Time) string {
	switch {
	case !r.since.IsZero():
		return Age(now.Sub(r.since))
	case !r.looked.IsZero():
		return "≥" + Age(now.Sub(r.looked))
	}
	return unknownFigure
}

type (
	computeColumn = component.Column[computeRow]
	computeDraw   = func(*component.Line, *themes.Styles, *computeRow, int)
)

func newComputesTable(now *time.Time) *component.Table[string, computeRow] {
	age := func(t time.Time) string {
		if t.IsZero() {
			return unknownFigure
		}
		return Age(now.Sub(t))
	}
	return component.NewTable(component.Spec[string, computeRow]{
		Key:   func(r *computeRow) string { return r.name },
		Match: (*computeRow).matches,
		Stamp: func(r *computeRow) uint64 {
			var stamp uint64
			for _, t := range [...]time.Time{r.since, r.looked, r.active} {
				if !t.IsZero() {
					n, unit := ageUnits(now.Sub(t))
					stamp = stamp*1_000_003 + uint64(n)*31 + uint64(unit[0])
				}
			}
			return stamp
		},
		Columns: append(computeStates(now),
			computeColumn{
				ID: "tenant", Title: "TENANT", Min: 11, Max: 11, Drop: 3,
				Compare: func(a, b *computeRow) int { return cmp.Compare(a.tenant, b.tenant) },
				Draw:    computeText(func(r *computeRow) string { return orUnknown(prose.ShortShard(r.tenant)) }),
			},
			computeColumn{
				ID: "timeline", Title: "TIMELINE", Min: 11, Max: 11, Drop: 5,
				Compare: func(a, b *computeRow) int { return cmp.Compare(a.timeline, b.timeline) },
				Draw:    computeText(func(r *computeRow) string { return orUnknown(prose.ShortShard(r.timeline)) }),
			},
			computeColumn{
				ID: "nodes", Title: "NODES", Min: 5, Drop: 4,
				Want:    func(r *computeRow) int { return component.Width(r.nodes) },
				Max:     16,
				Compare: func(a, b *computeRow) int { return cmp.Compare(a.nodes, b.nodes) },
				Draw:    computeText(func(r *computeRow) string { return orUnknown(r.nodes) }),
			},
			computeColumn{
				ID: "spec", Title: "SPEC", Min: 5, Max: 5, Drop: 3,
				Compare: func(a, b *computeRow) int { return cmp.Compare(b.spec(), a.spec()) },
				Draw: func(l *component.Line, s *themes.Styles, r *computeRow, w int) {
					l.PutMax(s.Warn, r.spec(), w)
				},
			},
			computeColumn{
				ID: "active", Title: "ACTIVE", Min: 6, Max: 6, Drop: 1, Right: true,
				Compare: func(a, b *computeRow) int { return b.active.Compare(a.active) },
				Draw:    computeFigure(func(r *computeRow) string { return age(r.active) }),
			},
			computeColumn{
				ID: "start-up", Title: "START-UP", Min: 8, Max: 8, Drop: 2, Right: true,
				Compare: func(a, b *computeRow) int { return cmp.Compare(b.startup, a.startup) },
				Draw: computeFigure(func(r *computeRow) string {
					if r.startup <= 0 {
						return unknownFigure
					}
					return millis(r.startup)
				}),
			},
			computeColumn{Title: "ERROR", Min: 22, Max: 200, Draw: drawRemark},
		),
	})
}

// computeStates are the columns that are always there: who, what, since when.
func computeStates(now *time.Time) []computeColumn {
	return []computeColumn{
		{
			ID: "urgency", Title: "NAME", Min: 18, Narrow: 12, Max: 40,
			Want:    func(r *computeRow) int { return component.Width(r.name) },
			Compare: func(a, b *computeRow) int { return cmp.Compare(a.urgency(), b.urgency()) },
			Draw: func(l *component.Line, s *themes.Styles, r *computeRow, w int) {
				l.Put(dimIf(s, r.why != "", s.Accent), component.TruncateMiddle(r.name, w))
			},
		},
		{
			ID: "status", Title: "STATUS", Min: 9, Max: 30,
			Want:    func(r *computeRow) int { return component.Width(r.word()) },
			Compare: func(a, b *computeRow) int { return cmp.Compare(a.word(), b.word()) },
			Draw: func(l *component.Line, s *themes.Styles, r *computeRow, w int) {
				l.PutMax(r.style(s), r.word(), w)
			},
		},
		{
			ID: "since", Title: "SINCE", Min: 7, Max: 7, Right: true,
			Compare: func(a, b *computeRow) int { return b.since.Compare(a.since) },
			Draw:    computeFigure(func(r *computeRow) string { return r.sinceText(*now) }),
		},
	}
}

// computeText draws a text; that of a compute which does not answer is old and dim.
func computeText(get func(*computeRow) string) computeDraw {
	return func(l *component.Line, s *themes.Styles, r *computeRow, w int) {
		l.PutMax(dimIf(s, r.why != "", s.Text), get(r), w)
	}
}

func computeFigure(get func(*computeRow) string) computeDraw {
	return func(l *component.Line, s *themes.Styles, r *computeRow, w int) {
		l.PutRight(dimIf(s, r.why != "", s.Text), get(r), w)
	}
}

func drawRemark(l *component.Line, s *themes.Styles, r *computeRow, w int) {
	style := s.Warn
	switch {
	case r.why != "":
		style = s.Dim
	case r.fault != "":
		style = s.Bad
	}
	l.PutMax(style, r.remark(), w)
}
