package view

import (
	"strings"

	"github.com/StorconTUI/storcon-tui/ui/component"
)

// filterable is a table that shows only what contains a text.
type filterable interface {
	Filter() string
	SetFilter(text string)
}

// filterBox is where the text for a table's filter is typed. The table follows
// every key.
type filterBox struct {
	of     filterable
	field  component.Field
	typing bool
}

// Typing reports that the filter is being typed.
func (f *filterBox) Typing() bool { return f.typing }

// Paste adds to the filter.
func (f *filterBox) Paste(text string) {
	f.field.Paste(text)
	f.of.SetFilter(f.field.Text())
}

// typed is a key while the filter is being typed: enter keeps it, esc clears it.
func (f *filterBox) typed(key string) {
	switch key {
	case "enter":
		f.typing = false
	case "esc":
		f.typing = false
		f.field.Set("")
	default:
		f.field.Key(key)
	}
	f.of.SetFilter(strings.TrimSpace(f.field.Text()))
}

// clear takes the filter back; false when there was none.
func (f *filterBox) clear() bool {
	if f.of.Filter() == "" {
		return false
	}
	f.field.Set("")
	f.of.SetFilter("")
	return true
}
