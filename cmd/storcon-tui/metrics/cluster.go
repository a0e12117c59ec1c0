package metrics

import (
	"sync"

	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/notify"
	"github.com/StorconTUI/storcon-tui/engine/reconfigure"
	"github.com/StorconTUI/storcon-tui/engine/release"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// Cluster knows where the newest of everything about one cluster is found. What nobody has
// said is not shown; the zero value shows nothing. What it is given is called while somebody
// scrapes, by several goroutines, and must not wait. Its methods are safe for use by
// several goroutines.
type Cluster struct {
	mu      sync.Mutex
	sources sources
}

// sources are functions that give what is newest; nil = there is none.
type sources struct {
	name        string
	snapshot    func() *cluster.Snapshot
	release     func() *release.Release // nil before the first look
	run         func() *rollout.Status
	reconfigure func() *reconfigure.Status
	sinks       func() []notify.Stats
	recording   recording
}

// recording is how keeping what is seen fares.
type recording int

const (
	notRecorded recording = iota
	recorded
	recordingFailed
)

// Name says how the cluster is called.
func (c *Cluster) Name(name string) { c.know(func(s *sources) { s.name = name }) }

// Polled says where the newest picture of the cluster is.
func (c *Cluster) Polled(latest func() *cluster.Snapshot) {
	c.know(func(s *sources) { s.snapshot = latest })
}

// Watches says where the release is; that is nil before the first look.
func (c *Cluster) Watches(newest func() *release.Release) {
	c.know(func(s *sources) { s.release = newest })
}

// Drives says where the status of the newest run is. It takes the place of the one before.
func (c *Cluster) Drives(status func() *rollout.Status) {
	c.know(func(s *sources) { s.run = status })
}

// Reconfigures is Drives for a run about computes.
func (c *Cluster) Reconfigures(status func() *reconfigure.Status) {
	c.know(func(s *sources) { s.reconfigure = status })
}

// Tells says where the figures are of who is told of runs.
func (c *Cluster) Tells(stats func() []notify.Stats) {
	c.know(func(s *sources) { s.sinks = stats })
}

// Records says that what is seen is kept, or, if failed, no more.
func (c *Cluster) Records(failed bool) {
	c.know(func(s *sources) {
		s.recording = recorded
		if failed {
			s.recording = recordingFailed
		}
	})
}

func (c *Cluster) know(what func(*sources)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	what(&c.sources)
}

func (c *Cluster) known() sources {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sources
}
