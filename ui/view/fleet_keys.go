package view

// ScreenFleet is the screen of all clusters.
const ScreenFleet = "fleet"

// fleetKeyMap is the part of the key map for all clusters.
func fleetKeyMap() []Binding {
	on := []string{ScreenFleet}
	return []Binding{
		{Keys: []string{"enter"}, Shown: "enter", Short: "open", Long: "open the console of the cluster under the cursor, on its release; leaving that comes back here", Command: CmdOpen, Screens: on},
		{Keys: []string{"n"}, Shown: "n", Short: "next problem", Long: "go to the next cluster that needs a look", Command: CmdNext, Screens: on},
		{Keys: []string{"s"}, Shown: "s", Short: "sort", Long: "sort by name, by what needs a look, or by the releases that go on", Command: CmdSort, Screens: on},
		{Keys: []string{"S"}, Shown: "S", Short: "reverse", Long: "reverse the order", Command: CmdReverse, Screens: on},
		{Keys: []string{"/"}, Shown: "/", Short: "filter", Long: "show only clusters that contain a text: in the name, health, release or builds", Command: CmdFilter, Screens: on},
		{Keys: []string{"esc"}, Shown: "esc", Short: "clear", Long: "clear the filter", Command: CmdBack, Screens: on},
		{Keys: []string{"up", "k"}, Shown: "up, k", Short: "up", Long: "one cluster up", Command: CmdUp, Screens: on},
		{Keys: []string{"down", "j"}, Shown: "down, j", Short: "down", Long: "one cluster down", Command: CmdDown, Screens: on},
		{Keys: []string{"pgup", "ctrl+b"}, Shown: "pgup", Short: "page up", Long: "one screen up", Command: CmdPageUp, Screens: on},
		{Keys: []string{"pgdown", "ctrl+f"}, Shown: "pgdown", Short: "page down", Long: "one screen down", Command: CmdPageDn, Screens: on},
		{Keys: []string{"home", "g"}, Shown: "home, g", Short: "first", Long: "to the first cluster", Command: CmdFirst, Screens: on},
		{Keys: []string{"end", "G"}, Shown: "end, G", Short: "last", Long: "to the last cluster", Command: CmdLast, Screens: on},
		{Keys: []string{"?"}, Shown: "?", Short: "help", Long: "this help", Command: CmdHelp, Screens: on},
		{Keys: []string{"q"}, Shown: "q", Short: "quit", Long: "leave", Command: CmdQuit, Screens: on},
		{Keys: []string{"ctrl+c"}, Shown: "ctrl+c", Short: "close", Long: "close the innermost thing", Command: CmdClose, Screens: on},
		{Keys: []string{"ctrl+l"}, Shown: "ctrl+l", Short: "redraw", Long: "draw the whole screen again", Command: CmdRedraw, Screens: on},
	}
}
