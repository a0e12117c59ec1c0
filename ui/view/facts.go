package view

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/themes"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

// unknownFigure stands for a number that nobody has told us.
const unknownFigure = prose.Unknown

// ageUnits cuts an age to the one unit in which it is shown: seconds up to 100,
// minutes up to 100, hours up to two days, then days. The number is what a
// picture of the age depends on.
func ageUnits(d time.Duration) (n int64, unit string) {
	switch {
	case d < 0:
		return 0, "s"
	case d < 100*time.Second:
		return int64(d / time.Second), "s"
	case d < 100*time.Minute:
		return int64(d / time.Minute), "min"
	case d < 48*time.Hour:
		return int64(d / time.Hour), "h"
	}
	return int64(d / (24 * time.Hour)), "d"
}

// Age words an age in one unit: "41 s", "14 min", "3 h", "12 d".
func Age(d time.Duration) string {
	n, unit := ageUnits(d)
	return fmt.Sprintf("%d %s", n, unit)
}

// availabilityStyle colours an availability. An unknown word is no good sign.
func availabilityStyle(s *themes.Styles, a client.Availability) themes.Style {
	switch a {
	case client.AvailabilityActive:
		return s.Good
	case client.AvailabilityWarmingUp:
		return s.Busy
	case client.AvailabilityOffline:
		return s.Bad
	}
	return s.Warn
}

func policyStyle(s *themes.Styles, p client.NodePolicy) themes.Style {
	switch p {
	case client.PolicyActive:
		return s.Text
	case client.PolicyDraining, client.PolicyFilling:
		return s.Busy
	}
	return s.Warn
}

// changeText words a change: what became of whom, and a remark on it.
func changeText(c *Context, e cluster.Change) (who, what, remark string) {
	who = "controller"
	if e.Node != 0 {
		who = "node " + e.Node.String()
	}
	arrow := e.From + " → " + e.To
	switch e.What {
	case cluster.AvailabilityChanged:
		what = arrow
	case cluster.PolicyChanged:
		what, remark = arrow, policyRemark(c, e)
	case cluster.Restarted:
		what, remark = "restarted", spanRemark("down ", e.Down)
		if e.From != e.To {
			what += ": " + arrow
		}
	case cluster.NodeAppeared:
		what = "registered"
	case cluster.NodeVanished:
		what = "is no longer registered"
	case cluster.AddressChanged:
		what = "address " + arrow
	case cluster.LeaderChanged:
		what = "new leader: " + arrow
	case cluster.ControllerLost:
		what, remark = "does not answer", e.To
	case cluster.ControllerBack:
		what, remark = "answers again", spanRemark("away ", e.Down)
	case cluster.ComputeStatusChanged, cluster.ComputeAppeared, cluster.ComputeVanished:
		who = "compute " + e.Name
		what, remark = computeChangeText(e)
	case cluster.ForeignCalls:
		what, remark = "was called by somebody else", e.To
	}
	return who, what, remark
}

func computeChangeText(e cluster.Change) (what, remark string) {
	switch e.What {
	case cluster.ComputeAppeared:
		return "is listed now", e.To
	case cluster.ComputeVanished:
		return "is no longer listed", "what it does is not known"
	}
	return e.From + " → " + e.To, ""
}

// spanRemark words how long something was away, "" when that is not known.
func spanRemark(word string, d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return word + prose.Span(d)
}

// policyRemark says whose doing a change of policy is, as far as that is known,
// and what a finished drain left behind.
func policyRemark(c *Context, e cluster.Change) string {
	var parts []string
	if run := runOf(c, e); run != "" {
		parts = append(parts, "ours, run "+shortRun(run))
	} else if to := client.NodePolicy(e.To); to != client.PolicyActive {
		parts = append(parts, "not ours")
	}
	if client.NodePolicy(e.From) == client.PolicyDraining && e.Attached >= 0 {
		parts = append(parts, prose.Count(e.Attached)+" attached (gauge)")
	}
	return strings.Join(parts, " · ")
}

// runOf is the run of ours that was working on the node at the time.
func runOf(c *Context, e cluster.Change) string {
	if workedOn(c.Run, e) {
		return c.Run.Run
	}
	for _, r := range c.Earlier {
		if workedOn(r, e) {
			return r.Run
		}
	}
	return ""
}

func workedOn(r *rollout.Status, e cluster.Change) bool {
	if r == nil || e.At.Before(r.Started) || (!r.Ended.IsZero() && e.At.After(r.Ended.Add(cluster.StaleAfter))) {
		return false
	}
	return slices.ContainsFunc(r.Steps, func(s rollout.StepStatus) bool { return s.Plan.Node == e.Node })
}

// shortRun abbreviates a run's ulid: "01J8…K2".
func shortRun(id string) string {
	if len(id) <= 8 {
		return id
	}
	return id[:4] + "…" + id[len(id)-2:]
}

// partTrouble words why a part is not read, "" when it is.
func partTrouble[T any](p cluster.Part[T]) string {
	if p.Off != "" {
		return p.Off
	}
	if p.Err != nil {
		return p.Err.Error()
	}
	return ""
}

// location is the zone of wall-clock times.
func location(c *Context) *time.Location {
	if c.Location == nil {
		return time.UTC
	}
	return c.Location
}
