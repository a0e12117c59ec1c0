package component

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/StorconTUI/storcon-tui/themes"
)

type item struct {
	id   int
	name string
	load int64
}

func styles(tb testing.TB) *themes.Styles {
	tb.Helper()
	s, err := themes.Load("dark", themes.Options{Profile: termenv.TrueColor})
	require.NoError(tb, err)
	return s
}

func newItems() *Table[int, item] {
	return NewTable(Spec[int, item]{
		Key:   func(r *item) int { return r.id },
		Match: func(r *item, lower string) bool { return ContainsFold(r.name, lower) },
		Columns: []Column[item]{
			{
				ID: "id", Title: "ID", Min: 4, Max: 6, Right: true,
				Compare: func(a, b *item) int { return cmp.Compare(a.id, b.id) },
				Draw: func(l *Line, s *themes.Styles, r *item, w int) {
					l.PutRight(s.Accent, strconv.Itoa(r.id), w)
				},
			},
			{
				ID: "name", Title: "NAME", Min: 8, Max: 30, Drop: 1,
				Compare: func(a, b *item) int { return cmp.Compare(a.name, b.name) },
				Draw:    func(l *Line, s *themes.Styles, r *item, w int) { l.PutMax(s.Text, r.name, w) },
			},
			{
				ID: "load", Title: "LOAD", Min: 10, Max: 40, Drop: 2,
				Compare: func(a, b *item) int { return cmp.Compare(a.load, b.load) },
				Draw: func(l *Line, s *themes.Styles, r *item, w int) {
					l.PutMax(s.Bar, Bar(r.load, 100, w), w)
				},
			},
		},
	})
}

func items(n int) []item {
	rows := make([]item, n)
	for i := range rows {
		rows[i] = item{id: i + 1, name: fmt.Sprintf("ps-%d.internal", i+1), load: int64(i * 37 % 101)}
	}
	return rows
}

// T1: whatever happens to the rows, the cursor is on the row that it was put
// on, or on none.
func TestCursorFollowsItsRow(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		table, s := newItems(), styles(t)
		rows := items(20)
		table.SetRows(slices.Clone(rows))
		h := rapid.IntRange(1, 30).Draw(rt, "h")
		table.Lines(s, 60, h)
		table.Move(rapid.IntRange(0, 19).Draw(rt, "move"))
		chosen, ok := table.Cursor()
		require.True(rt, ok)
		id := chosen.id
		for range rapid.IntRange(1, 20).Draw(rt, "steps") {
			switch rapid.IntRange(0, 3).Draw(rt, "what") {
			case 0:
				table.SetSort(rapid.SampledFrom([]string{"id", "name", "load"}).Draw(rt, "by"), rapid.Bool().Draw(rt, "desc"))
			default:
				next := rapid.Permutation(rows).Draw(rt, "order")[:rapid.IntRange(0, 20).Draw(rt, "n")]
				for i := range next {
					next[i].load = rapid.Int64Range(0, 3).Draw(rt, "load")
				}
				table.SetRows(slices.Clone(next))
			}
			table.Lines(s, 60, h)
			present := slices.ContainsFunc(table.Rows(), func(r item) bool { return r.id == id })
			r, ok := table.Cursor()
			require.Equal(rt, present, ok)
			if present {
				require.Equal(rt, id, r.id)
				if h > 1 {
					first, last := table.Window()
					require.GreaterOrEqual(rt, table.cursor+1, first)
					require.LessOrEqual(rt, table.cursor+1, last)
				}
			} else {
				lost, gone := table.Lost()
				require.True(rt, gone)
				require.Equal(rt, id, lost)
			}
		}
	})
}

func TestTiesBreakByKey(t *testing.T) {
	table := newItems()
	table.SetRows([]item{{id: 3}, {id: 1}, {id: 2}})
	for _, desc := range []bool{false, true} {
		table.SetSort("load", desc)
		table.First()
		var order []int
		for range 3 {
			r, _ := table.Cursor()
			order = append(order, r.id)
			table.Move(1)
		}
		require.Equal(t, []int{1, 2, 3}, order)
	}
}

func TestCursorKeepsItsLineOnTheScreen(t *testing.T) {
	table, s := newItems(), styles(t)
	table.SetRows(items(100))
	table.Lines(s, 60, 21)
	table.Move(50)
	table.Move(-5)
	before := table.cursor - table.top
	rows := items(100)
	table.SetRows(rows[10:]) // ten rows above the window vanish
	require.Equal(t, before, table.cursor-table.top)
}

