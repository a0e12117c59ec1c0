package journal

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func TestRunOnDisk(t *testing.T) {
	f := setUp(t, Options{})
	f.append(t, Record{Kind: KindAnswer, Node: 3, Cls: DEC, Why: "yes"}, intent(),
		Record{Kind: KindResult, Node: 3, Eff: "n3.drain.1"}.With(Result{Class: ResultOK, Status: 202}))
	dir := f.store.Dir()
	for path, perm := range map[string]os.FileMode{
		dir:                        0o700 | os.ModeDir,
		f.store.runDir(f.j.runID):  0o700 | os.ModeDir,
		f.j.Path():                 0o600,
		f.j.Dir() + "/plan.json":   0o600,
		filepath.Join(dir, "lock"): 0o600,
	} {
		st, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if st.Mode() != perm {
			t.Errorf("%s has mode %s, want %s", path, st.Mode(), perm)
		}
	}
	if link, err := os.Readlink(dir + "/current"); err != nil || link != "runs/"+f.j.RunID() {
		t.Errorf("current points to %q (%v)", link, err)
	}
	b, err := os.ReadFile(f.j.Path())
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(b); f.j.Sum() != hex.EncodeToString(sum[:]) {
		t.Error("Sum is not that of the file")
	}
	sc := bufio.NewScanner(bytes.NewReader(b))
	for n := 1; sc.Scan(); n++ {
		var line map[string]any
		if err := json.Unmarshal(sc.Bytes(), &line); err != nil {
			t.Fatalf("line %d is not JSON: %v", n, err)
		}
		for _, field := range []string{"v", "seq", "t", "mono", "run", "k", "crc"} {
			if _, ok := line[field]; !ok {
				t.Errorf("line %d has no %q: %s", n, field, sc.Text())
			}
		}
	}
	recs, repair, err := f.store.Read(f.j.RunID())
	if err != nil || repair.Torn() || len(recs) != 4 {
		t.Fatalf("read %d records, %v, %v", len(recs), repair, err)
	}
	var h Header
	if err := recs[0].Decode(&h); err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256([]byte(`{"steps":[3,1]}`)); h.PlanSHA256 != hex.EncodeToString(sum[:]) || h.Cluster != "prod-eu-1" {
		t.Errorf("header is %+v", h)
	}
	if got := recs[2]; got.Call != "PUT node/3/drain" || *got.Pre.AttShards != 1567 || got.By.TTY != "pts/4" || got.Line != 3 {
		t.Errorf("intent came back as %+v", got)
	}
}

func TestCreateNeedsTheLock(t *testing.T) {
	s, err := Open(t.TempDir(), "c", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Create(header()); !errors.Is(err, ErrNotLocked) {
		t.Errorf("Create: %v", err)
	}
	if _, _, _, err := s.Reopen("01ARZ3NDEKTSV4RRFFQ69G5FAV"); !errors.Is(err, ErrNotLocked) {
		t.Errorf("Reopen: %v", err)
	}
	if err := s.MarkClosed("01ARZ3NDEKTSV4RRFFQ69G5FAV", Actor{}, ""); !errors.Is(err, ErrNotLocked) {
		t.Errorf("MarkClosed: %v", err)
	}
}

// Each durable kind is on the disk when Append returns; the others are not
// waited for.
func TestDurableKindsAreSynced(t *testing.T) {
	for _, k := range []Kind{
		KindAnswer, KindIntent, KindHookStart, KindHookEnd, KindOverride, KindHandoverOffer,
		KindHandoverAccept, KindLostTerminal, KindCleanupIntent, KindClose,
	} {
		f := setUp(t, Options{})
		_, before := f.file.counts()
		f.append(t, Record{Kind: KindObs})
		if _, syncs := f.file.counts(); syncs != before {
			t.Errorf("an observation was waited for")
		}
		f.append(t, Record{Kind: k})
		if writes, syncs := f.file.counts(); writes != 3 || syncs != before+1 {
			t.Errorf("%s: %d writes, %d syncs more", k, writes, syncs-before)
		}
	}
	f := setUp(t, Options{})
	_, before := f.file.counts()
	f.append(t, Record{Kind: KindState, Durable: true}.With(State{From: "filling", To: "done"}))
	if _, syncs := f.file.counts(); syncs != before+1 {
		t.Error("a terminal state was not synced")
	}
}

func TestOtherRecordsAreFlushedWithinASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setUp(t, Options{})
		_, before := f.file.counts()
		f.append(t, Record{Kind: KindObs}, Record{Kind: KindObs})
		time.Sleep(flushEvery - time.Millisecond)
		synctest.Wait()
		if _, syncs := f.file.counts(); syncs != before {
			t.Error("flushed early")
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if _, syncs := f.file.counts(); syncs != before+1 {
			t.Errorf("%d flushes after a second, want one", syncs-before)
		}
		time.Sleep(time.Minute)
		if _, syncs := f.file.counts(); syncs != before+1 {
			t.Error("flushed although nothing was written")
		}
		f.append(t, Record{Kind: KindObs})
		if err := f.j.Close(); err != nil {
			t.Fatal(err)
		}
		if _, syncs := f.file.counts(); syncs != before+2 {
			t.Error("Close did not flush")
		}
		if err := f.j.Append(Record{Kind: KindObs}); !errors.Is(err, ErrClosed) {
			t.Errorf("append after Close: %v", err)
		}
	})
}

