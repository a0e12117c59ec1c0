package component

import (
	"github.com/StorconTUI/storcon-tui/themes"
)

const (
	// gutter holds the cursor, the mark and a blank.
	gutter = 3
	// wideGap and tightGap are the blanks between columns; they are tight
	// before a column is dropped.
	wideGap, tightGap = 2, 1
)

// cacheMax bounds the pictures that are kept, in rows.
const cacheMax = 2048

// layout is how wide the columns are. Its number changes whenever the
// pictures of rows are no longer good.
type layout struct {
	number uint64
	width  int
	styles *themes.Styles
	widths []int  // by column; 0 = dropped
	gap    int    // between columns
	titles string // drawn once for a layout
}

// Lines draws the titles and the visible rows: exactly h lines of w cells. The
// slice is valid until the next call.
func (t *Table[K, R]) Lines(s *themes.Styles, w, h int) []string {
	t.arrange(s, w)
	t.out = t.out[:0]
	if h <= 0 {
		return t.out
	}
	if t.height != h-1 {
		t.height = h - 1
		t.clampTop()
	}
	t.out = append(t.out, t.titles(s))
	for at := t.top; at < min(t.top+t.height, len(t.view)); at++ {
		t.out = append(t.out, t.row(s, at))
	}
	for len(t.out) < h {
		t.out = append(t.out, Blank(w))
	}
	return t.out
}

func (t *Table[K, R]) titles(s *themes.Styles) string {
	if t.layout.titles != "" {
		return t.layout.titles
	}
	l := NewLine(t.layout.width)
	x := gutter
	for i, c := range t.spec.Columns {
		cw := t.layout.widths[i]
		if cw == 0 {
			continue
		}
		l.To(x)
		if c.Right {
			l.PutRight(s.Title, c.Title, cw)
		} else {
			l.PutMax(s.Title, c.Title, cw)
		}
		x += cw + t.layout.gap
	}
	t.layout.titles = l.String()
	return t.layout.titles
}

func (t *Table[K, R]) row(s *themes.Styles, at int) string {
	r := &t.rows[t.view[at]]
	key := t.spec.Key(r)
	_, marked := t.marks[key]
	selected := at == t.cursor && t.held
	var stamp uint64
	if t.spec.Stamp != nil {
		stamp = t.spec.Stamp(r)
	}
	p := t.cache[key]
	if p == nil {
		if len(t.cache) >= cacheMax {
			clear(t.cache)
		}
		p = &picture[R]{}
		t.cache[key] = p
	} else if p.layout == t.layout.number && p.stamp == stamp && p.selected == selected &&
		p.marked == marked && p.row == *r {
		return p.text
	}
	*p = picture[R]{row: *r, stamp: stamp, layout: t.layout.number, selected: selected, marked: marked}
	p.text = t.draw(s, r, selected, marked)
	return p.text
}

func (t *Table[K, R]) draw(s *themes.Styles, r *R, selected, marked bool) string {
	l := NewLine(t.layout.width)
	if selected {
		l.over, l.last = true, s.Selected
	}
	if selected {
		l.Plain(">")
	} else {
		l.Gap(1)
	}
	if marked {
		l.Put(s.Marked, "*")
	}
	x := gutter
	for i, c := range t.spec.Columns {
		cw := t.layout.widths[i]
		if cw == 0 {
			continue
		}
		l.To(x)
		c.Draw(l, s, r, cw)
		x += cw + t.layout.gap
	}
	return l.String()
}

// arrange gives every column its width: the minimum first, then what is left
// to those that can use it, left to right. When the minimum is too much, the
// gaps are made tight, then columns are dropped, then those that can are
// narrowed.
func (t *Table[K, R]) arrange(s *themes.Styles, w int) {
	if t.layout.width == w && t.layout.styles == s && t.layout.widths != nil {
		return
	}
	t.layout = layout{number: t.layout.number + 1, width: w, styles: s, widths: make([]int, len(t.spec.Columns)), gap: wideGap}
	for i, c := range t.spec.Columns {
		t.layout.widths[i] = c.Min
	}
	if t.need() > w {
		t.layout.gap = tightGap
	}
	for t.need() > w {
		victim := t.leastNeeded()
		if victim < 0 {
			break
		}
		t.layout.widths[victim] = 0
	}
	for i, c := range t.spec.Columns {
		if c.Narrow > 0 && t.layout.widths[i] > 0 && t.need() > w {
			t.layout.widths[i] = c.Narrow
		}
	}
	if t.layout.gap = wideGap; t.need() > w {
		t.layout.gap = tightGap
	}
	t.spread(w - t.need())
}

// need is how wide the table is as it is arranged now.
func (t *Table[K, R]) need() int {
	sum := gutter - t.layout.gap
	for _, cw := range t.layout.widths {
		if cw > 0 {
			sum += cw + t.layout.gap
		}
	}
	return sum
}

// spread gives what is left to the columns that can make use of it.
func (t *Table[K, R]) spread(left int) {
	for i, c := range t.spec.Columns {
		if t.layout.widths[i] == 0 || left <= 0 {
			continue
		}
		most := c.Max
		if c.Want != nil {
			most = t.wants[i]
		}
		grow := max(min(most-t.layout.widths[i], left), 0)
		t.layout.widths[i] += grow
		left -= grow
	}
}

// leastNeeded is the column that goes next when room is short, -1 for none.
func (t *Table[K, R]) leastNeeded() int {
	victim := -1
	for i, c := range t.spec.Columns {
		if t.layout.widths[i] > 0 && c.Drop > 0 && (victim < 0 || c.Drop > t.spec.Columns[victim].Drop) {
			victim = i
		}
	}
	return victim
}
