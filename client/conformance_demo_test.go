package client_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/client/pageserver"
	"github.com/StorconTUI/storcon-tui/demo/server"
)

// as is a client with a token of that scope.
func (s *subject) as(t *testing.T, scope string) *client.Client {
	t.Helper()
	return s.with(t, func(cfg *client.Config) { cfg.Token = client.StaticToken(s.demo.Token(scope)) })
}

func authCases() []conformanceCase {
	const forbidden = "Forbidden: JWT authentication error"
	return []conformanceCase{
		{"without a token every route but health and metrics is 401", demo, func(t *testing.T, s *subject) {
			c := s.with(t, func(cfg *client.Config) { cfg.Token = nil })
			_, nodes := c.Nodes(t.Context())
			_, shards := c.NodeShards(t.Context(), 1)
			_, leader := c.Leader(t.Context())
			for _, err := range []error{nodes, shards, leader, c.StartDrain(t.Context(), noNode)} {
				refused(t, err, client.Unauthorized, 401, "Unauthorized: missing authorization header")
				refused(t, err, client.Unauthorized, 401, "no token is configured")
			}
			ok(t, c.Live(t.Context()))
			must(c.Metrics(t.Context()))(t)
			s.send(t, "GET", "/nosuch", "", "Authorization", "").says(t, 401, "missing authorization header")
		}},
		{"another scheme than Bearer is malformed", demo, func(t *testing.T, s *subject) {
			for _, header := range []string{"Basic eDp5", "bearer " + s.token, "Bearer"} {
				s.send(t, "GET", "/control/v1/node", "", "Authorization", header).says(t, 401, "Unauthorized: malformed authorization header")
			}
		}},
		{"a token that is none is 403", demo, func(t *testing.T, s *subject) {
			c := s.with(t, func(cfg *client.Config) { cfg.Token = client.StaticToken("not-a-token") })
			_, err := c.Nodes(t.Context())
			refused(t, err, client.Unauthorized, 403, forbidden)
		}},
		{"an expired token is 403, and the client says so", demo, func(t *testing.T, s *subject) {
			old := s.demo.TokenUntil(client.ScopeAdmin, time.Now().Add(-time.Hour))
			c := s.with(t, func(cfg *client.Config) { cfg.Token = client.StaticToken(old) })
			_, err := c.Nodes(t.Context())
			refused(t, err, client.Unauthorized, 403, forbidden)
			refused(t, err, client.Unauthorized, 403, "expired at")
		}},
		{"infra lists, drains and fills", demo, func(t *testing.T, s *subject) {
			c := s.as(t, client.ScopeInfra)
			must(c.Nodes(t.Context()))(t)
			must(c.Node(t.Context(), 1))(t)
			for _, err := range []error{
				c.StartDrain(t.Context(), noNode), c.CancelDrain(t.Context(), noNode),
				c.StartFill(t.Context(), noNode), c.CancelFill(t.Context(), noNode),
			} {
				refused(t, err, client.Refused, 404, "not registered")
			}
		}},
		{"infra neither lists shards nor configures, and is told its scope", demo, func(t *testing.T, s *subject) {
			c := s.as(t, client.ScopeInfra)
			_, shards := c.NodeShards(t.Context(), 1)
			_, leader := c.Leader(t.Context())
			_, tenants := c.Tenants(t.Context(), client.TenantsPage{Limit: 1})
			_, probe := c.Probe(t.Context(), 1)
			for _, err := range []error{shards, leader, tenants, probe} {
				refused(t, err, client.Unauthorized, 403, forbidden)
				refused(t, err, client.Unauthorized, 403, "has scope infra")
			}
		}},
		{"scrubber describes a tenant and lists nothing", demo, func(t *testing.T, s *subject) {
			c := s.as(t, "scrubber")
			must(c.Tenant(t.Context(), s.tenants(t)[0].ID))(t)
			_, err := c.Nodes(t.Context())
			refused(t, err, client.Unauthorized, 403, forbidden)
		}},
		{"an unknown scope is 403 everywhere", demo, func(t *testing.T, s *subject) {
			_, err := s.as(t, "root").Nodes(t.Context())
			refused(t, err, client.Unauthorized, 403, forbidden)
		}},
	}
}

// fault spoils the next request, or the next n, of that method and path.
func (s *subject) fault(t *testing.T, f server.Fault) {
	t.Helper()
	ok(t, s.demo.AddFault(f))
	t.Cleanup(s.demo.ClearFaults)
}

