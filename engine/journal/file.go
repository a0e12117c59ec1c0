package journal

import (
	"fmt"
	"os"
	"path/filepath"
)

// File is what a journal needs of the file it writes. Tests give it one that
// fails.
type File interface {
	// Write appends b in one call of write(2).
	Write(b []byte) (int, error)
	// Datasync returns when everything written is on the disk.
	Datasync() error
	// Reserve makes room for size bytes from the file's beginning without
	// changing its length. Best effort: an error means that there is none.
	Reserve(size int64) error
	Close() error
}

// OpenFile opens an existing file for appending.
type OpenFile func(path string) (File, error)

type osFile struct{ *os.File }

func openOS(path string) (File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

func (f osFile) Datasync() error          { return datasync(f.File) }
func (f osFile) Reserve(size int64) error { return reserve(f.File, size) }

// syncDir makes the names in a directory durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if cerr := d.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("sync directory %s: %w", dir, err)
	}
	return nil
}

// writeNew creates a file with these bytes, durable once it returns, under a
// name that nobody sees before it is whole.
func writeNew(path string, b []byte) error {
	tmp := path + ".tmp"
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		_ = os.Remove(tmp)
		return fmt.Errorf("write %s: %w", path, err)
	}
	return syncDir(filepath.Dir(path))
}
