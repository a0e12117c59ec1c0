package server

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestBodiesAreReadAsSerdeDoes(t *testing.T) {
	g := start(t, Options{Nodes: 2, Tenants: 4})
	for body, want := range map[string]string{
		``:                        `"missing request body"`,
		`nonsense`:                `expected value at line 1`,
		`[1]`:                     `invalid type: sequence, expected a struct`,
		`{"node_id": "1"}`:        `node_id: invalid type: string \"1\", expected u64 at line 1 column 15`,
		`{"node_id": 1.5}`:        "node_id: invalid type: floating point `1.5`, expected u64",
		`{"node_id": null}`:       `node_id: invalid type: null, expected u64`,
		`{"node_id": true}`:       "node_id: invalid type: boolean `true`, expected u64",
		"{\n\"node_id\": -1}":     "node_id: invalid type: integer `-1`, expected u64 at line 2 column 13",
		`{"node_id": 1} x`:        `trailing characters`,
		`{"node_id": 1`:           `EOF while parsing an object at line 1 column 13`,
		`{"node_id":`:             `EOF while parsing a value`,
		`{"scheduling": "Pause"}`: "missing field `node_id` at line 1 column 23",
	} {
		a := g.do("PUT", "/control/v1/node/1/config", body)
		require.Equal(t, http.StatusBadRequest, a.status, body)
		require.Contains(t, g.msg(a), want, body)
	}
	a := g.do("PUT", "/control/v1/node/1/config", `{"node_id": 1, "scheduling": null, "news": {"a": []}}`)
	require.Equal(t, http.StatusOK, a.status, "unknown fields and null are let through: %s", a.body)
	require.Equal(t, "null", a.body)
}

func TestTenantPages(t *testing.T) {
	g := start(t, Options{Nodes: 2, Tenants: 7, AllMovable: true})
	ids := func(query string) (out []string) {
		var page []tenantJSON
		require.NoError(t, json.Unmarshal([]byte(g.do("GET", "/control/v1/tenant"+query, "").body), &page))
		for _, v := range page {
			out = append(out, v.ID)
		}
		return out
	}
	all := ids("")
	require.Len(t, all, 7)
	require.IsIncreasing(t, all)
	require.Equal(t, all[:3], ids("?limit=3"))
	require.Equal(t, all[3:6], ids("?limit=3&start_after="+all[2]))
	require.Equal(t, all[6:], ids("?limit=3&start_after="+strings.ToUpper(all[5])))
	require.Empty(t, ids("?limit=3&start_after="+all[6]))
	require.Equal(t, all[:1], ids("?limit=0"), "F24")
	for query, want := range map[string]string{
		"?limit=":          "cannot parse query param limit: cannot parse integer from empty string",
		"?limit=1&limit=2": "param limit specified more than once",
		"?start_after=zz":  "cannot parse query param start_after: Invalid character",
		"?start_after=ab":  "cannot parse query param start_after: Invalid string length",
	} {
		require.Contains(t, g.msg(g.do("GET", "/control/v1/tenant"+query, "")), want)
	}
}

