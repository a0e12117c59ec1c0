package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/demo/server"
	"github.com/StorconTUI/storcon-tui/demo/sim"
)

// drivable is a demo in this process with the configuration that demo serve
// would write.
func drivable(t *testing.T, o server.Options) (demo *server.Server, config string) {
	t.Helper()
	demo = startDemo(t, o)
	config = filepath.Join(t.TempDir(), "demo.toml")
	require.NoError(t, os.WriteFile(config, []byte(demo.ConfigTOML("storcon-tui", "", "")), 0o600))
	return demo, config
}

// changesOf are the requests that are no reads, in order.
func changesOf(demo *server.Server) []string {
	var changes []string
	for _, call := range demo.Calls() {
		if call.Method != http.MethodGet {
			changes = append(changes, call.Method+" "+strings.TrimPrefix(call.Path, "/control/v1/node/"))
		}
	}
	return changes
}

// passage is what each node of a demo went through: "Active/Draining" and the like, each
// where it differs from the one before, and "down" while the controller is.
type passage struct {
	mu     sync.Mutex
	states map[client.NodeID][]string
	since  map[client.NodeID][]time.Time // when each was first seen
}

// keepHistory sees everything that happens in a demo, from before anything is done to it.
func keepHistory(t *testing.T, demo *server.Server) *passage {
	t.Helper()
	h := &passage{states: map[client.NodeID][]string{}, since: map[client.NodeID][]time.Time{}}
	demo.Witness(h.look)
	t.Cleanup(func() { demo.Witness(nil) })
	return h
}

func (h *passage) look(w *sim.World) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, n := range w.Nodes() {
		state := string(n.Availability) + "/" + string(n.Policy)
		if w.Phase() != sim.Serving {
			state = "down"
		}
		h.add(n.ID, state)
	}
}

func (h *passage) add(id client.NodeID, state string) {
	states := h.states[id]
	if len(states) == 0 || states[len(states)-1] != state {
		h.states[id] = append(states, state)
		h.since[id] = append(h.since[id], time.Now())
	}
}

// has says that the node went through these states in this order, whatever came
// between; "/Active" is any with that policy.
func (h *passage) has(t *testing.T, id client.NodeID, want ...string) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	at := 0
	for _, state := range h.states[id] {
		if at < len(want) && (state == want[at] || want[at][0] == '/' && strings.HasSuffix(state, want[at])) {
			at++
		}
	}
	require.Equal(t, len(want), at, "node %s: expected %q, it went through %q", id, want, h.states[id])
}

func (h *passage) not(t *testing.T, id client.NodeID, state string) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	require.NotContains(t, h.states[id], state, "node %s", id)
}

// builds are those that the nodes' processes say, by id.
func builds(t *testing.T, config string) map[client.NodeID]string {
	t.Helper()
	got := execute(t, "status", "-o", "json", "--config", config)
	require.Equal(t, 0, got.code, got.errors)
	var status statusReport
	require.NoError(t, json.Unmarshal([]byte(got.out), &status))
	found := map[client.NodeID]string{}
	for _, n := range status.Nodes {
		require.NotNil(t, n.Build)
		found[n.ID] = *n.Build
	}
	return found
}

const (
	settled  = "Active/Active"
	draining = "Active/Draining"
	drained  = "Active/PauseForRestart"
	warming  = "WarmingUp/Active"
)

// A second process drives the demo as the script of the RFC does: nothing but a drain and
// a fill a node, one node after the other.
func TestDriveIsTheScriptOfTheRFC(t *testing.T) {
	t.Parallel()
	demo, config := drivable(t, server.Options{Nodes: 3, Tenants: 60, Seed: 7, Speed: 20})
	seen := keepHistory(t, demo)
	got := execute(t, "demo", "drive", "2", "1", "--period", "30ms", "--config", config)
	require.Equal(t, 0, got.code, got.errors)
	require.Equal(t, []string{"PUT 2/drain", "PUT 2/fill", "PUT 1/drain", "PUT 1/fill"}, changesOf(demo))
	for _, id := range []client.NodeID{1, 2} {
		seen.has(t, id, settled, draining, drained, warming, settled)
		require.Contains(t, got.out, "node "+id.String()+"  drained: PauseForRestart")
	}
	seen.not(t, 3, draining)
	require.Regexp(t, `(?s)PUT drain.*drained.*restarting.*re-attached.*back: Active/Active.*PUT fill.*filled: Active.*done`, got.out)
	require.Equal(t, map[client.NodeID]string{1: "rel-2", 2: "rel-2", 3: "rel-1"}, builds(t, config))
}

