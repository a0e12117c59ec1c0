package component

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// hostileText is text as a server might send it (T19).
func hostileText(rt *rapid.T) string {
	switch rapid.IntRange(0, 2).Draw(rt, "kind") {
	case 0:
		return rapid.String().Draw(rt, "text")
	case 1:
		return string(rapid.SliceOf(rapid.Byte()).Draw(rt, "bytes"))
	}
	return rapid.StringOf(rapid.SampledFrom([]rune{
		'\x1b', '[', '2', 'J', '\x07', '\r', '\n', '\t', '\x00', '\u009b', '\u202e', '\u200b', 'é', '漢', '😀', '\u0301', 'x',
	})).Draw(rt, "text")
}

func TestFitIsExact(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := hostileText(rt)
		w := rapid.IntRange(0, 40).Draw(rt, "w")
		require.Equal(rt, w, ansi.StringWidth(Fit(text, w)), "%q", text)
		require.LessOrEqual(rt, ansi.StringWidth(TruncateMiddle(text, w)), w, "%q", text)
		require.Equal(rt, Width(text), ansi.StringWidth(Fit(text, Width(text))))
		for _, line := range Wrap(text, max(w, 2)) {
			require.LessOrEqual(rt, ansi.StringWidth(line), max(w, 2), "%q", text)
		}
	})
}

func TestNothingReachesTheTerminal(t *testing.T) {
	s := styles(t)
	rapid.Check(t, func(rt *rapid.T) {
		text := hostileText(rt)
		l := NewLine(30)
		l.Put(s.Text, text).Put(s.Text, text).PutRight(s.Text, text, 12)
		require.NotContains(rt, l.String(), "\x1b")
		require.Equal(rt, 30, ansi.StringWidth(l.String()))
		for _, r := range l.String() {
			require.False(rt, unprintable(r), "%q", l.String())
		}
	})
}

func TestTruncateMarksTheCut(t *testing.T) {
	require.Equal(t, "pagese…", Truncate("pageserver", 7))
	require.Equal(t, "pageserver", Truncate("pageserver", 10))
	require.Equal(t, "storc…:1234", TruncateMiddle("storcon.eu-1.internal:1234", 11))
	require.Equal(t, "漢…", Truncate("漢字漢", 4))
}

func TestBar(t *testing.T) {
	require.Equal(t, "██████████", Bar(100, 100, 10))
	require.Equal(t, "█████", Bar(50, 100, 10))
	require.Equal(t, "▏", Bar(1, 100_000, 10), "what is there shows")
	require.Empty(t, Bar(0, 100, 10))
	require.Empty(t, Bar(-1, 100, 10))
	require.Equal(t, "█▏", Bar(9, 80, 10))
}

func TestASCIIKeepsWidth(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := Printable(rapid.String().Draw(rt, "text"))
		out := ASCII(text)
		require.True(rt, plain(out), "%q", out)
	})
	line := "\x1b[1m 1 567 ██▍\x1b[0m … → ─"
	require.Equal(t, "\x1b[1m 1 567 ##=\x1b[0m ~ > -", ASCII(line))
	require.Equal(t, ansi.StringWidth("漢 x"), ansi.StringWidth(ASCII("漢 x")))
}

func TestHintsDropWhatIsOffThenFromTheEnd(t *testing.T) {
	hints := []Hint{
		{Key: "enter", Does: "details"},
		{Key: "r", Does: "restart", Off: "stale"},
		{Key: "d", Does: "drain"},
		{Key: "/", Does: "filter", Minor: true},
		{Key: "?", Does: "help", Keep: true},
		{Key: "q", Does: "quit", Keep: true},
	}
	for w, want := range map[int]string{
		80: " enter details  (r restart)  d drain  / filter  ? help  q quit",
		61: " enter details  (r restart)  d drain  ? help  q quit",
		44: " enter details  d drain  ? help  q quit", // what is off goes first
		36: " enter details  ? help  q quit",
		17: " ? help  q quit",
		8:  " ? help",
	} {
		got := ansi.Strip(HintLine(styles(t), hints, w))
		require.Equal(t, want, strings.TrimRight(got, " "), "%d cells", w)
		require.Equal(t, w, ansi.StringWidth(got))
	}
}

func TestFieldEdits(t *testing.T) {
	var f Field
	for _, k := range []string{"a", "b", "left", "X", "end", " ", "c", "d"} {
		require.True(t, f.Key(k))
	}
	require.Equal(t, "aXb cd", f.Text())
	f.Key("ctrl+w")
	require.Equal(t, "aXb ", f.Text())
	f.Key("backspace")
	f.Key("home")
	f.Key("delete")
	require.Equal(t, "Xb", f.Text())
	f.Paste("drain\ny\n")
	require.Equal(t, "drainyXb", f.Text())
	f.Key("ctrl+u")
	require.Equal(t, "Xb", f.Text())
	require.False(t, f.Key("enter"))
	require.False(t, f.Key("f5"))
	f.Set(strings.Repeat("é", 500))
	require.Equal(t, fieldMax, utf8.RuneCountInString(f.Text()))
}

func TestFieldFitsItsPlace(t *testing.T) {
	s := styles(t)
	rapid.Check(t, func(rt *rapid.T) {
		var f Field
		f.Paste(rapid.String().Draw(rt, "text"))
		for range rapid.IntRange(0, 10).Draw(rt, "back") {
			f.Key("left")
		}
		w := rapid.IntRange(1, 30).Draw(rt, "w")
		l := NewLine(w)
		f.Draw(l, s, w)
		require.Equal(rt, w, ansi.StringWidth(l.String()))
	})
}