func TestMarksSurviveAndAreCounted(t *testing.T) {
	table := newItems()
	table.SetRows(items(5))
	table.ToggleMark()
	table.Move(3)
	table.ToggleMark()
	require.Equal(t, []int{1, 4}, table.Marked())
	table.SetFilter("PS-4")
	require.Equal(t, 1, table.Shown())
	require.Equal(t, 1, table.Hidden())
	table.SetSort("load", true)
	table.SetRows(items(4))
	require.Equal(t, []int{1, 4}, table.Marked())
	table.SetRows(items(3))
	require.Equal(t, []int{1}, table.Marked(), "a row that is gone cannot stay marked")
	_, ok := table.Cursor()
	require.False(t, ok, "its row is gone: nothing is chosen")
	table.ToggleMark()
	require.Equal(t, []int{1}, table.Marked())
	table.SetFilter("")
	r, ok := table.Cursor()
	require.True(t, ok, "a filter is a person's doing: the cursor goes to the first row")
	require.Equal(t, 3, r.id, "the one with the highest load")
}

func TestTableIsExactlyItsSize(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		table, s := newItems(), styles(t)
		rows := items(rapid.IntRange(0, 50).Draw(rt, "n"))
		for i := range rows {
			rows[i].name = rapid.String().Draw(rt, "name")
		}
		table.SetRows(rows)
		if rapid.Bool().Draw(rt, "mark") {
			table.ToggleMark()
		}
		for range 3 {
			w, h := rapid.IntRange(1, 120).Draw(rt, "w"), rapid.IntRange(0, 40).Draw(rt, "h")
			table.Move(rapid.IntRange(-50, 50).Draw(rt, "move"))
			lines := table.Lines(s, w, h)
			require.Len(rt, lines, h)
			for _, line := range lines {
				require.Equal(rt, w, ansi.StringWidth(line), "%q", line)
			}
		}
	})
}

// The cache may not show an older picture than a table without one would.
func TestCachedRowsAreNeverStale(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		table, s := newItems(), styles(t)
		table.SetRows(items(12))
		for range 12 {
			switch rapid.IntRange(0, 5).Draw(rt, "what") {
			case 0:
				table.Move(rapid.IntRange(-5, 5).Draw(rt, "by"))
			case 1:
				table.ToggleMark()
			case 2:
				rows := items(12)
				rows[rapid.IntRange(0, 11).Draw(rt, "row")].load = 99
				table.SetRows(rows)
			case 3:
				table.SetFilter(rapid.SampledFrom([]string{"", "1", "ps-2"}).Draw(rt, "filter"))
			case 4:
				table.CycleSort()
			case 5:
				s = styles(t)
			}
			w := rapid.SampledFrom([]int{30, 80}).Draw(rt, "w")
			got := slices.Clone(table.Lines(s, w, 10))
			clear(table.cache)
			require.Equal(rt, table.Lines(s, w, 10), got)
		}
	})
}

func TestUnchangedRowsAllocateNothing(t *testing.T) {
	table, s := newItems(), styles(t)
	table.SetRows(items(500))
	table.Lines(s, 200, 50)
	require.Zero(t, testing.AllocsPerRun(100, func() { table.Lines(s, 200, 50) }))
}

func TestColumnsGoInTheirOrder(t *testing.T) {
	table, s := newItems(), styles(t)
	table.SetRows(items(1))
	for w, want := range map[int]string{80: "ID NAME LOAD", 25: "ID NAME", 12: "ID"} {
		require.Equal(t, want, strings.Join(strings.Fields(ansi.Strip(table.Lines(s, w, 2)[0])), " "))
	}
}

func TestSelectionShowsWithoutColour(t *testing.T) {
	s, err := themes.Load("dark", themes.Options{NoColor: true})
	require.NoError(t, err)
	table := newItems()
	table.SetRows(items(2))
	lines := table.Lines(s, 40, 3)
	require.True(t, strings.HasPrefix(lines[1], "\x1b[7m>"), "%q", lines[1])
	require.NotContains(t, lines[2], "\x1b[7m")
}

func BenchmarkTableMove(b *testing.B) {
	for _, n := range []int{100, 500, 10_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			table, s := newItems(), styles(b)
			table.SetRows(items(n))
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				table.Move(1 - 2*(i/40%2))
				table.Lines(s, 200, 50)
				i++
			}
			b.ReportMetric(float64(n), "rows")
		})
	}
}

func BenchmarkTableUnchanged(b *testing.B) {
	table, s := newItems(), styles(b)
	table.SetRows(items(500))
	b.ReportAllocs()
	for b.Loop() {
		table.Lines(s, 200, 50)
	}
}
