package client_test

import (
	"context"
	"testing"

	"github.com/StorconTUI/storcon-tui/client"
)

// borrow picks a node that may be worked on: Active and Active, with another one
// to take its shards. It is put back when the case ends.
func (s *subject) borrow(t *testing.T) client.NodeID {
	t.Helper()
	s.rest(t)
	var active []client.NodeID
	for _, n := range s.nodes(t) {
		if n.Availability == client.AvailabilityActive && n.Scheduling == client.PolicyActive {
			active = append(active, n.ID)
		}
	}
	if len(active) < 2 {
		t.Fatal("fewer than two nodes are Active: nothing can be drained safely")
	}
	s.borrowed = &active[0]
	return active[0]
}

// giveBack ends what a case left running or slow and sets the borrowed node
// Active.
func (s *subject) giveBack(t *testing.T) {
	t.Helper()
	if s.restore != nil {
		s.restore()
		s.restore = nil
	}
	if s.borrowed == nil {
		return
	}
	id := *s.borrowed
	s.borrowed = nil
	until(t, "a free slot", func(ctx context.Context) bool {
		op := must(s.Probe(ctx, id))(t)
		if op != nil && op.Node == id {
			if err := s.cancel(ctx, *op); err != nil && !client.NothingInProgress(err) {
				t.Errorf("node %v is left as it is: %v", id, err)
			}
		}
		return op == nil
	})
	ok(t, s.ConfigureNode(t.Context(), policy(id, client.PolicyActive)))
}

func (s *subject) cancel(ctx context.Context, op client.Operation) error {
	if op.Kind == client.OperationFill {
		return s.CancelFill(ctx, op.Node)
	}
	return s.CancelDrain(ctx, op.Node)
}

func policy(id client.NodeID, p client.NodePolicy) client.NodeConfig {
	return client.NodeConfig{NodeID: id, Scheduling: &p}
}

// rest waits until no operation runs and observation has caught up with
// intent.
func (s *subject) rest(t *testing.T) {
	t.Helper()
	nodes := s.nodes(t)
	until(t, "cluster at rest", func(ctx context.Context) bool {
		if op := must(s.Probe(ctx, nodes[0].ID))(t); op != nil {
			return false
		}
		for _, n := range nodes {
			for _, l := range must(s.NodeShards(ctx, n.ID))(t).Shards {
				if l.ObservedAttached() != l.IntendedAttached() {
					return false
				}
			}
		}
		return true
	})
}

// settle waits for one of the given policies and returns it.
func (s *subject) settle(t *testing.T, id client.NodeID, ends ...client.NodePolicy) client.NodePolicy {
	t.Helper()
	var seen client.NodePolicy
	until(t, "a final policy", func(ctx context.Context) bool {
		seen = must(s.Node(ctx, id))(t).Scheduling
		for _, end := range ends {
			if seen == end {
				return true
			}
		}
		return false
	})
	return seen
}

