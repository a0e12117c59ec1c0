package gate

import (
	"github.com/StorconTUI/storcon-tui/client"
)

// check is one gate: at which moments it is asked, and how hard it is.
type check struct {
	name   Name
	at     []At
	node   bool // it is about one node, and does not apply to a run as a whole
	halts  bool
	firm   bool // no person can override it
	verify func(Input) Fact
}

var (
	always    = []At{AtPlan, BeforeDrain, BeforeRestart, BeforeFill, BeforeCleanup, WhileBaking}
	forward   = []At{AtPlan, BeforeDrain, BeforeRestart, BeforeFill, WhileBaking}
	toUnload  = []At{AtPlan, BeforeDrain, WhileBaking}
	toRestart = []At{BeforeRestart}
	toFill    = []At{BeforeFill}
	toBake    = []At{WhileBaking}
)

// checks in the order in which people see them. A cleanup needs what every
// call needs and no more: putting things right must stay possible when little else is.
// A bake asks the plan's gates again, beside its own: what it waits for is a
// cluster in which the next node may go.
func checks() []check {
	return []check{
		{name: ControllerReachable, at: always, verify: controllerReachable},
		{name: LeaderStable, at: always, verify: leaderStable},
		{name: NoForeignOperation, at: forward, verify: noForeignOperation},
		{name: AllOtherNodesActive, at: toUnload, node: true, halts: true, verify: allOtherNodesActive},
		{name: AZRedundancy, at: toUnload, node: true, verify: azRedundancy},
		{name: SchedulableCapacity, at: toUnload, node: true, verify: schedulableCapacity},
		{name: PendingReconcilesLow, at: toUnload, verify: pendingReconciles},
		{name: StuckReconcilesZero, at: toUnload, verify: stuckReconciles},
		{name: NotificationsClear, at: toRestart, node: true, verify: notificationsClear},
		{name: AZViolationsBaseline, at: toUnload, verify: azViolations},
		{name: AlertsClear, at: toUnload, halts: true, verify: alertsClear},
		{name: InWindow, at: toUnload, verify: inWindow},
		{name: LockHeld, at: always, firm: true, verify: func(in Input) Fact { return in.Lock }},
		{name: JournalWritable, at: always, firm: true, verify: func(in Input) Fact { return in.Journal }},
		{name: TokenValid, at: forward, verify: tokenValid},
		{name: DrainLeftoversAccepted, at: toRestart, node: true, verify: leftoversAccepted},
		{name: RestartProven, at: toFill, node: true, firm: true, verify: func(in Input) Fact { return in.Restart }},
		{name: VersionMatches, at: toFill, node: true, verify: versionMatches},
		{name: NodeStable, at: toBake, node: true, verify: nodeStable},
	}
}

// Evaluate asks every gate that applies at a moment, in fixed order. It must
// be called again right before each call that may change the cluster.
func Evaluate(at At, in Input) []Result {
	var results []Result
	for _, c := range checks() {
		if c.appliesAt(at) && (!c.node || in.Node != 0) {
			results = append(results, c.result(in))
		}
	}
	return results
}

// EvaluatePlan asks the gates of a plan over several nodes: those of the run
// once, those about one node for each node. Where a gate holds for some nodes
// these are listed, else its first node stands for all.
func EvaluatePlan(in Input, nodes []client.NodeID, tenants func(client.NodeID) *Tenants) []Result {
	var results []Result
	for _, c := range checks() {
		switch {
		case !c.appliesAt(AtPlan):
		case !c.node:
			whole := in
			whole.Node = 0
			results = append(results, c.result(whole))
		default:
			results = append(results, c.perNode(in, nodes, tenants)...)
		}
	}
	return results
}

func (c check) perNode(in Input, nodes []client.NodeID, tenants func(client.NodeID) *Tenants) []Result {
	var holds, rest []Result
	for _, id := range nodes {
		in.Node, in.Tenants = id, nil
		if tenants != nil {
			in.Tenants = tenants(id)
		}
		if r := c.result(in); r.Holds() {
			holds = append(holds, r)
		} else {
			rest = append(rest, r)
		}
	}
	if len(holds) > 0 || len(rest) == 0 {
		return holds
	}
	return rest[:1]
}

func (c check) appliesAt(at At) bool {
	for _, moment := range c.at {
		if moment == at {
			return true
		}
	}
	return false
}

func (c check) result(in Input) Result {
	fact := c.verify(in)
	if fact.Figure == "" {
		fact.Figure = "not looked at yet"
	}
	return Result{
		Gate: c.name, Verdict: fact.Verdict, Node: in.Node, Figure: fact.Figure,
		Halts: c.halts, Overridable: !c.firm,
	}
}

// Apply marks the results that a person overrode. An override counts for its
// gate and its node only, never for a gate that cannot be overridden, and says nothing
// where the gate does not hold.
func Apply(results []Result, overrides []Override) []Result {
	out := make([]Result, len(results))
	for i, r := range results {
		for _, o := range overrides {
			if r.Holds() && r.Overridable && o.Gate == r.Gate && o.Node == r.Node {
				r.Overridden = &o
			}
		}
		out[i] = r
	}
	return out
}

// Holding are the results that keep a phase from starting.
func Holding(results []Result) []Result {
	var holding []Result
	for _, r := range results {
		if r.Holds() {
			holding = append(holding, r)
		}
	}
	return holding
}

func pass(figure string) Fact    { return Fact{Pass, figure} }
func fail(figure string) Fact    { return Fact{Fail, figure} }
func unknown(figure string) Fact { return Fact{Unknown, figure} }
func off(figure string) Fact     { return Fact{Off, figure} }
