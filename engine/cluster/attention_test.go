package cluster

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
)

func TestAttention(t *testing.T) {
	now := epoch.Add(time.Hour)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	with := func(change func(n *Node)) Snapshot {
		n := Node{Node: node(5), AttachedSince: ago(time.Second)}
		change(&n)
		return Snapshot{Nodes: Part[[]Node]{Value: []Node{n}, At: now}}
	}
	failed := compute.Status{State: compute.StateFailed, Error: new("no basebackup")}
	for name, test := range map[string]struct {
		s    Snapshot
		ours bool
		want []Attention
	}{
		"all is well": {s: with(func(*Node) {})},
		"controller silent": {
			s:    Snapshot{Nodes: Part[[]Node]{Err: errors.New("refused"), Since: ago(9 * time.Second)}},
			want: []Attention{{Reason: ControllerSilent, Cause: "refused", Since: ago(9 * time.Second)}},
		},
		"offline": {
			s:    with(func(n *Node) { n.Availability, n.AvailabilitySince = "Offline", ago(41*time.Second) }),
			want: []Attention{{Reason: NodeOffline, Node: 5, State: "Offline", Since: ago(41 * time.Second)}},
		},
		"E24: an availability that is not known is not safe": {
			s:    with(func(n *Node) { n.Availability = "Sleepy" }),
			want: []Attention{{Reason: NodeOffline, Node: 5, State: "Sleepy"}},
		},
		"N9: warming up is not yet trouble": {
			s: with(func(n *Node) { n.Availability, n.AvailabilitySince = "WarmingUp", ago(20*time.Second) }),
		},
		"N9: warming up for long": {
			s:    with(func(n *Node) { n.Availability, n.AvailabilitySince = "WarmingUp", ago(2*time.Minute) }),
			want: []Attention{{Reason: WarmingUpLong, Node: 5, State: "WarmingUp", Since: ago(2 * time.Minute)}},
		},
		"N18: flapping": {
			s:    with(func(n *Node) { n.Flaps = 5 }),
			want: []Attention{{Reason: NodeFlapping, Node: 5, State: "Active", Count: 5}},
		},
		"P18: left in PauseForRestart": {
			s:    with(func(n *Node) { n.Scheduling = client.PolicyPauseForRestart }),
			want: []Attention{{Reason: PausedForRestart, Node: 5, Policy: "PauseForRestart"}},
		},
		"a run of ours paused it": {s: with(func(n *Node) { n.Scheduling = client.PolicyPauseForRestart }), ours: true},
		"P18: paused by somebody": {
			s:    with(func(n *Node) { n.Scheduling = client.PolicyPause }),
			want: []Attention{{Reason: NodePaused, Node: 5, Policy: "Pause"}},
		},
		"a drain of somebody else": {
			s:    with(func(n *Node) { n.Scheduling, n.PolicySince = client.PolicyDraining, ago(time.Second) }),
			want: []Attention{{Reason: OperationForeign, Node: 5, Policy: "Draining", Since: ago(time.Second)}},
		},
		"a drain of ours": {
			s:    with(func(n *Node) { n.Scheduling, n.PolicySince = client.PolicyDraining, ago(time.Second) }),
			ours: true,
		},
		"D13: a drain, ours or not, that does not move": {
			s: with(func(n *Node) {
				n.Scheduling, n.PolicySince, n.AttachedSince = client.PolicyDraining, ago(time.Hour), ago(2*time.Minute)
			}),
			ours: true,
			want: []Attention{{Reason: OperationStalled, Node: 5, Policy: "Draining", Since: ago(2 * time.Minute)}},
		},
		"reconciles and computes, in order": {
			s: Snapshot{
				Metrics: Part[client.Metrics]{At: now, Value: client.Metrics{
					StuckReconciles: 2, LongRunning: []client.LongReconcile{{Tenant: "a"}},
				}},
				Computes: []Compute{
					{Name: "b", Status: Part[compute.Status]{Err: errors.New("refused"), Since: ago(time.Minute)}},
					{Name: "c", Status: Part[compute.Status]{Err: errors.New("refused"), Since: ago(time.Second)}},
					{Name: "a", Status: Part[compute.Status]{At: now, Value: failed}, Since: ago(time.Minute)},
				},
			},
			want: []Attention{
				{Reason: ReconcilesStuck, Count: 2},
				{Reason: ReconcilesLong, Count: 1},
				{Reason: ComputeFailed, Compute: "a", Cause: "no basebackup", Since: ago(time.Minute)},
				{Reason: ComputeUnreachable, Compute: "b", Cause: "refused", Since: ago(time.Minute)},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, test.want, Attend(&test.s, now, map[client.NodeID]bool{5: test.ours}))
		})
	}
}
