package view

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/themes"
)

// computesSeat is the list of computes with somebody in front of it.
func computesSeat(t *testing.T) (*Computes, *Context, func() string) {
	t.Helper()
	styles, err := themes.Load("dark", themes.Options{})
	require.NoError(t, err)
	now := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	one := func(name string, state compute.State) cluster.Compute {
		tenant, started := "3aa9bd1c0a4f4c0e9b6d2f7715c08e41", now.Add(-2*time.Hour)
		return cluster.Compute{Name: name, URL: "http://" + name + ":3080", Status: cluster.Part[compute.Status]{
			At: now, Value: compute.Status{State: state, Tenant: &tenant, StartTime: &started},
		}}
	}
	failed, silent, never, odd := one("ep-failed", compute.StateFailed), one("ep-silent", compute.StateRunning), cluster.Compute{Name: "ep-never"}, one("ep-odd", "hibernating")
	failed.Status.Value.Error = new("could not get basebackup: connection refused")
	silent.Status.Err = errors.New("no answer within 2s")
	never.Status.Err = errors.New("no answer within 2s")
	c := &Context{Styles: styles, Now: now, Location: time.UTC, Snapshot: &cluster.Snapshot{
		Seq: 1, At: now, Computes: []cluster.Compute{one("ep-a", compute.StateRunning), failed, silent, never, odd},
		Events: []cluster.Change{{At: now.Add(-time.Minute), What: cluster.ComputeStatusChanged, Name: "ep-failed", From: "init", To: "failed"}},
	}}
	v := NewComputes()
	return v, c, func() string { return ansi.Strip(strings.Join(v.Lines(c, 100, 24), "\n")) }
}

// order is the names in the table, from the top.
func order(frame string) []string {
	var names []string
	for _, line := range strings.Split(frame, "\n") {
		if f := strings.Fields(strings.TrimPrefix(line, ">")); len(f) > 1 && strings.HasPrefix(f[0], "ep-") && !strings.HasPrefix(f[1], "http") {
			names = append(names, f[0])
		}
	}
	return names
}

// What needs a person comes first; an answer that is missing is unknown and never shows
// an old word as if it were current; a word that this program does not know stands as it
// is spelt (K1, N10).
func TestComputesScreen(t *testing.T) {
	v, c, frame := computesSeat(t)
	text := frame()
	require.Equal(t, []string{"ep-failed", "ep-never", "ep-silent", "ep-odd", "ep-a"}, order(text))
	require.Regexp(t, `ep-silent +was running`, text)
	require.Regexp(t, `ep-never +no answer`, text)
	require.Regexp(t, `ep-odd +hibernating`, text)
	require.Contains(t, text, "error: could not get basebackup: connection refused", "the one under the cursor, in full")
	require.Contains(t, text, "history: 11:59:00 init to failed")
	require.Contains(t, text, "tenant 3aa9bd1c0a4f4c0e9b6d2f7715c08e41")

	v.Key("down", c)
	require.Contains(t, frame(), "no answer, what it does is unknown: no answer within 2s")

	v.Key("s", c)
	require.Equal(t, "ep-failed", order(frame())[0], "by status now: failed, hibernating, no answer, ...")
	v.Key("S", c)
	require.Equal(t, "ep-silent", order(frame())[0])

	v.Key("/", c)
	require.True(t, v.Typing())
	v.Paste("hiber")
	require.Equal(t, []string{"ep-odd"}, order(frame()))
	v.Key("enter", c)
	require.IsType(t, nil, v.Key("esc", c), "the filter first")
	require.Len(t, order(frame()), 5)
	require.Equal(t, Back{}, v.Key("esc", c))
}

func TestNoComputesIsSaid(t *testing.T) {
	v, c, frame := computesSeat(t)
	c.Snapshot = &cluster.Snapshot{Seq: 2}
	require.Contains(t, frame(), "none is configured")
	for _, size := range [][2]int{{20, 3}, {40, 6}, {80, 24}} {
		require.Len(t, v.Lines(c, size[0], size[1]), size[1])
	}
}

// Whatever the size, every line has the width and there are as many as asked for.
func TestComputesFitEverySize(t *testing.T) {
	v, c, _ := computesSeat(t)
	for w := 20; w <= 200; w += 15 {
		for h := 3; h <= 50; h += 7 {
			lines := v.Lines(c, w, h)
			require.Len(t, lines, h)
			for _, l := range lines {
				require.Equal(t, w, ansi.StringWidth(l), "%dx%d: %q", w, h, l)
			}
		}
	}
}
