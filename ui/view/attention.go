package view

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

// Problem is one thing that needs a person, in words.
type Problem struct {
	Node client.NodeID // 0 = not about a node
	Text string
}

// tokenSoon is how long before its end a token becomes a problem.
const tokenSoon = 10 * time.Minute

// Problems lists what needs attention, the most urgent first: what the cluster
// shows, and in front of it what keeps this console from seeing or acting.
func Problems(c *Context) []Problem {
	var list []Problem
	if text := StaleText(c); text != "" {
		list = append(list, Problem{Text: text})
	}
	switch {
	case c.Elsewhere.Driver != "" && c.Elsewhere.Run == "":
		list = append(list, Problem{Text: "another console is about to drive (L)"})
	case c.Elsewhere.Driver != "":
		list = append(list, Problem{Text: "run " + shortRun(c.Elsewhere.Run) + " is driven by another console (L)"})
	case c.Unfinished.ID != "":
		list = append(list, Problem{Text: "run " + shortRun(c.Unfinished.ID) + " was left unfinished (L)"})
	}
	s := c.Snapshot
	if s == nil {
		return list
	}
	if text := tokenProblem(c); text != "" {
		list = append(list, Problem{Text: text})
	}
	for _, a := range cluster.Attend(s, c.Now, liveNodes(c.Run)) {
		if a.Reason == cluster.ControllerSilent && (s.Stale(c.Now) || !s.Nodes.Known()) {
			continue // said above, or in place of the table
		}
		list = append(list, Problem{Node: a.Node, Text: attentionWords(a, c.Now)})
	}
	if why := partTrouble(s.Metrics); why != "" && s.Nodes.Err == nil && s.Nodes.Known() {
		list = append(list, Problem{Text: "shard counts are off: " + why})
	}
	return list
}

// StaleText says that the picture is too old to act upon and why, "" when it
// is not.
func StaleText(c *Context) string {
	s := c.Snapshot
	if s == nil || !s.Nodes.Known() || !s.Stale(c.Now) {
		return ""
	}
	return fmt.Sprintf("STALE %s — %s, retrying", Age(s.Nodes.Age(c.Now)), cmp.Or(silence(s.Nodes.Err), "controller not answering"))
}

// silence words why the node list is not read, "" for no error.
func silence(err error) string {
	switch client.KindOf(err) {
	case client.Unauthorized, client.BadAnswer, client.Refused:
		return err.Error()
	}
	if err == nil {
		return ""
	}
	return "controller not answering (" + rootCause(err) + ")"
}

// rootCause is the innermost cause of a failed request: what the server said,
// else what the network did.
func rootCause(err error) string {
	var failed *client.Error
	if errors.As(err, &failed) && failed.Status != 0 {
		return strings.TrimSpace(fmt.Sprintf("%d %s", failed.Status, failed.Msg))
	}
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			break
		}
		err = inner
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "no answer in time"
	}
	return err.Error()
}

func tokenProblem(c *Context) string {
	expires := c.Snapshot.Token.Expires
	left := expires.Sub(c.Now)
	switch {
	case expires.IsZero() || left > tokenSoon:
		return ""
	case left > 0:
		return "the token expires in " + Age(left)
	}
	return "the token expired " + Age(-left) + " ago"
}

// liveNodes are those that a live run of ours has begun and not ended.
func liveNodes(r *rollout.Status) map[client.NodeID]bool {
	if r == nil || r.State == rollout.RunEnded {
		return nil
	}
	nodes := map[client.NodeID]bool{}
	for _, s := range r.Steps {
		if s.State == rollout.StepRunning {
			nodes[s.Plan.Node] = true
		}
	}
	return nodes
}

// attentionWords words one thing that needs a person.
func attentionWords(a cluster.Attention, now time.Time) string {
	node := "node " + a.Node.String() + " "
	switch a.Reason {
	case cluster.ControllerSilent:
		return "controller not answering" + sinceText(" for ", a.Since, now) + " (" + a.Cause + ")"
	case cluster.NodeOffline:
		return node + string(a.State) + sinceText(" ", a.Since, now)
	case cluster.NodeFlapping:
		return node + fmt.Sprintf("flapping: availability changed %d times in 5 min", a.Count)
	case cluster.WarmingUpLong:
		return node + "WarmingUp" + sinceText(" for ", a.Since, now)
	case cluster.RestartedInDrain:
		return node + "restarted while it was drained" + sinceText(" ", a.Since, now) + ", not by us; it is " + string(a.Policy) + " and may stay so"
	case cluster.OperationStalled:
		return node + string(a.Policy) + ", nothing has moved" + sinceText(" for ", a.Since, now)
	case cluster.PausedForRestart:
		return node + "PauseForRestart" + sinceText(" for ", a.Since, now) + ", nothing of ours is running on it"
	case cluster.OperationForeign:
		return node + string(a.Policy) + sinceText(" for ", a.Since, now) + ", not ours"
	case cluster.NodePaused:
		return node + "Pause" + sinceText(" for ", a.Since, now)
	}
	return widerWords(a, now)
}

// widerWords are those of reasons that are not about a node.
func widerWords(a cluster.Attention, now time.Time) string {
	switch a.Reason {
	case cluster.AlertsFiring:
		return prose.Things(a.Count, "alert") + " firing" + because(a.Cause)
	case cluster.AlertsUnread:
		return "alerts cannot be read" + sinceText(" for ", a.Since, now) + because(a.Cause)
	case cluster.ReconcilesStuck:
		return prose.Things(a.Count, "reconcile") + " stuck"
	case cluster.ReconcilesLong:
		return prose.Things(a.Count, "reconcile") + " for over 2 min"
	case cluster.ComputesUnlisted:
		return "not all computes can be listed" + sinceText(" for ", a.Since, now) + because(a.Cause)
	case cluster.ComputeFailed:
		return "compute " + a.Compute + " failed" + sinceText(" ", a.Since, now) + because(a.Cause)
	case cluster.ComputeUnreachable:
		return "compute " + a.Compute + " does not answer" + sinceText(" for ", a.Since, now) + because(a.Cause)
	}
	return "needs attention"
}

func because(cause string) string {
	if cause == "" {
		return ""
	}
	return " (" + cause + ")"
}

// sinceText words an age behind a separator, "" when its beginning is unknown.
func sinceText(before string, since, now time.Time) string {
	if since.IsZero() {
		return ""
	}
	return before + Age(now.Sub(since))
}
