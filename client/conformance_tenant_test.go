package client_test

import (
	"encoding/json"
	"net/url"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/StorconTUI/storcon-tui/client"
)

// tenants is the whole list, which must not be empty.
func (s *subject) tenants(t *testing.T) []client.Tenant {
	t.Helper()
	all := must(s.Tenants(t.Context(), client.TenantsPage{}))(t)
	if len(all) == 0 {
		t.Fatal("no tenant: nothing to test with")
	}
	return all
}

func tenantIDs(tenants []client.Tenant) []client.TenantID {
	ids := make([]client.TenantID, len(tenants))
	for i, tenant := range tenants {
		ids[i] = tenant.ID
	}
	return ids
}

func tenantCases() []conformanceCase {
	return []conformanceCase{
		{"pages of any size give the whole list", reads, func(t *testing.T, s *subject) {
			all := tenantIDs(s.tenants(t))
			for _, limit := range []int{max(1, len(all)/7), len(all), len(all) + 1} {
				var paged []client.TenantID
				ok(t, s.EachTenantsPage(t.Context(), limit, func(page []client.Tenant) error {
					paged = append(paged, tenantIDs(page)...)
					return nil
				}))
				if diff := cmp.Diff(all, paged); diff != "" {
					t.Errorf("by %d: %s", limit, diff)
				}
			}
		}},
		{"start_after is exclusive", reads, func(t *testing.T, s *subject) {
			all := s.tenants(t)
			last := all[len(all)-1].ID
			if rest := must(s.Tenants(t.Context(), client.TenantsPage{StartAfter: last}))(t); len(rest) != 0 {
				t.Errorf("after the last: %v", tenantIDs(rest))
			}
		}},
		{"limit counts tenants, and limit=0 means one", reads, func(t *testing.T, s *subject) {
			s.tenants(t)
			for _, path := range []string{"/control/v1/tenant?limit=0", "/control/v1/tenant?limit=1"} {
				var got []client.Tenant
				if err := json.Unmarshal([]byte(s.send(t, "GET", path, "").body), &got); err != nil || len(got) != 1 {
					t.Errorf("%s: %d, %v", path, len(got), err)
				}
			}
		}},
		{"the tenant list survives decoding and encoding", reads, func(t *testing.T, s *subject) {
			roundTrip(t, s.send(t, "GET", "/control/v1/tenant?limit=200", ""), new([]client.Tenant))
		}},
		{"a tenant survives decoding and encoding", reads, func(t *testing.T, s *subject) {
			roundTrip(t, s.send(t, "GET", "/control/v1/tenant/"+string(s.tenants(t)[0].ID), ""), new(client.Tenant))
		}},
		{"a tenant read alone has the shards of the list", reads, func(t *testing.T, s *subject) {
			listed := s.tenants(t)[0]
			alone := must(s.Tenant(t.Context(), listed.ID))(t)
			if alone.ID != listed.ID || len(alone.Shards) != len(listed.Shards) || alone.Policy.Secondaries != listed.Policy.Secondaries {
				t.Errorf("%+v, %+v", alone, listed)
			}
		}},
		{"shard ids belong to their tenant and have their form", reads, func(t *testing.T, s *subject) {
			form := regexp.MustCompile(`^[0-9a-f]{32}(-[0-9a-f]{4})?$`)
			for _, tenant := range s.tenants(t) {
				for _, shard := range tenant.Shards {
					if !form.MatchString(string(shard.ID)) || shard.ID.Tenant() != tenant.ID {
						t.Errorf("%s of %s", shard.ID, tenant.ID)
					}
				}
			}
		}},
		{"shards stand on registered nodes, on each once", reads, func(t *testing.T, s *subject) {
			registered := map[client.NodeID]bool{}
			for _, n := range s.nodes(t) {
				registered[n.ID] = true
			}
			for _, tenant := range s.tenants(t) {
				for _, shard := range tenant.Shards {
					on := shard.NodeSecondary
					if shard.NodeAttached != nil {
						on = append([]client.NodeID{*shard.NodeAttached}, on...)
					}
					seen := map[client.NodeID]bool{}
					for _, id := range on {
						if !registered[id] || seen[id] {
							t.Errorf("%s on %v", shard.ID, on)
						}
						seen[id] = true
					}
				}
			}
		}},
		{"an unknown tenant is 404 by name", reads, func(t *testing.T, s *subject) {
			_, err := s.Tenant(t.Context(), noTenant)
			refused(t, err, client.Refused, 404, "NotFound: Tenant "+string(noTenant)+" not found")
		}},
		{"a tenant id that is none is 400", reads, func(t *testing.T, s *subject) {
			s.send(t, "GET", "/control/v1/tenant/xyz", "").says(t, 400, `{"msg":"\"failed to parse tenant_id\""}`)
		}},
		{"a limit that is no number is 400", reads, func(t *testing.T, s *subject) {
			s.send(t, "GET", "/control/v1/tenant?limit=abc", "").says(t, 400, `{"msg":"\"cannot parse query param limit: invalid digit found in string\""}`)
		}},
		{"a start_after that is no tenant id is 400", reads, func(t *testing.T, s *subject) {
			s.send(t, "GET", "/control/v1/tenant?start_after="+url.QueryEscape("abc"), "").says(t, 400, `cannot parse query param start_after`)
		}},
		{"a parameter given twice is 400", reads, func(t *testing.T, s *subject) {
			s.send(t, "GET", "/control/v1/tenant?limit=1&limit=2", "").says(t, 400, `param limit specified more than once`)
		}},
	}
}
