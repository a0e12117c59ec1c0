package history

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/gofrs/flock"
)

const (
	plainEnd = ".jsonl"
	packed   = ".gz"
	unready  = ".tmp"
	stamp    = "20060102T150405Z"
)

// file is one file of a recording.
type file struct {
	path   string // as it was found
	number int    // in the order of writing
	begins time.Time
	size   int64
}

var fileName = regexp.MustCompile(`^(\d{6,18})-(\d{8}T\d{6}Z)\.jsonl(\.gz)?$`)

// nameOf is the name of a file that is being written.
func nameOf(number int, begins time.Time) string {
	return fmt.Sprintf("%06d-%s%s", number, begins.UTC().Format(stamp), plainEnd)
}

// fileAt reads a file's name; ok is false for one that is not ours.
func fileAt(path string) (f file, ok bool) {
	m := fileName.FindStringSubmatch(filepath.Base(path))
	if m == nil {
		return file{}, false
	}
	number, err := strconv.Atoi(m[1])
	if err != nil {
		return file{}, false
	}
	begins, err := time.Parse(stamp, m[2])
	return file{path: path, number: number, begins: begins}, err == nil
}

// twin is the same file in its other form: compressed, or not.
func (f file) twin() string {
	if plain, was := cutEnd(f.path, packed); was {
		return plain
	}
	return f.path + packed
}

func cutEnd(path, end string) (string, bool) {
	if filepath.Ext(path) != end {
		return path, false
	}
	return path[:len(path)-len(end)], true
}

// list are the files of a directory in the order of writing. One that is there in
// both forms is listed in both.
func list(dir string) ([]file, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []file
	for _, entry := range entries {
		f, ok := fileAt(filepath.Join(dir, entry.Name()))
		if !ok {
			continue
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed meanwhile
		}
		if err != nil {
			return nil, err
		}
		f.size = info.Size()
		files = append(files, f)
	}
	slices.SortStableFunc(files, func(a, b file) int { return a.number - b.number })
	return files, nil
}

// open opens a file for reading, uncompressed. While it is open nobody removes it.
// It may be compressed between listing and opening, and so is asked for by both names.
func (f file) open() (r io.ReadCloser, err error) {
	for _, path := range []string{f.path, f.twin(), f.path} {
		if r, err = openFile(path); !errors.Is(err, fs.ErrNotExist) {
			return r, err
		}
	}
	return nil, err
}

func openFile(path string) (io.ReadCloser, error) {
	guard := flock.New(path, flock.SetFlag(os.O_RDONLY))
	if err := guard.RLock(); err != nil { // it waits for one that is being compressed
		return nil, err
	}
	plain, err := os.Open(path)
	if err != nil {
		return nil, errors.Join(err, guard.Close())
	}
	r := &reading{Reader: plain, file: plain, guard: guard}
	if filepath.Ext(path) == packed {
		if r.Reader, err = gzip.NewReader(plain); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", path, err), r.Close())
		}
	}
	return r, nil
}

// reading is an open file and the lock, which many readers hold at once, that keeps
// it from being removed.
type reading struct {
	io.Reader
	file  *os.File
	guard *flock.Flock
}

func (r *reading) Close() error { return errors.Join(r.file.Close(), r.guard.Close()) }

// alone does something to a file that nobody reads; it is left alone when somebody
// does.
func alone(path string, do func() error) (done bool, err error) {
	guard := flock.New(path, flock.SetFlag(os.O_RDONLY))
	ok, err := guard.TryLock()
	if !ok || err != nil {
		return false, errors.Join(err, guard.Close())
	}
	return true, errors.Join(do(), guard.Close())
}

// pack compresses a file that is not written to any more. It is whole under one of
// its two names at every moment.
func pack(path string) (size int64, err error) {
	from, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer func() { _ = from.Close() }() // it was only read
	unfinished := path + packed + unready
	to, err := os.OpenFile(unfinished, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return 0, err
	}
	z := gzip.NewWriter(to)
	_, err = io.Copy(z, from)
	err = errors.Join(err, z.Close())
	if err == nil {
		err = to.Sync() // the plain one goes when this one has its name
	}
	info, statErr := to.Stat()
	err = errors.Join(err, statErr, to.Close())
	if err == nil {
		err = os.Rename(unfinished, path+packed)
	}
	if err != nil {
		return 0, errors.Join(err, os.Remove(unfinished))
	}
	return info.Size(), os.Remove(path)
}
