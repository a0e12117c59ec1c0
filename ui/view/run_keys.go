package view

import (
	"slices"

	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// The commands of the plan and run screens.
const (
	CmdStart      Command = "start"
	CmdEarlier    Command = "earlier"
	CmdLater      Command = "later"
	CmdRemove     Command = "remove"
	CmdEvidence   Command = "evidence"
	CmdWaitFor    Command = "wait for"
	CmdPauseLater Command = "pause later"
	CmdLog        Command = "log"
	CmdReport     Command = "report"
)

// wordKey ties an answer to a key. No key means two things on the run screen.
type wordKey struct {
	word rollout.Word
	key  string
	long string
}

var wordKeys = []wordKey{
	{rollout.WordYes, "y", "yes: do what the question proposes"},
	{rollout.WordNo, "p", "pause the run here"},
	{rollout.WordSkip, "s", "skip this node, or its fill"},
	{rollout.WordRetry, "r", "try once more"},
	{rollout.WordWait, "w", "keep waiting"},
	{rollout.WordCancel, "c", "cancel the drain or fill that runs"},
	{rollout.WordAccept, "a", "accept the evidence as it is"},
	{rollout.WordOverride, "o", "override one gate for this node, with a reason"},
	{rollout.WordReset, "u", "undo: set the node Active"},
	{rollout.WordUndrained, "U", "restart without a finished drain; the node's id is typed"},
	{rollout.WordManual, "m", "restart by hand, the run waits for the proof"},
	{rollout.WordResume, "g", "go on with a paused run"},
	{rollout.WordAbort, "X", "abort the run and put the node right"},
	{rollout.WordDetach, "D", "leave the run; what runs at the controller goes on"},
	{rollout.WordRestOfNode, "N", "yes to the rest of this node, until the first anomaly"},
	{rollout.WordRestOfAZ, "Z", "yes to the rest of this AZ, until the first anomaly"},
	{rollout.WordRestOfRun, "R", "yes to the rest of the run, until the first anomaly"},
}

// KeyFor is the key that gives an answer; "" = none.
func KeyFor(w rollout.Word) string {
	for _, k := range wordKeys {
		if k.word == w {
			return k.key
		}
	}
	return ""
}

// wayOut is what the commands that leave a screen ask for; nil for others.
func wayOut(c Command) Intent {
	switch c {
	case CmdBack:
		return Back{}
	case CmdHelp:
		return Open{ScreenHelp}
	case CmdQuit:
		return Quit{}
	}
	return nil
}

func wordFor(key string) (rollout.Word, bool) {
	for _, k := range wordKeys {
		if k.key == key {
			return k.word, true
		}
	}
	return "", false
}

// runKeyMap is the part of the key map for the plan, run and report screens.
func runKeyMap() []Binding {
	plan, run := []string{ScreenPlan}, []string{ScreenRun}
	all := []string{ScreenPlan, ScreenRun, ScreenReport}
	table := []Binding{
		{Keys: []string{"s"}, Shown: "s", Short: "start", Long: "start the run; the first question comes before the first call", Command: CmdStart, Screens: plan},
		{Keys: []string{"K", "shift+up"}, Shown: "K", Short: "earlier", Long: "move the node one place up in the order", Command: CmdEarlier, Screens: plan},
		{Keys: []string{"J", "shift+down"}, Shown: "J", Short: "later", Long: "move the node one place down in the order", Command: CmdLater, Screens: plan},
		{Keys: []string{"-"}, Shown: "-", Short: "take out", Long: "take the node out of the plan", Command: CmdRemove, Screens: plan},
	}
	for _, k := range wordKeys {
		table = append(table, Binding{Keys: []string{k.key}, Shown: k.key, Short: string(k.word), Long: k.long, Command: Command("answer " + k.word), Screens: run})
	}
	return append(table,
		Binding{Keys: []string{"P"}, Shown: "P", Short: "pause later", Long: "pause the run once the phase that runs is over", Command: CmdPauseLater, Screens: run},
		Binding{Keys: []string{"W"}, Shown: "W", Short: "wait for", Long: "keep waiting, for a time that is typed", Command: CmdWaitFor, Screens: run},
		Binding{Keys: []string{"v"}, Shown: "v", Short: "evidence", Long: "all that the question rests on; again: back to the question", Command: CmdEvidence, Screens: run},
		Binding{Keys: []string{"l"}, Shown: "l", Short: "log", Long: "the run's log; again: back to the question", Command: CmdLog, Screens: run},
		Binding{Keys: []string{"e"}, Shown: "e", Short: "report", Long: "the report of a run that has ended", Command: CmdReport, Screens: run},
		Binding{Keys: []string{"up", "k"}, Shown: "up, k", Short: "up", Long: "one line up", Command: CmdUp, Screens: all},
		Binding{Keys: []string{"down", "j"}, Shown: "down, j", Short: "down", Long: "one line down", Command: CmdDown, Screens: all},
		Binding{Keys: []string{"pgup", "ctrl+b"}, Shown: "pgup", Short: "page up", Long: "one screen up", Command: CmdPageUp, Screens: all},
		Binding{Keys: []string{"pgdown", "ctrl+f"}, Shown: "pgdown", Short: "page down", Long: "one screen down", Command: CmdPageDn, Screens: all},
		Binding{Keys: []string{"esc"}, Shown: "esc", Short: "back", Long: "back to the screen before; a run goes on", Command: CmdBack, Screens: slices.Clone(all)},
		Binding{Keys: []string{"?"}, Shown: "?", Short: "help", Long: "this help", Command: CmdHelp, Screens: all},
		Binding{Keys: []string{"q"}, Shown: "q", Short: "quit", Long: "leave the console; with a live run it asks what becomes of it", Command: CmdQuit, Screens: all},
		Binding{Keys: []string{"ctrl+c"}, Shown: "ctrl+c", Short: "close", Long: "close the innermost thing; with a live run, the question above", Command: CmdClose, Screens: all},
		Binding{Keys: []string{"ctrl+l"}, Shown: "ctrl+l", Short: "redraw", Long: "draw the whole screen again", Command: CmdRedraw, Screens: all},
	)
}
