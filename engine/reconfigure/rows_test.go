package reconfigure

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// want compares the end of the one compute.
func want(t *testing.T, st *Status, state ItemState, row string, exit rollout.ExitCode, words ...string) {
	t.Helper()
	it := st.Items[0]
	if it.State != state || it.Row != row {
		t.Errorf("got %s by row %q, want %s by %q: %s", it.State, it.Row, state, row, show(st))
	}
	if st.Outcome.Exit != exit {
		t.Errorf("exit %d, want %d: %+v", st.Outcome.Exit, exit, st.Outcome)
	}
	said := it.Why + " " + it.Left
	for _, w := range words {
		if !strings.Contains(said, w) {
			t.Errorf("%q does not say %q", said, w)
		}
	}
}

func posts(t *testing.T, r *rig, name string, n int) {
	t.Helper()
	r.models[name].with(func(m *model) {
		if m.configs != n {
			t.Errorf("%s was sent %d specs, want %d", name, m.configs, n)
		}
	})
}

func TestHappy(t *testing.T) {
	st := one(t, nil)
	want(t, st, ItemDone, "", rollout.ExitDone)
	if st.Sent != 1 {
		t.Errorf("%d specs were sent", st.Sent)
	}
}

func TestNotVerifiedWithoutSQL(t *testing.T) {
	st := one(t, func(r *rig, _ *model) { r.sql = false })
	want(t, st, ItemAccepted, "", rollout.ExitDone, "accepted, not verified")
}

func TestRow_K1_NoAnswerAndTheEffectIsThere(t *testing.T) {
	st := one(t, func(_ *rig, m *model) { m.silent = true })
	want(t, st, ItemDone, "", rollout.ExitDone)
	if st.Sent != 1 {
		t.Errorf("sent %d times although the effect was there", st.Sent)
	}
}

func TestRow_K1_NoAnswerAndNoEffectIsSentOnceMore(t *testing.T) {
	st := one(t, func(_ *rig, m *model) { m.silent, m.ignores = true, true })
	want(t, st, ItemUnknown, "K1", rollout.ExitHalted, "no answer to 2 attempts")
	if st.Sent != 2 {
		t.Errorf("sent %d times, want 2", st.Sent)
	}
}

func TestRow_K1_MuteComputeIsUnknownInHalfAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "ep-1")
		d := r.start(r.plan(0, "ep-1"))
		r.until(d, "asked", asks(AskWave))
		r.models["ep-1"].with(func(m *model) { m.mute = true })
		r.say(d, rollout.WordYes, "")
		began := time.Now()
		st := r.until(d, "over", over)
		<-d.Done()
		want(t, st, ItemUnknown, "K1", rollout.ExitHalted, "no answer, outcome unknown")
		if took := time.Since(began); took > 40*time.Second {
			t.Errorf("took %s", took)
		}
		posts(t, r, "ep-1", 1)
	})
}

func TestRow_K2_BusyIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "ep-1")
		plan := r.plan(0, "ep-1")
		m := r.models["ep-1"]
		m.with(func(m *model) { m.state = compute.StateInit })
		d := r.start(plan)
		time.Sleep(20 * time.Second)
		if st := d.Status(); st.Prompt != nil {
			t.Fatalf("asked while it is busy: %s", show(st))
		}
		m.with(func(m *model) { m.state = compute.StateRunning })
		r.say(d, rollout.WordYes, "")
		st := r.until(d, "over", over)
		<-d.Done()
		want(t, st, ItemDone, "", rollout.ExitDone)
	})
}

func TestRow_K2_BusyForTooLongIsNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "ep-1")
		plan := r.plan(0, "ep-1")
		r.models["ep-1"].with(func(m *model) { m.state = compute.StateInit })
		d := r.start(plan)
		st := r.until(d, "asked", asks(AskWave))
		if c, _ := st.Prompt.Choice(rollout.WordYes); c.Off == "" {
			t.Errorf("yes can be chosen for a busy compute: %+v", st.Prompt)
		}
		if err := d.Answer(Answer{Prompt: st.Prompt.ID, Word: rollout.WordYes}); err == nil {
			t.Error("yes was taken")
		}
		r.say(d, rollout.WordSkip, "it never comes to rest")
		st = r.until(d, "over", over)
		<-d.Done()
		want(t, st, ItemSkipped, "", rollout.ExitPaused)
		posts(t, r, "ep-1", 0)
	})
}

// Another driver's configure comes first: ours is refused, waits and is sent again.
func TestCase_N10_RefusedWhileAnotherConfigures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "ep-1")
		m := r.models["ep-1"]
		d := r.start(r.plan(0, "ep-1"))
		r.until(d, "asked", asks(AskWave))
		m.with(func(m *model) {
			m.result = refused(412, "invalid compute status: configuration")
			m.state = compute.StateRunning
		})
		q := d.Status().Prompt.ID
		if err := d.Answer(Answer{Prompt: q, Word: rollout.WordYes}); err != nil {
			t.Fatal(err)
		}
		if err := d.Answer(Answer{Prompt: q, Word: rollout.WordYes}); err == nil {
			t.Error("a second enter was an answer too")
		}
		st := r.until(d, "over", over)
		<-d.Done()
		want(t, st, ItemDone, "", rollout.ExitDone)
		posts(t, r, "ep-1", 2)
		found := false
		for _, n := range st.Notes {
			found = found || n.Row == "K2" && strings.Contains(n.Text, "busy")
		}
		if !found {
			t.Errorf("nothing says that it was busy: %+v", st.Notes)
		}
	})
}

