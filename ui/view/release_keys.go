package view

import "slices"

// ScreenRelease is the screen that shows a release.
const ScreenRelease = "release"

// The commands of the release screen.
const (
	CmdRelease  Command = "release"
	CmdPanLeft  Command = "earlier time"
	CmdPanRight Command = "later time"
	CmdZoomIn   Command = "less time"
	CmdZoomOut  Command = "more time"
	CmdAllTime  Command = "all of the time"
	CmdPanel    Command = "panel"
	CmdTakeOver Command = "take over"
)

// releaseKeyMap is the part of the key map for watching releases.
func releaseKeyMap() []Binding {
	on := []string{ScreenRelease}
	return []Binding{
		{Keys: []string{"left", "h"}, Shown: "left, h", Short: "earlier", Long: "earlier on the timeline", Command: CmdPanLeft, Screens: on},
		{Keys: []string{"right", "l"}, Shown: "right, l", Short: "later", Long: "later on the timeline", Command: CmdPanRight, Screens: on},
		{Keys: []string{"+", "="}, Shown: "+", Short: "closer", Long: "less time on the timeline", Command: CmdZoomIn, Screens: on},
		{Keys: []string{"-"}, Shown: "-", Short: "wider", Long: "more time on the timeline", Command: CmdZoomOut, Screens: on},
		{Keys: []string{"0"}, Shown: "0", Short: "all", Long: "the whole release on the timeline, and on with it", Command: CmdAllTime, Screens: on},
		{Keys: []string{"tab"}, Shown: "tab", Short: "anomalies / log", Long: "what looks wrong, or what has happened; pgup and pgdown scroll it", Command: CmdPanel, Screens: on},
		{Keys: []string{"n"}, Shown: "n", Short: "next under way", Long: "go to the next node that something happens to, or that looks wrong", Command: CmdNext, Screens: on},
		{Keys: []string{"enter"}, Shown: "enter", Short: "node", Long: "open the node under the cursor", Command: CmdOpen, Screens: on},
		{Keys: []string{"t"}, Shown: "t", Short: "take over", Long: "plan the nodes that are left; to start it the cluster's name is typed", Command: CmdTakeOver, Screens: on},
		{Keys: []string{"up", "k"}, Shown: "up, k", Short: "up", Long: "one node up", Command: CmdUp, Screens: on},
		{Keys: []string{"down", "j"}, Shown: "down, j", Short: "down", Long: "one node down", Command: CmdDown, Screens: on},
		{Keys: []string{"pgup", "ctrl+b"}, Shown: "pgup", Short: "page up", Long: "one screen up", Command: CmdPageUp, Screens: on},
		{Keys: []string{"pgdown", "ctrl+f"}, Shown: "pgdown", Short: "page down", Long: "one screen down", Command: CmdPageDn, Screens: on},
		{Keys: []string{"home", "g"}, Shown: "home, g", Short: "first", Long: "to the first node", Command: CmdFirst, Screens: on},
		{Keys: []string{"end", "G"}, Shown: "end, G", Short: "last", Long: "to the last node", Command: CmdLast, Screens: on},
		{Keys: []string{"esc"}, Shown: "esc", Short: "back", Long: "back to the screen before", Command: CmdBack, Screens: slices.Clone(on)},
		{Keys: []string{"?"}, Shown: "?", Short: "help", Long: "this help", Command: CmdHelp, Screens: on},
		{Keys: []string{"q"}, Shown: "q", Short: "quit", Long: "leave the console; with a live run it asks what becomes of it", Command: CmdQuit, Screens: on},
		{Keys: []string{"ctrl+c"}, Shown: "ctrl+c", Short: "close", Long: "close the innermost thing; with a live run, the question above", Command: CmdClose, Screens: on},
		{Keys: []string{"ctrl+l"}, Shown: "ctrl+l", Short: "redraw", Long: "draw the whole screen again", Command: CmdRedraw, Screens: on},
	}
}
