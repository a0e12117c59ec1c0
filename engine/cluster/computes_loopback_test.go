package cluster_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/demo/server"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
)

// The nodes that a compute depends on are known, and follow its shards when these move;
// what its start took is known without anybody looking.
func TestComputesOverLoopback(t *testing.T) {
	r := start(t, server.Options{Nodes: 4, Seed: 7, Speed: 20, Tenants: 40, Computes: 3, AllMovable: true}, "")
	on := func(s *cluster.Snapshot, name string) (nodes []client.NodeID) {
		for _, n := range s.Nodes.Value {
			list, _ := s.ComputesOn(n.ID)
			if slices.ContainsFunc(list, func(c cluster.Compute) bool { return c.Name == name }) {
				nodes = append(nodes, n.ID)
			}
		}
		return nodes
	}
	running := r.server.Computes()[0].Name
	s := r.until("where a running compute's shards are, and what its start took", func(s *cluster.Snapshot) bool {
		c, _ := s.Compute(running)
		return len(on(s, running)) > 0 && c.Startup.Known()
	})
	c, _ := s.Compute(running)
	require.Equal(t, compute.StateRunning, c.Status.Value.State)
	require.Positive(t, c.Startup.Value.Total)
	require.Len(t, c.Seen, 1)
	from := on(s, running)[0]

	defer r.poller.WatchCompute(running)()
	require.NoError(t, r.client.StartDrain(t.Context(), from))
	r.until("it depends on another node", func(s *cluster.Snapshot) bool {
		nodes := on(s, running)
		return len(nodes) > 0 && !slices.Contains(nodes, from)
	})
}
