package gate

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func windowOf(t require.TestingT, text string) Window {
	w, err := ParseWindow(text)
	require.NoError(t, err)
	return w
}

func TestWindow(t *testing.T) {
	for name, row := range map[string]struct {
		window, at string
		open       bool
		edge       string // when it closes, or next opens
	}{
		"daily":                          {"08:00-17:00 UTC", "2026-03-01T08:00:00Z", true, "2026-03-01T17:00:00Z"},
		"the end is outside":             {"08:00-17:00 UTC", "2026-03-01T17:00:00Z", false, "2026-03-02T08:00:00Z"},
		"before midnight":                {"Fri 22:00-04:00 UTC", "2026-03-06T23:59:59Z", true, "2026-03-07T04:00:00Z"},
		"after midnight, still Friday's": {"Fri 22:00-04:00 UTC", "2026-03-07T03:59:00Z", true, "2026-03-07T04:00:00Z"},
		"Friday early is Thursday's":     {"Fri 22:00-04:00 UTC", "2026-03-06T03:00:00Z", false, "2026-03-06T22:00:00Z"},
		"a whole day":                    {"sunday 22:00-22:00 UTC", "2026-03-02T21:00:00Z", true, "2026-03-02T22:00:00Z"},
		"to midnight":                    {"Sun 20:00-24:00 UTC", "2026-03-01T23:59:00Z", true, "2026-03-02T00:00:00Z"},
		"days around the week's end":     {"Sat-Mon,Wed 01:00-02:00 UTC", "2026-03-02T01:30:00Z", true, "2026-03-02T02:00:00Z"},
		"a day between":                  {"Sat-Mon,Wed 01:00-02:00 UTC", "2026-03-03T01:30:00Z", false, "2026-03-04T01:00:00Z"},
		"only a week from now":           {"Sun 01:00-02:00 UTC", "2026-03-01T03:00:00Z", false, "2026-03-08T01:00:00Z"},
		"in the zone's own time":         {"Mon 00:00-06:00 Europe/Berlin", "2026-03-01T23:30:00Z", true, "2026-03-02T05:00:00Z"},
		"a day that is 23 h long":        {"Sun 00:00-06:00 Europe/Berlin", "2026-03-28T23:30:00Z", true, "2026-03-29T04:00:00Z"},
		"a day that is 25 h long":        {"Sun 00:00-06:00 Europe/Berlin", "2026-10-25T04:30:00Z", true, "2026-10-25T05:00:00Z"},
	} {
		t.Run(name, func(t *testing.T) {
			at, err := time.Parse(time.RFC3339, row.at)
			require.NoError(t, err)
			w := windowOf(t, row.window)
			require.Equal(t, row.open, w.Contains(at))
			edge, open := w.Closes(at)
			if !open {
				edge = w.Opens(at)
			}
			require.Equal(t, row.edge, edge.UTC().Format(time.RFC3339))
		})
	}
}

func TestWindowsThatAreNone(t *testing.T) {
	for text, complaint := range map[string]string{
		"":                                "expected",
		"22:00-04:00":                     "expected",
		"Mon 22:00-04:00 UTC please":      "expected",
		"Mon 22:00 UTC":                   "expected",
		"Mo 22:00-04:00 UTC":              `"Mo" is no day`,
		"Mon- 22:00-04:00 UTC":            `"" is no day`,
		"Mon 24:00-04:00 UTC":             "begin at 24:00",
		"Mon 22:00-24:01 UTC":             `"24:01" is no time`,
		"Mon 22:60-04:00 UTC":             `"22:60" is no time`,
		"Mon 22:0-04:00 UTC":              `"22:0" is no time`,
		"Mon -1:00-04:00 UTC":             "no time",
		"Mon 22:00-04:00 Europe/Atlantis": "time zone",
	} {
		_, err := ParseWindow(text)
		require.ErrorContains(t, err, complaint, text)
	}
	require.False(t, Window{}.Contains(now), "the zero window never opens")
	require.True(t, Window{}.Opens(now).IsZero())
}

func TestWindowAsText(t *testing.T) {
	var w Window
	require.NoError(t, w.UnmarshalText([]byte("  Mon   22:00-04:00 UTC")))
	text, err := w.MarshalText()
	require.NoError(t, err)
	require.Equal(t, "Mon 22:00-04:00 UTC", string(text))
	require.Equal(t, w, windowOf(t, string(text)))
}

// A window is open up to the moment at which it closes, and from the one at
// which it opens.
func TestWindowEdges(t *testing.T) {
	texts := rapid.SampledFrom([]string{
		"22:00-04:00 UTC", "Sat,Sun 00:00-24:00 Europe/Berlin", "Mon 08:00-08:00 America/New_York",
		"Tue-Thu 23:30-00:30 Asia/Kolkata", "Fri 09:15-17:45 Australia/Lord_Howe",
	})
	rapid.Check(t, func(t *rapid.T) {
		w := windowOf(t, texts.Draw(t, "window"))
		at := now.Add(time.Duration(rapid.IntRange(0, 366*24*3600).Draw(t, "seconds")) * time.Second)
		closes, open := w.Closes(at)
		if open {
			require.True(t, closes.After(at))
			require.True(t, w.Contains(closes.Add(-time.Nanosecond)))
			return
		}
		opens := w.Opens(at)
		require.True(t, opens.After(at))
		require.True(t, w.Contains(opens))
		require.False(t, w.Contains(opens.Add(-time.Nanosecond)))
	})
}