func TestRow_K3_RefusedSpecStopsTheBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		names := []string{"ep-1", "ep-2", "ep-3"}
		r := newRig(t, names...)
		r.models["ep-1"].result = refused(400, "invalid tenant id")
		d := r.start(r.plan(2, names...)) // a limit that would allow it
		r.say(d, rollout.WordRestOfRun, "")
		st := r.until(d, "halted", asks(AskHalted))
		want2(t, st, ItemRefused, "K3", "invalid tenant id")
		posts(t, r, "ep-2", 0)
		r.say(d, rollout.WordAbort, "")
		st = r.until(d, "over", over)
		<-d.Done()
		if st.Outcome.Exit == rollout.ExitDone {
			t.Errorf("exit 0 after a refused spec")
		}
		posts(t, r, "ep-3", 0)
	})
}

func want2(t *testing.T, st *Status, state ItemState, row, word string) {
	t.Helper()
	if it := st.Items[0]; it.State != state || it.Row != row || !strings.Contains(it.Why, word) {
		t.Errorf("got %s by %q: %q", it.State, it.Row, it.Why)
	}
}

func TestRow_K4_FailedIsNotSentAgain(t *testing.T) {
	st := one(t, func(_ *rig, m *model) {
		m.result = refused(500, `compute configuration failed: "unknown error"`)
	})
	want(t, st, ItemFailed, "K4", rollout.ExitHalted, "unknown error", "control plane must restart")
	if st.Sent != 1 {
		t.Errorf("sent %d times", st.Sent)
	}
}

// What a failed reconfigure leaves is said, and nothing is sent to it again.
func TestCase_N11_LeftInAWrongState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "ep-1")
		plan := r.plan(0, "ep-1")
		r.models["ep-1"].with(func(m *model) { m.state = compute.StateFailed })
		d := r.start(plan)
		st := r.until(d, "asked", asks(AskWave))
		if f := st.Prompt.Facts[0]; f.Ready || !strings.Contains(f.Why, "its control plane must restart it") {
			t.Errorf("a failed compute is shown as %+v", f)
		}
		r.say(d, rollout.WordAbort, "")
		<-d.Done()
		posts(t, r, "ep-1", 0)
	})
}

func TestRow_K5_EndedMeanwhileIsNoFailure(t *testing.T) {
	for name, vanish := range map[string]func(*model){
		"gone":       func(m *model) { m.gone = true },
		"terminated": func(m *model) { m.state = compute.StateTerminationPendingFast },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, "ep-1")
				m := r.models["ep-1"]
				m.takes, m.silent = 10*time.Second, true
				d := r.start(r.plan(0, "ep-1"))
				r.say(d, rollout.WordYes, "")
				r.until(d, "sent", func(st *Status) bool { return st.Sent == 1 })
				time.Sleep(time.Second)
				m.with(vanish)
				st := r.until(d, "over", over)
				<-d.Done()
				want(t, st, ItemGone, "K5", rollout.ExitDoneWithIssues)
			})
		})
	}
}

func TestRow_K6_StopsAtTheFirstFailureAboveTheLimit(t *testing.T) {
	names := []string{"ep-01", "ep-02", "ep-03", "ep-04", "ep-05", "ep-06", "ep-07", "ep-08", "ep-09", "ep-10", "ep-11", "ep-12"}
	for limit, sent := range []int{3, 5} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, names...)
			for _, bad := range []string{"ep-03", "ep-05"} {
				r.models[bad].result = refused(500, `compute configuration failed: "unknown error"`)
			}
			r.engine.cfg.Settings.AtOnce = 1
			d := r.start(r.plan(limit, names...))
			for {
				st := r.until(d, "asked", func(st *Status) bool { return st.Prompt != nil })
				if st.Prompt.Ask == AskHalted {
					break
				}
				r.say(d, rollout.WordYes, "")
				r.until(d, "on its way", func(now *Status) bool { return now.Prompt == nil || now.Prompt.ID != st.Prompt.ID })
			}
			st := d.Status()
			if st.Sent != sent || st.Count(ItemFailed) != limit+1 {
				t.Errorf("limit %d: sent %d, failed %d: %s", limit, st.Sent, st.Count(ItemFailed), show(st))
			}
			r.say(d, rollout.WordAbort, "")
			st = r.until(d, "over", over)
			<-d.Done()
			if st.Outcome.Exit != rollout.ExitHalted {
				t.Errorf("exit %d", st.Outcome.Exit)
			}
			posts(t, r, "ep-12", 0)
		})
	}
}

