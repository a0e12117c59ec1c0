package rollout

import (
	"fmt"

	"github.com/StorconTUI/storcon-tui/client"
)

// verifying takes good looks at the node, in a row: up, and where its shards are.
func (m *Machine) verifying() {
	s := m.step()
	if m.stale() {
		return
	}
	if m.launchChanged() {
		m.halt("R9", "the node was launched again")
		return
	}
	if m.countLook(); !m.settled() {
		m.detail(PhaseVerify, "waiting for Active/Active: "+string(s.seen.avail)+", policy "+string(s.seen.policy))
		if m.due(s.until) {
			m.blockAt(AskNotBack, "R6", fmt.Sprintf("availability %s, policy %s", s.seen.avail, s.seen.policy))
		}
		return
	}
	if !m.agreed(1) {
		return
	}
	if s.looks < m.set.Verify {
		m.detail(PhaseVerify, fmt.Sprintf("%d of %d good looks in a row", s.looks, m.set.Verify))
		return
	}
	if !m.findHome() {
		return
	}
	m.endPhase(PhaseVerify, PhaseDone, "")
	if m.bakeFor() > 0 {
		m.enter(baking)
		m.beginPhase(PhaseBake, 0)
		return
	}
	m.doneStep()
}

// findHome says where the shards are that were attached before (C27). What it
// cannot read is a fact too, and holds nothing up.
func (m *Machine) findHome() bool {
	s := m.step()
	if m.noAdmin {
		// The gauge is of before the fill until the controller has renewed it (C14):
		// no figure rather than that one.
		n, ok := m.node()
		if fresh := m.snap.Metrics.At.After(s.since.Add(m.set.GaugeRefresh)); ok && fresh && s.AttachedAfter < 0 {
			s.AttachedAfter = n.Attached
		}
		return true
	}
	l := m.shards(s.since)
	if l == nil {
		return false
	}
	if l.Err != nil {
		m.lackAdmin(l.Err)
		return true
	}
	here := attached(l.Shards)
	s.AttachedAfter = int64(len(here))
	if !s.beforeKnown || m.plan.Goal != GoalRestart {
		return true
	}
	return m.locateAway(here)
}

func (m *Machine) locateAway(here []client.TenantShardID) bool {
	s := m.step()
	home := map[client.TenantShardID]bool{}
	for _, id := range here {
		home[id] = true
	}
	var away []client.TenantShardID
	for _, id := range s.before {
		if !home[id] {
			away = append(away, id)
		}
	}
	report := HomeReport{Home: len(s.before) - len(away)}
	if len(away) > 0 {
		l := m.located(s.since, away)
		if l == nil {
			return false
		}
		m.sortByAZ(&report, *l, len(away))
	}
	s.Home = &report
	return true
}

// sortByAZ tells same AZ from elsewhere.
func (m *Machine) sortByAZ(r *HomeReport, l Located, away int) {
	found := 0
	for id, n := range l.On {
		node, ok := m.snap.Node(id)
		if !ok {
			continue
		}
		found += n
		if node.AZ() != "" && node.AZ() == m.step().Plan.AZ {
			r.SameAZ += n
		} else {
			r.Other += n
		}
	}
	r.Unknown = away - found
	r.Where = landings(l.On)
}
