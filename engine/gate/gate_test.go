package gate

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func ago(d time.Duration) time.Time { return now.Add(-d) }

// six is a healthy cluster: nodes 1 and 2 in az-a, 3 and 4 in az-b, 5 and 6 in
// az-c, 100 shards attached to each.
func six() Input {
	var nodes []cluster.Node
	for id := client.NodeID(1); id <= 6; id++ {
		az := []string{"az-a", "az-b", "az-c"}[(id-1)/2]
		nodes = append(nodes, cluster.Node{
			Node: client.Node{
				ID: id, Availability: client.AvailabilityActive, Scheduling: client.PolicyActive, AvailabilityZone: &az,
			},
			Attached: 100,
		})
	}
	held := Fact{Pass, "held"}
	return Input{
		Now: now, Node: 1, Lock: held, Journal: held, Restart: held, Baseline: &Baseline{},
		Leftovers: &Leftovers{Listed: true, At: ago(time.Second)},
		Snapshot: &cluster.Snapshot{
			Nodes:   cluster.Part[[]cluster.Node]{Value: nodes, At: ago(time.Second)},
			Metrics: cluster.Part[client.Metrics]{At: ago(3 * time.Second), Value: client.Metrics{Leadership: "leader"}},
			Leader: cluster.Part[cluster.Epoch]{
				At: ago(time.Second), Value: cluster.Epoch{Address: "c1", StartedAt: ago(time.Hour), Since: ago(time.Minute)},
			},
		},
	}
}

// of makes the only nodes of the cluster be these.
func (in Input) of(ids ...client.NodeID) Input {
	var kept []cluster.Node
	for _, n := range in.Snapshot.Nodes.Value {
		for _, id := range ids {
			if n.ID == id {
				kept = append(kept, n)
			}
		}
	}
	in.Snapshot.Nodes.Value = kept
	return in
}

// but changes one node.
func (in Input) but(id client.NodeID, change func(*cluster.Node)) Input {
	for i := range in.Snapshot.Nodes.Value {
		if in.Snapshot.Nodes.Value[i].ID == id {
			change(&in.Snapshot.Nodes.Value[i])
		}
	}
	return in
}

func availability(a client.Availability) func(*cluster.Node) {
	return func(n *cluster.Node) { n.Availability = a }
}

func policy(p client.NodePolicy) func(*cluster.Node) {
	return func(n *cluster.Node) { n.Scheduling = p }
}

func (in Input) with(change func(*Input)) Input {
	change(&in)
	return in
}

func resultOf(t *testing.T, results []Result, name Name) Result {
	t.Helper()
	for _, r := range results {
		if r.Gate == name {
			return r
		}
	}
	t.Fatalf("%s was not asked", name)
	return Result{}
}

type row struct {
	at     At
	gate   Name
	in     Input
	want   Verdict
	figure string
}

func check1(t *testing.T, rows map[string]row) {
	t.Helper()
	for name, r := range rows {
		t.Run(name, func(t *testing.T) {
			got := resultOf(t, Evaluate(r.at, r.in), r.gate)
			require.Equal(t, r.want, got.Verdict, "figure: %s", got.Figure)
			require.Equal(t, r.figure, got.Figure)
			require.Equal(t, r.in.Node, got.Node)
		})
	}
}

