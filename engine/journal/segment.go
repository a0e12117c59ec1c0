package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// A journal whose file fails is not written to again: the kernel may have
// marked lost pages as clean, so that a second sync would succeed without having
// written them. It goes on in another file, a segment, which begins with the
// records that were not yet known to be on the disk; if the run's directory takes
// none, then in the spare directory; and if that takes none either, nothing more is
// sent and the records are handed to LastResort (E18, E19).
//
// Read together the segments are one journal: the records of an earlier one end
// where the next begins.

// segmentName is that of the nth file of a run, from 1.
func segmentName(n int) string {
	if n == 1 {
		return "journal.jsonl"
	}
	return fmt.Sprintf("journal.%d.jsonl", n)
}

// segmentDirs are where a run's segments may be, in the order in which they are tried.
func (s *Store) segmentDirs(runID string) []string {
	dirs := []string{s.runDir(runID)}
	if s.spare != "" && private(s.spare) {
		dirs = append(dirs, filepath.Join(s.spare, filepath.Base(s.dir), runID))
	}
	return dirs
}

// private reports that nobody else can have put something into the directory,
// which may be where everybody can make one. One that does not exist yet is.
func private(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil {
		return errors.Is(err, os.ErrNotExist)
	}
	st, known := info.Sys().(*syscall.Stat_t)
	return info.IsDir() && info.Mode().Perm()&0o077 == 0 && known && int(st.Uid) == os.Geteuid()
}

// segments are the files of a run that exist, in their order.
func (s *Store) segments(runID string) []string {
	paths := []string{s.journalPath(runID)}
	for n := 2; ; n++ {
		path := s.segment(runID, n)
		if path == "" {
			return paths
		}
		paths = append(paths, path)
	}
}

// segment is the nth file of a run, "" when there is none.
func (s *Store) segment(runID string, n int) string {
	for _, dir := range s.segmentDirs(runID) {
		path := filepath.Join(dir, segmentName(n))
		if _, err := os.Lstat(path); err == nil {
			return path
		}
	}
	return ""
}

// content is a run's journal as one text, and where its last segment begins in that.
func (s *Store) content(runID string) (text []byte, last string, begins int, err error) {
	for i, path := range s.segments(runID) {
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, path, 0, err
		}
		if i > 0 {
			text = before(text, b)
		}
		last, begins = path, len(text)
		text = append(text, b...)
	}
	return text, last, begins, nil
}

// before is what of an earlier text stands before the first record of the next
// segment: the rest is there again, and what failed is no record.
func before(text, next []byte) []byte {
	line, _, _ := bytes.Cut(next, []byte("\n"))
	first, err := decode(line)
	if err != nil {
		return text // the parser says what is wrong
	}
	for off := 0; off < len(text); {
		end := bytes.IndexByte(text[off:], '\n')
		if end < 0 {
			return text[:off]
		}
		if r, err := decode(text[off : off+end]); err != nil || r.Seq >= first.Seq {
			return text[:off]
		}
		off += end + 1
	}
	return text
}

// goOn continues the journal in another segment after the file failed at what
// doing says. The caller holds the mutex. Its error is ErrBroken.
func (j *Journal) goOn(doing string, cause error) error {
	failed := j.file
	for _, dir := range j.store.segmentDirs(j.runID) {
		path := filepath.Join(dir, segmentName(j.segment+1))
		if err := j.begin(path); err != nil {
			cause = errors.Join(cause, fmt.Errorf("and %s: %w", path, err))
			continue
		}
		_ = failed.Close() // what it held is in the new file, or was synced
		j.moved = fmt.Sprintf("%s of the journal failed (%v); it goes on in %s", doing, cause, path)
		return nil
	}
	return j.fail(doing, cause)
}

// begin writes what is not known to be on the disk to a new file, and goes on
// there. The file gets its name when it is whole: half a segment would hide good
// records of the one before.
func (j *Journal) begin(path string) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if j.store.spare != "" && !private(j.store.spare) && strings.HasPrefix(path, j.store.spare) {
		return fmt.Errorf("%s is not ours alone", j.store.spare)
	}
	tmp := path + ".tmp"
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return err
	}
	file, err := j.store.open(tmp)
	if err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	reserved := int64(reserveStep)
	if file.Reserve(reserved) != nil {
		reserved = 0
	}
	size, err := writeAll(file, bytes.Join(j.unsynced, nil))
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err == nil {
		err = syncDir(filepath.Dir(path))
	}
	if err != nil {
		_ = os.Remove(tmp) // it may have its name by now, and then stays: it is whole
		return errors.Join(err, file.Close())
	}
	j.file, j.reserved, j.size = file, reserved, size
	j.segment++
	j.unsynced, j.dirty = nil, false
	return nil
}

// writeAll returns when b is on the disk.
func writeAll(file File, b []byte) (size int64, err error) {
	n, err := file.Write(b)
	if err == nil && n < len(b) {
		err = fmt.Errorf("only %d of %d bytes were written", n, len(b))
	}
	if err == nil {
		err = file.Datasync()
	}
	return int64(n), err
}

// tellMoved records that the journal goes on elsewhere.
func (j *Journal) tellMoved() {
	why := j.moved
	j.moved = ""
	if why == "" || j.ended {
		return
	}
	_, _ = j.append(Record{Kind: KindAnomaly, Why: why}.With(map[string]string{"row": "E19"})) // kept in j.broken
}

// handOver gives what could not be written to whoever is left to keep it.
func (j *Journal) handOver() {
	if j.store.lastResort == nil || len(j.unsynced) == 0 {
		return
	}
	fmt.Fprintf(j.store.lastResort, "these records of run %s could not be written to any file:\n%s", j.runID, bytes.Join(j.unsynced, nil))
	j.unsynced = nil
}

// Room is nil while there is room for what a run still has to say. Otherwise it
// says that the disk is full; what was reserved takes some hundred records more,
// enough to put a node back, and nothing new should be begun (E18).
func (j *Journal) Room() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.full == nil {
		return nil
	}
	return fmt.Errorf("no more room for %s: %w; %d KiB are left of what was reserved", j.Path(), j.full, (j.reserved-j.size)>>10)
}

func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }
