package ui

import (
	"strings"
	"time"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
)

// burstGap is the time within which two keys are not two decisions of a
// person: text that was pasted without brackets arrives so.
const burstGap = 40 * time.Millisecond

// replyMax is how long the rest of a terminal's reply may stay away.
const replyMax = 2 * time.Second

// guard keeps pasted text and late replies of the terminal from being read as
// commands (T4). What it lets through is one key of a person, or text.
type guard struct {
	last   time.Time // of the newest key, of whatever kind
	esc    time.Time // of the newest lone esc
	reply  byte      // '[' or ']' while the rest of a reply is awaited
	since  time.Time // of the newest part of the reply
	settle time.Time // before it, nothing is taken
}

// verdict is what becomes of a key message.
type verdict int

const (
	drop verdict = iota
	press
	paste
)

// judge decides on one key message. typing says that a text field is open.
func (g *guard) judge(k tea.KeyMsg, now time.Time, typing bool) verdict {
	gap := now.Sub(g.last)
	quick := gap >= 0 && gap < burstGap
	g.last = now
	if now.Before(g.settle) {
		return drop
	}
	if k.Paste {
		return paste
	}
	if g.inReply(k, now) {
		return drop
	}
	if k.Type == tea.KeyEsc && !k.Alt {
		g.esc = now
	}
	switch {
	case k.Type == tea.KeyRunes && len(k.Runes) > 1:
		return paste // several characters in one read: nobody types so
	case typing || harmless[k.String()]:
		return press
	case quick:
		return drop
	}
	return press
}

// harmless keys only move; a held one repeats faster than burstGap.
var harmless = map[string]bool{
	"up": true, "down": true, "left": true, "right": true, "pgup": true, "pgdown": true, "home": true, "end": true,
	"k": true, "j": true, "ctrl+c": true, "ctrl+l": true,
}

// inReply recognises what a terminal sends on its own: ESC ] ... (BEL or ESC \)
// and ESC [ ... letter, in as many reads as it likes. Bubble Tea gives the
// beginning as alt+] or alt+[, or as esc when the read ended there.
func (g *guard) inReply(k tea.KeyMsg, now time.Time) bool {
	text := string(k.Runes)
	if g.reply == 0 {
		switch {
		case k.Type != tea.KeyRunes || text == "":
			return false
		case k.Alt && (text[0] == ']' || text[0] == '['), now.Sub(g.esc) < replyMax && (text[0] == ']' || text[0] == '['):
			g.reply, g.since = text[0], now
			g.finish(k, text[1:])
			return true
		}
		return false
	}
	if now.Sub(g.since) > replyMax {
		g.reply = 0
		return g.inReply(k, now)
	}
	g.since = now
	g.finish(k, text)
	return true
}

// finish looks for the end of the reply.
func (g *guard) finish(k tea.KeyMsg, text string) {
	switch g.reply {
	case ']':
		// BEL; or ESC \, together or in two reads.
		if k.Type == tea.KeyCtrlG || strings.HasSuffix(text, `\`) {
			g.reply = 0
		}
	case '[':
		last, _ := utf8.DecodeLastRuneInString(text)
		if text != "" && last >= '@' && last <= '~' {
			g.reply = 0
		}
	}
}
