package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/StorconTUI/storcon-tui/client"
)

const (
	noNode   client.NodeID   = 4294967296123 // above 2^32, as ids may be
	noTenant client.TenantID = "ffffffffffffffffffffffffffffffff"
)

func healthCases() []conformanceCase {
	return []conformanceCase{
		{"status, ready and live answer", reads, func(t *testing.T, s *subject) {
			ok(t, s.Status(t.Context()))
			ok(t, s.Ready(t.Context()))
			ok(t, s.Live(t.Context()))
		}},
		{"health answers are the JSON value null", reads, func(t *testing.T, s *subject) {
			for _, path := range []string{"/status", "/ready", "/live"} {
				r := s.send(t, "GET", path, "")
				r.says(t, 200, "null")
				if r.body != "null" || !strings.HasPrefix(r.header.Get("Content-Type"), "application/json") {
					t.Errorf("%s: %q as %s", path, r.body, r.header.Get("Content-Type"))
				}
			}
		}},
		{"an unknown path is 404 in plain text", reads, func(t *testing.T, s *subject) {
			r := s.send(t, "GET", "/control/v1/nosuch", "")
			r.says(t, 404, "Not Found")
			if strings.HasPrefix(r.body, "{") {
				t.Errorf("%s", r.body)
			}
		}},
		{"HEAD on a GET route is 404", reads, func(t *testing.T, s *subject) {
			s.send(t, "HEAD", "/control/v1/node", "").says(t, 404, "")
		}},
		{"every answer has a request id, the caller's if it gave one", reads, func(t *testing.T, s *subject) {
			if s.send(t, "GET", "/control/v1/node", "").header.Get("X-Request-Id") == "" {
				t.Error("no request id")
			}
			r := s.send(t, "GET", "/control/v1/node", "", "X-Request-Id", "conformance-1")
			if got := r.header.Get("X-Request-Id"); got != "conformance-1" {
				t.Errorf("%q", got)
			}
		}},
		{"a trailing slash is accepted", reads, func(t *testing.T, s *subject) {
			s.send(t, "GET", "/control/v1/node/", "").says(t, 200, "[")
		}},
		{"the leader is null or has a past start", reads, func(t *testing.T, s *subject) {
			l := must(s.Leader(t.Context()))(t)
			if l != nil && (l.Address == "" || l.StartedAt.IsZero() || time.Until(l.StartedAt) > time.Hour) {
				t.Errorf("%+v", l)
			}
			roundTrip(t, s.send(t, "GET", "/control/v1/leader", ""), new(*client.Leader))
		}},
		{"a read-only client sends no mutating request", reads, func(t *testing.T, s *subject) {
			c := s.with(t, func(cfg *client.Config) { cfg.ReadOnly = true })
			must(c.Nodes(t.Context()))(t)
			if err := c.StartDrain(t.Context(), noNode); client.KindOf(err) != client.ReadOnly {
				t.Error(err)
			}
		}},
	}
}

// roundTrip checks that decoding an answer into v and encoding it again loses
// nothing; an instant may be spelt otherwise.
func roundTrip(t *testing.T, r reply, v any) {
	t.Helper()
	r.says(t, 200, "")
	if err := json.Unmarshal([]byte(r.body), v); err != nil {
		t.Fatalf("%v in %.200s", err, r.body)
	}
	back, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(decoded(t, r.body), decoded(t, string(back)), instants); diff != "" {
		t.Errorf("lost (-sent +kept): %s", diff)
	}
}

