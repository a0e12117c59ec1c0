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
	file *os.File
	rest []byte // bytes of a line that is not whole yet
	p    parser
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
	return &Follower{file: f, p: s.parser(runID)}, nil
}

// Next returns the records that were added since the last call, possibly none;
// it does not wait. A line that is not whole yet comes with a later call.
func (f *Follower) Next() (recs Records, err error) {
	b, err := io.ReadAll(f.file)
	if err != nil {
		return nil, fmt.Errorf("follow %s: %w", f.p.path, err)
	}
	f.rest = append(f.rest, b...)
	for {
		line, rest, whole := bytes.Cut(f.rest, []byte("\n"))
		if !whole {
			return recs, nil
		}
		r, err := f.p.next(line)
		if err != nil {
			return recs, f.p.corrupt(err)
		}
		recs = append(recs, r)
		f.rest = rest
	}
}

// Close closes the file.
func (f *Follower) Close() error { return f.file.Close() }
