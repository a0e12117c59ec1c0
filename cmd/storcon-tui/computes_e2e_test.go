package main

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The demo's computes, as a script reads them: each has a name and a status; one has
// failed and says why, one has no spec yet.
func TestComputes(t *testing.T) {
	t.Parallel()
	served := serve(t, "--nodes", "4", "--tenants", "40", "--seed", "7")
	got := execute(t, "--config", served.config, "computes", "-o", "json")
	require.Equal(t, 0, got.code, got.errors)
	var states []computeState
	require.NoError(t, json.Unmarshal([]byte(got.out), &states))
	require.NotEmpty(t, states)
	words := map[string]int{}
	for _, s := range states {
		require.NotEmpty(t, s.Name)
		require.NotNil(t, s.Status, s.Name)
		words[*s.Status]++
		switch *s.Status {
		case "running":
			require.NotNil(t, s.Tenant)
			require.Positive(t, *s.Startup)
		case "failed":
			require.NotEmpty(t, *s.Error)
			require.Nil(t, s.Startup)
		case "empty":
			require.Nil(t, s.Tenant)
		}
	}
	require.Equal(t, 1, words["failed"])
	require.Equal(t, 1, words["empty"])
	require.Positive(t, words["running"])

	text := execute(t, "--config", served.config, "computes")
	require.Equal(t, 0, text.code, text.errors)
	require.Regexp(t, `(?m)^ep-\S+ +running +[0-9a-f]{4}…`, text.out)
	require.Regexp(t, `(?m)^! ep-\S+: could not get basebackup`, text.out)
}

// A compute that does not answer is unknown, with the reason; when none answers the
// exit code says so. The controller is not needed.
func TestComputesThatDoNotAnswer(t *testing.T) {
	t.Parallel()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := free.Addr().String()
	require.NoError(t, free.Close())
	path := filepath.Join(t.TempDir(), "c.toml")
	require.NoError(t, os.WriteFile(path, []byte(`
[clusters.lab]
url = "http://`+address+`"
[[clusters.lab.computes]]
name = "ep-gone"
url = "http://`+address+`"
`), 0o600))
	got := execute(t, "--config", path, "computes", "-o", "json")
	require.Equal(t, 9, got.code)
	require.Contains(t, got.errors, "none of the configured computes answered")
	var states []computeState
	require.NoError(t, json.Unmarshal([]byte(got.out), &states))
	require.Nil(t, states[0].Status)
	require.Contains(t, *states[0].Problem, "connection refused")
	require.Contains(t, execute(t, "--config", path, "computes").out, "ep-gone does not answer")
}
