package reconfigure

import (
	"bytes"
	"errors"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// TestResumeAtEveryRecord ends a run of two computes after each record of its journal,
// takes it up again, and looks whether a spec was sent that had its effect already.
func TestResumeAtEveryRecord(t *testing.T) {
	lines := recordsOfARun(t)
	if lines < 12 {
		t.Fatalf("a run has only %d records", lines)
	}
	for n := 1; n < lines; n++ {
		for _, effect := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) { resumeAfter(t, n, effect) })
		}
	}
}

func recordsOfARun(t *testing.T) (lines int) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "ep-1", "ep-2")
		lines = len(r.finish(0))
	})
	return lines
}

// finish runs both computes to the end and gives the journal's lines.
func (r *rig) finish(limit int) [][]byte {
	r.t.Helper()
	d := r.start(r.plan(limit, "ep-1", "ep-2"))
	r.say(d, rollout.WordRestOfRun, "")
	<-d.Done()
	raw, err := os.ReadFile(d.Status().Journal)
	if err != nil {
		r.t.Fatal(err)
	}
	return bytes.SplitAfter(bytes.TrimSuffix(bytes.TrimRight(raw, "\x00"), []byte("\n")), []byte("\n"))
}

// resumeAfter keeps n records. Without effect, the computes whose newest record is the
// intent have not been reached: the process ended before it sent.
func resumeAfter(t *testing.T, n int, effect bool) {
	r := newRig(t, "ep-1", "ep-2")
	lines := r.finish(0)
	run := must(r.store.Runs())(t)[0]
	if err := os.WriteFile(run.Path, append(bytes.TrimSuffix(bytes.Join(lines[:n], nil), []byte("\n")), '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	b := Fold(must2(r.store.Read(run.ID))(t))
	before := map[string]int{}
	for name, m := range r.models {
		was := b.Items[name]
		m.with(func(m *model) {
			if was.Sent.IsZero() || was.Open && !effect {
				m.settings, m.configs = nil, 0
			}
			before[name] = m.configs
		})
	}
	d := must(r.engine.Resume(t.Context(), ""))(t)
	r.until(d, "asked", asks(AskResume))
	time.Sleep(time.Minute)
	for name, m := range r.models {
		m.with(func(m *model) {
			if m.configs != before[name] {
				t.Errorf("after record %d: a spec was sent to %s before an answer", n, name)
			}
		})
	}
	for {
		st := r.until(d, "asked or over", func(st *Status) bool { return st.Prompt != nil || st.Outcome != nil })
		if st.Outcome != nil {
			break
		}
		r.say(d, rollout.WordYes, "")
		r.until(d, "on its way", func(now *Status) bool { return now.Prompt == nil || now.Prompt.ID != st.Prompt.ID })
	}
	<-d.Done()
	st := d.Status()
	if st.Outcome.Exit != rollout.ExitDone {
		t.Errorf("after record %d, effect %t: %s", n, effect, show(st))
	}
	for name, m := range r.models {
		m.with(func(m *model) {
			if m.configs != 1 {
				t.Errorf("after record %d, effect %t: %s was sent %d specs", n, effect, name, m.configs)
			}
		})
	}
	r.audit(d)
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func must2[T, U any](v T, _ U, err error) func(*testing.T) T { return must(v, err) }

func TestResumeRefusesAnotherSpec(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "ep-1", "ep-2")
		d := r.start(r.plan(0, "ep-1", "ep-2"))
		r.say(d, rollout.WordYes, "")
		r.until(d, "second wave", func(st *Status) bool { return st.Prompt != nil && st.Prompt.Wave == 2 })
		d.Detach("lunch")
		<-d.Done()
		if _, err := r.engine.Start(t.Context(), r.plan(0, "ep-2")); !errorsAs[*rollout.UnfinishedRunError](err) {
			t.Errorf("a second run begins beside an unfinished one: %v", err)
		}
		r.write(`{"suspend_timeout_seconds":5}`)
		if _, err := r.engine.Resume(t.Context(), ""); !errorsAs[*SpecChangedError](err) {
			t.Errorf("taken up with another patch: %v", err)
		}
		posts(t, r, "ep-2", 0)
	})
}

func errorsAs[T error](err error) bool {
	var as T
	return errors.As(err, &as)
}

func TestRefusedAtResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "ep-1", "ep-2")
		d := r.start(r.plan(0, "ep-1", "ep-2"))
		r.say(d, rollout.WordYes, "")
		r.until(d, "second wave", func(st *Status) bool { return st.Prompt != nil && st.Prompt.Wave == 2 })
		d.Abandon("gone")
		<-d.Done()
		d = must(r.engine.Resume(t.Context(), ""))(t)
		r.say(d, rollout.WordNo, "")
		<-d.Done()
		if st := d.Status(); st.Outcome.Exit != rollout.ExitPaused {
			t.Errorf("exit %d", st.Outcome.Exit)
		}
		open := must(r.store.Unfinished())(t)
		if len(open) != 1 || open[0].Verb != journal.VerbReconfigure || len(open[0].Computes) != 2 {
			t.Errorf("unfinished: %+v", open)
		}
		posts(t, r, "ep-2", 0)
	})
}

func TestLeavingWhileACallIsUnanswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "ep-1")
		r.models["ep-1"].takes = 30 * time.Second
		d := r.start(r.plan(0, "ep-1"))
		r.say(d, rollout.WordYes, "")
		r.until(d, "sent", func(st *Status) bool { return st.Sent == 1 })
		d.Detach("leaving")
		time.Sleep(time.Second)
		select {
		case <-d.Done():
			t.Fatal("left although a call is unanswered")
		default:
		}
		d.Abandon("at once")
		<-d.Done()
		st := d.Status()
		if st.Outcome.Exit != rollout.ExitPaused || len(st.Outcome.Left) != 1 {
			t.Errorf("%+v", st.Outcome)
		}
	})
}

func TestNothingSentIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "ep-1")
		d := r.start(r.plan(0, "ep-1"))
		r.until(d, "asked", asks(AskWave))
		d.Killed("terminated", rollout.ExitTerminated)
		<-d.Done()
		if st := d.Status(); st.Outcome.Exit != rollout.ExitTerminated {
			t.Errorf("%+v", st.Outcome)
		}
		if open := must(r.store.Unfinished())(t); len(open) != 0 {
			t.Errorf("left open: %+v", open)
		}
	})
}

func TestPauseSendsNothingMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "ep-1", "ep-2", "ep-3")
		r.models["ep-1"].takes = 5 * time.Second
		d := r.start(r.plan(0, "ep-1", "ep-2", "ep-3"))
		r.say(d, rollout.WordRestOfRun, "")
		r.until(d, "sent", func(st *Status) bool { return st.Sent == 1 })
		d.Pause("a look")
		st := r.until(d, "paused", asks(AskPaused))
		if st.Items[0].State != ItemDone {
			t.Errorf("the one that was asked is %s", st.Items[0].State)
		}
		posts(t, r, "ep-2", 0)
		r.say(d, rollout.WordResume, "")
		st = r.until(d, "over", over)
		<-d.Done()
		if st.Outcome.Exit != rollout.ExitDone {
			t.Errorf("%s", show(st))
		}
	})
}

// A run that was left halted is halted when it is taken up: failures of before count.
func TestHaltedStaysHalted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "ep-1", "ep-2")
		r.models["ep-1"].result = refused(500, `compute configuration failed: "unknown error"`)
		d := r.start(r.plan(0, "ep-1", "ep-2"))
		r.say(d, rollout.WordYes, "")
		r.until(d, "halted", asks(AskHalted))
		time.Sleep(time.Minute)
		d.Detach("lunch")
		<-d.Done()
		d = must(r.engine.Resume(t.Context(), ""))(t)
		r.say(d, rollout.WordYes, "")
		st := r.until(d, "halted", asks(AskHalted))
		if it := st.Items[0]; it.State != ItemFailed || it.Ended.Before(it.Sent) || it.Ended.Sub(it.Sent) > time.Second {
			t.Errorf("what is known of the first: %+v", it)
		}
		r.say(d, WordContinue, "its control plane restarted it")
		st = r.until(d, "second wave", asks(AskWave))
		if st.Prompt.Wave != 2 {
			t.Errorf("%+v", st.Prompt)
		}
		r.say(d, rollout.WordYes, "")
		st = r.until(d, "over", over)
		<-d.Done()
		if st.Items[1].State != ItemDone || st.Outcome.Exit != rollout.ExitHalted {
			t.Errorf("%s", show(st))
		}
		r.audit(d)
	})
}
