package release

import (
	"time"

	"github.com/StorconTUI/storcon-tui/engine/cluster"
)

// Settings are the limits by which a Watch judges. A zero field takes its default.
type Settings struct {
	Offline     time.Duration // 30 s: a node that is away for longer
	FillAsked   time.Duration // 5 min: from Active/Active to the call for a fill
	MixedBuilds time.Duration // 2 h: nodes on different builds
	LeftOver    time.Duration // 15 min: a node in a policy that is nobody's goal
	Stalled     time.Duration // 90 s: a drain or fill that moves nothing
	Unreachable time.Duration // 5 s: a controller or a compute that does not answer
	Growing     time.Duration // 2 min: pending reconciles that only get more

	// Quiet is how long nothing may happen between two nodes: 10 min. After that the
	// release is over, however many nodes it has left out.
	Quiet time.Duration
	// Settled is how long every node has to be at rest after the last one is done: 1 min.
	Settled time.Duration
	// Moment is how long something that happens in no time is shown as an anomaly: 5 min.
	Moment time.Duration
	// Confirm is how long a state has to be seen before it is an anomaly, and to be
	// gone before it is none: 3 s, so that one odd reading says nothing.
	Confirm time.Duration
}

func (s Settings) orDefaults() Settings {
	for _, field := range []struct {
		value    *time.Duration
		fallback time.Duration
	}{
		{&s.Offline, 30 * time.Second},
		{&s.FillAsked, 5 * time.Minute},
		{&s.MixedBuilds, 2 * time.Hour},
		{&s.LeftOver, 15 * time.Minute},
		{&s.Stalled, cluster.StalledAfter},
		{&s.Unreachable, cluster.SilentLong},
		{&s.Growing, 2 * time.Minute},
		{&s.Quiet, 10 * time.Minute},
		{&s.Settled, time.Minute},
		{&s.Moment, 5 * time.Minute},
		{&s.Confirm, 3 * time.Second},
	} {
		if *field.value <= 0 {
			*field.value = field.fallback
		}
	}
	return s
}

const (
	// silence is from where on nobody was looking: KeepEvery and what a recorder may be late.
	silence = 2 * KeepEvery
	// seenAgain is how long a state has to be seen after nobody was looking, if its
	// limit has passed by then.
	seenAgain = 30 * time.Second
	// unseen: a drain may end and a node be restarted between two looks that are so far apart.
	unseen = 5 * time.Second
	// launchLate is how late the launch time of a process is read after the controller
	// shows its restart: it is asked for every 15 to 18 s, and where there are very many nodes
	// less often.
	launchLate = 30 * time.Second
	// reattachLate: the node list that is read after a launch time shows the re-attach.
	reattachLate = 10 * time.Second
	// gaugeLate is a refresh of the gauges and a scrape.
	gaugeLate = 25 * time.Second
	// processesLate is when a process that has not answered since the first look will not.
	processesLate = 20 * time.Second
	// scrapedTwice: a figure that is still there has been read anew.
	scrapedTwice = 6 * time.Second
	// leaderLate: the leader is read every 5 s, so a drain may have begun under it already.
	leaderLate = 10 * time.Second
	// callsLate: the call of a fill that was too short to be seen is counted by then.
	callsLate = 15 * time.Second
	// restAfter: a figure that has not risen for three refreshes does not grow.
	restAfter = time.Minute
	// sameRestart: the signs of one restart come within this time.
	sameRestart = time.Minute

	// maxOptimised is the most that the controller's optimiser moves between two gauges:
	// 16 shards a pass, two passes.
	maxOptimised = 32
	// optimisedAMinute is how many it moves at best.
	optimisedAMinute = 48

	// A rolling restart launches nodes neither together nor hours apart.
	launchApart = 10 * time.Second
	launchTurn  = 30 * time.Minute

	// pendingMany: fewer pending reconciles are no queue.
	pendingMany = 10

	maxLog   = 2000
	maxSpans = 500 // of a node
	maxEnded = 500 // anomalies that are over
)
