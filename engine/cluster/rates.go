package cluster

import (
	"math/rand/v2"
	"time"
)

// Rates say how often each part is read. A zero field takes its default.
type Rates struct {
	Nodes        time.Duration // 1 s, or up to a tenth less
	Hot          time.Duration // 250 ms: the node list around a call or a phase's end
	NodesTimeout time.Duration // 1.8 s: with Nodes it keeps the loss of the controller visible within 3 s
	Metrics      time.Duration // 5 s; the gauges change every 20 s, the counters are live
	Leader       time.Duration // 5 s
	Deciding     time.Duration // 1 s: the leader around a decision
	Shards       time.Duration // 2 s: of a watched node
	Computes     time.Duration // 2 s
	Discovery    time.Duration // 30 s, which computes there are
	Processes    time.Duration // 15 s: of every pageserver
	Restarting   time.Duration // 2 s: of a pageserver that is watched
	Alerts       time.Duration // 20 s
	// ProcessSpacing bounds what reading the pageservers costs together: with more than
	// 150 of them each is read less often than Processes says. 100 ms
	ProcessSpacing time.Duration
	// ComputeSpacing does so for the computes: with more than 200 of them each is read less
	// often than Computes says. 10 ms
	ComputeSpacing time.Duration
	Retest         time.Duration // 60 s: of a part that the token's scope turned off
	MaxBackoff     time.Duration // 15 s
}

const (
	hotAfterCall = 5 * time.Second // the list is read often for so long after a call of ours

	firstBackoff = 500 * time.Millisecond
	// minAuthBackoff: a dead token is not worth asking with often.
	minAuthBackoff = 5 * time.Second
	// maxHotBackoff bounds the back-off while somebody waits for the list.
	maxHotBackoff = time.Second

	maxComputesInFlight  = 32
	maxProcessesInFlight = 8
)

func (r Rates) orDefaults() Rates {
	for _, field := range []struct {
		value    *time.Duration
		fallback time.Duration
	}{
		{&r.Nodes, time.Second},
		{&r.Hot, 250 * time.Millisecond},
		{&r.NodesTimeout, 1800 * time.Millisecond},
		{&r.Metrics, 5 * time.Second},
		{&r.Leader, 5 * time.Second},
		{&r.Deciding, time.Second},
		{&r.Shards, 2 * time.Second},
		{&r.Computes, 2 * time.Second},
		{&r.Discovery, 30 * time.Second},
		{&r.Processes, 15 * time.Second},
		{&r.Restarting, 2 * time.Second},
		{&r.Alerts, 20 * time.Second},
		{&r.ProcessSpacing, 100 * time.Millisecond},
		{&r.ComputeSpacing, 10 * time.Millisecond},
		{&r.Retest, time.Minute},
		{&r.MaxBackoff, 15 * time.Second},
	} {
		if *field.value <= 0 {
			*field.value = field.fallback
		}
	}
	return r
}

// What clusters that are watched side by side may cost together.
const (
	// FleetBudget is how many requests a second are sent to all of them.
	FleetBudget = 16
	// FleetMost is how many clusters it is enough for.
	FleetMost = 32

	// slowestNodes keeps a node list from counting as stale between two reads.
	slowestNodes = 3 * time.Second
)

// FleetRates are those of one of so many clusters that are watched side by side. All of
// them send no more than FleetBudget requests a second, up to FleetMost clusters and
// whatever number of nodes and computes they have; the first read of each pageserver and
// compute comes on top, once. Of what one cluster may send, the list of nodes has two
// fifths, and more where it would grow stale.
func FleetRates(clusters int) Rates {
	share := float64(FleetBudget) / float64(max(clusters, 1))
	d := Rates{}.orDefaults()
	every := func(part float64, least time.Duration) time.Duration {
		return max(least, time.Duration(float64(time.Second)/part))
	}
	d.Nodes = min(every(0.4*share, d.Nodes), slowestNodes)
	rest := share - 1.1*float64(time.Second)/float64(d.Nodes) // which is read up to a tenth earlier
	d.Metrics = every(0.2*rest, d.Metrics)
	d.Leader = every(0.1*rest, d.Leader)
	d.Deciding = d.Leader // nothing is decided
	d.ProcessSpacing = every(0.45*rest, d.ProcessSpacing)
	d.ComputeSpacing = every(0.15*rest, d.ComputeSpacing)
	d.Alerts = every(0.05*rest, d.Alerts)
	return d
}

// jittered is d give or take a tenth; luck is in [0, 1).
func jittered(d time.Duration, luck float64) time.Duration {
	return time.Duration(float64(d) * (0.9 + 0.2*luck))
}

// backoff is the pause after so many failures in a row: full jitter over a
// ceiling that doubles, with a floor so that it is never a busy loop.
func (r Rates) backoff(failures int, luck float64) time.Duration {
	ceiling := r.MaxBackoff
	if shift := failures - 1; shift < 16 {
		ceiling = min(ceiling, firstBackoff<<max(shift, 0))
	}
	return max(min(r.Hot, ceiling), time.Duration(float64(ceiling)*luck))
}

// slowed stretches an interval when answers are slow, so that this console
// never takes more than a third of an endpoint's time; within StaleAfter.
func slowed(interval, took time.Duration) time.Duration {
	return max(interval, min(3*took, StaleAfter*3/5))
}

func luck() float64 { return rand.Float64() }
