package metrics

import (
	"slices"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/notify"
)

// The words that are always shown; others follow when a server says them.
var (
	policies = []client.NodePolicy{
		client.PolicyActive, client.PolicyFilling, client.PolicyPause, client.PolicyPauseForRestart,
		client.PolicyDraining, client.PolicyDeleting,
	}
	availabilities = []client.Availability{
		client.AvailabilityActive, client.AvailabilityWarmingUp, client.AvailabilityOffline,
	}
	statuses = []compute.State{
		compute.StateEmpty, compute.StateConfigurationPending, compute.StateInit, compute.StateRunning,
		compute.StateConfiguration, compute.StateFailed, compute.StateTerminationPendingFast,
		compute.StateTerminationPendingImmediate, compute.StateTerminated, compute.StateRefreshPending,
		compute.StateRefresh, unreachable, unread,
	}
)

// What is said of a compute that says nothing itself.
const (
	unreachable compute.State = "unreachable"
	unread      compute.State = "unread"
)

func (s scrape) ofSnapshot(latest func() *cluster.Snapshot) {
	if latest == nil {
		return
	}
	seen := latest()
	s.put(clusterUp, truth(good(seen.Nodes)))
	s.at(clusterRead, seen.Nodes.At)
	part(s, "metrics", seen.Metrics)
	part(s, "leader", seen.Leader)
	if seen.Discovery != nil {
		part(s, "computes", *seen.Discovery)
	}
	if seen.Alerts != nil {
		part(s, "alerts", *seen.Alerts)
	}
	if seen.Nodes.Known() {
		s.ofNodes(seen.Nodes.Value)
	}
	if len(seen.Computes) > 0 {
		s.ofComputes(seen.Computes)
	}
}

func good[T any](p cluster.Part[T]) bool { return p.Known() && p.Err == nil }

// part shows nothing of what is off, or was not tried yet.
func part[T any](s scrape, name string, p cluster.Part[T]) {
	if p.Off == "" && (p.Known() || p.Err != nil) {
		s.put(partUp, truth(good(p)), name)
	}
}

// standing is where a node stands.
type standing struct {
	policy       client.NodePolicy
	availability client.Availability
}

func (s scrape) ofNodes(list []cluster.Node) {
	var places []standing
	for _, p := range policies {
		for _, a := range availabilities {
			places = append(places, standing{p, a})
		}
	}
	stand, builds := newTally(places...), newTally[string]()
	for i := range list {
		n := &list[i]
		stand.add(standing{n.Scheduling, n.Availability})
		builds.add(cluster.BuildName(n.Process.Value.Build))
		s.put(nodeUp, truth(n.Availability == client.AvailabilityActive), n.ID.String(), n.AZ())
	}
	for i, one := range stand.keys {
		s.put(nodes, float64(stand.counts[i]), string(one.policy), string(one.availability))
	}
	for i, build := range builds.keys {
		s.put(buildNodes, float64(builds.counts[i]), build)
	}
}

func (s scrape) ofComputes(list []cluster.Compute) {
	count := newTally(statuses...)
	for i := range list {
		switch status := list[i].Status; {
		case status.Err != nil:
			count.add(unreachable)
		case !status.Known():
			count.add(unread)
		default:
			count.add(status.Value.State)
		}
	}
	for i, state := range count.keys {
		s.put(computes, float64(count.counts[i]), string(state))
	}
}

// ofTelling adds up sinks of one name: two webhooks may be on one host.
func (s scrape) ofTelling(stats func() []notify.Stats, keeping recording) {
	if keeping != notRecorded {
		s.put(historyDown, truth(keeping == recordingFailed))
	}
	if stats == nil {
		return
	}
	names, figures := newTally[string](), map[string][3]int{}
	for _, one := range stats() {
		names.add(one.Sink)
		sum := figures[one.Sink]
		figures[one.Sink] = [3]int{sum[0] + one.Sent, sum[1] + one.Dropped, sum[2] + one.Failed}
	}
	for _, name := range names.keys {
		sum := figures[name]
		s.counts(notification, resultWords, sum[:], name)
	}
}

// tally counts how often each of a few keys comes, in the order in which they came.
type tally[K comparable] struct {
	keys   []K
	counts []int
}

func newTally[K comparable](keys ...K) *tally[K] {
	return &tally[K]{keys: slices.Clone(keys), counts: make([]int, len(keys))}
}

func (t *tally[K]) add(key K) {
	i := slices.Index(t.keys, key)
	if i < 0 {
		i = len(t.keys)
		t.keys, t.counts = append(t.keys, key), append(t.counts, 0)
	}
	t.counts[i]++
}
