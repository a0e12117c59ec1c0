package view

import (
	"fmt"
	"strings"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/themes"
	"github.com/StorconTUI/storcon-tui/ui/component"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

// What the question asks the root for.
type (
	// Leave leaves the program; the run is let go and what runs on the server
	// stays.
	Leave struct{}
	// CancelRun cancels what runs on the server and stays.
	CancelRun struct{}
)

func (Leave) intent()     {}
func (CancelRun) intent() {}

// quitScreen asks what becomes of a live run, and says what would be left (P1).
// Enter does nothing.
type quitScreen struct{ scroll component.Scroll }

var _ Screen = (*quitScreen)(nil)

// NewQuit makes the question.
func NewQuit() Screen { return &quitScreen{} }

func (q *quitScreen) ID() string { return ScreenQuit }

func (q *quitScreen) Key(key string, c *Context) Intent {
	b, ok := commandFor(ScreenQuit, key)
	if !ok {
		return nil
	}
	switch b.Command {
	case CmdLeave:
		return Leave{}
	case CmdStay:
		return Back{}
	case CmdCancel:
		if _, kind := operating(c); kind == "" {
			return Say{Text: "no drain or fill of this run is under way"}
		}
		return CancelRun{}
	}
	return nil
}

func (q *quitScreen) Lines(c *Context, w, h int) []string {
	s := c.Styles
	var all []string
	put := func(style themes.Style, gap int, text string) {
		for _, part := range component.Wrap(text, max(w-gap-1, 1)) {
			all = append(all, component.NewLine(w).Gap(gap).Put(style, part).String())
		}
	}
	switch {
	case !RunLive(c.Run) && ReconfigureLive(c.Reconfigure):
		put(s.Title, 1, "LEAVE?  run "+c.Reconfigure.Run+" is live on "+prose.Cluster(c.Reconfigure.Identity))
		all = append(all, component.Blank(w))
		put(s.Text, 1, "If you leave now, nobody drives it. What is left:")
		for _, line := range leftOnComputes(c) {
			put(s.Warn, 3, line)
		}
		put(s.Text, 3, "The run stays unfinished: storcon-tui reconfigure --resume takes it up. Journal: "+c.Reconfigure.Journal)
		all = append(all, component.Blank(w))
		for _, cmd := range []Command{CmdLeave, CmdStay} {
			b, _ := bindingOf(ScreenQuit, cmd)
			all = append(all, component.NewLine(w).Gap(3).Put(s.Key, component.Fit(b.Shown, 5)).Put(s.Text, b.Long).String())
		}
		all = append(all, component.Blank(w))
		put(s.Dim, 1, "No default: enter does nothing.")
		from, to := q.scroll.Fit(len(all), h)
		return component.Box(append([]string{}, all[from:to]...), w, h)
	case !RunLive(c.Run):
		put(s.Title, 1, "LEAVE?")
		put(s.Text, 3, "The run has ended meanwhile. esc, then q leaves.")
		return component.Box(all, w, h)
	}
	put(s.Title, 1, "LEAVE?  run "+c.Run.Run+" is live on "+prose.Cluster(c.Run.Identity))
	all = append(all, component.Blank(w))
	put(s.Text, 1, "If you leave now, nobody drives it. What is left on the server:")
	for _, line := range leftNow(c) {
		put(s.Warn, 3, line)
	}
	put(s.Text, 3, "The run stays unfinished: the next console shows it first. Journal: "+c.Run.Journal)
	all = append(all, component.Blank(w))
	for _, cmd := range []Command{CmdLeave, CmdCancel, CmdStay} {
		b, _ := bindingOf(ScreenQuit, cmd)
		does := b.Long
		if cmd == CmdCancel {
			node, kind := operating(c)
			if kind == "" {
				put(s.Dim, 3, "("+b.Shown+"    no drain or fill of this run is under way)")
				continue
			}
			does = fmt.Sprintf("stay, and ask to cancel the %s of node %s (the run is paused first)", kind, node)
		}
		all = append(all, component.NewLine(w).Gap(3).Put(s.Key, component.Fit(b.Shown, 5)).Put(s.Text, does).String())
	}
	all = append(all, component.Blank(w))
	put(s.Dim, 1, "No default: enter does nothing.")
	from, to := q.scroll.Fit(len(all), h)
	return component.Box(append([]string{}, all[from:to]...), w, h)
}

func (q *quitScreen) Hints(c *Context) []Hint {
	hints := hintsFor(ScreenQuit, newSelection(c), c)
	if _, kind := operating(c); kind == "" {
		for i := range hints {
			if hints[i].Key == "c" {
				hints[i].Off = "no drain or fill of this run is under way"
			}
		}
	}
	return hints
}

// operating is the drain or fill that this run has under way.
func operating(c *Context) (node client.NodeID, kind string) {
	if c.Run == nil {
		return 0, ""
	}
	for _, step := range c.Run.Steps {
		for _, ph := range step.Phases {
			under := ph.State == rollout.PhaseRunning || ph.State == rollout.PhaseBlocked
			if under && (ph.Phase == rollout.PhaseDrain || ph.Phase == rollout.PhaseFill) {
				return step.Plan.Node, prose.Phase(ph.Phase)
			}
		}
	}
	return 0, ""
}

// leftNow says for every node of the run what stands on the server now.
func leftNow(c *Context) []string {
	var lines, waiting []string
	for _, step := range c.Run.Steps {
		id := step.Plan.Node.String()
		switch step.State {
		case rollout.StepPending:
			waiting = append(waiting, id)
		case rollout.StepRunning:
			lines = append(lines, "node "+id+" "+leftOn(c, step))
		}
	}
	if len(waiting) > 0 {
		lines = append(lines, "not begun, and not touched: node "+strings.Join(waiting, ", "))
	}
	if len(lines) == 0 {
		lines = append(lines, "nothing: no node of the run is under way")
	}
	return lines
}

func leftOn(c *Context, step rollout.StepStatus) string {
	for _, ph := range step.Phases {
		if ph.Phase == rollout.PhaseRestart && ph.State == rollout.PhaseRunning {
			return "is being restarted: the command goes on or dies with this console; nobody will look whether the node comes back, nor fill it"
		}
	}
	if c.Snapshot == nil {
		return "is under way; its policy is not known now"
	}
	node, ok := c.Snapshot.Node(step.Plan.Node)
	if !ok {
		return "is no longer registered"
	}
	switch node.Scheduling {
	case client.PolicyDraining:
		return "Draining: the drain goes on by itself; then nobody will restart or fill the node"
	case client.PolicyPauseForRestart:
		return fmt.Sprintf("PauseForRestart with %s attached: it keeps serving them and takes no new ones until it is restarted or set Active",
			prose.Things(node.Attached, "shard"))
	case client.PolicyFilling:
		return "Filling: the fill goes on by itself and ends in Active"
	case client.PolicyActive:
		return "Active: nothing of this run is running on it"
	}
	return string(node.Scheduling) + ": it stays so"
}
