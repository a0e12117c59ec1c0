package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A real run is whole and keeps the rules; the same run with a record taken out,
// or with a bit turned, does not, and the line is named.
func TestRunsVerifyAndExport(t *testing.T) {
	t.Parallel()
	s := serve(t, "--nodes", "4", "--tenants", "40", "--seed", "7", "--speed", "20")
	state := t.TempDir()
	got := executeWith(t, nil, &yes{}, "--config", s.config, "--state-dir", state, "rollout", "1", "--plain")
	require.Contains(t, []int{0, 10}, got.code, "%s\n%s", got.out, got.errors)
	path := journalPath(t, got.out)
	run := filepath.Base(filepath.Dir(path))
	runs := func(args ...string) answer {
		return execute(t, append([]string{"--config", s.config, "--state-dir", state, "runs"}, args...)...)
	}

	verified := runs("verify", run)
	require.Equal(t, 0, verified.code, verified.out+verified.errors)
	require.Contains(t, verified.out, "closed, nothing is wrong")

	exported := runs("export", run, "-o", "json")
	require.Equal(t, 0, exported.code, exported.errors)
	var report exportReport
	require.NoError(t, json.Unmarshal([]byte(exported.out), &report))
	require.Equal(t, exportVersion, report.Version)
	require.Equal(t, "restart", report.Verb)
	require.NotNil(t, report.Outcome)
	require.Len(t, report.Steps, 1)
	require.NotEmpty(t, report.Steps[0].Phases)
	require.NotNil(t, report.Steps[0].Back)
	require.Len(t, report.Records, len(readJournal(t, path)))
	require.Empty(t, report.Findings)

	text := runs("export", run)
	require.Equal(t, 0, text.code, text.errors)
	require.Contains(t, text.out, "## Report: ")
	require.Contains(t, text.out, "PUT /control/v1/node/1/drain")

	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	lines := strings.SplitAfter(string(whole), "\n")
	require.NoError(t, os.WriteFile(path, []byte(lines[0]+lines[1]+strings.Join(lines[3:], "")), 0o600))
	verified = runs("verify", run)
	require.Equal(t, 11, verified.code)
	require.Contains(t, verified.out, "line 3: sequence: record 4 where 3 is due")

	require.NoError(t, os.WriteFile(path, bytes.Replace(whole, []byte("drain.1"), []byte("drain.2"), 1), 0o600))
	verified = runs("verify", run)
	require.Equal(t, 11, verified.code)
	require.Contains(t, verified.out, "checksum does not fit")

	require.NoError(t, os.WriteFile(path, whole, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(path), "plan.json"), []byte("{}"), 0o600))
	verified = runs("verify", run)
	require.Equal(t, 11, verified.code)
	require.Contains(t, verified.out, "plan.json")

	runs("verify", "01ARZ3NDEKTSV4RRFFQ69G5FAV").refusesWith(t, 2, "has no run")
	runs("export", run, "-o", "xml").refusesWith(t, 2, "json or markdown")
}
