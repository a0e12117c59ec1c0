package action

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
)

// A reason is why something cannot be done; "" = nothing is against it.
type reason func(Selection) string

func can(Selection) string { return "" }

// first is the first of the reasons that holds: the most general one comes first.
func first(reasons ...reason) func(Selection) string {
	return func(s Selection) string {
		if s.Snapshot == nil {
			return "no data yet"
		}
		for _, why := range reasons {
			if text := why(s); text != "" {
				return text
			}
		}
		return ""
	}
}

// notDrivable is what is against any change of the cluster.
func notDrivable(s Selection) string {
	nodes := s.Snapshot.Nodes
	switch {
	case s.Snapshot.ReadOnly:
		return "read-only: nothing is sent"
	case !nodes.Known():
		return "no data yet"
	case s.Stale && s.Now.IsZero():
		return "data is stale"
	case s.Stale:
		return fmt.Sprintf("data is %.0f s old", nodes.Age(s.Now).Seconds())
	case s.RunLive:
		return "a run is going on"
	case s.Driver != "":
		return "driven by " + s.Driver + "; here it is only followed"
	case tokenTooWeak(s.Snapshot.Token.Scope):
		return "the token's scope " + s.Snapshot.Token.Scope + " may not; it needs infra or admin"
	case expired(s):
		return "the token has expired"
	}
	return ""
}

func tokenTooWeak(scope string) bool {
	return scope != "" && scope != client.ScopeAdmin && scope != client.ScopeInfra
}

func expired(s Selection) bool {
	at := s.Snapshot.Token.Expires
	return !at.IsZero() && !s.Now.IsZero() && at.Before(s.Now)
}

func needsAdmin(s Selection) string {
	if s.Snapshot.LacksAdmin() {
		return "setting a policy needs a token of scope admin"
	}
	return ""
}

func unfinished(s Selection) string {
	if s.Unfinished == "" {
		return ""
	}
	return "run " + s.Unfinished + " is unfinished; close it first"
}

func nothingUnfinished(s Selection) string {
	if s.Unfinished == "" {
		return "no run is unfinished"
	}
	return ""
}

func noTarget(s Selection) string {
	if len(s.Targets()) == 0 {
		return "no node is selected"
	}
	return ""
}

func noCursor(s Selection) string {
	if s.Cursor == 0 {
		return "no node is selected"
	}
	if _, ok := s.Snapshot.Node(s.Cursor); !ok {
		return gone(s.Cursor)
	}
	return ""
}

func gone(id client.NodeID) string { return fmt.Sprintf("node %s is gone", id) }

func cursorNode(s Selection) cluster.Node {
	n, _ := s.Snapshot.Node(s.Cursor) // noCursor came before
	return n
}

// restartable: nodes that a restart never touches are left out of a plan; when
// nothing else is selected there is no plan.
func restartable(s Selection) string {
	var against []string
	for _, id := range s.Targets() {
		why := untouchable(s, id)
		if why == "" {
			return ""
		}
		against = append(against, why)
	}
	return strings.Join(against, "; ")
}

func untouchable(s Selection, id client.NodeID) string {
	n, ok := s.Snapshot.Node(id)
	if !ok {
		return gone(id)
	}
	if n.Scheduling == client.PolicyPause || n.Scheduling == client.PolicyDeleting {
		return fmt.Sprintf("node %s is in %s; a restart never touches it", id, n.Scheduling)
	}
	return ""
}

// nodeActive: the controller starts and cancels operations on a node that is
// up, and on no other.
func nodeActive(s Selection) string {
	if n := cursorNode(s); n.Availability != client.AvailabilityActive {
		return fmt.Sprintf("node %s is %s%s", n.ID, n.Availability, since(n.AvailabilitySince, s.Now))
	}
	return ""
}

func since(at, now time.Time) string {
	if at.IsZero() || now.IsZero() {
		return ""
	}
	return fmt.Sprintf(" for %.0f s", now.Sub(at).Seconds())
}

func drainable(s Selection) string {
	n := cursorNode(s)
	switch n.Scheduling {
	case client.PolicyActive:
		return slotTaken(s)
	case client.PolicyPauseForRestart:
		return fmt.Sprintf("node %s is in PauseForRestart: it was drained already", n.ID)
	}
	return fmt.Sprintf("node %s is in %s; only an Active one can be drained", n.ID, n.Scheduling)
}

func fillable(s Selection) string {
	if n := cursorNode(s); n.Scheduling != client.PolicyActive {
		return fmt.Sprintf("node %s is in %s; only an Active one can be filled", n.ID, n.Scheduling)
	}
	return slotTaken(s)
}

// slotTaken: the controller runs one operation at a time in the whole cluster.
func slotTaken(s Selection) string {
	running := s.Snapshot.Operation(s.Snapshot.Nodes.At).Seen
	if len(running) == 0 {
		return ""
	}
	return fmt.Sprintf("the controller is busy: %s", running[0])
}

func cancellable(s Selection) string {
	n := cursorNode(s)
	if n.Scheduling == client.PolicyDraining || n.Scheduling == client.PolicyFilling {
		return ""
	}
	return fmt.Sprintf("node %s is in %s: nothing to cancel", n.ID, n.Scheduling)
}

// activatable: an operator's Pause is never overwritten, and a deletion has its
// own cancel.
func activatable(s Selection) string {
	n := cursorNode(s)
	switch n.Scheduling {
	case client.PolicyActive:
		return fmt.Sprintf("node %s is Active already", n.ID)
	case client.PolicyPause:
		return fmt.Sprintf("node %s is in Pause, which is never overwritten from here", n.ID)
	case client.PolicyDeleting:
		return fmt.Sprintf("node %s is being deleted", n.ID)
	}
	return ""
}

func noProblem(s Selection) string {
	if slices.ContainsFunc(cluster.Attend(s.Snapshot, s.Now, s.Ours), func(a cluster.Attention) bool { return a.Node != 0 }) {
		return ""
	}
	return "no node needs attention"
}

func noRun(s Selection) string {
	if s.RunLive {
		return ""
	}
	return "no run is going on"
}

func noReport(s Selection) string {
	if s.RunEnded {
		return ""
	}
	return "no run has ended in this session"
}
