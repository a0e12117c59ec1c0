package rollout

import (
	"slices"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/gate"
)

// PlanInput is all that a plan rests on.
type PlanInput struct {
	Goal     Goal
	Nodes    []client.NodeID // in the order asked for; a repeated one counts once
	At       time.Time
	Snapshot *cluster.Snapshot
	// Tenants is what the tenant list says of these nodes; nil when it was not
	// read, and TenantsOff says why.
	Tenants    *PlanTenants
	TenantsOff string
	// Hook gives the literal restart command for a node, "" for by hand.
	Hook     func(client.Node) string
	Computes []Compute
	Gates    []gate.Result // as they stand now
	Order    Order         // of a rolling restart; "" = as given
	Canary   bool          // the least loaded node goes first
}

// Compute is a configured compute and the tenant that it works for, "" while unknown.
type Compute struct {
	Name   string
	Tenant client.TenantID
}

// MakePlan says what will be done. It fails with *UnknownNodeError,
// *NothingToDoError, ErrNoNodes or ErrNotObserved.
func MakePlan(in PlanInput) (Plan, error) {
	if in.Snapshot == nil || !in.Snapshot.Nodes.Known() {
		return Plan{}, ErrNotObserved
	}
	asked := unique(in.Nodes)
	if len(asked) == 0 {
		return Plan{}, ErrNoNodes
	}
	if err := checkKnown(in.Snapshot, asked); err != nil {
		return Plan{}, err
	}
	plan := Plan{
		Goal:       in.Goal,
		Identity:   in.Snapshot.Identity,
		Made:       in.At,
		Gates:      in.Gates,
		TenantsOff: in.TenantsOff,
	}
	for _, id := range asked {
		n, _ := in.Snapshot.Node(id)
		if why := leaveOut(in.Goal, n); why != "" {
			plan.LeftOut = append(plan.LeftOut, LeftOut{Node: id, Policy: n.Scheduling, Why: why})
			continue
		}
		plan.Steps = append(plan.Steps, in.step(n))
	}
	if len(plan.Steps) == 0 {
		return Plan{}, &NothingToDoError{LeftOut: plan.LeftOut}
	}
	if in.Goal == GoalRestart {
		in.Order.Sort(plan.Steps)
		if in.Canary {
			takeCanary(plan.Steps)
		}
	}
	return plan, nil
}

func checkKnown(s *cluster.Snapshot, asked []client.NodeID) error {
	var unknown []client.NodeID
	for _, id := range asked {
		if _, ok := s.Node(id); !ok {
			unknown = append(unknown, id)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	known := make([]client.NodeID, len(s.Nodes.Value))
	for i, n := range s.Nodes.Value {
		known[i] = n.ID
	}
	return &UnknownNodeError{Nodes: unknown, Known: known}
}

// leaveOut says why a node is not touched. Somebody's Pause is never
// overwritten in passing (C9, N4); only setting Active by name does that.
func leaveOut(goal Goal, n cluster.Node) string {
	if goal == GoalActivate || goal == GoalCancel {
		return cannot(goal, n)
	}
	switch n.Scheduling {
	case client.PolicyPause:
		return "its policy is Pause, set by somebody; a drain or fill would be refused"
	case client.PolicyDeleting:
		return "it is being deleted"
	}
	return ""
}

func cannot(goal Goal, n cluster.Node) string {
	switch {
	case n.Scheduling == client.PolicyDeleting:
		return "it is being deleted"
	case goal == GoalActivate && n.Scheduling == client.PolicyActive:
		return "its policy is Active already"
	case goal == GoalCancel && n.Scheduling != client.PolicyDraining && n.Scheduling != client.PolicyFilling:
		return "no drain or fill is seen on it: its policy is " + string(n.Scheduling)
	}
	return ""
}

func (in PlanInput) step(n cluster.Node) StepPlan {
	s := StepPlan{
		Node: n.ID, Addr: n.ListenHTTPAddr, AZ: n.AZ(), Policy: n.Scheduling,
		Attached: n.Attached, Secondary: n.Secondary,
		Calls: literalCalls(in.Goal, n),
	}
	if in.Goal == GoalRestart && in.Hook != nil {
		s.Hook = in.Hook(n.Node)
	}
	if in.Tenants != nil {
		in.Tenants.fill(&s, in.Computes)
	}
	s.Drain, s.Restart, s.Fill = estimate(in.Goal, s)
	return s
}

func literalCalls(goal Goal, n cluster.Node) []string {
	drain, fill := CallDrain.Literal(n.ID), CallFill.Literal(n.ID)
	switch goal {
	case GoalDrain:
		return []string{drain}
	case GoalFill:
		return []string{fill}
	case GoalCancel:
		return []string{cancelOf(n.Scheduling).Literal(n.ID)}
	case GoalActivate:
		return []string{CallActivate.Literal(n.ID)}
	}
	return []string{drain, fill}
}

// cancelOf is the call that cancels what a policy stands for.
func cancelOf(p client.NodePolicy) CallKind {
	if p == client.PolicyFilling {
		return CallCancelFill
	}
	return CallCancelDrain
}

// estimate gives ranges from what is known of such operations: 64 moves at a
// time of at least two seconds each, and no slower than 6.5 shards a second,
// the rate that a healthy cluster must reach.
func estimate(goal Goal, s StepPlan) (drain, restart, fill Range) {
	moves := s.Attached - int64(len(s.Stay))
	if s.Attached < 0 {
		return Range{}, restartRange(goal), Range{}
	}
	move := Range{
		Min: time.Duration((max(moves, 0)+63)/64) * 2 * time.Second,
		Max: max(10*time.Second, time.Duration(float64(max(moves, 0))/6.5*float64(time.Second))),
	}
	switch goal {
	case GoalDrain:
		return move, Range{}, Range{}
	case GoalFill:
		return Range{}, Range{}, Range{Max: move.Max}
	case GoalRestart:
		return move, restartRange(goal), move
	}
	return Range{}, Range{}, Range{}
}

// restartRange: a pageserver stops within its 10 s limit, starts, and counts as
// Active with the first heartbeat, at most 5 s later.
func restartRange(goal Goal) Range {
	if goal != GoalRestart {
		return Range{}
	}
	return Range{Min: 5 * time.Second, Max: 30 * time.Second}
}

func unique(nodes []client.NodeID) []client.NodeID {
	var out []client.NodeID
	for _, id := range nodes {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}
