package journal

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// absorbed is how many records must still be taken once the disk is full.
const absorbed = 200

// smallDisk is a file system of its own of 4 MiB where the process may mount
// one; fill then uses up all of it. Elsewhere the file layer plays the disk: it
// takes what the reserve holds and then says that it is full.
func smallDisk(t *testing.T) (dir string, o Options, fill func()) {
	t.Helper()
	dir = t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=4m,mode=0700"); err == nil {
		t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
		return dir, o, func() { fillUp(t, dir) }
	}
	var file *fullFile
	o.OpenFile = func(path string) (File, error) {
		inner, err := openOS(path)
		file = &fullFile{File: inner, room: -1}
		return file, err
	}
	return dir, o, func() { file.room = reserveStep / 2 }
}

// fillUp writes until nothing more fits.
func fillUp(t *testing.T, dir string) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if cerr := f.Close(); cerr != nil || !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v, %v", err, cerr)
	}
}

// fullFile has room for so many bytes more; less than 0 is no limit.
type fullFile struct {
	File
	room int
}

func (f *fullFile) Write(b []byte) (int, error) {
	if f.room < 0 {
		return f.File.Write(b)
	}
	n, err := f.File.Write(b[:min(len(b), f.room)])
	f.room -= n
	if err == nil && n < len(b) {
		err = syscall.ENOSPC
	}
	return n, err
}

func (f *fullFile) Reserve(size int64) error {
	if f.room < 0 {
		return f.File.Reserve(size)
	}
	return syscall.ENOSPC
}

// A disk that becomes full: the reserve takes at least 200 records more, the
// first that does not fit breaks the journal for good and says why, and what was
// written before is whole (E18).
func TestDiskFull(t *testing.T) {
	dir, o, fill := smallDisk(t)
	s, err := Open(dir, "prod-eu-1", o)
	if err != nil {
		t.Fatal(err)
	}
	lock, err := s.Lock(Info{User: "oncall1"})
	if err != nil {
		t.Fatal(err)
	}
	j, err := s.Create(header())
	if err != nil {
		t.Fatal(err)
	}
	fill()
	taken := 0
	for ; err == nil && taken < 100_000; taken++ {
		err = j.Append(intent())
	}
	if !errors.Is(err, ErrBroken) || !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("after %d records: %v", taken, err)
	}
	if taken <= absorbed {
		t.Fatalf("only %d records fitted on the full disk", taken-1)
	}
	if again := j.Append(intent()); !errors.Is(again, ErrBroken) {
		t.Fatalf("a broken journal took a record: %v", again)
	}
	_ = j.Close() // it is broken
	_ = lock.Release()
	recs, _, err := s.Read(j.RunID())
	if err != nil || len(recs) != taken {
		t.Fatalf("%d records read of the header and %d: %v", len(recs), taken-1, err)
	}
}
