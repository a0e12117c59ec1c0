package rollout

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/hook"
	"github.com/StorconTUI/storcon-tui/engine/journal"
)

// written is a run as the journal numbers it.
func written(records ...journal.Record) journal.Records {
	head := journal.Record{Kind: journal.KindHeader, T: time.Unix(100, 0)}.
		With(journal.Header{Verb: "restart", Nodes: []client.NodeID{1, 2}, PlanSHA256: "x"})
	all := append(journal.Records{head}, records...)
	for i := range all {
		all[i].Seq = uint64(i + 1)
	}
	return all
}

func toState(node client.NodeID, s nodeState) journal.Record {
	return journal.Record{Kind: journal.KindState, Node: node}.With(journal.State{To: s.String()})
}

func answered(ask Ask, w Word) journal.Record {
	return journal.Record{Kind: journal.KindAnswer, Node: 1, T: time.Unix(200, 0)}.With(answerData{Ask: askWord(ask), Word: w, Policy: client.PolicyActive})
}

func TestFoldKeepsWhatIsOpen(t *testing.T) {
	yes := answered(AskDrain, WordYes)
	intent := journal.Record{Kind: journal.KindIntent, Node: 1, Eff: "n1.drain.1", Att: 1, Pre: &journal.Pre{Launch: 7}}
	ok := journal.Record{Kind: journal.KindResult, Node: 1, Eff: "n1.drain.1"}.With(journal.Result{Class: journal.ResultOK})
	start := journal.Record{Kind: journal.KindHookStart, Node: 1, Eff: "n1.restart.1", Pre: &journal.Pre{Launch: 7}}
	process := journal.Record{Kind: journal.KindSent, Node: 1, Eff: "n1.restart.1"}.With(hook.Started{PID: 42, StartTicks: 9})

	b := Fold(written(toState(1, beforeDrain), yes))
	require.Equal(t, "drain?", b.Nodes[0].Answer.Ask)
	require.Equal(t, client.PolicyActive, b.Nodes[0].Answer.Policy)

	b = Fold(written(toState(1, drainReq), yes, intent))
	require.Zero(t, b.Nodes[0].Answer, "it was acted upon")
	require.True(t, b.Nodes[0].Drain.maybe())
	require.False(t, b.Nodes[0].Drain.taken())
	require.Equal(t, 1, b.Calls.Drain)

	b = Fold(written(yes, intent, ok, toState(1, draining), toState(1, blocked)))
	require.True(t, b.Nodes[0].Drain.taken())
	require.Equal(t, "DRAINING", b.Nodes[0].State, "where it stood before it was blocked")

	b = Fold(written(yes, intent, ok, toState(1, drainVerify), start, process))
	require.True(t, b.Nodes[0].Drained)
	require.Equal(t, hook.Started{PID: 42, StartTicks: 9}, b.Nodes[0].Hook.Process)
	require.False(t, b.Nodes[0].Hook.ended())
	require.Equal(t, 1, b.Calls.Hooks)
	require.Equal(t, 1, b.Nodes[0].ordinal["restart"])

	b = Fold(written(answered(AskRestart, WordAbort)))
	require.True(t, b.Aborting)
	b = Fold(written(answered(AskFill, WordSkip)))
	require.True(t, b.Nodes[0].FillSkipped)
	b = Fold(written(answered(AskRestart, WordSkip)))
	require.True(t, b.Nodes[0].Leaving)
	require.False(t, b.Nodes[1].Leaving)
}

// I11: the fold is total and deterministic, whatever the records hold.
func TestFoldIsTotal(t *testing.T) {
	kinds := []journal.Kind{
		"header", "gate", "prompt", "answer", "intent", "sent", "result", "obs", "keyframe", "state", "hook_start", "hook_end",
		"anomaly", "override", "pause", "resume", "cleanup_intent", "cleanup_result", "close", "of a later version",
	}
	data := []string{``, `{}`, `[]`, `3`, `{"to":"OF_A_LATER_VERSION"}`, `{"to":"ENDED"}`, `{"word":"yes","ask":"drain?"}`, `{"word":7}`, `{"class":"ok"}`, `{"pid":-1}`, `{"nodes":[1,2]}`, `nonsense`}
	rapid.Check(t, func(t *rapid.T) {
		records := journal.Records{}
		for i := range rapid.IntRange(0, 30).Draw(t, "records") {
			records = append(records, journal.Record{
				Seq: uint64(i + 1), Kind: rapid.SampledFrom(kinds).Draw(t, "kind"),
				Node: client.NodeID(rapid.IntRange(0, 3).Draw(t, "node")),
				Eff:  rapid.SampledFrom([]string{"", "n1.drain.1", "n1.restart.x", "n2.fill.2", "a.b", "n1.probe.3"}).Draw(t, "eff"),
				Data: json.RawMessage(rapid.SampledFrom(data).Draw(t, "data")),
			})
		}
		require.Equal(t, Fold(records), Fold(records))
	})
}
