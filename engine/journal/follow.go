package journal

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// Follower reads a journal that another process is writing. It is for one
// goroutine.
type Follower struct {
	store   *Store
	file    *os.File
	segment int    // number of the file
	rest    []byte // bytes of a line that is not whole yet
	p       parser
}

// Follow opens a run for reading only, from its beginning.
func (s *Store) Follow(runID string) (*Follower, error) {
	if err := checkRunID(runID); err != nil {
		return nil, err
	}
	f, err := os.Open(s.journalPath(runID))
	if err != nil {
		return nil, fmt.Errorf("follow run %s: %w", runID, err)
	}
	return &Follower{store: s, file: f, segment: 1, p: s.parser(runID)}, nil
}

// Next returns the records that were added since the last call, possibly none;
// it does not wait. A line that is not whole yet comes with a later call.
func (f *Follower) Next() (recs Records, err error) {
	for {
		// Looked for first: what its file begins with is all that was lost of this one.
		next := f.store.segment(f.p.runID, f.segment+1)
		if recs, err = f.take(recs); err != nil || next == "" {
			return recs, err
		}
		if err := f.turnTo(next); err != nil {
			return recs, err
		}
	}
}

// take returns what the file has more, after recs.
func (f *Follower) take(recs Records) (Records, error) {
	b, err := io.ReadAll(f.file)
	if err != nil {
		return recs, fmt.Errorf("follow %s: %w", f.file.Name(), err)
	}
	f.rest = append(f.rest, b...)
	for {
		line, rest, whole := bytes.Cut(f.rest, []byte("\n"))
		if !whole {
			return recs, nil
		}
		f.rest = rest
		if r, err := decode(line); err == nil && f.segment > 1 && r.Seq <= uint64(f.p.line) {
			continue // the last segment had it too
		}
		r, err := f.p.next(line)
		if err != nil {
			return recs, f.p.corrupt(err)
		}
		recs = append(recs, r)
	}
}

func (f *Follower) turnTo(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("follow run %s: %w", f.p.runID, err)
	}
	_ = f.file.Close() // it was only read
	f.file, f.segment, f.rest = file, f.segment+1, nil
	return nil
}

// Close closes the file.
func (f *Follower) Close() error { return f.file.Close() }
