package rollout

import (
	"fmt"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/engine/cluster"
)

// happened takes note of what the newest picture tells of others: calls that
// are not ours, nodes that joined, builds that stay mixed. An event is taken once,
// by the moment at which the poller saw it.
func (m *Machine) happened() {
	if m.started.IsZero() {
		return
	}
	after := m.seenTill
	if after.IsZero() {
		after = m.started
	}
	for i := len(m.snap.Events) - 1; i >= 0; i-- { // newest first in the ring
		c := m.snap.Events[i]
		if !c.At.After(after) {
			continue
		}
		m.seenTill = c.At
		switch c.What {
		case cluster.ForeignCalls:
			m.foreignCalls(c.To)
		case cluster.NodeAppeared:
			m.note(NoteInfo, "X4", "node "+c.Node.String()+" joined the cluster; it is not in this run, which can be planned for it later")
		}
	}
	m.remindOfSkew()
}

// foreignCalls: somebody else drives this cluster. The run stands where it is
// until a person says to go on; two drivers at once can end the controller (C24).
func (m *Machine) foreignCalls(what string) {
	row := "E17"
	switch {
	case strings.Contains(what, "cancel fill"):
		row = "L9"
	case strings.Contains(what, "cancel drain"):
		row = "D18"
	}
	m.note(NoteError, row, "somebody else sent calls to this controller: "+what)
	if m.state == RunRunning {
		m.pausing, m.why = true, "somebody else sent calls to this controller: "+what
	}
}

// remindOfSkew says once that the cluster has run two builds for long (X14).
func (m *Machine) remindOfSkew() {
	if m.skewTold || m.plan.Goal != GoalRestart || !m.due(m.started.Add(m.set.Skew)) {
		return
	}
	builds := map[string]bool{}
	for i := range m.snap.Nodes.Value {
		if p := m.snap.Nodes.Value[i].Process; p.Known() && p.Value.Build.Revision != "" {
			builds[p.Value.Build.Revision] = true
		}
	}
	if len(builds) < 2 {
		return
	}
	m.skewTold = true
	m.note(NoteInfo, "X14", fmt.Sprintf("the nodes have run %d builds for more than %s; finish the run or put the old build back", len(builds), m.set.Skew))
}

// jumpMost is how far the wall clock may run ahead of the time that passed
// before the machine counts as having been asleep.
const jumpMost = 10 * time.Second

// slept is how far the wall clock ran ahead of the monotonic one, which stands
// still while the machine sleeps.
func slept(before, now time.Time) time.Duration {
	return now.Round(0).Sub(before.Round(0)) - now.Sub(before)
}

// wokeUp: nothing that was seen or answered before the sleep counts any more
// (E12). What is in flight ends as it does.
func (m *Machine) wokeUp(e WokeUp) {
	m.note(NoteAnomaly, "E12", "this machine was asleep, or its clock was set, for "+e.Slept.Round(time.Second).String()+"; everything is read again")
	m.awake = e.At
	m.clearPrompt()
	if m.cur >= len(m.steps) {
		return
	}
	s := m.step()
	s.reads, s.since = 0, m.at
	s.seen.same, s.seen.samePolicy = 0, 0
	if !m.idle() || m.unread() {
		return
	}
	switch s.fsm {
	case drainReq, undrainedCheck:
		s.approved, s.undone = false, false
		m.enter(beforeDrain)
	case restartCheck:
		s.leftoversAccepted = false
		m.enter(beforeRestart)
	case fillReq:
		s.approved = false
		m.enter(beforeFill)
	}
}
