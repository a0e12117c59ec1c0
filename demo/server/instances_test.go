package server

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// C16: an instance that has stepped down forwards, and lists shards from a
// memory that nothing renews.
func TestSteppedDownInstance(t *testing.T) {
	g := start(t, Options{Nodes: 4, AZs: 2, Tenants: 24, Seed: 1, AllMovable: true, Speed: 200})
	first := g.ControllerURL()
	var second string
	require.NoError(t, json.Unmarshal([]byte(g.adminCall("POST", "/demo/controller/takeover")), &second))
	require.NotEqual(t, first, second)
	require.Equal(t, http.StatusServiceUnavailable, g.do("GET", "/live", "").status)
	require.Equal(t, http.StatusOK, g.do("GET", "/ready", "").status)
	require.Contains(t, g.do("GET", "/metrics", "").body, `leadership_status{status="stepped_down"} 1`)
	g.until("the second leads", func() bool { return g.call(second, "GET", "/live", "").status == http.StatusOK })
	require.Contains(t, g.do("GET", "/control/v1/leader", "").body, second+"/")
	require.Contains(t, g.call(second, "GET", "/metrics", "").body, `leadership_status{status="leader"} 1`)

	before := g.held("1")
	require.Positive(t, before["AA"])
	require.Equal(t, http.StatusAccepted, g.do("PUT", "/control/v1/node/1/drain", "").status)
	require.Contains(t, g.call(second, "GET", "/metrics", "").body, `{path="control_v1_node_drain",method="put",status="202"} 1`)
	require.Contains(t, g.do("GET", "/metrics", "").body, `{path="control_v1_node_drain",method="put",status="202"} 1`)
	g.untilState(1, "Active/PauseForRestart")
	require.Equal(t, before, g.held("1"), "stale")
	require.NotContains(t, g.call(second, "GET", "/control/v1/node/1/shards", "").body,
		`"is_observed_secondary":false,"is_intended_secondary":false`, "it is empty in truth")

	g.adminCall("POST", "/demo/controller/takeover") // back to the first address
	g.until("the first leads", func() bool { return g.do("GET", "/live", "").status == http.StatusOK })
	require.Zero(t, g.held("1")["AA"])
	require.Equal(t, http.StatusServiceUnavailable, g.call(second, "GET", "/live", "").status)
}

// C17: the operation outlives the step-down without its reconciles, and writes
// its last policy where the new leader does not see it.
func TestStepDownDuringADrain(t *testing.T) {
	g := start(t, Options{Nodes: 4, AZs: 2, Tenants: 24, Seed: 1, AllMovable: true, Speed: 20, LocationDelay: time.Minute})
	require.Equal(t, http.StatusAccepted, g.do("PUT", "/control/v1/node/1/drain", "").status)
	_, err := g.TakeOver()
	require.NoError(t, err)
	g.until("a leader", func() bool { return g.do("GET", "/control/v1/node", "").status == http.StatusOK })
	require.Equal(t, "Active/Draining", g.state(1))
	a := g.do("PUT", "/control/v1/node/1/drain", "")
	require.Equal(t, http.StatusConflict, a.status)
	require.Equal(t, "Conflict: Node 1 has drain in progress", g.msg(a))
	g.KillController()
	a = g.do("GET", "/control/v1/node", "")
	require.Equal(t, http.StatusInternalServerError, a.status)
	require.True(t, strings.HasPrefix(g.msg(a), "Failed to forward while in stepped down state: "))
	g.StartController()
	g.untilState(1, "Active/PauseForRestart")
}

// A candidate serves its health and metrics alone, token or not; nothing can be
// taken over from a controller that is not there.
func TestCandidate(t *testing.T) {
	st := perform(t, Options{Nodes: 2, Tenants: -1, Auth: true})
	second, err := st.TakeOver()
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, st.call(second, "GET", "/status", "").status)
	require.Equal(t, http.StatusServiceUnavailable, st.call(second, "GET", "/ready", "").status)
	require.Contains(t, st.call(second, "GET", "/metrics", "").body, `leadership_status{status="candidate"} 1`)
	for _, path := range []string{"/live", "/control/v1/node", "/nowhere"} {
		a := st.call(second, "GET", path, "")
		require.Equal(t, http.StatusServiceUnavailable, a.status, path)
		require.Equal(t, "Current leadership status is candidate", st.msg(a), path)
	}
	st.token = "Bearer " + st.Token("admin")
	require.Equal(t, "Leader is stepped down instance", st.msg(st.do("GET", "/control/v1/leader", "")))
	_, err = st.TakeOver()
	require.ErrorContains(t, err, "no controller serves")
}
