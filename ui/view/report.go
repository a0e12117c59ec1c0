package view

import (
	"fmt"
	"strings"

	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/themes"
	"github.com/StorconTUI/storcon-tui/ui/component"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

// ReportScreen shows how a run went and what is left to do.
type ReportScreen struct{ scroll component.Scroll }

// NewReportScreen reports on the context's run.
func NewReportScreen() *ReportScreen { return &ReportScreen{} }

// ID names the screen.
func (v *ReportScreen) ID() string { return ScreenReport }

// Key handles one key press.
func (v *ReportScreen) Key(key string, _ *Context) Intent {
	b, _ := commandFor(ScreenReport, key)
	switch b.Command {
	case CmdUp:
		v.scroll.Move(-1)
	case CmdDown:
		v.scroll.Move(1)
	case CmdPageUp:
		v.scroll.Page(-1)
	case CmdPageDn:
		v.scroll.Page(1)
	}
	return wayOut(b.Command)
}

// Hints are the keys that work here.
func (v *ReportScreen) Hints(*Context) []Hint {
	return []Hint{{Key: "down/up", Does: "scroll"}, {Key: "esc", Does: "back"}, {Key: "?", Does: "help"}, {Key: "q", Does: "quit"}}
}

// Lines draws the report.
func (v *ReportScreen) Lines(c *Context, w, h int) []string {
	p := newSheet(c, w)
	if c.Run == nil {
		p.text(p.s.Text, "No run has been started by this console: there is nothing to report.")
		return finish(c, component.Box(p.lines, w, h))
	}
	st := c.Run
	p.headline("REPORT", prose.ReportTitle(st, shortRun(st.Run)), prose.Span(prose.RunTook(st, c.Now)))
	p.rule()
	b := newSheet(c, w)
	reportNodes(b, c, st)
	b.blank()
	for _, f := range prose.ReportFacts(st) {
		b.fact(f, reportStyle(b.s, f.Label))
	}
	p.window(&v.scroll, b.lines, h-len(p.lines))
	return finish(c, component.Box(p.lines, w, h))
}

func reportStyle(s *themes.Styles, label string) themes.Style {
	switch label {
	case "left":
		return s.Bad
	case "issues", "why":
		return s.Warn
	case "exposed":
		return s.Strong
	}
	return s.Text
}

// reportNodes draws a table where it fits, else a few lines for each node.
func reportNodes(b *sheet, c *Context, st *rollout.Status) {
	rows := prose.ReportRows(st)
	widths := make([]int, len(prose.ReportHeads))
	need := 1
	for i, head := range prose.ReportHeads {
		widths[i] = component.Width(strings.TrimPrefix(head, ">"))
		for _, row := range rows {
			widths[i] = max(widths[i], component.Width(row[i]))
		}
		need += widths[i] + 2
	}
	if need > b.w {
		for i := range st.Steps {
			reportNode(b, c, &st.Steps[i], rows[i])
		}
		return
	}
	b.add(reportRow(b, widths, prose.ReportHeads, b.s.Title, b.s.Title))
	for i, row := range rows {
		b.add(reportRow(b, widths, row, b.s.Text, stepStyle(b.s, st.Steps[i].State)))
	}
}

func reportRow(b *sheet, widths []int, cells []string, style, state themes.Style) *component.Line {
	l := component.NewLine(b.w).Gap(1)
	for i, head := range prose.ReportHeads {
		cell := strings.TrimPrefix(cells[i], ">")
		drawn := style
		if head == "step" {
			drawn = state
		}
		if strings.HasPrefix(head, ">") {
			l.PutRight(drawn, cell, widths[i]).Gap(2)
			continue
		}
		l.Put(drawn, component.Fit(cell, widths[i])).Gap(2)
	}
	return l
}

// reportNode is a node of the report for a narrow screen. The columns are those
// of prose.ReportHeads.
func reportNode(b *sheet, c *Context, s *rollout.StepStatus, row []string) {
	m := prose.MarksFor(c.ASCII)
	style := stepStyle(b.s, s.State)
	b.add(component.NewLine(b.w).Gap(1).Put(style, m.StepMark(s.State)).Gap(1).
		Put(b.s.Strong, "node "+row[0]).Gap(2).Put(style, row[1]))
	b.fact(prose.Fact{Label: "drain", Lines: []string{fmt.Sprintf("%s · %s moved, %s left", row[2], row[3], row[4])}}, b.s.Text)
	b.fact(prose.Fact{Label: "restart", Lines: []string{fmt.Sprintf("%s · back after %s · exposed %s", row[5], row[6], row[10])}}, b.s.Text)
	b.fact(prose.Fact{Label: "fill", Lines: []string{fmt.Sprintf("%s · attached %s before, %s after", row[7], row[8], row[9])}}, b.s.Text)
}
