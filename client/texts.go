package client

import (
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// The controller's words that this program decides on (contract 0.2, A.0,
// A.1). They are matched as parts, since prefixes differ by status.
const (
	textPageNotFound     = "page not found"              // a pageserver, for a route that it lacks
	textNoComputeToken   = "invalid authorization token" // compute_ctl, with status 400, for a missing header
	textNotReady         = "Timed out waiting for service readiness"
	textUnavailable      = "is currently unavailable"
	textUnknownForUpdate = "Node node_id not found for update"
	textShuttingDown     = "Shutting down"
	textCandidate        = "Current leadership status is candidate"
	textSteppedDown      = "Leader is stepped down instance"
	textNoLeader         = "No leader to forward to"
	textNoSchedulable    = "No other schedulable nodes"
	textNoneToFillFrom   = "No other nodes to fill from"
)

// textsNotForwarded are failures of a stepped-down instance before it sent
// anything to the leader.
var textsNotForwarded = []string{
	"Failed to get leader for forwarding",
	"Failed to parse leader uri for forwarding",
}

var (
	runningOperation = regexp.MustCompile(`(?:already ongoing for node|operation forbids configuring): ([a-z_]+) (\d+)`)
	policyRefusal    = regexp.MustCompile(`cannot be (?:drained|filled|deleted) due to (\S+) policy`)
	orphanConflict   = regexp.MustCompile(`has (?:drain|fill|delete) in progress`)
	nothingRunning   = regexp.MustCompile(`has no (?:drain|fill|delete) in progress`)
)

// RunningOperation reads out of a 412 which operation occupies the
// controller's single slot. It may run on another node than the one asked for.
func RunningOperation(err error) (Operation, bool) {
	match := runningOperation.FindStringSubmatch(words(err, http.StatusPreconditionFailed))
	if match == nil {
		return Operation{}, false
	}
	id, parseErr := strconv.ParseUint(match[2], 10, 64)
	if parseErr != nil {
		return Operation{}, false
	}
	return Operation{Kind: OperationKind(match[1]), Node: NodeID(id)}, true
}

// PolicyRefusal is the policy that a 412 gives as the reason why a drain, fill
// or delete cannot start.
func PolicyRefusal(err error) (NodePolicy, bool) {
	match := policyRefusal.FindStringSubmatch(words(err, http.StatusPreconditionFailed))
	if match == nil {
		return "", false
	}
	return NodePolicy(match[1]), true
}

// NoSchedulableNodes reports a drain or delete refused since no node could
// take the shards, or a fill refused since there is no other node.
func NoSchedulableNodes(err error) bool {
	msg := words(err, http.StatusPreconditionFailed)
	return strings.Contains(msg, textNoSchedulable) || strings.Contains(msg, textNoneToFillFrom)
}

// NodeUnavailable reports a drain, fill or cancel refused since the node is
// Offline or WarmingUp (503).
func NodeUnavailable(err error) bool {
	return strings.Contains(words(err, http.StatusServiceUnavailable), textUnavailable)
}

// OrphanConflict reports a 409: the node's policy says that an operation runs
// while the slot is free. Waiting does not help; the policy must be set.
func OrphanConflict(err error) bool {
	return orphanConflict.MatchString(words(err, http.StatusConflict))
}

// NothingInProgress reports a cancel refused since no such operation runs on
// the node: it has just ended, or its policy is an orphan.
func NothingInProgress(err error) bool {
	return nothingRunning.MatchString(words(err, http.StatusPreconditionFailed))
}

// NodeUnknown reports a 404 for a node that is not, or no longer, registered.
func NodeUnknown(err error) bool {
	msg := words(err, http.StatusNotFound)
	return strings.Contains(msg, "Node") && strings.Contains(msg, "not registered")
}

// LeadershipMoving reports the 503 of a controller that is starting, stopping
// or not the leader; it passes within tens of seconds.
func LeadershipMoving(err error) bool {
	return containsAny(words(err, http.StatusServiceUnavailable),
		[]string{textShuttingDown, textCandidate, textSteppedDown, textNoLeader})
}

// words are the server's for an answer of that status, else "".
func words(err error, status int) string {
	var e *Error
	if errors.As(err, &e) && e.Status == status {
		return e.Msg
	}
	return ""
}

func containsAny(s string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}
