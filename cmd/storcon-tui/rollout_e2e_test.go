package main

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/engine/journal"
)

// yes is an endless "yes\n", as from the command of that name.
type yes struct{ at int }

func (y *yes) Read(p []byte) (int, error) {
	const line = "yes\n"
	for i := range p {
		p[i] = line[y.at%len(line)]
		y.at++
	}
	return len(p), nil
}

// The whole path: two nodes are drained, restarted and filled; each gets two
// mutating calls and one restart command, and the journal says so.
func TestRolloutPlain(t *testing.T) {
	t.Parallel()
	s := serve(t, "--nodes", "4", "--seed", "7", "--speed", "20")
	state := t.TempDir()
	got := executeWith(t, nil, &yes{}, "--config", s.config, "--state-dir", state, "rollout", "1", "2", "--plain")
	require.Contains(t, []int{0, 10}, got.code, "%s\n%s", got.out, got.errors)

	require.Equal(t, []call{
		{"PUT", "/control/v1/node/1/drain", 202},
		{"PUT", "/control/v1/node/1/fill", 202},
		{"PUT", "/control/v1/node/2/drain", 202},
		{"PUT", "/control/v1/node/2/fill", 202},
	}, s.changes(t))

	path := journalPath(t, got.out)
	require.True(t, strings.HasPrefix(path, state), path)
	hooks := map[string]int{}
	for _, r := range readJournal(t, path) {
		if r.Kind == journal.KindHookStart {
			hooks[r.Node.String()]++
		}
	}
	require.Equal(t, map[string]int{"1": 1, "2": 1}, hooks)

	runs := execute(t, "--config", s.config, "--state-dir", state, "runs")
	require.Equal(t, 0, runs.code, runs.errors)
	require.Contains(t, runs.out, "done")
	require.NotContains(t, runs.out, "unfinished")
}

var journalName = regexp.MustCompile(`\S+/journal\.jsonl`)

// journalPath is the one that the first line of a plain run names.
func journalPath(t *testing.T, out string) string {
	t.Helper()
	first, _, _ := strings.Cut(out, "\n")
	path := journalName.FindString(first)
	require.NotEmpty(t, path, "the first line names the run and its journal: %q", first)
	require.Contains(t, first, filepath.Base(filepath.Dir(path)))
	return path
}

// readJournal checks that every line is JSON and returns the records.
func readJournal(t *testing.T, path string) []journal.Record {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	var records []journal.Record
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var r journal.Record
		require.NoError(t, json.Unmarshal(lines.Bytes(), &r), lines.Text())
		records = append(records, r)
	}
	require.NoError(t, lines.Err())
	require.NotEmpty(t, records)
	return records
}
