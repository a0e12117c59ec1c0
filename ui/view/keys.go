package view

import (
	"slices"

	"github.com/StorconTUI/storcon-tui/engine/action"
)

// Command is what a key does inside the console.
type Command string

// The commands that move or change the view. A key that stands for an action
// of the catalogue has the action's id instead.
const (
	CmdUp      Command = "up"
	CmdDown    Command = "down"
	CmdPageUp  Command = "page up"
	CmdPageDn  Command = "page down"
	CmdFirst   Command = "first"
	CmdLast    Command = "last"
	CmdMark    Command = "mark"
	CmdOpen    Command = "open"
	CmdBack    Command = "back"
	CmdFilter  Command = "filter"
	CmdSort    Command = "sort"
	CmdReverse Command = "reverse"
	CmdNext    Command = "next"
	CmdEvents  Command = "events"
	CmdRun     Command = "run"
	CmdRuns    Command = "runs"
	CmdHelp    Command = "help"
	CmdComp    Command = "computes"
	CmdState   Command = "state"
	CmdQuit    Command = "quit"
	CmdRedraw  Command = "redraw"
	CmdClose   Command = "close"
	CmdLeave   Command = "leave"
	CmdStay    Command = "stay"
	CmdCancel  Command = "cancel operation"
)

// Screens that the key map speaks of.
const (
	ScreenNodes  = "nodes"
	ScreenNode   = "node"
	ScreenEvents = "events"
	ScreenHelp   = "help"
	ScreenRuns   = "runs"

	ScreenComputes = "computes"
	ScreenCompute  = "compute"
	ScreenRespec   = "respec"
	ScreenPlan     = "plan"
	ScreenRun      = "run"
	ScreenReport   = "report"
	ScreenQuit     = "quit"

	ScreenReconfigure = "reconfigure"
)

// Binding ties keys to what they do on some screens.
type Binding struct {
	Keys    []string // as bubbletea spells them
	Shown   string   // as people read them
	Short   string   // for the hint line, a word or two
	Long    string   // for the help screen
	Command Command
	Action  action.ID // "" = the view only
	Screens []string
}

// On reports whether the binding works on a screen.
func (b Binding) On(screen string) bool { return slices.Contains(b.Screens, screen) }

// keyMap is the one table of keys: hints, the help screen and the screens
// themselves read it.
var keyMap = slices.Concat(buildKeyMap(), releaseKeyMap(), runKeyMap(), respecKeyMap(), fleetKeyMap())

// KeyMap is a copy of the table of keys.
func KeyMap() []Binding { return slices.Clone(keyMap) }

// commandFor is what a key does on a screen; "" = nothing.
func commandFor(screen, key string) (Binding, bool) {
	for _, b := range keyMap {
		if b.On(screen) && slices.Contains(b.Keys, key) {
			return b, true
		}
	}
	return Binding{}, false
}

func bindingOf(screen string, c Command) (Binding, bool) {
	i := slices.IndexFunc(keyMap, func(b Binding) bool { return b.Command == c && b.On(screen) })
	if i < 0 {
		return Binding{}, false
	}
	return keyMap[i], true
}

