package view

import (
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/themes"
	"github.com/StorconTUI/storcon-tui/ui/component"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

// Runs shows the run of this session and the one that an earlier console left
// open, which blocks a new run until it is closed by name.
type Runs struct{ scroll component.Scroll }

var _ Screen = (*Runs)(nil)

// NewRuns makes the list of runs.
func NewRuns() *Runs { return &Runs{} }

// ID is "runs".
func (r *Runs) ID() string { return ScreenRuns }

// Key scrolls.
func (r *Runs) Key(key string, c *Context) Intent { return scrollKey(ScreenRuns, key, &r.scroll, c) }

// Lines says what is open and what can be done about it.
func (r *Runs) Lines(c *Context, w, h int) []string {
	s := c.Styles
	var all []string
	put := func(style themes.Style, gap int, text string) {
		for _, part := range component.Wrap(text, max(w-gap-1, 1)) {
			all = append(all, component.NewLine(w).Gap(gap).Put(style, part).String())
		}
	}
	put(s.Title, 1, "RUNS")
	if c.Run != nil {
		put(s.Text, 1, "This session: run "+c.Run.Run+", "+prose.RunState(c.Run.State)+", journal "+c.Run.Journal)
	}
	if c.Unfinished == "" {
		put(s.Text, 1, "No earlier run was left unfinished.")
	} else {
		put(s.Warn, 1, "Left unfinished: run "+c.Unfinished)
		put(s.Text, 3, "It blocks a new restart of nodes; a lone drain, fill, cancel or set Active is not blocked.")
		put(s.Text, 3, "Look first at what it left in the cluster: policies Draining, PauseForRestart and Filling stay until somebody puts them right.")
		put(s.Text, 3, "Taking it up again asks before anything is sent. Its journal, and closing it by name for good:")
		put(s.Strong, 5, "storcon-tui rollout --resume "+c.Unfinished)
		put(s.Strong, 5, "storcon-tui runs list")
		put(s.Strong, 5, "storcon-tui runs show "+c.Unfinished)
		put(s.Strong, 5, "storcon-tui runs close "+c.Unfinished)
	}
	from, to := r.scroll.Fit(len(all), h)
	return component.Box(append([]string{}, all[from:to]...), w, h)
}

// Hints are the keys of the list.
func (r *Runs) Hints(c *Context) []Hint { return hintsFor(ScreenRuns, newSelection(c), c) }

// RunLive reports that a run of ours is going on.
func RunLive(r *rollout.Status) bool { return r != nil && r.State != rollout.RunEnded }
