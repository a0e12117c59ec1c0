package cluster

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/StorconTUI/storcon-tui/client"
)

func TestAcceptedCalls(t *testing.T) {
	got := AcceptedCalls(client.Metrics{Requests: []client.RequestCount{
		{Route: "control_v1_node_drain", Method: "put", Status: 202, Count: 3},
		{Route: "control_v1_node_drain", Method: "put", Status: 412, Count: 7},
		{Route: "control_v1_node_config", Method: "put", Status: 200, Count: 2},
		{Route: "control_v1_node_config", Method: "put", Status: 201, Count: 1},
		{Route: "control_v1_get_leader", Method: "get", Status: 200, Count: 9},
	}})
	if diff := cmp.Diff(map[string]int64{"drain": 3, "config": 3}, got); diff != "" {
		t.Error(diff)
	}
}