func TestPlacements(t *testing.T) {
	g := start(t, Options{Nodes: 4, Tenants: 4, AllMovable: true, Speed: 100})
	var page []tenantJSON
	require.NoError(t, json.Unmarshal([]byte(g.do("GET", "/control/v1/tenant?limit=1", "").body), &page))
	path := "/control/v1/tenant/" + page[0].ID
	set := func(body string) answer { return g.do("PUT", path+"/policy", body) }
	shard := func() tenantShardJSON {
		var v tenantJSON
		require.NoError(t, json.Unmarshal([]byte(g.do("GET", path, "").body), &v))
		return v.Shards[0]
	}
	require.Equal(t, http.StatusOK, set(`{"placement": {"Attached": 0}}`).status)
	require.Empty(t, shard().NodeSecondary)
	require.Equal(t, http.StatusOK, set(`{"placement": {"Attached": 1}, "scheduling": "Essential"}`).status)
	require.Len(t, shard().NodeSecondary, 1)
	require.Equal(t, "Essential", shard().Scheduling)
	require.Equal(t, http.StatusOK, set(`{"placement": "Secondary"}`).status)
	require.Nil(t, shard().NodeAttached)
	require.Equal(t, "Active", shard().Scheduling, "reset with the placement")
	a := g.do("GET", strings.Replace(path, "control", "debug", 1)+"/locate", "")
	require.Equal(t, http.StatusBadRequest, a.status)
	require.Equal(t, http.StatusOK, set(`{"placement": "Detached"}`).status)
	require.Equal(t, http.StatusNotFound, g.do("GET", path, "").status)
	require.Equal(t, http.StatusOK, set(`{"placement": {"Attached": 1}}`).status)
	require.NotNil(t, shard().NodeAttached)
	for _, none := range []string{`"Elsewhere"`, `"Attached"`, `{"Attached": -1}`, `{"Attached": "1"}`, `{"Attached": 1e9}`} {
		a = set(`{"placement": ` + none + `}`)
		require.Equal(t, http.StatusBadRequest, a.status, none)
		require.Contains(t, g.msg(a), "placement", none)
	}
	g.until("rest", g.AtRest)
	require.Equal(t, http.StatusOK, g.do("POST", "/debug/v1/consistency_check", "").status)
	require.Equal(t, "0", g.do("POST", "/debug/v1/reconcile_all", "").body)
}

func TestRegisterAndReAttach(t *testing.T) {
	g := start(t, Options{Nodes: 2, Tenants: 20, AllMovable: true, Speed: 100})
	register := `{"node_id":9,"listen_pg_addr":"ps-9","listen_pg_port":6400,"listen_http_addr":"ps-9","listen_http_port":9898,"availability_zone_id":"az-a"}`
	for range 2 {
		require.Equal(t, http.StatusOK, g.do("POST", "/control/v1/node", register).status, "identical is no conflict")
	}
	require.Equal(t, "Offline/Active", g.state(9))
	far := strings.Replace(register, `"node_id":9`, `"node_id":18446744073709551615`, 1)
	require.Equal(t, http.StatusOK, g.do("POST", "/control/v1/node", far).status)
	require.Regexp(t, `"id":1,.*"id":2,.*"id":9,.*"id":18446744073709551615,`, g.do("GET", "/control/v1/node", "").body)
	a := g.do("POST", "/control/v1/node", strings.Replace(register, "}", `,"listen_https_port":-1}`, 1))
	require.Contains(t, g.msg(a), "listen_https_port: invalid")
	a = g.do("POST", "/control/v1/node", strings.Replace(register, "az-a", "az-b", 1))
	require.Equal(t, http.StatusConflict, a.status)
	require.Equal(t, "Conflict: Node is already registered with different address", g.msg(a))
	a = g.do("POST", "/control/v1/node", `{"node_id":9}`)
	require.Contains(t, g.msg(a), "missing field `listen_pg_addr`")
	a = g.do("PUT", "/control/v1/node/9/config", `{"node_id":9,"availability":"Active"}`)
	require.Contains(t, g.msg(a), "Failed to query node location configs, cannot activate")

	a = g.do("POST", "/upcall/v1/re-attach", `{"node_id":9,"register":null,"empty_local_disk":false}`)
	require.JSONEq(t, `{"tenants":[]}`, a.body)
	require.Equal(t, "WarmingUp/Active", g.state(9))
	var held struct {
		Tenants []struct {
			ID   string
			Gen  *int
			Mode string
		}
	}
	a = g.do("POST", "/upcall/v1/re-attach", `{"node_id":1}`)
	require.NoError(t, json.Unmarshal([]byte(a.body), &held))
	counts := map[string]int{}
	for _, v := range held.Tenants {
		counts[v.Mode]++
		require.Equal(t, v.Mode == "AttachedSingle", v.Gen != nil)
	}
	require.Equal(t, map[string]int{"AttachedSingle": g.held("1")["AA"], "Secondary": g.held("1")["SS"]}, counts)

	require.Equal(t, http.StatusOK, g.do("DELETE", "/control/v1/node/9", "").status)
	require.Equal(t, "gone", g.state(9))
	require.Contains(t, g.do("GET", "/debug/v1/tombstone", "").body, `"id":9,"availability":"Offline"`)
	a = g.do("POST", "/upcall/v1/re-attach", `{"node_id":9}`)
	require.Equal(t, "Node 9 is marked as deleted, re-attach is not allowed", g.msg(a))
	require.Equal(t, http.StatusOK, g.do("DELETE", "/debug/v1/tombstone/9", "").status)
	require.Equal(t, http.StatusConflict, g.do("DELETE", "/debug/v1/tombstone/1", "").status)
}

