package release

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
)

// playRecording looks at what a real controller answered: at each answer and, for the
// poll went on where it did not change, once a second.
func playRecording(t *testing.T, name string) *Watch {
	t.Helper()
	file, err := os.Open(filepath.Join("../../testdata/recordings/controller", name+".jsonl"))
	require.NoError(t, err)
	defer file.Close()
	w := NewWatch(Settings{})
	o := Observation{Cluster: name, Reconciles: Reconciles{Pending: -1, Stuck: -1, Long: -1, Errors: -1}}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 8<<20)
	for lines.Scan() {
		var e struct {
			T        int64 `json:"t"` // ms
			Server   string
			Request  struct{ Method, Path string }
			Response struct {
				Status int
				Body   string
				Error  string
			}
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &e))
		if e.Request.Method != "GET" || e.Server != "" {
			continue
		}
		switch e.Request.Path {
		case "/control/v1/leader":
			var leader client.Leader
			require.NoError(t, json.Unmarshal([]byte(e.Response.Body), &leader))
			o.Leader = cluster.Epoch{Address: leader.Address, StartedAt: leader.StartedAt}.String()
		case "/control/v1/node":
			at := began.Add(time.Duration(e.T) * time.Millisecond)
			for w.listed && at.Sub(w.now) > time.Second {
				o.At = w.now.Add(time.Second)
				w.See(o)
			}
			o.At, o.Error = at, e.Response.Error
			if e.Response.Status == 200 {
				o.Nodes = nodesOf(t, e.Response.Body)
			}
			w.See(o)
		}
	}
	require.NoError(t, lines.Err())
	return w
}

func nodesOf(t *testing.T, body string) []NodeObservation {
	t.Helper()
	var list []client.Node
	require.NoError(t, json.Unmarshal([]byte(body), &list))
	nodes := make([]NodeObservation, 0, len(list))
	for _, n := range list {
		nodes = append(nodes, NodeObservation{
			ID: n.ID, AZ: n.AZ(), Policy: n.Scheduling, Availability: n.Availability, Attached: -1, Secondary: -1, Home: -1,
		})
	}
	return nodes
}

func TestRecordedWays(t *testing.T) {
	for _, row := range []struct {
		recording string
		node      int
		want      string
	}{
		{"restart-clean", 0, "draining 0.03 | drained 0.921 | restarting 32.739 | warming_up 32.791 | back 35.406 | filling 35.439 | done 36.393 | " +
			"filling 36.407 | done 36.43"},
		{"restart-fast", 1, "draining 0.021 | drained 0.143 | ~restarting 1.143 | warming_up 1.815 | back 3.931"},
		{"progress", 0, "draining 0.034 | drained 18.801 | ~restarting 19.071 | warming_up 19.342 | back 23.478 | filling 23.595 | done 42.059"},
		{"node-restarts-during-drain", 0, "draining 0.434 | ~restarting 0.552 | warming_up 0.67 | anomalous 1.596"},
		{"node-restarts-during-drain", 1, "~waiting 0.434 | ~draining 40.001 | drained 40.661 | ~restarting 40.711 | warming_up 40.762 | back 43.744"},
		{"controller-killed-during-drain", 0, "draining 0.827 | waiting 1.478"},
		{"cancel", 0, "draining 0.344 | waiting 0.664 | draining 0.68 | drained 2.702 | ~restarting 2.764 | warming_up 2.827 | back 7.192 | " +
			"filling 8.589 | done 8.805"},
		{"cancel-during-scan", 1, "~waiting 2.049 | draining 11.853 | ~restarting 11.991 | warming_up 12.13 | back 14.485"},
		{"node-dies-undrained", 0, "anomalous 12.534 | warming_up 12.556 | back 12.912 | draining 12.958 | drained 12.98 | " +
			"~restarting 13.98 | ~warming_up 14.011 | back 14.043"},
		{"two-starts-at-once", 1, "draining 0.023"},
	} {
		t.Run(row.recording, func(t *testing.T) {
			w := playRecording(t, row.recording)
			require.Equal(t, row.want, way(w.Release().Nodes[row.node]))
		})
	}
}

// What went wrong in the recordings, and nothing else.
func TestRecordedAnomalies(t *testing.T) {
	for _, row := range []struct {
		recording string
		want      []string
	}{
		{"restart-clean", nil},
		{"restart-fast", nil},
		{"progress", nil},
		{"cancel", nil}, // a drain that is asked for again at once
		{"cancel-during-scan", []string{
			"drain cancelled: the drain of node 1 ended without PauseForRestart",
			"restarted while draining: node 2 was restarted while its drain ran",
		}},
		{"node-restarts-during-drain", []string{
			"restarted while draining: node 1 was restarted while its drain ran",
			"paused after reattach: node 1 is Active, PauseForRestart, though it was restarted",
			"several nodes out: nodes 1 (Active, PauseForRestart), 2 (WarmingUp, Active)",
		}},
		{"controller-killed-during-drain", []string{
			"controller restarted: it was http://127.0.0.1:21234/@2026-11-30T21:33:09.946219Z and is http://127.0.0.1:21234/@2026-11-30T21:33:34.791072Z",
			"drain cancelled: the controller began anew and gave the drain of node 1 up",
			"controller unreachable: the list of nodes cannot be read: ConnectionResetError: [Errno 104] Connection reset by peer",
		}},
		{"two-starts-at-once", []string{
			"several nodes out: nodes 1 (Active, PauseForRestart), 2 (Active, Draining)",
			"controller unreachable: the list of nodes cannot be read: ConnectionResetError: [Errno 104] Connection reset by peer",
		}},
	} {
		t.Run(row.recording, func(t *testing.T) {
			w := playRecording(t, row.recording)
			end := w.cur // what was so at the end goes on for a while
			for range 30 {
				end.At = w.now.Add(time.Second)
				w.See(end)
			}
			var got []string
			for _, a := range w.Release().Anomalies {
				got = append(got, a.Kind.String()+": "+a.Text)
			}
			require.Equal(t, row.want, got)
		})
	}
}