func buildKeyMap() []Binding {
	table := []string{ScreenNodes}
	computes := []string{ScreenComputes}
	tables := []string{ScreenNodes, ScreenComputes}
	scrolled := []string{ScreenNodes, ScreenNode, ScreenEvents, ScreenHelp, ScreenRuns, ScreenComputes, ScreenCompute}
	acting := []string{ScreenNodes, ScreenNode}
	quitting := []string{ScreenQuit}
	inner := []string{ScreenNode, ScreenEvents, ScreenHelp, ScreenRuns, ScreenComputes, ScreenCompute}
	every := append(slices.Clone(inner), ScreenNodes)
	return []Binding{
		{Keys: []string{"enter"}, Shown: "enter", Short: "details", Long: "open the node under the cursor", Command: CmdOpen, Screens: table},
		{Keys: []string{"enter"}, Shown: "enter", Short: "details", Long: "open the compute under the cursor: its start-up, its shards, its history", Command: CmdOpen, Screens: computes},
		{Keys: []string{"e"}, Shown: "e", Short: "reconfigure", Long: "hand the compute under the cursor a new spec", Command: CmdRespec, Screens: []string{ScreenComputes, ScreenCompute}},
		{Keys: []string{"E"}, Shown: "E", Short: "reconfigure all", Long: "hand every compute that is shown a new spec, in waves", Command: CmdRespecAll, Screens: computes},
		{Keys: []string{" "}, Shown: "space", Short: "mark", Long: "mark the node under the cursor, or take its mark away", Command: CmdMark, Screens: table},
		{Keys: []string{"w"}, Shown: "w", Short: "release", Long: "watch the release that goes on, whoever drives it: every node over time", Command: CmdRelease, Screens: acting},
		{Keys: []string{"r"}, Shown: "r", Short: "restart", Action: action.Restart, Screens: acting},
		{Keys: []string{"d"}, Shown: "d", Short: "drain", Action: action.Drain, Screens: acting},
		{Keys: []string{"f"}, Shown: "f", Short: "fill", Action: action.Fill, Screens: acting},
		{Keys: []string{"x"}, Shown: "x", Short: "cancel", Action: action.Cancel, Screens: acting},
		{Keys: []string{"u"}, Shown: "u", Short: "set Active", Action: action.Activate, Screens: acting},
		{Keys: []string{"/"}, Shown: "/", Short: "filter", Long: "show only rows that contain a text", Command: CmdFilter, Screens: tables},
		{Keys: []string{"f"}, Shown: "f", Short: "by state", Long: "show only the computes of one state, then of the next, then all again", Command: CmdState, Screens: computes},
		{Keys: []string{"n"}, Shown: "n", Short: "next problem", Long: "go to the next node that needs attention", Command: CmdNext, Screens: table},
		{Keys: []string{"s"}, Shown: "s", Short: "sort", Long: "sort by the next column", Command: CmdSort, Screens: tables},
		{Keys: []string{"S"}, Shown: "S", Short: "reverse", Long: "reverse the order", Command: CmdReverse, Screens: tables},
		{Keys: []string{"e"}, Shown: "e", Short: "events", Long: "all events that this console has seen", Command: CmdEvents, Screens: acting},
		{Keys: []string{"c"}, Shown: "c", Short: "computes", Long: "the configured computes and what they say", Command: CmdComp, Screens: acting},
		{Keys: []string{"o"}, Shown: "o", Short: "run", Long: "open the live run, or the report of the last one", Command: CmdRun, Screens: []string{ScreenNodes, ScreenNode, ScreenComputes, ScreenCompute}},
		{Keys: []string{"t"}, Shown: "t", Short: "take up", Action: action.Resume, Screens: []string{ScreenRuns}},
		{Keys: []string{"L"}, Shown: "L", Short: "runs", Long: "the run that another console drives, or left unfinished", Command: CmdRuns, Screens: acting},
		{Keys: []string{"up", "k"}, Shown: "up, k", Short: "up", Long: "one line up", Command: CmdUp, Screens: scrolled},
		{Keys: []string{"down", "j"}, Shown: "down, j", Short: "down", Long: "one line down", Command: CmdDown, Screens: scrolled},
		{Keys: []string{"pgup", "ctrl+b"}, Shown: "pgup", Short: "page up", Long: "one screen up", Command: CmdPageUp, Screens: scrolled},
		{Keys: []string{"pgdown", "ctrl+f"}, Shown: "pgdown", Short: "page down", Long: "one screen down", Command: CmdPageDn, Screens: scrolled},
		{Keys: []string{"home", "g"}, Shown: "home, g", Short: "first", Long: "to the first line", Command: CmdFirst, Screens: scrolled},
		{Keys: []string{"end", "G"}, Shown: "end, G", Short: "last", Long: "to the last line", Command: CmdLast, Screens: scrolled},
		{Keys: []string{"esc"}, Shown: "esc", Short: "back", Long: "clear the filter, then the marks", Command: CmdBack, Screens: table},
		{Keys: []string{"esc"}, Shown: "esc", Short: "back", Long: "back to the screen before", Command: CmdBack, Screens: inner},
		{Keys: []string{"?"}, Shown: "?", Short: "help", Long: "this help", Command: CmdHelp, Screens: every},
		{Keys: []string{"q"}, Shown: "q", Short: "quit", Long: "leave the console; with a live run it asks what becomes of it", Command: CmdQuit, Screens: every},
		{Keys: []string{"ctrl+c"}, Shown: "ctrl+c", Short: "close", Long: "close the innermost thing; with a live run, the question above", Command: CmdClose, Screens: every},
		{Keys: []string{"ctrl+l"}, Shown: "ctrl+l", Short: "redraw", Long: "draw the whole screen again", Command: CmdRedraw, Screens: every},
		{Keys: []string{"l"}, Shown: "l", Short: "leave it running", Long: "leave, and leave what runs on the server as it is", Command: CmdLeave, Screens: quitting},
		{Keys: []string{"c"}, Shown: "c", Short: "cancel it", Long: "stay, pause the run and ask whether to cancel what runs on the server", Command: CmdCancel, Screens: quitting},
		{Keys: []string{"esc", "s"}, Shown: "esc", Short: "stay", Long: "stay in the console", Command: CmdStay, Screens: quitting},
	}
}
