package metrics

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
)

// prefix begins the name of every metric.
const prefix = "storcon_tui_"

// metric is one that may be shown.
type metric struct {
	name   string
	help   string
	kind   prometheus.ValueType
	labels []string
	desc   *prometheus.Desc
}

// catalogue has every metric, in the order of the documentation.
var catalogue []*metric

// gauge is one of a cluster, whose name is its first label.
func gauge(name, help string, labels ...string) *metric {
	return enter(prometheus.GaugeValue, name, help, append([]string{"cluster"}, labels...))
}

func enter(kind prometheus.ValueType, name, help string, labels []string) *metric {
	m := &metric{
		name: prefix + name, help: help, kind: kind, labels: labels,
		desc: prometheus.NewDesc(prefix+name, help, labels, nil),
	}
	catalogue = append(catalogue, m)
	return m
}

var buildInfo = enter(prometheus.GaugeValue, "build_info", "1; the version of this program.", []string{"version"})

// Of the cluster, as it was read last.
var (
	clusterUp    = gauge("cluster_up", "Whether the newest read of the node list was good; 0 before the first.")
	clusterRead  = gauge("cluster_last_read_timestamp_seconds", "When the node list was read last; absent before the first read.")
	partUp       = gauge("part_up", "Whether the newest read of what is read beside the node list was good; absent for what is not read.", "part")
	nodes        = gauge("nodes", "Nodes by scheduling policy and availability, as last known.", "policy", "availability")
	nodeUp       = gauge("node_up", "Whether the node is Active, as last known.", "node", "az")
	buildNodes   = gauge("build_nodes", "Nodes by the build that they were last known to run.", "build")
	computes     = gauge("computes", "Computes by the status that they answer with.", "status")
	historyDown  = gauge("history_failed", "Whether recording what is seen has ended for a failure; absent when none is wanted.")
	notification = enter(prometheus.CounterValue, "notifications_total",
		"Notifications by how they ended: sent, dropped for newer ones before they were tried, or failed after all tries.",
		[]string{"cluster", "sink", "result"})
)

// Of the release that goes on, whoever drives it; when none does, of the last one.
var (
	releaseLive      = gauge("release_live", "Whether a release goes on.")
	releaseStarted   = gauge("release_started_timestamp_seconds", "When the release began; absent while none was seen.")
	releaseEnded     = gauge("release_ended_timestamp_seconds", "When its last node came to rest; absent while it goes on.")
	releaseNodes     = gauge("release_nodes", "Nodes that count for the release: all but those that are gone, or that somebody took out of scheduling.")
	releaseDone      = gauge("release_nodes_done", "Nodes that are done.")
	releaseETA       = gauge("release_eta_timestamp_seconds", "When the last node may be done; absent while that is not known.", "bound")
	releaseShards    = gauge("release_shards", "Shards that the begun nodes had before, that have left them, and that came back.", "what")
	releasePhase     = gauge("release_node_phase", "1; the phase that the node is in.", "node", "phase")
	releaseSince     = gauge("release_node_phase_since_timestamp_seconds", "From when on the node is in its phase.", "node")
	releaseAnomalies = gauge("release_anomalies", "What looks wrong just now, in a release or without one, by kind.", "kind")
)

// Of the newest run that this process drives, of nodes or of computes; absent before it.
var (
	runState    = gauge("run_state", "Whether the run is in this state; goal says what it is for.", "run", "goal", "state")
	runStarted  = gauge("run_started_timestamp_seconds", "When the run began; absent before its first step.", "run", "goal")
	runWaiting  = gauge("run_waiting_since_timestamp_seconds", "Since when a person is waited for; absent while no question stands.", "run", "goal")
	runExit     = gauge("run_exit_code", "The exit code that the run ended with; absent while it lives.", "run", "goal")
	runSteps    = gauge("run_steps", "Nodes of the run by where they stand.", "run", "goal", "state")
	runComputes = gauge("run_computes", "Computes of the run by where they stand.", "run", "goal", "state")
)

// The words of labels do not change, whatever screens call these states.
var (
	runWords  = []string{"ready", "running", "paused", "halted", "aborting", "ended"}
	stepWords = []string{
		"pending", "running", "done", "degraded", "skipped", "gone", "failed", "aborted_clean", "aborted_dirty",
	}
	reconfigureWords = []string{"ready", "running", "paused", "halted", "ended"}
	resultWords      = []string{"sent", "dropped", "failed"}
)

// Entry is what the documentation has of one metric.
type Entry struct {
	Name   string
	Help   string
	Labels []string
}

// Catalogue has every metric that may be shown.
func Catalogue() []Entry {
	entries := make([]Entry, len(catalogue))
	for i, m := range catalogue {
		entries[i] = Entry{Name: m.name, Help: m.help, Labels: slices.Clone(m.labels)}
	}
	return entries
}