func TestDriveRefusesWhatIsNoDemo(t *testing.T) {
	t.Parallel()
	demo, config := drivable(t, server.Options{Nodes: 2, Tenants: 2})
	other, _ := drivable(t, server.Options{Nodes: 2, Tenants: 2})
	drive := func(args ...string) answer { return execute(t, append([]string{"demo", "drive"}, args...)...) }
	drive("1", "--url", demo.ControllerURL()).refusesWith(t, 2, "is no demo")

	text, err := os.ReadFile(config)
	require.NoError(t, err)
	altered := func(old, with string) string {
		path := filepath.Join(t.TempDir(), "altered.toml")
		require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(text), old, with, 1)), 0o600))
		return path
	}
	drive("1", "--config", altered("demo = true", "demo = false")).refusesWith(t, 2, "is no demo")
	drive("1", "--config", altered(demo.ControllerURL(), other.ControllerURL())).
		refusesWith(t, 3, "is not the demo whose admin address is "+demo.AdminURL(), "nothing was sent")
	drive("1", "--config", config, "--url", other.ControllerURL(), "--cluster", "demo").refusesWith(t, 3, "is not the demo")

	drive("--config", config).refusesWith(t, 2, "requires at least 1 arg")
	drive("9", "--config", config).refusesWith(t, 3, "node 9 is not registered")
	drive("1", "1", "--config", config).refusesWith(t, 2, "node 1 is named twice")
	drive("1", "--period", "0s", "--config", config).refusesWith(t, 2, "--period")
	drive("1", "--fault", "flood", "--config", config).refusesWith(t, 2, `no fault "flood"`)
	drive("1", "--fault", "two-nodes-out", "--config", config).refusesWith(t, 2, "at least 2 nodes")
	drive("1", "2", "--fault", "foreign-config-write", "--config", config).refusesWith(t, 3, "every node is driven")
	require.Empty(t, changesOf(demo))
	require.Empty(t, changesOf(other))

	list := drive("--fault", "list")
	require.Equal(t, 0, list.code, list.errors)
	require.Equal(t, len(driveFaults()), strings.Count(list.out, "\n"))
}

