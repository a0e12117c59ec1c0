package rollout_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// leftOpen is a run that a process of another day left open on a cluster of these
// nodes.
func (r *rig) leftOpen(members ...journal.Member) string {
	r.t.Helper()
	lock, err := r.store.Lock(journal.Info{User: "oncall0"})
	require.NoError(r.t, err)
	j, err := r.store.Create(journal.Header{
		Verb: string(rollout.GoalRestart), Nodes: []client.NodeID{1}, Members: members,
		Plan: []byte(`{"Goal":"restart","Steps":[{"Node":1}]}`),
	})
	require.NoError(r.t, err)
	require.NoError(r.t, j.Close())
	require.NoError(r.t, lock.Release())
	return j.RunID()
}

// The journal is of a cluster that shares no node with this one: it is not taken
// up, nothing is sent, and the lock is free again. One node in common is enough.
func TestRow_E22_AnotherCluster(t *testing.T) {
	r := newRig(t, options{})
	run := r.leftOpen(journal.Member{ID: 1, AZ: "az-of-another-region"}, journal.Member{ID: 99, AZ: "az-a"})
	_, err := r.engine.Resume(t.Context(), run)
	var wrong *rollout.WrongClusterError
	require.ErrorAs(t, err, &wrong)
	require.Equal(t, run, wrong.Run)
	for _, c := range r.Calls() {
		require.Equal(t, http.MethodGet, c.Method)
	}
	lock, err := r.store.Lock(journal.Info{})
	require.NoError(t, err, "the lock was given back")
	require.NoError(t, r.store.MarkClosed(run, journal.Actor{}, "another cluster's"))
	require.NoError(t, lock.Release())

	node, ok := r.poller.Latest().Node(1)
	require.True(t, ok)
	run = r.leftOpen(journal.Member{ID: 99, AZ: "az-a"}, journal.Member{ID: 1, AZ: node.AZ()})
	r.driver, err = r.engine.Resume(t.Context(), run)
	require.NoError(t, err)
	r.driver.Detach("that is all")
	<-r.driver.Done()
}
