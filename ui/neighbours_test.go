package ui

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/ui/view"
)

// crowded is a Runs beside another console.
type crowded struct {
	*openRuns
	elsewhere view.Elsewhere
}

func (r *crowded) Elsewhere(log bool) view.Elsewhere {
	e := r.elsewhere
	if !log {
		e.Log = nil
	}
	return e
}

// What another console drives is said on every screen, its journal goes by on the
// screen of runs, nothing can be started, and once it lets go what it left is offered.
func TestAnotherConsoleIsFollowed(t *testing.T) {
	k := newConsole(t, nil, 100, 30)
	other := &crowded{openRuns: &openRuns{runs: k.runs}, elsewhere: view.Elsewhere{
		Driver: "oncall1@jump1, pid 7, since noon", Run: "01J8ZQ4M6T8R2V0X9Y5B7C3DK2", Log: []string{"12:00:01  asked  node 1  drain?"},
	}}
	k.deps.Runs = other
	k.feed(changedMsg{})
	require.Contains(t, k.View(), "is driven by another console (L)")
	k.press("d")
	require.Contains(t, k.View(), "drain is off: driven by oncall1@jump1")
	k.press("L")
	require.Contains(t, k.View(), "Driven by another console: run 01J8ZQ4M6T8R2V0X9Y5B7C3DK2")
	require.Contains(t, k.View(), "asked  node 1  drain?")
	k.press("t")
	require.Contains(t, k.View(), "taking it up is off: driven by")

	other.id, other.elsewhere = other.elsewhere.Run, view.Elsewhere{Journal: "/state/journal.jsonl"}
	k.press("esc")
	k.clock = k.clock.Add(neighboursEvery)
	k.feed(changedMsg{})
	require.Contains(t, k.View(), "was left unfinished (L)")
	k.press("L")
	require.Contains(t, k.View(), "Journal: /state/journal.jsonl")
}
