package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/demo/server"
)

// watch on a terminal is the console on the release. What a script does is on the screen, and
// the console itself sends nothing but reads.
func TestWatchOnATerminal(t *testing.T) {
	t.Parallel()
	demo, flags := watchable(t, server.Options{Nodes: 3, Tenants: 90, Seed: 7, Speed: 4}, `settled = "3s"`)
	s := open(t, "storcon-tui", with(flags, "watch")...)
	s.see(`RELEASE  none goes on`)
	script := converse(t, with(flags, "demo", "drive", "2", "--period", "1s")...)
	s.see(`0 of 3 nodes done .*driven by somebody else`)
	s.see(`2 \S+ rel-1 +draining`)
	s.see(`2 \S+ rel-2 +(back|filling)`)
	s.see(`2 \S+ rel-2 +done`)
	require.Equal(t, 0, script.ends())
	s.press("l") // pans
	s.press("q")
	require.Equal(t, 0, s.leaves())
	requireRestored(t, s)
	require.Equal(t, []string{"PUT 2/drain", "PUT 2/fill"}, changesOf(demo), "the script's own")
}
