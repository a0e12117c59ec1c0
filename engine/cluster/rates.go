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
	Retest       time.Duration // 60 s: of a part that the token's scope turned off
	MaxBackoff   time.Duration // 15 s
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
	// processSpacing bounds what reading the pageservers costs together: with
	// more than 150 of them each is read less often than Processes says.
	processSpacing = 100 * time.Millisecond
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
		{&r.Retest, time.Minute},
		{&r.MaxBackoff, 15 * time.Second},
	} {
		if *field.value <= 0 {
			*field.value = field.fallback
		}
	}
	return r
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
