package rollout

import (
	"slices"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/gate"
)

// settle is how long a gate may be unknown before it is asked about: two reads
// of the leader must agree, and the first metrics must arrive.
const settle = 15 * time.Second

// gates asks every gate for the current node, with the overrides given for it.
func (m *Machine) gates(at gate.At) []gate.Result {
	return gate.Apply(gate.Evaluate(at, m.gateInput(at)), m.overrides)
}

func (m *Machine) gateInput(at gate.At) gate.Input {
	s := m.step()
	in := gate.Input{
		Snapshot: m.snapWithoutOurFlaps(), Now: m.at, Node: m.id(), Baseline: m.base, Ours: m.oursAll(),
		TenantsOff: m.plan.TenantsOff,
		Lock:       m.lockFact(),
		Journal:    m.journalFact(),
		Restart:    m.restartFact(),
		Pending:    m.pending, Moves: m.ownMoves(), PhaseTime: m.phaseTime(at), Stable: m.stable(),
		Alerts: m.snap.Alerts, Window: m.set.Window, Version: m.version(), Moved: m.moved(),
	}
	if m.plan.TenantsOff == "" {
		in.Tenants = s.Plan.gateTenants()
	}
	if !s.LeftoversAt.IsZero() {
		in.Leftovers = m.gateLeftovers()
	}
	return in
}

func (m *Machine) lockFact() gate.Fact {
	if m.unlocked != "" {
		return gate.Fact{Verdict: gate.Fail, Figure: m.unlocked}
	}
	return gate.Fact{Verdict: gate.Pass, Figure: "held by this process"}
}

func (m *Machine) journalFact() gate.Fact {
	if m.full != "" {
		return gate.Fact{Verdict: gate.Fail, Figure: m.full}
	}
	return gate.Fact{Verdict: gate.Pass, Figure: "takes records"}
}

// gateTenants is what the plan knows of the tenants, for the gates.
func (p StepPlan) gateTenants() *gate.Tenants {
	landing := make(map[client.NodeID]int, len(p.Landing))
	for _, l := range p.Landing {
		landing[l.Node] = l.Shards
	}
	return &gate.Tenants{OnlySecondaryInAZ: p.OnlyInAZ, Landing: landing}
}

// oursAll are the nodes whose policy this run caused. The current one always
// counts: what its policy means is for the states to say.
func (m *Machine) oursAll() map[client.NodeID]bool {
	ours := map[client.NodeID]bool{m.id(): true}
	for _, s := range m.steps {
		if s.touched {
			ours[s.Plan.Node] = true
		}
	}
	return ours
}

// snapWithoutOurFlaps is the picture without the changes of availability that
// this run's own restarts made: they are no flapping.
func (m *Machine) snapWithoutOurFlaps() *cluster.Snapshot {
	restarted := func(n cluster.Node) bool {
		return n.Flaps > 0 && slices.ContainsFunc(m.steps, func(s step) bool {
			return s.Plan.Node == n.ID && !s.HookStart.IsZero()
		})
	}
	if !slices.ContainsFunc(m.snap.Nodes.Value, restarted) {
		return m.snap
	}
	snap := *m.snap
	snap.Nodes.Value = slices.Clone(snap.Nodes.Value)
	for i := range snap.Nodes.Value {
		if restarted(snap.Nodes.Value[i]) {
			snap.Nodes.Value[i].Flaps = 0
		}
	}
	return &snap
}

func (m *Machine) restartFact() gate.Fact {
	s := m.step()
	switch {
	case m.plan.Goal != GoalRestart:
		return gate.Fact{Verdict: gate.Off, Figure: "this run restarts nothing"}
	case s.unproven != "":
		return gate.Fact{Verdict: gate.Pass, Figure: "not proven; " + s.unproven}
	case s.proven:
		return gate.Fact{Verdict: gate.Pass, Figure: "launch time differs from before"}
	}
	return gate.Fact{Verdict: gate.Fail, Figure: "launch time is that of before"}
}

func (m *Machine) gateLeftovers() *gate.Leftovers {
	s := m.step()
	l := &gate.Leftovers{Listed: s.LeftoversKnown, At: s.LeftoversAt, Left: len(s.Leftovers), Gauge: s.LeftoversGauge}
	l.Accepted = l.Left - s.unplanned()
	if s.leftoversAccepted {
		l.Accepted, l.AcceptedUnread = l.Left, true
	}
	if !s.LeftoversKnown {
		l.Unreadable = "needs scope admin"
	}
	return l
}

