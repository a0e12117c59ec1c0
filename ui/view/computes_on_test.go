package view

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/ui/goldentest"
)

func nodeFrame(c *Context, id client.NodeID) string {
	return ansi.Strip(strings.Join(NewNode(id).Lines(c, 120, 30), "\n"))
}

// A node names the computes that depend on it, what needs a person first, and never
// says none while it is not known.
func TestNodeNamesItsComputes(t *testing.T) {
	c := seatContext(goldentest.Styles(t, goldentest.Looks[0]))
	require.Contains(t, nodeFrame(c, 1), "of 4 computes it is not known yet")
	c.Snapshot.Tenants = map[client.TenantID]cluster.Part[[]client.TenantShard]{seatTenant: {Off: "token lacks scope admin"}}
	require.Contains(t, nodeFrame(c, 1), "of 4 computes it is not known: token lacks scope admin")

	c.Snapshot.Tenants = seatTenants(c.Now)
	text := strings.Join(strings.Fields(nodeFrame(c, 1)), " ")
	require.Contains(t, text, "computes 4 on this node · failed: ep-failed (notification pending) · no answer: ep-silent (notification pending)")
	require.Contains(t, text, "hibernating: ep-odd (notification pending) and 1 more", "as many as two lines hold")
	c.Snapshot.Nodes.Value = append(c.Snapshot.Nodes.Value, cluster.Node{Node: client.Node{ID: 2}})
	require.Contains(t, nodeFrame(c, 2), "none on this node")

	// The node's own list is newer.
	attached := false
	c.Snapshot.Shards = map[client.NodeID]cluster.Part[cluster.ShardCounts]{
		1: {At: c.Now}, 2: {At: c.Now, Value: cluster.ShardCounts{Shards: []client.ShardLocation{{ID: seatTenant + "-0002", ObservedSecondary: &attached}}}},
	}
	require.Contains(t, nodeFrame(c, 1), "none on this node")
	require.Contains(t, nodeFrame(c, 2), "4 on this node")
	require.Equal(t, OpenComputes{Node: 2}, NewNode(2).Key("c", c))
}

func TestComputesOfANode(t *testing.T) {
	c := seatContext(goldentest.Styles(t, goldentest.Looks[0]))
	c.Snapshot.Tenants = seatTenants(c.Now)
	v := NewComputesOn(3)
	frame := func() string { return ansi.Strip(strings.Join(v.Lines(c, 120, 24), "\n")) }
	require.Equal(t, []string{"ep-failed", "ep-silent", "ep-cool-night-a1", "ep-odd"}, order(frame()))
	require.Contains(t, frame(), "4 of 5 · by urgency ↑ · only on node 3")
	require.Nil(t, v.Key("esc", c))
	require.Len(t, order(frame()), 5)
	require.Equal(t, Back{}, v.Key("esc", c))
	v = NewComputesOn(30)
	require.Empty(t, order(frame()))
	require.Contains(t, frame(), "No compute depends on node 30. esc shows all.")
	c.Snapshot.Tenants = nil
	require.Contains(t, frame(), "No compute depends on node 30, as far as is known: of 4 computes it is not known where")
	v = NewComputes()
	v.setFilter("zzz")
	require.Contains(t, frame(), `Nothing matches "zzz". esc clears the filter.`)
}

// However many there are, the text keeps to its lines and says how many it left out.
func TestManyDependentsAreCutToTheirLines(t *testing.T) {
	var d dependents
	for i := range 40 {
		d.rows = append(d.rows, computeRow{name: "ep-cool-night-" + string(rune('a'+i%26)), state: "running"})
	}
	for w := 10; w < 200; w += 7 {
		lines := d.fitting(w, 2)
		require.LessOrEqual(t, len(lines), 2)
		for _, l := range lines {
			require.LessOrEqual(t, ansi.StringWidth(l), w)
		}
		if w > 60 {
			require.Regexp(t, `^40 on this node · running: .* and \d+ more$`, strings.Join(lines, " "))
		}
	}
}

// A plan says how the computes are that depend on its node: those that it found, else
// those that are known.
func TestPlanNamesItsComputes(t *testing.T) {
	c := runContext(goldentest.Styles(t, goldentest.Looks[2]), nil)
	frame := func(p rollout.Plan) string { return strings.Join(NewPlanScreen(p).Lines(c, 120, 40), "\n") }
	plan := fixturePlan()
	require.Contains(t, frame(plan), "2 on this node · failed: ep-old-river-b7 · running: ep-cool-night-a1")
	c.Snapshot.Computes = c.Snapshot.Computes[:0]
	require.Contains(t, frame(plan), "no longer listed: ep-cool-night-a1, ep-old-river-b7")

	plan.Steps[0].Computes = nil
	require.NotContains(t, frame(plan), "on this node")
	c.Snapshot.Computes, c.Snapshot.Tenants = seatComputes(c.Now), seatTenants(c.Now)
	require.Contains(t, frame(plan), "none on this node", "the plan has looked")
	plan.TenantsOff = "the token lacks scope admin"
	require.Contains(t, frame(plan), "4 on this node · failed: ep-failed (notification pending)")
	c.Snapshot = nil
	require.NotContains(t, frame(plan), "on this node")
}
