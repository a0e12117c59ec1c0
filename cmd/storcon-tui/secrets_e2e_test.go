package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The token, taken from the environment, reaches nothing but the controller:
// not the restart command's environment, not its log, not the journal, not the
// program's own log, not what is printed; and all files are their owner's alone
// (T28).
func TestTokenStaysSecret(t *testing.T) {
	t.Parallel()
	served := serve(t, "--nodes", "4", "--tenants", "40", "--seed", "7", "--speed", "20", "--auth")
	raw, err := os.ReadFile(served.config + ".admin.jwt")
	require.NoError(t, err)
	token := strings.TrimSpace(string(raw))

	dir := t.TempDir()
	path := filepath.Join(dir, "secret.toml")
	require.NoError(t, os.WriteFile(path, []byte(`
[clusters.lab]
url = "`+controllerOf(t, served.config)+`"
token_env = "LAB_TOKEN"
[clusters.lab.restart]
shell = "env > `+dir+`/hook.env; echo I know `+token+`; storcon-tui demo restart {{.ID}} --admin `+served.admin+`"
`), 0o600))
	state := filepath.Join(dir, "state")
	env := []string{"LAB_TOKEN=" + token, "ALSO=" + token}
	got := executeWith(t, env, &yes{}, "--config", path, "--state-dir", state, "rollout", "1", "--plain")
	require.Contains(t, []int{0, 10}, got.code, "%s\n%s", got.out, got.errors)
	require.Len(t, served.changes(t), 2)

	hookEnv, err := os.ReadFile(filepath.Join(dir, "hook.env"))
	require.NoError(t, err)
	require.Contains(t, string(hookEnv), "STORCON_NODE_ID=1\n")
	require.NotContains(t, string(hookEnv), "LAB_TOKEN")
	require.NotContains(t, string(hookEnv), token)

	checked := 0
	require.NoError(t, filepath.WalkDir(state, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Type()&fs.ModeSymlink != 0 {
			return err
		}
		checked++
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		// The restart command is the operator's own text; where it holds the
		// token, the token is taken out of it too.
		require.NotContains(t, string(text), token, path)
		info, err := entry.Info()
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o600), info.Mode().Perm(), path)
		return nil
	}))
	require.Greater(t, checked, 4, "plan, journal, log, hook output, report")
}

func controllerOf(t *testing.T, configuration string) string {
	t.Helper()
	text, err := os.ReadFile(configuration)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if address, ok := strings.CutPrefix(strings.TrimSpace(line), "url = "); ok {
			return strings.Trim(address, `"`)
		}
	}
	t.Fatalf("%s has no url", configuration)
	return ""
}
