package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/engine/journal"
)

const (
	allStands = "max_nodes = 2\nleftovers = 5\nhold = '1s'\n[answers]\ndrain = 'yes'\nrestart = 'yes'\nfill = 'yes'\n"
	quickPace = "[clusters.demo.pace]\nverify = 2\nverify_every = '100ms'\nbake = '100ms'\ncanary_bake = '200ms'\n"
)

// autoRun is `rollout --auto` on a cluster of its own.
func autoRun(t *testing.T, pace, policy string, args ...string) (*served, answer) {
	t.Helper()
	s := serve(t, "--nodes", "4", "--seed", "7", "--speed", "20")
	text, err := os.ReadFile(s.config)
	require.NoError(t, err)
	dir := t.TempDir()
	conf, file := filepath.Join(dir, "c.toml"), filepath.Join(dir, "policy.toml")
	require.NoError(t, os.WriteFile(conf, append(text, []byte("\n"+pace)...), 0o600))
	require.NoError(t, os.WriteFile(file, []byte(policy), 0o600))
	args = append([]string{"--config", conf, "--state-dir", dir, "rollout", "--auto", "--policy", file}, args...)
	return s, executeWith(t, nil, strings.NewReader(""), args...)
}

// Nobody is there: the least loaded node goes first, both are restarted, and each
// answer in the journal is by the policy's checksum.
func TestAuto(t *testing.T) {
	t.Parallel()
	s, got := autoRun(t, quickPace, allStands, "1", "2")
	require.Contains(t, []int{0, 10}, got.code, "%s\n%s", got.out, got.errors)
	require.Empty(t, got.errors, "nothing held it")
	require.Len(t, s.changes(t), 4)
	answers := 0
	for _, r := range readJournal(t, journalPath(t, got.out)) {
		if r.Kind == journal.KindAnswer {
			answers++
			require.Regexp(t, `^policy sha256:[0-9a-f]{64}$`, r.By.User)
		}
	}
	require.Equal(t, 6, answers)
	require.Contains(t, got.out, "bake")
}

// What the policy does not say is held, named on standard error, and left with
// exit code 4: the run can be taken up.
func TestAutoHoldsWhatThePolicyDoesNotSay(t *testing.T) {
	t.Parallel()
	s, got := autoRun(t, quickPace, strings.Replace(allStands, "restart = 'yes'\n", "", 1), "1")
	require.Equal(t, 4, got.code, "%s\n%s", got.out, got.errors)
	require.Contains(t, got.errors, "holds: RESTART NODE 1?")
	require.Equal(t, []call{{"PUT", "/control/v1/node/1/drain", 202}}, s.changes(t))
}

// A plan that may not begin changes nothing and says 3.
func TestAutoBeginsNoMoreNodesThanAllowed(t *testing.T) {
	t.Parallel()
	s, got := autoRun(t, quickPace, strings.Replace(allStands, "max_nodes = 2", "max_nodes = 1", 1), "1", "2")
	require.Equal(t, 3, got.code, got.errors)
	require.Contains(t, got.errors, "the policy allows 1 nodes in one run, the plan has 2")
	require.Empty(t, s.changes(t))
}

// Without a policy there is nothing that may go on without a person.
func TestAutoNeedsAPolicy(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"--auto needs --policy FILE":                          {"--auto"},
		"--policy is for --auto":                              {"--policy", "x.toml"},
		`--order: expected one of as-given, az, least-loaded`: {"--order", "random"},
		"--policy: open ":                                     {"--auto", "--policy", "no-such.toml"},
	} {
		got := execute(t, append([]string{"--url", "http://127.0.0.1:1", "rollout", "1"}, args...)...)
		require.Equal(t, 2, got.code, got.errors)
		require.Contains(t, got.errors, want)
	}
}
