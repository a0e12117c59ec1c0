package rollout_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// The plan counts the shards of its nodes that are being split or imported (X12).
func TestPlanSeesSplitsAndImports(t *testing.T) {
	r := newRig(t, options{})
	plan, err := r.engine.Plan(t.Context(), rollout.GoalRestart, []client.NodeID{1, 2})
	require.NoError(t, err)
	require.Zero(t, plan.Steps[0].Changing)

	snap := &cluster.Snapshot{Nodes: r.poller.Latest().Nodes}
	yes, at, other := true, client.NodeID(1), client.NodeID(2)
	tenants := rollout.NewPlanTenants(snap, []client.NodeID{1}, nil)
	tenants.Add([]client.Tenant{{ID: "a", Shards: []client.TenantShard{
		{ID: "a-0004", NodeAttached: &at, IsSplitting: true},
		{ID: "a-0104", NodeAttached: &at, IsImporting: &yes},
		{ID: "a-0204", NodeAttached: &at},
		{ID: "a-0304", NodeAttached: &other, IsSplitting: true},
	}}})
	made, err := rollout.MakePlan(rollout.PlanInput{
		Snapshot: r.poller.Latest(), At: r.poller.Latest().At, Goal: rollout.GoalRestart, Nodes: []client.NodeID{1}, Tenants: tenants,
		Hook: func(client.Node) string { return "" },
	})
	require.NoError(t, err)
	require.Equal(t, 2, made.Steps[0].Changing)
}
