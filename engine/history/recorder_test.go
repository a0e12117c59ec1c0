package history

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/release"
)

// Whatever is recorded, with whatever file sizes, is read back as it was.
func TestWhatIsWrittenIsReadBack(t *testing.T) {
	root, n := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		dir := filepath.Join(root, strconv.Itoa(n))
		seen := anyObservations().Draw(rt, "seen")
		fileBytes := rapid.Int64Range(100, 1<<20).Draw(rt, "bytes of a file")
		r := NewRecorder(dir, Options{
			MaxAge: 1000 * time.Hour, MaxBytes: 1 << 40,
			Trouble: func(err error) { rt.Errorf("trouble: %v", err) },
		})
		r.fileMost = fileBytes
		for _, o := range seen {
			r.Record(o)
		}
		if err := r.Close(); err != nil {
			rt.Fatal(err)
		}
		got, damage := played(t, dir)
		if damage.Any() {
			rt.Fatalf("damage: %v", damage)
		}
		wantSame(t, dropFirstEmpty(distinct(seen)), distinct(got))
	})
}

// dropFirstEmpty leaves out what comes before the first node list: nobody records
// that.
func dropFirstEmpty(seen []release.Observation) []release.Observation {
	for len(seen) > 0 && len(seen[0].Nodes) == 0 {
		seen = seen[1:]
	}
	return seen
}

