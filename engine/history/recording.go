package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"time"

	"github.com/StorconTUI/storcon-tui/engine/internal/jsonline"
	"github.com/StorconTUI/storcon-tui/engine/release"
)

// ErrEmpty says that nothing was recorded.
var ErrEmpty = errors.New("nothing is recorded there")

// Damage counts what of a recording could not be used. The line that a process left
// unfinished at the end of a file is no damage.
type Damage struct {
	Lines int // that are no line of ours, or not as they were written
	Lost  int // good ones that build upon those
	Files int // that could not be read to their end
}

// Any reports that something could not be used.
func (d Damage) Any() bool { return d != Damage{} }

func (d Damage) String() string {
	return fmt.Sprintf("of the recording could not be used: damaged lines %d, lines that build upon those %d, files that cannot be read to their end %d",
		d.Lines, d.Lost, d.Files)
}

// Recording is what was recorded of one cluster: a directory, or one file of it. It is
// for one goroutine.
type Recording struct {
	path     string
	single   bool
	from, to time.Time // what is wanted of it
	damage   Damage
}

// Open looks whether there is something recorded. The error is ErrEmpty when a
// directory has no file of a recorder or is not there.
func Open(path string) (*Recording, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w", path, ErrEmpty)
	case err != nil:
		return nil, err
	}
	r := &Recording{path: path, single: !info.IsDir(), to: endOfTime}
	files, err := r.files()
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: %w", path, ErrEmpty)
	}
	return r, nil
}

// files are those of the recording just now, each once.
func (r *Recording) files() ([]file, error) {
	if r.single {
		f, ok := fileAt(r.path)
		if !ok { // under another name it is read all the same
			f = file{path: r.path}
		}
		return []file{f}, nil
	}
	all, err := list(r.path)
	if err != nil {
		return nil, err
	}
	var files []file
	for _, f := range all {
		if n := len(files); n > 0 && files[n-1].number == f.number {
			continue // the same in its other form
		}
		files = append(files, f)
	}
	return files, nil
}

// Damage is what could not be used of what was read last.
func (r *Recording) Damage() Damage { return r.damage }

// Span is when the first and the last observation were made. The error is ErrEmpty
// when there is none that can be read.
func (r *Recording) Span() (from, to time.Time, err error) {
	for o := range r.Observations() {
		from = o.At
		break
	}
	if from.IsZero() {
		return from, to, fmt.Errorf("%s: %w", r.path, ErrEmpty)
	}
	files, err := r.files()
	if err != nil {
		return from, to, err
	}
	for i := len(files) - 1; i >= 0 && to.IsZero(); i-- {
		if to, err = lastIn(files[i]); err != nil && !errors.Is(err, fs.ErrNotExist) {
			to = time.Time{} // reading counts it as damage
		}
	}
	if to.After(r.to) {
		to = r.to
	}
	if to.Before(from) {
		to = from
	}
	return from, to, nil
}

// endOfTime is after everything that can be recorded.
var endOfTime = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// lastIn is the time of the last good line of a file.
func lastIn(f file) (at time.Time, err error) {
	in, err := f.open()
	if err != nil {
		return at, err
	}
	defer func() { _ = in.Close() }() // it was only read
	text, err := io.ReadAll(in)
	for len(text) > 0 {
		cut := bytes.LastIndexByte(text[:len(text)-1], '\n') + 1
		if body, bad := jsonline.Open(bytes.TrimSuffix(text[cut:], []byte("\n"))); bad == nil {
			var l line
			if json.Unmarshal(body, &l) == nil {
				return l.At, nil
			}
		}
		text = text[:cut]
	}
	return at, err
}

// Limit leaves of the recording what was seen from one moment to another, both
// included; a zero time is no limit.
func (r *Recording) Limit(from, to time.Time) {
	if to.IsZero() {
		to = endOfTime
	}
	r.from, r.to = from, to
}

// Observations are what was recorded, in the order of writing. Where nothing had
// changed the same comes again, now and then, with another time. An observation belongs
// to whoever gets it, but its slices and maps are shared with the next ones and must not
// be written to.
func (r *Recording) Observations() iter.Seq[release.Observation] {
	return func(yield func(release.Observation) bool) {
		r.damage = Damage{}
		files, err := r.files()
		if err != nil {
			r.damage.Files++
			return
		}
		for i, f := range files {
			if f.begins.After(r.to) || i+1 < len(files) && files[i+1].begins.Before(r.from) {
				continue
			}
			if !r.read(f, func(o release.Observation) bool {
				return o.At.Before(r.from) || o.At.After(r.to) || yield(o)
			}) {
				return
			}
		}
	}
}

// read gives what is in one file; false when enough was given.
func (r *Recording) read(f file, yield func(release.Observation) bool) bool {
	in, err := f.open()
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) { // removed meanwhile, being the oldest
			r.damage.Files++
		}
		return true
	}
	defer func() { _ = in.Close() }() // it was only read
	lines := bufio.NewReaderSize(in, 64<<10)
	var d decoder
	for {
		text, err := lines.ReadBytes('\n')
		if err == io.EOF { // what it has of a line is torn
			return true
		}
		if err != nil {
			r.damage.Files++
			return true
		}
		if o, ok := r.take(&d, text[:len(text)-1]); ok && !yield(o) {
			return false
		}
	}
}

// take reads one line.
func (r *Recording) take(d *decoder, text []byte) (release.Observation, bool) {
	body, err := jsonline.Open(text)
	if err != nil {
		*d = decoder{} // nothing can be built upon a line that is not known
		r.damage.Lines++
		return release.Observation{}, false
	}
	o, err := d.decode(body)
	switch {
	case errors.Is(err, errNoWhole):
		r.damage.Lost++
	case err != nil:
		r.damage.Lines++
	}
	return o, err == nil
}
