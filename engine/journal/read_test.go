package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/internal/jsonline"
)

// written is a run of five records as bytes, and the offset after each line.
func written(t *testing.T) (f *fixture, whole []byte, ends []int) {
	t.Helper()
	f = setUp(t, Options{})
	f.append(t, Record{Kind: KindPrompt, Node: 3}, Record{Kind: KindAnswer, Node: 3, Why: "yes"}, intent(), Record{Kind: KindObs})
	if err := f.j.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(f.j.Path())
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range whole {
		if c == '\n' {
			ends = append(ends, i+1)
		}
	}
	return f, whole, ends
}

func overwrite(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func linesBefore(ends []int, cut int) (n, begin int) {
	for _, end := range ends {
		if end <= cut {
			n, begin = n+1, end
		}
	}
	return n, begin
}

// Case P9 and E20: whatever byte the power loss stopped at, every record before
// it is read, the rest is kept aside, and the journal can be continued.
// Rows: E20.
func TestTornAtEveryByte(t *testing.T) {
	f, whole, ends := written(t)
	path := f.j.Path()
	for cut := range whole {
		overwrite(t, path, whole[:cut])
		want, begin := linesBefore(ends, cut)
		recs, repair, err := f.store.Read(f.j.RunID())
		if want == 0 {
			var bad *CorruptError
			if !errors.As(err, &bad) || len(recs) != 0 {
				t.Fatalf("cut at %d: no whole header, got %d records, %v", cut, len(recs), err)
			}
			continue
		}
		if err != nil || len(recs) != want {
			t.Fatalf("cut at %d: %d records, want %d: %v", cut, len(recs), want, err)
		}
		if torn := cut > begin; repair.Torn() != torn {
			t.Fatalf("cut at %d: torn is %t", cut, repair.Torn())
		} else if !torn {
			continue
		}
		kept, err := os.ReadFile(repair.Copy)
		if err != nil || !bytes.Equal(kept, whole[begin:cut]) || repair.Line != want+1 {
			t.Fatalf("cut at %d: kept %q as line %d, %v", cut, kept, repair.Line, err)
		}
		if left, _ := os.ReadFile(path); !bytes.Equal(left, whole[:begin]) {
			t.Fatalf("cut at %d: file was not cut back", cut)
		}
		if err := os.Remove(repair.Copy); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTornRunIsContinued(t *testing.T) {
	f, whole, ends := written(t)
	overwrite(t, f.j.Path(), whole[:ends[3]+20])
	j, recs, repair, err := f.store.Reopen(f.j.RunID())
	if err != nil || len(recs) != 4 || !repair.Torn() {
		t.Fatalf("%d records, %v, %v", len(recs), repair, err)
	}
	if err := j.Append(Record{Kind: KindResume}); err != nil {
		t.Fatal(err)
	}
	sum := j.Sum()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	recs, repair, err = f.store.Read(f.j.RunID())
	if err != nil || len(recs) != 5 || recs[4].Kind != KindResume || recs[4].Seq != 5 || repair.Torn() {
		t.Errorf("%d records, %v, %v", len(recs), repair, err)
	}
	again, _, _, err := f.store.Reopen(f.j.RunID())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = again.Close() }()
	if again.Sum() != sum {
		t.Error("the sum does not survive reopening")
	}
}

// Rows: E20.
func TestBadTails(t *testing.T) {
	cases := map[string]func(whole []byte, last int) []byte{
		"NULs after the last line":     func(w []byte, _ int) []byte { return append(w, make([]byte, 4096)...) },
		"NULs and a newline":           func(w []byte, _ int) []byte { return append(append(w, make([]byte, 100)...), '\n') },
		"last line filled with NULs":   func(w []byte, l int) []byte { return append(w[:l], make([]byte, 200)...) },
		"last line's second half gone": func(w []byte, l int) []byte { return append(w[:l+30], make([]byte, 80)...) },
		"last line's checksum broken":  func(w []byte, l int) []byte { w[l+40] ^= 1; return w },
		"NULs for its newline":         func(w []byte, _ int) []byte { return append(w[:len(w)-1], make([]byte, 80)...) },
		"words":                        func(w []byte, _ int) []byte { return append(w, "hello\n"...) },
	}
	for name, damage := range cases {
		t.Run(name, func(t *testing.T) {
			f, whole, ends := written(t)
			overwrite(t, f.j.Path(), damage(bytes.Clone(whole), ends[3]))
			recs, repair, err := f.store.Read(f.j.RunID())
			if err != nil || !repair.Torn() || len(recs) < 4 {
				t.Fatalf("%d records, %v, %v", len(recs), repair, err)
			}
			if recs, repair, err = f.store.Read(f.j.RunID()); err != nil || repair.Torn() || len(recs) < 4 {
				t.Errorf("after the repair: %d records, %v, %v", len(recs), repair, err)
			}
		})
	}
}

// A follower may be looking at a write in progress, so it repairs nothing.
func TestWithoutTheLockNothingIsRepaired(t *testing.T) {
	f, whole, ends := written(t)
	overwrite(t, f.j.Path(), whole[:ends[3]+20])
	if err := f.lock.Release(); err != nil {
		t.Fatal(err)
	}
	recs, repair, err := f.store.Read(f.j.RunID())
	if err != nil || len(recs) != 4 || !repair.Torn() || repair.Copy != "" {
		t.Errorf("%d records, %v, %v", len(recs), repair, err)
	}
	if b, _ := os.ReadFile(f.j.Path()); !bytes.Equal(b, whole[:ends[3]+20]) {
		t.Error("the file was changed")
	}
}

// Every single damaged byte before the last line is found, and named.
// Rows: E20.
func TestDamageInTheMiddle(t *testing.T) {
	f, whole, ends := written(t)
	for at := range ends[3] {
		b := bytes.Clone(whole)
		b[at] ^= 0x20
		overwrite(t, f.j.Path(), b)
		n, _ := linesBefore(ends, at)
		recs, _, err := f.store.Read(f.j.RunID())
		var bad *CorruptError
		if !errors.As(err, &bad) {
			t.Fatalf("byte %d: %v", at, err)
		}
		if bad.Line != n+1 || len(recs) != n || !strings.Contains(err.Error(), "line ") {
			t.Fatalf("byte %d: %d records, %v", at, len(recs), err)
		}
	}
}

// Rows: E21.
func TestLinesThatDoNotBelong(t *testing.T) {
	f, whole, ends := written(t)
	line := func(i int) []byte { return whole[append([]int{0}, ends...)[i]:ends[i]] }
	other := setUp(t, Options{})
	foreign, err := os.ReadFile(other.j.Path())
	if err != nil {
		t.Fatal(err)
	}
	newer := jsonline.Seal([]byte(`{"v":2,"seq":2,"t":"2025-01-02T03:04:05Z","mono":1,"run":"` + f.j.RunID() + `","k":"obs"}`))
	cases := map[string]struct {
		lines [][]byte
		line  int
		words string
	}{
		"a line is missing":   {[][]byte{line(0), line(2), line(3)}, 2, "record 3 where 2 is due"},
		"a line is doubled":   {[][]byte{line(0), line(1), line(1), line(2)}, 3, "record 2 where 3 is due"},
		"of another run":      {[][]byte{line(0), foreign, line(2)}, 2, "belongs to run"},
		"no header":           {[][]byte{line(1), line(2)}, 1, "record 2 where 1 is due"},
		"of a newer version":  {[][]byte{line(0), newer}, 2, "newer version"},
		"newline overwritten": {[][]byte{line(0), bytes.TrimSuffix(line(1), []byte("\n")), []byte("*"), line(2)}, 2, "something else than a newline"},
		"no newline since":    {[][]byte{line(0), bytes.TrimSuffix(line(1), []byte("\n")), line(2)[:40]}, 2, "something else than a newline"},
		"of another run, end": {[][]byte{line(0), foreign}, 2, "belongs to run"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			overwrite(t, f.j.Path(), bytes.Join(c.lines, nil))
			recs, _, err := f.store.Read(f.j.RunID())
			if err == nil || !strings.Contains(err.Error(), c.words) || len(recs) != c.line-1 {
				t.Fatalf("%d records, %v", len(recs), err)
			}
			var bad *CorruptError
			if newer := strings.Contains(name, "newer"); errors.Is(err, ErrNewer) != newer || errors.As(err, &bad) == newer {
				t.Errorf("wrong kind of error: %v", err)
			} else if !newer && bad.Line != c.line {
				t.Errorf("line %d named, want %d", bad.Line, c.line)
			}
		})
	}
}

// Rows: E21.
func TestUnknownFieldsAreKept(t *testing.T) {
	body := []byte(`{"v":1,"seq":1,"t":"2025-01-02T03:04:05.123Z","mono":1,"run":"r","k":"later","future":{"a":[1,2.50]},"node":3000000000}`)
	line := jsonline.Seal(body)
	r, err := decode(bytes.TrimSuffix(line, []byte("\n")))
	if err != nil {
		t.Fatal(err)
	}
	if string(r.Extra["future"]) != `{"a":[1,2.50]}` || r.Kind != "later" || r.Node != 3000000000 {
		t.Errorf("got %+v", r)
	}
	again, err := encode(r)
	if err != nil {
		t.Fatal(err)
	}
	var was, is map[string]any
	if json.Unmarshal(body, &was) != nil || json.Unmarshal(again, &is) != nil {
		t.Fatal("not JSON")
	}
	if diff := cmp.Diff(was, is); diff != "" {
		t.Errorf("changed by reading and writing: %s", diff)
	}
	if _, err := encode(Record{Extra: map[string]json.RawMessage{"crc": []byte(`1`)}}); err == nil {
		t.Error("an extra field may not pass for one of ours")
	}
}

// Whatever is written is read back, and any one changed byte is noticed.
func TestRecordRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String()
		r := Record{
			V: Version, Seq: rapid.Uint64().Draw(t, "seq"), Mono: rapid.Int64().Draw(t, "mono"),
			T:    time.UnixMilli(rapid.Int64Range(0, 4e12).Draw(t, "t")).UTC(),
			Run:  text.Draw(t, "run"),
			Node: client.NodeID(rapid.Uint64().Draw(t, "node")), Kind: Kind(text.Draw(t, "kind")),
			Eff: text.Draw(t, "eff"), Att: rapid.Int().Draw(t, "att"), Call: text.Draw(t, "call"), Why: text.Draw(t, "why"),
			By: &Actor{User: text.Draw(t, "user")},
		}.With(rapid.MapOf(text, rapid.SliceOf(text)).Draw(t, "data"))
		body, err := encode(r)
		if err != nil {
			t.Fatal(err)
		}
		line := jsonline.Seal(body)
		if bytes.Count(line, []byte("\n")) != 1 {
			t.Fatalf("more than one line: %q", line)
		}
		got, err := decode(bytes.TrimSuffix(line, []byte("\n")))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r, got); diff != "" {
			t.Fatal(diff)
		}
		at := rapid.IntRange(0, len(line)-2).Draw(t, "at")
		line[at] ^= byte(rapid.IntRange(1, 255).Draw(t, "flip"))
		if _, err := decode(bytes.TrimSuffix(line, []byte("\n"))); err == nil {
			t.Fatalf("byte %d changed and nobody noticed", at)
		}
	})
}