func TestControllerGates(t *testing.T) {
	refused := errors.New("connection refused")
	check1(t, map[string]row{
		"reachable": {BeforeDrain, ControllerReachable, six(), Pass, "answered 1.0 s ago"},
		"D21: the newest try failed, the picture is fresh": {
			BeforeDrain, ControllerReachable,
			six().with(func(in *Input) { in.Snapshot.Nodes.Err, in.Snapshot.Nodes.Since = refused, ago(2*time.Second) }),
			Fail, "no good answer for 2.0 s: connection refused",
		},
		"T7: stale": {
			BeforeFill, ControllerReachable,
			six().with(func(in *Input) { in.Snapshot.Nodes.At = ago(14 * time.Second) }),
			Unknown, "list of nodes is 14 s old",
		},
		"never read": {AtPlan, ControllerReachable, six().with(func(in *Input) { in.Snapshot = &cluster.Snapshot{} }), Unknown, "no list of nodes yet"},

		"leader": {BeforeDrain, LeaderStable, six(), Pass, "same leader for 60 s of watching"},
		"D22: a new leader, read once": {
			BeforeDrain, LeaderStable,
			six().with(func(in *Input) { in.Snapshot.Leader.Value.Since = in.Snapshot.Leader.At }),
			Unknown, "the leader has been read once; two reads must agree",
		},
		"C17: a stepped-down instance answers": {
			BeforeDrain, LeaderStable,
			six().with(func(in *Input) { in.Snapshot.Metrics.Value.Leadership = "stepped_down" }),
			Fail, "the instance that answers is stepped_down",
		},
		"C16: whether the instance leads was last read before the leader moved": {
			BeforeRestart, LeaderStable,
			six().with(func(in *Input) { in.Snapshot.Metrics.At = in.Snapshot.Leader.Value.Since.Add(-time.Millisecond) }),
			Unknown, "whether the instance that answers leads was read before the leader was",
		},
		"leader read too long ago": {
			BeforeDrain, LeaderStable,
			six().with(func(in *Input) { in.Snapshot.Leader.At = ago(20 * time.Second) }),
			Unknown, "leader last read 20 s ago",
		},
		"D15: no scope for the leader, the start of the process stands in": {
			BeforeDrain, LeaderStable,
			six().with(func(in *Input) { in.Snapshot.Leader.Off = "token lacks scope admin" }),
			Pass, "same leader for 60 s of watching, by the start of its process",
		},
		"neither leader nor start": {
			BeforeDrain, LeaderStable,
			six().with(func(in *Input) {
				in.Snapshot.Leader = cluster.Part[cluster.Epoch]{Off: "token lacks scope admin"}
			}),
			Unknown, "start of the controller unknown; token lacks scope admin",
		},

		"X7: more stuck than at the plan": {
			BeforeDrain, StuckReconcilesZero,
			six().with(func(in *Input) {
				in.Snapshot.Metrics.Value.StuckReconciles = 3
				in.Snapshot.Metrics.Value.LongRunning = []client.LongReconcile{{Tenant: "3aa9", Shard: "2"}}
			}),
			Fail, "3 stuck, 0 when the plan was made; running long: 3aa9 shard 2",
		},
		"no more stuck than at the plan": {
			BeforeDrain, StuckReconcilesZero,
			six().with(func(in *Input) { in.Snapshot.Metrics.Value.StuckReconciles, in.Baseline = 3, &Baseline{Stuck: 3} }),
			Pass, "3 stuck, 3 when the plan was made",
		},
		"stuck at the plan": {
			AtPlan, StuckReconcilesZero,
			six().with(func(in *Input) { in.Snapshot.Metrics.Value.StuckReconciles, in.Baseline = 3, nil }),
			Pass, "3 stuck now; more than these will hold the run (remark)",
		},
		"stuck, and the plan knew no number": {
			BeforeDrain, StuckReconcilesZero,
			six().with(func(in *Input) { in.Snapshot.Metrics.Value.StuckReconciles, in.Baseline = 3, &Baseline{Stuck: -1} }),
			Unknown, "3 stuck; unknown how many when the plan was made",
		},
		"no gauge of stuck reconciles": {
			BeforeDrain, StuckReconcilesZero,
			six().with(func(in *Input) { in.Snapshot.Metrics.Value.StuckReconciles = -1 }),
			Unknown, "not among the controller's metrics",
		},
		"old metrics": {
			BeforeDrain, StuckReconcilesZero,
			six().with(func(in *Input) { in.Snapshot.Metrics.At = ago(time.Minute) }),
			Unknown, "metrics are 60 s old",
		},
		"no metrics": {
			BeforeDrain, StuckReconcilesZero,
			six().with(func(in *Input) { in.Snapshot.Metrics = cluster.Part[client.Metrics]{Err: refused} }),
			Unknown, "metrics unreadable: connection refused",
		},
	})
}

