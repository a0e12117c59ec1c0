package rollout_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/demo/server"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// meddled is a poller before whose last look something happens, each time the
// next of what is given.
type meddled struct {
	rollout.Watch
	mu    sync.Mutex
	next  []func() error
	looks int
}

func (w *meddled) Look(ctx context.Context) (*cluster.Snapshot, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looks++
	if len(w.next) > 0 {
		do := w.next[0]
		w.next = w.next[1:]
		if err := do(); err != nil {
			return w.Latest(), err
		}
	}
	return w.Watch.Look(ctx)
}

// meddle has things happen between the engine's decisions and its calls.
func (r *rig) meddle(next ...func() error) *meddled {
	w := &meddled{Watch: r.poller, next: next}
	r.cfg.Poller = w
	r.engine = rollout.NewEngine(r.cfg)
	return w
}

func nothing() error { return nil }

// stranger is another program's client of the same controller.
func (r *rig) stranger() *client.Client {
	r.t.Helper()
	c, err := client.New(client.Config{BaseURL: r.ControllerURL()})
	require.NoError(r.t, err)
	r.t.Cleanup(c.CloseIdle)
	return c
}

// held waits until a call was kept back and its result says so.
func (r *rig) held(call string) {
	r.t.Helper()
	r.when("kept back", func(st *rollout.Status) bool {
		for _, n := range st.Notes {
			if n.Row == "E17" && strings.HasPrefix(n.Text, "not sent: ") {
				return true
			}
		}
		return false
	})
	results := r.kinds(journal.KindResult)
	last := results[len(results)-1]
	require.Contains(r.t, last.Call, call)
	require.Contains(r.t, string(last.Data), "not sent: ")
}

// C24: somebody's drain begins between the confirmation and the call. Two starts
// at once end the controller, so ours is not sent; it is asked about anew.
func TestCase_C24_LastLookHoldsADrain(t *testing.T) {
	r := newRig(t, slow())
	theirs := r.stranger()
	r.meddle(func() error { return theirs.StartDrain(t.Context(), 3) })
	r.start(rollout.GoalRestart, 1)
	r.yes(rollout.AskDrain)
	r.held("PUT /control/v1/node/1/drain")
	require.Equal(t, []string{"PUT 3/drain 202"}, r.mutations(), "only theirs")
	require.Zero(t, r.driver.Status().Calls.Drain, "what was not sent is not counted")
	r.asked(rollout.AskPaused) // the counters tell of somebody else

	require.NoError(t, theirs.CancelDrain(t.Context(), 3))
	r.until("theirs is over", func(s *cluster.Snapshot) bool { n, _ := s.Node(3); return n.Settled() })
	r.goOnTo(rollout.AskRestart)
	require.Equal(t, 1, r.driver.Status().Calls.Drain)
}

// goOnTo resumes and confirms until a question comes: what strangers did before
// may be told once more.
func (r *rig) goOnTo(ask rollout.Ask) {
	r.t.Helper()
	for {
		p := r.when("any question", func(st *rollout.Status) bool { return st.Prompt != nil }).Prompt
		word := rollout.WordYes
		switch p.Ask {
		case ask:
			return
		case rollout.AskPaused:
			word = rollout.WordResume
		}
		if err := r.driver.Answer(rollout.Answer{Prompt: p.ID, Word: word, By: r.cfg.Operator}); err != nil {
			var stale *rollout.StaleAnswerError
			require.True(r.t, asStale(err, &stale) || errors.Is(err, rollout.ErrNoQuestion), "%v", err)
		}
	}
}

// C24: no policy tells of a foreign call that was refused, or is over already;
// the controller's counters do.
func TestCase_C24_LastLookReadsTheCounters(t *testing.T) {
	r := newRig(t, options{})
	theirs := r.stranger()
	r.meddle(func() error {
		err := theirs.CancelDrain(t.Context(), 3)
		require.True(t, client.NothingInProgress(err), "%v", err)
		return nil
	})
	r.start(rollout.GoalRestart, 1)
	r.yes(rollout.AskDrain)
	r.held("PUT /control/v1/node/1/drain")
	require.Equal(t, []string{"DELETE 3/drain 412"}, r.mutations())
}

