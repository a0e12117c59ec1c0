package server

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAdminRefusesBadInput(t *testing.T) {
	g := start(t, Options{Nodes: 2, Tenants: 10, Speed: 100})
	for path, want := range map[string]string{
		"/demo/nodes/x/restart":                   `node id "x" is not a number`,
		"/demo/nodes/9/restart":                   "Node 9 not registered",
		"/demo/nodes/9/stop":                      "Node 9 not registered",
		"/demo/nodes/9/set?lag=1":                 "Node 9 not registered",
		"/demo/nodes/1/restart?down=soon":         `down: "soon" is not a duration such as 500ms`,
		"/demo/nodes/1/restart?donw=1s":           `unknown parameter "donw"`,
		"/demo/nodes/1/set":                       "nothing to set",
		"/demo/nodes/1/set?lag=-1":                `lag: "-1" is not a number of bytes`,
		"/demo/controller/pause":                  `"pause" is none of kill, term, start`,
		"/demo/notify":                            "status",
		"/demo/notify?status=99":                  `status: "99" is not a number between 200 and 599`,
		"/demo/tenants?secondaries=2":             "secondaries",
		"/demo/tenants?count=none":                "count",
		"/demo/faults?kind=drop-after":            "path: a regular expression is required",
		"/demo/faults?path=(&kind=drop-after":     "path: error parsing regexp",
		"/demo/faults?path=x&kind=explode":        `kind: "explode" is none of`,
		"/demo/faults?path=x&kind=status":         "does not begin with a status",
		"/demo/faults?path=x&kind=delay&value=1":  "is not a duration",
		"/demo/faults?path=x&kind=body&count=0":   "count",
		"/demo/faults?path=x&kind=body&counts=00": `unknown parameter "counts"`,
	} {
		a := g.call(g.AdminURL(), "POST", path, "")
		require.Equal(t, http.StatusBadRequest, a.status, path)
		require.Contains(t, a.body, want, path)
		require.Equal(t, 1, strings.Count(a.body, "\n"), path)
	}
}

func TestRestartReturnsWhenTheNodeIsBack(t *testing.T) {
	g := start(t, Options{Nodes: 3, Tenants: 10, Speed: 50})
	before := time.Now()
	require.NoError(t, RestartViaAdmin(t.Context(), g.AdminURL(), 2, "down=5s"))
	require.GreaterOrEqual(t, time.Since(before), 5*time.Second/50)
	require.Contains(t, []string{"WarmingUp/Active", "Active/Active"}, g.state(2))
	require.ErrorContains(t, RestartViaAdmin(t.Context(), g.AdminURL(), 9, ""), "restart node 9: 400 Bad Request: Node 9 not registered")

	overtaken := make(chan error, 1)
	go func() { overtaken <- g.RestartNode(t.Context(), 2, 10*time.Minute, "") }()
	g.until("stopped", func() bool { return g.call(g.pageservers[2].url(), "GET", "/metrics", "").status == 0 })
	require.NoError(t, g.StartNode(t.Context(), 2, ""))
	require.EqualError(t, <-overtaken, "another command for node 2 came in between")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, RestartViaAdmin(ctx, g.AdminURL(), 2, ""), context.Canceled)
}

func TestStoppedNodeRefusesConnections(t *testing.T) {
	g := start(t, Options{Nodes: 3, Tenants: 10, Speed: 500})
	base := g.pageservers[3].url()
	require.Equal(t, http.StatusOK, g.call(base, "GET", "/metrics", "").status)
	g.adminCall("POST", "/demo/nodes/3/stop")
	require.Zero(t, g.call(base, "GET", "/metrics", "").status)
	g.untilState(3, "Offline/Active")
	g.adminCall("POST", "/demo/nodes/3/start?build=rel-3")
	require.Contains(t, g.call(base, "GET", "/metrics", "").body, `build_tag="rel-3"`)
	g.untilState(3, "Active/Active")
}

func TestControllerComesBackAtItsAddress(t *testing.T) {
	g := start(t, Options{Nodes: 3, Tenants: 10, Speed: 20})
	leader := g.do("GET", "/control/v1/leader", "").body
	url := g.ControllerURL()
	g.adminCall("POST", "/demo/controller/kill")
	require.Zero(t, g.do("GET", "/status", "").status)
	require.Contains(t, g.call(g.AdminURL(), "GET", "/demo/calls", "").body, "/control/v1/leader", "the admin API stays")
	g.adminCall("POST", "/demo/controller/start")
	require.Equal(t, url, g.ControllerURL())
	require.Equal(t, http.StatusOK, g.do("GET", "/status", "").status)
	require.Equal(t, http.StatusServiceUnavailable, g.do("GET", "/ready", "").status)
	require.Equal(t, "Offline/Active", g.state(1))
	require.Equal(t, http.StatusOK, g.do("GET", "/control/v1/tenant?limit=1", "").status, "waits for startup")
	require.Equal(t, http.StatusOK, g.do("GET", "/live", "").status)
	require.NotEqual(t, leader, g.do("GET", "/control/v1/leader", "").body)
	require.NotContains(t, g.do("GET", "/metrics", "").body, "control_v1_node_drain", "counters begin anew")
}