func refusalCases() []conformanceCase {
	const notRegistered = "not registered"
	return []conformanceCase{
		{"operations on an unknown node are 404", mutates, func(t *testing.T, s *subject) {
			for _, err := range []error{
				s.StartDrain(t.Context(), noNode), s.CancelDrain(t.Context(), noNode),
				s.StartFill(t.Context(), noNode), s.CancelFill(t.Context(), noNode),
			} {
				refused(t, err, client.Refused, 404, "NotFound: Node "+noNode.String()+" "+notRegistered)
			}
		}},
		{"a probe of a free slot changes nothing", mutates, func(t *testing.T, s *subject) {
			s.rest(t)
			before := s.nodes(t)
			if op := must(s.Probe(t.Context(), before[0].ID))(t); op != nil {
				t.Errorf("%v", op)
			}
			if after := must(s.Node(t.Context(), before[0].ID))(t); after.Scheduling != before[0].Scheduling || after.Availability != before[0].Availability {
				t.Errorf("%+v became %+v", before[0], after)
			}
		}},
		{"a probe by an unknown node is 404", mutates, func(t *testing.T, s *subject) {
			_, err := s.Probe(t.Context(), noNode)
			refused(t, err, client.Refused, 404, "NotFound: Node not registered")
		}},
		{"a policy for an unknown node is 500", mutates, func(t *testing.T, s *subject) {
			refused(t, s.ConfigureNode(t.Context(), policy(noNode, client.PolicyActive)), client.Refused, 500, "Node node_id not found for update")
		}},
		{"bad bodies of a configure are 400", mutates, func(t *testing.T, s *subject) {
			path := "/control/v1/node/" + s.nodes(t)[0].ID.String() + "/config"
			id := s.nodes(t)[0].ID.String()
			for body, words := range map[string]string{
				``: `\"missing request body\"`,
				`{"node_id":4294967296123,"scheduling":"Active"}`: `\"Path and body node_id differ\"`,
				`{"node_id":` + id + `,"scheduling":"Bogus"}`:     "unknown variant `Bogus`, expected one of `Active`",
				`{"node_id":` + id + `,"scheduling":"pause"}`:     "unknown variant `pause`",
				`{"node_id":` + id + `,"availability":"Bogus"}`:   "availability: unknown variant `Bogus`",
				`{"scheduling":"Active"}`:                         "missing field `node_id`",
				`{"node_id":` + id + `,"scheduling":"Active"`:     "Failed to parse json request",
			} {
				s.send(t, "PUT", path, body).says(t, 400, words)
			}
		}},
		{"a wrong method is 404, not 405", mutates, func(t *testing.T, s *subject) {
			s.send(t, "POST", "/control/v1/node/"+noNode.String()+"/drain", "").says(t, 404, "Not Found")
		}},
		{"there is nothing to cancel", mutates, func(t *testing.T, s *subject) {
			id := s.borrow(t)
			drain, fill := s.CancelDrain(t.Context(), id), s.CancelFill(t.Context(), id)
			refused(t, drain, client.Refused, 412, "Precondition failed: Node "+id.String()+" has no drain in progress")
			refused(t, fill, client.Refused, 412, "Precondition failed: Node "+id.String()+" has no fill in progress")
			if !client.NothingInProgress(drain) || !client.NothingInProgress(fill) {
				t.Error("not recognised")
			}
		}},
		{"a policy other than Active refuses drain and fill", mutates, func(t *testing.T, s *subject) {
			id := s.borrow(t)
			for _, p := range []client.NodePolicy{client.PolicyPause, client.PolicyPauseForRestart} {
				ok(t, s.ConfigureNode(t.Context(), policy(id, p)))
				for _, err := range []error{s.StartDrain(t.Context(), id), s.StartFill(t.Context(), id)} {
					refused(t, err, client.Refused, 412, "due to "+string(p)+" policy")
					if named, found := client.PolicyRefusal(err); !found || named != p {
						t.Errorf("read as %q", named)
					}
				}
			}
		}},
		{"Draining without a drain is an orphan", mutates, func(t *testing.T, s *subject) {
			id := s.borrow(t)
			ok(t, s.ConfigureNode(t.Context(), policy(id, client.PolicyDraining)))
			err := s.StartDrain(t.Context(), id)
			refused(t, err, client.Refused, 409, "Conflict: Node "+id.String()+" has drain in progress")
			if !client.OrphanConflict(err) {
				t.Error("not recognised")
			}
			refused(t, s.StartFill(t.Context(), id), client.Refused, 412, "cannot be filled due to Draining policy")
			refused(t, s.CancelDrain(t.Context(), id), client.Refused, 412, "has no drain in progress")
			ok(t, s.ConfigureNode(t.Context(), policy(id, client.PolicyActive)))
		}},
		{"Filling without a fill is an orphan", mutates, func(t *testing.T, s *subject) {
			id := s.borrow(t)
			ok(t, s.ConfigureNode(t.Context(), policy(id, client.PolicyFilling)))
			err := s.StartFill(t.Context(), id)
			refused(t, err, client.Refused, 409, "Conflict: Node "+id.String()+" has fill in progress")
			if !client.OrphanConflict(err) {
				t.Error("not recognised")
			}
			refused(t, s.StartDrain(t.Context(), id), client.Refused, 412, "cannot be drained due to Filling policy")
		}},
		{"a policy that was set is seen at once", mutates, func(t *testing.T, s *subject) {
			id := s.borrow(t)
			for _, p := range []client.NodePolicy{client.PolicyPause, client.PolicyActive} {
				ok(t, s.ConfigureNode(t.Context(), policy(id, p)))
				if got := must(s.Node(t.Context(), id))(t).Scheduling; got != p {
					t.Errorf("%s after setting %s", got, p)
				}
			}
		}},
	}
}