func TestForeignOperation(t *testing.T) {
	quiet := "no node is Draining, Filling, Deleting or PauseForRestart that is not ours"
	check1(t, map[string]row{
		"quiet":                         {BeforeFill, NoForeignOperation, six(), Pass, quiet},
		"a Pause is no operation":       {BeforeFill, NoForeignOperation, six().but(4, policy(client.PolicyPause)), Pass, quiet},
		"P7: somebody drains node 6":    {BeforeRestart, NoForeignOperation, six().but(6, policy(client.PolicyDraining)), Fail, "node 6 is Draining; not by this run"},
		"E24: a policy nobody knows":    {BeforeRestart, NoForeignOperation, six().but(6, policy("Napping")), Fail, "node 6 is Napping; not by this run"},
		"D6: drained before this run":   {AtPlan, NoForeignOperation, six().but(1, policy(client.PolicyPauseForRestart)), Fail, "node 1 is PauseForRestart; not by this run"},
		"the node that this run paused": {BeforeRestart, NoForeignOperation, six().but(1, policy(client.PolicyPauseForRestart)).with(func(in *Input) { in.Ours = map[client.NodeID]bool{1: true} }), Pass, quiet},
		"N27: a deletion, with its age": {
			BeforeDrain, NoForeignOperation,
			six().but(6, policy(client.PolicyDeleting)).but(6, func(n *cluster.Node) { n.PolicySince = ago(time.Minute) }),
			Fail, "node 6 is Deleting for 60 s; not by this run",
		},
	})
}

func TestPlacementGates(t *testing.T) {
	landing := &Tenants{Landing: map[client.NodeID]int{3: 80, 5: 20}}
	check1(t, map[string]row{
		"all Active": {BeforeDrain, AllOtherNodesActive, six(), Pass, "5 of 5"},
		"D23, X1: another node goes Offline": {
			BeforeDrain, AllOtherNodesActive,
			six().but(6, func(n *cluster.Node) { n.Availability, n.AvailabilitySince = "Offline", ago(41*time.Second) }),
			Fail, "node 6 Offline for 41 s",
		},
		"the node itself is not another":           {BeforeDrain, AllOtherNodesActive, six().but(1, availability("Offline")), Pass, "5 of 5"},
		"N9: warming up is not up":                 {BeforeDrain, AllOtherNodesActive, six().but(2, availability("WarmingUp")), Fail, "node 2 WarmingUp"},
		"E24: an availability nobody knows":        {BeforeDrain, AllOtherNodesActive, six().but(2, availability("Sleepy")), Fail, "node 2 Sleepy"},
		"N18: a node that flaps is not yet back":   {BeforeDrain, AllOtherNodesActive, six().but(2, func(n *cluster.Node) { n.Flaps = 5 }), Fail, "node 2 flapping, 5 changes in 5 min"},
		"P14: one node":                            {BeforeDrain, AllOtherNodesActive, six().of(1), Pass, "there is no other node"},
		"D10: the node is gone":                    {BeforeDrain, AllOtherNodesActive, six().of(2, 3), Unknown, "node 1 is not in the list"},
		"stale":                                    {BeforeDrain, AllOtherNodesActive, six().with(func(in *Input) { in.Snapshot.Nodes.At = ago(5 * time.Second) }), Unknown, "list of nodes is 5.0 s old"},
		"P14: one node, nowhere to go":             {AtPlan, SchedulableCapacity, six().of(1), Fail, "node 1 is the only node; its shards have nowhere to go"},
		"P14: two nodes, the other one Offline":    {AtPlan, SchedulableCapacity, six().of(1, 2).but(2, availability("Offline")), Fail, "no other node can take shards: node 2 is Offline"},
		"N17: three nodes, one Offline, one Pause": {AtPlan, SchedulableCapacity, six().of(1, 2, 3).but(2, availability("Offline")).but(3, policy(client.PolicyPause)), Fail, "no other node can take shards: node 2 is Offline, node 3 is in Pause"},
		"a Filling node takes shards":              {AtPlan, SchedulableCapacity, six().of(1, 2).but(2, policy(client.PolicyFilling)), Pass, "attached now: node 2 100; 100 to move, where to is not known"},
		"C29: the fullest first": {
			AtPlan, SchedulableCapacity, six().with(func(in *Input) { in.Tenants = landing }),
			Pass, "attached after the move: node 3 180 (+80), node 5 120 (+20), node 2 100, node 4 100, 1 more",
		},
		"no gauges yet": {
			AtPlan, SchedulableCapacity,
			six().of(1, 3).but(1, func(n *cluster.Node) { n.Attached = -1 }).but(3, func(n *cluster.Node) { n.Attached = -1 }),
			Pass, "attached now: node 3 unknown + 0; an unknown number to move, where to is not known",
		},

		"AZ keeps one (remark)": {BeforeDrain, AZRedundancy, six(), Pass, "AZ az-a keeps 1 schedulable (remark), the cluster 5"},
		"AZ keeps more": {
			BeforeDrain, AZRedundancy,
			six().but(3, func(n *cluster.Node) { az := "az-a"; n.AvailabilityZone = &az }),
			Pass, "AZ az-a keeps 2 schedulable, the cluster 5",
		},
		"X2: last of its AZ, and shards depend on it": {
			BeforeDrain, AZRedundancy,
			six().but(2, policy(client.PolicyPause)).with(func(in *Input) { in.Tenants = &Tenants{OnlySecondaryInAZ: 12} }),
			Fail, "node 1 is the last schedulable in AZ az-a; 12 shards with no secondary anywhere else",
		},
		"last of its AZ, nothing depends on it": {
			BeforeDrain, AZRedundancy,
			six().but(2, policy(client.PolicyPause)).with(func(in *Input) { in.Tenants = &Tenants{} }),
			Pass, "node 1 is the last schedulable in AZ az-a; no shard has its only secondary there (remark)",
		},
		"last of its AZ, tenants not read yet": {
			BeforeDrain, AZRedundancy, six().but(2, policy(client.PolicyPause)),
			Unknown, "node 1 is the last schedulable in AZ az-a; the tenants were not read yet",
		},
		"last of its AZ, no scope for tenants": {
			BeforeDrain, AZRedundancy,
			six().but(2, policy(client.PolicyPause)).with(func(in *Input) { in.TenantsOff = "403" }),
			Off, "node 1 is the last schedulable in AZ az-a; whose only secondary is there is not readable with this token",
		},
		"X2: the cluster would have one": {
			BeforeDrain, AZRedundancy, six().of(1, 3),
			Fail, "1 schedulable without node 1, at least 2 needed",
		},
		"N25: nobody can take shards": {
			BeforeDrain, AZRedundancy,
			six().of(1, 2, 3).but(2, availability("Offline")).but(3, availability("Offline")),
			Fail, "0 schedulable without node 1, at least 2 needed",
		},
		"a node that takes none anyway": {
			BeforeDrain, AZRedundancy, six().but(1, policy(client.PolicyPauseForRestart)),
			Pass, "node 1 takes no shards even now; the cluster keeps 5 schedulable",
		},
		"AZ not told": {
			BeforeDrain, AZRedundancy, six().but(1, func(n *cluster.Node) { n.AvailabilityZone = nil }),
			Pass, "5 schedulable without node 1; its AZ is not known",
		},
	})
}

