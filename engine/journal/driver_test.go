package journal

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDriver: whoever holds the lock drives, another process or this one; a name
// that a killed process left in the file is nobody.
func TestDriver(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir, "prod-eu-1", Options{})
	require.NoError(t, err)
	_, ok := s.Driver()
	require.False(t, ok, "there is no lock yet")

	cmd, first, _ := holder(t, dir)
	require.Equal(t, "held", first)
	owner, ok := s.Driver()
	require.True(t, ok)
	require.Equal(t, cmd.Process.Pid, owner.PID)
	require.Equal(t, "01J", owner.Run)
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
	_, named := s.Owner()
	require.True(t, named, "its name is still there")
	_, ok = s.Driver()
	require.False(t, ok)

	lock, err := s.Lock(Info{User: "me", Run: "02K"})
	require.NoError(t, err, "asking keeps nobody out")
	owner, ok = s.Driver()
	require.True(t, ok)
	require.Equal(t, "02K", owner.Run)
	require.NoError(t, lock.Release())
}
