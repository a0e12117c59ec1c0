package main

import (
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/engine/notify"
)

// A run tells a webhook and a command of its start, of each node and of its end, and
// the webhook's address, which is a secret, is written nowhere.
func TestARunIsTold(t *testing.T) {
	t.Parallel()
	posts := make(chan notify.Event, 100)
	chat := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // a body cut short is no JSON
		var e notify.Event
		if json.Unmarshal(body, &e) == nil && r.URL.Path == "/T0/SECRET-HOOK" {
			posts <- e
		}
	}))
	defer chat.Close()
	s := serve(t, "--nodes", "4", "--tenants", "40", "--seed", "7", "--speed", "20")
	dir := t.TempDir()
	path, state, told := filepath.Join(dir, "c.toml"), filepath.Join(dir, "state"), filepath.Join(dir, "told")
	served, err := os.ReadFile(s.config)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, append(served, []byte(`
[notify]
command = ["sh", "-c", "echo \"$STORCON_TEXT\" >> `+told+`"]
events = ["started", "node_done", "finished"]
[[notify.webhooks]]
url_env = "CHAT_HOOK"
`)...), 0o600))

	env := []string{"CHAT_HOOK=" + chat.URL + "/T0/SECRET-HOOK"}
	got := executeWith(t, env, &yes{}, "--config", path, "--state-dir", state, "rollout", "1", "2", "--plain")
	require.Contains(t, []int{0, 10}, got.code, "%s\n%s", got.out, got.errors)
	close(posts)
	var kinds []notify.Kind
	for e := range posts {
		kinds = append(kinds, e.Kind)
		require.NotEmpty(t, e.Run)
		require.NotEmpty(t, e.Cluster)
	}
	require.Equal(t, []notify.Kind{notify.Started, notify.NodeDone, notify.NodeDone, notify.Finished}, kinds)
	lines, err := os.ReadFile(told)
	require.NoError(t, err)
	require.Regexp(t, `^\S+ · run \S+ · started: .+\n(\S+ · run \S+ · node [12] · node done: done.*\n){2}\S+ · run \S+ · finished: done[^\n]*\(exit \d+\)\n$`, string(lines))
	require.NotContains(t, got.out+got.errors, "SECRET-HOOK")
	require.NoError(t, filepath.WalkDir(state, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(name)
		require.NotContains(t, string(text), "SECRET-HOOK", name)
		return err
	}))

	missing := executeWith(t, nil, &yes{}, "--config", path, "--state-dir", state, "rollout", "1", "--plain")
	require.Equal(t, 2, missing.code)
	require.Contains(t, missing.errors, "notify.webhooks[0]: address from environment variable CHAT_HOOK: it is not set")
}
