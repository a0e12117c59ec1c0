package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/demo/server"
)

var saysWhere = regexp.MustCompile(`storcon-tui: metrics at (http://\S+)`)

// exposition is where a process that runs serves metrics.
type exposition struct {
	t    *testing.T
	url  string
	last string // answer
}

func (s *session) exposes() *exposition {
	s.t.Helper()
	e := &exposition{t: s.t}
	e.until("said where metrics are", func() bool {
		if said := saysWhere.FindStringSubmatch(s.errs.String()); said != nil {
			e.url = said[1]
		}
		return e.url != ""
	})
	return e
}

func (e *exposition) until(what string, is func() bool) {
	e.t.Helper()
	limit := time.After(screenTimeout)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-limit:
			e.t.Fatalf("it has not %s:\n%s", what, e.last)
		}
	}
}

// scrape is what a Prometheus gets.
func (e *exposition) scrape() string {
	e.t.Helper()
	request, err := http.NewRequestWithContext(e.t.Context(), http.MethodGet, e.url, nil)
	require.NoError(e.t, err)
	request.Close = true
	answer, err := http.DefaultClient.Do(request)
	require.NoError(e.t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(e.t, err)
	require.Equal(e.t, http.StatusOK, answer.StatusCode, string(text))
	return string(text)
}

// shows scrapes until a line of the answer is like this.
func (e *exposition) shows(pattern string) string {
	e.t.Helper()
	want := regexp.MustCompile(`(?m)^storcon_tui_` + pattern + `$`)
	e.until("shown "+pattern, func() bool {
		e.last = e.scrape()
		return want.MatchString(e.last)
	})
	return e.last
}

// gone makes sure that nobody listens any more.
func (e *exposition) gone() {
	e.t.Helper()
	u, err := url.Parse(e.url)
	require.NoError(e.t, err)
	_, err = net.DialTimeout("tcp", u.Host, time.Second)
	require.ErrorIs(e.t, err, syscall.ECONNREFUSED)
}

// A watch shows a Prometheus the nodes and the release that somebody drives, from its first
// phase to its end.
func TestWatchServesMetrics(t *testing.T) {
	t.Parallel()
	demo, flags := watchable(t, server.Options{Nodes: 3, Tenants: 90, Seed: 7, Speed: 10}, `settled = "3s"`, `quiet = "8s"`)
	watch := watching(t, flags, "--metrics-addr", "0")
	at := watch.exposes()
	text := at.shows(`release_live{cluster="demo"} 0`)
	for _, line := range []string{
		`cluster_up{cluster="demo"} 1`,
		`nodes{availability="Active",cluster="demo",policy="Active"} 3`,
		`node_up{az="az-a",cluster="demo",node="2"} 1`,
		`release_anomalies{cluster="demo",kind="drain_cancelled"} 0`,
		`history_failed{cluster="demo"} 0`,
	} {
		require.Contains(t, text, "storcon_tui_"+line+"\n")
	}
	require.NotContains(t, text, "storcon_tui_run_", "it drives nothing")
	script := converse(t, with(flags, "demo", "drive", "2", "--period", "1s", "--build", "")...)
	at.shows(`release_live{cluster="demo"} 1`)
	at.shows(`release_node_phase{cluster="demo",node="2",phase="done"} 1`)
	require.Equal(t, 0, script.ends())
	text = at.shows(`release_live{cluster="demo"} 0`)
	require.Contains(t, text, `storcon_tui_release_ended_timestamp_seconds{cluster="demo"} `)
	require.Contains(t, text, `storcon_tui_release_nodes_done{cluster="demo"} 1`+"\n")
	require.Equal(t, []string{"PUT 2/drain", "PUT 2/fill"}, changesOf(demo), "the script's own")
	require.NoError(t, watch.cmd.Process.Signal(syscall.SIGTERM))
	require.Equal(t, 143, watch.ends())
	at.gone()
}

// A run shows its state, since when it waits for a person, and the release that it is; no
// secret goes with it.
func TestRolloutServesMetrics(t *testing.T) {
	t.Parallel()
	s := serve(t, "--nodes", "3", "--tenants", "30", "--seed", "7", "--speed", "20", "--auth")
	token, err := os.ReadFile(s.config + ".admin.jwt")
	require.NoError(t, err)
	run := converse(t, "--config", s.config, "--state-dir", t.TempDir(), "--metrics-addr", "127.0.0.1:0", "rollout", "1", "--plain")
	run.hears("? DRAIN NODE 1?")
	at := run.exposes()
	const who = `cluster="demo",goal="restart",run="[0-9A-Z]{26}"`
	text := at.shows(`run_waiting_since_timestamp_seconds{` + who + `} \S+`)
	require.Regexp(t, `storcon_tui_run_state{`+who+`,state="running"} 1\n`, text)
	require.Regexp(t, `storcon_tui_run_steps{`+who+`,state="running"} 1\n`, text)
	at.shows(`release_anomalies{cluster="demo",kind="several_nodes_out"} 0`)
	run.says("yes")
	run.hears("? RESTART NODE 1?")
	text = at.shows(`release_node_phase{cluster="demo",node="1",phase="drained"} 1`)
	require.Contains(t, text, `storcon_tui_release_live{cluster="demo"} 1`+"\n")
	require.NotContains(t, text, strings.TrimSpace(string(token)))
	require.NotContains(t, text, "/control/")
	run.says("abort")
	run.ends()
	at.gone()
}

// A reconfigure without a screen reads no nodes; its run is shown.
func TestReconfigureServesMetrics(t *testing.T) {
	t.Parallel()
	l := newLab(t, server.Options{Nodes: 2, Tenants: 6, Computes: 3, Seed: 7, Speed: 20})
	patch := l.write("patch.json", `{"cluster":{"settings":[]}}`)
	run := converse(t, "--config", l.config, "--state-dir", l.state, "--metrics-addr", "0",
		"reconfigure", l.running()[0], "--patch", patch, "--plain")
	run.hears("? ")
	at := run.exposes()
	text := at.shows(`run_waiting_since_timestamp_seconds{cluster="demo",goal="reconfigure",run="[0-9A-Z]{26}"} \S+`)
	require.Contains(t, text, `state="pending"} 1`)
	require.NotContains(t, text, "cluster_up")
	run.says("abort")
	run.ends()
	at.gone()
}

// All clusters of a fleet are shown at one address.
func TestFleetServesMetrics(t *testing.T) {
	t.Parallel()
	_, _, flags := watchableFleet(t, 2)
	addToConfig(t, flags, fmt.Sprintf("[clusters.dead]\nurl = %q\n", deadURL(t)))
	text, err := os.ReadFile(flags[1])
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(flags[1], append([]byte("metrics_addr = \"0\"\n"), text...), 0o600))
	watch := converse(t, with(flags, "watch", "--fleet")...)
	at := watch.exposes()
	for i := range 2 {
		at.shows(fmt.Sprintf(`nodes{availability="Active",cluster=%q,policy="Active"} 3`, demoName(i)))
		at.shows(fmt.Sprintf(`release_live{cluster=%q} 0`, demoName(i)))
	}
	at.shows(`cluster_up{cluster="dead"} 0`)
	at.shows(`release_anomalies{cluster="dead",kind="controller_unreachable"} 1`)
	require.NoError(t, watch.cmd.Process.Signal(syscall.SIGINT))
	require.NotZero(t, watch.ends())
	at.gone()
}

