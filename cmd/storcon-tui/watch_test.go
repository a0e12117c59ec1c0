package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/release"
)

// What was wrong before is not held against a release; what came with it is.
func TestWatchVerdict(t *testing.T) {
	t.Parallel()
	looked := time.Date(2026, 12, 1, 22, 0, 0, 0, time.UTC)
	begun := looked.Add(time.Hour)
	paused := release.NodeProgress{}
	paused.ID, paused.Policy = 1, client.PolicyPause
	drained := release.NodeProgress{}
	drained.ID, drained.Policy = 2, client.PolicyPauseForRestart
	for name, test := range map[string]struct {
		anomaly release.Anomaly
		want    int
	}{
		"compute failed at the first look":  {release.Anomaly{Kind: release.ComputeFailed, Compute: "ep-a", Since: looked}, 0},
		"compute failed before the release": {release.Anomaly{Kind: release.ComputeFailed, Compute: "ep-a", Since: begun.Add(-1)}, 0},
		"compute failed in the release":     {release.Anomaly{Kind: release.ComputeFailed, Compute: "ep-a", Since: begun.Add(1)}, 13},
		"node paused before":                {release.Anomaly{Kind: release.LeftOver, Node: 1, Since: looked}, 0},
		"node paused in the release":        {release.Anomaly{Kind: release.LeftOver, Node: 1, Since: begun.Add(1)}, 13},
		"node left drained":                 {release.Anomaly{Kind: release.LeftOver, Node: 2, Since: looked}, 13},
		"drain cancelled":                   {release.Anomaly{Kind: release.DrainCancelled, Node: 2, Since: begun}, 13},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &watcher{began: looked}
			err := w.verdict(release.Release{
				Started: begun, Nodes: []release.NodeProgress{paused, drained}, Anomalies: []release.Anomaly{test.anomaly},
			})
			require.Equal(t, test.want, int(exitCode(err)))
			if test.want != 0 {
				require.ErrorContains(t, err, "not all was well: "+test.anomaly.Kind.String())
			}
		})
	}
}
