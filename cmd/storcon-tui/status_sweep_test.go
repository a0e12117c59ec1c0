package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/demo/server"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/journal"
)

// A node that was left off Active after all went well is listed with who did it, when that
// is known, and with what puts it right (P18).
func TestSweep(t *testing.T) {
	t.Parallel()
	ended := time.Date(2026, 12, 1, 3, 12, 0, 0, time.UTC)
	run := func(id, verb string, outcome journal.Outcome) journal.RunInfo {
		r := journal.RunInfo{ID: id, Verb: verb, Nodes: []client.NodeID{1, 2}, By: journal.Actor{User: "ann", Host: "ops"}, Outcome: outcome}
		if outcome != "" {
			r.Closed, r.ClosedAt = true, ended
		}
		return r
	}
	live := &driverReport{Run: "R1"}
	for name, test := range map[string]struct {
		policy client.NodePolicy
		runs   []journal.RunInfo
		driver *driverReport
		by     string
		repair string
	}{
		"active":                    {policy: client.PolicyActive},
		"paused":                    {policy: client.PolicyPause, runs: []journal.RunInfo{run("R1", "restart", "")}, repair: "activate 1"},
		"deleting":                  {policy: client.PolicyDeleting},
		"unknown policy":            {policy: "Hibernating"},
		"draining":                  {policy: client.PolicyDraining, repair: "cancel 1"},
		"filling":                   {policy: client.PolicyFilling, repair: "cancel 1"},
		"drained by nobody of ours": {policy: client.PolicyPauseForRestart, repair: "activate 1"},
		"drained by a run that is live": {
			policy: client.PolicyPauseForRestart, runs: []journal.RunInfo{run("R1", "restart", "")}, driver: live, by: "R1",
		},
		"drained by a run that was left": {
			policy: client.PolicyPauseForRestart, runs: []journal.RunInfo{run("R1", "restart", "")}, by: "R1", repair: "rollout --resume R1",
		},
		"drained by a run that ended dirty": {
			policy: client.PolicyPauseForRestart, runs: []journal.RunInfo{run("R1", "restart", journal.AbortedDirty)}, by: "R1", repair: "activate 1",
		},
		"drained alone, as it was asked for": {
			policy: client.PolicyPauseForRestart, runs: []journal.RunInfo{run("R1", "drain", journal.Done)}, by: "R1", repair: "activate 1",
		},
		"drained after a run that had put it right": {
			policy: client.PolicyPauseForRestart,
			runs:   []journal.RunInfo{run("R2", "restart", journal.Done), run("R1", "restart", journal.AbortedDirty)}, repair: "activate 1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nodes := []cluster.Node{{Node: client.Node{ID: 1, Scheduling: test.policy}}, {Node: client.Node{ID: 3, Scheduling: client.PolicyActive}}}
			found := sweep(nodes, test.runs, test.driver)
			if test.policy == client.PolicyActive {
				require.Empty(t, found)
				return
			}
			require.Len(t, found, 1)
			words := found[0].words()
			require.Contains(t, words, "node 1 is "+string(test.policy)+": ")
			if test.by == "" {
				require.Nil(t, found[0].Run)
			} else {
				require.Equal(t, test.by, found[0].Run.Run)
				require.Contains(t, words, "run "+test.by+" (")
			}
			if test.repair == "" {
				require.Nil(t, found[0].Repair)
				require.NotContains(t, words, "put right by")
			} else {
				require.Equal(t, "storcon-tui "+test.repair, *found[0].Repair)
				require.Contains(t, words, "; put right by: storcon-tui "+test.repair)
			}
		})
	}
}

// What status names puts right what a script has left: a drained node, and a drain that
// was lost with its controller.
func TestSweptNodesArePutRightAsNamed(t *testing.T) {
	t.Parallel()
	for fault, policy := range map[string]string{"leave-paused": "PauseForRestart", "orphaned-operation": "Draining"} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			_, config := drivable(t, server.Options{Nodes: 4, Tenants: 400, Seed: 7, Speed: 20})
			flags := []string{"--config", config, "--state-dir", t.TempDir()}
			drive := execute(t, append(flags, "demo", "drive", "1", "--fault", fault, "--period", "50ms")...)
			require.Equal(t, 0, drive.code, drive.out+drive.errors)

			_, line, ok := strings.Cut(execute(t, append(flags, "status")...).out, "! node 1 is "+policy+": ")
			require.True(t, ok)
			_, named, ok := strings.Cut(line, "put right by: storcon-tui ")
			require.True(t, ok, line)
			named, _, _ = strings.Cut(named, "\n")
			put := executeWith(t, nil, strings.NewReader("yes\nreset 1\n"), append(append(flags, strings.Fields(named)...), "--plain")...)
			require.Contains(t, []int{0, 10}, put.code, put.out+put.errors)
			require.NotContains(t, execute(t, append(flags, "status")...).out, "! node 1")
		})
	}
}
