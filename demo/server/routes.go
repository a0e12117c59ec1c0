package server

import (
	"net/http"
	"strings"
)

// route is one entry of the controller's API. A segment of the pattern that
// begins with a colon is a parameter.
type route struct {
	method  string
	pattern string
	name    string // as the request counters call it
	scope   string
	handle  func(*request) *reply
}

// request is one call of a route.
type request struct {
	*http.Request
	server   *Server
	instance int // of the controller that answers
	params   map[string]string
	body     []byte
}

func (s *Server) routes() []route {
	const get, put, post, del = http.MethodGet, http.MethodPut, http.MethodPost, http.MethodDelete
	return []route{
		{get, "/status", "status", scopeNone, getStatus},
		{get, "/ready", "ready", scopeNone, getReady},
		{get, "/live", "live", scopeNone, getLive},
		{get, "/metrics", "metrics", scopeNone, getMetrics},

		{get, "/control/v1/node", "control_v1_node", scopeInfra, listNodes},
		{post, "/control/v1/node", "control_v1_node", scopeInfra, registerNode},
		{get, "/control/v1/node/:node_id", "control_v1_node_status", scopeInfra, getNode},
		{del, "/control/v1/node/:node_id", "control_v1_node", scopeAdmin, removeNode},
		{get, "/control/v1/node/:node_id/shards", "control_v1_node_describe", scopeAdmin, nodeShards},
		{put, "/control/v1/node/:node_id/config", "control_v1_node_config", scopeAdmin, configureNode},
		{put, "/control/v1/node/:node_id/drain", "control_v1_node_drain", scopeInfra, startDrain},
		{del, "/control/v1/node/:node_id/drain", "control_v1_cancel_node_drain", scopeInfra, cancelDrain},
		{put, "/control/v1/node/:node_id/fill", "control_v1_node_fill", scopeInfra, startFill},
		{del, "/control/v1/node/:node_id/fill", "control_v1_cancel_node_fill", scopeInfra, cancelFill},
		{put, "/control/v1/node/:node_id/delete", "control_v1_start_node_delete", scopeAdmin, startDelete},
		{del, "/control/v1/node/:node_id/delete", "control_v1_cancel_node_delete", scopeInfra, cancelDelete},
		{post, "/debug/v1/node/:node_id/drop", "debug_v1_node_drop", scopeAdmin, dropNode},
		{get, "/debug/v1/tombstone", "debug_v1_tombstone_list", scopeAdmin, listTombstones},
		{del, "/debug/v1/tombstone/:node_id", "debug_v1_tombstone_delete", scopeAdmin, deleteTombstone},

		{get, "/control/v1/leader", "control_v1_get_leader", scopeAdmin, getLeader},
		{get, "/control/v1/tenant", "control_v1_tenant_list", scopeAdmin, waiting(listTenants)},
		{get, "/control/v1/tenant/:tenant_id", "control_v1_tenant_describe", scopeScrubber, waiting(getTenant)},
		{put, "/control/v1/tenant/:tenant_id/policy", "control_v1_tenant_policy", scopeAdmin, setTenantPolicy},
		{get, "/debug/v1/tenant/:tenant_id/locate", "debug_v1_tenant_locate", scopeAdmin, waiting(locateTenant)},
		{get, "/debug/v1/scheduler", "debug_v1_scheduler", scopeAdmin, getScheduler},
		{post, "/debug/v1/reconcile_all", "debug_v1_reconcile_all", scopeAdmin, reconcileAll},
		{post, "/debug/v1/consistency_check", "debug_v1_consistency_check", scopeAdmin, consistencyCheck},
		{get, "/control/v1/safekeeper", "control_v1_safekeeper_list", scopeInfra, listSafekeepers},
		{post, "/upcall/v1/re-attach", "upcall_v1_reattach", scopeGenerations, reAttach},
	}
}

// match fills the parameters of a pattern from a path.
func match(pattern, path string) (map[string]string, bool) {
	want, have := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(have) {
		return nil, false
	}
	params := map[string]string{}
	for i, segment := range want {
		switch {
		case strings.HasPrefix(segment, ":") && have[i] != "":
			params[segment[1:]] = have[i]
		case segment != have[i]:
			return nil, false
		}
	}
	return params, true
}

// find is the route of a request. A trailing slash is accepted.
func find(routes []route, method, path string) (route, map[string]string, bool) {
	path = strings.TrimSuffix(path, "/")
	for _, rt := range routes {
		if rt.method != method {
			continue
		}
		if params, ok := match(rt.pattern, path); ok {
			return rt, params, true
		}
	}
	return route{}, nil, false
}
