// Package backdrop keeps the program from waiting five seconds on a terminal
// that never answers.
//
// Bubble Tea v1 asks the terminal for its background colour in its package
// init, before main runs, and on a mute terminal (an expect script, some
// serial and web consoles) termenv waits five seconds for the answer. A colour
// that is already set is not asked for. Go initialises packages that are ready
// in the order of their import paths, so this one, whose path begins with
// github.com/StorconTUI, comes before github.com/charmbracelet/bubbletea, as
// long as it imports nothing but lipgloss. Package probe, which does the
// asking on our terms, is therefore a package of its own.
//
// Package main must import it, if only for its effect.
package backdrop

import "github.com/charmbracelet/lipgloss"

func init() {
	lipgloss.SetHasDarkBackground(true)
}
