package client

import (
	"errors"
	"fmt"
	"testing"
)

// refusal is an answer as it comes out of the client, wrapped as callers do.
func refusal(status int, msg string) error {
	return fmt.Errorf("drain node 3: %w", &Error{Kind: Refused, Method: "PUT", Path: "/x", Status: status, Msg: msg})
}

func TestRunningOperation(t *testing.T) {
	for _, row := range []struct {
		err  error
		want Operation
		ok   bool
	}{
		{refusal(412, "Precondition failed: Background operation already ongoing for node: drain 3"), Operation{OperationDrain, 3}, true},
		{refusal(412, "Precondition failed: Ongoing background operation forbids configuring: fill 4294967297"), Operation{OperationFill, 4294967297}, true},
		{refusal(412, "Precondition failed: Background operation already ongoing for node: delete 12"), Operation{OperationDelete, 12}, true},
		{refusal(412, "Precondition failed: Background operation already ongoing for node: rebalance 12"), Operation{"rebalance", 12}, true},
		{refusal(412, "Precondition failed: Background operation already ongoing for node: drain 99999999999999999999"), Operation{}, false},
		{refusal(412, "Precondition failed: Node 3 has no drain in progress"), Operation{}, false},
		{refusal(503, "Background operation already ongoing for node: drain 3"), Operation{}, false},
		{errors.New("Background operation already ongoing for node: drain 3"), Operation{}, false},
		{nil, Operation{}, false},
	} {
		got, ok := RunningOperation(row.err)
		if got != row.want || ok != row.ok {
			t.Errorf("%v: %v %t, not %v %t", row.err, got, ok, row.want, row.ok)
		}
	}
}

func TestPolicyRefusal(t *testing.T) {
	for _, policy := range []NodePolicy{PolicyPause, PolicyPauseForRestart, PolicyFilling, "Sleeping"} {
		for _, verb := range []string{"drained", "filled", "deleted"} {
			err := refusal(412, fmt.Sprintf("Precondition failed: Node 7 cannot be %s due to %s policy", verb, policy))
			if got, ok := PolicyRefusal(err); !ok || got != policy {
				t.Errorf("%v: %q %t", err, got, ok)
			}
		}
	}
	if got, ok := PolicyRefusal(refusal(412, "Precondition failed: Node 7 has no fill in progress")); ok {
		t.Errorf("a refusal for no policy was read as %q", got)
	}
}

func TestPredicates(t *testing.T) {
	predicates := map[string]func(error) bool{
		"NoSchedulableNodes": NoSchedulableNodes,
		"NodeUnavailable":    NodeUnavailable,
		"OrphanConflict":     OrphanConflict,
		"NothingInProgress":  NothingInProgress,
		"NodeUnknown":        NodeUnknown,
		"LeadershipMoving":   LeadershipMoving,
	}
	for _, row := range []struct {
		err   error
		holds string // the only predicate that does
	}{
		{refusal(412, "Precondition failed: No other schedulable nodes to drain to"), "NoSchedulableNodes"},
		{refusal(412, "Precondition failed: No other nodes to fill from"), "NoSchedulableNodes"},
		{refusal(503, "Node 7 is currently unavailable"), "NodeUnavailable"},
		{refusal(409, "Conflict: Node 7 has drain in progress"), "OrphanConflict"},
		{refusal(409, "Conflict: Node 7 has fill in progress"), "OrphanConflict"},
		{refusal(409, "Conflict: Node is already registered with different address"), ""},
		{refusal(412, "Precondition failed: Node 7 has no drain in progress"), "NothingInProgress"},
		{refusal(404, "NotFound: Node 7 not registered"), "NodeUnknown"},
		{refusal(404, "NotFound: Node not registered"), "NodeUnknown"},
		{refusal(404, "NotFound: Tenant 7 not found"), ""},
		{refusal(503, "Shutting down"), "LeadershipMoving"},
		{refusal(503, "Current leadership status is candidate"), "LeadershipMoving"},
		{refusal(503, "Leader is stepped down instance"), "LeadershipMoving"},
		{refusal(503, "No leader to forward to while in stepped down state"), "LeadershipMoving"},
		{refusal(500, "Shutting down"), ""},
		{nil, ""},
	} {
		for name, holds := range predicates {
			if got := holds(row.err); got != (name == row.holds) {
				t.Errorf("%v: %s says %t", row.err, name, got)
			}
		}
	}
}
