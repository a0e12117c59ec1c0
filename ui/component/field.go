package component

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/StorconTUI/storcon-tui/themes"
)

// fieldMax bounds what can be typed or pasted into a Field, in characters.
const fieldMax = 200

// Field is a one-line text field. Keys that edit text do nothing else while it
// is open; it knows neither enter nor esc. Editing is bubbles/textinput's, the
// drawing is a Line's like everything else on the screen.
type Field struct {
	input *textinput.Model // nil until the first key
}

// Text is what was typed.
func (f *Field) Text() string { return f.model().Value() }

// Set replaces the text and puts the cursor behind it.
func (f *Field) Set(text string) {
	f.input = newInput()
	f.Paste(text)
}

// Paste inserts text at the cursor; line breaks and control characters are left out.
func (f *Field) Paste(text string) {
	kept := []rune(strings.Map(func(r rune) rune {
		if unprintable(r) {
			return -1
		}
		return r
	}, text))
	if len(kept) > 0 {
		f.update(tea.KeyMsg{Type: tea.KeyRunes, Runes: kept, Paste: true})
	}
}

// Key edits the text and reports whether the key was one that edits.
func (f *Field) Key(name string) bool {
	msg, ok := pressOf(name)
	if !ok {
		return false
	}
	if msg.Type == tea.KeyRunes && !msg.Alt {
		f.Paste(string(msg.Runes))
		return true
	}
	if !edits(f.model().KeyMap, msg) {
		return false
	}
	f.update(msg)
	return true
}

func (f *Field) update(msg tea.Msg) {
	m, _ := f.model().Update(msg)
	f.input = &m
}

func (f *Field) model() *textinput.Model {
	if f.input == nil {
		f.input = newInput()
	}
	return f.input
}

func newInput() *textinput.Model {
	m := textinput.New()
	m.CharLimit = fieldMax
	// The clipboard of the host that the console runs on is nobody's.
	m.KeyMap.Paste.SetEnabled(false)
	m.Focus()
	return &m
}

// edits reports whether the key is one of those that change or walk the text.
func edits(k textinput.KeyMap, msg tea.KeyMsg) bool {
	return key.Matches(msg, k.CharacterForward, k.CharacterBackward, k.WordForward, k.WordBackward,
		k.DeleteWordBackward, k.DeleteWordForward, k.DeleteAfterCursor, k.DeleteBeforeCursor,
		k.DeleteCharacterBackward, k.DeleteCharacterForward, k.LineStart, k.LineEnd)
}

// keyTypes finds a key by the name that bubbletea gives it.
var keyTypes = func() map[string]tea.KeyType {
	types := map[string]tea.KeyType{}
	for t := tea.KeyType(-100); t <= 127; t++ {
		if name := (tea.KeyMsg{Type: t}).String(); name != "" && t != tea.KeyRunes {
			types[name] = t
		}
	}
	return types
}()

// pressOf is the key press of that name.
func pressOf(name string) (tea.KeyMsg, bool) {
	bare, alt := strings.CutPrefix(name, "alt+")
	if utf8.RuneCountInString(bare) == 1 {
		r, _ := utf8.DecodeRuneInString(bare)
		return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}, Alt: alt}, true
	}
	t, ok := keyTypes[bare]
	return tea.KeyMsg{Type: t, Alt: alt}, ok
}

// Draw appends the field to a line, its cursor in reverse, keeping the end of a
// long text in view.
func (f *Field) Draw(l *Line, s *themes.Styles, w int) {
	w = min(w, l.Left())
	text, cursor := []rune(f.Text()), f.model().Position()
	before, under, after := string(text[:cursor]), " ", ""
	if cursor < len(text) {
		under, after = string(text[cursor]), string(text[cursor+1:])
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
