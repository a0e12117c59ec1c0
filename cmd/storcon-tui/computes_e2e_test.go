package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/demo/server"
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

// A command lists the computes: they are asked like configured ones. When it fails, what
// is known is asked all the same, and the exit code says that some may be missing.
func TestComputesOfACommand(t *testing.T) {
	t.Parallel()
	demo, err := server.Start(t.Context(), server.Options{Nodes: 2, Tenants: 4, Computes: 3})
	require.NoError(t, err)
	defer func() { require.NoError(t, demo.Close()) }()
	computes := demo.Computes()
	dir := t.TempDir()
	list, path := filepath.Join(dir, "list.json"), filepath.Join(dir, "c.toml")
	require.NoError(t, os.WriteFile(list, fmt.Appendf(nil, `[{"name": %q, "url": %q, "spec_file": "one.json"}]`, computes[1].Name, computes[1].URL), 0o600))
	require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, `
[clusters.lab]
url = %q
computes_command = ["/bin/cat", %q]
[[clusters.lab.computes]]
name = %q
url = %q
`, demo.ControllerURL(), list, computes[0].Name, computes[0].URL), 0o600))

	got := execute(t, "--config", path, "computes", "-o", "json")
	require.Equal(t, 0, got.code, got.errors)
	var states []computeState
	require.NoError(t, json.Unmarshal([]byte(got.out), &states))
	require.Len(t, states, 2)
	require.Equal(t, computes[0].Name, states[0].Name)
	require.Equal(t, computes[1].Name, states[1].Name)
	require.NotNil(t, states[1].Status)
	require.Equal(t, "file "+filepath.Join(dir, "one.json"), *states[1].Spec)

	status := execute(t, "--config", path, "status")
	require.Equal(t, 0, status.code, status.errors)
	require.Contains(t, status.out, "computes 2: ")

	require.NoError(t, os.Remove(list))
	got = execute(t, "--config", path, "computes")
	require.Equal(t, 10, got.code, got.errors)
	require.Contains(t, got.out, computes[0].Name)
	require.Contains(t, got.errors, "computes_command cat: exit status 1: /bin/cat: "+list+": No such file")
	status = execute(t, "--config", path, "status")
	require.Equal(t, 0, status.code, status.errors)
	require.Contains(t, status.out, "! list of computes: computes_command cat: exit status 1")
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
	require.Contains(t, got.errors, "none of the computes answered")
	var states []computeState
	require.NoError(t, json.Unmarshal([]byte(got.out), &states))
	require.Nil(t, states[0].Status)
	require.Contains(t, *states[0].Problem, "connection refused")
	require.Contains(t, execute(t, "--config", path, "computes").out, "ep-gone does not answer")
}
