package view

import (
	"fmt"
	"slices"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/release"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/ui/component"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

// ReleaseScreen shows a release, whoever drives it: how far it is, every node over
// time, what looks wrong and what has happened. It changes nothing.
type ReleaseScreen struct {
	window window
	cursor client.NodeID
	chosen bool // the operator has moved the cursor; else it stays with what happens
	top    int  // first visible node

	panel  panel
	panels map[panel]*component.Scroll
}

// panel is what stands below the timeline.
type panel int

const (
	panelAuto panel = iota // what is more urgent
	panelAnomalies
	panelLog
)

// ScreenSpace is how the lines of the screen are shared out.
const (
	// tall is the height from which there is room for both panels.
	tall = 30
	// leastPanel is the least height of a panel with its title.
	leastPanel = 5
)

var _ Screen = (*ReleaseScreen)(nil)

// NewRelease makes the screen of the context's release.
func NewRelease() *ReleaseScreen {
	return &ReleaseScreen{panels: map[panel]*component.Scroll{panelAnomalies: {}, panelLog: {}}}
}

// ID is "release".
func (v *ReleaseScreen) ID() string { return ScreenRelease }

// Key moves about.
func (v *ReleaseScreen) Key(key string, c *Context) Intent {
	b, ok := commandFor(ScreenRelease, key)
	if !ok {
		return nil
	}
	switch b.Command {
	case CmdPanLeft:
		v.window.pan(-1)
	case CmdPanRight:
		v.window.pan(1)
	case CmdZoomIn:
		v.window.zoom(1)
	case CmdZoomOut:
		v.window.zoom(-1)
	case CmdAllTime:
		v.window.whole()
	case CmdPanel:
		v.panel = panelLog + panelAnomalies - v.shownPanel(c)
	case CmdTakeOver:
		return planRest(c)
	case CmdPageUp:
		v.panels[v.shownPanel(c)].Page(-1)
	case CmdPageDn:
		v.panels[v.shownPanel(c)].Page(1)
	default:
		return v.nodeKey(b.Command, c)
	}
	return nil
}

// planRest plans what is left of a release. Nothing is sent: the plan asks before it is
// started, also whether the release is taken over.
func planRest(c *Context) Intent {
	switch r := c.Release; {
	case RunLive(c.Run):
		return Say{"this console drives already; o on the dashboard shows the run"}
	case r == nil || !r.Live():
		return Say{"no release goes on that could be taken over; r on the dashboard restarts nodes"}
	default:
		if rest := toTakeOver(r); len(rest) > 0 {
			return MakePlan{Goal: rollout.GoalRestart, Nodes: rest}
		}
		return Say{"every node of this release is done"}
	}
}

// nodeKey is a key that is about the nodes.
func (v *ReleaseScreen) nodeKey(cmd Command, c *Context) Intent {
	if c.Release == nil || len(c.Release.Nodes) == 0 {
		return wayOut(cmd)
	}
	nodes := c.Release.Nodes
	at := v.at(c.Release)
	switch cmd {
	case CmdUp:
		at--
	case CmdDown:
		at++
	case CmdFirst:
		at = 0
	case CmdLast:
		at = len(nodes) - 1
	case CmdNext:
		next, found := nextBusy(nodes, at)
		if !found {
			return Say{Text: "nothing happens to any node, and none looks wrong"}
		}
		at = next
	case CmdOpen:
		return OpenNode{Node: nodes[at].ID}
	default:
		return wayOut(cmd)
	}
	v.chosen, v.cursor = true, nodes[min(max(at, 0), len(nodes)-1)].ID
	return nil
}

// at is the place of the node under the cursor. Until the operator chooses one it goes to
// the next that something happens to.
func (v *ReleaseScreen) at(r *release.Release) int {
	// A node that is gone stays in the list of its release.
	at := max(slices.IndexFunc(r.Nodes, func(n release.NodeProgress) bool { return n.ID == v.cursor }), 0)
	if v.chosen || underWay(r.Nodes[at].Phase) {
		return at
	}
	if busy := slices.IndexFunc(r.Nodes, func(n release.NodeProgress) bool { return underWay(n.Phase) }); busy >= 0 {
		at = busy
	}
	v.cursor = r.Nodes[at].ID
	return at
}

// nextBusy is the first node after one that something happens to or that looks wrong.
func nextBusy(nodes []release.NodeProgress, after int) (at int, found bool) {
	for i := range nodes {
		at := (after + 1 + i) % len(nodes)
		if n := &nodes[at]; underWay(n.Phase) || len(n.Anomalies) > 0 {
			return at, true
		}
	}
	return 0, false
}

func underWay(p release.Phase) bool { return p != release.Waiting && p != release.Done }

// Lines draws the screen.
func (v *ReleaseScreen) Lines(c *Context, w, h int) []string {
	p := newSheet(c, w)
	r := c.Release
	if r == nil || len(r.Nodes) == 0 {
		p.headline("RELEASE", "", "")
		p.text(p.s.Text, missingNodes(c.Snapshot))
		return finish(c, component.Box(p.lines, w, h))
	}
	v.drawSummary(p, c, r, h)
	below := max(leastPanel, (h-len(p.lines))/3)
	if h >= tall {
		below = max(below, h/3)
	}
	rows := min(len(r.Nodes), max(h-len(p.lines)-2-below-1, 1))
	v.drawTimeline(p, c, r, rows)
	p.rule()
	v.drawPanels(p, c, r, h-len(p.lines))
	return finish(c, component.Box(p.lines, w, h))
}

// shape is where the columns of the timeline begin.
type shape struct {
	id, az, build int // cells
	remark        int // at the right; 0 = none
	left          int // of the timeline
}

const (
	phaseCells = 11
	timeCells  = 9
)

func shapeOf(r *release.Release, w int) shape {
	sh := shape{id: 3}
	for i := range r.Nodes {
		n := &r.Nodes[i]
		sh.id = max(sh.id, len(n.ID.String()))
		if w >= 100 {
			sh.az = min(max(sh.az, component.Width(n.AZ)+1), 14)
			sh.build = min(max(sh.build, component.Width(n.Build)+1), 14)
		}
	}
	if w >= 150 {
		sh.remark = 30
	}
	sh.left = 2 + sh.id + 1 + sh.az + sh.build + 2 + phaseCells + timeCells
	return sh
}

// drawTimeline draws so many nodes over time.
func (v *ReleaseScreen) drawTimeline(p *sheet, c *Context, r *release.Release, rows int) {
	sh := shapeOf(r, p.w)
	t := v.window.on(r, c.Now, p.w-sh.left-sh.remark-1)
	at := v.at(r)
	v.top = min(v.top, at)
	v.top = max(v.top, at-rows+1)
	v.top = max(min(v.top, len(r.Nodes)-rows), 0)

	l := component.NewLine(p.w).Gap(1).Put(p.s.Title, "NODES")
	if rows < len(r.Nodes) {
		l.Gap(1).Put(p.s.Dim, fmt.Sprintf("%d–%d of %d", v.top+1, v.top+rows, len(r.Nodes)))
	}
	p.add(l.To(sh.left).Put(p.s.Dim, t.axis(c.Now, location(c))))
	for i := v.top; i < v.top+rows; i++ {
		p.add(v.nodeLine(p, c, &r.Nodes[i], sh, t, i == at))
	}
	signs := legend
	if scale := "  · a sign is " + prose.SpanShort(t.cell) + " · " + v.window.word(); component.Width(legend+scale) <= p.w-2 {
		signs += scale
	}
	p.add(component.NewLine(p.w).Gap(1).PutMax(p.s.Dim, signs, p.w-2))
}

func (v *ReleaseScreen) nodeLine(p *sheet, c *Context, n *release.NodeProgress, sh shape, t timeline, under bool) *component.Line {
	s := p.s
	l := component.NewLine(p.w)
	id := s.Accent
	if under {
		l.Put(s.Strong, ">")
		id = s.Selected
	}
	l.To(2).Gap(sh.id-len(n.ID.String())).Put(id, n.ID.String()).Gap(1)
	x := 2 + sh.id + 1
	if sh.az > 0 {
		l.PutMax(s.Text, n.AZ, sh.az-1).To(x + sh.az)
		x += sh.az
	}
	if sh.build > 0 {
		l.PutMax(s.Dim, component.TruncateMiddle(orUnknown(n.Build), sh.build-1), sh.build-1).To(x + sh.build)
		x += sh.build
	}
	if len(n.Anomalies) > 0 {
		l.Put(s.Bad, "!")
	}
	l.To(x + 2)
	word, style := n.Phase.String(), phaseSigns[n.Phase].style(s)
	if n.Gone {
		word, style = "gone", s.Bad
	}
	l.PutMax(style, word, phaseCells-1).To(x + 2 + phaseCells)
	l.PutMax(s.Text, phaseTime(n, c.Now), timeCells-1).To(sh.left)
	drawSpans(l, s, t, n.Spans, c.Now)
	if sh.remark > 0 && len(n.Anomalies) > 0 {
		text := "! " + n.Anomalies[0].String()
		if more := len(n.Anomalies) - 1; more > 0 {
			text += fmt.Sprintf(", %d more", more)
		}
		l.To(p.w-sh.remark).PutMax(s.Bad, text, sh.remark-1)
	}
	return l
}

// phaseTime is how long a node is in its phase; of one that is done, how long all took.
func phaseTime(n *release.NodeProgress, now time.Time) string {
	switch {
	case n.Phase == release.Waiting:
		return ""
	case n.Phase == release.Done && n.Begun.IsZero():
		return ""
	case n.Phase == release.Done && !n.Finished.IsZero():
		return prose.SpanShort(n.Finished.Sub(n.Begun))
	}
	return prose.SpanShort(now.Sub(n.Since).Truncate(time.Second))
}

// Hints are the keys of the screen.
func (v *ReleaseScreen) Hints(*Context) []Hint {
	return []Hint{
		{Key: "left/right", Does: "time"},
		{Key: "+/-", Does: "zoom"},
		{Key: "0", Does: "all"},
		{Key: "tab", Does: "anomalies/log"},
		{Key: "n", Does: "next"},
		{Key: "enter", Does: "node"},
		{Key: "t", Does: "take over"},
		{Key: "esc", Does: "back"},
		{Key: "?", Does: "help"},
		{Key: "q", Does: "quit"},
	}
}