func TestFollow(t *testing.T) {
	f := setUp(t, Options{})
	fol, err := f.store.Follow(f.j.RunID())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = fol.Close() }()
	next := func(want ...Kind) {
		t.Helper()
		recs, err := fol.Next()
		if err != nil {
			t.Fatal(err)
		}
		var got []Kind
		for _, r := range recs {
			got = append(got, r.Kind)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	}
	next(KindHeader)
	next()
	f.append(t, intent(), Record{Kind: KindObs})
	next(KindIntent, KindObs)

	// Half a line is not shown before its rest is there.
	body, err := encode(Record{V: 1, Seq: 4, Run: f.j.RunID(), Kind: KindResult})
	if err != nil {
		t.Fatal(err)
	}
	line := jsonline.Seal(body)
	raw, err := openOS(f.j.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = raw.Close() }()
	for _, part := range [][]byte{line[:10], line[10:]} {
		if _, err := raw.Write(part); err != nil {
			t.Fatal(err)
		}
		if len(part) == 10 {
			next()
		}
	}
	next(KindResult)
	if _, err := raw.Write([]byte("nonsense\n")); err != nil {
		t.Fatal(err)
	}
	var bad *CorruptError
	if _, err := fol.Next(); !errors.As(err, &bad) || bad.Line != 5 {
		t.Errorf("got %v", err)
	}
}
