package release

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// scene is a cluster that is looked at every second, from second 0 of began on.
type scene struct {
	t      *testing.T
	w      *Watch
	o      Observation
	last   int // second of the newest look; -1 = none
	events []Event
	looks  []Observation
}

// newScene has so many nodes of build b1, launched together a day ago, in two zones.
func newScene(t *testing.T, nodes int) *scene {
	s := &scene{t: t, w: NewWatch(Settings{}), last: -1}
	s.o = Observation{Cluster: "eu-1", Leader: "c1@1", Reconciles: Reconciles{Errors: -1}, Calls: map[string]int64{}}
	for i := range nodes {
		s.o.Nodes = append(s.o.Nodes, NodeObservation{
			ID: client.NodeID(i + 1), Address: fmt.Sprintf("ps-%d:9898", i+1), AZ: "az-" + string(rune('a'+i%2)),
			Policy: client.PolicyActive, Availability: client.AvailabilityActive,
			Attached: 100, Secondary: 100, Home: 100, Build: "b1", Launched: began.Add(-24 * time.Hour),
		})
	}
	return s
}

// look looks once.
func (s *scene) look(second int) {
	s.t.Helper()
	o := s.o
	o.At = began.Add(time.Duration(second) * time.Second)
	o.Nodes, o.Calls, o.Computes = slices.Clone(o.Nodes), maps.Clone(o.Calls), slices.Clone(o.Computes)
	s.last = second
	s.looks = append(s.looks, o)
	s.events = append(s.events, s.w.See(o)...)
}

// until looks every second, up to but without that one.
func (s *scene) until(second int) {
	s.t.Helper()
	for s.last+1 < second {
		s.look(s.last + 1)
	}
}

// at looks every second before that one, has something happen, and looks.
func (s *scene) at(second int, happens ...func(*Observation)) {
	s.t.Helper()
	s.until(second)
	for _, f := range happens {
		f(&s.o)
	}
	s.look(second)
}

// blind has something happen unseen, between two looks.
func (s *scene) blind(happens ...func(*Observation)) {
	for _, f := range happens {
		f(&s.o)
	}
}

func (s *scene) node(id client.NodeID) NodeProgress {
	for _, n := range s.w.Release().Nodes {
		if n.ID == id {
			return n
		}
	}
	s.t.Fatalf("no node %s", id)
	return NodeProgress{}
}

// way is a node's spans as "waiting 0 | ~draining 5": second of the begin, ~ for inferred.
func way(n NodeProgress) string {
	var words []string
	for _, span := range n.Spans {
		guess := ""
		if span.Inferred {
			guess = "~"
		}
		words = append(words, fmt.Sprintf("%s%s %g", guess, string(span.Phase), float64(span.From.Sub(began).Milliseconds())/1000))
	}
	return strings.Join(words, " | ")
}

// The things that happen to a cluster.

func change(id client.NodeID, f func(*NodeObservation)) func(*Observation) {
	return func(o *Observation) {
		for i := range o.Nodes {
			if o.Nodes[i].ID == id {
				f(&o.Nodes[i])
			}
		}
	}
}

func policy(id client.NodeID, p client.NodePolicy) func(*Observation) {
	return change(id, func(n *NodeObservation) { n.Policy = p })
}

func available(id client.NodeID, a client.Availability) func(*Observation) {
	return change(id, func(n *NodeObservation) { n.Availability = a })
}

func attached(id client.NodeID, count int64) func(*Observation) {
	return change(id, func(n *NodeObservation) { n.Attached = count })
}

func mute(id client.NodeID, silent bool) func(*Observation) {
	return change(id, func(n *NodeObservation) { n.Silent = silent })
}

// launch is what a process says that was launched at that second.
func launch(id client.NodeID, second int, build string) func(*Observation) {
	return change(id, func(n *NodeObservation) {
		n.Launched, n.Build, n.Silent = began.Add(time.Duration(second)*time.Second), build, false
	})
}

func unknownProcess(id client.NodeID) func(*Observation) {
	return change(id, func(n *NodeObservation) { n.Launched, n.Build = time.Time{}, "" })
}

func unknownProcesses(o *Observation) {
	for _, n := range o.Nodes {
		unknownProcess(n.ID)(o)
	}
}

func called(word string, count int64) func(*Observation) {
	return func(o *Observation) { o.Calls[word] += count }
}

func uncounted(o *Observation) { o.Calls = nil }

func drains(id client.NodeID) func(*Observation)  { return policy(id, client.PolicyDraining) }
func drained(id client.NodeID) func(*Observation) { return policy(id, client.PolicyPauseForRestart) }
func active(id client.NodeID) func(*Observation)  { return policy(id, client.PolicyActive) }
func fills(id client.NodeID) func(*Observation)   { return policy(id, client.PolicyFilling) }
func offline(id client.NodeID) func(*Observation) {
	return available(id, client.AvailabilityOffline)
}
func up(id client.NodeID) func(*Observation) { return available(id, client.AvailabilityActive) }

// reattaches is what the controller shows of a node that has come back.
func reattaches(id client.NodeID) func(*Observation) {
	return change(id, func(n *NodeObservation) {
		n.Policy, n.Availability = client.PolicyActive, client.AvailabilityWarmingUp
	})
}

// restartsNode takes a node through all of its phases in 60 s.
func (s *scene) restartsNode(id client.NodeID, from int, build string) {
	s.t.Helper()
	s.at(from, drains(id))
	s.at(from+20, drained(id), attached(id, 0))
	s.at(from+25, mute(id, true))
	s.at(from+35, reattaches(id))
	s.at(from+37, up(id), launch(id, from+33, build))
	s.at(from+40, fills(id))
	s.at(from+60, active(id), attached(id, 100))
}
