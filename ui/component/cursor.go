package component

import "slices"

// Cursor is the row under the cursor. There is none in an empty table, nor
// after the row has vanished from under the cursor: an action must not fall on
// the row that happened to take its place.
func (t *Table[K, R]) Cursor() (*R, bool) {
	if !t.held || t.cursor >= len(t.view) {
		return nil, false
	}
	return &t.rows[t.view[t.cursor]], true
}

// Lost is the key of the row that vanished from under the cursor and has not
// been replaced by moving.
func (t *Table[K, R]) Lost() (K, bool) { return t.key, t.lost }

// Move moves the cursor by n rows.
func (t *Table[K, R]) Move(n int) {
	if len(t.view) > 0 {
		t.place(t.cursor + n)
	}
}

// Page moves the cursor by n screens.
func (t *Table[K, R]) Page(n int) { t.Move(n * max(t.height-1, 1)) }

// First moves the cursor to the first row, Last to the last.
func (t *Table[K, R]) First() { t.Move(-len(t.rows)) }

// Last moves the cursor to the last row.
func (t *Table[K, R]) Last() { t.Move(len(t.rows)) }

// MoveTo puts the cursor on the row with a key, if it is shown.
func (t *Table[K, R]) MoveTo(key K) bool {
	at := slices.IndexFunc(t.view, func(i int) bool { return t.spec.Key(&t.rows[i]) == key })
	if at < 0 {
		return false
	}
	t.place(at)
	return true
}

// place puts the cursor on a place of the view and scrolls as little as needed.
func (t *Table[K, R]) place(at int) {
	if len(t.view) == 0 {
		t.cursor, t.held = 0, false
		return
	}
	t.cursor = min(max(at, 0), len(t.view)-1)
	t.key, t.held, t.lost = t.spec.Key(&t.rows[t.view[t.cursor]]), true, false
	t.clampTop()
}

// clampTop keeps the cursor and as many rows as possible in the window.
func (t *Table[K, R]) clampTop() {
	h := max(t.height, 1)
	t.top = min(t.top, t.cursor)
	t.top = max(t.top, t.cursor-h+1)
	t.top = max(min(t.top, len(t.view)-h), 0)
}

// ToggleMark marks the row under the cursor or takes its mark away.
func (t *Table[K, R]) ToggleMark() {
	if _, ok := t.Cursor(); !ok {
		return
	}
	if _, marked := t.marks[t.key]; marked {
		delete(t.marks, t.key)
		return
	}
	t.marks[t.key] = struct{}{}
}

// ClearMarks takes all marks away.
func (t *Table[K, R]) ClearMarks() { clear(t.marks) }

// Marked are the keys of marked rows in ascending order, hidden ones too.
func (t *Table[K, R]) Marked() []K {
	if len(t.marks) == 0 {
		return nil
	}
	keys := make([]K, 0, len(t.marks))
	for k := range t.marks {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// Hidden counts marked rows that the filter hides.
func (t *Table[K, R]) Hidden() int {
	if len(t.marks) == 0 {
		return 0
	}
	n := len(t.marks)
	for _, i := range t.view {
		if _, marked := t.marks[t.spec.Key(&t.rows[i])]; marked {
			n--
		}
	}
	return n
}