func TestNothingFollowsACloseRecord(t *testing.T) {
	f := setUp(t, Options{})
	f.append(t, Record{Kind: KindClose}.With(Close{Outcome: Done}))
	if err := f.j.Append(intent()); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
}

// A journal that no file takes is broken for good: an intent that is not on the
// disk must keep its call from being sent.
// Rows: E18, E19.
func TestFaultsAreSticky(t *testing.T) {
	cases := map[string]struct {
		fault func(*faults)
		want  error
		words string
		torn  bool // part of the record landed
	}{
		"disk full":             {func(f *faults) { f.writeErr, f.short = syscall.ENOSPC, 40 }, syscall.ENOSPC, "disk is full", true},
		"quota used up":         {func(f *faults) { f.writeErr = syscall.EDQUOT }, syscall.EDQUOT, "disk is full", false},
		"input/output error":    {func(f *faults) { f.writeErr = syscall.EIO }, syscall.EIO, "input/output error", false},
		"short write":           {func(f *faults) { f.short = 10 }, ErrBroken, "only 10 of", true},
		"sync fails":            {func(f *faults) { f.syncErr = syscall.EIO }, syscall.EIO, "sync", false},
		"sync finds it full":    {func(f *faults) { f.syncErr = syscall.ENOSPC }, syscall.ENOSPC, "disk is full", false},
		"read-only file system": {func(f *faults) { f.writeErr = syscall.EROFS }, syscall.EROFS, "read-only", false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := setUp(t, Options{})
			f.append(t, Record{Kind: KindAnswer})
			c.fault(f.file)
			err := f.j.Append(intent())
			if !errors.Is(err, ErrBroken) || !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.words) {
				t.Fatalf("got %v", err)
			}
			// The fault goes away; the journal does not trust that.
			f.file.end()
			writes, syncs := f.file.counts()
			if again := f.j.Append(intent()); !errors.Is(again, ErrBroken) {
				t.Errorf("second append: %v", again)
			}
			if !errors.Is(f.j.Err(), ErrBroken) {
				t.Error("Err does not tell")
			}
			if w, s := f.file.counts(); w != writes || s != syncs {
				t.Error("a broken journal touched its file again")
			}
			if err := f.j.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
			recs, repair, err := f.store.Read(f.j.RunID())
			if err != nil {
				t.Fatalf("read after the fault: %v", err)
			}
			if n := len(recs); n < 2 || repair.Torn() != c.torn {
				t.Errorf("%d records, %v", n, repair)
			}
		})
	}
}

// The sync that nobody waits for fails too.
// Rows: E19.
func TestBackgroundFaultIsSticky(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setUp(t, Options{})
		f.file.syncErr = syscall.EIO
		f.append(t, Record{Kind: KindObs})
		time.Sleep(2 * flushEvery)
		synctest.Wait()
		if err := f.j.Append(intent()); !errors.Is(err, ErrBroken) || !errors.Is(err, syscall.EIO) {
			t.Errorf("got %v", err)
		}
	})
}

