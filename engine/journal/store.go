package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/StorconTUI/storcon-tui/engine/internal/jsonline"
)

// Options is what a Store is given besides its place. The zero value is right
// for tests; the program sets Redact.
type Options struct {
	// Redact is applied to every free text before it is written; nil changes
	// nothing.
	Redact func(string) string
	// Now is the wall clock; nil means time.Now.
	Now func() time.Time
	// Spare is a directory, best on another disk, where a journal goes on when its
	// own takes nothing more; "" is none.
	Spare string
	// LastResort gets the records that no file takes; nil drops them.
	LastResort io.Writer
	// OpenFile opens a journal for appending; nil means the operating system.
	OpenFile OpenFile
}

// Store is the place of one cluster's runs.
type Store struct {
	dir     string
	cluster string
	redact  func(string) string
	now     func() time.Time
	open    OpenFile
	spare   string

	lastResort io.Writer

	mu   sync.Mutex
	lock *Lock
}

// Open opens, and makes if need be, the place of a cluster's runs under
// stateDir, which is $XDG_STATE_HOME or what --state-dir names. cluster is the
// configured name, or the URL's host and port.
func Open(stateDir, cluster string, o Options) (*Store, error) {
	name, err := dirName(cluster)
	if err != nil {
		return nil, err
	}
	s := &Store{
		dir:     filepath.Join(stateDir, "storcon-tui", name),
		cluster: cluster,
		redact:  o.Redact,
		now:     o.Now,
		open:    o.OpenFile,
		spare:   o.Spare,

		lastResort: o.LastResort,
	}
	if s.redact == nil {
		s.redact = func(t string) string { return t }
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.open == nil {
		s.open = openOS
	}
	if err := os.MkdirAll(filepath.Join(s.dir, "runs"), 0o700); err != nil {
		return nil, fmt.Errorf("journal of cluster %s: %w", cluster, err)
	}
	return s, nil
}

// dirName makes one path element of a cluster's name, different for different
// names.
func dirName(cluster string) (string, error) {
	if cluster == "" {
		return "", errors.New("journal: the cluster has no name")
	}
	name := url.PathEscape(cluster)
	if strings.HasPrefix(name, ".") {
		name = "%2E" + name[1:]
	}
	if len(name) > 200 {
		return "", fmt.Errorf("journal: the cluster's name %.40q... is too long", cluster)
	}
	return name, nil
}

// Dir is the directory of this cluster.
func (s *Store) Dir() string { return s.dir }

// Cluster is the name that the store was opened with.
func (s *Store) Cluster() string { return s.cluster }

func (s *Store) runDir(runID string) string { return filepath.Join(s.dir, "runs", runID) }

// Path is the first file of a run's journal.
func (s *Store) Path(runID string) string { return s.journalPath(runID) }

func (s *Store) journalPath(runID string) string {
	return filepath.Join(s.runDir(runID), "journal.jsonl")
}

// checkRunID keeps a name that somebody typed from leading out of the store.
func checkRunID(runID string) error {
	if _, err := ulid.ParseStrict(runID); err != nil {
		return fmt.Errorf("%q is not the name of a run: %w", runID, err)
	}
	return nil
}

// Create begins a run: its directory, its plan and its header are on the disk
// when Create returns. The store must be locked.
func (s *Store) Create(h Header) (*Journal, error) {
	if !s.locked() {
		return nil, ErrNotLocked
	}
	runID := ulid.Make().String()
	dir := s.runDir(runID)
	if err := os.MkdirAll(filepath.Join(dir, "hooks"), 0o700); err != nil {
		return nil, fmt.Errorf("create run %s: %w", runID, err)
	}
	plan := jsonline.Redact(h.Plan, s.redact)
	if len(plan) == 0 {
		plan = json.RawMessage("{}")
	}
	sum := sha256.Sum256(plan)
	h.PlanSHA256 = hex.EncodeToString(sum[:])
	if h.Cluster == "" {
		h.Cluster = s.cluster
	}
	if err := writeNew(filepath.Join(dir, "plan.json"), plan); err != nil {
		return nil, fmt.Errorf("create run %s: %w", runID, err)
	}
	j, err := s.createJournal(runID, Record{Kind: KindHeader, By: h.By}.With(h))
	if err != nil {
		return nil, fmt.Errorf("create run %s: %w", runID, err)
	}
	if err := s.pointCurrent(runID); err != nil {
		return nil, errors.Join(fmt.Errorf("create run %s: %w", runID, err), j.Close())
	}
	return j, nil
}

// createJournal makes the file and writes its header.
func (s *Store) createJournal(runID string, header Record) (*Journal, error) {
	path := s.journalPath(runID)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	file, err := s.open(path)
	if err != nil {
		return nil, err
	}
	j := newJournal(s, runID, file)
	for _, dir := range []string{s.runDir(runID), filepath.Join(s.dir, "runs"), s.dir} {
		if err := syncDir(dir); err != nil {
			return nil, errors.Join(err, j.Close())
		}
	}
	if err := j.Append(header); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	return j, nil
}

// pointCurrent makes the symbolic link current name this run, in one step.
func (s *Store) pointCurrent(runID string) error {
	tmp := filepath.Join(s.dir, "current.tmp")
	if err := os.Remove(tmp); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.Symlink(filepath.Join("runs", runID), tmp); err != nil {
		return err
	}
	if err := os.Rename(tmp, filepath.Join(s.dir, "current")); err != nil {
		return err
	}
	return syncDir(s.dir)
}

// Reopen continues an unfinished run: it repairs a torn tail and returns the
// journal together with what it holds. The store must be locked.
func (s *Store) Reopen(runID string) (*Journal, Records, Repair, error) {
	if !s.locked() {
		return nil, nil, Repair{}, ErrNotLocked
	}
	recs, repair, err := s.Read(runID)
	if err != nil {
		return nil, recs, repair, err
	}
	if last := recs[len(recs)-1]; last.Kind == KindClose {
		return nil, recs, repair, fmt.Errorf("run %s was closed at %s", runID, last.T.Format(time.RFC3339))
	}
	text, path, begins, err := s.content(runID)
	if err != nil {
		return nil, recs, repair, err
	}
	file, err := s.open(path)
	if err != nil {
		return nil, recs, repair, fmt.Errorf("open run %s: %w", runID, err)
	}
	j := newJournal(s, runID, file)
	j.segment = len(s.segments(runID))
	j.seq = recs[len(recs)-1].Seq
	j.size = int64(len(text) - begins)
	j.sum.Write(text)
	return j, recs, repair, nil
}