func decoded(t *testing.T, body string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

var instants = cmp.FilterValues(
	func(a, b string) bool { return a != b && len(a) > 20 && a[10] == 'T' },
	cmp.Comparer(func(a, b string) bool {
		x, errX := time.Parse(time.RFC3339Nano, a)
		y, errY := time.Parse(time.RFC3339Nano, b)
		return errors.Join(errX, errY) == nil && x.Equal(y)
	}),
)

func nodeCases() []conformanceCase {
	return []conformanceCase{
		{"nodes are listed by id", reads, func(t *testing.T, s *subject) {
			nodes := s.nodes(t)
			if !slices.IsSortedFunc(nodes, func(a, b client.Node) int { return int(a.ID) - int(b.ID) }) {
				t.Errorf("%+v", nodes)
			}
		}},
		{"a node read alone is the node of the list", reads, func(t *testing.T, s *subject) {
			for _, listed := range s.nodes(t) {
				alone := must(s.Node(t.Context(), listed.ID))(t)
				if alone.ListenHTTPAddr != listed.ListenHTTPAddr || alone.ListenHTTPPort != listed.ListenHTTPPort || alone.AZ() != listed.AZ() {
					t.Errorf("%+v, %+v", alone, listed)
				}
			}
		}},
		{"the node list survives decoding and encoding", reads, func(t *testing.T, s *subject) {
			roundTrip(t, s.send(t, "GET", "/control/v1/node", ""), new([]client.Node))
		}},
		{"a node survives decoding and encoding", reads, func(t *testing.T, s *subject) {
			roundTrip(t, s.send(t, "GET", "/control/v1/node/"+s.nodes(t)[0].ID.String(), ""), new(client.Node))
		}},
		{"availability and policy have the spelling of JSON", reads, func(t *testing.T, s *subject) {
			word := regexp.MustCompile(`^[A-Z][A-Za-z]+$`) // not the database's snake case
			for _, n := range s.nodes(t) {
				if !word.MatchString(string(n.Availability)) || !word.MatchString(string(n.Scheduling)) {
					t.Errorf("%s %s", n.Availability, n.Scheduling)
				}
			}
		}},
		{"an unknown node is 404 by name", reads, func(t *testing.T, s *subject) {
			_, err := s.Node(t.Context(), noNode)
			refused(t, err, client.Refused, 404, "NotFound: Node "+noNode.String()+" not registered")
			if !client.NodeUnknown(err) {
				t.Error("not recognised")
			}
		}},
		{"an unknown node has no shards, and is no 404", reads, func(t *testing.T, s *subject) {
			if got := must(s.NodeShards(t.Context(), noNode))(t); len(got.Shards) != 0 {
				t.Errorf("%+v", got)
			}
		}},
		{"a node id that is no number is 400", reads, func(t *testing.T, s *subject) {
			s.send(t, "GET", "/control/v1/node/abc", "").says(t, 400, `{"msg":"\"failed to parse node_id\""}`)
		}},
		{"a node's shards survive decoding and encoding", reads, func(t *testing.T, s *subject) {
			roundTrip(t, s.send(t, "GET", "/control/v1/node/"+s.nodes(t)[0].ID.String()+"/shards", ""), new(client.NodeShards))
		}},
		{"a node's shards are in order, each once", reads, func(t *testing.T, s *subject) {
			for _, n := range s.nodes(t) {
				shards := must(s.NodeShards(t.Context(), n.ID))(t).Shards
				for i := 1; i < len(shards); i++ {
					if shards[i-1].ID >= shards[i].ID {
						t.Errorf("%s before %s", shards[i-1].ID, shards[i].ID)
					}
				}
			}
		}},
		{"every listed location is intended or observed", reads, func(t *testing.T, s *subject) {
			for _, n := range s.nodes(t) {
				for _, l := range must(s.NodeShards(t.Context(), n.ID))(t).Shards {
					if l.IntendedSecondary == nil && l.ObservedSecondary == nil {
						t.Errorf("node %v: %s", n.ID, l.ID)
					}
				}
			}
		}},
		{"the nodes' intent is the tenants' intent", reads, sameIntent},
	}
}

// sameIntent compares two reads; on a cluster at work they are repeated until
// nothing moved between them.
func sameIntent(t *testing.T, s *subject) {
	until(t, "shard lists and tenants agree", func(ctx context.Context) bool {
		attached := map[client.TenantShardID]client.NodeID{}
		for _, n := range s.nodes(t) {
			for _, l := range must(s.NodeShards(ctx, n.ID))(t).Shards {
				if l.IntendedAttached() {
					attached[l.ID] = n.ID
				}
			}
		}
		told := map[client.TenantShardID]client.NodeID{}
		for _, tenant := range must(s.Tenants(ctx, client.TenantsPage{}))(t) {
			for _, shard := range tenant.Shards {
				if shard.NodeAttached != nil {
					told[shard.ID] = *shard.NodeAttached
				}
			}
		}
		return reflect.DeepEqual(attached, told)
	})
}

func metricsCases() []conformanceCase {
	return []conformanceCase{
		{"metrics have the gauges of every node", reads, func(t *testing.T, s *subject) {
			m := must(s.Metrics(t.Context()))(t)
			for _, n := range s.nodes(t) {
				g, found := m.Nodes[n.ID]
				if !found || g.Shards < g.Attached || g.Attached < 0 || g.Home < 0 || g.AZ != n.AZ() {
					t.Errorf("node %v: %+v, %t", n.ID, g, found)
				}
			}
		}},
		{"metrics name the leader, the start and the build", reads, func(t *testing.T, s *subject) {
			m := must(s.Metrics(t.Context()))(t)
			if m.Leadership != "leader" || m.ProcessStart.IsZero() || m.Build.Revision == "" {
				t.Errorf("%+v", m)
			}
		}},
		{"metrics have the cluster's figures", reads, func(t *testing.T, s *subject) {
			m := must(s.Metrics(t.Context()))(t)
			for name, v := range map[string]int64{
				"tenant shards": m.TenantShards, "pending": m.PendingReconciles, "stuck": m.StuckReconciles,
				"az violations": m.AZViolations, "optimisations": m.Optimizations, "spawned": m.ReconcilesSpawned,
			} {
				if v < 0 {
					t.Errorf("%s is missing", name)
				}
			}
			for _, status := range []string{"ok", "ok_no_notify", "error", "cancel"} {
				if _, found := m.ReconcilesCompleted[status]; !found {
					t.Errorf("no count of reconciles that ended in %s", status)
				}
			}
		}},
		{"request counters count", reads, func(t *testing.T, s *subject) {
			before := count(must(s.Metrics(t.Context()))(t), "control_v1_node", "get", 200)
			for range 3 {
				must(s.Nodes(t.Context()))(t)
			}
			if after := count(must(s.Metrics(t.Context()))(t), "control_v1_node", "get", 200); after < before+3 {
				t.Errorf("%d, then %d", before, after)
			}
		}},
		{"controller counters have no _total", reads, func(t *testing.T, s *subject) {
			if r := s.send(t, "GET", "/metrics", ""); strings.Contains(r.body, "storage_controller_reconcile_spawn_total") {
				t.Error("_total on the wire")
			}
		}},
		{"metrics are Prometheus text", reads, func(t *testing.T, s *subject) {
			r := s.send(t, "GET", "/metrics", "")
			r.says(t, http.StatusOK, "# TYPE storage_controller_node_attached_shards gauge")
			if !strings.HasPrefix(r.header.Get("Content-Type"), "text/plain") {
				t.Error(r.header.Get("Content-Type"))
			}
		}},
	}
}

func count(m client.Metrics, route, method string, status int) int64 {
	for _, r := range m.Requests {
		if r.Route == route && r.Method == method && r.Status == status {
			return r.Count
		}
	}
	return 0
}
