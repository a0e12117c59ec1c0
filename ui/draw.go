package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/engine/action"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/themes"
	"github.com/StorconTUI/storcon-tui/ui/component"
	"github.com/StorconTUI/storcon-tui/ui/prose"
	"github.com/StorconTUI/storcon-tui/ui/view"
)

const (
	// roomy is the height from which the header has rules around the screen.
	roomy = 10
	// ample is the height below which a question gets the lines that only
	// sum the cluster up: all of it must be readable without scrolling.
	ample = 30
)

// draw makes the frame: exactly h lines of w cells, without a line break at the
// end.
func (m *model) draw() string {
	if m.w <= 0 || m.h <= 0 {
		return ""
	}
	c := m.context()
	m.drawnAt = c.Now.Unix()
	return frameOf(c, m.top(), m.header(c), m.footer(c), m.w, m.h, m.asks())
}

// frameOf puts a screen between a header and a footer: exactly h lines of w cells. A screen
// that asks has no rule below it where lines are few.
func frameOf(c *view.Context, screen view.Screen, head, foot []string, w, h int, asks bool) string {
	rule := component.Rule(c.Styles.Rule, w)
	switch {
	case h >= roomy && h < ample && asks:
		head = append(head, rule)
	case h >= roomy:
		head, foot = append(head, rule), append([]string{rule}, foot...)
	default:
		head = head[:min(1, max(h-2, 0))]
		foot = foot[len(foot)-1:]
	}
	body := max(h-len(head)-len(foot), 0)
	var b strings.Builder
	b.Grow(w * h * 2)
	n := 0
	put := func(lines []string) {
		for _, line := range lines {
			if n == h {
				return
			}
			if n > 0 {
				b.WriteByte('\n')
			}
			if c.ASCII {
				line = component.ASCII(line)
			}
			b.WriteString(line)
			n++
		}
	}
	put(head)
	put(screen.Lines(c, w, body))
	put(foot)
	return b.String()
}

// header is who and where, how the cluster is, and what needs a person.
func (m *model) header(c *view.Context) []string {
	d := m.digested(c)
	lines := []string{m.identity(c, d)}
	if len(d.summary) > 0 && (m.h >= ample || !m.asks()) {
		lines = append(lines, component.NewLine(m.w).Gap(1).Put(c.Styles.Text, joinFitting(d.summary, m.w-2)).String())
	}
	if len(d.problems) > 0 {
		lines = append(lines, m.attention(c, d.problems))
	}
	return lines
}

// asks reports a screen on which something is decided about the cluster.
func (m *model) asks() bool {
	switch m.top().ID() {
	case view.ScreenPlan, view.ScreenRun, view.ScreenRespec, view.ScreenReconfigure:
		return true
	}
	return false
}

// leastEndpoint is the shortest cut of an endpoint that still says something.
const leastEndpoint = 12

// identity is the first line. When room is short, what is least needed goes:
// the leader's age, the program's name, the middle of the endpoint, the
// operation; the cluster's name and the age of the data stay to the last.
func (m *model) identity(c *view.Context, d *digest) string {
	s := c.Styles
	l := component.NewLine(m.w)
	l.Gap(1)
	name, endpoint := "", ""
	if id := c.Snapshot; id != nil {
		if id.Demo {
			l.Put(s.Badge, " DEMO ").Gap(1)
		}
		if id.ReadOnly {
			l.Put(s.Badge, " READ-ONLY ").Gap(1)
		}
		name = id.Name
		if id.Endpoint != id.Name {
			endpoint = id.Endpoint
		}
	}
	const program, gap, dot = "storcon-tui  ", 2, " · "
	run, leader, age := runText(c), leaderText(c), ageText(c)
	room := l.Left() - 1 - gap - component.Width(name)
	whole := component.Width(dot + endpoint)
	right := joinSome(run, d.op, leader, age)
	if component.Width(right)+whole > room {
		right = joinSome(run, d.op, age)
	}
	if component.Width(right)+min(whole, component.Width(dot)+leastEndpoint) > room {
		right = joinSome(run, age)
	}
	if component.Width(program+right)+whole <= room {
		l.Put(s.Dim, program)
	}
	l.PutMax(s.Strong, name, max(l.Left()-1-gap-component.Width(right), 8))
	if left := l.Left() - 1 - gap - component.Width(right) - component.Width(dot); endpoint != "" && left >= leastEndpoint {
		l.Put(s.Dim, dot).Put(s.Text, component.TruncateMiddle(endpoint, left))
	}
	style := s.Text
	if strings.HasPrefix(age, "STALE") {
		style = s.Bad
	}
	return l.Gap(1).To(m.w-1-component.Width(right)).Put(style, right).String()
}

