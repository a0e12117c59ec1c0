package config

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

func policy(t *testing.T, text string) (*rollout.Policy, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "policy.toml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return LoadPolicy(path)
}

func TestLoadPolicy(t *testing.T) {
	got, err := policy(t, "max_nodes = 6\nleftovers = 3\nhold = '30m'\n[answers]\ndrain = 'yes'\nrestart = 'yes'\nfill = 'skip'\n")
	require.NoError(t, err)
	require.Len(t, got.Sum, 64)
	got.Sum = ""
	require.Equal(t, &rollout.Policy{Drain: true, Restart: true, SkipFill: true, MaxNodes: 6, Leftovers: 3, Hold: 30 * time.Minute}, got)

	got, err = policy(t, "")
	require.NoError(t, err)
	require.Equal(t, rollout.Policy{Sum: got.Sum, Hold: holdTime}, *got, "what is not said is a person's")
}

func TestPolicyProblems(t *testing.T) {
	for text, want := range map[string]string{
		"[answers]\norphan = 'reset'":      `policy.toml:2: key answers.orphan: unknown key`,
		"[answers]\nrestart = 'undrained'": `policy.toml:2: key answers.restart: expected "yes", got "undrained"; everything else is for a person to say`,
		"[answers]\nfill = 'no'":           `policy.toml:2: key answers.fill: expected "yes" or "skip", got "no"`,
		"max_node = 3":                     `did you mean "max_nodes"?`,
		"max_nodes = ":                     `not TOML`,
	} {
		_, err := policy(t, text)
		require.ErrorContains(t, err, want)
	}
}
