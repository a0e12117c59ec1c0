package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/internal/jsonline"
)

const (
	// flushEvery bounds how long a record that nobody waits for may stay in
	// memory of the host.
	flushEvery = time.Second
	// reserveStep is how much room is kept ahead, so that a run can still be
	// recorded, and a node put back, on a disk that has become full.
	reserveStep = 1 << 20
)

// ErrBroken is in the error of everything that a journal is asked after a write
// or a sync failed. Nothing may be sent to the cluster then.
var ErrBroken = errors.New("the journal cannot be written any more")

// ErrClosed is returned by Append after Close or a close record.
var ErrClosed = errors.New("the journal is closed")

// Journal appends to one run.
type Journal struct {
	store *Store
	runID string
	boot  string

	mu       sync.Mutex
	file     File
	segment  int // number of the file, from 1
	seq      uint64
	size     int64 // of the file
	reserved int64 // bytes from the beginning that are sure to have room; 0 when unknown
	full     error // no more could be reserved, for want of room
	sum      hash.Hash
	ended    bool // a close record was written
	closed   bool
	broken   error

	unsynced [][]byte // lines that are not known to be on the disk
	moved    string   // why the journal goes on in another file; "" once that is recorded

	dirty   bool // something is written and not synced
	timer   *time.Timer
	flushes sync.WaitGroup // timers that may still call
}

func newJournal(s *Store, runID string, f File) *Journal {
	j := &Journal{store: s, runID: runID, boot: bootID(), file: f, segment: 1, sum: sha256.New()}
	j.reserve(reserveStep)
	return j
}

// RunID is the run's name, an ULID.
func (j *Journal) RunID() string { return j.runID }

// Path is the journal's first file, and its only one unless that failed.
func (j *Journal) Path() string { return j.store.journalPath(j.runID) }

// Dir is the run's directory.
func (j *Journal) Dir() string { return j.store.runDir(j.runID) }

// HookLog is where the output of a node's restart command belongs.
func (j *Journal) HookLog(node client.NodeID, attempt int) string {
	return filepath.Join(j.Dir(), "hooks", fmt.Sprintf("%d-%d.log", node, attempt))
}

// WriteReport writes the run's report, durable when it returns; ext is "json" or
// "md".
func (j *Journal) WriteReport(ext string, b []byte) (path string, err error) {
	path = filepath.Join(j.Dir(), "report."+ext)
	return path, writeNew(path, []byte(j.store.redact(string(b))))
}

// Append writes a record and gives it its number. For a durable kind it returns
// once the record is on the disk. After an error that is ErrBroken nothing was
// recorded for sure, and nothing will be.
func (j *Journal) Append(r Record) error {
	_, err := j.AppendSeq(r)
	return err
}

// AppendSeq is Append that also tells the record's number, for the records that
// refer to it.
func (j *Journal) AppendSeq(r Record) (uint64, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	seq, err := j.append(r)
	j.tellMoved()
	return seq, err
}

// append is AppendSeq for a caller that holds the mutex.
func (j *Journal) append(r Record) (uint64, error) {
	switch {
	case j.broken != nil:
		return 0, j.broken
	case j.closed, j.ended:
		return 0, fmt.Errorf("run %s: %w", j.runID, ErrClosed)
	}
	line, err := j.line(&r)
	if err != nil {
		return 0, err
	}
	failpoint("before", r.Seq, func() {})
	failpoint("torn", r.Seq, func() { _ = j.write(line[:len(line)/2]) })
	j.unsynced, j.dirty = append(j.unsynced, line), true
	if err := j.write(line); err != nil {
		if err := j.goOn("a write", err); err != nil {
			return 0, err
		}
	}
	j.sum.Write(line)
	j.seq = r.Seq
	j.ended = r.Kind == KindClose
	if r.Durable || r.Kind.Durable() {
		if err := j.sync(); err != nil {
			return 0, err
		}
	} else {
		j.arm()
	}
	failpoint("after", r.Seq, func() {})
	return r.Seq, nil
}

