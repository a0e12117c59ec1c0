package view

import (
	"slices"
	"strconv"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/themes"
	"github.com/StorconTUI/storcon-tui/ui/component"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

// planColumn is one column of a plan's table. It is as wide as its widest cell
// and is shown whole or not at all.
type planColumn struct {
	title string
	right bool
	// drop orders the columns by how soon they go when room is short: the highest
	// first, 0 never.
	drop  int
	cells []string
}

func (c planColumn) width() int {
	w := component.Width(c.title)
	for _, cell := range c.cells {
		w = max(w, component.Width(cell))
	}
	return w
}

const (
	planMark = 2 // cells in front of a row, for the cursor
	planGap  = 2 // cells between columns
)

// planColumns are the columns that a screen of w cells has room for.
func planColumns(p rollout.Plan, w int) []planColumn {
	columns := allPlanColumns(p)
	for planWidth(columns) > w {
		last := slices.MaxFunc(columns, func(a, b planColumn) int { return a.drop - b.drop })
		if last.drop == 0 {
			break
		}
		columns = slices.DeleteFunc(columns, func(c planColumn) bool { return c.drop == last.drop })
		if last.drop == dropPhases {
			columns = append(columns, planCells("takes", false, 0, p, func(s rollout.StepPlan) string {
				return prose.Estimate(prose.Takes(p.Goal, s))
			}))
		}
		if last.drop == dropReasons {
			at := slices.IndexFunc(columns, func(c planColumn) bool { return c.title == "attached" }) + 1
			columns = slices.Insert(columns, at, planCells("stay", true, 0, p, func(s rollout.StepPlan) string { return stayCount(s, p.TenantsOff) }))
		}
	}
	return columns
}

// What goes when room is short: first why shards stay, of which the number is
// left, then where the others go, the node's AZ, and the phases, of which the
// sum is left.
const (
	dropPhases = iota + 1
	dropAZ
	dropLanding
	dropReasons
)

func allPlanColumns(p rollout.Plan) []planColumn {
	order := planColumn{title: "order", right: true}
	for i := range p.Steps {
		order.cells = append(order.cells, strconv.Itoa(i+1))
	}
	add := func(all []planColumn, title string, right bool, drop int, text func(rollout.StepPlan) string) []planColumn {
		return append(all, planCells(title, right, drop, p, text))
	}
	all := add([]planColumn{order}, "node", true, 0, func(s rollout.StepPlan) string { return s.Node.String() })
	all = add(all, "AZ", false, dropAZ, func(s rollout.StepPlan) string { return s.AZ })
	if slices.ContainsFunc(p.Steps, func(s rollout.StepPlan) bool { return s.Policy != client.PolicyActive }) {
		all = add(all, "policy", false, 0, func(s rollout.StepPlan) string { return string(s.Policy) })
	}
	all = add(all, "attached", true, 0, func(s rollout.StepPlan) string { return prose.Count(s.Attached) })
	if prose.Moves(p.Goal) {
		all = add(all, "will not move", false, dropReasons, func(s rollout.StepPlan) string { return prose.WillStay(s, p.TenantsOff) })
		all = add(all, "goes to (most)", false, dropLanding, func(s rollout.StepPlan) string { return prose.Landings(s.Landing, 2) })
	}
	if p.Goal != rollout.GoalRestart {
		return add(all, "takes", false, 0, func(s rollout.StepPlan) string { return prose.Estimate(prose.Takes(p.Goal, s)) })
	}
	all = add(all, "drain", false, dropPhases, func(s rollout.StepPlan) string { return prose.Estimate(s.Drain) })
	all = add(all, "restart", false, dropPhases, func(s rollout.StepPlan) string { return prose.Estimate(s.Restart) })
	return add(all, "fill", false, dropPhases, func(s rollout.StepPlan) string { return prose.Estimate(s.Fill) })
}

func planCells(title string, right bool, drop int, p rollout.Plan, text func(rollout.StepPlan) string) planColumn {
	c := planColumn{title: title, right: right, drop: drop, cells: make([]string, 0, len(p.Steps))}
	for _, s := range p.Steps {
		c.cells = append(c.cells, text(s))
	}
	return c
}

func planWidth(columns []planColumn) int {
	w := planMark
	for _, c := range columns {
		w += c.width() + planGap
	}
	return w - planGap
}

func stayCount(s rollout.StepPlan, off string) string {
	if off != "" || s.Attached < 0 {
		return "?"
	}
	return prose.Count(int64(len(s.Stay)))
}

func (v *PlanScreen) table(p *sheet) {
	columns := planColumns(v.plan, p.w)
	p.add(planRow(p, columns, "", p.s.Title, func(c planColumn) string { return c.title }))
	for i := range v.plan.Steps {
		style, mark := p.s.Text, ""
		if i == v.cursor {
			style, mark = p.s.Selected, ">"
		}
		p.add(planRow(p, columns, mark, style, func(c planColumn) string { return c.cells[i] }))
	}
}

// planRow draws a row in one style, so that the one under the cursor is
// reverse from edge to edge.
func planRow(p *sheet, columns []planColumn, mark string, style themes.Style, text func(planColumn) string) *component.Line {
	l := component.NewLine(p.w).Put(style, component.Fit(mark, planMark))
	for i, c := range columns {
		cell := text(c)
		pad := component.Spaces(c.width() - component.Width(cell))
		switch {
		case c.right:
			cell = pad + cell
		default:
			cell += pad
		}
		if i > 0 {
			cell = component.Spaces(planGap) + cell
		}
		l.Put(style, cell)
	}
	return l.Put(style, component.Spaces(l.Left()))
}
