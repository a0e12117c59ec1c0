package journal

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A lock whose file was removed or replaced keeps nobody out, and says so.
func TestRow_E16_LockFileReplaced(t *testing.T) {
	s, err := Open(t.TempDir(), "prod-eu-1", Options{})
	require.NoError(t, err)
	lock, err := s.Lock(Info{User: "me"})
	require.NoError(t, err)
	require.NoError(t, lock.Held())
	require.NoError(t, lock.SetInfo(Info{User: "me", Run: "01J"}), "its text may change")
	require.NoError(t, lock.Held())

	path := filepath.Join(s.Dir(), "lock")
	require.NoError(t, os.Rename(path, path+".away"))
	require.ErrorContains(t, lock.Held(), "is gone")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.ErrorContains(t, lock.Held(), "was replaced")
	require.NoError(t, os.Rename(path+".away", path))
	require.NoError(t, lock.Held())
	require.NoError(t, lock.Release())
	require.ErrorIs(t, lock.Held(), ErrNotLocked)
}
