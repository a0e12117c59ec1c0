package prose

import (
	"strings"
	"unicode/utf8"
)

// twins are what a terminal without UTF-8 shows for the few characters beyond
// ASCII that this program writes.
var twins = map[rune]string{
	'·': "-", '–': "-", '—': "-", '−': "-", '…': "..", '→': "->", '×': "x", '✓': "+",
	'↑': "^", '↓': "v", '≥': ">=", '≤': "<=", '─': "-", '│': "|", '›': ">",
	'█': "#", '▉': "#", '▊': "#", '▋': "#", '▌': "#", '▍': "#", '▎': "#", '▏': "#", '░': ".", '▒': ":", '▓': "%",
}

// ASCII rewrites a line for a locale without UTF-8. What has no twin becomes a
// question mark, so that nothing but ASCII is left.
func ASCII(line string) string {
	if isASCII(line) {
		return line
	}
	var b strings.Builder
	for _, r := range line {
		switch twin, known := twins[r]; {
		case r < utf8.RuneSelf:
			b.WriteRune(r)
		case known:
			b.WriteString(twin)
		default:
			b.WriteByte('?')
		}
	}
	return b.String()
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Marks are the symbols that stand beside a state's word.
type Marks struct {
	Done, Asking, Waiting, Trouble, Failed, Running string
}

// MarksFor gives the symbols of a locale.
func MarksFor(ascii bool) Marks {
	if ascii {
		return Marks{Done: "+", Asking: "?", Waiting: ".", Trouble: "!", Failed: "x", Running: ">"}
	}
	return Marks{Done: "✓", Asking: "?", Waiting: "·", Trouble: "!", Failed: "×", Running: ">"}
}