// Each fault provokes what it is named for, in the cluster as it is and not in what the
// script says.
func TestDriveFaults(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		nodes   string
		changes []string
		check   func(t *testing.T, seen *passage, config string)
	}{
		"drain-cancelled": {"1", []string{"PUT 1/drain", "DELETE 1/drain", "PUT 1/drain", "PUT 1/fill"}, func(t *testing.T, seen *passage, _ string) {
			seen.has(t, 1, draining, settled, draining, drained, warming, settled)
		}},
		"restart-while-draining": {"1", []string{"PUT 1/drain", "PUT 1/fill"}, func(t *testing.T, seen *passage, _ string) {
			seen.has(t, 1, draining, warming, settled)
			seen.not(t, 1, drained)
		}},
		"pause-after-reattach": {"1", []string{"PUT 1/drain", "PUT 1/fill"}, func(t *testing.T, seen *passage, _ string) {
			seen.has(t, 1, draining, "/Active", drained, warming, settled)
		}},
		"two-nodes-out": {"1 2", []string{"PUT 1/drain", "PUT 2/drain", "PUT 1/fill", "PUT 2/fill"}, func(t *testing.T, seen *passage, _ string) {
			seen.has(t, 1, drained, warming)
			seen.has(t, 2, drained, warming)
		}},
		"long-offline": {"1", []string{"PUT 1/drain", "PUT 1/fill"}, func(t *testing.T, seen *passage, _ string) {
			seen.has(t, 1, drained, "Offline/PauseForRestart", warming, settled)
		}},
		"no-fill": {"1 2", []string{"PUT 1/drain", "PUT 2/drain", "PUT 2/fill"}, func(t *testing.T, seen *passage, _ string) {
			seen.has(t, 1, drained, warming, settled)
		}},
		"foreign-config-write": {"1", []string{"PUT 1/drain", "PUT 2/config", "PUT 1/fill"}, func(t *testing.T, seen *passage, _ string) {
			seen.has(t, 1, drained, warming, settled)
		}},
		"orphaned-operation": {"1 2", []string{"PUT 1/drain"}, func(t *testing.T, seen *passage, _ string) {
			seen.has(t, 1, draining, "down", draining)
			seen.not(t, 1, drained)
		}},
		"leave-paused": {"1 2", []string{"PUT 1/drain"}, func(t *testing.T, seen *passage, _ string) {
			seen.has(t, 1, draining, drained)
			seen.not(t, 1, warming)
		}},
		"controller-restart": {"1", []string{"PUT 1/drain", "PUT 1/fill"}, func(t *testing.T, seen *passage, _ string) {
			seen.has(t, 1, drained, "down", drained, warming, settled)
		}},
		"stuck-reconciles": {"1", []string{"PUT 1/drain", "PUT 1/fill"}, func(t *testing.T, seen *passage, _ string) {
			seen.has(t, 1, draining, drained, warming, settled)
		}},
		"compute-silent": {"1", []string{"PUT 1/drain", "PUT 1/fill"}, func(t *testing.T, seen *passage, _ string) {
			seen.has(t, 1, draining, drained, warming, settled)
		}},
		"mixed-builds": {"1 2", []string{"PUT 1/drain", "PUT 1/fill", "PUT 2/drain", "PUT 2/fill"}, func(t *testing.T, seen *passage, config string) {
			seen.has(t, 2, drained, warming, settled)
			require.Equal(t, map[client.NodeID]string{1: "rel-2", 2: "rel-1", 3: "rel-1"}, builds(t, config))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			speed := 40.0
			if name == "pause-after-reattach" {
				speed = 15 // the last moves are to take longer than a restart
			}
			demo, config := drivable(t, server.Options{Nodes: 3, Tenants: 450, Seed: 7, Speed: speed})
			seen := keepHistory(t, demo)
			args := append([]string{"demo", "drive", "--fault", name, "--period", "50ms", "--config", config}, strings.Fields(test.nodes)...)
			got := execute(t, args...)
			require.Equal(t, 0, got.code, got.out+got.errors)
			require.Equal(t, test.changes, changesOf(demo), got.out)
			test.check(t, seen, config)
		})
	}
}

// A fault that the cluster is too quick for is said and not passed over.
func TestDriveSaysThatAFaultWasMissed(t *testing.T) {
	t.Parallel()
	_, config := drivable(t, server.Options{Nodes: 3, Tenants: 6, Seed: 7, Speed: 100})
	got := execute(t, "demo", "drive", "1", "--fault", "drain-cancelled", "--period", "1s", "--config", config)
	require.Equal(t, 1, got.code, got.out+got.errors)
	require.Contains(t, got.errors, "its drain took less than a period")

	_, config = drivable(t, server.Options{Nodes: 3, Tenants: 6, Seed: 7, Speed: 1})
	got = execute(t, "demo", "drive", "1", "--fault", "restart-while-draining", "--period", "100ms", "--config", config)
	require.Equal(t, 1, got.code, got.out+got.errors)
	require.Contains(t, got.errors, "only waits for its last moves")
}

// docs/demo.md names every fault.
func TestDriveFaultsAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/demo.md")
	require.NoError(t, err)
	for _, fault := range driveFaults() {
		require.Contains(t, string(text), "\n| `"+fault.name+"` |")
	}
}
