package server

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig is a fake cluster under test and a caller of its API.
type rig struct {
	*Server
	t      *testing.T
	client *http.Client
	token  string
}

func start(t *testing.T, o Options) *rig {
	t.Helper()
	s, err := Start(t.Context(), o)
	require.NoError(t, err)
	return &rig{Server: s, t: t, client: newClient(t, s)}
}

// newClient is a caller of the cluster, which ends with the test.
func newClient(t *testing.T, s *Server) *http.Client {
	transport := &http.Transport{}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		require.NoError(t, s.Close())
	})
	return &http.Client{Transport: transport}
}

// answer is what came back; status 0 when the connection failed.
type answer struct {
	status int
	header http.Header
	body   string
}

func (g *rig) msg(a answer) string {
	g.t.Helper()
	var body struct{ Msg string }
	require.NoError(g.t, json.Unmarshal([]byte(a.body), &body), a.body)
	return body.Msg
}

func (g *rig) do(method, path, body string) answer {
	g.t.Helper()
	return g.call(g.ControllerURL(), method, path, body)
}

func (g *rig) call(base, method, path, body string) answer {
	g.t.Helper()
	req, err := http.NewRequestWithContext(g.t.Context(), method, base+path, bytes.NewBufferString(body))
	require.NoError(g.t, err)
	if g.token != "" {
		req.Header.Set("Authorization", g.token)
	}
	resp, err := g.client.Do(req)
	if err != nil {
		return answer{}
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return answer{}
	}
	return answer{status: resp.StatusCode, header: resp.Header, body: string(text)}
}

// admin calls the admin API, which must accept it.
func (g *rig) adminCall(method, path string) string {
	g.t.Helper()
	a := g.call(g.AdminURL(), method, path, "")
	require.Equal(g.t, http.StatusOK, a.status, "%s %s: %s", method, path, a.body)
	return a.body
}

// state is a node's availability and policy, as in "Active/Draining".
func (g *rig) state(node int) string {
	g.t.Helper()
	var nodes []nodeJSON
	a := g.do("GET", "/control/v1/node", "")
	if a.status != http.StatusOK {
		return "unreachable"
	}
	require.NoError(g.t, json.Unmarshal([]byte(a.body), &nodes))
	for _, n := range nodes {
		if n.ID == uint64(node) {
			return n.Availability + "/" + n.Scheduling
		}
	}
	return "gone"
}

const patience = 20 * time.Second

// until polls a condition that must come true.
func (g *rig) until(what string, cond func() bool) {
	g.t.Helper()
	deadline := time.Now().Add(patience)
	for !cond() {
		if time.Now().After(deadline) {
			g.t.Fatalf("waited %s in vain: %s", patience, what)
		}
		time.Sleep(time.Millisecond)
	}
}

func (g *rig) untilState(node int, want string) {
	g.t.Helper()
	g.until("node "+want, func() bool { return g.state(node) == want })
}

// held counts a node's locations by observed and intended role: A attached,
// S secondary, - neither.
func (g *rig) held(node string) map[string]int {
	g.t.Helper()
	var body struct {
		Shards []struct {
			Observed *bool `json:"is_observed_secondary"`
			Intended *bool `json:"is_intended_secondary"`
		} `json:"shards"`
	}
	require.NoError(g.t, json.Unmarshal([]byte(g.do("GET", "/control/v1/node/"+node+"/shards", "").body), &body))
	letter := func(secondary *bool) string {
		switch {
		case secondary == nil:
			return "-"
		case *secondary:
			return "S"
		}
		return "A"
	}
	counts := map[string]int{}
	for _, s := range body.Shards {
		counts[letter(s.Observed)+letter(s.Intended)]++
	}
	return counts
}
