package journal

import (
	"bytes"
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
	ID       string
	Cluster  string
	Verb     string          // what was asked for
	Nodes    []client.NodeID // of the plan, in its order
	Computes []string        // the same of a reconfigure
	By       Actor           // who began it
	Demo     bool
	Started  time.Time
	Path     string // the journal's file

	Closed   bool      // a close record exists
	ClosedAt time.Time // zero unless Closed
	Outcome  Outcome   // "" unless Closed
	Exit     int       // meaningful if Closed

	Last     time.Time // time of the last record
	LastKind Kind
	Repair   Repair
	Err      error // the journal could not be read to its end
}

// ResumeVerb is the verb of this program that takes the run up again.
func (i RunInfo) ResumeVerb() string {
	if i.Verb == VerbReconfigure {
		return VerbReconfigure
	}
	return "rollout"
}

// Runs lists all runs of the cluster, newest first. One that cannot be read is
// listed with its error. Of a run that was closed only both ends are read, so
// that a long history costs little; Read finds damage in between.
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
	if first, last, ok := s.ends(runID); ok {
		info.fill(Records{first, last})
		return info
	}
	text, _, _, err := s.content(runID)
	if err != nil {
		info.Err = err
		return info
	}
	recs, repair, err := s.parse(runID, text)
	info.Repair, info.Err = repair, err
	info.fill(recs)
	return info
}

// ends reads the first and the last record of a closed run; ok is false for any
// other, and for one whose ends are not whole.
func (s *Store) ends(runID string) (first, last Record, ok bool) {
	if s.segment(runID, 2) != "" {
		return first, last, false // rare enough to be read whole
	}
	f, err := os.Open(s.journalPath(runID))
	if err != nil {
		return first, last, false
	}
	defer func() { _ = f.Close() }()
	st, err := f.Stat()
	if err != nil {
		return first, last, false
	}
	size := st.Size()
	head := make([]byte, min(size, MaxLine))
	tail := make([]byte, min(size, MaxLine))
	if _, err := f.ReadAt(head, 0); err != nil {
		return first, last, false
	}
	if _, err := f.ReadAt(tail, size-int64(len(tail))); err != nil {
		return first, last, false
	}
	p := s.parser(runID)
	line, _, _ := bytes.Cut(head, []byte("\n"))
	if first, err = p.next(line); err != nil {
		return first, last, false
	}
	tail, whole := bytes.CutSuffix(tail, []byte("\n"))
	tail = tail[bytes.LastIndexByte(tail, '\n')+1:]
	if last, err = decode(tail); err != nil || !whole || last.Run != runID || last.V > Version || last.Side != nil {
		return first, last, false
	}
	return first, last, last.Kind == KindClose
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
	i.Started, i.Verb, i.Nodes, i.Computes, i.Demo = first.T, h.Verb, h.Nodes, h.Computes, h.Demo
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
