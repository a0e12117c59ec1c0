package component

// Scroll is the position in a list of lines that has no cursor.
type Scroll struct {
	top, total, height int
}

// Fit tells how many lines there are and how many are visible, and gives the
// visible range [from, to).
func (s *Scroll) Fit(total, height int) (from, to int) {
	s.total, s.height = total, max(height, 0)
	s.Move(0)
	return s.top, min(s.top+s.height, total)
}

// Move scrolls by n lines.
func (s *Scroll) Move(n int) { s.top = max(min(s.top+n, s.total-s.height), 0) }

// Page scrolls by n screens.
func (s *Scroll) Page(n int) { s.Move(n * max(s.height-1, 1)) }

// First goes to the beginning, Last to the end.
func (s *Scroll) First() { s.top = 0 }

// Last goes to the end.
func (s *Scroll) Last() { s.Move(s.total) }

// All reports that nothing is out of view.
func (s *Scroll) All() bool { return s.total <= s.height }
