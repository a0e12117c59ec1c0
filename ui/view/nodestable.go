package view

import (
	"cmp"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/themes"
	"github.com/StorconTUI/storcon-tui/ui/component"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

// nodeRow is all that a row of the node table is drawn from, the time apart.
type nodeRow struct {
	id           client.NodeID
	addr, az     string
	availability client.Availability
	since        time.Time // of the availability
	flapping     bool
	policy       client.NodePolicy
	attached     int64
	lastSeen     int64 // attached when it was last known; -1 never
	secondary    int64
	home         int64
	scale        int64 // the longest bar of the cluster, in shards
	build        string
	launch       time.Time
	stale        bool // drawn as something that was
}

const (
	// numberWidth holds "was 1 571".
	numberWidth = 9
	// barMin is the shortest bar that is worth drawing.
	barMin = 6
	barMax = 30
)

// newNodesTable makes the table; now is the time at which ages are told.
func newNodesTable(now *time.Time) *component.Table[client.NodeID, nodeRow] {
	ago := func(t time.Time) time.Duration { return now.Sub(t) }
	return component.NewTable(component.Spec[client.NodeID, nodeRow]{
		Key:     func(r *nodeRow) client.NodeID { return r.id },
		Match:   matchNode,
		Stamp:   func(r *nodeRow) uint64 { return nodeStamp(r, *now) },
		Columns: nodeColumns(ago),
	})
}

func matchNode(r *nodeRow, lower string) bool {
	return component.ContainsFold(r.addr, lower) || component.ContainsFold(r.az, lower) ||
		component.ContainsFold(string(r.availability), lower) || component.ContainsFold(string(r.policy), lower) ||
		component.ContainsFold(r.build, lower) || component.ContainsFold(r.id.String(), lower)
}

// nodeStamp changes when an age on the row does.
func nodeStamp(r *nodeRow, now time.Time) uint64 {
	var stamp uint64
	for _, t := range [...]time.Time{r.since, r.launch} {
		if !t.IsZero() {
			n, unit := ageUnits(now.Sub(t))
			stamp = stamp*1_000_003 + uint64(n)*31 + uint64(unit[0])
		}
	}
	return stamp
}

type nodeDraw = func(l *component.Line, s *themes.Styles, r *nodeRow, w int)

func nodeColumns(ago func(time.Time) time.Duration) []component.Column[nodeRow] {
	text := func(get func(*nodeRow) string) nodeDraw {
		return func(l *component.Line, s *themes.Styles, r *nodeRow, w int) { l.PutMax(s.Text, get(r), w) }
	}
	right := func(get func(*nodeRow) string) nodeDraw {
		return func(l *component.Line, s *themes.Styles, r *nodeRow, w int) { l.PutRight(s.Text, get(r), w) }
	}
	return []component.Column[nodeRow]{
		{
			ID: "id", Title: "ID", Min: 3, Right: true,
			Want:    func(r *nodeRow) int { return digits(r.id) },
			Compare: func(a, b *nodeRow) int { return cmp.Compare(a.id, b.id) },
			Draw: func(l *component.Line, s *themes.Styles, r *nodeRow, w int) {
				l.PutRight(s.Accent, r.id.String(), w)
			},
		},
		{
			ID: "address", Title: "ADDRESS", Min: 12, Max: 40,
			Want:    func(r *nodeRow) int { return component.Width(r.addr) },
			Compare: func(a, b *nodeRow) int { return cmp.Compare(a.addr, b.addr) },
			Draw: func(l *component.Line, s *themes.Styles, r *nodeRow, w int) {
				l.Put(s.Text, component.TruncateMiddle(r.addr, w))
			},
		},
		{
			ID: "az", Title: "AZ", Min: 5, Max: 16, Drop: 5,
			Want:    func(r *nodeRow) int { return component.Width(r.az) },
			Compare: func(a, b *nodeRow) int { return cmp.Compare(a.az, b.az) },
			Draw:    text(func(r *nodeRow) string { return r.az }),
		},
		{
			ID: "availability", Title: "AVAILABILITY", Min: 13, Max: 16,
			Compare: func(a, b *nodeRow) int { return cmp.Compare(a.availability, b.availability) },
			Draw: func(l *component.Line, s *themes.Styles, r *nodeRow, w int) {
				drawAvailability(l, s, r, w, ago)
			},
		},
		{
			ID: "policy", Title: "POLICY", Min: 15, Max: 16,
			Compare: func(a, b *nodeRow) int { return cmp.Compare(a.policy, b.policy) },
			Draw: func(l *component.Line, s *themes.Styles, r *nodeRow, w int) {
				l.PutMax(dimIf(s, r.stale, policyStyle(s, r.policy)), string(r.policy), w)
			},
		},
		{
			ID: "attached", Title: " ATTACHED", Min: numberWidth + 1 + barMin, Narrow: numberWidth, Max: numberWidth + 1 + barMax,
			Compare: func(a, b *nodeRow) int { return cmp.Compare(a.attached, b.attached) },
			Draw:    drawAttached,
		},
		{
			ID: "secondary", Title: "SECONDARY", Min: 9, Max: 9, Right: true,
			Compare: func(a, b *nodeRow) int { return cmp.Compare(a.secondary, b.secondary) },
			Draw:    right(func(r *nodeRow) string { return prose.Count(r.secondary) }),
		},
		{
			ID: "home", Title: "HOME", Min: 5, Max: 5, Drop: 1, Right: true,
			Compare: func(a, b *nodeRow) int { return cmp.Compare(a.homeShare(), b.homeShare()) },
			Draw:    right((*nodeRow).homeText),
		},
		{
			ID: "build", Title: "BUILD", Min: 5, Max: 14, Drop: 4,
			Want:    func(r *nodeRow) int { return component.Width(r.build) },
			Compare: func(a, b *nodeRow) int { return cmp.Compare(a.build, b.build) },
			Draw:    text(func(r *nodeRow) string { return orUnknown(r.build) }),
		},
		{
			ID: "up", Title: "UP", Min: 6, Max: 6, Drop: 3, Right: true,
			Compare: func(a, b *nodeRow) int { return b.launch.Compare(a.launch) },
			Draw: right(func(r *nodeRow) string {
				if r.launch.IsZero() {
					return unknownFigure
				}
				return Age(ago(r.launch))
			}),
		},
	}
}

// drawAvailability never shows an old word as if it were current.
func drawAvailability(l *component.Line, s *themes.Styles, r *nodeRow, w int, ago func(time.Time) time.Duration) {
	word := string(r.availability)
	switch {
	case r.stale:
		l.PutMax(s.Dim, "was "+word, w)
		return
	case r.flapping:
		word += " flaps"
	case r.availability != client.AvailabilityActive && !r.since.IsZero():
		word += " " + Age(ago(r.since))
	}
	l.PutMax(availabilityStyle(s, r.availability), word, w)
}

// drawAttached draws the number and, where there is room, a bar beside it. An
// unknown number is never 0: the last known one stands there in words.
func drawAttached(l *component.Line, s *themes.Styles, r *nodeRow, w int) {
	room := w - numberWidth - 1
	style := dimIf(s, r.stale, s.Text)
	switch {
	case r.attached >= 0:
		l.PutRight(style, prose.Count(r.attached), numberWidth)
		if room >= barMin {
			l.Gap(1).PutMax(dimIf(s, r.stale, s.Bar), component.Bar(r.attached, r.scale, room), room)
		}
	case r.lastSeen < 0:
		l.PutRight(style, unknownFigure, numberWidth)
	default:
		words := "last seen " + prose.Count(r.lastSeen)
		short := "was " + prose.Count(r.lastSeen)
		switch {
		case component.Width(words) <= room:
			l.PutRight(style, unknownFigure, numberWidth).Gap(1).Put(s.Dim, words)
		case component.Width(short) <= numberWidth:
			l.PutRight(s.Dim, short, numberWidth)
		default:
			l.PutRight(style, unknownFigure, numberWidth)
		}
	}
}

// digits is the length of an id.
func digits(id client.NodeID) int {
	n := 1
	for ; id >= 10; id /= 10 {
		n++
	}
	return n
}

func dimIf(s *themes.Styles, dim bool, otherwise themes.Style) themes.Style {
	if dim {
		return s.Dim
	}
	return otherwise
}

func orUnknown(text string) string {
	if text == "" {
		return unknownFigure
	}
	return text
}

// homeShare is how much of what belongs to the node is attached to it, in
// percent: 100 for a full node, 0 for a drained one; -1 unknown, or nothing
// belongs to it.
func (r *nodeRow) homeShare() float64 {
	if r.home <= 0 || r.attached < 0 {
		return -1
	}
	return 100 * float64(min(r.attached, r.home)) / float64(r.home)
}

// homeText rounds down, so that 100 % means all of it.
func (r *nodeRow) homeText() string {
	share := r.homeShare()
	switch {
	case r.home == 0:
		return "–"
	case share < 0:
		return unknownFigure
	}
	return prose.Count(int64(share)) + " %"
}

// nodeRows makes the rows of a snapshot. lastSeen remembers attached counts
// over the snapshots.
func nodeRows(s *cluster.Snapshot, stale bool, lastSeen map[client.NodeID]int64) []nodeRow {
	if s == nil {
		return nil
	}
	rows := make([]nodeRow, len(s.Nodes.Value))
	shared := sharedHosts(s.Nodes.Value)
	var scale int64
	for i := range s.Nodes.Value {
		n := &s.Nodes.Value[i]
		scale = max(scale, n.Attached)
		if n.Attached >= 0 {
			lastSeen[n.ID] = n.Attached
		}
	}
	for i := range s.Nodes.Value {
		n := &s.Nodes.Value[i]
		addr := n.ListenHTTPAddr
		if shared {
			addr = n.Address()
		}
		seen, ok := lastSeen[n.ID]
		if !ok {
			seen = -1
		}
		rows[i] = nodeRow{
			id: n.ID, addr: addr, az: n.AZ(),
			availability: n.Availability, since: n.AvailabilitySince, flapping: n.Flapping(), policy: n.Scheduling,
			attached: n.Attached, lastSeen: seen, secondary: n.Secondary, home: n.Home, scale: scale,
			build: buildName(n.Process.Value.Build), launch: n.Process.Value.Launch, stale: stale,
		}
	}
	return rows
}

// sharedHosts reports nodes that differ in their port only.
func sharedHosts(nodes []cluster.Node) bool {
	hosts := make(map[string]struct{}, len(nodes))
	for i := range nodes {
		hosts[nodes[i].ListenHTTPAddr] = struct{}{}
	}
	return len(hosts) < len(nodes)
}

// buildName is the tag of a build, else the beginning of its revision.
func buildName(b client.Build) string {
	if b.Tag != "" {
		return b.Tag
	}
	return b.Revision[:min(len(b.Revision), 8)]
}
