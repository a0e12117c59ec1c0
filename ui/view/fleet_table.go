package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/release"
	"github.com/StorconTUI/storcon-tui/themes"
	"github.com/StorconTUI/storcon-tui/ui/component"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

// fleetRow is all that the row of a cluster is drawn from.
type fleetRow struct {
	name   string
	demo   bool
	health health
	word   string // of the health
	many   int    // anomalies that stand

	live        bool // a release goes on
	phase       string
	done, nodes int64
	left        time.Duration // until it may be over, meaningful if leftWord is a time
	leftWord    string
	builds      string
	age         string // of the list of nodes
}

// health is how much a cluster needs a person; the worst is the highest.
type health int

const (
	healthy health = iota
	unheard        // it has not answered yet
	unwatched
	odd         // something looks wrong
	oddReleased // so while a release goes on, which may have to be stopped
	unreachable
)

// wrong reports a cluster that needs a person.
func (r *fleetRow) wrong() bool { return r.health > unheard }

func newFleetRow(c *Context, f *FleetCluster) fleetRow {
	r := fleetRow{name: f.Name, demo: f.Snapshot != nil && f.Snapshot.Demo}
	if rel := f.Release; rel != nil && len(rel.Nodes) > 0 && f.Trouble == "" {
		r.live, r.many = rel.Live(), rel.Standing()
		r.phase = fleetPhase(rel, location(c))
		if r.live {
			r.done, r.nodes = int64(rel.Progress.Done), int64(rel.Progress.Nodes)
			r.left, r.leftWord = fleetLeft(rel)
		}
		r.builds = buildCounts(rel.ByBuild)
	}
	r.health, r.word = fleetHealth(f, r.live, r.many, c.Now)
	if s := f.Snapshot; s != nil && s.Nodes.Known() && f.Trouble == "" {
		r.age = Age(s.Nodes.Age(c.Now))
	}
	return r
}

// fleetHealth is a cluster's health in a word or two.
func fleetHealth(f *FleetCluster, live bool, anomalies int, now time.Time) (health, string) {
	s := f.Snapshot
	switch {
	case f.Trouble != "":
		return unwatched, "not watched"
	case s == nil:
		return unheard, "no answer yet"
	case s.Nodes.Off != "":
		return unwatched, "not readable"
	case client.KindOf(s.Nodes.Err) == client.Unauthorized:
		return unreachable, "token refused"
	case !s.Nodes.Known() && s.Nodes.Err == nil:
		return unheard, "no answer yet"
	case !s.Nodes.Known():
		return unreachable, "unreachable " + Age(now.Sub(s.Nodes.Since))
	case s.Stale(now):
		return unreachable, "unreachable " + Age(s.Nodes.Age(now))
	case anomalies == 0:
		return healthy, "ok"
	}
	text := fmt.Sprintf("%d anomalies", anomalies)
	if anomalies == 1 {
		text = "1 anomaly"
	}
	if live {
		return oddReleased, text
	}
	return odd, text
}

// fleetPhase says where a release is: what is done, and what happens now.
func fleetPhase(r *release.Release, in *time.Location) string {
	switch {
	case r.Started.IsZero():
		return "no release"
	case !r.Ended.IsZero():
		return "over since " + clockOrDay(r.Ended.In(in), r.At.In(in))
	}
	text := fmt.Sprintf("%d/%d done", r.Progress.Done, r.Progress.Nodes)
	first, more := "", 0
	for i := range r.Nodes {
		switch n := &r.Nodes[i]; {
		case !underWay(n.Phase) || n.Gone:
		case first == "":
			first = fmt.Sprintf(" · node %s %s", n.ID, n.Phase)
		default:
			more++
		}
	}
	switch {
	case more > 0:
		first += fmt.Sprintf(", %d more", more)
	case first == "" && r.Progress.Done >= r.Progress.Nodes:
		first = " · settling"
	}
	return text + first
}

// buildCounts is "8123 46 · 8140 4".
func buildCounts(builds []release.Summary) string {
	words := make([]string, len(builds))
	for i, b := range builds {
		words[i] = fmt.Sprintf("%s %d", orUnknown(b.Name), b.Nodes)
	}
	return strings.Join(words, " · ")
}

// clockOrDay is the time of a moment of the last day, else its day.
func clockOrDay(at, now time.Time) string {
	if now.Sub(at) < 24*time.Hour {
		return at.Format("15:04")
	}
	return at.Format(time.DateOnly)
}

