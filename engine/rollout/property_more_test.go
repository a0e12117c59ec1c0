package rollout_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/gate"
	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// checkLeft: a node that the run moved off Active, and of which it was shown
// that it still is, is in the end state that was asked for or named by the outcome (I9).
func (h *history) checkLeft(o rollout.Outcome) {
	named := map[client.NodeID]bool{}
	for _, l := range o.Left {
		named[l.Node] = true
	}
	goal := h.m.Status().Goal
	for id := client.NodeID(1); id <= 2; id++ {
		policy := h.shown[id].policy
		off := policy == client.PolicyDraining || policy == client.PolicyFilling || policy == client.PolicyPauseForRestart
		asked := goal == rollout.GoalDrain && policy == client.PolicyPauseForRestart
		if h.moved[id] && off && !asked && !named[id] {
			h.fatalf("I9: node %s is left %s and not named (%s, exit %d)", id, policy, o.Word, o.Exit)
		}
	}
	if len(o.Left) > 0 && (o.Exit == rollout.ExitDone || o.Exit == rollout.ExitDoneWithIssues) {
		h.fatalf("I9: exit %d with %d nodes left behind", o.Exit, len(o.Left))
	}
}

// checkGates: no drain or fill while a gate that the test can judge by itself
// holds, unless a person set it aside (I10). The repeated PUT of a token without scope
// admin is a probe inside an approved drain.
func (h *history) checkGates(e rollout.SendCall) {
	at := map[rollout.CallKind]gate.At{rollout.CallDrain: gate.BeforeDrain, rollout.CallFill: gate.BeforeFill}[e.Kind]
	if at == 0 || h.shown[e.Node].policy == client.PolicyDraining {
		return
	}
	in := gate.Input{
		Snapshot: h.last, Now: h.now, Node: e.Node, Baseline: h.first, TenantsOff: "test",
		Ours: map[client.NodeID]bool{1: true, 2: true},
	}
	for _, r := range gate.Holding(gate.Evaluate(at, in)) {
		switch r.Gate {
		case gate.ControllerReachable, gate.LeaderStable, gate.NoForeignOperation, gate.AllOtherNodesActive, gate.SchedulableCapacity:
			if !h.overridden[r.Gate] {
				h.fatalf("I10: %s is sent while gate %s is %s: %s", e.Eff, r.Gate, r.Verdict, r.Figure)
			}
		}
	}
}

// A fault planted between the Machine and the world breaks one invariant each,
// and the histories find it: the property can fail.
func TestInvariantsFindPlantedFaults(t *testing.T) {
	plants := map[string]func(h *history, e rollout.Effect) bool{
		"I2: ": func(h *history, e rollout.Effect) bool { // each call is sent twice
			if c, ok := e.(rollout.SendCall); ok && h.call == nil {
				h.call = &c
			}
			return false
		},
		"I3: ": func(_ *history, e rollout.Effect) bool { // intents are not written
			_, isRecord := e.(rollout.Record)
			return isRecord
		},
		"I4: ": func(h *history, e rollout.Effect) bool { // the slot is said to be free
			p, ok := e.(rollout.Probe)
			if ok && h.admin {
				h.apply(rollout.Probed{At: h.now, Tag: p.Tag})
			}
			return ok && h.admin
		},
		"I5: ": func(h *history, e rollout.Effect) bool { // the command runs twice
			if r, ok := e.(rollout.RunHook); ok {
				h.hooks[r.Eff] = true
			}
			return false
		},
		"I6: ": func(h *history, e rollout.Effect) bool { // the shards are not listed, but said to be none
			l, ok := e.(rollout.ListShards)
			if ok && h.admin {
				h.apply(rollout.Listed{At: h.now, Tag: l.Tag})
			}
			return ok && h.admin
		},
		"I7: ": func(h *history, e rollout.Effect) bool { // the node changes behind a question's back
			if r, ok := e.(rollout.Record); ok && r.Rec.Kind == journal.KindPrompt {
				var q struct{ ID string }
				if r.Rec.Decode(&q) == nil {
					h.asked[q.ID] = facts{policy: client.PolicyPause}
				}
			}
			return false
		},
		"I8: ": func(h *history, e rollout.Effect) bool { // another node is called
			c, ok := e.(rollout.SendCall)
			if ok {
				c.Node = 3
				h.checkCall(c, false)
			}
			return false
		},
		"I9: ": func(h *history, e rollout.Effect) bool { // a node that was moved does not stay where it was put
			if _, ok := e.(rollout.Finish); ok {
				for id := range h.moved {
					h.shown[id] = facts{policy: client.PolicyFilling}
				}
			}
			return false
		},
		"I10: ": func(h *history, e rollout.Effect) bool { // another node goes down, and the call is sent all the same
			if c, ok := e.(rollout.SendCall); ok && c.Kind == rollout.CallDrain {
				down := *h.last
				down.Nodes.Value = slices.Clone(down.Nodes.Value)
				down.Nodes.Value[3].Availability = client.AvailabilityOffline
				h.last = &down
			}
			return false
		},
	}
	for want, plant := range plants {
		t.Run(strings.TrimSuffix(want, ": "), func(t *testing.T) {
			t.Parallel()
			var found []string
			broken := func() bool { // other invariants may break with it
				return slices.ContainsFunc(found, func(s string) bool { return strings.HasPrefix(s, want) })
			}
			for tries := 0; !broken() && tries < 100; tries++ {
				rapid.Check(t, func(t *rapid.T) {
					if broken() {
						return
					}
					h := newHistory(t)
					h.plant, h.found = plant, &found
					h.live()
				})
			}
			require.True(t, broken(), "not among what was found: %v", found)
		})
	}
}