// C24: the same before a fill; and a list that cannot be read sends nothing
// either, and is tried again by itself.
func TestCase_C24_LastLookHoldsAFill(t *testing.T) {
	r := newRig(t, options{Options: server.Options{AllMovable: true}})
	theirs := r.stranger()
	unreadable := &client.Error{Kind: client.Unreachable, Method: http.MethodGet, Path: "/control/v1/node", Err: errors.New("reset")}
	w := r.meddle(
		func() error { return unreadable }, nothing,
		func() error {
			pause := client.PolicyPause
			return theirs.ConfigureNode(t.Context(), client.NodeConfig{NodeID: 1, Scheduling: &pause})
		})
	r.restartTo(rollout.AskFill)
	require.Equal(t, 2, w.looks)
	require.Equal(t, []string{"PUT 1/drain 202"}, r.mutations())
	require.Contains(t, rows(r.driver.Status()), "D9")
	r.yes(rollout.AskFill)
	r.held("PUT /control/v1/node/1/fill")
	require.Empty(t, onPath(r.mutations(), "PUT 1/fill"))
	require.Zero(t, r.driver.Status().Calls.Fill)
}

// C24, D4: what a cancel would end may be somebody else's by now.
func TestCase_C24_LastLookHoldsACancel(t *testing.T) {
	r := newRig(t, slow())
	theirs := r.stranger()
	w := r.meddle(nothing, func() error {
		if err := theirs.CancelDrain(t.Context(), 1); err != nil {
			return err
		}
		for {
			if err := theirs.StartDrain(t.Context(), 1); !busy(err) {
				return err
			}
		}
	})
	r.start(rollout.GoalRestart, 1)
	r.yes(rollout.AskDrain)
	r.drainRuns()
	r.driver.Pause("test")
	r.say(rollout.AskPaused, rollout.Answer{Word: rollout.WordCancel})
	r.held("DELETE /control/v1/node/1/drain")
	require.Equal(t, 2, w.looks)
	require.Len(t, onPath(r.mutations(), "DELETE 1/drain"), 1, "theirs")
	r.goOnTo(rollout.AskCleanup)
	require.Equal(t, "E17", r.asked(rollout.AskCleanup).Row)
	r.say(rollout.AskCleanup, rollout.Answer{Word: rollout.WordRetry})
	r.when("cancelled", func(st *rollout.Status) bool { return st.Calls.CancelDrain == 1 })
}

func busy(err error) bool {
	_, running := client.RunningOperation(err)
	return running
}

// G4: one look before each of the two calls, and no third call.
func TestCase_C24_OneLookForEachCall(t *testing.T) {
	r := newRig(t, options{})
	w := r.meddle()
	r.restartTo(rollout.AskFill)
	r.yes(rollout.AskFill)
	r.driver.Wait()
	require.Equal(t, 2, w.looks)
	require.Equal(t, []string{"PUT 1/drain 202", "PUT 1/fill 202"}, r.mutations())
	before := map[string]bool{}
	for _, c := range r.Calls() {
		switch {
		case c.Method == http.MethodGet && !strings.Contains(c.Path, "/node/"):
			before[c.Path] = true
		case c.Method == http.MethodPut:
			require.True(t, before["/control/v1/node"] && before["/metrics"], "read right before %s", c.Path)
		}
	}
}

// A call of ours whose answer a proxy holds back is counted by the controller long
// before we know: it is no foreign one. One of somebody else is.
func TestRow_E17_OursThatWaitsForItsAnswer(t *testing.T) {
	r := newRig(t, slow())
	r.fault(drainFault("delay", "700ms")) // fourteen scrapes
	r.start(rollout.GoalRestart, 1)
	r.yes(rollout.AskDrain)
	r.when("its answer", func(st *rollout.Status) bool {
		return len(st.Steps[0].Phases) > 0 && st.Steps[0].Phases[0].Progress.Left >= 0
	})
	results := r.kinds(journal.KindResult)
	require.Len(t, results, 1)
	require.NotContains(t, rows(r.driver.Status()), "E17")

	theirs := r.stranger()
	require.Error(t, theirs.StartFill(t.Context(), 2), "the slot is ours")
	r.when("theirs is told", func(st *rollout.Status) bool {
		for _, n := range st.Notes {
			if n.Row == "E17" {
				return strings.Contains(n.Text, "fill 1")
			}
		}
		return false
	})
}
