package server

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The whole path over loopback: drain, restart by the admin API, fill.
func TestDrainRestartFill(t *testing.T) {
	g := start(t, Options{Nodes: 4, Tenants: 200, Seed: 7, Speed: 200, AllMovable: true})
	before := g.held("1")
	require.Positive(t, before["AA"])

	require.Equal(t, http.StatusAccepted, g.do("PUT", "/control/v1/node/1/drain", "").status)
	require.Equal(t, "Active/Draining", g.state(1))
	g.untilState(1, "Active/PauseForRestart")
	require.Zero(t, g.held("1")["AA"])

	launched := g.call("http://"+g.pageservers[1].addr, "GET", "/metrics", "").body
	g.adminCall("POST", "/demo/nodes/1/restart?down=500ms&build=rel-2")
	relaunched := g.call("http://"+g.pageservers[1].addr, "GET", "/metrics", "").body
	require.NotEqual(t, launched, relaunched)
	require.Contains(t, relaunched, `revision="rel-2"`)

	g.untilState(1, "Active/Active")
	require.Equal(t, http.StatusAccepted, g.do("PUT", "/control/v1/node/1/fill", "").status)
	g.untilState(1, "Active/Active")
	require.Equal(t, before, g.held("1"))

	metrics := g.do("GET", "/metrics", "").body
	require.Contains(t, metrics, `storage_controller_http_request_status{path="control_v1_node_drain",method="put",status="202"} 1`)
	mutating := 0
	for _, c := range g.Calls() {
		if c.Method != "GET" {
			mutating++
			require.Equal(t, http.StatusAccepted, c.Status)
		}
	}
	require.Equal(t, 2, mutating)
}

func TestConfigurationNamesEverything(t *testing.T) {
	g := start(t, Options{Nodes: 2, Tenants: 10})
	text := g.ConfigTOML("/bin/storcon-tui", "/tmp/demo.jwt", "/tmp/specs")
	require.True(t, strings.HasPrefix(text, "# admin: "+g.AdminURL()+"\n"))
	for _, want := range []string{
		`default_cluster = "demo"`, `url = "` + g.ControllerURL() + `"`, `token_file = "/tmp/demo.jwt"`,
		`command = ["/bin/storcon-tui", "demo", "restart", "{{.ID}}", "--admin", "` + g.AdminURL() + `"]`,
		`[[clusters.demo.computes]]`, `url = "` + g.Computes()[0].URL + `"`,
	} {
		require.Contains(t, text, want)
	}
}
