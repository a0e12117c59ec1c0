// Package component holds the parts that screens are made of: lines that are
// exactly as wide as they should be, a table that draws only its visible
// window, bars, rules, hints and a text field.
//
// The parts know no cluster and hold no colour of their own; a caller passes
// plain text and a themes.Style for each segment. Text with escape sequences
// of its own is never accepted: control characters are shown as a question
// mark, so that nothing from outside can reach the terminal through here.
package component
