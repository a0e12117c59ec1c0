package cluster

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/pageserver"
)

// A node that somebody restarts in the middle of its drain needs a person, for as long
// as it says Draining or, when the drain outlives the restart, PauseForRestart; a later
// drain that ends as it should does not.
func TestRow_R12_RestartedWhileDraining(t *testing.T) {
	f := newFake(node(1))
	launch := int64(1000)
	cfg := Config{Client: f, Pageserver: func(context.Context, client.Node) (pageserver.Info, error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		return pageserver.Info{LaunchMillis: launch}, nil
	}}
	policy := func(p client.NodePolicy) {
		n := node(1)
		n.Scheduling = p
		f.setNode(n)
	}
	reasons := func(p *Poller) []Reason {
		var all []Reason
		for _, a := range Attend(p.Latest(), time.Now(), nil) {
			all = append(all, a.Reason)
		}
		return all
	}
	running(t, cfg, func(t *testing.T, p *Poller) {
		pass(time.Second)
		policy(client.PolicyDraining)
		pass(20 * time.Second)
		require.Equal(t, []Reason{OperationForeign}, reasons(p))
		f.do(func() { launch++ })
		pass(20 * time.Second)
		require.Equal(t, []Reason{RestartedInDrain}, reasons(p))
		policy(client.PolicyPauseForRestart)
		pass(2 * time.Second)
		require.Equal(t, []Reason{RestartedInDrain}, reasons(p), "stuck, as foretold")
		require.Empty(t, Attend(p.Latest(), time.Now(), map[client.NodeID]bool{1: true}), "a run of ours asks about it itself")
		policy(client.PolicyActive)
		pass(2 * time.Second)
		require.Empty(t, reasons(p))
		policy(client.PolicyDraining)
		pass(2 * time.Second)
		policy(client.PolicyPauseForRestart)
		pass(2 * time.Second)
		require.Equal(t, []Reason{PausedForRestart}, reasons(p))
	})
}

// What the controller's database refuses is seen in the counter's growth, never in its
// height, and a controller that was started anew begins anew (X11).
func TestDatabaseErrors(t *testing.T) {
	f := newFake(node(1))
	start := time.Unix(1000, 0)
	say := func(errors int64, start time.Time) {
		f.do(func() { f.metrics = client.Metrics{Leadership: "leader", DatabaseErrors: errors, ProcessStart: start} })
	}
	say(7, start)
	running(t, Config{Client: f}, func(t *testing.T, p *Poller) {
		pass(20 * time.Second)
		require.Zero(t, p.Latest().DatabaseErrorsAt)
		say(10, start)
		pass(6 * time.Second)
		at := p.Latest().DatabaseErrorsAt
		require.NotZero(t, at)
		require.Equal(t, int64(3), p.Latest().DatabaseErrors)
		pass(time.Minute)
		require.Equal(t, at, p.Latest().DatabaseErrorsAt)
		say(50, start.Add(time.Hour))
		pass(6 * time.Second)
		require.Equal(t, at, p.Latest().DatabaseErrorsAt, "another process counts from nothing")
	})
}
