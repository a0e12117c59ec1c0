package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/demo/server"
)

// retold are the lines of a watch -o jsonl.
func retold(t *testing.T, text string) []watchLine {
	t.Helper()
	var lines []watchLine
	for text := range strings.Lines(text) {
		var l watchLine
		require.NoError(t, json.Unmarshal([]byte(text), &l), text)
		lines = append(lines, l)
	}
	return lines
}

// requireSameStory wants the same events, at about the same times: two who look at one
// cluster do not do so in the same millisecond.
func requireSameStory(t *testing.T, want, got []watchLine) {
	t.Helper()
	words := func(lines []watchLine) []string {
		var words []string
		for _, l := range lines {
			words = append(words, strings.Join([]string{l.Event, l.Node.String(), l.From, l.To}, " "))
		}
		return words
	}
	require.Equal(t, words(want), words(got))
	for i := range want {
		require.WithinDuration(t, want[i].At, got[i].At, 1500*time.Millisecond, words(got)[i])
	}
}

// What a watch saw is played again as it was: from the host's own recording and from a
// file somewhere else, with the same exit code, and nothing is asked of a cluster.
func TestWatchReplay(t *testing.T) {
	t.Parallel()
	demo, flags := watchable(t, server.Options{Nodes: 2, Tenants: 60, Seed: 7, Speed: 10}, `settled = "2s"`, `quiet = "3s"`)
	execute(t, with(flags, "watch", "--replay", "own")...).refusesWith(t, 3, "nothing is recorded there")
	watch := watching(t, flags, "--until-done", "--timeout", "1m")
	drives(t, flags, "1", "--period", "1s", "--build", "")
	require.Equal(t, 0, watch.ends(), watch.errs.String())
	live := linesOf(t, watch)

	reads := len(demo.Calls())
	own := execute(t, with(flags, "watch", "--replay", "own", "--until-done", "-o", "jsonl")...)
	require.Equal(t, 0, own.code, own.errors)
	requireSameStory(t, live, retold(t, own.out))

	files, err := filepath.Glob(filepath.Join(flags[3], "storcon-tui", "demo", "history", "*.jsonl"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	elsewhere := filepath.Join(t.TempDir(), "of-last-night")
	require.NoError(t, os.Rename(files[0], elsewhere))
	begun := time.Now()
	text := execute(t, "watch", "--replay", elsewhere, "--until-done", "--speed", "20")
	require.Equal(t, 0, text.code, text.errors)
	require.Contains(t, text.out, "watching demo, 2 nodes: no release goes on")
	require.Contains(t, text.out, "node 1  done")
	require.Greater(t, time.Since(begun), 100*time.Millisecond, "with --speed it takes its time")
	late := execute(t, "watch", "--replay", elsewhere, "-o", "jsonl", "--from", live[len(live)-1].At.Format(time.RFC3339))
	require.Equal(t, 0, late.code, late.errors)
	require.NotContains(t, late.out, `"to":"draining"`)
	require.Len(t, demo.Calls(), reads, "a replay asks nothing of the cluster")

	console := open(t, "storcon-tui", "watch", "--replay", elsewhere)
	console.see("no release goes on")
	console.see("space pause")
	for range live {
		console.press("n")
	}
	console.see("node 1  done")
	console.press("q")
	require.Equal(t, 0, console.leaves())

	execute(t, "watch", "--replay", elsewhere, "--to", "2020-01-01").refusesWith(t, 3, "nothing is recorded")
	execute(t, "watch", "--replay", elsewhere, "--timeout", "1m").refusesWith(t, 2, "--timeout is for")
	execute(t, with(flags, "watch", "--speed", "2")...).refusesWith(t, 2, "--speed is for --replay")
}

// Who begins to watch in the middle of a release that was recorded knows it from its
// start, and tells no more of it than what comes.
func TestWatchRemembers(t *testing.T) {
	t.Parallel()
	_, flags := watchable(t, server.Options{Nodes: 2, Tenants: 60, Seed: 7, Speed: 10}, `settled = "2s"`)
	first := watching(t, flags)
	script := converse(t, with(flags, "demo", "drive", "1", "2", "--period", "1s", "--build", "")...)
	script.hears("node 2  drained")
	first.hears(`"to":"draining"`)
	require.NoError(t, first.cmd.Process.Kill())
	first.ends()
	second := watching(t, flags, "--until-done", "--timeout", "1m")
	require.Equal(t, 0, script.ends())
	require.Equal(t, 0, second.ends(), second.errs.String())

	before, after := linesOf(t, first), linesOf(t, second)
	i := slices.IndexFunc(before, func(l watchLine) bool { return l.Event == "release_started" })
	require.GreaterOrEqual(t, i, 0)
	require.NotNil(t, after[0].Release)
	require.False(t, after[0].Release.Joined, "it was seen from its start")
	require.WithinDuration(t, before[i].At, after[0].Release.Started, 1500*time.Millisecond)
	require.Equal(t, 1, after[0].Release.Done)
	require.False(t, slices.ContainsFunc(after, func(l watchLine) bool { return l.Event == "release_started" }))
	require.Equal(t, "release_ended", after[len(after)-1].Event)
}
