package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/StorconTUI/storcon-tui/client"
)

// RunInfo is what a list of runs shows of one.
type RunInfo struct {
	ID      string
	Cluster string
	Verb    string          // what was asked for
	Nodes   []client.NodeID // of the plan, in its order
	By      Actor           // who began it
	Demo    bool
	Started time.Time
	Path    string // the journal's file

	Closed   bool      // a close record exists
	ClosedAt time.Time // zero unless Closed
	Outcome  Outcome   // "" unless Closed
	Exit     int       // meaningful if Closed

	Last     time.Time // time of the last record
	LastKind Kind
	Repair   Repair
	Err      error // the journal could not be read to its end
}

// Runs lists all runs of the cluster, newest first. One that cannot be read is
// listed with its error.
func (s *Store) Runs() ([]RunInfo, error) {
	entries, err := os.ReadDir(filepath.Join(s.dir, "runs"))
	if err != nil {
		return nil, fmt.Errorf("list runs of cluster %s: %w", s.cluster, err)
	}
	var runs []RunInfo
	for i := len(entries) - 1; i >= 0; i-- {
		id, err := ulid.ParseStrict(entries[i].Name())
		if err != nil || !entries[i].IsDir() {
			continue // not ours
		}
		runs = append(runs, s.info(entries[i].Name(), id.Timestamp()))
	}
	return runs, nil
}

// info reads one run without repairing it.
func (s *Store) info(runID string, started time.Time) RunInfo {
	info := RunInfo{ID: runID, Cluster: s.cluster, Started: started, Path: s.journalPath(runID)}
	b, err := os.ReadFile(info.Path)
	if err != nil {
		info.Err = err
		return info
	}
	recs, repair, err := s.parse(runID, b)
	info.Repair, info.Err = repair, err
	info.fill(recs)
	return info
}

func (i *RunInfo) fill(recs Records) {
	if len(recs) == 0 {
		return
	}
	first, last := recs[0], recs[len(recs)-1]
	var h Header
	if err := first.Decode(&h); err != nil && i.Err == nil {
		i.Err = err
	}
	i.Started, i.Verb, i.Nodes, i.Demo = first.T, h.Verb, h.Nodes, h.Demo
	if h.Cluster != "" {
		i.Cluster = h.Cluster
	}
	if first.By != nil {
		i.By = *first.By
	}
	i.Last, i.LastKind = last.T, last.Kind
	if last.Kind != KindClose {
		return
	}
	i.Closed, i.ClosedAt = true, last.T
	var c Close
	if err := last.Decode(&c); err != nil && i.Err == nil {
		i.Err = err
	}
	i.Outcome, i.Exit = c.Outcome, c.Exit
}

// Unfinished lists the runs without a close record, newest first. While there
// is one, a new run must not begin.
func (s *Store) Unfinished() ([]RunInfo, error) {
	runs, err := s.Runs()
	var open []RunInfo
	for _, r := range runs {
		if !r.Closed {
			open = append(open, r)
		}
	}
	return open, err
}

// MarkClosed ends an unfinished run by a person's word: nobody will take it up.
// A journal that cannot be read is set aside, under its name with ".bad"
// appended, and replaced by one that says so. The store must be locked.
func (s *Store) MarkClosed(runID string, by Actor, why string) error {
	if !s.locked() {
		return ErrNotLocked
	}
	j, _, _, err := s.Reopen(runID)
	var bad *CorruptError
	switch {
	case errors.As(err, &bad):
		j, err = s.replaceBad(runID, by, err)
	case errors.Is(err, os.ErrNotExist):
		// The process died before it wrote anything, so it sent nothing either.
		j, err = s.createJournal(runID, Record{Kind: KindHeader, By: &by, Why: "the run had no journal"}.
			With(Header{Cluster: s.cluster}))
	}
	if err != nil {
		return fmt.Errorf("close run %s: %w", runID, err)
	}
	err = j.Append(Record{Kind: KindClose, By: &by, Why: why}.With(Close{Outcome: ClosedByOperator, Exit: 0}))
	return errors.Join(err, j.Close())
}

// replaceBad sets a damaged journal aside and begins a new one in its place.
func (s *Store) replaceBad(runID string, by Actor, cause error) (*Journal, error) {
	path := s.journalPath(runID)
	if _, err := os.Lstat(path + ".bad"); err == nil {
		return nil, fmt.Errorf("%s.bad is in the way: %w", path, cause)
	}
	if err := os.Rename(path, path+".bad"); err != nil {
		return nil, err
	}
	return s.createJournal(runID, Record{
		Kind: KindHeader, By: &by, Why: "replaces " + filepath.Base(path) + ".bad: " + cause.Error(),
	}.With(Header{Cluster: s.cluster}))
}
