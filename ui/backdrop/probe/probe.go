// Package probe finds out whether the terminal's background is dark.
//
// It is called once, before the Bubble Tea program runs: afterwards the
// program owns the terminal's input. It knows no theme; it only answers dark or
// light, and says from where it knows.
package probe

import (
	"os"
	"strconv"
	"strings"
	"time"
)

// DefaultWait is how long a terminal may take to answer, unless told otherwise.
// Together with the rest of the start it stays under the budget of the first
// frame on a mute terminal.
const DefaultWait = 100 * time.Millisecond

// Source names where the answer comes from.
type Source string

// The sources in the order in which they are believed.
const (
	Stated    Source = "stated"    // somebody chose it: configuration or flag
	ColorFGBG Source = "COLORFGBG" // the terminal said so in the environment
	Terminal  Source = "terminal"  // the terminal answered our question
	Assumed   Source = "assumed"   // nobody knows; dark
)

// Options is what there is to go by. The zero value assumes dark.
type Options struct {
	// Stated are choices of people, most important first: the configuration,
	// then --theme. "dark" and "light" decide; anything else ("", "auto", the
	// name of a theme without a side) is passed over.
	Stated []string
	// Env looks up an environment variable; nil means an empty environment.
	Env func(string) string
	// TTY is asked with OSC 11 when nothing else decides; nil, or a file that
	// is no terminal, is never asked. It must be open for reading and writing.
	TTY *os.File
	// Wait bounds the question; 0 means DefaultWait.
	Wait time.Duration
}

// Answer is what was found.
type Answer struct {
	Dark   bool
	Source Source
	// Unanswered is true when the terminal was asked and had not finished its
	// answer in time. The rest may still arrive as if it were typed, so a
	// caller should not take keys for a moment.
	Unanswered bool
}

// Detect says whether the background is dark. It never fails: what cannot be
// found out is assumed to be dark.
func Detect(o Options) Answer {
	for _, choice := range o.Stated {
		switch strings.ToLower(strings.TrimSpace(choice)) {
		case "dark":
			return Answer{Dark: true, Source: Stated}
		case "light":
			return Answer{Dark: false, Source: Stated}
		}
	}
	env := o.Env
	if env == nil {
		env = func(string) string { return "" }
	}
	if dark, ok := fromColorFGBG(env("COLORFGBG")); ok {
		return Answer{Dark: dark, Source: ColorFGBG}
	}
	if o.TTY == nil || mute(env("TERM")) {
		return Answer{Dark: true, Source: Assumed}
	}
	wait := o.Wait
	if wait <= 0 {
		wait = DefaultWait
	}
	r := ask(o.TTY, wait)
	if !r.known {
		return Answer{Dark: true, Source: Assumed, Unanswered: r.pending}
	}
	return Answer{Dark: r.dark, Source: Terminal, Unanswered: r.pending}
}

// mute names the terminals that are known not to answer: asking them would only
// cost the wait, or print the question.
func mute(term string) bool {
	return term == "" || term == "dumb" || term == "linux" ||
		strings.HasPrefix(term, "screen") || strings.HasPrefix(term, "vt1")
}

// fromColorFGBG reads rxvt's "foreground;background", whose last field is the
// number of an ANSI colour: 0 to 6 and 8 are the dark ones.
func fromColorFGBG(v string) (dark, ok bool) {
	i := strings.LastIndexByte(v, ';')
	if i < 0 {
		return false, false
	}
	n, err := strconv.ParseUint(v[i+1:], 10, 8)
	if err != nil || n > 15 {
		return false, false
	}
	return n <= 6 || n == 8, true
}
