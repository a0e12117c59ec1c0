package prose

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/engine/gate"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// PlanTitle is a plan in one line: "rolling restart of 2 nodes on prod-eu-1".
func PlanTitle(p rollout.Plan) string {
	what := "node " + nodesOf(p.Steps)
	if len(p.Steps) != 1 {
		what = Things(int64(len(p.Steps)), "node")
	}
	switch p.Goal {
	case rollout.GoalCancel:
		return "cancel what runs on " + what + " of " + Cluster(p.Identity)
	case rollout.GoalActivate:
		return "set " + what + " of " + Cluster(p.Identity) + " Active"
	}
	return Goal(p.Goal) + " of " + what + " on " + Cluster(p.Identity)
}

func nodesOf(steps []rollout.StepPlan) string {
	ids := make([]string, 0, len(steps))
	for _, s := range steps {
		ids = append(ids, s.Node.String())
	}
	return strings.Join(ids, ", ")
}

// Moves reports a goal that begins with a drain, so that it matters which
// shards stay and where the others go.
func Moves(g rollout.Goal) bool { return g == rollout.GoalRestart || g == rollout.GoalDrain }

// WillStay counts what a drain leaves on a node: "3: 2 no secondary, 1 shard
// policy Pause".
func WillStay(s rollout.StepPlan, tenantsOff string) string {
	switch {
	case tenantsOff != "":
		return "not known"
	case len(s.Stay) == 0:
		return "0"
	}
	return Count(int64(len(s.Stay))) + ": " + StayGroups(s.Stay)
}

// Changing warns of nodes with shards that are being split or imported (X12), a
// line each.
func Changing(p rollout.Plan) []string {
	var lines []string
	for _, s := range p.Steps {
		if s.Changing > 0 {
			lines = append(lines, "node "+s.Node.String()+": "+Things(int64(s.Changing), "shard")+" being split or imported; a drain moves them twice")
		}
	}
	return lines
}

// Sequence says what is done to each node, in order, with the literal calls of
// the first: the lines that a person compares with the manual.
func Sequence(p rollout.Plan) []string {
	if len(p.Steps) == 0 {
		return nil
	}
	s := p.Steps[0]
	var lines []string
	for i, call := range s.Calls {
		lines = append(lines, call)
		if p.Goal == rollout.GoalRestart && i == 0 {
			lines = append(lines, "hook: "+orWord(s.Hook, "none configured, you restart it by hand"), "wait for a new launch time and Active")
		}
	}
	return lines
}

// Cost counts what one node of a plan takes: "2 mutating calls, 1 hook".
func Cost(p rollout.Plan) string {
	if len(p.Steps) == 0 {
		return ""
	}
	text := Things(int64(len(p.Steps[0].Calls)), "mutating call")
	if p.Goal == rollout.GoalRestart {
		if p.Steps[0].Hook == "" {
			return text + ", 1 restart by hand"
		}
		return text + ", 1 hook"
	}
	return text
}

// Confirms says what the operator is asked before.
func Confirms(g rollout.Goal) string {
	switch g {
	case rollout.GoalRestart:
		return "before every drain, every restart and every fill. Nothing goes on by itself."
	case rollout.GoalActivate:
		return "before the policy is set."
	}
	return "before the " + Goal(g) + " is sent."
}

// Exposed compares a restart now with one after the drain, for the first node
// of a plan; "" when the goal restarts nothing.
func Exposed(p rollout.Plan) string {
	if p.Goal != rollout.GoalRestart || len(p.Steps) == 0 {
		return ""
	}
	s := p.Steps[0]
	down := Estimate(s.Restart)
	if s.Attached < 0 {
		return "how many shards node " + s.Node.String() + " serves is unknown"
	}
	text := fmt.Sprintf("node %s now, undrained: %s x %s. Drained: ", s.Node, Things(s.Attached, "shard"), down)
	if p.TenantsOff != "" {
		return text + "not known before the drain."
	}
	return text + fmt.Sprintf("%s x %s.", Things(int64(len(s.Stay)), "shard"), down)
}