func TestLongRecordGoesToASideFile(t *testing.T) {
	f := setUp(t, Options{})
	long := strings.Repeat("é<&>", 3000)
	f.append(t, Record{Kind: KindAnomaly, Node: 3, Why: "because", By: &Actor{User: "u"}}.With(map[string]string{"text": long}), intent())
	b, err := os.ReadFile(f.j.Path())
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range bytes.SplitAfter(b, []byte("\n")) {
		if len(line) > MaxLine {
			t.Errorf("line %d has %d bytes", i+1, len(line))
		}
	}
	recs, _, err := f.store.Read(f.j.RunID())
	if err != nil {
		t.Fatal(err)
	}
	var data map[string]string
	if err := recs[1].Decode(&data); err != nil || data["text"] != long || recs[1].Why != "because" || recs[1].Side == nil {
		t.Errorf("did not come back whole: %v, why %q, side %v", err, recs[1].Why, recs[1].Side)
	}
	side := filepath.Join(f.j.Dir(), recs[1].Side.File)
	if err := os.WriteFile(side, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	var bad *CorruptError
	if _, _, err := f.store.Read(f.j.RunID()); !errors.As(err, &bad) || bad.Line != 2 {
		t.Errorf("a changed side file: %v", err)
	}
}

func TestExactLimitOfALine(t *testing.T) {
	// A time whose milliseconds do not end in a zero has always the same length.
	f := setUp(t, Options{Now: func() time.Time { return time.UnixMilli(1_700_000_000_123) }})
	for n := 3700; n < 3960; n++ {
		f.append(t, Record{Kind: KindObs, Why: strings.Repeat("x", n)})
	}
	b, err := os.ReadFile(f.j.Path())
	if err != nil {
		t.Fatal(err)
	}
	longest := 0
	for line := range bytes.SplitAfterSeq(b, []byte("\n")) {
		longest = max(longest, len(line))
	}
	if longest != MaxLine {
		t.Errorf("longest line has %d bytes, want exactly %d", longest, MaxLine)
	}
	if recs, _, err := f.store.Read(f.j.RunID()); err != nil || len(recs) != 261 || len(recs[260].Why) != 3959 {
		t.Errorf("%d records, %v", len(recs), err)
	}
}

func TestSecretsNeverLand(t *testing.T) {
	const token = `eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl`
	var r Redactor
	r.Add(token, "short")
	f := setUp(t, Options{Redact: r.Redact})
	f.append(t, Record{
		Kind: KindIntent, Call: "curl -H 'Authorization: Bearer " + token + "'", Why: token,
		By: &Actor{Subject: token, User: token}, Pre: &Pre{Epoch: token},
		Extra: map[string]json.RawMessage{"x": json.RawMessage(`"` + token + `"`)},
	}.With(map[string]any{"a": []string{token}, token: 12345678901234567, "short": "short"}))
	long := strings.Repeat("y", 5000)
	f.append(t, Record{Kind: KindAnomaly, Why: long + token})
	if _, err := f.j.WriteReport("md", []byte("# "+token)); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(f.store.Dir(), func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte("c2lnbmF0dXJl")) {
			t.Errorf("%s holds the token", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	recs, _, err := f.store.Read(f.j.RunID())
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"[redacted]":12345678901234567,"a":["[redacted]"],"short":"short"}`; string(recs[1].Data) != want {
		t.Errorf("data is %s, want %s", recs[1].Data, want)
	}
}

func TestControlCharactersDoNotReachATerminal(t *testing.T) {
	f := setUp(t, Options{})
	why := "a\x1b[2Jb\u009b2Jc\x7f\r\n\x00é"
	f.append(t, Record{Kind: KindObs, Why: why}.With(why))
	b, err := os.ReadFile(f.j.Path())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range string(b) {
		if (r < ' ' && r != '\n') || (r >= 0x7f && r <= 0x9f) {
			t.Fatalf("the file holds %U", r)
		}
	}
	recs, _, err := f.store.Read(f.j.RunID())
	if err != nil || recs[1].Why != why {
		t.Errorf("came back as %q, %v", recs[1].Why, err)
	}
}

func TestAppendFromManyGoroutines(t *testing.T) {
	f := setUp(t, Options{})
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 20 {
				r := Record{Kind: KindObs, Why: fmt.Sprint(g, i)}
				if i == 10 {
					r.Kind = KindAnswer
				}
				if err := f.j.Append(r); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if recs, _, err := f.store.Read(f.j.RunID()); err != nil || len(recs) != 161 || f.j.Seq() != 161 {
		t.Errorf("%d records, seq %d, %v", len(recs), f.j.Seq(), err)
	}
}

// The room that is kept ahead must not show as a tail of NULs.
func TestReservedRoomIsNotInTheFile(t *testing.T) {
	f := setUp(t, Options{})
	b, err := os.ReadFile(f.j.Path())
	if err != nil {
		t.Fatal(err)
	}
	if bytes.IndexByte(b, 0) >= 0 || int64(len(b)) != f.j.size {
		t.Errorf("file has %d bytes, written were %d", len(b), f.j.size)
	}
}

// BenchmarkAppendDurable is what an intent costs before its call can be sent.
func BenchmarkAppendDurable(b *testing.B) {
	s, err := Open(b.TempDir(), "bench", Options{})
	if err != nil {
		b.Fatal(err)
	}
	lock, err := s.Lock(Info{})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = lock.Release() }()
	j, err := s.Create(header())
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = j.Close() }()
	r := intent()
	b.ReportAllocs()
	for b.Loop() {
		if err := j.Append(r); err != nil {
			b.Fatal(err)
		}
	}
}