func TestNodeDelete(t *testing.T) {
	g := start(t, Options{Nodes: 4, AZs: 2, Tenants: 60, AllMovable: true, Speed: 100})
	require.Equal(t, http.StatusBadRequest, g.do("PUT", "/control/v1/node/4/delete?force=maybe", "").status)
	require.Equal(t, http.StatusOK, g.do("PUT", "/control/v1/node/4/delete", "").status)
	a := g.do("PUT", "/control/v1/node/1/drain", "")
	require.Equal(t, "Precondition failed: Background operation already ongoing for node: delete 4", g.msg(a))
	require.Equal(t, http.StatusAccepted, g.do("DELETE", "/control/v1/node/4/delete", "").status)
	g.untilState(4, "Active/Active")
	require.Equal(t, http.StatusOK, g.do("PUT", "/control/v1/node/4/delete?force=true", "").status)
	g.untilState(4, "gone")
	require.Equal(t, http.StatusOK, g.do("POST", "/debug/v1/node/3/drop", "").status)
	require.Equal(t, "gone", g.state(3))
	require.Equal(t, http.StatusInternalServerError, g.do("POST", "/debug/v1/node/3/drop", "").status)
}

func TestComputeStatus(t *testing.T) {
	g := start(t, Options{Nodes: 2, Tenants: 20})
	statuses := map[string]int{}
	for _, c := range g.Computes() {
		var v struct {
			StartTime  time.Time  `json:"start_time"`
			Tenant     *string    `json:"tenant"`
			Status     string     `json:"status"`
			LastActive *time.Time `json:"last_active"`
			Error      *string    `json:"error"`
		}
		a := g.call(c.URL, "GET", "/status", "")
		require.Equal(t, http.StatusOK, a.status)
		require.NoError(t, json.Unmarshal([]byte(a.body), &v), a.body)
		statuses[v.Status]++
		require.True(t, v.StartTime.Before(time.Now()))
		require.Equal(t, v.Status == "empty", v.Tenant == nil)
		require.Equal(t, v.Status == "failed", v.Error != nil)
		require.Equal(t, v.Status == "running", v.LastActive != nil)
		require.Equal(t, http.StatusMethodNotAllowed, g.call(c.URL, "POST", "/status", "").status)
		require.Equal(t, http.StatusNotFound, g.call(c.URL, "GET", "/", "").status)
	}
	require.Equal(t, map[string]int{"running": 12, "empty": 1, "failed": 1}, statuses)
}

// While the controller starts, tenants wait and nodes do not; a wait is
// bounded, and a drain cannot begin.
func TestStartup(t *testing.T) {
	st := perform(t, Options{Nodes: 2, Tenants: 4, Speed: 20})
	require.NoError(t, st.StopNode(2))
	st.KillController()
	st.StartController()
	require.Equal(t, http.StatusServiceUnavailable, st.do("PUT", "/control/v1/node/1/drain", "").status)
	from := st.simNow()
	require.Equal(t, http.StatusOK, st.request(st.ControllerURL(), "GET", "/control/v1/tenant", "").status)
	require.GreaterOrEqual(t, st.simNow()-from, time.Second)
	require.Equal(t, "Active/Active", st.state(1))
	require.Equal(t, "Offline/Active", st.state(2), "no grace for a node that did not answer")
}
