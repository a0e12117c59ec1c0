package cluster

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
)

// Reason is why something needs a person. Lower is more urgent.
type Reason int

// The reasons, most urgent first.
const (
	ControllerSilent   Reason = iota + 1 // the node list cannot be read; Cause says why
	NodeOffline                          // availability Offline, or one that is not known
	NodeFlapping                         // Count changes of availability in five minutes
	WarmingUpLong                        // WarmingUp for longer than a first heartbeat takes
	RestartedInDrain                     // restarted while its drain ran, not by a run of ours
	OperationStalled                     // Draining or Filling, and the gauge has not moved since
	PausedForRestart                     // PauseForRestart, not by a run of ours
	AlertsFiring                         // Count of them, Cause names them
	AlertsUnread                         // the monitoring cannot be asked; Cause says why
	ReconcilesStuck                      // Count of them
	ReconcilesLong                       // Count of reconciles over 120 s
	ComputesUnlisted                     // which computes there are cannot be found out, or not of all; Cause says why
	ComputeFailed                        // Compute is failed; Cause is its error
	ComputeUnreachable                   // Compute does not answer; Cause says why
	OperationForeign                     // Draining, Filling or Deleting, not by a run of ours
	NodePaused                           // Pause: somebody took it out of scheduling
)

// Attention is one thing that needs a person, or may.
type Attention struct {
	Reason  Reason
	Node    client.NodeID     // 0 = not about one node
	Compute string            // name
	Policy  client.NodePolicy // of Node, for the reasons about policies
	State   client.Availability
	Cause   string    // the words of the error
	Count   int64     // what Reason counts
	Since   time.Time // zero = it was so when the console first looked
}

const (
	// warmingLong: heartbeats come every 5 s, the controller tolerates 300 s.
	warmingLong = time.Minute
	// SilentLong is how long a compute or a controller may not answer: one question without
	// an answer is no trouble yet.
	SilentLong = 5 * time.Second
	// StalledAfter is how long a drain or fill may move nothing: three refreshes of
	// the gauge and the drain's own limit of 90 s.
	StalledAfter = 90 * time.Second
)

// Attend lists what needs a person, most urgent first, then the oldest, then by node
// and name. ours are the nodes that a live run of ours is working on.
func Attend(s *Snapshot, now time.Time, ours map[client.NodeID]bool) []Attention {
	var list []Attention
	if err := s.Nodes.Err; err != nil {
		list = append(list, Attention{Reason: ControllerSilent, Cause: err.Error(), Since: s.Nodes.Since})
	}
	for _, n := range s.Nodes.Value {
		if a, ok := attendAvailability(n, now); ok {
			list = append(list, a)
		}
		if a, ok := attendPolicy(n, now, ours[n.ID]); ok {
			list = append(list, a)
		}
	}
	if m := s.Metrics.Value; s.Metrics.Known() {
		if m.StuckReconciles > 0 {
			list = append(list, Attention{Reason: ReconcilesStuck, Count: m.StuckReconciles})
		}
		if n := len(m.LongRunning); n > 0 {
			list = append(list, Attention{Reason: ReconcilesLong, Count: int64(n)})
		}
	}
	if a, ok := attendAlerts(s.Alerts); ok {
		list = append(list, a)
	}
	if d := s.Discovery; d != nil && d.Err != nil {
		list = append(list, Attention{Reason: ComputesUnlisted, Cause: d.Err.Error(), Since: d.Since})
	}
	for _, c := range s.Computes {
		if a, ok := attendCompute(c, now); ok {
			list = append(list, a)
		}
	}
	slices.SortStableFunc(list, func(a, b Attention) int {
		return cmp.Or(cmp.Compare(a.Reason, b.Reason), a.Since.Compare(b.Since),
			cmp.Compare(a.Node, b.Node), cmp.Compare(a.Compute, b.Compute))
	})
	return list
}

func attendAlerts(alerts *Part[[]string]) (Attention, bool) {
	switch {
	case alerts == nil:
		return Attention{}, false
	case alerts.Err != nil:
		return Attention{Reason: AlertsUnread, Cause: alerts.Err.Error(), Since: alerts.Since}, true
	case len(alerts.Value) > 0:
		return Attention{Reason: AlertsFiring, Count: int64(len(alerts.Value)), Cause: strings.Join(alerts.Value, ", ")}, true
	}
	return Attention{}, false
}

func attendAvailability(n Node, now time.Time) (Attention, bool) {
	a := Attention{Node: n.ID, State: n.Availability, Since: n.AvailabilitySince}
	switch {
	case n.Availability != client.AvailabilityActive && n.Availability != client.AvailabilityWarmingUp:
		a.Reason = NodeOffline
	case n.Flapping():
		a.Reason, a.Count = NodeFlapping, int64(n.Flaps)
	case n.Availability == client.AvailabilityActive:
		return Attention{}, false
	case olderThan(n.AvailabilitySince, now, warmingLong):
		a.Reason = WarmingUpLong
	default:
		return Attention{}, false
	}
	return a, true
}

func attendPolicy(n Node, now time.Time, ours bool) (Attention, bool) {
	a := Attention{Node: n.ID, Policy: n.Scheduling, Since: n.PolicySince}
	if !ours && !n.RestartedDraining.IsZero() && (n.Scheduling == client.PolicyDraining || n.Scheduling == client.PolicyPauseForRestart) {
		a.Reason, a.Since = RestartedInDrain, n.RestartedDraining
		return a, true
	}
	switch n.Scheduling {
	case client.PolicyActive:
		return Attention{}, false
	case client.PolicyDraining, client.PolicyFilling:
		stalled := !n.AttachedSince.IsZero() && olderThan(n.AttachedSince, now, StalledAfter) &&
			olderThan(n.PolicySince, now, StalledAfter)
		switch {
		case stalled:
			a.Reason = OperationStalled
			a.Since = later(n.AttachedSince, n.PolicySince)
		case !ours:
			a.Reason = OperationForeign
		}
	case client.PolicyPauseForRestart:
		if !ours {
			a.Reason = PausedForRestart
		}
	case client.PolicyPause:
		a.Reason = NodePaused
	default: // Deleting, and policies that this program does not know
		a.Reason = OperationForeign
	}
	return a, a.Reason != 0
}

func attendCompute(c Compute, now time.Time) (Attention, bool) {
	a := Attention{Compute: c.Name, Since: c.Since}
	switch {
	case c.Status.Err != nil && olderThan(c.Status.Since, now, SilentLong):
		a.Reason, a.Cause, a.Since = ComputeUnreachable, c.Status.Err.Error(), c.Status.Since
	case c.Status.Value.State == compute.StateFailed:
		a.Reason = ComputeFailed
		if c.Status.Value.Error != nil {
			a.Cause = *c.Status.Value.Error
		}
	default:
		return Attention{}, false
	}
	return a, true
}

// olderThan also holds for what was so when the console first looked.
func olderThan(since, now time.Time, limit time.Duration) bool {
	return since.IsZero() || now.Sub(since) > limit
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
