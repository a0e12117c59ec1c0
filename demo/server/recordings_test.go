package server

import (
	"crypto/ed25519"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/demo/sim"
)

// small is the cluster of most recordings: 4 nodes in 2 AZs and few tenants.
func small(delay time.Duration) Options {
	return Options{Nodes: 4, AZs: 2, Tenants: 24, Seed: 1, AllMovable: true, LocationDelay: delay}
}

// Each of these brings the demo through a recorded situation by the recorded
// requests and finds the same statuses, texts, shapes and order of states.
func TestRecordings(t *testing.T) {
	slow := func(nodes int) Options {
		o := small(900 * time.Millisecond)
		o.Nodes, o.Tenants = nodes, 600
		return o
	}
	dying := Options{
		Nodes: 3, AZs: 3, Tenants: 13, Seed: 1, AllMovable: true, LocationDelay: 400 * time.Millisecond,
		HeartbeatInterval: time.Second, MaxOfflineInterval: 8 * time.Second,
	}
	const active = "Active/Active"
	offline := []string{"Offline/Active", active, "Offline/Active", active} // while a controller starts
	cases := []struct {
		name    string
		options Options
		actions []action
		unseen  map[uint64][]string // states that the recording's polls missed
	}{
		{"restart-clean", small(120 * time.Millisecond), []action{
			{1120, func(st *stage) { require.NoError(st.t, st.StopNode(1)) }},
			{32750, startNode(1, "rel-2")},
		}, nil},
		{"restart-fast", small(10 * time.Millisecond), []action{
			{640, restartNode(2, 20*time.Millisecond, "")},
		}, nil},
		{"cancel", small(400 * time.Millisecond), []action{
			{2720, restartNode(1, 20*time.Millisecond, "")},
		}, nil},
		{"cancel-during-scan", slow(4), []action{
			{11860, restartNode(2, 100*time.Millisecond, "")},
		}, nil},
		{"node-restarts-during-drain", small(300 * time.Millisecond), []action{
			{420, restartNode(1, 200*time.Millisecond, "")},
			{40680, restartNode(2, 20*time.Millisecond, "")},
		}, map[uint64][]string{2: {"Active/Draining"}}},
		{"node-dies-undrained", dying, []action{
			{3, func(st *stage) { require.NoError(st.t, st.StopNode(1)) }},
			{12540, startNode(1, "")},
			{13600, func(st *stage) { require.NoError(st.t, st.StopNode(2)) }},
		}, map[uint64][]string{2: {active}}},
		{"controller-killed-during-drain", small(900 * time.Millisecond), []action{
			{835, func(st *stage) { st.KillController() }},
			{1380, func(st *stage) { st.StartController() }},
			{1490, func(st *stage) { st.TermController() }},
			{7000, func(st *stage) { st.StartController() }},
		}, map[uint64][]string{
			1: {"Offline/Draining", "Active/Draining", "Active/Draining", "Offline/Active", active},
			2: offline, 3: offline, 4: offline,
		}},
		{"compute-notifications-refused", small(20 * time.Millisecond), []action{
			{0, func(st *stage) { st.SetNotify(http.StatusServiceUnavailable) }},
			{30728, func(st *stage) { st.SetNotify(http.StatusOK) }},
		}, nil},
		{"second-controller", Options{Nodes: 3, AZs: 3, Tenants: 13, Seed: 1, AllMovable: true, LocationDelay: 20 * time.Millisecond}, []action{
			{100, func(st *stage) {
				_, err := st.TakeOver()
				require.NoError(st.t, err)
			}},
			{17172, func(st *stage) { st.KillController() }},
		}, map[uint64][]string{1: {"Active/Draining"}}},
		{"reads", small(10 * time.Millisecond), nil, nil},
		{"empty-cluster", Options{Nodes: -1}, nil, nil},
		{"errors", func() Options {
			o := small(10 * time.Millisecond)
			o.Nodes, o.AZs = 3, 3
			return o
		}(), nil, map[uint64][]string{2: { // labels forced one after the other
			"Active/Draining", "Active/Filling", "Active/PauseForRestart", "Active/Deleting", active,
		}}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			lines := slices.DeleteFunc(recording(t, c.name), notServed)
			st := perform(t, c.options)
			st.actions, st.unseen = c.actions, c.unseen
			st.nameTenants(lines)
			st.replay(lines)
		})
	}
}

// notServed are the routes of a recording that the demo does not have.
func notServed(e exchange) bool {
	return e.Request != nil && regexp.MustCompile(
		`/(migrate|cancel_reconcile)$|^/debug/v1/tenant$|^/v1/|^/profile/`).MatchString(e.Request.Path)
}

