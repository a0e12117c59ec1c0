package component

import (
	"cmp"
	"slices"
	"strings"

	"github.com/StorconTUI/storcon-tui/themes"
)

// Column is one column of a Table with rows R.
type Column[R any] struct {
	ID    string // names the column in the sort order; "" = rows are not sorted by it
	Title string
	Min   int // cells; a column that would get fewer is dropped
	Max   int // cells that it can make use of; 0 = as many as Want says
	// Want is how many cells a row can make use of; nil = Max. The column
	// grows to the widest row seen so far and never shrinks, so that columns
	// stay where they are while rows come and go.
	Want func(*R) int
	// Narrow is what the column can live with once nothing can be dropped any
	// more; 0 = Min.
	Narrow int
	Right  bool // alignment of the title
	// Drop orders the columns by how soon they go when room is short: the
	// highest first, 0 never.
	Drop int
	// Compare orders rows; needed when ID is set. Ties go to the key.
	Compare func(a, b *R) int
	// Draw puts the cell on the line, in at most w cells; the table pads.
	Draw func(l *Line, s *themes.Styles, r *R, w int)
}

// Spec describes a Table. It is not changed once the table is made.
type Spec[K cmp.Ordered, R comparable] struct {
	Columns []Column[R]
	Key     func(*R) K
	// Match reports whether a row contains the filter text, which is in lower
	// case and not empty.
	Match func(r *R, lower string) bool
	// Stamp is whatever else a row's picture depends on, such as an age in
	// the unit in which it is shown. nil = nothing.
	Stamp func(*R) uint64
}

// Table shows typed rows. It draws the visible window only, and draws a row
// again only when the row, its stamp or the layout has changed. The cursor and
// the marks belong to keys, not to places: whatever moves, they stay with
// their row. It is not safe for concurrent use.
type Table[K cmp.Ordered, R comparable] struct {
	spec Spec[K, R]
	rows []R
	view []int // indices of rows, filtered and sorted

	cursor int // place in view
	key    K   // of the row under the cursor, meaningful if held
	held   bool
	lost   bool // the row under the cursor has vanished; no row is chosen
	top    int  // first visible place
	height int  // rows that were visible at the last drawing

	marks  map[K]struct{}
	filter string
	sort   int // column
	desc   bool

	wants  []int // by column: the widest row so far
	layout layout
	cache  map[K]*picture[R]
	out    []string
}

// picture is a row as it was drawn.
type picture[R any] struct {
	row              R
	stamp, layout    uint64
	selected, marked bool
	text             string
}

// NewTable makes a table that is sorted by the first column which can be.
func NewTable[K cmp.Ordered, R comparable](spec Spec[K, R]) *Table[K, R] {
	t := &Table[K, R]{
		spec: spec, marks: map[K]struct{}{}, cache: map[K]*picture[R]{}, wants: make([]int, len(spec.Columns)),
	}
	t.sort = slices.IndexFunc(spec.Columns, func(c Column[R]) bool { return c.ID != "" })
	return t
}

// SetRows replaces the rows; the table keeps the slice. Marks of rows that are
// gone go with them.
func (t *Table[K, R]) SetRows(rows []R) {
	t.rows = rows
	t.measure()
	t.rebuild()
	if len(t.marks) == 0 {
		return
	}
	present := make(map[K]struct{}, len(rows))
	for i := range rows {
		present[t.spec.Key(&rows[i])] = struct{}{}
	}
	for k := range t.marks {
		if _, ok := present[k]; !ok {
			delete(t.marks, k)
		}
	}
}

// measure widens columns for rows that can make use of more.
func (t *Table[K, R]) measure() {
	for i, c := range t.spec.Columns {
		if c.Want == nil {
			continue
		}
		most := t.wants[i]
		for r := range t.rows {
			most = max(most, c.Want(&t.rows[r]))
		}
		if c.Max > 0 {
			most = min(most, c.Max)
		}
		if most > t.wants[i] {
			t.wants[i] = most
			t.layout.widths = nil // to be arranged anew
		}
	}
}

// Rows are all rows, in the order in which they were set.
func (t *Table[K, R]) Rows() []R { return t.rows }

// Filter is the text that rows must contain; "" = all are shown.
func (t *Table[K, R]) Filter() string { return t.filter }

// SetFilter shows only rows that contain text. The cursor stays with its row
// while that is shown and goes to the first row otherwise.
func (t *Table[K, R]) SetFilter(text string) {
	if text == t.filter {
		return
	}
	t.filter = text
	t.rebuild()
	if t.lost && len(t.view) > 0 {
		t.place(0)
	}
}

// Sort names the column that orders the rows, and whether backwards.
func (t *Table[K, R]) Sort() (id string, desc bool) {
	if t.sort < 0 {
		return "", false
	}
	return t.spec.Columns[t.sort].ID, t.desc
}

// SetSort orders the rows by a column; an unknown id changes nothing.
func (t *Table[K, R]) SetSort(id string, desc bool) {
	i := slices.IndexFunc(t.spec.Columns, func(c Column[R]) bool { return c.ID == id && id != "" })
	if i < 0 || (i == t.sort && desc == t.desc) {
		return
	}
	t.sort, t.desc = i, desc
	t.rebuild()
}

// CycleSort orders by the next column that can be sorted by.
func (t *Table[K, R]) CycleSort() {
	for n := 1; n <= len(t.spec.Columns); n++ {
		c := t.spec.Columns[(t.sort+n)%len(t.spec.Columns)]
		if c.ID != "" {
			t.SetSort(c.ID, false)
			return
		}
	}
}

// Shown and Total count the rows that pass the filter, and all.
func (t *Table[K, R]) Shown() int { return len(t.view) }

// Visible are the rows that pass the filter, in their order.
func (t *Table[K, R]) Visible() []R {
	rows := make([]R, len(t.view))
	for i, at := range t.view {
		rows[i] = t.rows[at]
	}
	return rows
}

// Total counts all rows.
func (t *Table[K, R]) Total() int { return len(t.rows) }

// Window is the first and last visible place, counted from 1; 0, 0 when there
// is none.
func (t *Table[K, R]) Window() (first, last int) {
	if len(t.view) == 0 || t.height <= 0 {
		return 0, 0
	}
	return t.top + 1, min(t.top+t.height, len(t.view))
}

// rebuild filters and sorts, then finds the cursor's row again and keeps it on
// its line of the screen as far as that is possible.
func (t *Table[K, R]) rebuild() {
	line := t.cursor - t.top
	t.view = t.view[:0]
	lower := strings.ToLower(t.filter)
	for i := range t.rows {
		if lower == "" || t.spec.Match(&t.rows[i], lower) {
			t.view = append(t.view, i)
		}
	}
	t.order()
	if !t.held && !t.lost {
		t.place(0)
		return
	}
	at := slices.IndexFunc(t.view, func(i int) bool { return t.spec.Key(&t.rows[i]) == t.key })
	t.held, t.lost = at >= 0, at < 0
	if at >= 0 {
		t.cursor = at
	}
	t.cursor = min(t.cursor, max(len(t.view)-1, 0))
	t.top = t.cursor - line
	t.clampTop()
}

func (t *Table[K, R]) order() {
	if t.sort < 0 {
		return
	}
	compare := t.spec.Columns[t.sort].Compare
	slices.SortFunc(t.view, func(i, j int) int {
		a, b := &t.rows[i], &t.rows[j]
		c := compare(a, b)
		if t.desc {
			c = -c
		}
		if c == 0 {
			c = cmp.Compare(t.spec.Key(a), t.spec.Key(b))
		}
		return c
	})
}
