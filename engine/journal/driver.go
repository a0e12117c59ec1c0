package journal

import (
	"os"

	"github.com/gofrs/flock"
)

// Driver says who drives the cluster just now: whoever holds the lock. ok is
// false when nobody does. Where the holder has not said yet who it is, Info is
// zero. Nothing is kept from anybody by asking, save for an instant in which Lock
// tries again.
func (s *Store) Driver() (owner Info, ok bool) {
	s.mu.Lock()
	if s.lock != nil {
		defer s.mu.Unlock()
		return s.lock.info, true
	}
	s.mu.Unlock()
	if _, err := os.Stat(s.lockPath()); err != nil {
		return Info{}, false
	}
	probe := flock.New(s.lockPath(), flock.SetFlag(os.O_RDONLY))
	free, err := probe.TryRLock()
	if err != nil {
		return Info{}, false
	}
	if free {
		_ = probe.Unlock() // closing the file gives it back too
		return Info{}, false
	}
	owner, _ = s.Owner()
	return owner, true
}