// fleetLeft is how long a release may still take.
func fleetLeft(r *release.Release) (time.Duration, string) {
	switch {
	case r.Progress.Done >= r.Progress.Nodes:
		return 0, ""
	case !r.ETA.Known():
		return 0, prose.Unknown
	}
	left, exact := max(r.ETA.At.Sub(r.At), 0), time.Minute
	if left < 2*time.Minute {
		exact = 10 * time.Second
	}
	return left, prose.SpanShort(left.Round(exact))
}

func (r *fleetRow) matches(lower string) bool {
	return slices.ContainsFunc([]string{r.name, r.word, r.phase, r.builds}, func(s string) bool {
		return component.ContainsFold(s, lower)
	})
}

// newFleetTable makes the table of clusters.
func newFleetTable() *component.Table[string, fleetRow] {
	type column = component.Column[fleetRow]
	return component.NewTable(component.Spec[string, fleetRow]{
		Key:   func(r *fleetRow) string { return r.name },
		Match: (*fleetRow).matches,
		Columns: []column{
			{
				ID: "name", Title: "CLUSTER", Min: 10, Max: 32, Narrow: 6, Compare: func(a, b *fleetRow) int { return strings.Compare(a.name, b.name) },
				Want: func(r *fleetRow) int { return component.Width(r.title()) }, Draw: drawFleetName,
			},
			{
				ID: "health", Title: "  HEALTH", Min: 20, Max: 20, Narrow: 15, Compare: compareHealth,
				Draw: func(l *component.Line, s *themes.Styles, r *fleetRow, w int) {
					sign := "  "
					if r.wrong() {
						sign = "! "
					}
					l.PutMax(r.healthStyle(s), sign+r.word, w)
				},
			},
			{
				ID: "release", Title: "RELEASE", Min: 29, Max: 44, Narrow: 12, Compare: compareReleases,
				Want: func(r *fleetRow) int { return component.Width(r.phase) },
				Draw: func(l *component.Line, s *themes.Styles, r *fleetRow, w int) {
					style := s.Text
					if r.live {
						style = s.Busy
					}
					l.PutMax(style, r.phase, w)
				},
			},
			{
				Title: "PROGRESS", Min: 8, Max: 12, Drop: 3,
				Draw: func(l *component.Line, s *themes.Styles, r *fleetRow, w int) {
					l.Put(s.Bar, component.Bar(r.done, r.nodes, w))
				},
			},
			{Title: "LEFT", Min: 8, Max: 8, Drop: 2, Draw: func(l *component.Line, s *themes.Styles, r *fleetRow, w int) {
				l.PutMax(s.Text, r.leftWord, w)
			}},
			{
				Title: "BUILDS", Min: 14, Max: 48, Drop: 4, Want: func(r *fleetRow) int { return component.Width(r.builds) },
				Draw: func(l *component.Line, s *themes.Styles, r *fleetRow, w int) {
					l.PutMax(s.Dim, component.TruncateMiddle(r.builds, w), w)
				},
			},
			{Title: "DATA", Min: 6, Max: 6, Drop: 1, Draw: func(l *component.Line, s *themes.Styles, r *fleetRow, w int) {
				style := s.Dim
				if r.health == unreachable {
					style = s.Bad
				}
				l.PutMax(style, r.age, w)
			}},
		},
	})
}

// title is the name, and that it is a demo.
func (r *fleetRow) title() string {
	if r.demo {
		return r.name + demoMark
	}
	return r.name
}

const demoMark = " DEMO"

func drawFleetName(l *component.Line, s *themes.Styles, r *fleetRow, w int) {
	mark := ""
	if r.demo && w >= 2*len(demoMark) {
		mark = demoMark
	}
	l.Put(s.Strong, component.TruncateMiddle(r.name, w-len(mark))).Put(s.Dim, mark)
}

func (r *fleetRow) healthStyle(s *themes.Styles) themes.Style {
	switch r.health {
	case healthy:
		return s.Good
	case unheard:
		return s.Dim
	case unwatched:
		return s.Warn
	}
	return s.Bad
}

// compareHealth puts what needs a person first.
func compareHealth(a, b *fleetRow) int {
	return cmp.Or(cmp.Compare(b.health, a.health), cmp.Compare(b.many, a.many))
}

// compareReleases puts those that go on first, the one with the most left to do before.
func compareReleases(a, b *fleetRow) int {
	live := func(r *fleetRow) int {
		if r.live {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(live(a), live(b)), cmp.Compare(b.nodes-b.done, a.nodes-a.done), cmp.Compare(b.phase, a.phase))
}
