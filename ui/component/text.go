package component

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// Ellipsis marks text that was cut.
const Ellipsis = "…"

// spaces is cut to pad lines without allocating.
var spaces = strings.Repeat(" ", 512)

// Spaces is n blanks; none for n <= 0.
func Spaces(n int) string {
	if n <= 0 {
		return ""
	}
	if n <= len(spaces) {
		return spaces[:n]
	}
	return strings.Repeat(" ", n)
}

// plain reports printable ASCII, whose width is its length.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

// Width is the number of cells that a text takes once it is drawn.
func Width(s string) int {
	if plain(s) {
		return len(s)
	}
	return ansi.StringWidth(Printable(s))
}

// Printable replaces every character that a terminal might obey, or that has no
// width, by a question mark. Text from servers arrives neutralised; this is the
// last door before the screen.
func Printable(s string) string {
	if plain(s) || strings.IndexFunc(s, unprintable) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unprintable(r) {
			return '?'
		}
		return r
	}, s)
}

// unprintable also takes variation selectors: they widen what they follow on
// some terminals only.
func unprintable(r rune) bool {
	return r == unicode.ReplacementChar || unicode.Is(unicode.Variation_Selector, r) || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// Truncate cuts a text to at most w cells; a cut shows as an ellipsis.
func Truncate(s string, w int) string {
	if w <= 0 {
		return ""
	}
	if plain(s) {
		if len(s) <= w {
			return s
		}
		return s[:w-1] + Ellipsis
	}
	return ansi.Truncate(Printable(s), w, Ellipsis)
}

// TruncateMiddle cuts a text to at most w cells and keeps both ends, as names of hosts
// need it.
func TruncateMiddle(s string, w int) string {
	have := Width(s)
	if have <= w || w < 3 {
		return Truncate(s, w)
	}
	s = Printable(s)
	left := (w - 1) / 2
	right := w - 1 - left
	tail := ansi.TruncateLeft(s, have-right, "")
	for cut := have - right + 1; ansi.StringWidth(tail) > right; cut++ { // a wide character on the edge
		tail = ansi.TruncateLeft(s, cut, "")
	}
	return ansi.Truncate(s, left, "") + Ellipsis + tail
}

// Fit makes a text exactly w cells wide: cut or padded on the right.
func Fit(s string, w int) string {
	s = Truncate(s, w)
	return s + Spaces(w-Width(s))
}

// Wrap breaks a text into lines of at most w cells, at spaces where it can.
// A character wider
// than w stands alone on its line. It returns at least one line.
func Wrap(s string, w int) []string {
	if w <= 0 {
		return []string{""}
	}
	// A flag, an id or a path must not fall apart at its hyphens, and the library
	// always breaks there: they are hidden from it.
	s = strings.ReplaceAll(Printable(s), "-", hiddenHyphen)
	// Wrap lets blanks before a word stand out over the limit; Hardwrap does not.
	s = ansi.Hardwrap(ansi.Wrap(s, w, ""), w, true)
	return strings.Split(strings.ReplaceAll(s, hiddenHyphen, "-"), "\n")
}

// hiddenHyphen is of one cell, and in no text that is printable.
const hiddenHyphen = "\ue02d"

// ContainsFold reports whether s holds lower, which must be in lower case,
// without regard to ASCII case. It allocates nothing.
func ContainsFold(s, lower string) bool {
	for i := 0; i+len(lower) <= len(s); i++ {
		if equalFold(s[i:i+len(lower)], lower) {
			return true
		}
	}
	return false
}

func equalFold(s, lower string) bool {
	for i := range len(lower) {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// twins are drawn instead of what a locale without UTF-8 cannot show. Each is
// as wide as the character that it stands for, so that a finished frame may be
// rewritten.
var twins = map[rune]byte{
	'·': '-', '–': '-', '—': '-', '−': '-', '─': '-', '…': '~', '→': '>', '←': '<',
	'↑': '^', '↓': 'v', '✓': '+', '×': 'x', '│': '|', '›': '>', '≥': '>', '≤': '<', '▒': ':', '▓': '%', '░': '.',
	'█': '#', '▉': '#', '▊': '#', '▋': '#', '▌': '=', '▍': '=', '▎': '-', '▏': '-',
}

// ASCII rewrites a finished line, escape sequences included, cell by cell for
// a locale without UTF-8. What has no twin becomes question marks.
func ASCII(line string) string {
	i := strings.IndexFunc(line, func(r rune) bool { return r > unicode.MaxASCII })
	if i < 0 {
		return line
	}
	var b strings.Builder
	b.Grow(len(line))
	b.WriteString(line[:i])
	for _, r := range line[i:] {
		twin, known := twins[r]
		switch {
		case r <= unicode.MaxASCII:
			b.WriteRune(r)
		case known:
			b.WriteByte(twin)
		default:
			for range ansi.StringWidth(string(r)) {
				b.WriteByte('?')
			}
		}
	}
	return b.String()
}
