package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/StorconTUI/storcon-tui/engine/internal/jsonline"
)

// Repair tells what was wrong with the end of a journal. The zero value means
// that it was whole.
type Repair struct {
	Line   int    // number of the torn line, from 1; 0 when there was none
	Offset int64  // where it begins in its file
	Bytes  int    // how many bytes are not a record
	Copy   string // where they were kept; "" when the file was not changed
}

// Torn says whether the last write did not reach the disk as a whole.
func (r Repair) Torn() bool { return r.Line > 0 }

func (r Repair) String() string {
	switch {
	case !r.Torn():
		return "journal is whole"
	case r.Copy == "":
		return fmt.Sprintf("line %d is torn (%d bytes); it was left as it is", r.Line, r.Bytes)
	default:
		return fmt.Sprintf("line %d was torn (%d bytes) and removed; it is kept in %s", r.Line, r.Bytes, r.Copy)
	}
}

// CorruptError says that a journal is damaged before its end, which no crash
// does. Such a run is not taken up automatically.
type CorruptError struct {
	Path string
	Line int // from 1
	Err  error
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("journal %s is damaged at line %d: %v", e.Path, e.Line, e.Err)
}

func (e *CorruptError) Unwrap() error { return e.Err }

// ErrNewer says that a journal was written by a newer version of the program:
// it can be shown and not be continued.
var ErrNewer = errors.New("written by a newer version of this program: use that one")

var errNoHeader = errors.New("it does not begin with a header")

// Read reads a run. A torn last line is left out and reported; when the store is
// locked by us the file is repaired as well (whoever does not hold the lock may
// be looking at a write in progress). Damage elsewhere is a *CorruptError, with
// the records before it.
func (s *Store) Read(runID string) (Records, Repair, error) {
	if err := checkRunID(runID); err != nil {
		return nil, Repair{}, err
	}
	text, last, begins, err := s.content(runID)
	if err != nil {
		return nil, Repair{}, fmt.Errorf("read run %s: %w", runID, err)
	}
	recs, torn, err := s.parse(runID, text)
	if err != nil || !torn.Torn() {
		return recs, torn, err
	}
	torn.Offset -= int64(begins)
	if s.locked() {
		torn.Copy, err = repairTail(last, text[begins:], torn)
	}
	return recs, torn, err
}

// parse reads a whole file.
func (s *Store) parse(runID string, b []byte) (recs Records, torn Repair, err error) {
	p := s.parser(runID)
	for off := 0; off < len(b); {
		end := bytes.IndexByte(b[off:], '\n')
		last := end < 0 || off+end+1 == len(b)
		if end < 0 && hidesRecord(b[off:]) {
			p.line++
			return recs, Repair{}, p.corrupt(errMerged)
		}
		if end < 0 {
			torn = Repair{Line: p.line + 1, Offset: int64(off), Bytes: len(b) - off}
			break
		}
		r, err := p.next(b[off : off+end])
		if err != nil {
			if last && errors.Is(err, errTornLine) {
				torn = Repair{Line: p.line, Offset: int64(off), Bytes: len(b) - off}
				break
			}
			return recs, Repair{}, p.corrupt(err)
		}
		recs = append(recs, r)
		off += end + 1
	}
	if len(recs) == 0 {
		return nil, torn, p.corrupt(errNoHeader)
	}
	return recs, torn, nil
}

// errTornLine marks what an interrupted write leaves behind, which is forgiven
// in the last line.
var errTornLine = errors.New("not a whole record")

var errMerged = errors.New("a whole record is followed by something else than a newline")

// parser takes one line after the other and checks that they belong together.
type parser struct {
	path, dir, runID string

	line int // lines taken; the records number themselves the same way
}

func (s *Store) parser(runID string) parser {
	return parser{path: s.journalPath(runID), dir: s.runDir(runID), runID: runID}
}

// corrupt says where the trouble is. A journal of a newer version is not
// damaged.
func (p *parser) corrupt(err error) error {
	if errors.Is(err, ErrNewer) {
		return fmt.Errorf("journal %s, line %d: %w", p.path, p.line, err)
	}
	return &CorruptError{Path: p.path, Line: max(1, p.line), Err: err}
}

func (p *parser) next(line []byte) (Record, error) {
	p.line++
	r, err := decode(line)
	switch {
	case err != nil && hidesRecord(line):
		return Record{}, errMerged
	case err != nil:
		return Record{}, fmt.Errorf("%w: %w", errTornLine, err)
	case r.V > Version:
		return Record{}, fmt.Errorf("%w (form %d, this one knows %d)", ErrNewer, r.V, Version)
	case r.Run != p.runID:
		return Record{}, fmt.Errorf("it belongs to run %q", r.Run)
	case r.Seq != uint64(p.line):
		return Record{}, fmt.Errorf("record %d where %d is due", r.Seq, p.line)
	case p.line == 1 && r.Kind != KindHeader:
		return Record{}, errNoHeader
	}
	if r.Side != nil {
		if r, err = p.readSide(r); err != nil {
			return Record{}, err
		}
	}
	r.Line = p.line
	return r, nil
}

// hidesRecord says whether a bad line begins with a whole record. No interrupted
// write leaves that behind, except where the disk has NULs for what never came,
// and cutting it off would lose a record that somebody has acted on.
func hidesRecord(line []byte) bool {
	i := bytes.Index(line, []byte(jsonline.Field))
	if i < 0 || i+jsonline.TailLen >= len(line) {
		return false
	}
	_, err := decode(line[:i+jsonline.TailLen])
	return err == nil && len(bytes.Trim(line[i+jsonline.TailLen:], "\x00")) > 0
}

// readSide puts a long record together again.
func (p *parser) readSide(short Record) (Record, error) {
	path := filepath.Join(p.dir, "side", filepath.Base(short.Side.File))
	b, err := os.ReadFile(path)
	if err != nil {
		return Record{}, fmt.Errorf("the rest of record %d: %w", short.Seq, err)
	}
	if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != short.Side.SHA256 {
		return Record{}, fmt.Errorf("the rest of record %d, %s, is not what was written", short.Seq, path)
	}
	r, err := decodeBody(b)
	if err != nil {
		return Record{}, fmt.Errorf("the rest of record %d, %s: %w", short.Seq, path, err)
	}
	r.Side = short.Side
	return r, nil
}

// repairTail keeps the torn bytes in a file of their own and cuts them off.
func repairTail(path string, b []byte, torn Repair) (kept string, err error) {
	kept = path + ".torn"
	for n := 1; ; n++ {
		if _, err := os.Lstat(kept); errors.Is(err, os.ErrNotExist) {
			break
		}
		kept = fmt.Sprintf("%s.torn.%d", path, n)
	}
	if err := writeNew(kept, b[torn.Offset:]); err != nil {
		return "", fmt.Errorf("repair %s: %w", path, err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0o600)
	if err != nil {
		return "", fmt.Errorf("repair %s: %w", path, err)
	}
	err = f.Truncate(torn.Offset)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return "", fmt.Errorf("repair %s: %w", path, err)
	}
	return kept, nil
}
