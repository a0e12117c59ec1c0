package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Told to end while a restart command runs, the program leaves it running and
// names its process and where it writes. The command outlives the program although
// it prints something afterwards, and the run that is taken up again waits for it
// and shows what it said (E6, E11, P1).
// Rows: E6, E11.
func TestRestartCommandOutlivesTheProgram(t *testing.T) {
	t.Parallel()
	served := serve(t, "--nodes", "4", "--tenants", "40", "--seed", "7", "--speed", "20")
	dir := t.TempDir()
	begun, goOn, config := filepath.Join(dir, "begun"), filepath.Join(dir, "go"), filepath.Join(dir, "c.toml")
	require.NoError(t, os.WriteFile(config, []byte(`
[clusters.lab]
url = "`+controllerOf(t, served.config)+`"
[clusters.lab.restart]
shell = "echo begun; touch `+begun+`; until [ -e `+goOn+` ]; do sleep 0.05; done; echo half-way && storcon-tui demo restart {{.ID}} --admin `+served.admin+` && echo over"
`), 0o600))
	flags := []string{"--config", config, "--state-dir", filepath.Join(dir, "state")}

	s := converse(t, append(flags, "rollout", "1", "--plain")...)
	s.hears("? DRAIN NODE 1?")
	s.says("yes")
	s.hears("? RESTART NODE 1?")
	s.says("yes")
	awaitFile(t, begun)
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
	s.hears("it is not killed, and is waited for")
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
	require.Equal(t, 5, s.ends(), s.errs.String())
	said := strings.Join(s.heard, "\n")
	require.Contains(t, said, "was left running and was not killed")
	require.Regexp(t, `restart command \(pid \d+, output in [^)]*1-1\.log\.raw\)`, strings.Join(strings.Fields(said), " "))

	again := converse(t, append(flags, "rollout", "--resume", "--plain")...)
	again.hears("? TAKE THE RUN UP AGAIN?")
	again.says("yes")
	require.NoError(t, os.WriteFile(goOn, nil, 0o600))
	again.hears("? FILL NODE 1?")
	again.says("yes")
	require.Contains(t, []int{0, 10}, again.ends(), again.errs.String())

	logs, err := filepath.Glob(filepath.Join(dir, "state", "storcon-tui", "lab", "runs", "*", "hooks", "*"))
	require.NoError(t, err)
	require.Len(t, logs, 1, "the command was begun once, and its output is in the log alone")
	log, err := os.ReadFile(logs[0])
	require.NoError(t, err)
	require.Equal(t, "begun\nhalf-way\n", strings.SplitAfter(string(log), "half-way\n")[0])
	require.Contains(t, string(log), "over\n")
}

// The terminal of the console is gone while a restart command runs: the console
// waits a little, leaves the command running, and is gone within seconds (E9, T6).
// Rows: E9.
func TestRestartCommandOutlivesTheConsole(t *testing.T) {
	t.Parallel()
	served := serve(t, "--nodes", "4", "--tenants", "40", "--seed", "7", "--speed", "20")
	dir := t.TempDir()
	begun, goOn, over, config := filepath.Join(dir, "begun"), filepath.Join(dir, "go"), filepath.Join(dir, "over"), filepath.Join(dir, "c.toml")
	require.NoError(t, os.WriteFile(config, []byte(`
[clusters.lab]
url = "`+controllerOf(t, served.config)+`"
[clusters.lab.restart]
shell = "touch `+begun+`; until [ -e `+goOn+` ]; do sleep 0.05; done; echo half-way && touch `+over+`"
`), 0o600))
	s := open(t, "storcon-tui", "--config", config, "--state-dir", filepath.Join(dir, "state"), "rollout", "1")
	s.see(`nothing has been sent`)
	s.press("s")
	s.see(`DRAIN NODE 1\?`)
	s.answer("y")
	s.see(`RESTART NODE 1\?`)
	s.answer("y")
	awaitFile(t, begun)
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGHUP))
	require.Equal(t, 5, s.leaves())
	s.see(`restart command \(pid \d+, output in `)
	require.NoError(t, os.WriteFile(goOn, nil, 0o600))
	awaitFile(t, over)
}
