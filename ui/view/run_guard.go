package view

import "time"

const (
	// promptGrace is how long a question must have been on the screen before a
	// key answers it: what was typed for the screen before falls into it.
	promptGrace = 400 * time.Millisecond
	// keyHeld is the longest gap inside a key that is held down; the first
	// repeat comes after about half a second.
	keyHeld = 700 * time.Millisecond
	// keyQuiet is the shortest gap between two keys of a person. Pasted text
	// without brackets, and a terminal's late replies, come faster.
	keyQuiet = 50 * time.Millisecond
)

// guard keeps keys from answering a question that nobody has read. A key counts
// only for the question that was on the screen, after a grace, alone, and
// when it is not still held down from the question before.
type guard struct {
	prompt string // the question on the screen
	since  time.Time
	key    string // the last key
	at     time.Time
}

// shows notes which question is on the screen; "" = none.
func (g *guard) shows(prompt string, now time.Time) {
	if g.prompt != prompt {
		g.prompt, g.since = prompt, now
	}
}

// press notes a key and reports whether it may decide anything.
func (g *guard) press(key, prompt string, now time.Time) bool {
	gap := now.Sub(g.at)
	first := g.at.IsZero()
	same := g.key == key
	g.key, g.at = key, now
	switch {
	case prompt == "" || prompt != g.prompt || now.Sub(g.since) < promptGrace:
		return false
	case first:
		return true
	case same && gap < keyHeld:
		return false
	}
	return gap >= keyQuiet
}
