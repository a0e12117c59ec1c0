package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestRow_E19_AnotherSegment: whatever a file does at whatever record, the
// journal goes on in another file, says so, and nothing that was acknowledged is
// lost or there twice, for a reader, for one who follows, and after a restart.
func TestRow_E19_AnotherSegment(t *testing.T) {
	damages := map[string]func(*faults){
		"sync fails":         func(f *faults) { f.syncErr = syscall.EIO },
		"write fails":        func(f *faults) { f.writeErr = syscall.EIO },
		"half a line landed": func(f *faults) { f.writeErr, f.short = syscall.EIO, 40 },
		"all but the error":  func(f *faults) { f.writeErr, f.short = syscall.EIO, 60 },
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			f := setUp(t, Options{})
			follower, err := f.store.Follow(f.j.RunID())
			require.NoError(t, err)
			defer func() { _ = follower.Close() }()
			seen := followed(t, follower, nil)
			f.append(t, Record{Kind: KindAnswer}, Record{Kind: KindObs, Why: "written, not synced"})
			seen = followed(t, follower, seen)
			f.file.until = 1
			damage(f.file)
			f.append(t, intent())
			seen = followed(t, follower, seen)
			f.append(t, Record{Kind: KindObs}, Record{Kind: KindResult})
			seen = followed(t, follower, seen)
			sum := f.j.Sum()
			require.NoError(t, f.j.Close())

			require.FileExists(t, filepath.Join(f.j.Dir(), "journal.2.jsonl"))
			want := []Kind{KindHeader, KindAnswer, KindObs, KindIntent, KindAnomaly, KindObs, KindResult}
			recs, repair, err := f.store.Read(f.j.RunID())
			require.NoError(t, err)
			require.False(t, repair.Torn())
			require.Equal(t, want, kinds(recs))
			require.Equal(t, want, kinds(seen))
			require.Contains(t, recs[4].Why, "input/output error")
			require.Contains(t, recs[4].Why, "journal.2.jsonl")
			text, _, _, err := f.store.content(f.j.RunID())
			require.NoError(t, err)
			require.Equal(t, sum, sumOf(text))

			again, recs, _, err := f.store.Reopen(f.j.RunID())
			require.NoError(t, err)
			require.Len(t, recs, len(want))
			require.NoError(t, again.Append(Record{Kind: KindClose}.With(Close{Outcome: "done"})))
			require.NoError(t, again.Close())
			runs, err := f.store.Runs()
			require.NoError(t, err)
			require.True(t, runs[0].Closed)
			require.NoError(t, runs[0].Err)
		})
	}
}

func followed(t *testing.T, f *Follower, seen Records) Records {
	t.Helper()
	more, err := f.Next()
	require.NoError(t, err)
	return append(seen, more...)
}

func kinds(recs Records) []Kind {
	all := make([]Kind, len(recs))
	for i, r := range recs {
		all[i] = r.Kind
	}
	return all
}

func sumOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// TestSegmentsLoseNothing: files fail again and again, at random; every record
// that was acknowledged is read back, in order, once.
func TestSegmentsLoseNothing(t *testing.T) {
	root := t.TempDir()
	var seq atomic.Int64
	rapid.Check(t, func(rt *rapid.T) {
		f := &faults{until: -1}
		s, err := Open(filepath.Join(root, fmt.Sprint(seq.Add(1))), "c", Options{OpenFile: f.open})
		require.NoError(rt, err)
		lock, err := s.Lock(Info{})
		require.NoError(rt, err)
		defer func() { _ = lock.Release() }()
		j, err := s.Create(header())
		require.NoError(rt, err)
		var acknowledged []string
		for range rapid.IntRange(1, 30).Draw(rt, "records") {
			f.end()
			f.until = f.opened // of the files so far; the next is good
			switch rapid.IntRange(0, 4).Draw(rt, "fault") {
			case 0:
				f.syncErr = syscall.EIO
			case 1:
				f.writeErr, f.short = syscall.EIO, rapid.IntRange(0, 60).Draw(rt, "bytes")
			}
			why := rapid.StringMatching(`[a-z]{1,8}`).Draw(rt, "why")
			kind := rapid.SampledFrom([]Kind{KindObs, KindAnswer, KindIntent}).Draw(rt, "kind")
			require.NoError(rt, j.Append(Record{Kind: kind, Why: why}))
			acknowledged = append(acknowledged, why)
		}
		f.end()
		require.NoError(rt, j.Close())
		recs, repair, err := s.Read(j.RunID())
		require.NoError(rt, err)
		require.False(rt, repair.Torn())
		var read []string
		for _, r := range recs[1:] {
			if r.Kind != KindAnomaly {
				read = append(read, r.Why)
			}
		}
		require.Equal(rt, acknowledged, read)
	})
}

