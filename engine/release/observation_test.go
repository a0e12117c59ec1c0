package release

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/client/pageserver"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
)

var began = time.Date(2026, 12, 1, 22, 0, 0, 0, time.UTC)

func TestObserve(t *testing.T) {
	az, failure := "az-a", "sync failed"
	berlin := time.FixedZone("CET", 3600)
	launch := began.Add(-time.Hour)
	refused := errors.New("connection refused")
	s := &cluster.Snapshot{
		At:       began.In(berlin),
		Identity: cluster.Identity{Name: "eu-1"},
		Nodes: cluster.Part[[]cluster.Node]{At: began, Value: []cluster.Node{
			{
				Node: client.Node{
					ID: 1, Availability: client.AvailabilityActive, Scheduling: client.PolicyDraining,
					AvailabilityZone: &az, ListenHTTPAddr: "ps-1", ListenHTTPPort: 9898,
				},
				Attached: 7, Secondary: 5, Home: 6,
				Process: cluster.Part[pageserver.Info]{
					At: began, Err: refused,
					Value: pageserver.Info{Launch: launch.In(berlin), Build: client.Build{Revision: "git:4f2a"}},
				},
			},
			{Node: client.Node{ID: 2}, Attached: -1, Secondary: -1, Home: -1},
		}},
		Leader: cluster.Part[cluster.Epoch]{At: began, Value: cluster.Epoch{Address: "http://c1/", StartedAt: launch}},
		Metrics: cluster.Part[client.Metrics]{At: began, Value: client.Metrics{
			PendingReconciles: 3, StuckReconciles: -1, DatabaseErrors: 2, LongRunning: make([]client.LongReconcile, 4),
			ReconcilesCompleted: map[string]int64{"ok": 9, "error": 1},
			Requests:            []client.RequestCount{{Route: "control_v1_node_drain", Status: 202, Count: 5}},
		}},
		Computes: []cluster.Compute{
			{Name: "ep-a", Status: cluster.Part[compute.Status]{At: began, Value: compute.Status{State: compute.StateFailed, Error: &failure}}},
			{Name: "ep-b", Status: cluster.Part[compute.Status]{Err: refused}},
		},
		Events: []cluster.Change{
			{At: began, What: cluster.PolicyChanged},
			{At: began.Add(-time.Second), What: cluster.ForeignCalls, To: "drain 1"},
			{At: began.Add(-time.Minute), What: cluster.ForeignCalls, To: "config 1"},
		},
	}
	want := Observation{
		At: began, Cluster: "eu-1", Leader: "http://c1/@2026-12-01T21:00:00Z",
		Nodes: []NodeObservation{
			{
				ID: 1, Address: "ps-1:9898", AZ: "az-a", Policy: client.PolicyDraining, Availability: client.AvailabilityActive,
				Attached: 7, Secondary: 5, Home: 6, Build: "4f2a", Launched: launch, Silent: true,
			},
			{ID: 2, Address: ":0", Attached: -1, Secondary: -1, Home: -1},
		},
		Reconciles: Reconciles{Pending: 3, Stuck: -1, Long: 4, Errors: 1, DatabaseErrors: 2},
		Calls:      map[string]int64{"drain": 5},
		Foreign:    ForeignCalls{At: began.Add(-time.Second), Text: "drain 1"},
		Computes: []ComputeObservation{
			{Name: "ep-a", Status: compute.StateFailed, Error: failure},
			{Name: "ep-b", Silent: "connection refused"},
		},
	}
	require.Equal(t, want, Observe(s)) // Equal tells a moment in UTC from the same one elsewhere
}

// What was not read is not known: none of it looks like a zero.
func TestObserveNothing(t *testing.T) {
	s := &cluster.Snapshot{At: began, Identity: cluster.Identity{Name: "eu-1"}}
	s.Nodes.Err = errors.New("no route to host")
	require.Equal(t, Observation{
		At: began, Cluster: "eu-1", Error: "no route to host", Stale: true, Nodes: []NodeObservation{},
		Reconciles: Reconciles{Pending: -1, Stuck: -1, Long: -1, Errors: -1, DatabaseErrors: -1},
	}, Observe(s))
}

// One node with a senseless clock does not cost the recording.
func TestObserveAnImpossibleLaunchTime(t *testing.T) {
	n := cluster.Node{Process: cluster.Part[pageserver.Info]{At: began, Value: pageserver.Info{Launch: time.UnixMilli(1 << 61)}}}
	o := Observe(&cluster.Snapshot{At: began, Nodes: cluster.Part[[]cluster.Node]{At: began, Value: []cluster.Node{n}}})
	require.Zero(t, o.Nodes[0].Launched)
	_, err := json.Marshal(o)
	require.NoError(t, err)
}