// gateHeldSince reports a gate that holds right before a call. Its question
// comes next, so that the call waits for a new answer.
func (m *Machine) gateHeldSince(at gate.At) bool {
	holding := gate.Holding(m.gates(at))
	if len(holding) == 0 {
		return false
	}
	m.noteGate(gateRow(holding[0].Gate), "gate "+string(holding[0].Gate)+" holds since the answer: "+holding[0].Figure)
	return true
}

// gatesHold asks about the gates that hold, and reports that there are some.
// What is only unknown gets a moment to become known.
func (m *Machine) gatesHold(results []gate.Result) bool {
	holding := gate.Holding(results)
	if len(holding) == 0 {
		if m.state == RunHalted {
			m.put(m.resumeQuestion(results))
			return true
		}
		return false
	}
	s := m.step()
	failed := slices.ContainsFunc(holding, func(r gate.Result) bool { return r.Verdict == gate.Fail })
	if !failed && !m.due(s.since.Add(settle)) {
		m.clearPrompt()
		m.detail(s.phaseOf(s.fsm), "waiting for gate "+string(holding[0].Gate)+": "+holding[0].Figure)
		return true
	}
	ask, row := AskGate, gateRow(holding[0].Gate)
	if slices.ContainsFunc(holding, m.haltsRun) {
		ask = AskHalted
		m.state, m.why = RunHalted, "gate "+string(holding[0].Gate)+": "+holding[0].Figure
	}
	m.put(question{ask: ask, row: row, gates: results, cause: gateCause(holding), choices: m.gateChoices(holding)})
	return true
}

// haltsRun reports a gate whose failing is about the whole run: one that guards the
// cluster, and the build of the node that went first to find just that out (R8).
func (m *Machine) haltsRun(r gate.Result) bool {
	return r.Verdict == gate.Fail && (r.Halts || r.Gate == gate.VersionMatches && m.step().Plan.Canary)
}

// gateRow is the row of the failure matrix that a gate guards against.
func gateRow(g gate.Name) string {
	return map[gate.Name]string{
		gate.SchedulableCapacity: "D5", gate.NoForeignOperation: "D3", gate.AllOtherNodesActive: "X1",
		gate.AZRedundancy: "X2", gate.StuckReconcilesZero: "X7", gate.ControllerReachable: "D21", gate.LeaderStable: "D22",
		gate.TokenValid: "D11", gate.PendingReconcilesLow: "X6", gate.NotificationsClear: "X8", gate.AZViolationsBaseline: "X9",
		gate.AlertsClear: "X10", gate.VersionMatches: "R8", gate.NodeStable: "R6",
	}[g]
}

// gateCause names the gates that hold; figures with an age in them change with
// every read and are in the evidence.
func gateCause(holding []gate.Result) string {
	text := ""
	for i, r := range holding {
		if i > 0 {
			text += ", "
		}
		text += string(r.Gate) + " " + r.Verdict.String()
	}
	return text
}

func (m *Machine) gateChoices(holding []gate.Result) []Choice {
	out := []Choice{wait("look again; it goes on asking once the gates pass")}
	for _, r := range holding {
		if !r.Overridable {
			continue
		}
		out = append(out, Choice{
			Word: WordOverride, Gate: r.Gate, Reason: true, TypeID: r.Gate == gate.AZRedundancy,
			Does: "set gate " + string(r.Gate) + " aside for node " + m.id().String(),
		})
	}
	s := m.step()
	if s.fsm == beforeDrain && m.plan.Goal == GoalRestart {
		out = append(out, m.undrainedChoice())
	}
	if s.phaseOf(s.fsm) == PhaseFill {
		return m.always(append(out, m.skipFillChoice())...)
	}
	return m.always(append(out, m.passOver())...)
}

// passOver goes on without what a gate holds up.
func (m *Machine) passOver() Choice {
	if m.step().fsm == baking {
		return cutBakeChoice()
	}
	return m.skipChoice()
}

// resumeQuestion: a halted run goes on only when the gates pass and a person
// says so.
func (m *Machine) resumeQuestion(results []gate.Result) question {
	return question{
		ask: AskHalted, row: "X1", gates: results, cause: "the gates pass again",
		choices: m.always(Choice{Word: WordResume, Does: "go on; what comes next is asked about"}, m.passOver()),
	}
}

// halt stops the whole run for a reason that is not a gate's.
func (m *Machine) halt(row, cause string) {
	m.state, m.why = RunHalted, cause
	m.blockAt(AskHalted, row, cause)
}