// TestRow_E18_TheSpareDirectory: a full disk leads to the spare directory, where
// a later process finds the rest.
func TestRow_E18_TheSpareDirectory(t *testing.T) {
	dir, o, fill := smallDisk(t)
	o.Spare = filepath.Join(t.TempDir(), "spare")
	s, err := Open(dir, "prod-eu-1", o)
	require.NoError(t, err)
	lock, err := s.Lock(Info{User: "oncall1"})
	require.NoError(t, err)
	defer func() { _ = lock.Release() }()
	j, err := s.Create(header())
	require.NoError(t, err)
	require.NoError(t, j.Room())
	fill()
	written := 0
	for len(s.segments(j.RunID())) == 1 {
		require.NoError(t, j.Append(intent()))
		require.Less(t, written, 100_000)
		written++
		if j.Room() != nil {
			require.ErrorIs(t, j.Room(), syscall.ENOSPC, "it is told before it is too late")
		}
	}
	require.Greater(t, written, absorbed)
	require.NoError(t, j.Append(intent()))
	require.NoError(t, j.Close())
	path := s.segments(j.RunID())[1]
	require.True(t, strings.HasPrefix(path, o.Spare), path)

	again, err := Open(dir, "prod-eu-1", Options{Spare: o.Spare})
	require.NoError(t, err)
	recs, _, err := again.Read(j.RunID())
	require.NoError(t, err)
	require.Len(t, recs, 1+written+1+1, "header, intents, the anomaly, one more intent")
}

// TestRow_E18_LastResort: when no file takes them, the records that are on no disk
// are handed over, whole, and nothing more is taken.
func TestRow_E18_LastResort(t *testing.T) {
	var last bytes.Buffer
	f := setUp(t, Options{LastResort: &last, Spare: filepath.Join(t.TempDir(), "spare")})
	f.append(t, Record{Kind: KindAnswer}, Record{Kind: KindObs, Why: "not synced"})
	f.file.writeErr, f.file.short = syscall.ENOSPC, 40
	err := f.j.Append(intent())
	require.ErrorIs(t, err, ErrBroken)
	require.ErrorIs(t, err, syscall.ENOSPC)
	lines := strings.Split(strings.TrimSpace(last.String()), "\n")
	require.Len(t, lines, 3)
	require.Contains(t, lines[0], "could not be written")
	for i, want := range []Kind{KindObs, KindIntent} {
		r, err := decode([]byte(lines[i+1]))
		require.NoError(t, err)
		require.Equal(t, want, r.Kind)
	}
	require.True(t, errors.Is(f.j.Append(intent()), ErrBroken))
	recs, _, err := f.store.Read(f.j.RunID())
	require.NoError(t, err)
	require.Equal(t, []Kind{KindHeader, KindAnswer, KindObs}, kinds(recs))
}

// TestAForeignSpareDirectoryIsLeftAlone: where everybody may make a directory,
// somebody else's is neither written to nor read from.
func TestAForeignSpareDirectoryIsLeftAlone(t *testing.T) {
	spare := filepath.Join(t.TempDir(), "spare")
	require.NoError(t, os.Mkdir(spare, 0o755))
	require.NoError(t, os.Chmod(spare, 0o755))
	f := setUp(t, Options{Spare: spare})
	planted := filepath.Join(spare, "prod-eu-1", f.j.RunID())
	require.NoError(t, os.MkdirAll(planted, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(planted, "journal.2.jsonl"), []byte("{}\n"), 0o600))
	require.Len(t, f.store.segments(f.j.RunID()), 1)
	f.file.writeErr = syscall.ENOSPC
	require.ErrorIs(t, f.j.Append(intent()), ErrBroken)
}