func faultCases() []conformanceCase {
	return []conformanceCase{
		{"a read that is cut is repeated", demo, func(t *testing.T, s *subject) {
			s.fault(t, server.Fault{Path: "/node$", Method: "GET", Kind: "body", Count: 2})
			s.nodes(t)
			s.fault(t, server.Fault{Path: "/node$", Method: "GET", Kind: "body"})
			_, err := s.WithoutRetries().Nodes(t.Context())
			refused(t, err, client.BadAnswer, http.StatusOK, "")
		}},
		{"a read whose connection ends is repeated", demo, func(t *testing.T, s *subject) {
			s.fault(t, server.Fault{Path: "/node$", Method: "GET", Kind: "drop-before", Count: 2})
			s.nodes(t)
		}},
		{"a drain whose answer is lost is ambiguous, and runs", demo, func(t *testing.T, s *subject) {
			id := s.borrow(t)
			s.fault(t, server.Fault{Path: "/drain$", Method: "PUT", Kind: "drop-after"})
			refused(t, s.StartDrain(t.Context(), id), client.Ambiguous, 0, "")
			if got := must(s.Node(t.Context(), id))(t).Scheduling; got == client.PolicyActive {
				t.Errorf("the drain was not carried out")
			}
		}},
		{"a drain that is lost on its way is ambiguous, and does not run", demo, func(t *testing.T, s *subject) {
			id := s.borrow(t)
			s.fault(t, server.Fault{Path: "/drain$", Method: "PUT", Kind: "drop-before"})
			refused(t, s.StartDrain(t.Context(), id), client.Ambiguous, 0, "")
			if got := must(s.Node(t.Context(), id))(t).Scheduling; got != client.PolicyActive {
				t.Errorf("%s", got)
			}
		}},
		{"a drain with a wrong body is ambiguous", demo, func(t *testing.T, s *subject) {
			id := s.borrow(t)
			s.fault(t, server.Fault{Path: "/drain$", Method: "PUT", Kind: "body", Value: "<html>"})
			refused(t, s.StartDrain(t.Context(), id), client.Ambiguous, http.StatusAccepted, "")
		}},
		{"a slow answer to a drain is waited for", demo, func(t *testing.T, s *subject) {
			id := s.borrow(t)
			s.fault(t, server.Fault{Path: "/drain$", Method: "PUT", Kind: "delay", Value: "600ms"})
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			ok(t, s.StartDrain(ctx, id))
		}},
		{"pageservers tell their launch, and a restart changes it", demo, restart},
		{"a pageserver at the controller's address is recognised", demo, func(t *testing.T, s *subject) {
			n := s.nodes(t)[0]
			address := must(pageserver.ForNode(n, nil))(t).BaseURL()
			c := s.with(t, func(cfg *client.Config) { cfg.BaseURL = address })
			_, nodes := c.Nodes(t.Context())
			_, metrics := c.Metrics(t.Context())
			refused(t, nodes, client.BadAnswer, 404, "answers like a pageserver")
			refused(t, metrics, client.BadAnswer, 200, "answers like a pageserver")
			refused(t, c.StartDrain(t.Context(), n.ID), client.BadAnswer, 404, "answers like a pageserver")
		}},
		{"computes tell their status", demo, func(t *testing.T, s *subject) {
			for _, info := range s.demo.Computes() {
				c := must(compute.New(client.Config{BaseURL: info.URL}))(t)
				t.Cleanup(c.CloseIdle)
				if got := must(c.Status(t.Context()))(t); got.State == "" || got.Tenant != nil && *got.Tenant != string(info.Tenant) {
					t.Errorf("%s: %+v", info.Name, got)
				}
			}
		}},
		{"a node that is down is unavailable", demo, nodeDown},
		{"a controller that is gone is unreachable, its orphan a conflict", demo, controllerKilled},
	}
}

func restart(t *testing.T, s *subject) {
	id := s.borrow(t)
	c := must(pageserver.ForNode(must(s.Node(t.Context(), id))(t), nil))(t)
	t.Cleanup(c.CloseIdle)
	before := must(c.Fetch(t.Context()))(t)
	ok(t, s.demo.RestartNode(t.Context(), id, time.Second, "conformance"))
	after := must(c.Fetch(t.Context()))(t)
	if after.LaunchMillis == before.LaunchMillis || after.Build.Revision != "conformance" || before.Build.Revision == "" {
		t.Errorf("%+v, then %+v", before, after)
	}
	s.available(t, id)
}

// available waits until a node's heartbeats have made it Active.
func (s *subject) available(t *testing.T, id client.NodeID) {
	t.Helper()
	until(t, "the node is available", func(ctx context.Context) bool {
		return must(s.Node(ctx, id))(t).Availability == client.AvailabilityActive
	})
}

func nodeDown(t *testing.T, s *subject) {
	id := s.borrow(t)
	ok(t, s.demo.StopNode(id))
	until(t, "the node is Offline", func(ctx context.Context) bool {
		return must(s.Node(ctx, id))(t).Availability == client.AvailabilityOffline
	})
	for _, err := range []error{s.StartDrain(t.Context(), id), s.StartFill(t.Context(), id), s.CancelDrain(t.Context(), id)} {
		refused(t, err, client.Refused, 503, "Node "+id.String()+" is currently unavailable")
		if !client.NodeUnavailable(err) {
			t.Error("not recognised")
		}
	}
	ok(t, s.demo.StartNode(t.Context(), id, ""))
	s.available(t, id)
}

// slow gives a node of the demo shards to drain, and each move time to be
// seen. Another controller stays as it is.
func (s *subject) slow(t *testing.T, id client.NodeID) {
	t.Helper()
	if s.demo == nil {
		return
	}
	ok(t, s.StartFill(t.Context(), id))
	s.rest(t)
	set := func(delay time.Duration) {
		for _, n := range s.nodes(t) {
			ok(t, s.demo.SetNode(n.ID, nil, &delay))
		}
	}
	set(20 * time.Second)
	s.restore = func() { set(1400 * time.Millisecond) }
}

func controllerKilled(t *testing.T, s *subject) {
	id := s.borrow(t)
	s.slow(t, id)
	ok(t, s.StartDrain(t.Context(), id))
	s.demo.KillController()
	_, err := s.WithoutRetries().Nodes(t.Context())
	refused(t, err, client.Unreachable, 0, "")
	refused(t, s.StartFill(t.Context(), id), client.Unreachable, 0, "")
	s.demo.StartController()
	until(t, "the controller is live", func(ctx context.Context) bool { return s.Live(ctx) == nil })
	s.available(t, id)
	if got := must(s.Node(t.Context(), id))(t).Scheduling; got != client.PolicyDraining {
		t.Fatalf("%s after a kill", got)
	}
	err = s.StartDrain(t.Context(), id)
	refused(t, err, client.Refused, 409, "has drain in progress")
	if op := must(s.Probe(t.Context(), id))(t); op != nil {
		t.Errorf("the slot survived: %v", op)
	}
}