// line fills a record in and encodes it; one that is too long goes to a file of
// its own, and its line only points there.
func (j *Journal) line(r *Record) ([]byte, error) {
	if r.T.IsZero() {
		r.T = j.store.now()
	}
	r.V, r.Seq, r.Run = Version, j.seq+1, j.runID
	r.T = r.T.UTC().Truncate(time.Millisecond)
	r.Mono, r.Boot = monotonic(), j.boot
	*r = redactRecord(*r, j.store.redact)
	body, err := encode(*r)
	if err != nil {
		return nil, err
	}
	if len(body)+len(jsonline.Field)+10 <= MaxLine {
		return jsonline.Seal(body), nil
	}
	side, err := j.writeSide(r.Seq, body)
	if err != nil {
		return nil, j.fail("writing a long record", err)
	}
	short := Record{
		V: r.V, Seq: r.Seq, T: r.T, Mono: r.Mono, Boot: r.Boot, Run: r.Run,
		Node: r.Node, Kind: r.Kind, Eff: r.Eff, Att: r.Att, Cls: r.Cls, Side: side,
	}
	if body, err = encode(short); err != nil {
		return nil, err
	}
	if len(body)+len(jsonline.Field)+10 > MaxLine {
		return nil, fmt.Errorf("record %d (%s) does not fit into %d bytes", r.Seq, r.Kind, MaxLine)
	}
	return jsonline.Seal(body), nil
}

// writeSide stores the whole of a long record. It is durable before the line
// that names it is written.
func (j *Journal) writeSide(seq uint64, body []byte) (*Side, error) {
	dir := filepath.Join(j.Dir(), "side")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := syncDir(j.Dir()); err != nil {
		return nil, err
	}
	name := fmt.Sprintf("%d.json", seq)
	if err := writeNew(filepath.Join(dir, name), body); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(body)
	return &Side{File: "side/" + name, SHA256: hex.EncodeToString(sum[:]), Size: len(body)}, nil
}

func (j *Journal) write(line []byte) error {
	if j.reserved > 0 && j.size+int64(len(line)) > j.reserved-reserveStep/2 {
		j.reserve(j.reserved + reserveStep)
	}
	n, err := j.file.Write(line)
	j.size += int64(n)
	if err == nil && n < len(line) {
		err = fmt.Errorf("only %d of %d bytes were written", n, len(line))
	}
	return err
}

// reserve keeps room ahead, where the file system can. That it is full is
// remembered until it is not.
func (j *Journal) reserve(size int64) {
	err := j.file.Reserve(size)
	j.full = nil
	switch {
	case err == nil:
		j.reserved = size
	case isFull(err):
		j.full = err
	}
}

// sync makes everything written durable. The caller holds the mutex.
func (j *Journal) sync() error {
	j.disarm()
	if !j.dirty {
		return nil
	}
	if err := j.file.Datasync(); err != nil {
		return j.goOn("a sync", err)
	}
	j.unsynced, j.dirty = nil, false
	return nil
}

// fail breaks the journal for good: no file takes its records.
func (j *Journal) fail(doing string, err error) error {
	j.disarm()
	hint := ""
	if isFull(err) {
		hint = " (the disk is full: nothing more is sent until there is room and the run is taken up again)"
	}
	j.handOver()
	j.broken = fmt.Errorf("%w: %s to %s: %w%s", ErrBroken, doing, j.Path(), err, hint)
	return j.broken
}

// arm sees to it that what is written now is synced within flushEvery.
func (j *Journal) arm() {
	if j.timer != nil {
		return
	}
	j.flushes.Add(1)
	var mine *time.Timer
	mine = time.AfterFunc(flushEvery, func() {
		defer j.flushes.Done()
		j.mu.Lock()
		defer j.mu.Unlock()
		// While this waited for the mutex it may have been disarmed, and another
		// one armed.
		if j.timer != mine {
			return
		}
		j.timer = nil
		if j.dirty && !j.closed && j.broken == nil {
			_ = j.sync() // kept in j.broken, which the next Append and Err return
			j.tellMoved()
		}
	})
	j.timer = mine
}

func (j *Journal) disarm() {
	if j.timer != nil && j.timer.Stop() {
		j.flushes.Done()
	}
	j.timer = nil
}

// Err is nil while the journal can be written.
func (j *Journal) Err() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.broken
}

// Seq is the number of the last record.
func (j *Journal) Seq() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.seq
}

// Sum is the SHA-256 of all records written so far, in hexadecimal: that of the
// file, unless it failed and there are several.
func (j *Journal) Sum() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return hex.EncodeToString(j.sum.Sum(nil))
}

// Close flushes and closes the file, and waits for the journal's own timer. It
// does not end the run: a close record does. Closing twice is harmless.
func (j *Journal) Close() error {
	err := j.close()
	j.flushes.Wait()
	return err
}

func (j *Journal) close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil
	}
	j.closed = true
	var err error
	if j.dirty && j.broken == nil {
		err = j.sync()
	}
	j.disarm()
	if cerr := j.file.Close(); cerr != nil && err == nil {
		err = fmt.Errorf("close %s: %w", j.Path(), cerr)
	}
	return err
}