// The console serves for as long as it is open.
func TestConsoleServesMetrics(t *testing.T) {
	t.Parallel()
	s := open(t, "storcon-tui", append(demoArgs, "--metrics-addr", "0")...)
	at := &exposition{t: t, url: saysWhere.FindStringSubmatch(s.see(saysWhere.String()))[1]}
	s.see(firstRow)
	at.shows(`nodes{availability="Active",cluster="demo",policy="Active"} 4`)
	at.shows(`release_live{cluster="demo"} 0`)
	s.press("q")
	require.Equal(t, 0, s.leaves())
	requireRestored(t, s)
	at.gone()
}

// An address that cannot be had is said before anything is asked of a cluster; what looks
// once needs none.
func TestMetricsAddressThatIsTaken(t *testing.T) {
	t.Parallel()
	demo, config := drivable(t, server.Options{Nodes: 2, Tenants: 6, Computes: 2, Seed: 7})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	taken := l.Addr().String()
	flags := []string{"--config", config, "--state-dir", t.TempDir(), "--metrics-addr", taken}
	before := len(demo.Calls())
	for _, verb := range [][]string{
		{"watch"},
		{"watch", "--fleet"},
		{"rollout", "1", "--plain"},
		{"drain", "1", "--plain"},
		{"rollout", "--resume", "--plain"},
		{"reconfigure", demo.Computes()[0].Name, "--repoint", "--plain"},
	} {
		execute(t, with(flags, verb...)...).refusesWith(t, 3, "metrics cannot be served at "+taken, "in use", "--metrics-addr")
	}
	require.Len(t, demo.Calls(), before)
	execute(t, with(flags, "watch", "--metrics-addr", "nowhere")...).refusesWith(t, 2, "--metrics-addr: expected HOST:PORT")
	got := execute(t, with(flags, "status")...)
	require.Equal(t, 0, got.code, got.errors)
}