// GatesInOrder puts those that hold first, then what passes, then what is off.
func GatesInOrder(gates []gate.Result) []gate.Result {
	var held, passed, off []gate.Result
	for _, r := range gates {
		switch {
		case r.Holds():
			held = append(held, r)
		case r.Verdict == gate.Off:
			off = append(off, r)
		default:
			passed = append(passed, r)
		}
	}
	return append(append(held, passed...), off...)
}

// LeftOut says which node is not touched and why.
func LeftOut(l rollout.LeftOut) string {
	text := "node " + l.Node.String()
	if l.Policy != "" {
		text += " (" + string(l.Policy) + ")"
	}
	return text + " is left out: " + l.Why
}

// NothingSent is said of a plan until its run has sent something.
const NothingSent = "nothing has been sent"

// PlanText is a plan as lines of text, for `plan -o text` and plain mode. How
// far it has been carried out stands behind its title.
func PlanText(p rollout.Plan, sofar string) []string {
	lines := []string{"PLAN  " + PlanTitle(p) + " · " + sofar, ""}
	lines = append(lines, grid(planHeads(p.Goal), planRows(p))...)
	for _, l := range p.LeftOut {
		lines = append(lines, "  "+LeftOut(l))
	}
	lines = append(lines, "")
	if p.TenantsOff != "" && Moves(p.Goal) {
		lines = append(lines, "  which shards stay, and where the others land, is not known: "+p.TenantsOff)
	}
	if seq := Sequence(p); len(seq) > 0 {
		lines = append(lines, "  each node: "+strings.Join(seq, " → ")+"  ("+Cost(p)+")")
	}
	lines = append(lines, "  you confirm "+Confirms(p.Goal))
	for _, r := range GatesInOrder(p.Gates) {
		lines = append(lines, fmt.Sprintf("  gate %-8s %s", GateVerdict(r), Gate(r)))
	}
	if p.TookOver != "" {
		lines = append(lines, "  ! takes over a release that somebody else drives: "+p.TookOver)
	}
	for _, text := range Changing(p) {
		lines = append(lines, "  ! "+text)
	}
	if text := Exposed(p); text != "" {
		lines = append(lines, "  exposed if restarted: "+text)
	}
	return lines
}

func planHeads(g rollout.Goal) []string {
	heads := []string{">order", ">node", "AZ", "policy", ">attached"}
	if Moves(g) {
		heads = append(heads, "will not move", "goes to (most)")
	}
	if g == rollout.GoalRestart {
		return append(heads, "drain", "restart", "fill")
	}
	return append(heads, "takes")
}

func planRows(p rollout.Plan) [][]string {
	rows := make([][]string, 0, len(p.Steps))
	for i, s := range p.Steps {
		row := []string{
			strconv.Itoa(i + 1), s.Node.String(), orWord(s.AZ, "–"), string(s.Policy), Count(s.Attached),
		}
		if Moves(p.Goal) {
			row = append(row, WillStay(s, p.TenantsOff), orWord(Landings(s.Landing, 2), "–"))
		}
		if p.Goal == rollout.GoalRestart {
			row = append(row, Estimate(s.Drain), Estimate(s.Restart), Estimate(s.Fill))
		} else {
			row = append(row, Estimate(Takes(p.Goal, s)))
		}
		rows = append(rows, row)
	}
	return rows
}

// Takes estimates one node of a plan as a whole.
func Takes(g rollout.Goal, s rollout.StepPlan) rollout.Range {
	switch g {
	case rollout.GoalDrain:
		return s.Drain
	case rollout.GoalFill:
		return s.Fill
	case rollout.GoalCancel, rollout.GoalActivate:
		return rollout.Range{Min: 0, Max: 5 * time.Second}
	}
	return rollout.Range{Min: s.Drain.Min + s.Restart.Min + s.Fill.Min, Max: s.Drain.Max + s.Restart.Max + s.Fill.Max}
}
