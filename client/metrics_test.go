package client

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// recordedMetrics is the scrape of a recording.
func recordedMetrics(t *testing.T, name string) string {
	t.Helper()
	for _, e := range readRecording(t, "../testdata/recordings/controller/"+name+".jsonl") {
		if e.Request.Path == "/metrics" && strings.HasPrefix(e.Response.Body, "#") {
			return e.Response.Body
		}
	}
	t.Fatalf("no scrape in %s", name)
	return ""
}

func TestRecordedMetrics(t *testing.T) {
	m, err := decodeMetrics([]byte(recordedMetrics(t, "reads")))
	if err != nil {
		t.Fatal(err)
	}
	wantNodes := map[NodeID]NodeGauges{
		1: {AZ: "az-a", Shards: 12, Attached: 7, Home: 7},
		2: {AZ: "az-b", Shards: 12, Attached: 5, Home: 5},
		3: {AZ: "az-a", Shards: 10, Attached: 6, Home: 6},
		4: {AZ: "az-b", Shards: 12, Attached: 6, Home: 6},
	}
	if diff := cmp.Diff(wantNodes, m.Nodes); diff != "" {
		t.Error(diff)
	}
	if m.Nodes[3].Secondary() != 4 {
		t.Errorf("secondaries of node 3: %d", m.Nodes[3].Secondary())
	}
	if m.Leadership != "leader" || !m.ProcessStart.Equal(time.Unix(1796074223, 0)) || m.ReconcilesSpawned != 24 || m.StuckReconciles != 0 {
		t.Errorf("%+v", m)
	}
	if diff := cmp.Diff(map[string]int64{"ok": 24, "ok_no_notify": 0, "error": 0, "cancel": 0}, m.ReconcilesCompleted); diff != "" {
		t.Error(diff)
	}
	if !strings.HasPrefix(m.Build.Revision, "git:6a35a3e9") || m.Build.Tag != "build_tag:" {
		t.Errorf("build %+v", m.Build)
	}
	if got := m.Requests[0]; got != (RequestCount{Route: "control_v1_get_leader", Method: "get", Status: 200, Count: 1}) {
		t.Errorf("first request count %+v", got)
	}
}

// A cluster without nodes has families without series.
func TestMetricsOfAnEmptyCluster(t *testing.T) {
	m, err := decodeMetrics([]byte(recordedMetrics(t, "empty-cluster")))
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Nodes) != 0 || m.LongRunning != nil || m.PendingReconciles != 0 {
		t.Errorf("%+v", m)
	}
}

func TestMetricsInOtherForms(t *testing.T) {
	m, err := decodeMetrics([]byte(`# TYPE storage_controller_reconcile_spawn_total counter
storage_controller_reconcile_spawn_total 7
# TYPE storage_controller_node_attached_shards gauge
storage_controller_node_attached_shards{az="a",node_id="4294967297"} 3
storage_controller_node_attached_shards{az="a",node_id="not a number"} 3
storage_controller_reconcile_long_running{tenant_id="t",shard_number="0",sequence="9"} 1
storage_controller_reconcile_long_running{tenant_id="s",shard_number="1",sequence="2"} 1
storage_controller_reconcile_long_running{tenant_id="r",shard_number="1",sequence="2"} 0
# TYPE storage_controller_http_request_status counter
storage_controller_http_request_status{path="b",method="put",status="412"} 2
storage_controller_http_request_status{path="b",method="put",status="202"} 1
storage_controller_http_request_status{path="a",method="put",status="odd"} 1
`))
	if err != nil {
		t.Fatal(err)
	}
	want := Metrics{
		Nodes:        map[NodeID]NodeGauges{4294967297: {AZ: "a", Shards: -1, Attached: 3, Home: -1}},
		TenantShards: -1, PendingReconciles: -1, StuckReconciles: -1, AZViolations: -1, Optimizations: -1,
		ReconcilesSpawned: 7, ReconcilesCompleted: map[string]int64{},
		LongRunning: []LongReconcile{{"s", "1", "2"}, {"t", "0", "9"}},
		Requests:    []RequestCount{{"b", "put", 202, 1}, {"b", "put", 412, 2}},
	}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Error(diff)
	}
	if s := m.Nodes[4294967297].Secondary(); s != -1 {
		t.Errorf("secondaries of a node without one of the series: %d", s)
	}
}

func TestNotMetrics(t *testing.T) {
	for _, body := range []string{"", "null", "<html>", "{\"a\":1}", "go_threads 7\n", "\x1b[2J"} {
		if _, err := decodeMetrics([]byte(body)); err == nil || Clean(err.Error()) != err.Error() {
			t.Errorf("%q: %v", body, err)
		}
	}
}