func operationCases() []conformanceCase {
	return []conformanceCase{
		{"an accepted drain shows at once and fills the only slot", mutates, oneSlot},
		{"a cancelled drain ends by itself", mutates, func(t *testing.T, s *subject) {
			id := s.borrow(t)
			ok(t, s.StartDrain(t.Context(), id))
			if err := s.CancelDrain(t.Context(), id); err != nil && !client.NothingInProgress(err) {
				t.Fatal(err)
			}
			s.settle(t, id, client.PolicyActive, client.PolicyPauseForRestart)
			s.rest(t)
		}},
		{"a drain ends in PauseForRestart and leaves what cannot move", mutates, fullDrain},
		{"a fill of a node in PauseForRestart is refused", mutates, func(t *testing.T, s *subject) {
			id := s.borrow(t)
			ok(t, s.ConfigureNode(t.Context(), policy(id, client.PolicyPauseForRestart)))
			refused(t, s.StartFill(t.Context(), id), client.Refused, 412, "cannot be filled due to PauseForRestart policy")
		}},
		{"a fill ends in Active, even when there is nothing to do", mutates, func(t *testing.T, s *subject) {
			id := s.borrow(t)
			for range 2 {
				ok(t, s.StartFill(t.Context(), id))
				s.settle(t, id, client.PolicyActive)
				s.rest(t)
			}
		}},
		{"success of a mutating call is 202 or 200 with null", mutates, func(t *testing.T, s *subject) {
			id := s.borrow(t).String()
			if r := s.send(t, "PUT", "/control/v1/node/"+id+"/config", `{"node_id":`+id+`}`); r.status != 200 || r.body != "null" {
				t.Errorf("configure: %d %s", r.status, r.body)
			}
			if r := s.send(t, "PUT", "/control/v1/node/"+id+"/fill", ""); r.status != 202 || r.body != "null" {
				t.Errorf("fill: %d %s", r.status, r.body)
			}
		}},
	}
}

func oneSlot(t *testing.T, s *subject) {
	id := s.borrow(t)
	s.slow(t, id)
	ok(t, s.StartDrain(t.Context(), id))
	if got := must(s.Node(t.Context(), id))(t).Scheduling; got != client.PolicyDraining && got != client.PolicyPauseForRestart {
		t.Errorf("%s after 202", got)
	}
	want := client.Operation{Kind: client.OperationDrain, Node: id}
	op := must(s.Probe(t.Context(), id))(t)
	if op == nil && s.demo == nil {
		return // done already; only the demo can be made slow
	}
	if op == nil || *op != want {
		t.Fatalf("the slot has %v", op)
	}
	other := s.nodes(t)[len(s.nodes(t))-1].ID
	for _, err := range []error{
		s.StartDrain(t.Context(), other), s.StartFill(t.Context(), id),
		s.ConfigureNode(t.Context(), policy(id, client.PolicyActive)),
	} {
		if named, found := client.RunningOperation(err); !found || named != want {
			t.Errorf("%v: read as %v", err, named)
		}
	}
}

func fullDrain(t *testing.T, s *subject) {
	id := s.borrow(t)
	ok(t, s.StartDrain(t.Context(), id))
	s.settle(t, id, client.PolicyPauseForRestart)
	tenants := map[client.TenantShardID]client.TenantShard{}
	for _, tenant := range s.tenants(t) {
		for _, shard := range tenant.Shards {
			tenants[shard.ID] = shard
		}
	}
	for _, l := range must(s.NodeShards(t.Context(), id))(t).Shards {
		shard := tenants[l.ID]
		stays := len(shard.NodeSecondary) == 0 || shard.SchedulingPolicy == client.ShardPause || shard.SchedulingPolicy == client.ShardStop
		if l.ObservedAttached() && s.demo != nil && !stays {
			t.Errorf("%s stayed: %+v", l.ID, shard)
		}
	}
	s.rest(t)
}