// A process may die at any byte: what was written before is read, and nothing wrong.
func TestAFileCutAtAnyByte(t *testing.T) {
	dir := t.TempDir()
	a := quiet(t0, 2)
	b := after(a, time.Second, 1, client.PolicyDraining)
	c := after(b, time.Second, 2, client.PolicyPause)
	record(t, dir, Options{}, a, b, c)
	path := filepath.Join(dir, names(t, dir)[0])
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	torn := filepath.Join(t.TempDir(), "torn.jsonl")
	for cut := range len(whole) + 1 {
		if err := os.WriteFile(torn, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		got, damage := played(t, torn)
		if damage.Any() {
			t.Fatalf("cut at %d: a torn end counts as damage: %v", cut, damage)
		}
		wantSame(t, []release.Observation{a, b, c}[:strings.Count(string(whole[:cut]), "\n")], got)
	}
}

// One changed byte is noticed wherever it is, and nothing is built upon it.
func TestAChangedByteIsNoticed(t *testing.T) {
	dir := t.TempDir()
	a := quiet(t0, 2)
	b := after(a, time.Second, 1, client.PolicyDraining)
	c := after(b, time.Second, 2, client.PolicyPause)
	record(t, dir, Options{}, a, b, c)
	path := filepath.Join(dir, names(t, dir)[0])
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first, second, _ := strings.Cut(string(whole), "\n")
	second, _, _ = strings.Cut(second, "\n")
	odd := filepath.Join(t.TempDir(), "odd.jsonl")
	for i := len(first) + 1; i < len(first)+1+len(second); i++ {
		bad := append([]byte(nil), whole...)
		bad[i] ^= 1
		if err := os.WriteFile(odd, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		got, damage := played(t, odd)
		wantSame(t, []release.Observation{a}, got)
		if damage.Lines < 1 || damage.Lost != 1 {
			t.Fatalf("byte %d: damage = %+v; want the line, and the one after it lost", i, damage)
		}
	}
}

// Only what changed is written, and now and then that nothing did.
func TestOnlyChangesAreWritten(t *testing.T) {
	dir := t.TempDir()
	a := quiet(t0, 50)
	r := NewRecorder(dir, Options{})
	r.Record(a)
	begun := sizeOf(t, dir)
	for s := range 29 {
		same := a
		same.At = t0.Add(time.Duration(s) * time.Second)
		r.Record(same)
	}
	if size := sizeOf(t, dir); size != begun {
		t.Errorf("%d bytes were written though nothing changed", size-begun)
	}
	b := after(a, 29*time.Second, 7, client.PolicyDraining)
	r.Record(b)
	if size := sizeOf(t, dir) - begun; size > 220 {
		t.Errorf("a change of one policy takes %d bytes", size)
	}
	for s := 1; s <= 121; s++ {
		same := b
		same.At = b.At.Add(time.Duration(s) * time.Second)
		r.Record(same)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	got, _ := played(t, dir)
	var times []time.Duration
	for _, o := range got {
		times = append(times, o.At.Sub(t0))
	}
	want := []time.Duration{0, 28 * time.Second, 29 * time.Second, 59 * time.Second, 89 * time.Second, 119 * time.Second, 149 * time.Second, 150 * time.Second}
	if len(times) != len(want) {
		t.Fatalf("records at %v; want %v", times, want)
	}
	for i := range want {
		if times[i] != want[i] {
			t.Fatalf("records at %v; want %v", times, want)
		}
	}
}

// A file ends at midnight UTC; the finished one is compressed, and readable alone.
func TestAFileADay(t *testing.T) {
	dir := t.TempDir()
	a := quiet(t0, 3)
	var seen []release.Observation
	for d := range 3 {
		seen = append(seen, after(a, time.Duration(d)*24*time.Hour, 1, client.NodePolicy(strings.Repeat("x", d+1))))
	}
	record(t, dir, Options{}, seen...)
	got := names(t, dir)
	want := []string{
		"000001-20261130T221504Z.jsonl.gz", "000002-20261201T221504Z.jsonl.gz", "000003-20261202T221504Z.jsonl",
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Fatalf("files %v; want %v", got, want)
	}
	for i, name := range got {
		one, damage := played(t, filepath.Join(dir, name))
		wantSame(t, seen[i:i+1], distinct(one))
		if damage.Any() {
			t.Errorf("%s: %v", name, damage)
		}
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s is %v; want it for its owner only", name, info.Mode())
		}
	}
}

// What is too old goes, and so does what is too much; the newest stays.
func TestBounds(t *testing.T) {
	t.Run("age", func(t *testing.T) {
		dir := t.TempDir()
		a := quiet(t0, 3)
		for d := range 30 {
			record(t, dir, Options{MaxAge: 5*24*time.Hour + time.Hour}, after(a, time.Duration(d)*24*time.Hour, 1, "x"))
		}
		got, _ := played(t, dir)
		if len(got) != 6 || !got[0].At.Equal(t0.Add(24*24*time.Hour)) {
			t.Errorf("%d days are kept, from %v", len(got), got[0].At)
		}
	})
	t.Run("size", func(t *testing.T) {
		dir := t.TempDir()
		const most = 40 << 10
		r := NewRecorder(dir, Options{MaxBytes: most, Trouble: func(err error) { t.Errorf("trouble: %v", err) }})
		o := quiet(t0, 20)
		largest := int64(0)
		for i := range 4000 {
			o = after(o, time.Second, client.NodeID(i%20+1), client.NodePolicy([]string{"Active", "Draining", "Pause"}[i%3]))
			o.Nodes[i%20].Attached = int64(i * 7919 % 100_000)
			r.Record(o)
			if i%100 == 0 {
				largest = max(largest, sizeOf(t, dir))
			}
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if largest > most {
			t.Errorf("the directory held %d bytes; %d are allowed", largest, most)
		}
		got, damage := played(t, dir)
		if damage.Any() || !got[len(got)-1].At.Equal(o.At) || !got[len(got)-1].Same(o) {
			t.Errorf("the newest is not there: %v, %v", got[len(got)-1].At, damage)
		}
		if kept := got[len(got)-1].At.Sub(got[0].At); kept < 5*time.Minute {
			t.Errorf("only %v are kept", kept)
		}
	})
}

// A whole observation comes again and again, so that damage costs little.
func TestWholeObservationsComeAgain(t *testing.T) {
	dir := t.TempDir()
	r := NewRecorder(dir, Options{})
	o := quiet(t0, 2)
	for i := range 2*wholeEvery + 1 {
		o = after(o, time.Millisecond, 1, client.NodePolicy([]string{"a", "b"}[i%2]))
		r.Record(o)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, names(t, dir)[0]))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), `"k":"whole"`); n != 3 {
		t.Errorf("%d whole observations among %d; want 3", n, 2*wholeEvery+1)
	}
}

