package view

import (
	"fmt"
	"time"

	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/themes"
	"github.com/StorconTUI/storcon-tui/ui/component"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

// Lines draws the run: its steps, then the question or what runs.
func (v *RunScreen) Lines(c *Context, w, h int) []string {
	p := newSheet(c, w)
	if c.Run == nil {
		p.text(p.s.Text, "No run has been started by this console.")
		return finish(c, component.Box(p.lines, w, h))
	}
	v.notice(c)
	st := c.Run
	p.headline("RUN "+shortRun(st.Run), runSummary(st, c.Now), runRight(st))
	if text := prose.Held(st.Hold, c.Now); text != "" {
		p.text(p.s.Warn, text)
	}
	p.rule()
	p.lines = append(p.lines, stepLines(c, st, w, h)...)
	p.rule()
	v.lower(p, c, h-len(p.lines))
	return finish(c, component.Box(p.lines, w, h))
}

// notice binds keys to the question that is being drawn. An entry whose
// question is gone is closed.
func (v *RunScreen) notice(c *Context) {
	id := ""
	if c.Run.Prompt != nil {
		id = c.Run.Prompt.ID
	}
	v.guard.shows(id, c.Now)
	if id != v.shown {
		v.shown = id
		v.now.First()
		if id != "" {
			v.below = belowNow
		}
	}
	if v.entry != nil && v.entry.prompt != id {
		v.entry, v.dropped = nil, id
	}
}

func runSummary(st *rollout.Status, now time.Time) string {
	text := prose.Goal(st.Goal)
	if n := len(st.Steps); n > 1 {
		text += fmt.Sprintf(" · %s, %d done", prose.Things(int64(n), "node"), doneSteps(st))
	}
	return text + " · " + prose.Span(prose.RunTook(st, now))
}

func doneSteps(st *rollout.Status) int {
	n := 0
	for _, s := range st.Steps {
		if s.State > rollout.StepRunning {
			n++
		}
	}
	return n
}

func runRight(st *rollout.Status) string {
	if st.Outcome != nil {
		return "ended"
	}
	if st.State != rollout.RunRunning {
		return prose.RunState(st.State) + " · you are driving"
	}
	return "you are driving"
}

// lower draws what stands under the steps in h lines.
func (v *RunScreen) lower(p *sheet, c *Context, h int) {
	switch st := c.Run; {
	case v.below == belowLog && st.Prompt == nil:
		v.drawLog(p, c, h)
	case st.Prompt != nil:
		v.drawPrompt(p, c, h)
	case st.Outcome != nil:
		v.drawEnd(p, c, h)
	default:
		v.drawRunning(p, c, h)
	}
}

// drawPrompt draws the question. Its title and its choices are always visible;
// the facts between them scroll when room is short.
func (v *RunScreen) drawPrompt(p *sheet, c *Context, h int) {
	q := prose.Ask(c.Run, c.Run.Prompt, c.Now, v.detail(h))
	head := newSheet(c, p.w)
	drawTitle(head, q, titleStyle(p.s, c.Run.Prompt))
	foot := newSheet(c, p.w)
	if v.entry != nil {
		v.entry.draw(foot)
	} else {
		drawChoices(foot, q.Options)
	}
	foot.text(p.s.Dim, v.promptFoot(q))
	body := h - len(head.lines) - len(foot.lines)
	p.lines = append(p.lines, head.lines...)
	if v.below == belowLog {
		v.drawLog(p, c, body)
	} else {
		p.window(&v.now, v.promptBody(c, q, p.w, body), body)
	}
	p.lines = append(p.lines, foot.lines...)
}

// briefHeight is the height of a question below which lists of shards are left
// to the evidence.
const briefHeight = 18

func (v *RunScreen) detail(h int) prose.Detail {
	switch {
	case v.below == belowEvidence:
		return prose.Full
	case h < briefHeight:
		return prose.Brief
	}
	return prose.Normal
}

func (v *RunScreen) promptFoot(q prose.Question) string {
	if v.dropped == v.shown {
		return "The question changed while you typed; nothing was sent. " + q.Expires
	}
	return "No default. " + q.Expires
}

// titleStyle keeps the style for trouble away from the regular path.
func titleStyle(s *themes.Styles, p *rollout.Prompt) themes.Style {
	if p.Ask <= rollout.AskActivate && p.Row == "" {
		return s.Strong
	}
	return s.Warn
}

// drawTitle draws the question's title and where it applies, on a line of its
// own when both do not fit.
func drawTitle(p *sheet, q prose.Question, style themes.Style) {
	l := component.NewLine(p.w).Gap(1).Put(style, q.Title)
	if q.Row != "" {
		l.Gap(2).Put(p.s.Dim, "["+q.Row+"]")
	}
	if component.Width(q.Where)+3 > l.Left() {
		p.add(l)
		l = component.NewLine(p.w).Gap(1)
	} else {
		l.Gap(2)
	}
	p.add(l.Put(p.s.Text, q.Where))
}

// promptBody draws the facts, and what each answer does where there is room for
// it or it was asked for.
func (v *RunScreen) promptBody(c *Context, q prose.Question, w, h int) []string {
	b := newSheet(c, w)
	for _, f := range q.Facts {
		b.fact(f, factStyle(b.s, f.Label))
	}
	keys := newSheet(c, w)
	full := v.below == belowEvidence
	for i, o := range q.Options {
		label := ""
		if i == 0 {
			label = "keys"
		}
		text, style := optionKey(o)+"  "+o.Outcome, b.s.Text
		switch {
		case o.Off != "":
			text, style = optionKey(o)+"  off: "+o.Off, b.s.Dim
		case full && o.Does != "":
			text += " (" + o.Does + ")"
		}
		keys.fact(prose.Fact{Label: label, Lines: []string{text}}, style)
	}
	if full || len(b.lines)+len(keys.lines) < h {
		b.blank()
		b.lines = append(b.lines, keys.lines...)
	}
	return b.lines
}

// optionKey is the key of an answer, or its word where it has no key.
func optionKey(o prose.Option) string {
	if o.Word == rollout.WordEvidence {
		return "v"
	}
	if key := KeyFor(o.Word); key != "" {
		return key
	}
	return string(o.Word)
}

// drawChoices draws the keys that answer, in as few lines as they need.
func drawChoices(p *sheet, options []prose.Option) {
	l := component.NewLine(p.w).Gap(2)
	for _, o := range options {
		if o.Word == rollout.WordEvidence {
			continue
		}
		key, label := optionKey(o), o.Label
		gap := 3
		if o.Word == rollout.WordRestOfNode || o.Word == rollout.WordRestOfAZ {
			gap = 1 // they read as one: "N yes to the rest of node 1 Z of eu-1a R of the run"
		}
		label += typedParts(o)
		if o.Off != "" {
			label += ": off, " + o.Off + ")"
			key = "(" + key
		}
		if need := component.Width(key) + 1 + component.Width(label) + 3; need > l.Left() && l.Left() < p.w-2 {
			p.add(l)
			l = component.NewLine(p.w).Gap(2)
		}
		if o.Off != "" {
			l.Put(p.s.Dim, key+" "+label).Gap(3)
			continue
		}
		l.Put(p.s.Key, key).Gap(1).Put(choiceStyle(p.s, o), label).Gap(gap)
	}
	p.add(l)
}

// typedParts says what has to be typed after the key.
func typedParts(o prose.Option) string {
	switch {
	case o.Off != "":
		return ""
	case o.TypeID && o.Reason:
		return " (type its id, why)"
	case o.TypeID:
		return " (type its id)"
	case o.Reason:
		return " (why)"
	}
	return ""
}

func choiceStyle(s *themes.Styles, o prose.Option) themes.Style {
	if o.TypeID {
		return s.Danger
	}
	return s.Text
}

// drawEnd says how the run ended, and what is left.
func (v *RunScreen) drawEnd(p *sheet, c *Context, h int) {
	b := newSheet(c, p.w)
	b.text(b.s.Strong, "The run has ended: "+prose.OutcomeWord(c.Run)+".")
	for _, f := range prose.ReportFacts(c.Run) {
		b.fact(f, reportStyle(b.s, f.Label))
	}
	p.window(&v.now, b.lines, h)
}

// drawLog draws the run's log; it stands at its newest line until it is scrolled.
func (v *RunScreen) drawLog(p *sheet, c *Context, h int) {
	b := newSheet(c, p.w)
	logLines(b, c, c.Run.Notes)
	if v.logEnd {
		v.log.Fit(len(b.lines), h-1)
		v.log.Last()
	}
	p.window(&v.log, b.lines, h)
}

func logLines(b *sheet, c *Context, notes []rollout.Note) {
	if len(notes) == 0 {
		b.text(b.s.Dim, "Nothing has been logged yet.")
	}
	for _, n := range notes {
		b.fact(prose.Fact{Label: n.At.In(c.Location).Format("15:04:05"), Lines: []string{prose.NoteLine(n)}}, noteStyle(b.s, n.Kind))
	}
}

func noteStyle(s *themes.Styles, k rollout.NoteKind) themes.Style {
	switch k {
	case rollout.NoteAnomaly:
		return s.Warn
	case rollout.NoteError:
		return s.Bad
	}
	return s.Text
}
