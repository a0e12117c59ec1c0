package rollout_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// fullDisk is a journal file that takes records until it is filled.
type fullDisk struct {
	*os.File
	full *atomic.Bool
}

var errFull = errors.New("no space left on device")

func (f fullDisk) Write(b []byte) (int, error) {
	if f.full.Load() {
		return 0, errFull
	}
	return f.File.Write(b)
}

func (f fullDisk) Datasync() error     { return f.Sync() }
func (f fullDisk) Reserve(int64) error { return nil }

// The intent cannot be written: nothing is sent, and the run ends with exit 11.
// Rows: E18.
func TestCase_P9_NoJournalNoCall(t *testing.T) {
	var full atomic.Bool
	r := newRig(t, options{file: func(path string) (journal.File, error) {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0o600)
		return fullDisk{f, &full}, err
	}})
	r.start(rollout.GoalRestart, 1)
	p := r.asked(rollout.AskDrain)
	full.Store(true)
	require.NoError(t, r.driver.Answer(rollout.Answer{Prompt: p.ID, Word: rollout.WordYes}))
	out := r.driver.Wait()
	require.Equal(t, rollout.ExitJournal, out.Exit)
	require.Contains(t, out.Issues[0], "no space left")
	for _, c := range r.Calls() {
		require.Equal(t, "GET", c.Method)
	}
}

// Every question of a run is answered before anything happens, and the report lies
// beside the journal.
func TestJournalTellsTheRun(t *testing.T) {
	r := newRig(t, options{})
	r.start(rollout.GoalRestart, 1)
	r.yes(rollout.AskDrain)
	r.yes(rollout.AskRestart)
	r.yes(rollout.AskFill)
	out := r.driver.Wait()
	recs := r.records()
	require.Equal(t, journal.KindHeader, recs[0].Kind)
	require.Equal(t, journal.KindClose, recs[len(recs)-1].Kind)
	var kinds []journal.Kind
	for _, rec := range recs {
		switch rec.Kind {
		case journal.KindAnswer, journal.KindIntent, journal.KindResult, journal.KindHookStart, journal.KindHookEnd:
			kinds = append(kinds, rec.Kind)
		}
	}
	require.Equal(t, []journal.Kind{
		journal.KindAnswer, journal.KindIntent, journal.KindResult,
		journal.KindAnswer, journal.KindHookStart, journal.KindHookEnd,
		journal.KindAnswer, journal.KindIntent, journal.KindResult,
	}, kinds)
	r.intentsComeFirst()
	for _, rec := range r.kinds(journal.KindIntent) {
		require.NotEmpty(t, rec.Pre.Epoch)
		require.NotZero(t, rec.Pre.Launch)
	}

	dir := filepath.Dir(r.driver.Status().Journal)
	b, err := os.ReadFile(filepath.Join(dir, "report.json"))
	require.NoError(t, err)
	var report rollout.Status
	require.NoError(t, json.Unmarshal(b, &report))
	require.Equal(t, out.Exit, report.Outcome.Exit)
	require.NotEmpty(t, report.Outcome.JournalSum)
	b, err = os.ReadFile(filepath.Join(dir, "report.md"))
	require.NoError(t, err)
	require.Contains(t, string(b), "Calls: 2 mutating, 0 probes, 1 hooks")
	open, err := r.engine.Unfinished()
	require.NoError(t, err)
	require.Nil(t, open)
}

// A question that got old is put anew; the old one takes no answer.
func TestQuestionsExpire(t *testing.T) {
	r := newRig(t, options{set: func(s *rollout.Settings) { s.Answer = 100 * time.Millisecond }})
	r.start(rollout.GoalDrain, 1)
	old := r.asked(rollout.AskDrain)
	fresh := *r.when("asked anew", func(st *rollout.Status) bool { return st.Prompt != nil && st.Prompt.ID != old.ID }).Prompt
	require.Equal(t, rollout.AskDrain, fresh.Ask)
	err := r.driver.Answer(rollout.Answer{Prompt: old.ID, Word: rollout.WordYes})
	var stale *rollout.StaleAnswerError
	require.ErrorAs(t, err, &stale)
	require.Equal(t, old.ID, stale.Prompt)
	err = r.driver.Answer(rollout.Answer{Prompt: stale.Now, Word: rollout.WordManual})
	var none *rollout.NotAChoiceError
	require.ErrorAs(t, err, &none)
	require.Empty(t, r.mutations())
	r.say(rollout.AskDrain, rollout.Answer{Word: rollout.WordNo})
	r.asked(rollout.AskPaused)
	r.say(rollout.AskPaused, rollout.Answer{Word: rollout.WordResume})
	r.yes(rollout.AskDrain)
	r.driver.Wait()
	require.Len(t, r.kinds(journal.KindPause), 1)
	require.Len(t, r.kinds(journal.KindResume), 1)
}

// A lock that cannot be written is no refusal of the plan but a journal that cannot
// be kept (exit 11); one that somebody holds says who does.
func TestLockThatCannotBeWritten(t *testing.T) {
	r := newRig(t, options{})
	plan, err := r.engine.Plan(t.Context(), rollout.GoalRestart, []client.NodeID{1})
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(r.store.Dir(), "lock"), 0o700))
	_, err = r.engine.Start(t.Context(), plan)
	var broken *rollout.JournalError
	require.ErrorAs(t, err, &broken)

	require.NoError(t, os.Remove(filepath.Join(r.store.Dir(), "lock")))
	lock, err := r.store.Lock(journal.Info{User: "oncall2"})
	require.NoError(t, err)
	_, err = r.engine.Start(t.Context(), plan)
	var held *journal.ErrLocked
	require.ErrorAs(t, err, &held)
	require.NoError(t, lock.Release())
	require.Empty(t, r.mutations())
}
