package rollout_test

import (
	"errors"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/demo/server"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// rates are the poller's, shrunk like the cluster's own times.
func rates() cluster.Rates {
	return cluster.Rates{
		Nodes: 30 * time.Millisecond, Hot: 10 * time.Millisecond, MaxBackoff: 100 * time.Millisecond,
		Leader: 50 * time.Millisecond, Deciding: 30 * time.Millisecond, Metrics: 50 * time.Millisecond,
		Shards: 40 * time.Millisecond, Processes: 100 * time.Millisecond, Restarting: 30 * time.Millisecond,
	}
}

func asStale(err error, target **rollout.StaleAnswerError) bool { return errors.As(err, target) }

// isProbe: a probe and a set Active are the same PUT to the server's list of
// calls; the journal of the run tells them apart by their number.
func (r *rig) isProbe(c server.Call) bool {
	return c.Method == "PUT" && strings.HasSuffix(c.Path, "/config") && r.configures() == 0
}

// configures are the set Active that the run intended.
func (r *rig) configures() int {
	n := 0
	for _, rec := range r.kinds(journal.KindIntent) {
		if rec.Cls == journal.FORCE {
			n++
		}
	}
	return n
}
