package config

import (
	"fmt"
	"strings"
)

// Problem is one thing that is wrong with a file.
type Problem struct {
	Path string
	Line int    // from 1; 0 = the file as a whole
	Key  string // dotted, "" when the problem is with no key
	Text string // what is wrong and what is expected
}

func (p Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.Path)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
	}
	b.WriteString(": ")
	if p.Key != "" {
		b.WriteString("key " + p.Key + ": ")
	}
	b.WriteString(p.Text)
	return b.String()
}

// Problems are all that is wrong with a file, in the order of its lines.
type Problems []Problem

func (ps Problems) Error() string {
	texts := make([]string, len(ps))
	for i, p := range ps {
		texts[i] = p.Error()
	}
	return strings.Join(texts, "\n")
}

// nearest is the known name with the fewest edits from name, "" when none is
// near enough to be what was meant.
func nearest(name string, known []string) string {
	best, bestEdits := "", max(2, len(name)/3)+1
	for _, k := range known {
		if n := edits(name, k); n < bestEdits {
			best, bestEdits = k, n
		}
	}
	return best
}

// edits is the Levenshtein distance in bytes, with case counting for nothing.
func edits(a, b string) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
