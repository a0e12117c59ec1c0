package metrics

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/client/pageserver"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/notify"
	"github.com/StorconTUI/storcon-tui/engine/reconfigure"
	"github.com/StorconTUI/storcon-tui/engine/release"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func always[T any](v T) func() *T { return func() *T { return &v } }

func node(id client.NodeID, policy client.NodePolicy, availability client.Availability, build string) cluster.Node {
	az := "az-a"
	n := cluster.Node{Node: client.Node{ID: id, Scheduling: policy, Availability: availability, AvailabilityZone: &az}}
	if build != "" {
		n.Process = cluster.Part[pageserver.Info]{At: noon, Value: pageserver.Info{Build: client.Build{Tag: build}}}
	}
	return n
}

func snapshot() cluster.Snapshot {
	failed := cluster.Part[[]string]{Err: errors.New("refused"), Since: noon}
	running := cluster.Part[compute.Status]{At: noon}
	running.Value.State = compute.StateRunning
	silent := running
	silent.Err = errors.New("refused")
	return cluster.Snapshot{
		At: noon,
		Nodes: cluster.Part[[]cluster.Node]{At: noon, Value: []cluster.Node{
			node(1, client.PolicyActive, client.AvailabilityActive, "rel-2"),
			node(2, client.PolicyPauseForRestart, client.AvailabilityOffline, "rel-1"),
			node(3, "Napping", client.AvailabilityActive, ""),
		}},
		Metrics: cluster.Part[client.Metrics]{At: noon},
		Leader:  cluster.Part[cluster.Epoch]{Off: "it runs without peers"},
		Alerts:  &failed,
		Token:   cluster.TokenView{Source: "file SECRET", Subject: "SECRET"},
		Computes: []cluster.Compute{
			{Name: "ep-1", URL: "http://SECRET", Status: running},
			{Name: "ep-2", Status: silent},
			{Name: "ep-3"},
		},
	}
}

func liveRelease() release.Release {
	at := func(id client.NodeID, phase release.Phase, gone bool) release.NodeProgress {
		return release.NodeProgress{NodeObservation: release.NodeObservation{ID: id}, Phase: phase, Since: noon, Gone: gone}
	}
	return release.Release{
		At: noon, Started: noon.Add(-time.Hour),
		Progress: release.Progress{Nodes: 2, Done: 1, Expected: 700, MovedOff: 650, MovedBack: 300},
		ETA:      release.ETA{At: noon.Add(time.Hour), Earliest: noon.Add(time.Minute), Latest: noon.Add(2 * time.Hour), Seen: 1},
		Nodes:    []release.NodeProgress{at(1, release.Done, false), at(2, release.Restarting, false), at(9, release.Waiting, true)},
		Anomalies: []release.Anomaly{
			{Kind: release.OfflineLong, Node: 2, Since: noon},
			{Kind: release.OfflineLong, Node: 4, Since: noon},
			{Kind: release.FillSkipped, Node: 1, Since: noon, Until: noon.Add(time.Minute)},
		},
	}
}

func liveRun() rollout.Status {
	return rollout.Status{
		Run: "01RUN", Goal: rollout.GoalRestart, Started: noon, State: rollout.RunRunning,
		Steps:  []rollout.StepStatus{{State: rollout.StepDone}, {State: rollout.StepRunning}, {}},
		Prompt: &rollout.Prompt{ID: "q7", Asked: noon.Add(time.Hour), Since: noon.Add(90 * time.Second), Literal: "SECRET"},
		Why:    "SECRET",
	}
}

func endedReconfigure() reconfigure.Status {
	return reconfigure.Status{
		Run: "01CONFIGURE", Started: noon, State: reconfigure.RunEnded,
		Items:   []reconfigure.ItemStatus{{State: reconfigure.ItemDone, Why: "SECRET"}, {State: reconfigure.ItemRefused}},
		Outcome: &reconfigure.Outcome{Exit: rollout.ExitHalted},
		Prompt:  &reconfigure.Prompt{Since: noon},
	}
}

