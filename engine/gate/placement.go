package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
)

// leastSchedulable is how many nodes must stay able to take shards.
const leastSchedulable = 2

// mostNamed bounds how many nodes a figure lists.
const mostNamed = 4

func others(in Input) []cluster.Node {
	return slices.DeleteFunc(slices.Clone(in.Snapshot.Nodes.Value), func(n cluster.Node) bool { return n.ID == in.Node })
}

// allOtherNodesActive judges availability: what a policy says of a node is
// for other gates. A node that flaps is not counted as Active on the strength of one read.
func allOtherNodesActive(in Input) Fact {
	if _, why, ok := nodeOf(in); !ok {
		return why
	}
	rest := others(in)
	var away []string
	for _, n := range rest {
		switch {
		case n.Availability != client.AvailabilityActive:
			away = append(away, fmt.Sprintf("node %s %s%s", n.ID, n.Availability, since(n.AvailabilitySince, in.Now)))
		case n.Flapping():
			away = append(away, fmt.Sprintf("node %s flapping, %d changes in 5 min", n.ID, n.Flaps))
		}
	}
	switch {
	case len(away) > 0:
		return fail(strings.Join(away, ", "))
	case len(rest) == 0:
		return pass("there is no other node")
	}
	return pass(fmt.Sprintf("%d of %d", len(rest), len(rest)))
}

// azRedundancy counts nodes that may take shards once Node is unloaded. The
// count over the cluster needs nothing but the node list. Whether the loss of an
// AZ's last such node hurts, only the tenant list tells.
func azRedundancy(in Input) Fact {
	node, why, ok := nodeOf(in)
	if !ok {
		return why
	}
	var inCluster, inAZ int
	for _, n := range others(in) {
		if !n.Schedulable() {
			continue
		}
		inCluster++
		if n.AZ() == node.AZ() {
			inAZ++
		}
	}
	az := node.AZ()
	switch {
	case inCluster < leastSchedulable:
		return fail(fmt.Sprintf("%d schedulable without node %s, at least %d needed", inCluster, node.ID, leastSchedulable))
	case az == "":
		return pass(fmt.Sprintf("%d schedulable without node %s; its AZ is not known", inCluster, node.ID))
	case !node.Schedulable():
		return pass(fmt.Sprintf("node %s takes no shards even now; the cluster keeps %d schedulable", node.ID, inCluster))
	case inAZ > 1:
		return pass(fmt.Sprintf("AZ %s keeps %d schedulable, the cluster %d", az, inAZ, inCluster))
	case inAZ == 1:
		return pass(fmt.Sprintf("AZ %s keeps 1 schedulable (remark), the cluster %d", az, inCluster))
	}
	return lastOfAZ(in, az)
}

func lastOfAZ(in Input, az string) Fact {
	last := fmt.Sprintf("node %s is the last schedulable in AZ %s; ", in.Node, az)
	switch {
	case in.Tenants == nil && in.TenantsOff != "":
		return off(last + "whose only secondary is there is not readable with this token")
	case in.Tenants == nil:
		return unknown(last + "the tenants were not read yet")
	case in.Tenants.OnlySecondaryInAZ > 0:
		return fail(fmt.Sprintf("%s%s with no secondary anywhere else", last, shards(in.Tenants.OnlySecondaryInAZ)))
	}
	return pass(last + "no shard has its only secondary there (remark)")
}

// schedulableCapacity wants somewhere for the shards to go, and shows how full
// it gets there.
func schedulableCapacity(in Input) Fact {
	node, why, ok := nodeOf(in)
	if !ok {
		return why
	}
	var able []cluster.Node
	var unable []string
	for _, n := range others(in) {
		if n.Schedulable() {
			able = append(able, n)
		} else {
			unable = append(unable, unfit(n))
		}
	}
	if len(able) == 0 {
		if len(unable) == 0 {
			return fail(fmt.Sprintf("node %s is the only node; its shards have nowhere to go", node.ID))
		}
		return fail("no other node can take shards: " + strings.Join(unable, ", "))
	}
	if in.Tenants == nil || in.Tenants.Landing == nil {
		return pass(fmt.Sprintf("attached now: %s; %s to move, where to is not known",
			loads(able, nil), count(node.Attached)))
	}
	return pass("attached after the move: " + loads(able, in.Tenants.Landing))
}

func unfit(n cluster.Node) string {
	if n.Availability != client.AvailabilityActive {
		return fmt.Sprintf("node %s is %s", n.ID, n.Availability)
	}
	return fmt.Sprintf("node %s is in %s", n.ID, n.Scheduling)
}

// loads lists nodes with what will be attached there, the fullest first.
func loads(nodes []cluster.Node, landing map[client.NodeID]int) string {
	load := func(n cluster.Node) int64 { return n.Attached + int64(landing[n.ID]) }
	nodes = slices.SortedStableFunc(slices.Values(nodes), func(a, b cluster.Node) int {
		return cmp.Compare(load(b), load(a))
	})
	var parts []string
	for _, n := range nodes[:min(mostNamed, len(nodes))] {
		part := fmt.Sprintf("node %s ", n.ID)
		switch moved := landing[n.ID]; {
		case n.Attached < 0:
			part += fmt.Sprintf("unknown + %d", moved)
		case moved > 0:
			part += fmt.Sprintf("%d (+%d)", load(n), moved)
		default:
			part += fmt.Sprint(n.Attached)
		}
		parts = append(parts, part)
	}
	if rest := len(nodes) - mostNamed; rest > 0 {
		parts = append(parts, fmt.Sprintf("%d more", rest))
	}
	return strings.Join(parts, ", ")
}

func count(n int64) string {
	if n < 0 {
		return "an unknown number"
	}
	return fmt.Sprint(n)
}

// shards counts in words.
func shards(n int) string {
	if n == 1 {
		return "1 shard"
	}
	return fmt.Sprintf("%d shards", n)
}
