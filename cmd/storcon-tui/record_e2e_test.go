package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/engine/history"
)

// recordings are the directories of the recordings below a state directory.
func recordings(t *testing.T, state string) []string {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(state, "storcon-tui", "*", "history"))
	require.NoError(t, err)
	return dirs
}

// A console records what it sees, for its owner only; one that is told not to does not.
func TestTheConsoleRecords(t *testing.T) {
	t.Parallel()
	served := serve(t, "--nodes", "4", "--tenants", "40", "--seed", "7")
	state := t.TempDir()
	console := open(t, "storcon-tui", "--config", served.config, "--state-dir", state)
	console.see(firstRow)
	console.press("q")
	require.Equal(t, 0, console.leaves())
	dirs := recordings(t, state)
	require.Len(t, dirs, 1)
	recording, err := history.Open(dirs[0])
	require.NoError(t, err)
	seen := slices.Collect(recording.Observations())
	require.NotEmpty(t, seen)
	require.Len(t, seen[len(seen)-1].Nodes, 4)
	require.False(t, recording.Damage().Any())
	entries, err := os.ReadDir(dirs[0])
	require.NoError(t, err)
	for _, e := range entries {
		info, err := e.Info()
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), e.Name())
	}

	off := filepath.Join(t.TempDir(), "off.toml")
	text, err := os.ReadFile(served.config)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(off, append(text, "\n[history]\noff = true\n"...), 0o600))
	state = t.TempDir()
	console = open(t, "storcon-tui", "--config", off, "--state-dir", state)
	console.see(firstRow)
	console.press("q")
	require.Equal(t, 0, console.leaves())
	require.Empty(t, recordings(t, state))
}

// A history that cannot be written is said, on the screen and after it, and disturbs
// nothing.
func TestAHistoryThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	served := serve(t, "--nodes", "4", "--tenants", "40", "--seed", "7")
	state := t.TempDir()
	first := open(t, "storcon-tui", "--config", served.config, "--state-dir", state)
	first.see(firstRow)
	first.press("q")
	require.Equal(t, 0, first.leaves())
	dir := recordings(t, state)[0]
	require.NoError(t, os.RemoveAll(dir))
	require.NoError(t, os.WriteFile(dir, nil, 0o600))

	console := open(t, "storcon-tui", "--config", served.config, "--state-dir", state)
	console.see("is not recorded any more")
	console.press("\x0c") // all is drawn anew
	console.see(firstRow)
	console.press("q")
	require.Equal(t, 0, console.leaves())
	console.see("storcon-tui: cluster demo is not recorded any more")
}
