package history

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/StorconTUI/storcon-tui/engine/internal/jsonline"
	"github.com/StorconTUI/storcon-tui/engine/release"
)

const (
	// beat is how often a recorder writes that nothing has changed: early enough that a
	// look that comes late is no Silence.
	beat       = release.KeepEvery / 2
	wholeEvery = 1000             // lines from one whole observation to the next
	tryEvery   = 10 * time.Second // to take the place of a recorder that has gone
)

// What an Options that says nothing keeps.
const (
	DefaultMaxAge   = 14 * 24 * time.Hour
	DefaultMaxBytes = 64 << 20
	maxFileBytes    = 8 << 20
)

// Options bound what a Recorder keeps. The zero value has the defaults.
type Options struct {
	// MaxAge is how old a file may become, by the beginning of what is in it.
	MaxAge time.Duration
	// MaxBytes is how much the files of the directory may hold together.
	MaxBytes int64
	// Redact is applied to every text before it is written; nil changes nothing.
	Redact func(string) string
	// Trouble is told once why the recorder has switched itself off; nil = nobody.
	Trouble func(error)
}

// Recorder writes what is seen of one cluster. It may be used from several
// goroutines; what it does to the disk is done while Record is called, so that
// nobody should call it who must not wait for a disk.
type Recorder struct {
	dir      string
	o        Options
	fileMost int64                                     // bytes of one file
	create   func(path string) (io.WriteCloser, error) // makes one

	mu    sync.Mutex
	state state
	lock  *flock.Flock // held while recording
	tried time.Time    // when the lock was last tried in vain

	out     io.WriteCloser // nil = the next line begins a file
	day     string         // of the file
	size    int64          // of the file
	enc     encoder
	lines   int       // since the last whole observation
	last    time.Time // of the newest line
	seen    time.Time // of the newest observation, written or not
	current release.Observation
}

// state is what a Recorder is doing.
type state int

const (
	idle    state = iota // nothing was seen yet
	writing              // what is seen is written
	standby              // another process of this host records this cluster
	off                  // it is closed, or the disk took nothing more
)

// NewRecorder records to a directory, which is made when there is something to
// write.
func NewRecorder(dir string, o Options) *Recorder {
	if o.MaxAge <= 0 {
		o.MaxAge = DefaultMaxAge
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	return &Recorder{dir: dir, o: o, fileMost: min(maxFileBytes, o.MaxBytes/4), create: createFile}
}

func createFile(path string) (io.WriteCloser, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
}

// Record takes what is seen now. It is written when something is different, and now and
// then when nothing is, so that a reader can tell this from nobody having looked. An
// observation without a node list, because none was read yet, is passed over. While another
// process of the host records the cluster nothing is written. A failure switches the
// recorder off for good.
func (r *Recorder) Record(o release.Observation) {
	if err := r.take(o); err != nil && r.o.Trouble != nil {
		r.o.Trouble(fmt.Errorf("cluster %s is not recorded any more: %w", o.Cluster, err))
	}
}

// take is Record; its error says why the recorder has switched itself off.
func (r *Recorder) take(o release.Observation) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state == off || r.out == nil && len(o.Nodes) == 0 {
		return nil
	}
	if err := r.record(o); err != nil {
		return errors.Join(err, r.stop())
	}
	return nil
}

func (r *Recorder) record(o release.Observation) error {
	if r.lock == nil {
		if ok, err := r.takeLock(o.At); !ok || err != nil {
			return err
		}
	}
	before := r.seen
	r.seen = o.At
	if r.out == nil {
		return r.keep(o)
	}
	newDay := o.At.UTC().Format(time.DateOnly) != r.day
	changed := newDay || !o.Same(r.current)
	if before.After(r.last) && (changed || o.At.Sub(before) > Silence) {
		// What changed did so after that, and what nobody looked at may have.
		if err := r.stillThere(before); err != nil {
			return err
		}
	}
	if newDay {
		if err := r.endFile(); err != nil {
			return err
		}
	}
	if changed {
		return r.keep(o)
	}
	if since := o.At.Sub(r.last); since >= 0 && since < beat {
		return nil
	}
	return r.stillThere(o.At)
}

// keep writes an observation, in a new file when there is none or this one is full.
func (r *Recorder) keep(o release.Observation) error {
	body, err := r.body(o)
	if err != nil {
		return err
	}
	if r.out != nil && r.size+int64(len(body)) > r.fileMost {
		if err := r.endFile(); err != nil {
			return err
		}
		if body, err = r.body(o); err != nil {
			return err
		}
	}
	if r.out == nil {
		if err := r.beginFile(o.At); err != nil {
			return err
		}
	}
	r.current = o
	r.lines++
	return r.write(o.At, body)
}

// body encodes an observation; whole when a file begins or the last whole one is
// long ago.
func (r *Recorder) body(o release.Observation) ([]byte, error) {
	if r.out == nil || r.lines >= wholeEvery {
		r.enc, r.lines = encoder{}, 0
	}
	return r.enc.encode(o)
}

// stillThere writes that nothing has changed.
func (r *Recorder) stillThere(at time.Time) error {
	body, err := r.enc.same(at)
	if err != nil {
		return err
	}
	return r.write(at, body)
}

func (r *Recorder) write(at time.Time, body []byte) error {
	if r.o.Redact != nil {
		body = jsonline.Redact(body, r.o.Redact)
	}
	sealed := jsonline.Seal(body)
	n, err := r.out.Write(sealed)
	r.size += int64(n)
	if err != nil {
		return err
	}
	r.last = at
	return nil
}

// takeLock makes this process the one that records. While another one is, it tries
// again from time to time.
func (r *Recorder) takeLock(now time.Time) (ok bool, err error) {
	if since := now.Sub(r.tried); r.state == standby && since >= 0 && since < tryEvery {
		return false, nil
	}
	r.tried = now
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return false, err
	}
	lock := flock.New(filepath.Join(r.dir, "lock"), flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	if ok, err = lock.TryLock(); err != nil {
		return false, fmt.Errorf("lock: %w", errors.Join(err, lock.Close()))
	}
	if !ok {
		r.state = standby
		return false, lock.Close()
	}
	r.lock, r.state = lock, writing
	return true, nil
}

// beginFile makes room and a new file.
func (r *Recorder) beginFile(at time.Time) error {
	files, err := list(r.dir)
	if err != nil {
		return err
	}
	if err := r.tidy(files, at); err != nil {
		return err
	}
	number := 1
	if len(files) > 0 {
		number = files[len(files)-1].number + 1
	}
	if r.out, err = r.create(filepath.Join(r.dir, nameOf(number, at))); err != nil {
		return err
	}
	r.day, r.size = at.UTC().Format(time.DateOnly), 0
	return nil
}

// endFile finishes the file; the next line begins another one.
func (r *Recorder) endFile() error {
	out := r.out
	r.out, r.enc = nil, encoder{}
	return out.Close()
}

// Close writes until when was watched and lets another process record.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var err error
	if r.state == writing && r.out != nil && r.seen.After(r.last) {
		err = r.stillThere(r.seen)
	}
	return errors.Join(err, r.stop())
}

// stop switches the recorder off.
func (r *Recorder) stop() error {
	r.state = off
	var err error
	if r.out != nil {
		err = r.out.Close()
	}
	if r.lock != nil {
		err = errors.Join(err, r.lock.Close())
	}
	r.out, r.lock = nil, nil
	return err
}
