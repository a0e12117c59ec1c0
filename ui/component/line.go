package component

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/StorconTUI/storcon-tui/themes"
)

// Line is one line of a screen under construction. It never becomes wider than
// it was made for, and String pads it to exactly that.
type Line struct {
	b     strings.Builder
	width int
	used  int
	// over draws the whole line in one style: segments keep their text and
	// lose their own.
	over bool
	last themes.Style
	// odd is set by text beyond ASCII: a combining character at the start of
	// one segment joins the end of another and changes the sum.
	odd bool
}

// NewLine begins a line of w cells.
func NewLine(w int) *Line { return &Line{width: max(w, 0)} }

// Left is the number of cells that are still free.
func (l *Line) Left() int { return l.width - l.used }

// Put appends a segment, cut to what is left.
func (l *Line) Put(style themes.Style, text string) *Line {
	return l.put(style, text, l.Left())
}

// PutMax is Put for a segment of at most w cells.
func (l *Line) PutMax(style themes.Style, text string, w int) *Line {
	return l.put(style, text, min(w, l.Left()))
}

func (l *Line) put(style themes.Style, text string, w int) *Line {
	if w <= 0 || text == "" {
		return l
	}
	text = Truncate(text, w)
	l.used += Width(text)
	l.odd = l.odd || !plain(text)
	if l.over {
		l.b.WriteString(text)
		return l
	}
	style.Write(&l.b, text)
	return l
}

// Plain appends a segment in the terminal's own colours.
func (l *Line) Plain(text string) *Line { return l.Put(themes.Style{}, text) }

// Gap appends n blanks.
func (l *Line) Gap(n int) *Line {
	n = min(n, l.Left())
	if n > 0 {
		l.b.WriteString(Spaces(n))
		l.used += n
	}
	return l
}

// To appends blanks up to column x, counted from 0.
func (l *Line) To(x int) *Line { return l.Gap(x - l.used) }

// PutRight appends a segment of exactly w cells with its text on the right.
func (l *Line) PutRight(style themes.Style, text string, w int) *Line {
	w = min(w, l.Left())
	text = Truncate(text, w)
	l.Gap(w - Width(text))
	return l.put(style, text, w)
}

// String is the line, exactly as wide as it was made for.
func (l *Line) String() string {
	l.Gap(l.Left())
	text := l.b.String()
	if l.odd {
		if w := ansi.StringWidth(text); w != l.width {
			text = ansi.Truncate(text, l.width, "")
			text += Spaces(l.width - ansi.StringWidth(text))
		}
	}
	if l.over {
		return l.last.Render(text)
	}
	return text
}

// Blank is a line of w blanks.
func Blank(w int) string { return Spaces(w) }

// Rule is a horizontal line of w cells.
func Rule(style themes.Style, w int) string {
	if w <= 0 {
		return ""
	}
	return style.Render(strings.Repeat("─", w))
}

// Box makes exactly h lines of w cells out of lines that are w cells wide:
// what is too much is cut, what is missing is blank.
func Box(lines []string, w, h int) []string {
	if h <= 0 {
		return nil
	}
	for len(lines) < h {
		lines = append(lines, Blank(w))
	}
	return lines[:h]
}

// eighths are the left-aligned parts of a full block.
var eighths = []string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}

// Bar draws value on a scale from 0 to scale in w cells, to an eighth of a cell.
// It is at most w cells wide and not padded; anything above 0 shows at least
// one eighth.
func Bar(value, scale int64, w int) string {
	if w <= 0 || value <= 0 || scale <= 0 {
		return ""
	}
	value = min(value, scale)
	n := int(float64(value)/float64(scale)*float64(8*w) + 0.5)
	n = max(n, 1)
	return strings.Repeat("█", n/8) + eighths[n%8]
}