func TestFaults(t *testing.T) {
	g := start(t, Options{Nodes: 3, Tenants: 60, Speed: 20})
	arm := func(query string) { g.adminCall("POST", "/demo/faults?path=node/1/drain$&"+query) }
	drain := func() answer { return g.do("PUT", "/control/v1/node/1/drain", "") }
	puts := func() (statuses []int) {
		for _, c := range g.Calls() {
			if c.Method == "PUT" {
				statuses = append(statuses, c.Status)
			}
		}
		return statuses
	}

	arm("method=PUT&kind=drop-before")
	require.Zero(t, drain().status)
	require.Empty(t, puts(), "never arrived")
	require.Equal(t, "Active/Active", g.state(1))

	arm("kind=status&value=412%20Precondition%20failed:%20No%20other%20schedulable%20nodes%20to%20drain%20to&count=2")
	for range 2 {
		a := drain()
		require.Equal(t, http.StatusPreconditionFailed, a.status)
		require.Equal(t, "Precondition failed: No other schedulable nodes to drain to", g.msg(a))
	}
	require.Equal(t, "Active/Active", g.state(1), "not carried out")

	arm("kind=drop-after")
	require.Zero(t, drain().status)
	require.Equal(t, "Active/Draining", g.state(1), "carried out all the same")
	require.Equal(t, []int{412, 412, 202}, puts())

	g.adminCall("POST", "/demo/faults?path=/control/v1/node$&kind=body&value=%3Chtml%3E")
	require.Equal(t, "<html>", g.do("GET", "/control/v1/node", "").body)
	g.adminCall("POST", "/demo/faults?path=/control/v1/node$&kind=body&value=cut")
	require.Zero(t, g.do("GET", "/control/v1/node", "").status, "the body breaks off")

	g.adminCall("POST", "/demo/faults?path=/status&kind=delay&value=80ms")
	before := time.Now()
	require.Equal(t, http.StatusOK, g.do("GET", "/status", "").status)
	require.GreaterOrEqual(t, time.Since(before), 80*time.Millisecond)

	g.adminCall("POST", "/demo/faults?path=.&kind=status&value=500&count=1000")
	require.Equal(t, http.StatusInternalServerError, g.do("GET", "/status", "").status)
	g.adminCall("DELETE", "/demo/faults")
	require.Equal(t, http.StatusOK, g.do("GET", "/status", "").status)
}

func TestAddedTenantsMoveUnlessTheyHaveNoSecondary(t *testing.T) {
	g := start(t, Options{Nodes: 2, AZs: 2, Tenants: -1, Speed: 200})
	for path, count := range map[string]int{
		"/demo/tenants?count=10&shards=2&secondaries=1": 10,
		"/demo/tenants?count=6&secondaries=0":           6,
	} {
		var ids []string
		require.NoError(t, json.Unmarshal([]byte(g.adminCall("POST", path)), &ids))
		require.Len(t, ids, count)
		require.Equal(t, http.StatusOK, g.do("GET", "/control/v1/tenant/"+ids[0], "").status)
	}
	require.Equal(t, http.StatusAccepted, g.do("PUT", "/control/v1/node/1/drain", "").status)
	g.untilState(1, "Active/PauseForRestart")
	for _, s := range g.held("1") {
		require.NotZero(t, s)
	}
	moved := g.held("1")["SS"]
	require.Equal(t, 20, moved, "one location of each movable shard")
}

func TestTwoStartsInTheSameMoment(t *testing.T) {
	g := start(t, Options{Nodes: 4, Tenants: 100, Speed: 0.2, LocationDelay: time.Millisecond})
	results := make(chan int, 2)
	for _, path := range []string{"/control/v1/node/1/drain", "/control/v1/node/2/drain"} {
		go func() { results <- g.do("PUT", path, "").status }()
	}
	require.Equal(t, http.StatusAccepted, <-results)
	require.Equal(t, http.StatusAccepted, <-results)
	g.until("the process exits", func() bool { return g.do("GET", "/status", "").status == 0 })
}

func TestBadOptions(t *testing.T) {
	for _, o := range []Options{{Speed: -1}, {Speed: 1e6}, {Nodes: 9999}, {Nodes: 2, AZs: 3}, {AZs: 99}, {Listen: "nowhere:99999"}} {
		_, err := Start(t.Context(), o)
		require.Error(t, err, "%+v", o)
	}
}

// The context that started a cluster ends it too.
func TestContextEndsTheCluster(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, err := Start(ctx, Options{Nodes: 1, Tenants: 1})
	require.NoError(t, err)
	cancel()
	s.work.Wait()
	require.NoError(t, s.Close())
}

func TestRequestIDIsEchoed(t *testing.T) {
	g := start(t, Options{Nodes: 1, Tenants: 1})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, g.ControllerURL()+"/status", nil)
	require.NoError(t, err)
	req.Header.Set("X-Request-Id", "abc")
	resp, err := g.client.Do(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, "abc", resp.Header.Get("X-Request-Id"))
	require.NotEmpty(t, g.do("GET", "/nosuch", "").header.Get("X-Request-Id"))
}

func TestUnknownPathsAndMethods(t *testing.T) {
	g := start(t, Options{Nodes: 1, Tenants: 1})
	for _, c := range [][2]string{{"GET", "/nosuch"}, {"PATCH", "/control/v1/node"}, {"HEAD", "/status"}, {"GET", "/"}} {
		a := g.do(c[0], c[1], "")
		require.Equal(t, http.StatusNotFound, a.status, c)
		require.Equal(t, "text/plain", a.header.Get("Content-Type"))
	}
	require.Equal(t, http.StatusNoContent, g.do("OPTIONS", "/anything", "").status)
	require.Equal(t, http.StatusOK, g.do("GET", "/control/v1/node/", "").status)
}
