package rollout_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/demo/server"
	"github.com/StorconTUI/storcon-tui/engine/audit"
	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// checkReplay: what a journal says of a run depends on its records alone, at
// every place where it may end, and what a later version adds to them changes
// nothing that this one knows (I11).
func (h *history) checkReplay() {
	recs := numbered(h.records)
	for _, f := range audit.Check(recs) {
		h.fatalf("the journal of a good run is complained of: %s", f)
	}
	if len(recs) > 1 {
		cut := rapid.IntRange(1, len(recs)).Draw(h.t, "cut")
		recs = recs[:cut]
	}
	believed := rollout.Fold(recs)
	if !reflect.DeepEqual(believed, rollout.Fold(recs)) {
		h.fatalf("I11: two folds of the same %d records differ", len(recs))
	}
	if later := rollout.Fold(fromLater(recs)); !reflect.DeepEqual(believed, later) {
		h.fatalf("I11: fields that are not known change what %d records say:\n%+v\n%+v", len(recs), believed, later)
	}
	h.checkUntaken(believed)
}

// checkUntaken: a run that nobody has taken up is looked at and nothing more (I12).
func (h *history) checkUntaken(b rollout.Belief) {
	if b.Closed || h.last == nil {
		return
	}
	m := rollout.Resumed(h.plan, rollout.Settings{}, b)
	for i := range 4 {
		at := h.now.Add(time.Duration(i) * time.Second)
		snap := *h.last
		snap.At, snap.Nodes.At = at, at
		var effects []rollout.Effect
		m, effects = m.Apply(rollout.Observed{At: at, Snapshot: &snap})
		for _, e := range effects {
			switch e.(type) {
			case rollout.SendCall, rollout.RunHook, rollout.Probe:
				h.fatalf("I12: %T from a run that was not taken up", e)
			}
		}
	}
}

// numbered are records as the journal has them, behind its header.
func numbered(recs journal.Records) journal.Records {
	head := journal.Record{Kind: journal.KindHeader, T: time.Unix(1_700_000_000, 0)}.
		With(journal.Header{Verb: "restart", Nodes: []client.NodeID{1, 2}})
	out := append(journal.Records{head}, recs...)
	for i := range out {
		out[i].Seq, out[i].Line = uint64(i+1), i+1
	}
	return out
}

// fromLater are the same records as a later version would have written them.
func fromLater(recs journal.Records) journal.Records {
	out := make(journal.Records, len(recs))
	for i, r := range recs {
		r.Extra = map[string]json.RawMessage{"later": json.RawMessage(`{"a":1}`)}
		var data map[string]json.RawMessage
		if json.Unmarshal(r.Data, &data) == nil && data != nil {
			data["later"] = json.RawMessage(`[true]`)
			r = r.With(data)
		}
		out[i] = r
	}
	return out
}

// Whoever watches, plans and follows sends nothing that is no GET, in whatever
// order it is done and whatever goes on in the cluster (I12).
func TestInvariantWatchOnlyReads(t *testing.T) {
	r := newRig(t, options{Options: server.Options{Tenants: 20, Speed: 200}})
	mine := len(r.mutations())
	rapid.Check(t, func(t *rapid.T) {
		id := client.NodeID(rapid.IntRange(1, 4).Draw(t, "node"))
		switch rapid.IntRange(0, 6).Draw(t, "what") {
		case 0:
			_, _ = r.engine.Plan(r.t.Context(), rapid.SampledFrom([]rollout.Goal{rollout.GoalRestart, rollout.GoalDrain, rollout.GoalFill}).Draw(t, "goal"), []client.NodeID{id})
		case 1:
			r.poller.Decide(rapid.Bool().Draw(t, "on"))
		case 2:
			r.poller.Hot(50 * time.Millisecond)
		case 3:
			r.poller.WatchShards(id)()
			r.poller.WatchProcess(id)()
		case 4:
			_, err := r.poller.Look(r.t.Context())
			require.NoError(t, err)
		case 5:
			require.NoError(t, r.RestartNode(r.t.Context(), id, 0, ""))
		case 6:
			_, err := r.store.Runs()
			require.NoError(t, err)
		}
	})
	require.Len(t, r.mutations(), mine, "%v", r.mutations())
	for _, c := range r.Calls() {
		require.Equal(t, "GET", c.Method, c.Path)
	}
}
