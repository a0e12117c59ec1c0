package prose

import (
	"fmt"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// shortList bounds a list of shards where the whole list is a key away.
const shortList = 3

// Cluster names a cluster; the demo says that it is one.
func Cluster(id cluster.Identity) string {
	name := orWord(id.Name, id.Endpoint)
	if id.Demo {
		return name + " (DEMO)"
	}
	return name
}

func (a asker) phase() string {
	if a.step == nil {
		return "step"
	}
	for _, ph := range a.step.Phases {
		switch ph.State {
		case rollout.PhaseAsking, rollout.PhaseRunning, rollout.PhaseBlocked, rollout.PhaseFailed:
			return Phase(ph.Phase)
		}
	}
	return "step"
}

// operation is the drain or fill that a cancel is about.
func (a asker) operation() string {
	switch a.p.Evidence.Policy {
	case client.PolicyDraining:
		return "drain"
	case client.PolicyFilling:
		return "fill"
	}
	if name := a.phase(); name == "drain" || name == "fill" {
		return name
	}
	return "operation"
}

func (a asker) busy() string {
	if op := a.p.Evidence.Busy; op != nil {
		return fmt.Sprintf("the %s of node %s", op.Kind, op.Node)
	}
	return "another operation"
}

func (a asker) afterDrain() string {
	if a.st.Goal == rollout.GoalDrain {
		return "and end: node " + a.p.Node.String() + " stays PauseForRestart"
	}
	return "then ask about the restart"
}

func (a asker) next() string {
	for i := range a.st.Steps {
		if s := &a.st.Steps[i]; s.State == rollout.StepPending && s.Plan.Node != a.p.Node {
			return "then ask about node " + s.Plan.Node.String()
		}
	}
	return "then end with the report"
}

func (a asker) served() string {
	n := a.stays()
	switch {
	case n < 0:
		return "serves what is still attached"
	case n == 0:
		return "serves no shards"
	case n == 1:
		return "keeps serving that 1 shard"
	}
	return "keeps serving those " + Things(n, "shard")
}

func (a asker) skip() string {
	if m := a.p.Evidence.SkipMinutes; m > 0 {
		return ": the optimiser takes at least " + atLeast(m) + " to bring its shards back"
	}
	return ""
}

// atLeast words a lower bound in minutes, rounded down.
func atLeast(minutes float64) string {
	if minutes < 1 {
		return Span(time.Duration(minutes * float64(time.Minute)))
	}
	return Span(time.Duration(minutes) * time.Minute)
}

func (a asker) stayDown() string {
	n := a.stays()
	switch {
	case n < 0:
		return "nobody knows how many shards go down with it"
	case n == 0:
		return "no shard goes down with it"
	case n == 1:
		return "1 shard is unavailable until it is back"
	}
	return Things(n, "shard") + " are unavailable until it is back"
}

// stays is how many shards would be unavailable during a restart now; -1 unknown.
func (a asker) stays() int64 {
	if e := a.p.Evidence; e.LeftoversKnown {
		return int64(len(e.Leftovers))
	} else if a.p.Ask == rollout.AskRestart {
		return e.Attached
	}
	return a.p.Evidence.Attached
}

func (a asker) facts(s script) []Fact {
	var facts []Fact
	add := func(label string, lines ...string) {
		if len(lines) > 0 && lines[0] != "" {
			facts = append(facts, Fact{label, lines})
		}
	}
	add("happened", a.fill(s.what))
	if a.p.Ask == rollout.AskResume {
		facts = append(facts, resumeFacts(a.p.Evidence.Resume)...)
	} else {
		add(causeLabel(a.p.Ask), a.p.Cause)
	}
	add(orWord(s.runs, "sends"), a.literal()...)
	if a.full || a.p.Ask >= rollout.AskHookFailed && a.p.Ask <= rollout.AskNotBack {
		add("output", a.hookTail()...)
	}
	add("progress", a.progress())
	add("held up by", a.blocking()...)
	add("gates", a.gates(true)...)
	add(a.radiusLabel(), a.radius()...)
	add("evidence", a.evidence())
	add("then", a.fill(s.then))
	add("if not", a.fill(s.ifNot))
	if a.full {
		add("gates too", a.gates(false)...)
	}
	return facts
}

// resumeFacts says for each node what taking its run up again rests on.
func resumeFacts(lines []rollout.ResumeLine) []Fact {
	facts := make([]Fact, len(lines))
	for i, l := range lines {
		facts[i] = Fact{"node " + l.Node.String(), []string{"journal: " + l.Believed}}
		if l.Observed != "" {
			facts[i].Lines = append(facts[i].Lines, "cluster: "+l.Observed)
		}
		facts[i].Lines = append(facts[i].Lines, "so: "+l.Proposal)
	}
	return facts
}

// causeLabel: a pause has no cause but something that stands meanwhile.
func causeLabel(ask rollout.Ask) string {
	if ask == rollout.AskPaused {
		return "stands"
	}
	return "cause"
}

// literal is the call or command, and how often it is sent.
func (a asker) literal() []string {
	hook := ""
	if a.step != nil {
		hook = a.step.Plan.Hook
	}
	switch {
	case a.p.Literal != "" && a.p.Ask == rollout.AskRestart:
		return []string{a.p.Literal + "  (once, never repeated)"}
	case a.p.Literal != "":
		return []string{a.p.Literal}
	case a.p.Ask == rollout.AskRestart:
		return []string{"nothing: no restart command is configured, you restart it by hand"}
	case a.p.Ask == rollout.AskHookFailed || a.p.Ask == rollout.AskRestartUnproven:
		return []string{hook}
	}
	return nil
}

// stalled is the phase that a question about slowness is about; nil for others.
func (a asker) stalled() *rollout.PhaseStatus {
	if a.step == nil || a.p.Ask != rollout.AskNoProgress && a.p.Ask != rollout.AskDeadline {
		return nil
	}
	for i := range a.step.Phases {
		switch ph := &a.step.Phases[i]; ph.State {
		case rollout.PhaseBlocked, rollout.PhaseRunning, rollout.PhaseAsking:
			return ph
		}
	}
	return nil
}

func (a asker) quiet() string {
	if ph := a.stalled(); ph != nil && !ph.Progress.LastMove.IsZero() {
		return " for " + Span(a.now.Sub(ph.Progress.LastMove))
	}
	return " for a while"
}

func (a asker) progress() string {
	if ph := a.stalled(); ph != nil {
		return Moved(ph.Progress)
	}
	return ""
}

func (a asker) blocking() []string {
	ph := a.stalled()
	if ph == nil {
		return nil
	}
	limit := shortList
	if a.full {
		limit = len(ph.Progress.Blocking)
	}
	return BlockedLines(ph.Progress.Blocking, limit, a.now)
}

func (a asker) hookTail() []string {
	tail := a.p.Evidence.HookTail
	if !a.full && len(tail) > shortList {
		tail = tail[len(tail)-shortList:]
	}
	return tail
}

// gates lists those that hold and those that were overridden, or all others.
func (a asker) gates(telling bool) []string {
	var lines []string
	for _, r := range a.p.Evidence.Gates {
		if telling == (r.Holds() || r.Overridden != nil) {
			lines = append(lines, fmt.Sprintf("%-10s %s", GateVerdict(r), Gate(r)))
		}
	}
	return lines
}

func (a asker) evidence() string {
	e := a.p.Evidence
	var parts []string
	if e.Policy != "" {
		parts = append(parts, "policy "+string(e.Policy)+since(e.PolicySince, a.now))
	}
	if e.Availability != "" && e.Availability != client.AvailabilityActive {
		parts = append(parts, "availability "+string(e.Availability))
	}
	if e.Attached >= 0 && len(a.radius()) == 0 {
		parts = append(parts, Count(e.Attached)+" attached")
	}
	parts = append(parts, pending(e.Pending))
	if e.EpochStable {
		parts = append(parts, "leader unchanged")
	} else {
		parts = append(parts, "leader changed or not known")
	}
	if !e.ListedAt.IsZero() {
		parts = append(parts, "listed "+agoWord(a.now.Sub(e.ListedAt)))
	}
	return strings.Join(append(parts, launch(e, a.now)...), " · ")
}

func pending(n int64) string {
	switch {
	case n < 0:
		return "pending reconciles unknown"
	case n == 0:
		return "no reconcile pending"
	}
	return Things(n, "reconcile") + " pending"
}

func since(at, now time.Time) string {
	if at.IsZero() || now.Sub(at) < time.Second {
		return ""
	}
	return " " + Span(now.Sub(at))
}

func launch(e rollout.Evidence, now time.Time) []string {
	switch {
	case e.Launch.IsZero():
		return nil
	case e.PreLaunch.IsZero():
		return []string{"launched " + agoWord(now.Sub(e.Launch))}
	case e.Launch.Equal(e.PreLaunch):
		return []string{"launch time unchanged"}
	}
	return []string{"new launch time, " + agoWord(now.Sub(e.Launch))}
}

func agoWord(d time.Duration) string {
	if d < time.Second {
		return "just now"
	}
	return Span(d) + " ago"
}