// full is a disk that takes so many bytes.
type full struct {
	io.WriteCloser
	left *int
}

func (f full) Write(b []byte) (int, error) {
	if len(b) > *f.left {
		n, _ := f.WriteCloser.Write(b[:*f.left])
		*f.left = 0
		return n, syscall.ENOSPC
	}
	*f.left -= len(b)
	return f.WriteCloser.Write(b)
}

// A full disk switches the recorder off, with one message; what was written is read.
func TestAFullDiskSwitchesOff(t *testing.T) {
	dir := t.TempDir()
	a := quiet(t0, 2)
	left := 1500
	var told []error
	r := NewRecorder(dir, Options{Trouble: func(err error) { told = append(told, err) }})
	r.create = func(path string) (io.WriteCloser, error) {
		f, err := createFile(path)
		return full{f, &left}, err
	}
	seen := []release.Observation{a}
	for i := range 20 {
		seen = append(seen, after(seen[i], time.Second, 1, client.NodePolicy([]string{"a", "b"}[i%2])))
	}
	for _, o := range seen {
		r.Record(o)
	}
	if len(told) != 1 || !errors.Is(told[0], syscall.ENOSPC) || !strings.Contains(told[0].Error(), "prod") {
		t.Fatalf("told %v; want once that the disk is full, and of which cluster", told)
	}
	if r.state != off {
		t.Errorf("state %v; want Off", r.state)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	got, damage := played(t, dir)
	if len(got) < 2 || damage.Any() {
		t.Fatalf("%d observations are left, damage %v", len(got), damage)
	}
	wantSame(t, seen[:len(got)], got)
	// The lock is free: a process that has room goes on.
	record(t, dir, Options{}, a)
}

// A directory that cannot be made switches the recorder off too.
func TestADirectoryThatCannotBeMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var told []error
	r := NewRecorder(filepath.Join(file, "history"), Options{Trouble: func(err error) { told = append(told, err) }})
	r.Record(quiet(t0, 1))
	r.Record(quiet(t0.Add(time.Second), 2))
	if len(told) != 1 || r.state != off {
		t.Errorf("told %v, state %v; want once, and Off", told, r.state)
	}
}

// Secrets that got into a text are not written.
func TestSecretsAreTakenOut(t *testing.T) {
	dir := t.TempDir()
	o := quiet(t0, 1)
	o.Error = "refused: Bearer s3cret-token"
	record(t, dir, Options{Redact: func(s string) string {
		return strings.ReplaceAll(s, "s3cret-token", "[redacted]")
	}}, o)
	got, _ := played(t, dir)
	if got[0].Error != "refused: Bearer [redacted]" {
		t.Errorf("recorded %q", got[0].Error)
	}
}

// Before a node list was read there is nothing to record.
func TestNothingIsRecordedBeforeTheFirstList(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "history")
	record(t, dir, Options{}, release.Observation{At: t0, Cluster: "prod", Stale: true, Error: "refused"})
	if _, err := Open(dir); !errors.Is(err, ErrEmpty) {
		t.Errorf("Open: %v; want ErrEmpty", err)
	}
}

// A compression that was interrupted leaves nothing behind and loses nothing.
func TestInterruptedCompression(t *testing.T) {
	dir := t.TempDir()
	a := quiet(t0, 2)
	record(t, dir, Options{}, a)
	plain := filepath.Join(dir, names(t, dir)[0])
	text, err := os.ReadFile(plain)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pack(plain); err != nil {
		t.Fatal(err)
	}
	for path, b := range map[string][]byte{plain: text, plain + packed + unready: []byte("half")} {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, damage := played(t, dir)
	wantSame(t, []release.Observation{a}, got)
	if damage.Any() {
		t.Error(damage)
	}
	b := after(a, time.Second, 1, client.PolicyDraining)
	record(t, dir, Options{}, b)
	got, _ = played(t, dir)
	wantSame(t, []release.Observation{a, b}, got)
	if left := names(t, dir); len(left) != 2 {
		t.Errorf("files %v; want two", left)
	}
}
