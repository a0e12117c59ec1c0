package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// leftOver is a node whose policy is not Active: somebody works on it, or has left it
// so after all went well (P18).
type leftOver struct {
	Node   client.NodeID `json:"node"`
	Policy string        `json:"policy"`
	Means  string        `json:"means"`
	Run    *leftByRun    `json:"run"`    // of this host; null = none of its runs did it
	Repair *string       `json:"repair"` // the command that puts it right; null = there is none, or it is being worked on
}

// leftByRun is the run of this host that moved a node off Active.
type leftByRun struct {
	Run   string     `json:"run"`
	Verb  string     `json:"verb"`
	By    string     `json:"by"`
	Ended *time.Time `json:"ended_at"` // null = it is not finished
	Live  bool       `json:"live"`     // it is driven just now
}

// sweep lists what is left over. It puts nothing right: that is a person's to decide,
// above all of a Pause, which no run of ours sets.
func sweep(nodes []cluster.Node, runs []journal.RunInfo, driver *driverReport) []leftOver {
	found := []leftOver{}
	for _, n := range nodes {
		means := leftOverMeans(n.Scheduling)
		if means == "" {
			continue
		}
		l := leftOver{Node: n.ID, Policy: string(n.Scheduling), Means: means, Run: leftBy(n, runs, driver)}
		if command := repair(n, l.Run); command != "" {
			l.Repair = &command
		}
		found = append(found, l)
	}
	return found
}

// leftOverMeans says what a policy other than Active means for a node.
func leftOverMeans(p client.NodePolicy) string {
	switch p {
	case client.PolicyActive:
		return ""
	case client.PolicyDraining:
		return "a drain moves its shards away, or one ended without finishing"
	case client.PolicyFilling:
		return "a fill brings shards to it, or one ended without finishing"
	case client.PolicyPauseForRestart:
		return "it was drained and takes no shards until it is restarted or set Active"
	case client.PolicyPause:
		return "somebody paused it; it takes no shards until it is set Active"
	case client.PolicyDeleting:
		return "it is being removed from the cluster"
	}
	return "this program does not know the policy"
}

// setByRuns are the policies that a run of ours may leave.
var setByRuns = []client.NodePolicy{client.PolicyDraining, client.PolicyFilling, client.PolicyPauseForRestart}

// leftBy is the newest run of this host that names the node, if it can have left it as
// it is: one that ended well has put its nodes right, a drain alone excepted.
func leftBy(n cluster.Node, runs []journal.RunInfo, driver *driverReport) *leftByRun {
	if !slices.Contains(setByRuns, n.Scheduling) {
		return nil
	}
	i := slices.IndexFunc(runs, func(r journal.RunInfo) bool { return slices.Contains(r.Nodes, n.ID) })
	if i < 0 {
		return nil
	}
	run := runs[i] // the newest comes first
	well := run.Outcome == journal.Done || run.Outcome == journal.DoneWithIssues
	if run.Closed && (well && run.Verb != string(rollout.GoalDrain) || run.Outcome == journal.PreflightFailed) {
		return nil
	}
	by := &leftByRun{Run: run.ID, Verb: run.Verb, By: person(run.By), Live: driver != nil && driver.Run == run.ID}
	if run.Closed {
		by.Ended = &run.ClosedAt
	}
	return by
}

// repair is the command that offers to put the node right; it asks before it sends.
func repair(n cluster.Node, run *leftByRun) string {
	verb := ""
	switch n.Scheduling {
	case client.PolicyDraining, client.PolicyFilling:
		verb = "cancel" // of an operation that does not run any more it says so, and offers Active
	case client.PolicyPauseForRestart, client.PolicyPause:
		verb = "activate"
	}
	switch {
	case verb == "" || run != nil && run.Live:
		return ""
	case run != nil && run.Ended == nil:
		return "storcon-tui rollout --resume " + run.Run // no other run may begin before
	}
	return fmt.Sprintf("storcon-tui %s %s", verb, n.ID)
}

// words are the line of status about a node that is left over.
func (l leftOver) words() string {
	text := fmt.Sprintf("node %s is %s: %s", l.Node, l.Policy, l.Means)
	if r := l.Run; r != nil {
		how := "is not finished"
		switch {
		case r.Live:
			how = "is driven just now"
		case r.Ended != nil:
			how = "ended " + r.Ended.Local().Format(time.DateTime)
		}
		text += fmt.Sprintf("; run %s (%s by %s) %s", r.Run, orDash(r.Verb), orDash(r.By), how)
	}
	if l.Repair != nil {
		text += "; put right by: " + *l.Repair
	}
	return text
}
