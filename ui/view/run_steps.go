package view

import (
	"strconv"
	"time"

	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/themes"
	"github.com/StorconTUI/storcon-tui/ui/component"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

// barWidth is the width of a drain's or fill's bar in cells.
const barWidth = 24

const (
	// compactHeight is the height below which a question leaves the steps one
	// line each.
	compactHeight = 30
	// lowHeight is the height below which only the present step is left.
	lowHeight = 22
)

// stepLines draws the steps in a part of h lines. The present one is always
// among them, with its phases; what is out of view is counted.
func stepLines(c *Context, st *rollout.Status, w, h int) []string {
	p := newSheet(c, w)
	compact := st.Prompt != nil && h < compactHeight
	from, to := 0, 1
	for i := range st.Steps {
		s := &st.Steps[i]
		start := len(p.lines)
		if s.State != rollout.StepRunning {
			stepLine(p, c, i, s)
			continue
		}
		if compact {
			compactStep(p, c, i, s)
		} else {
			stepLine(p, c, i, s)
			for _, ph := range s.Phases {
				phaseLine(p, c, s, cancelled(s, left(st, ph)))
			}
		}
		from, to = start, len(p.lines)
	}
	switch n := max(h/3, 4); {
	case compact && h < lowHeight:
		return p.lines[from:to] // the head line counts the others
	case compact && len(p.lines) > 3:
		return cutSteps(p, from, to, 3)
	case !compact && len(p.lines) > n:
		return cutSteps(p, from, to, n)
	}
	return p.lines
}

// cancelled is a phase as it stands while its cancel runs: the answer is given.
func cancelled(s *rollout.StepStatus, ph rollout.PhaseStatus) rollout.PhaseStatus {
	by := prose.PhaseOf(s, rollout.PhaseCancel)
	if by != nil && by.State == rollout.PhaseRunning && ph.State == rollout.PhaseBlocked {
		ph.State, ph.Detail = rollout.PhaseRunning, "it is being cancelled"
	}
	return ph
}

// left is a phase as an ended run has left it: nobody waits for an answer any
// more, and what ran is nobody's.
func left(st *rollout.Status, ph rollout.PhaseStatus) rollout.PhaseStatus {
	if st.Outcome == nil {
		return ph
	}
	switch ph.State {
	case rollout.PhaseAsking:
		return rollout.PhaseStatus{Phase: ph.Phase, State: rollout.PhaseSkipped, Detail: "the run ended before it was answered"}
	case rollout.PhaseRunning, rollout.PhaseBlocked:
		ph.State, ph.Detail, ph.Ended = rollout.PhaseFailed, "the run ended meanwhile", st.Ended
	}
	return ph
}

// compactStep draws the present step and its phases in one line.
func compactStep(p *sheet, c *Context, i int, s *rollout.StepStatus) {
	m := prose.MarksFor(c.ASCII)
	l := stepName(p, c, i, s)
	for _, ph := range s.Phases {
		style := phaseStyle(p.s, ph.State)
		l.Put(style, m.Mark(ph.State)+" "+prose.Phase(ph.Phase))
		if d := prose.Took(ph, c.Now); d > 0 {
			l.Put(p.s.Dim, " "+prose.SpanShort(d))
		}
		l.Gap(3)
	}
	p.add(l)
}

// cutSteps takes n lines around [from, to) and says how many are hidden.
func cutSteps(p *sheet, from, to, n int) []string {
	all := p.lines
	room := max(n-2, 1) // the first and last line tell what is hidden
	top := max(min(from-(room-(to-from))/2, len(all)-room), 0)
	if from < top {
		top = from
	}
	end := min(top+room, len(all))
	p.lines = nil
	hidden := func(count int, where string) {
		if count > 0 {
			p.text(p.s.Dim, "… "+prose.Things(int64(count), "line")+" "+where)
		}
	}
	hidden(top, "above")
	p.lines = append(p.lines, all[top:end]...)
	hidden(len(all)-end, "below")
	return p.lines
}

func stepName(p *sheet, c *Context, i int, s *rollout.StepStatus) *component.Line {
	m := prose.MarksFor(c.ASCII)
	l := component.NewLine(p.w).Gap(1).PutRight(p.s.Dim, strconv.Itoa(i+1), 2).Gap(1)
	l.Put(stepStyle(p.s, s.State), m.StepMark(s.State)).Gap(1)
	name := p.s.Text
	if s.State == rollout.StepRunning {
		name = p.s.Strong
	}
	return l.Put(name, "node "+s.Plan.Node.String()).Gap(2).Put(p.s.Dim, s.Plan.AZ).Gap(2).To(24)
}

func stepLine(p *sheet, c *Context, i int, s *rollout.StepStatus) {
	l := stepName(p, c, i, s)
	if s.State == rollout.StepRunning {
		p.add(l.Put(p.s.Dim, s.Plan.Addr))
		return
	}
	l.Put(stepStyle(p.s, s.State), prose.StepState(s.State))
	if s.Why != "" {
		l.Put(p.s.Text, ": "+s.Why)
	} else if s.BackAfter > 0 {
		l.Put(p.s.Text, " · back after "+prose.Span(s.BackAfter))
	}
	p.add(l)
}

func phaseLine(p *sheet, c *Context, s *rollout.StepStatus, ph rollout.PhaseStatus) {
	m := prose.MarksFor(c.ASCII)
	style := phaseStyle(p.s, ph.State)
	l := component.NewLine(p.w).Gap(6).Put(style, m.Mark(ph.State)).Gap(1).PutMax(style, prose.Phase(ph.Phase), 10).To(20)
	took := ""
	if d := prose.Took(ph, c.Now); d > 0 {
		took = prose.Span(d)
	}
	news := prose.PhaseNews(s, ph)
	l.PutMax(p.s.Text, news, max(p.w-22-component.Width(took)-2, 0))
	p.add(l.To(p.w-1-component.Width(took)).Put(p.s.Dim, took))
}

func stepStyle(s *themes.Styles, state rollout.StepState) themes.Style {
	switch state {
	case rollout.StepRunning:
		return s.Busy
	case rollout.StepDone:
		return s.Good
	case rollout.StepDegraded, rollout.StepSkipped, rollout.StepGone, rollout.StepAbortedClean:
		return s.Warn
	case rollout.StepFailed, rollout.StepAbortedDirty:
		return s.Bad
	}
	return s.Dim
}

func phaseStyle(s *themes.Styles, state rollout.PhaseState) themes.Style {
	switch state {
	case rollout.PhaseAsking:
		return s.Strong
	case rollout.PhaseRunning:
		return s.Busy
	case rollout.PhaseDone:
		return s.Good
	case rollout.PhaseBlocked, rollout.PhaseSkipped:
		return s.Warn
	case rollout.PhaseFailed:
		return s.Bad
	}
	return s.Dim
}

// drawRunning draws the phase that runs: how far it is, how fast, what holds
// it up and when the operator is asked. The log's newest lines fill the rest.
func (v *RunScreen) drawRunning(p *sheet, c *Context, h int) {
	b := newSheet(c, p.w)
	if s, ph := present(c.Run); ph != nil {
		runningPhase(b, c, s, ph)
	} else {
		b.text(b.s.Text, "The run is "+prose.RunState(c.Run.State)+withWhy(c.Run.Why)+".")
	}
	b.blank()
	b.add(component.NewLine(b.w).Gap(1).Put(b.s.Title, "LOG"))
	if room := h - len(b.lines); room > 0 {
		notes := c.Run.Notes
		logLines(b, c, notes[max(len(notes)-room, 0):])
	}
	p.window(&v.now, b.lines, h)
}

func withWhy(why string) string {
	if why == "" {
		return ""
	}
	return ": " + why
}

// present is the phase that runs, else the one that stands. A cancel runs beside
// the phase that it ends.
func present(st *rollout.Status) (*rollout.StepStatus, *rollout.PhaseStatus) {
	for i := range st.Steps {
		s := &st.Steps[i]
		if s.State != rollout.StepRunning {
			continue
		}
		var stands *rollout.PhaseStatus
		for j := range s.Phases {
			switch ph := &s.Phases[j]; ph.State {
			case rollout.PhaseRunning:
				return s, ph
			case rollout.PhaseAsking, rollout.PhaseBlocked:
				stands = ph
			}
		}
		if stands != nil {
			return s, stands
		}
	}
	return nil, nil
}

func runningPhase(b *sheet, c *Context, s *rollout.StepStatus, ph *rollout.PhaseStatus) {
	title := prose.RunningTitle(ph.Phase, s.Plan.Node)
	b.add(component.NewLine(b.w).Gap(1).Put(b.s.Strong, title).Gap(2).Put(b.s.Text, s.Plan.Addr+" · "+prose.Cluster(c.Run.Identity)))
	add := func(label, text string, style themes.Style) {
		if text != "" {
			b.fact(prose.Fact{Label: label, Lines: []string{text}}, style)
		}
	}
	if moved := prose.MovedAndLeft(ph.Progress); moved != "" && (ph.Phase == rollout.PhaseDrain || ph.Phase == rollout.PhaseFill) {
		l := component.NewLine(b.w).Gap(factLabel).Put(b.s.Dim, "moved").To(factText).Put(b.s.Strong, moved)
		bar := component.Bar(ph.Progress.Total-ph.Progress.Left, ph.Progress.Total, barWidth)
		b.add(l.Gap(2).Put(b.s.Bar, bar))
		add("speed", prose.Speed(ph.Progress), b.s.Text)
		add("movement", prose.Movement(*ph, c.Now), movementStyle(b.s, ph, c))
	}
	add("now", ph.Detail, b.s.Text)
	b.fact(prose.Fact{Label: "held up by", Lines: prose.BlockedLines(ph.Progress.Blocking, 4, c.Now)}, b.s.Warn)
	add("limit", prose.TimeLimit(ph.Deadline, c.Now), b.s.Text)
	if ph.Phase == rollout.PhaseRestart {
		b.fact(prose.Fact{Label: "output", Lines: s.HookTail}, b.s.Dim)
	}
}

func movementStyle(s *themes.Styles, ph *rollout.PhaseStatus, c *Context) themes.Style {
	if !ph.Progress.LastMove.IsZero() && c.Now.Sub(ph.Progress.LastMove) >= stallWarns {
		return s.Warn
	}
	return s.Text
}

// stallWarns is how long nothing may move before the line stands out.
const stallWarns = 30 * time.Second
