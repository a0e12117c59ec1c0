package view

import (
	"strings"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/gate"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/themes"
	"github.com/StorconTUI/storcon-tui/ui/component"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

// Lines draws the plan.
func (v *PlanScreen) Lines(c *Context, w, h int) []string {
	p := newSheet(c, w)
	if v.taking != nil && c.Release != nil {
		p.headline("TAKE OVER", prose.PlanTitle(v.plan), prose.NothingSent)
		p.rule()
		v.taking.draw(p, c, v.plan)
		return finish(c, component.Box(p.lines, w, h))
	}
	p.headline("PLAN", prose.PlanTitle(v.plan), prose.NothingSent)
	p.rule()
	body := v.body(c, w, h)
	if v.follow {
		v.follow = false
		v.reveal(h-len(p.lines), len(body))
	}
	p.window(&v.scroll, body, h-len(p.lines))
	return finish(c, component.Box(p.lines, w, h))
}

// reveal scrolls the row under the cursor into view; the heads of the table
// come first.
func (v *PlanScreen) reveal(height, total int) {
	row := v.cursor + 1
	from, to := v.scroll.Fit(total, max(height-1, 0))
	switch {
	case row < from+1:
		v.scroll.Move(row - 1 - from)
	case row >= to:
		v.scroll.Move(row - to + 1)
	}
}

func (v *PlanScreen) body(c *Context, w, h int) []string {
	p := newSheet(c, w)
	v.table(p)
	if othersDrive(c) {
		p.text(p.s.Danger, "Somebody else drives a release ("+tookOver(c.Release)+"): s asks whether you take it over.")
	}
	for _, l := range v.plan.LeftOut {
		p.text(p.s.Warn, prose.LeftOut(l))
	}
	if v.plan.TenantsOff != "" && prose.Moves(v.plan.Goal) {
		p.text(p.s.Warn, "Which shards stay, and where the others land, is not known: "+v.plan.TenantsOff)
	}
	v.held(p)
	p.blank()
	v.chosen(p, c)
	p.fact(prose.Fact{Label: "asks you", Lines: []string{prose.Confirms(v.plan.Goal)}}, p.s.Text)
	if text := prose.Exposed(v.plan); text != "" {
		p.fact(prose.Fact{Label: "exposed", Lines: []string{text}}, p.s.Text)
	}
	v.gates(p, h)
	return p.lines
}

// chosen says in full what is done to the node under the cursor.
func (v *PlanScreen) chosen(p *sheet, c *Context) {
	if v.cursor >= len(v.plan.Steps) {
		return
	}
	s := v.plan.Steps[v.cursor]
	p.add(component.NewLine(p.w).Gap(1).Put(p.s.Strong, "NODE "+s.Node.String()).Gap(2).Put(p.s.Text, s.Addr))
	if text := notActive(c, s.Node); text != "" {
		p.fact(prose.Fact{Label: "now", Lines: []string{text}}, p.s.Warn)
	}
	one := v.plan
	one.Steps = []rollout.StepPlan{s}
	calls := strings.Join(prose.Sequence(one), " → ") + "  (" + prose.Cost(one) + ")"
	p.fact(prose.Fact{Label: "sends", Lines: []string{calls}}, p.s.Text)
	if prose.Moves(v.plan.Goal) {
		off := v.plan.TenantsOff
		if off != "" {
			off = "see above" // why is said there
		}
		p.fact(prose.Fact{Label: "moves", Lines: []string{prose.DrainSummary(s, off)}}, p.s.Text)
		if where := prose.Landings(s.Landing, 6); where != "" {
			p.fact(prose.Fact{Label: "to", Lines: []string{"node " + where}}, p.s.Text)
		}
	}
	for _, text := range prose.Changing(one) {
		p.fact(prose.Fact{Label: "changing", Lines: []string{text}}, p.s.Warn)
	}
	v.dependents(p, c, s)
}

// planDependents is how many computes a plan names.
const planDependents = 12

// dependents names the computes that depend on the node and says how they are now.
// Who they are was found out when the plan was made, where that reads the tenants.
func (v *PlanScreen) dependents(p *sheet, c *Context, s rollout.StepPlan) {
	var d dependents
	switch {
	case len(s.Computes) > 0:
		d = dependentsNamed(c.Snapshot, s.Computes)
	case c.Snapshot == nil || len(c.Snapshot.Computes) == 0:
		return
	case prose.Moves(v.plan.Goal) && v.plan.TenantsOff == "":
		// the plan has looked, and found none
	default:
		d = dependentsOf(c.Snapshot, s.Node)
	}
	p.fact(prose.Fact{Label: "computes", Lines: []string{d.text(planDependents)}}, p.s.Text)
}

// notActive says that a node is away, "" when it is not: the plan was made from
// what it should hold.
func notActive(c *Context, id client.NodeID) string {
	if c.Snapshot == nil {
		return ""
	}
	n, ok := c.Snapshot.Node(id)
	switch {
	case !ok:
		return "the node is no longer registered"
	case n.Availability != client.AvailabilityActive:
		return string(n.Availability) + sinceText(" for ", n.AvailabilitySince, c.Now) + ": a drain needs it Active"
	}
	return ""
}

// planRoomy is the height from which every gate has a line of its own.
const planRoomy = 34

// held lists the gates that do not pass now, before everything else.
func (v *PlanScreen) held(p *sheet) {
	n := heldGates(v.plan.Gates)
	if n == 0 {
		return
	}
	p.text(p.s.Warn, doNot(n)+" not pass now; you are asked before the phase that it guards:")
	for _, r := range v.plan.Gates {
		if r.Holds() {
			p.fact(prose.Fact{Label: prose.GateVerdict(r), Lines: []string{prose.Gate(r)}}, gateStyle(p.s, r))
		}
	}
}

// gates lists those that do not hold the run back: each on its own line where
// there is room.
func (v *PlanScreen) gates(p *sheet, h int) {
	if len(v.plan.Gates) == heldGates(v.plan.Gates) {
		return
	}
	p.add(component.NewLine(p.w).Gap(1).Put(p.s.Title, "GATES").Gap(2).Put(p.s.Dim, "each is read again before every call"))
	together := map[gate.Verdict][]string{}
	for _, r := range prose.GatesInOrder(v.plan.Gates) {
		switch {
		case r.Holds():
		case r.Overridden == nil && (h < planRoomy || r.Verdict == gate.Off):
			together[r.Verdict] = append(together[r.Verdict], prose.Gate(r))
		default:
			p.fact(prose.Fact{Label: prose.GateVerdict(r), Lines: []string{prose.Gate(r)}}, gateStyle(p.s, r))
		}
	}
	for _, verdict := range []gate.Verdict{gate.Pass, gate.Off} {
		if all := together[verdict]; len(all) > 0 {
			p.fact(prose.Fact{Label: verdict.String(), Lines: []string{strings.Join(all, " · ")}}, p.s.Dim)
		}
	}
}

func heldGates(gates []gate.Result) int {
	n := 0
	for _, r := range gates {
		if r.Holds() {
			n++
		}
	}
	return n
}

func doNot(n int) string {
	if n == 1 {
		return "1 gate does"
	}
	return prose.Things(int64(n), "gate") + " do"
}

func gateStyle(s *themes.Styles, r gate.Result) themes.Style {
	switch {
	case r.Verdict == gate.Fail && r.Holds():
		return s.Bad
	case r.Holds() || r.Overridden != nil:
		return s.Warn
	}
	return s.Text
}
