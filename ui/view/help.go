package view

import (
	"github.com/StorconTUI/storcon-tui/engine/action"
	"github.com/StorconTUI/storcon-tui/themes"
	"github.com/StorconTUI/storcon-tui/ui/component"
)

// Help lists the keys, out of the key map and the catalogue of actions.
type Help struct {
	scroll component.Scroll
	fleet  bool // it is of the screen of all clusters
}

var _ Screen = (*Help)(nil)

// NewHelp makes the help screen.
func NewHelp() *Help { return &Help{} }

// NewFleetHelp makes the help of the screen of all clusters.
func NewFleetHelp() *Help { return &Help{fleet: true} }

// ID is "help".
func (p *Help) ID() string { return ScreenHelp }

// Key scrolls. The key that opened the help closes it.
func (p *Help) Key(key string, c *Context) Intent {
	if key == "?" {
		return Back{}
	}
	return scrollKey(ScreenHelp, key, &p.scroll, c)
}

// Lines draws the keys.
func (p *Help) Lines(c *Context, w, h int) []string {
	all := helpLines(c.Styles, w, p.fleet)
	from, to := p.scroll.Fit(len(all), h)
	return component.Box(append([]string{}, all[from:to]...), w, h)
}

// Hints are the keys of the help screen.
func (p *Help) Hints(c *Context) []Hint { return hintsFor(ScreenHelp, newSelection(c), c) }

// helpSection is a part of the help: bindings that have a screen in common.
type helpSection struct{ title, screen string }

func helpSections() []helpSection {
	return []helpSection{
		{"DASHBOARD", ScreenNodes},
		{"ONE NODE", ScreenNode},
		{"COMPUTES", ScreenComputes},
		{"ONE COMPUTE", ScreenCompute},
		{"A NEW SPEC FOR COMPUTES", ScreenRespec},
		{"A RECONFIGURE", ScreenReconfigure},
		{"RUNS", ScreenRuns},
		{"A RELEASE, WATCHED", ScreenRelease},
		{"A PLAN", ScreenPlan},
		{"A RUN (the question says which of these it takes; enter is never one)", ScreenRun},
		{"WHEN LEAVING WITH A LIVE RUN", ScreenQuit},
		{everywhere, ScreenEvents},
	}
}

const everywhere = "EVERYWHERE"

// common are the commands that most screens have; they are told once.
func common(c Command) bool {
	switch c {
	case CmdUp, CmdDown, CmdPageUp, CmdPageDn, CmdFirst, CmdLast, CmdHelp, CmdQuit, CmdClose, CmdRedraw:
		return true
	}
	return false
}

// signs explains what stands on the screen beside words.
func signs() [][2]string {
	return [][2]string{
		{">", "the row under the cursor; actions apply to it when nothing is marked"},
		{"*", "a marked row"},
		{"(r restart)", "off just now; press the key to read why"},
		{"HOME", "how much of what belongs on the node is attached to it: 100 % when it is full, 0 % when it is drained"},
		{unknownFigure, "not known; never shown as 0"},
		{"was Active", "old data: the controller has not answered for 5 s"},
	}
}

// fleetSigns explains what stands on the screen of all clusters beside words.
func fleetSigns() [][2]string {
	return [][2]string{
		{">", "the cluster under the cursor"},
		{"!", "needs a look: something looks wrong, or it does not answer, or it cannot be watched"},
		{unknownFigure, "not known"},
		{"DATA", "how old the list of nodes is; each cluster is read the less often the more there are"},
	}
}

func helpLines(s *themes.Styles, w int, fleet bool) []string {
	const keys, text = 3, 18
	var lines []string
	row := func(key string, style themes.Style, does string) {
		for i, part := range component.Wrap(does, max(w-text-1, 1)) {
			l := component.NewLine(w)
			if i == 0 {
				l.Gap(keys).PutMax(style, key, text-keys-1)
			}
			lines = append(lines, l.To(text).Put(s.Text, part).String())
		}
	}
	title := func(t string) {
		if len(lines) > 0 {
			lines = append(lines, component.Blank(w))
		}
		lines = append(lines, component.NewLine(w).Gap(1).Put(s.Title, t).String())
	}
	lines = append(lines, component.NewLine(w).Gap(1).Put(s.Title, "HELP").Gap(2).
		Put(s.Text, "nothing is sent to the cluster before you have confirmed it").String())
	sections, explained := helpSections(), signs()
	if fleet {
		sections, explained = []helpSection{{"ALL CLUSTERS", ScreenFleet}}, fleetSigns()
	}
	for _, section := range sections {
		title(section.title)
		for _, b := range keyMap {
			if b.On(section.screen) && (fleet || common(b.Command) == (section.title == everywhere)) {
				row(b.Shown, s.Key, bindingText(b))
			}
		}
	}
	title("SIGNS")
	for _, sign := range explained {
		row(sign[0], s.Strong, sign[1])
	}
	return lines
}

// bindingText is what a key does; for an action in the words of the catalogue.
func bindingText(b Binding) string {
	if b.Action == "" {
		return b.Long
	}
	a, ok := action.Find(b.Action)
	if !ok {
		return b.Short
	}
	switch {
	case a.Danger == action.Harmless:
		return a.Title
	case a.Scope == action.Nodes:
		return a.Title + ": the marked ones, or the one under the cursor (plans first, then asks)"
	}
	return a.Title + " (plans first, then asks)"
}
