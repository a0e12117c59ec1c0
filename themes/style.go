package themes

import "strings"

// Style wraps text in the sequences that switch it on and off. The zero Style
// draws plain text. Styles are not nested: each segment is drawn in one.
type Style struct{ on, off string }

// Render wraps s.
func (s Style) Render(text string) string {
	if s.on == "" || text == "" {
		return text
	}
	return s.on + text + s.off
}

// Write appends the wrapped text to b.
func (s Style) Write(b *strings.Builder, text string) {
	if s.on == "" {
		b.WriteString(text)
		return
	}
	b.WriteString(s.on)
	b.WriteString(text)
	b.WriteString(s.off)
}

// Styles are the tokens that screens use. States have a word before they have
// a colour; no token is the only carrier of a meaning.
type Styles struct {
	Name string

	Text     Style // body: the terminal's own foreground
	Dim      Style // secondary text, things that are off
	Strong   Style // what the eye should find first
	Title    Style // names of screens and columns
	Rule     Style // lines between areas
	Good     Style
	Warn     Style
	Bad      Style
	Busy     Style // something is going on
	Accent   Style // ids, links between screens
	Selected Style // the row under the cursor (reverse)
	Marked   Style // marked rows
	Bar      Style // bars beside a number
	Key      Style // key names in hints
	Danger   Style // confirms that go against the evidence
	Badge    Style // DEMO, READ-ONLY: reverse
}
