package component

import (
	"strings"
	"unicode/utf8"

	"github.com/StorconTUI/storcon-tui/themes"
)

// fieldMax bounds what can be typed or pasted into a Field, in characters.
const fieldMax = 200

// Field is a one-line text field. Keys that edit text do nothing else while it
// is open; it knows neither enter nor esc.
type Field struct {
	text   []rune
	cursor int
}

// Text is what was typed.
func (f *Field) Text() string { return string(f.text) }

// Set replaces the text and puts the cursor behind it.
func (f *Field) Set(text string) {
	f.text = nil
	f.cursor = 0
	f.Paste(text)
}

// Paste inserts text at the cursor; line breaks and control characters are left out.
func (f *Field) Paste(text string) {
	for _, r := range text {
		if unprintable(r) || len(f.text) >= fieldMax {
			continue
		}
		f.text = append(f.text[:f.cursor], append([]rune{r}, f.text[f.cursor:]...)...)
		f.cursor++
	}
}

// Key edits the text and reports whether the key was one that edits.
func (f *Field) Key(key string) bool {
	switch key {
	case "left", "ctrl+b":
		f.cursor = max(f.cursor-1, 0)
	case "right", "ctrl+f":
		f.cursor = min(f.cursor+1, len(f.text))
	case "home", "ctrl+a":
		f.cursor = 0
	case "end", "ctrl+e":
		f.cursor = len(f.text)
	case "backspace", "ctrl+h":
		f.cut(f.cursor-1, f.cursor)
	case "delete", "ctrl+d":
		f.cut(f.cursor, f.cursor+1)
	case "ctrl+u":
		f.cut(0, f.cursor)
	case "ctrl+k":
		f.cut(f.cursor, len(f.text))
	case "ctrl+w", "alt+backspace":
		f.cut(f.wordStart(), f.cursor)
	default:
		if utf8.RuneCountInString(key) != 1 {
			return false
		}
		f.Paste(key)
	}
	return true
}

func (f *Field) cut(from, to int) {
	from, to = max(from, 0), min(to, len(f.text))
	if from < to {
		f.text = append(f.text[:from], f.text[to:]...)
		f.cursor = from
	}
}

func (f *Field) wordStart() int {
	i := f.cursor
	for i > 0 && f.text[i-1] == ' ' {
		i--
	}
	for i > 0 && f.text[i-1] != ' ' {
		i--
	}
	return i
}

// Draw appends the field to a line, its cursor in reverse, keeping the end of a
// long text in view.
func (f *Field) Draw(l *Line, s *themes.Styles, w int) {
	w = min(w, l.Left())
	before, under, after := string(f.text[:f.cursor]), " ", ""
	if f.cursor < len(f.text) {
		under, after = string(f.text[f.cursor]), string(f.text[f.cursor+1:])
	}
	for Width(before)+Width(under) > w && before != "" {
		_, size := utf8.DecodeRuneInString(before)
		before = before[size:]
	}
	l.PutMax(s.Text, before, w)
	w -= Width(before)
	l.PutMax(s.Selected, under, w)
	l.PutMax(s.Text, strings.TrimRight(after, " "), w-Width(under))
}
