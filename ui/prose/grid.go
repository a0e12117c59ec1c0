package prose

import (
	"strings"
	"unicode/utf8"
)

// grid lines up cells in columns for text that is printed, two spaces apart.
// Columns whose head begins with '>' are set to the right.
func grid(heads []string, rows [][]string) []string {
	widths := make([]int, len(heads))
	right := make([]bool, len(heads))
	names := make([]string, len(heads))
	for i, h := range heads {
		names[i] = strings.TrimPrefix(h, ">")
		right[i] = names[i] != h
	}
	all := append([][]string{names}, rows...)
	for _, row := range all {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	lines := make([]string, 0, len(all))
	for _, row := range all {
		var b strings.Builder
		for i, cell := range row {
			gap := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if right[i] {
				b.WriteString("  " + gap + cell)
			} else {
				b.WriteString("  " + cell + gap)
			}
		}
		lines = append(lines, strings.TrimRight(b.String(), " "))
	}
	return lines
}
