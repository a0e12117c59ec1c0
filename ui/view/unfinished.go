package view

import (
	"github.com/StorconTUI/storcon-tui/engine/action"
	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/themes"
	"github.com/StorconTUI/storcon-tui/ui/component"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

// Runs shows the run of this session, the one that another console of this host
// drives, as it goes on, and the one that an earlier console left open, which blocks
// a new run until it is taken up or closed by name.
type Runs struct{ scroll component.Scroll }

var _ Screen = (*Runs)(nil)

// NewRuns makes the list of runs.
func NewRuns() *Runs { return &Runs{} }

// ID is "runs".
func (r *Runs) ID() string { return ScreenRuns }

// Key scrolls, and takes the unfinished run up again.
func (r *Runs) Key(key string, c *Context) Intent {
	if b, ok := commandFor(ScreenRuns, key); ok && b.Action == action.Resume {
		if why := newSelection(c).why(action.Resume); why != "" {
			return Say{Text: "taking it up is off: " + why}
		}
		return TakeUp{Run: c.Unfinished}
	}
	return scrollKey(ScreenRuns, key, &r.scroll, c)
}

// Lines says what goes on, what is open and what can be done about it.
func (r *Runs) Lines(c *Context, w, h int) []string {
	p := page{w: w}
	s := c.Styles
	p.put(s.Title, 1, "RUNS")
	if c.Run != nil {
		p.put(s.Text, 1, "This session: run "+c.Run.Run+", "+prose.RunState(c.Run.State)+", journal "+c.Run.Journal)
	}
	switch e := c.Elsewhere; {
	case e.Driver != "":
		r.followed(&p, c, h)
	case c.Unfinished.ID == "":
		p.put(s.Text, 1, "No earlier run was left unfinished.")
	default:
		p.put(s.Warn, 1, "Left unfinished: run "+c.Unfinished.ID)
		if e.Journal != "" {
			p.put(s.Text, 3, "Journal: "+e.Journal)
		}
		for _, text := range blockedBy(c.Unfinished) {
			p.put(s.Text, 3, text)
		}
		p.put(s.Text, 3, "t takes it up again: what its journal says and what the cluster shows are put side by side, and nothing is sent before one yes to that. The same, its journal, and closing it by name for good, from a shell:")
		p.put(s.Strong, 5, "storcon-tui "+c.Unfinished.Verb+" --resume "+c.Unfinished.ID)
		p.put(s.Strong, 5, "storcon-tui runs show "+c.Unfinished.ID)
		p.put(s.Strong, 5, "storcon-tui runs close "+c.Unfinished.ID)
	}
	from, to := r.scroll.Fit(len(p.lines), h)
	return component.Box(append([]string{}, p.lines[from:to]...), w, h)
}

// blockedBy says what an unfinished run keeps from beginning, and what it may have left.
func blockedBy(r OpenRun) []string {
	if r.Verb == journal.VerbReconfigure {
		return []string{
			"It blocks a new restart of nodes and a new reconfigure; a lone drain, fill, cancel or set Active is not blocked.",
			"What was sent to computes goes on there by itself; what was not sent yet is not sent.",
		}
	}
	return []string{
		"It blocks a new restart of nodes; a lone drain, fill, cancel or set Active is not blocked.",
		"Look first at what it left in the cluster: policies Draining, PauseForRestart and Filling stay until somebody puts them right.",
	}
}

// followed is the run of another console: who drives it, and the newest of its
// journal that fits.
func (r *Runs) followed(p *page, c *Context, h int) {
	s, e := c.Styles, c.Elsewhere
	run := e.Run
	if run == "" {
		run = "(none yet)"
	}
	p.put(s.Warn, 1, "Driven by another console: run "+run)
	p.put(s.Text, 3, "By "+e.Driver+".")
	p.put(s.Text, 3, "Here it is only followed: nothing can be answered or sent. When that console lets go, this screen offers what is next.")
	if e.Journal != "" {
		p.put(s.Text, 3, "Journal: "+e.Journal)
	}
	for _, text := range e.Log[max(0, len(e.Log)-max(h-len(p.lines), 1)):] {
		p.lines = append(p.lines, component.NewLine(p.w).Gap(3).Put(s.Text, text).String())
	}
}

// page collects wrapped lines.
type page struct {
	w     int
	lines []string
}

func (p *page) put(style themes.Style, gap int, text string) {
	for _, part := range component.Wrap(text, max(p.w-gap-1, 1)) {
		p.lines = append(p.lines, component.NewLine(p.w).Gap(gap).Put(style, part).String())
	}
}

// Hints are the keys of the list.
func (r *Runs) Hints(c *Context) []Hint { return hintsFor(ScreenRuns, newSelection(c), c) }

// RunLive reports that a run of ours is going on.
func RunLive(r *rollout.Status) bool { return r != nil && r.State != rollout.RunEnded }