func TestRow_K6_RunningOnesFinish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var names []string
		for i := range 12 {
			names = append(names, "ep-"+string(rune('a'+i)))
		}
		r := newRig(t, names...)
		// The last wave has several side by side; the first of it fails at once.
		plan := r.plan(0, names...)
		var last []string
		for _, it := range plan.Items {
			if it.Wave == plan.Waves {
				last = append(last, it.Compute)
			}
		}
		r.models[last[0]].result = refused(500, `compute configuration failed: "unknown error"`)
		r.models[last[1]].takes = 20 * time.Second
		r.engine.cfg.Settings.AtOnce = 2
		d := r.start(plan)
		r.say(d, rollout.WordRestOfRun, "")
		st := r.until(d, "halted", asks(AskHalted))
		for _, it := range st.Items {
			if it.Item.Compute == last[1] && it.State != ItemDone {
				t.Errorf("the one that ran is %s", it.State)
			}
		}
		posts(t, r, last[2], 0)
		r.say(d, rollout.WordAbort, "")
		<-d.Done()
	})
}

func TestRow_K7_NamedTwiceGoesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "ep-1")
		plan := r.plan(0, "ep-1", "ep-1")
		if len(plan.Items) != 1 || len(plan.LeftOut) != 1 || !strings.Contains(plan.LeftOut[0].Why, "twice") {
			t.Fatalf("%+v", plan)
		}
		d := r.start(plan)
		r.say(d, rollout.WordYes, "")
		<-d.Done()
		posts(t, r, "ep-1", 1)
	})
}

func TestRow_K8_AcceptedNotInEffect(t *testing.T) {
	st := one(t, func(_ *rig, m *model) { m.ignores, m.restart = true, true })
	want(t, st, ItemDegraded, "K8", rollout.ExitDoneWithIssues, "accepted, not in effect", "work_mem", "restarted")
	if d := st.Items[0].Differs; len(d) != 1 || d[0].Want != "64MB" || d[0].Have != "4MB" || !d[0].Restart {
		t.Errorf("%+v", d)
	}
}

// Where Postgres reads from is told by it, whatever compute_ctl answered.
func TestRow_K8_PageserversNotInEffect(t *testing.T) {
	const patch = `{"pageserver_connection_info":{"shards":{"0000":{"pageservers":[{"id":2,"libpq_url":"postgres://u:hunter2@ps-2:6400","grpc_url":null}]}}}}`
	st := one(t, func(r *rig, _ *model) { r.write(patch) })
	want(t, st, ItemDone, "", rollout.ExitDone)
	st = one(t, func(r *rig, m *model) {
		r.write(patch)
		m.ignores, m.settings = true, map[string]string{compute.SettingPageservers: "postgres://u:hunter2@ps-1"}
	})
	want(t, st, ItemDegraded, "K8", rollout.ExitDoneWithIssues, "accepted, not in effect", compute.SettingPageservers)
	if d := st.Items[0].Differs; len(d) != 1 || d[0].Want != "ps-2:6400" || d[0].Have != "ps-1:5432" {
		t.Errorf("%+v", d)
	}
}

func TestRow_K9_FailedBesideAnUnansweredCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "ep-1")
		r.models["ep-1"].failAt = time.Millisecond
		d := r.start(r.plan(0, "ep-1"))
		r.say(d, rollout.WordYes, "")
		began := time.Now()
		st := r.until(d, "over", over)
		<-d.Done()
		want(t, st, ItemFailed, "K9", rollout.ExitHalted, "failed", "do not restart Postgres by hand")
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("the wait went on for %s", took)
		}
	})
}

func TestRow_K10_WedgedIsStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "ep-1")
		r.models["ep-1"].wedged = true
		d := r.start(r.plan(0, "ep-1"))
		r.say(d, rollout.WordYes, "")
		began := time.Now()
		st := r.until(d, "over", over)
		<-d.Done()
		want(t, st, ItemStuck, "K10", rollout.ExitHalted, "control plane must restart")
		if took := time.Since(began); took < 60*time.Second || took > 65*time.Second {
			t.Errorf("took %s", took)
		}
	})
}

func TestRow_K11_RunningWithoutPostgres(t *testing.T) {
	st := one(t, func(_ *rig, m *model) { m.unwrit = errors.New("connection refused") })
	want(t, st, ItemFailed, "K11", rollout.ExitHalted, "says running", "takes no write", "connection refused")
}

// A question that got old is put anew; a person is waited for since the first of them.
func TestAQuestionThatGotOldStillWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "ep-1")
		d := r.start(r.plan(0, "ep-1"))
		first := r.until(d, "asked", asks(AskWave)).Prompt
		p := r.until(d, "asked anew", func(st *Status) bool { return st.Prompt != nil && st.Prompt.ID != first.ID }).Prompt
		if !p.Asked.After(first.Asked) || !p.Since.Equal(first.Asked) {
			t.Errorf("asked %s, then %s: since %s", first.Asked, p.Asked, p.Since)
		}
		r.say(d, rollout.WordAbort, "")
		r.until(d, "over", over)
		<-d.Done()
	})
}
