package prose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// radiusLabel names the fact that says whom the answer can hurt.
func (a asker) radiusLabel() string {
	switch a.p.Ask {
	case rollout.AskDrain:
		return "moves"
	}
	if a.goesDown() {
		return "left here"
	}
	return "shards"
}

// radius is the blast radius in numbers.
func (a asker) radius() []string {
	switch a.p.Ask {
	case rollout.AskDrain:
		return a.drainRadius()
	case rollout.AskFill:
		return a.fillRadius()
	case rollout.AskBusy, rollout.AskGone, rollout.AskUnreachable, rollout.AskUnauthorized:
		return nil
	}
	if a.goesDown() {
		return a.leftHere()
	}
	return []string{a.attachedNow()}
}

// goesDown reports a question whose answer may take down what is attached here.
func (a asker) goesDown() bool {
	switch a.p.Ask {
	case rollout.AskRestart, rollout.AskDrainedEarlier, rollout.AskNodeDown, rollout.AskNotDrained,
		rollout.AskDrainEnded, rollout.AskPolicyLost, rollout.AskHookFailed, rollout.AskRestartUnproven:
		return true
	case rollout.AskOrphan:
		return a.phase() != Phase(rollout.PhaseFill) // an orphaned fill restarts nothing (L10)
	case rollout.AskGate, rollout.AskHalted:
		return a.phase() == Phase(rollout.PhaseRestart)
	}
	return false
}

func (a asker) attachedNow() string {
	if a.p.Evidence.Attached < 0 {
		return "how many are attached to it now is unknown"
	}
	return Count(a.p.Evidence.Attached) + " attached to it now"
}

// drainRadius says what moves where, what stays, and which computes notice.
func (a asker) drainRadius() []string {
	if a.step == nil {
		return []string{a.attachedNow()}
	}
	plan := a.step.Plan
	lines := []string{DrainSummary(plan, a.st.Plan.TenantsOff)}
	if where := Landings(plan.Landing, shortList); where != "" {
		lines = append(lines, "to node "+where)
	}
	if len(plan.Computes) > 0 {
		lines = append(lines, Things(int64(len(plan.Computes)), "compute")+" configured here: "+someOf(plan.Computes, shortList))
	}
	return lines
}

// DrainSummary says how many of a node's shards a drain moves and which stay.
func DrainSummary(s rollout.StepPlan, tenantsOff string) string {
	if s.Attached < 0 {
		return "how many shards are attached is unknown"
	}
	if tenantsOff != "" {
		return Count(s.Attached) + " attached; which of them will stay is not known before the drain (" + tenantsOff + ")"
	}
	stay := int64(len(s.Stay))
	if stay == 0 {
		return Count(s.Attached) + " attached, all can move"
	}
	return fmt.Sprintf("%s of %s attached; %s will stay: %s",
		Count(max(0, s.Attached-stay)), Count(s.Attached), Count(stay), StayGroups(s.Stay))
}

func (a asker) fillRadius() []string {
	if a.step == nil || a.step.AttachedBefore < 0 {
		return []string{a.attachedNow()}
	}
	return []string{a.attachedNow() + ", " + Count(a.step.AttachedBefore) + " before the run"}
}

// leftHere says what is unavailable while the node restarts, shard by shard.
func (a asker) leftHere() []string {
	e := a.p.Evidence
	if !e.LeftoversKnown {
		if a.p.Ask != rollout.AskRestart {
			if e.Attached < 0 {
				return []string{"how many shards are attached here is unknown"}
			}
			return []string{Things(e.Attached, "shard") + " attached here; not listed yet"}
		}
		if e.Attached < 0 {
			return []string{"the shard list cannot be read, and no count is known either"}
		}
		return []string{"the shard list cannot be read; the gauge counts " + Things(e.Attached, "shard") + " still attached, reasons unknown"}
	}
	n := int64(len(e.Leftovers))
	if n == 0 {
		return []string{"0 shards: nothing is attached here any more"}
	}
	stay := Things(n, "shard") + " stay attached"
	if n == 1 {
		stay = "1 shard stays attached"
	}
	lines := []string{stay + ": unavailable until it is back" + unplanned(e.Leftovers)}
	if a.brief {
		return append(lines, "  "+leftGroups(e.Leftovers))
	}
	if a.p.Ask != rollout.AskRestart && a.p.Ask != rollout.AskDrainedEarlier && !a.full {
		return lines // the question is about something else
	}
	return append(lines, a.leftovers(e.Leftovers)...)
}

// unplanned counts what the confirmed plan did not list.
func unplanned(left []rollout.Leftover) string {
	n := int64(0)
	for _, l := range left {
		if !l.Planned {
			n++
		}
	}
	if n == 0 {
		return " (as planned)"
	}
	return " (" + Count(n) + " not in the plan)"
}

// leftovers names the shards that stay, those that the plan did not list first,
// always in the same order.
func (a asker) leftovers(left []rollout.Leftover) []string {
	shown := slices.SortedFunc(slices.Values(left), func(x, y rollout.Leftover) int {
		if x.Planned != y.Planned {
			if y.Planned {
				return -1
			}
			return 1
		}
		return cmp.Compare(x.Shard, y.Shard)
	})
	if !a.full && len(left) > shortList {
		shown = shown[:shortList]
	}
	lines := make([]string, 0, len(shown)+1)
	for _, l := range shown {
		id := string(l.Shard)
		if !a.full {
			id = ShortShard(id)
		}
		lines = append(lines, "  "+fmt.Sprintf("%-18s %s", id, leftReason(l)))
	}
	if more := len(left) - len(shown); more > 0 {
		lines = append(lines, fmt.Sprintf("  and %s more", Count(int64(more))))
	}
	return lines
}

func leftReason(l rollout.Leftover) string {
	if l.Planned {
		return StayReason(l.Reason)
	}
	return StayReason(l.Reason) + ", not in the plan"
}

func leftGroups(left []rollout.Leftover) string {
	stay := make([]rollout.Stay, 0, len(left))
	for _, l := range left {
		stay = append(stay, rollout.Stay{Shard: l.Shard, Reason: l.Reason})
	}
	return StayGroups(stay)
}

// StayGroups counts shards by reason: "2 no secondary, 1 shard policy Pause".
func StayGroups(stay []rollout.Stay) string {
	counts := map[rollout.StayReason]int64{}
	for _, s := range stay {
		counts[s.Reason]++
	}
	var parts []string
	for _, r := range []rollout.StayReason{rollout.NoSecondary, rollout.PolicyPause, rollout.PolicyStop, rollout.LagOrUnknown} {
		if counts[r] > 0 {
			parts = append(parts, Count(counts[r])+" "+StayReason(r))
		}
	}
	return strings.Join(parts, ", ")
}

// Landings says where shards go, most loaded node first: "3 (+812), 4 (+752)".
func Landings(landing []rollout.Landing, limit int) string {
	parts := make([]string, 0, len(landing))
	for _, l := range landing {
		parts = append(parts, fmt.Sprintf("%s (+%s)", l.Node, Count(int64(l.Shards))))
	}
	return someOf(parts, limit)
}

func someOf(all []string, limit int) string {
	if len(all) <= limit {
		return strings.Join(all, ", ")
	}
	return strings.Join(all[:limit], ", ") + fmt.Sprintf(" and %d more", len(all)-limit)
}
