package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/StorconTUI/storcon-tui/engine/internal/jsonline"
)

// ErrNotLocked is returned by what only the holder of the lock may do.
var ErrNotLocked = errors.New("journal: the cluster's lock is not held by this process")

// Info says who holds a lock. It is for people: the kernel decides who holds it.
type Info struct {
	User    string    `json:"user"`
	Host    string    `json:"host"`
	PID     int       `json:"pid"`
	TTY     string    `json:"tty,omitempty"`
	Run     string    `json:"run,omitempty"`
	Since   time.Time `json:"since"`
	Version string    `json:"version,omitempty"` // of the program
}

// ErrLocked says that another process drives this cluster.
type ErrLocked struct {
	Cluster string
	Owner   Info // zero when the owner has not said yet who it is
}

func (e *ErrLocked) Error() string {
	if e.Owner.PID == 0 {
		return fmt.Sprintf("cluster %s is driven by another process of this host, which has not said yet who it is", e.Cluster)
	}
	s := fmt.Sprintf("cluster %s is driven by %s@%s, pid %d", e.Cluster, e.Owner.User, e.Owner.Host, e.Owner.PID)
	if e.Owner.TTY != "" {
		s += " on " + e.Owner.TTY
	}
	if !e.Owner.Since.IsZero() {
		s += ", since " + e.Owner.Since.Format(time.RFC3339)
	}
	if e.Owner.Run != "" {
		s += ", run " + e.Owner.Run
	}
	return s
}

// Lock is held for the life of a driver. The kernel releases it when the process
// ends, however it ends, so a stale lock cannot exist.
type Lock struct {
	store *Store
	fl    *flock.Flock
	file  os.FileInfo // of the file that is locked
	info  Info
}

// Lock takes the cluster's lock without waiting; the error is an *ErrLocked
// when another process, or another Store of this one, holds it.
func (s *Store) Lock(info Info) (*Lock, error) {
	if err := checkLockable(s.dir); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lock != nil {
		return nil, &ErrLocked{Cluster: s.cluster, Owner: s.lock.info}
	}
	// O_CLOEXEC is set by package os: a hook that outlives us does not inherit
	// the lock.
	fl := flock.New(s.lockPath(), flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	ok, err := tryLock(fl)
	if err != nil {
		return nil, fmt.Errorf("lock cluster %s: %w", s.cluster, err)
	}
	if !ok {
		owner, _ := s.Owner()
		return nil, &ErrLocked{Cluster: s.cluster, Owner: owner}
	}
	file, err := fl.Stat()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock cluster %s: %w", s.cluster, err), fl.Unlock())
	}
	l := &Lock{store: s, fl: fl, file: file}
	if err := l.setInfo(info); err != nil {
		return nil, errors.Join(err, fl.Unlock())
	}
	s.lock = l
	return l, nil
}

// A process that asks who drives holds the lock for an instant, which is no
// driver: a few tries tell them apart.
const (
	lockTries = 5
	lockPause = 10 * time.Millisecond
)

func tryLock(fl *flock.Flock) (ok bool, err error) {
	for try := range lockTries {
		if try > 0 {
			time.Sleep(lockPause)
		}
		if ok, err = fl.TryLock(); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

func (s *Store) lockPath() string { return filepath.Join(s.dir, "lock") }

func (s *Store) locked() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lock != nil
}

// Owner reads what the holder of the lock wrote about itself. It says nothing
// about whether the lock is still held.
func (s *Store) Owner() (Info, bool) {
	b, err := os.ReadFile(s.lockPath())
	if err != nil {
		return Info{}, false
	}
	var info Info
	if json.Unmarshal(b, &info) != nil || info.PID == 0 {
		return Info{}, false
	}
	return info, true
}

// SetInfo replaces what others read about the holder, for example when a run
// begins. A zero PID or Since is filled in. After Release it is ErrNotLocked:
// the file may be another holder's.
func (l *Lock) SetInfo(info Info) error {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	if l.store.lock != l {
		return ErrNotLocked
	}
	return l.setInfo(info)
}

func (l *Lock) setInfo(info Info) error {
	if info.PID == 0 {
		info.PID = os.Getpid()
	}
	if info.Since.IsZero() {
		info.Since = l.store.now()
	}
	info.Since = info.Since.UTC().Truncate(time.Second)
	b, err := jsonline.Marshal(info)
	if err != nil {
		return fmt.Errorf("describe holder of lock: %w", err)
	}
	// In place, never by rename: the lock belongs to this very file.
	if err := os.WriteFile(l.store.lockPath(), append(b, '\n'), 0o600); err != nil {
		return fmt.Errorf("describe holder of lock: %w", err)
	}
	l.info = info
	return nil
}

// Held is nil while the lock keeps others out. A lock file that somebody removed or
// replaced does not: another process would lock another file (E16).
func (l *Lock) Held() error {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	if l.store.lock != l {
		return ErrNotLocked
	}
	now, err := os.Stat(l.store.lockPath())
	switch {
	case err != nil:
		return fmt.Errorf("the lock of cluster %s is gone: %w", l.store.cluster, err)
	case !os.SameFile(l.file, now):
		return fmt.Errorf("the lock of cluster %s was replaced: %s is another file than the one that is held", l.store.cluster, l.store.lockPath())
	}
	return nil
}

// Release gives the lock up. Releasing twice is harmless.
func (l *Lock) Release() error {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	if l.store.lock != l {
		return nil
	}
	l.store.lock = nil
	// Nobody should be named as the owner of a free lock; failing to erase the
	// name harms nothing.
	_ = os.Truncate(l.store.lockPath(), 0)
	if err := l.fl.Unlock(); err != nil {
		return fmt.Errorf("release lock of cluster %s: %w", l.store.cluster, err)
	}
	return nil
}
