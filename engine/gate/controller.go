package gate

import (
	"fmt"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
)

// age is a duration as people compare it: to a tenth below 10 s, else in whole seconds.
func age(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f s", d.Seconds())
}

// nodesUnusable is why the node list cannot be judged by; "" = it can.
func nodesUnusable(in Input) string {
	nodes := in.Snapshot.Nodes
	switch {
	case !nodes.Known() && nodes.Err != nil:
		return "no list of nodes yet: " + nodes.Err.Error()
	case !nodes.Known():
		return "no list of nodes yet"
	case in.Snapshot.Stale(in.Now):
		return "list of nodes is " + age(nodes.Age(in.Now)) + " old"
	}
	return ""
}

func controllerReachable(in Input) Fact {
	nodes := in.Snapshot.Nodes
	if nodes.Err != nil {
		return fail(fmt.Sprintf("no good answer for %s: %v", age(in.Now.Sub(nodes.Since)), nodes.Err))
	}
	if why := nodesUnusable(in); why != "" {
		return unknown(why)
	}
	if at := in.Snapshot.DatabaseErrorsAt; !at.IsZero() && in.Now.Sub(at) < databaseQuiet {
		return unknown(fmt.Sprintf("its database refused %s %s ago; quiet for %s is wanted",
			queries(in.Snapshot.DatabaseErrors), age(in.Now.Sub(at)), age(databaseQuiet)))
	}
	return pass("answered " + age(nodes.Age(in.Now)) + " ago")
}

// databaseQuiet is how long the controller's database must have refused nothing: what is
// begun meanwhile may not be written down to its end (X11, D24).
const databaseQuiet = time.Minute

func queries(n int64) string {
	if n == 1 {
		return "1 query"
	}
	return fmt.Sprintf("%d queries", n)
}

// leaderStable wants two reads of the epoch that agree, from an instance that
// leads.
func leaderStable(in Input) Fact {
	leader, metrics := in.Snapshot.Leader, in.Snapshot.Metrics
	if word := metrics.Value.Leadership; metrics.Known() && word != "" && word != "leader" {
		return fail("the instance that answers is " + word)
	}
	switch {
	case leader.Err != nil:
		return unknown("leader unreadable: " + leader.Err.Error())
	case !leader.Known() && leader.Off != "":
		return unknown("start of the controller unknown; " + leader.Off)
	case !leader.Known():
		return unknown("leader not read yet")
	case !leader.Fresh(in.Now, leaderFresh):
		return unknown("leader last read " + age(leader.Age(in.Now)) + " ago")
	case !leader.At.After(leader.Value.Since):
		return unknown("the leader has been read once; two reads must agree")
	case metrics.Known() && leader.Value.Since.After(metrics.At):
		// It may forward what it is asked by now, and list shards from an old memory (C16).
		return unknown("whether the instance that answers leads was read before the leader was")
	}
	figure := "same leader for " + age(in.Now.Sub(leader.Value.Since)) + " of watching"
	if leader.Off != "" {
		figure += ", by the start of its process"
	}
	return pass(figure)
}

// noForeignOperation looks for traces of somebody else's drain, fill or delete.
func noForeignOperation(in Input) Fact {
	if why := nodesUnusable(in); why != "" {
		return unknown(why)
	}
	var foreign []string
	for _, n := range in.Snapshot.Nodes.Value {
		switch n.Scheduling {
		case client.PolicyActive, client.PolicyPause:
			continue
		case client.PolicyDraining, client.PolicyFilling, client.PolicyDeleting, client.PolicyPauseForRestart:
			if in.Ours[n.ID] {
				continue
			}
		}
		foreign = append(foreign, fmt.Sprintf("node %s is %s%s", n.ID, n.Scheduling, since(n.PolicySince, in.Now)))
	}
	if len(foreign) == 0 {
		return pass("no node is Draining, Filling, Deleting or PauseForRestart that is not ours")
	}
	return fail(strings.Join(foreign, ", ") + "; not by this run")
}

func since(at, now time.Time) string {
	if at.IsZero() {
		return ""
	}
	return " for " + age(now.Sub(at))
}

func leftoversAccepted(in Input) Fact {
	left := in.Leftovers
	switch {
	case left == nil:
		return unknown("what stayed attached was not listed yet")
	case left.Listed && in.Now.Sub(left.At) >= LeftoversFresh:
		return unknown("shards were listed " + age(in.Now.Sub(left.At)) + " ago")
	case left.Listed && left.Left > left.Accepted:
		return fail(fmt.Sprintf("%s stayed, %d not accepted", shards(left.Left), left.Left-left.Accepted))
	case left.Listed && left.Left > 0:
		return pass(shards(left.Left) + " stayed, all accepted")
	case left.Listed:
		return pass("no shard stayed")
	case left.AcceptedUnread:
		return pass("list not readable; accepted as it is, " + gaugeWords(left.Gauge))
	case left.Unreadable != "":
		return unknown("list not readable with this token (" + left.Unreadable + "), " + gaugeWords(left.Gauge))
	}
	return unknown("what stayed attached was not listed yet")
}

func gaugeWords(attached int64) string {
	if attached < 0 {
		return "gauge unknown"
	}
	return fmt.Sprintf("gauge says %d attached", attached)
}

// nodeOf finds Node; without it nothing can be said of what it leaves behind.
func nodeOf(in Input) (cluster.Node, Fact, bool) {
	if why := nodesUnusable(in); why != "" {
		return cluster.Node{}, unknown(why), false
	}
	n, ok := in.Snapshot.Node(in.Node)
	if !ok {
		return cluster.Node{}, unknown(fmt.Sprintf("node %s is not in the list", in.Node)), false
	}
	return n, Fact{}, true
}