func TestSame(t *testing.T) {
	sample := func() Observation {
		return Observation{
			At: began, Cluster: "eu-1", Leader: "a", Calls: map[string]int64{"drain": 1},
			Nodes:    []NodeObservation{{ID: 1, Policy: client.PolicyActive, Attached: 3, Launched: began}},
			Foreign:  ForeignCalls{At: began, Text: "drain 1"},
			Computes: []ComputeObservation{{Name: "ep-a", Status: compute.StateRunning}},
		}
	}
	later := sample()
	later.At = began.Add(time.Hour)
	later.Nodes[0].Launched = began.In(time.FixedZone("CET", 3600))
	require.True(t, sample().Same(later), "only the moment differs")

	for name, change := range map[string]func(*Observation){
		"cluster":      func(o *Observation) { o.Cluster = "us-1" },
		"stale":        func(o *Observation) { o.Stale = true },
		"error":        func(o *Observation) { o.Error = "refused" },
		"leader":       func(o *Observation) { o.Leader = "b" },
		"reconciles":   func(o *Observation) { o.Reconciles.Stuck++ },
		"calls":        func(o *Observation) { o.Calls["fill"] = 1 },
		"calls unread": func(o *Observation) { o.Calls = nil },
		"foreign":      func(o *Observation) { o.Foreign.At = began.Add(1) },
		"compute":      func(o *Observation) { o.Computes[0].Status = compute.StateFailed },
		"node gone":    func(o *Observation) { o.Nodes = nil },
		"policy":       func(o *Observation) { o.Nodes[0].Policy = client.PolicyPause },
		"availability": func(o *Observation) { o.Nodes[0].Availability = client.AvailabilityOffline },
		"attached":     func(o *Observation) { o.Nodes[0].Attached-- },
		"launched":     func(o *Observation) { o.Nodes[0].Launched = began.Add(1) },
		"silent":       func(o *Observation) { o.Nodes[0].Silent = true },
	} {
		other := sample()
		change(&other)
		require.False(t, sample().Same(other), name)
		require.False(t, other.Same(sample()), name)
	}
}

// TestObservationsSurviveJSON: a recording says what was seen.
func TestObservationsSurviveJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := anObservation.Draw(t, "observation")
		line, err := json.Marshal(o)
		require.NoError(t, err)
		var back Observation
		require.NoError(t, json.Unmarshal(line, &back))
		if diff := cmp.Diff(o, back, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
		require.True(t, o.Same(back))
		require.Equal(t, o.At, back.At)
	})
}

var (
	someMoments = rapid.Custom(func(t *rapid.T) time.Time {
		return began.Add(time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "after")))
	})
	aFigure = rapid.Int64Range(-1, 2000)
	aNode   = rapid.Custom(func(t *rapid.T) NodeObservation {
		return NodeObservation{
			ID:           client.NodeID(rapid.Uint64Range(1, 1<<40).Draw(t, "id")),
			Address:      rapid.String().Draw(t, "address"),
			AZ:           rapid.SampledFrom([]string{"", "az-a"}).Draw(t, "az"),
			Policy:       rapid.SampledFrom(policies).Draw(t, "policy"),
			Availability: rapid.SampledFrom(availabilities).Draw(t, "availability"),
			Attached:     aFigure.Draw(t, "attached"), Secondary: aFigure.Draw(t, "secondary"), Home: aFigure.Draw(t, "home"),
			Build:    rapid.SampledFrom([]string{"", "b1", "b2"}).Draw(t, "build"),
			Launched: rapid.OneOf(rapid.Just(time.Time{}), someMoments).Draw(t, "launched"),
			Silent:   rapid.Bool().Draw(t, "silent"),
		}
	})
	anObservation = rapid.Custom(func(t *rapid.T) Observation {
		o := Observation{
			At: someMoments.Draw(t, "at"), Cluster: "eu-1",
			Error: rapid.SampledFrom([]string{"", "refused"}).Draw(t, "error"), Stale: rapid.Bool().Draw(t, "stale"),
			Nodes:      rapid.SliceOfN(aNode, 0, 3).Draw(t, "nodes"),
			Leader:     rapid.SampledFrom([]string{"", "c1@t", "c2@t"}).Draw(t, "leader"),
			Reconciles: Reconciles{Pending: aFigure.Draw(t, "pending"), Stuck: aFigure.Draw(t, "stuck"), Long: -1, Errors: -1, DatabaseErrors: 0},
			Calls:      rapid.SampledFrom([]map[string]int64{nil, {}, {"drain": 1}}).Draw(t, "calls"),
		}
		if rapid.Bool().Draw(t, "foreign calls") {
			o.Foreign = ForeignCalls{At: someMoments.Draw(t, "called at"), Text: "config 1"}
		}
		if rapid.Bool().Draw(t, "computes") {
			o.Computes = []ComputeObservation{{Name: "ep-a", Status: compute.StateRunning, Silent: "refused"}}
		}
		return o
	})
	policies = []client.NodePolicy{
		client.PolicyActive, client.PolicyDraining, client.PolicyPauseForRestart,
		client.PolicyFilling, client.PolicyPause, client.PolicyDeleting, "Hibernating",
	}
	availabilities = []client.Availability{
		client.AvailabilityActive, client.AvailabilityWarmingUp, client.AvailabilityOffline, "Dozing",
	}
)
