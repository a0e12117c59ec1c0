package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/release"
)

// What a person reads of each event.
func TestWatchInText(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 12, 1, 22, 0, 0, 0, time.Local)
	node := func(id client.NodeID, phase release.Phase, spans ...release.Span) release.NodeProgress {
		n := release.NodeProgress{Phase: phase, Since: at, Spans: spans}
		n.ID = id
		n.Policy, n.Availability = "Active", "WarmingUp"
		return n
	}
	r := release.Release{
		Cluster: "eu-1", At: at, Started: at.Add(-time.Hour), Target: "rel-9",
		Progress: release.Progress{Nodes: 12, Done: 4},
		Nodes: []release.NodeProgress{
			node(1, release.Drained, release.Span{Phase: release.Draining, From: at.Add(-90 * time.Second), To: at}),
			node(2, release.WarmingUp),
		},
		ETA: release.ETA{At: at.Add(8 * time.Minute), Earliest: at.Add(6 * time.Minute), Latest: at.Add(11 * time.Minute), Seen: 4},
	}
	over := r
	over.Ended = at
	anomaly := release.Anomaly{Kind: release.DrainCancelled, Node: 1, Since: at.Add(-2 * time.Minute), Text: "the drain of node 1 ended"}
	ended, compute := anomaly, release.Anomaly{Kind: release.ComputeFailed, Compute: "ep-a", Since: at, Until: at.Add(time.Minute)}
	ended.Until = at
	bad := over
	bad.Anomalies = []release.Anomaly{ended, compute, ended}

	for name, test := range map[string]struct {
		event release.Event
		in    release.Release
		want  string
	}{
		"begun":            {release.Event{Kind: release.ReleaseStarted}, r, "release begun"},
		"first phase":      {release.Event{Kind: release.PhaseChanged, Node: 1, From: release.Waiting, To: release.Draining}, r, "node 1  draining"},
		"phase":            {release.Event{Kind: release.PhaseChanged, Node: 1, From: release.Draining, To: release.Drained}, r, "node 1  drained, after 1 min 30 s draining"},
		"phase of no time": {release.Event{Kind: release.PhaseChanged, Node: 2, From: release.Restarting, To: release.WarmingUp, Inferred: true}, r, "node 2  warming up (inferred)"},
		"done": {
			release.Event{Kind: release.PhaseChanged, Node: 2, From: release.Filling, To: release.Done},
			r,
			"node 2  done; 4 of 12 nodes done, target rel-9, all in about 8 min (6 min to 11 min)",
		},
		"wrong":                 {release.Event{Kind: release.AnomalyBegan, Node: 1, Anomaly: &anomaly}, r, "! drain cancelled: the drain of node 1 ended"},
		"right again":           {release.Event{Kind: release.AnomalyEnded, Node: 1, Anomaly: &ended}, r, "over: drain cancelled of node 1, after 2 min"},
		"compute right again":   {release.Event{Kind: release.AnomalyEnded, Anomaly: &compute}, r, "over: compute failed of compute ep-a, after 1 min"},
		"gone":                  {release.Event{Kind: release.NodeVanished, Node: 2}, r, "node 2  no longer registered"},
		"over":                  {release.Event{Kind: release.ReleaseEnded}, over, "release over, after 1 h: 4 of 12 nodes done, target rel-9; nothing looked wrong"},
		"over, and not so well": {release.Event{Kind: release.ReleaseEnded}, bad, "release over, after 1 h: 4 of 12 nodes done, target rel-9; not all was well: drain cancelled, compute failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			test.event.At = at
			require.NoError(t, textLines{out: &out}.event(test.event, test.in))
			require.Equal(t, "22:00:00  "+test.want+"\n", out.String())
		})
	}

	var out strings.Builder
	lines := textLines{out: &out, identity: cluster.Identity{Name: "eu-1"}}
	require.NoError(t, lines.begin(r))
	require.Equal(t, "22:00:00  watching eu-1, 2 nodes: a release goes on since 21:00:00, 4 of 12 nodes done, target rel-9\n"+
		"22:00:00  node 1  drained: WarmingUp/Active\n22:00:00  node 2  warming up: WarmingUp/Active\n", out.String())
}