func TestLeftovers(t *testing.T) {
	left := func(l *Leftovers) Input { return six().with(func(in *Input) { in.Leftovers = l }) }
	check1(t, map[string]row{
		"none stayed":                  {BeforeRestart, DrainLeftoversAccepted, left(&Leftovers{Listed: true, At: now}), Pass, "no shard stayed"},
		"N13: as planned":              {BeforeRestart, DrainLeftoversAccepted, left(&Leftovers{Listed: true, At: now, Left: 3, Accepted: 3}), Pass, "3 shards stayed, all accepted"},
		"N3: more than planned":        {BeforeRestart, DrainLeftoversAccepted, left(&Leftovers{Listed: true, At: now, Left: 7, Accepted: 3}), Fail, "7 shards stayed, 4 not accepted"},
		"I6: listed too long ago":      {BeforeRestart, DrainLeftoversAccepted, left(&Leftovers{Listed: true, At: ago(time.Minute)}), Unknown, "shards were listed 60 s ago"},
		"not listed":                   {BeforeRestart, DrainLeftoversAccepted, left(nil), Unknown, "what stayed attached was not listed yet"},
		"listing failed":               {BeforeRestart, DrainLeftoversAccepted, left(&Leftovers{}), Unknown, "what stayed attached was not listed yet"},
		"I6: no scope, not accepted":   {BeforeRestart, DrainLeftoversAccepted, left(&Leftovers{Unreadable: "403", Gauge: 4}), Unknown, "list not readable with this token (403), gauge says 4 attached"},
		"I6: no scope, accepted by id": {BeforeRestart, DrainLeftoversAccepted, left(&Leftovers{Unreadable: "403", Gauge: -1, AcceptedUnread: true}), Pass, "list not readable; accepted as it is, gauge unknown"},
	})
}