// busy is a cluster of which everything is known.
func busy() *Cluster {
	c := &Cluster{}
	c.Name("prod-eu-1")
	c.Polled(always(snapshot()))
	c.Watches(always(liveRelease()))
	c.Drives(always(liveRun()))
	c.Reconfigures(always(endedReconfigure()))
	c.Tells(func() []notify.Stats {
		return []notify.Stats{
			{Sink: "webhook at chat", Sent: 2, Failed: 1, Err: errors.New("SECRET")},
			{Sink: "webhook at chat", Sent: 1, Dropped: 4},
			{Sink: "the terminal", Sent: 3},
		}
	})
	c.Records(false)
	return c
}

func serve(t *testing.T, clusters ...*Cluster) *Server {
	t.Helper()
	s, err := Listen("127.0.0.1:0", "v1.2.3", slog.New(slog.NewTextHandler(t.Output(), nil)))
	require.NoError(t, err)
	t.Cleanup(s.Close)
	for _, c := range clusters {
		s.Show(c)
	}
	return s
}

func get(t *testing.T, url string) (status int, body string) {
	t.Helper()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	answer, err := (&http.Client{Transport: transport}).Do(request)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, string(text)
}

// All that can be known of a cluster is shown as it is, and no secret with it.
func TestScrape(t *testing.T) {
	status, text := get(t, serve(t, busy()).URL())
	require.Equal(t, http.StatusOK, status)
	golden.RequireEqual(t, text)
	require.NotContains(t, text, "SECRET")
	for _, entry := range Catalogue() {
		if entry.Name != releaseEnded.name {
			require.Contains(t, text, "\n"+entry.Name+"{", "the state has everything but a release that is over")
		}
	}
}

// What nobody knows yet is absent rather than 0, but for what an alert needs.
func TestScrapeOfNothing(t *testing.T) {
	fresh := &Cluster{}
	fresh.Name("new")
	fresh.Polled(always(cluster.Snapshot{}))
	fresh.Watches(func() *release.Release { return nil })
	_, text := get(t, serve(t, fresh, &Cluster{}).URL())
	var shown []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") {
			shown = append(shown, strings.TrimSpace(line))
		}
	}
	require.Equal(t, []string{
		`storcon_tui_build_info{version="v1.2.3"} 1`,
		`storcon_tui_cluster_up{cluster="new"} 0`,
	}, shown)
}

// A failed read shows at once; what was known before stays.
func TestScrapeOfALostController(t *testing.T) {
	lost := snapshot()
	lost.Nodes.Err = errors.New("refused")
	c, over := &Cluster{}, liveRelease()
	c.Name("lost")
	c.Polled(always(lost))
	over.Ended = noon
	c.Watches(always(over))
	c.Records(true)
	_, text := get(t, serve(t, c).URL())
	for _, line := range []string{
		`storcon_tui_cluster_up{cluster="lost"} 0`,
		`storcon_tui_node_up{az="az-a",cluster="lost",node="2"} 0`,
		`storcon_tui_history_failed{cluster="lost"} 1`,
		`storcon_tui_release_live{cluster="lost"} 0`,
		`storcon_tui_release_ended_timestamp_seconds{cluster="lost"} 1.7961264e+09`,
	} {
		require.Contains(t, text, line+"\n")
	}
}

// Clusters beside each other have their names; the rules of Prometheus for names, help and
// types are kept.
func TestLint(t *testing.T) {
	other := busy()
	other.Name("prod-us-1")
	shown := &collector{version: "v1"}
	shown.show(busy())
	shown.show(other)
	registry := prometheus.NewPedanticRegistry()
	require.NoError(t, registry.Register(shown))
	problems, err := testutil.GatherAndLint(registry)
	require.NoError(t, err)
	require.Empty(t, problems)
	require.NoError(t, testutil.GatherAndCompare(registry, strings.NewReader(`
# HELP storcon_tui_cluster_up Whether the newest read of the node list was good; 0 before the first.
# TYPE storcon_tui_cluster_up gauge
storcon_tui_cluster_up{cluster="prod-eu-1"} 1
storcon_tui_cluster_up{cluster="prod-us-1"} 1
`), clusterUp.name))
}

