package view

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/release"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/ui/component"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

// takeOver asks before a plan is started while somebody else drives a release: it shows
// what is in flight and has the cluster's name typed. What was typed counts for what was
// in flight meanwhile, and for nothing else.
type takeOver struct {
	flight string // what is in flight, as it stood when the typing began
	field  component.Field
	wrong  string // why the last enter did nothing
	guard  guard
}

// takeOverPrompt names the question for the guard.
const takeOverPrompt = "take over"

// forgottenAfter is how long after its last change nobody is believed to drive a release any
// more: nodes may be left on different builds for good.
const forgottenAfter = 2 * time.Hour

// othersDrive reports a release that goes on and in which something is done or was done
// lately that is not of this console, unless the operator has taken it over.
func othersDrive(c *Context) bool {
	r := c.Release
	if r == nil || !r.Live() || RunLive(c.Run) || r.Started.Equal(c.TookOver) {
		return false
	}
	return slices.ContainsFunc(r.Nodes, func(n release.NodeProgress) bool {
		lately := n.Phase == release.Done && c.Now.Sub(n.Since) < forgottenAfter
		return !n.Gone && (underWay(n.Phase) || lately) && !oursOf(c, n.ID)
	})
}

// oursOf reports a node that a run of this session has worked on.
func oursOf(c *Context, id client.NodeID) bool {
	worked := func(r *rollout.Status) bool {
		return r != nil && slices.ContainsFunc(r.Steps, func(s rollout.StepStatus) bool {
			return s.Plan.Node == id && s.State != rollout.StepPending
		})
	}
	return worked(c.Run) || slices.ContainsFunc(c.Earlier, worked)
}

// inFlight are the nodes that something happens to.
func inFlight(r *release.Release) []release.NodeProgress {
	return slices.DeleteFunc(slices.Clone(r.Nodes), func(n release.NodeProgress) bool { return n.Gone || !underWay(n.Phase) })
}

// flightOf is what is in flight in a few words; it changes when a node comes into
// another phase.
func flightOf(r *release.Release) string {
	var words []string
	for _, n := range inFlight(r) {
		words = append(words, fmt.Sprintf("node %s %s", n.ID, n.Phase))
	}
	if len(words) == 0 {
		return "nothing in flight"
	}
	return strings.Join(words, ", ")
}

// tookOver is what the plan keeps of it.
func tookOver(r *release.Release) string {
	return fmt.Sprintf("%d of %s done, %s", r.Progress.Done, prose.Things(int64(r.Progress.Nodes), "node"), flightOf(r))
}

// key handles a key; it reports true when the cluster's name was typed and confirmed.
func (t *takeOver) key(key string, c *Context) bool {
	alone := t.guard.press(key, takeOverPrompt, c.Now)
	t.wrong = ""
	if now := flightOf(c.Release); now != t.flight {
		t.flight, t.wrong = now, "what is in flight has changed: read it, then type the name again"
		t.field.Set("")
		return false
	}
	if key != "enter" {
		t.field.Key(key)
		return false
	}
	switch {
	case !alone: // part of something pasted
	case t.field.Text() == c.Release.Cluster:
		return true
	default:
		t.wrong = "that is not the name of this cluster; nothing was sent"
		t.field.Set("")
	}
	return false
}

// flightShown is how many nodes in flight are told in full.
const flightShown = 6

// draw says what is in flight and what it means to go on.
func (t *takeOver) draw(p *sheet, c *Context, plan rollout.Plan) {
	t.guard.shows(takeOverPrompt, c.Now)
	r := c.Release
	p.text(p.s.Danger, "Somebody else drives a release on this cluster.")
	p.fact(prose.Fact{Label: "release", Lines: []string{releaseState(r, location(c)) + " · " + releaseSince(r, location(c)) + lastEvent(c)}}, p.s.Text)
	flying := inFlight(r)
	if len(flying) == 0 {
		p.fact(prose.Fact{Label: "in flight", Lines: []string{"nothing just now"}}, p.s.Text)
	}
	for i, n := range flying[:min(len(flying), flightShown)] {
		label := "in flight"
		if i > 0 {
			label = ""
		}
		p.fact(prose.Fact{Label: label, Lines: []string{flightLine(c, n, plan)}}, p.s.Warn)
	}
	if more := len(flying) - flightShown; more > 0 {
		p.fact(prose.Fact{Lines: []string{fmt.Sprintf("and %s more", prose.Things(int64(more), "node"))}}, p.s.Warn)
	}
	if wrong := standing(r); len(wrong) > 0 {
		p.fact(prose.Fact{Label: "wrong", Lines: []string{strings.Join(wrong, ", ")}}, p.s.Warn)
	}
	p.fact(prose.Fact{Label: "means", Lines: []string{
		"Two who drive undo each other's work. Nobody is told to stop by this, and nothing of theirs is cancelled: " +
			"stop the other one first. Every step of this plan still asks you, and its gates are read before it.",
	}}, p.s.Text)
	p.blank()
	l := component.NewLine(p.w).Gap(1).Put(p.s.Strong, "To drive, type the name of the cluster ("+r.Cluster+"), then enter:").Gap(1)
	t.field.Draw(l, p.s, max(l.Left()-1, 8))
	p.add(l)
	p.add(component.NewLine(p.w).Gap(1).Put(p.s.Dim, "esc takes it back; nothing has been sent"))
	if t.wrong != "" {
		p.text(p.s.Warn, t.wrong)
	}
}

// standing names what looks wrong now.
func standing(r *release.Release) []string {
	var words []string
	for _, a := range r.Anomalies {
		if !a.Stands() {
			continue
		}
		word := a.Kind.String()
		switch {
		case a.Node != 0:
			word += " (node " + a.Node.String() + ")"
		case a.Compute != "":
			word += " (" + a.Compute + ")"
		}
		words = append(words, word)
	}
	if more := len(words) - flightShown; more > 0 {
		words = append(words[:flightShown], fmt.Sprintf("%d more", more))
	}
	return words
}

// flightLine is one node in flight, and whether the plan is about it too.
func flightLine(c *Context, n release.NodeProgress, plan rollout.Plan) string {
	text := fmt.Sprintf("node %s  %s for %s, %s attached", n.ID, n.Phase, prose.Span(c.Now.Sub(n.Since)), prose.Things(n.Attached, "shard"))
	if n.Attached < 0 {
		text = fmt.Sprintf("node %s  %s for %s", n.ID, n.Phase, prose.Span(c.Now.Sub(n.Since)))
	}
	if slices.ContainsFunc(plan.Steps, func(s rollout.StepPlan) bool { return s.Node == n.ID }) {
		text += " · it is in this plan"
	}
	return text
}

// lastEvent says when the release did something last.
func lastEvent(c *Context) string {
	log := c.Release.Log
	if len(log) == 0 {
		return ""
	}
	return " · last change " + prose.Span(c.Now.Sub(log[len(log)-1].At)) + " ago"
}

// toTakeOver are the nodes of a release that are not done: those in flight first, then
// those that wait.
func toTakeOver(r *release.Release) []client.NodeID {
	var flying, waiting []client.NodeID
	for _, n := range r.Nodes {
		switch {
		case n.Gone, n.Phase == release.Done, n.Policy == client.PolicyPause, n.Policy == client.PolicyDeleting:
		case underWay(n.Phase):
			flying = append(flying, n.ID)
		default:
			waiting = append(waiting, n.ID)
		}
	}
	return append(flying, waiting...)
}