func TestRecordedDrainLeftovers(t *testing.T) {
	lines := recording(t, "drain-leftovers")
	o := small(10 * time.Millisecond)
	o.MaxSecondaryLagBytes = 1 << 20
	st := perform(t, o)
	_, err := st.AddTenants(12, 1, 0)
	require.NoError(t, err)
	lag := int64(500 << 20)
	require.NoError(t, st.SetNode(4, &lag, nil))
	st.nameAttached(lines, 1)
	before := st.held("1")
	st.replay(lines)
	after := st.held("1")
	require.Positive(t, after["AA"], "paused, lagging and without secondary stay")
	require.Less(t, after["AA"], before["AA"], "the others went")
}

// nameAttached maps the recording's tenants to unsharded ones with a
// secondary that are attached at the node.
func (st *stage) nameAttached(lines []exchange, node int) {
	st.nameTenants(lines)
	var ours []string
	st.with(func(w *sim.World) {
		for _, v := range w.Tenants(nil, "") {
			if v.Count == 0 && v.Secondaries == 1 && int(v.Shards[0].Attached) == node {
				ours = append(ours, string(v.ID))
			}
		}
	})
	for theirs := range st.tenants {
		st.tenants[theirs], ours = ours[0], ours[1:]
	}
}

func TestRecordedDrainAllLagging(t *testing.T) {
	o := small(10 * time.Millisecond)
	o.MaxSecondaryLagBytes = 1 << 20
	st := perform(t, o)
	lag := int64(500 << 20)
	for id := range st.pageservers {
		require.NoError(t, st.SetNode(id, &lag, nil))
	}
	before := st.held("1")
	require.Positive(t, before["AA"])
	st.replay(recording(t, "drain-all-lagging"))
	require.Equal(t, before, st.held("1"), "success is reported, and nothing has moved")
}

func TestRecordedTwoStartsAtOnce(t *testing.T) {
	lines := recording(t, "two-starts-at-once")
	st := perform(t, small(400*time.Millisecond))
	st.look()
	var both sync.WaitGroup
	for _, e := range lines[:2] {
		both.Go(func() {
			st.compare(e.Request.Path, e, st.request(st.ControllerURL(), e.Request.Method, e.Request.Path, e.Request.Body))
		})
	}
	both.Wait()
	st.look()
	require.Equal(t, essence(200, lines[2].Response.Body), essence(200, st.do("GET", "/control/v1/node", "").body))
	last := ""
	for limit := st.simNow() + time.Minute; st.simNow() < limit; st.tick(time.Second) {
		if a := st.do("GET", "/control/v1/node", ""); a.status == http.StatusOK {
			last = a.body
		} else {
			limit = 0
		}
	}
	// Which of the two ends first is chance.
	paused := strings.Count(last, "PauseForRestart")
	recorded := strings.Count(lines[3].Response.Body, "PauseForRestart")
	require.Equal(t, recorded, paused)
	require.Equal(t, strings.Count(lines[3].Response.Body, "Draining"), strings.Count(last, "Draining"))
	require.Zero(t, lines[4].Response.Status)
	require.Zero(t, st.do("GET", "/control/v1/node", "").status, "the process has exited")

	st.StartController()
	require.Equal(t, http.StatusOK, st.request(st.ControllerURL(), "GET", "/control/v1/tenant?limit=1", "").status)
	states := st.do("GET", "/control/v1/node", "").body
	require.Contains(t, states, "PauseForRestart")
	require.Contains(t, states, "Draining")
}

func TestRecordedAuth(t *testing.T) {
	st := perform(t, Options{Nodes: 3, AZs: 3, Tenants: -1, Auth: true})
	_, foreign, err := ed25519.GenerateKey(nil)
	require.NoError(t, err)
	admin := st.Token("admin")
	headers := map[string]string{
		"none":                  "",
		"unknown scope":         "Bearer " + st.Token("emperor"),
		"signed by another key": "Bearer " + (&authority{key: foreign}).token("admin", time.Time{}),
		"expired":               "Bearer " + st.TokenUntil("admin", time.Now().Add(-time.Hour)),
		"expires later":         "Bearer " + st.TokenUntil("admin", time.Now().Add(time.Hour)),
		"not a JWT":             "Bearer abc",
		"Basic auth":            "Basic YTpi",
		"bearer in lower case":  "bearer " + admin,
		"empty bearer":          "Bearer ",
		"two spaces":            "Bearer  " + admin,
	}
	checked := 0
	for _, e := range recording(t, "auth") {
		if e.Request == nil || notServed(e) {
			continue
		}
		header, special := headers[e.Label]
		if !special {
			header = "Bearer " + st.Token(e.Label)
		}
		st.token = header
		a := st.do(e.Request.Method, e.Request.Path, e.Request.Body)
		st.compare(e.Label+" "+e.Request.Method+" "+e.Request.Path, e, a)
		checked++
	}
	require.Greater(t, checked, 150)
	st.token = ""
	require.Equal(t, http.StatusUnauthorized, st.do("GET", "/nosuch", "").status)
}