// A server's word that is no text is no reason to show nothing.
func TestScrapeOfWordsThatAreNoText(t *testing.T) {
	odd := snapshot()
	odd.Nodes.Value = []cluster.Node{node(1, "\xff\n\"", client.AvailabilityActive, "")}
	c := &Cluster{}
	c.Name("odd")
	c.Polled(always(odd))
	status, text := get(t, serve(t, c).URL())
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, text, `policy="?\n\""} 1`)
}

// The words of states are as many as there are states.
func TestEveryStateHasAWord(t *testing.T) {
	require.Len(t, runWords, int(rollout.RunEnded)+1)
	require.Len(t, stepWords, int(rollout.StepAbortedDirty)+1)
	require.Len(t, reconfigureWords, int(reconfigure.RunEnded)+1)
	require.Equal(t, "STATE_14", (reconfigure.ItemSkipped + 1).String(), "the last state of an item")
}

func TestNothingElseIsServed(t *testing.T) {
	s := serve(t)
	root := strings.TrimSuffix(s.URL(), path)
	status, text := get(t, root+"/")
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, 1, strings.Count(text, "\n"))
	status, _ = get(t, root+"/debug/pprof/")
	require.Equal(t, http.StatusNotFound, status)
}

// Sources change while others scrape, and the server ends with its goroutines.
func TestSourcesChangeMeanwhile(t *testing.T) {
	c := busy()
	s := serve(t, c)
	var scraping sync.WaitGroup
	for range 3 {
		scraping.Go(func() {
			for range 20 {
				status, _ := get(t, s.URL())
				if status != http.StatusOK && status != http.StatusServiceUnavailable {
					t.Errorf("status %d", status)
				}
			}
		})
	}
	for i := range 200 {
		run := liveRun()
		run.Run = fmt.Sprint(i)
		c.Drives(always(run))
		c.Records(i%2 == 0)
	}
	scraping.Wait()
	s.Close()
	_, err := net.DialTimeout("tcp", s.listener.Addr().String(), time.Second)
	require.Error(t, err)
}

func TestAnAddressThatIsTaken(t *testing.T) {
	s := serve(t)
	taken := s.listener.Addr().String()
	_, err := Listen(taken, "v1", slog.New(slog.DiscardHandler))
	require.ErrorContains(t, err, "metrics cannot be served at "+taken+": ")
	require.ErrorContains(t, err, "in use")
	require.Equal(t, 1, strings.Count(err.Error(), taken))
}

const (
	pagePath = "../../../docs/metrics.md"
	tableHas = "| Metric | Type | Labels | What it says |\n|---|---|---|---|\n"
)

// TestMetricsPage: the page has every metric, and speaks of no other. With -update its
// table, which is the last thing in it, is written anew.
func TestMetricsPage(t *testing.T) {
	have, err := os.ReadFile(pagePath)
	require.NoError(t, err)
	text, _, ok := strings.Cut(string(have), tableHas)
	require.True(t, ok, "%s has no table", pagePath)
	want, known := text+tableHas, map[string]bool{}
	for _, m := range catalogue {
		kind := "gauge"
		if m.kind == prometheus.CounterValue {
			kind = "counter"
		}
		known[m.name] = true
		want += fmt.Sprintf("| `%s` | %s | `%s` | %s |\n", m.name, kind, strings.Join(m.labels, "`, `"), m.help)
	}
	if flag.Lookup("update").Value.String() == "true" {
		require.NoError(t, os.WriteFile(pagePath, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(have), "stale: go test ./cmd/storcon-tui/metrics -run TestMetricsPage -update")
	for _, name := range regexp.MustCompile(`storcon_tui_\w+`).FindAllString(text, -1) {
		require.True(t, known[name], "%s is no metric", name)
	}
	require.Equal(t, 6, strings.Count(text, "- alert: "))
}