// joinSome joins the texts that are not empty.
func joinSome(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(t string) bool { return t == "" }), " · ")
}

func runText(c *view.Context) string {
	switch {
	case view.RunLive(c.Run):
		return "run: " + runWord(c.Run)
	case !view.ReconfigureLive(c.Reconfigure):
		return ""
	case c.Reconfigure.Prompt != nil:
		return "reconfigure: asks you"
	}
	return "reconfigure: " + prose.ReconfigureRunState(c.Reconfigure.State)
}

func leaderText(c *view.Context) string {
	s := c.Snapshot
	switch {
	case s == nil || !s.Nodes.Known():
		return ""
	case !s.Leader.Known() || s.Leader.Value.StartedAt.IsZero():
		return "leader " + prose.Unknown
	}
	return "leader " + view.Age(c.Now.Sub(s.Leader.Value.StartedAt))
}

// ageText is how old the picture is. There is one text for all that is fresh,
// so that nothing has to be drawn again while all is well.
func ageText(c *view.Context) string {
	s := c.Snapshot
	if s == nil || !s.Nodes.Known() {
		return "no data yet"
	}
	age := s.Nodes.Age(c.Now)
	switch {
	case s.Stale(c.Now):
		return "STALE " + view.Age(age)
	case age < 2*time.Second:
		return "data < 2 s"
	}
	return "data " + view.Age(age)
}

// runWord is a live run in two words: who is waited for, or what is done.
func runWord(r *rollout.Status) string {
	if r.Prompt != nil {
		return "asks you"
	}
	for _, step := range r.Steps {
		for _, ph := range step.Phases {
			if ph.State == rollout.PhaseRunning {
				return prose.Phase(ph.Phase) + " " + step.Plan.Node.String()
			}
		}
	}
	return prose.RunState(r.State)
}

// attention is the most urgent problem, and as many others as fit.
func (m *model) attention(c *view.Context, list []view.Problem) string {
	s := c.Styles
	const next = "n next"
	l := component.NewLine(m.w)
	l.Gap(1).Put(s.Bad, fmt.Sprintf("! %d:", len(list))).Gap(1)
	room := l.Left() - 1
	withNode := false
	for _, p := range list {
		withNode = withNode || p.Node != 0
	}
	onNodes := m.top().ID() == view.ScreenNodes
	if withNode && onNodes {
		room -= len(next) + 2
	}
	texts := make([]string, len(list))
	for i, p := range list {
		texts[i] = p.Text
	}
	l.PutMax(s.Warn, strings.Join(texts, " · "), room)
	if withNode && onNodes {
		l.To(m.w-1-len(next)).Put(s.Key, "n").Put(s.Text, " next")
	}
	return l.String()
}

// joinFitting joins the first parts that fit in w cells; the very first is kept
// even if it has to be cut.
func joinFitting(parts []string, w int) string {
	text := parts[0]
	for _, p := range parts[1:] {
		if component.Width(text)+3+component.Width(p) > w {
			continue // a shorter one may still fit
		}
		text += " · " + p
	}
	return component.Truncate(text, w)
}

// footer is feedback, if any, above the keys that work here.
func (m *model) footer(c *view.Context) []string {
	text := m.toast.text
	if m.busy != "" {
		text = m.busy
	}
	return footerLines(c.Styles, text, m.top().Hints(c), m.w)
}

// footerLines is a text, if there is one, above the keys.
func footerLines(s *themes.Styles, text string, keys []view.Hint, w int) []string {
	var lines []string
	if text != "" {
		const most = 3
		wrapped := component.Wrap(text, max(w-4, 1))
		if len(wrapped) > most {
			wrapped = append(wrapped[:most-1], component.Truncate(strings.Join(wrapped[most-1:], " "), w-4))
		}
		for _, part := range wrapped {
			lines = append(lines, component.NewLine(w).Gap(1).Put(s.Warn, "› "+part).String())
		}
	}
	var hints []component.Hint
	operates := false // what comes behind the operations on the cluster is minor
	for _, h := range keys {
		does, ok := action.Find(h.Action)
		operation := ok && does.Danger != action.Harmless
		operates = operates || operation
		hints = append(hints, component.Hint{
			Key: h.Key, Does: h.Does, Off: h.Off,
			Keep: h.Key == "?" || h.Key == "q" || h.Key == "esc", Minor: operates && !operation,
		})
	}
	return append(lines, component.HintLine(s, hints, w))
}
