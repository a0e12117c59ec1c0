package view

import (
	"fmt"

	"github.com/StorconTUI/storcon-tui/themes"
	"github.com/StorconTUI/storcon-tui/ui/component"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

// The columns of a fact: its label, then its text.
const (
	factLabel = 3
	factText  = 14
)

// sheet collects lines of one width for the plan, run and report screens.
type sheet struct {
	s     *themes.Styles
	w     int
	lines []string
}

func newSheet(c *Context, w int) *sheet { return &sheet{s: c.Styles, w: w} }

func (p *sheet) add(l *component.Line) { p.lines = append(p.lines, l.String()) }

func (p *sheet) blank() { p.lines = append(p.lines, component.Blank(p.w)) }

func (p *sheet) rule() { p.lines = append(p.lines, component.Rule(p.s.Rule, p.w)) }

// text adds a paragraph, indented by one cell and broken where it must be.
func (p *sheet) text(style themes.Style, text string) {
	for _, part := range component.Wrap(text, p.w-2) {
		p.add(component.NewLine(p.w).Gap(1).Put(style, part))
	}
}

// fact adds a label and its lines. The rest of a line that had to be broken
// stands a little to the right.
func (p *sheet) fact(f prose.Fact, style themes.Style) {
	label, room := f.Label, p.w-factText-1
	for _, line := range f.Lines {
		parts := []string{line}
		if component.Width(line) > room {
			parts = component.Wrap(line, max(room-2, 1))
		}
		for i, part := range parts {
			l := component.NewLine(p.w).Gap(factLabel).PutMax(p.s.Dim, label, factText-factLabel-1).To(factText)
			if i > 0 {
				l.Gap(2)
			}
			p.add(l.Put(style, part))
			label = ""
		}
	}
}

// window adds h lines of a body that may be longer: its visible part, and a
// last line that says how much is out of view.
func (p *sheet) window(sc *component.Scroll, body []string, h int) {
	if h <= 0 {
		return
	}
	if len(body) <= h {
		sc.Fit(len(body), h)
		p.lines = append(p.lines, component.Box(body, p.w, h)...)
		return
	}
	if h == 1 {
		from, to := sc.Fit(len(body), 1)
		p.lines = append(p.lines, body[from:to]...)
		return
	}
	from, to := sc.Fit(len(body), h-1)
	p.lines = append(p.lines, body[from:to]...)
	text := fmt.Sprintf("lines %d to %d of %d: down and up scroll", from+1, to, len(body))
	p.add(component.NewLine(p.w).Gap(1).Put(p.s.Dim, text))
}

// factStyle makes the facts stand out that a decision turns on.
func factStyle(s *themes.Styles, label string) themes.Style {
	switch label {
	case "sends", "runs", "moves":
		return s.Strong
	case "left here", "left", "differs", "cause":
		return s.Warn
	case "evidence", "output":
		return s.Dim
	}
	return s.Text
}

// headline is a screen's first line: a title, a text, and something on the right.
func (p *sheet) headline(title, text, right string) {
	l := component.NewLine(p.w).Gap(1).Put(p.s.Title, title).Gap(2)
	room := l.Left() - component.Width(right) - 2
	if right == "" || room < 20 {
		p.add(l.Put(p.s.Text, text))
		return
	}
	l.PutMax(p.s.Text, text, room)
	p.add(l.To(p.w-1-component.Width(right)).Put(p.s.Dim, right))
}

// finish makes the lines fit a locale without UTF-8.
func finish(c *Context, lines []string) []string {
	if c.ASCII {
		for i := range lines {
			lines[i] = component.ASCII(lines[i])
		}
	}
	return lines
}
