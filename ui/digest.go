package ui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/ui/prose"
	"github.com/StorconTUI/storcon-tui/ui/view"
)

// digest is what the header says of the whole cluster. It costs a walk over
// the nodes and is kept until the snapshot, the run or the second changes.
type digest struct {
	seq, run uint64
	second   int64

	op       string
	summary  []string // most needed first
	problems []view.Problem
}

func (m *model) digested(c *view.Context) *digest {
	d := &m.digest
	if s, r, t := seq(c.Snapshot), runSeq(c.Run), c.Now.Unix(); d.second != t || d.seq != s || d.run != r {
		*d = digest{seq: s, run: r, second: t, op: operationText(c), summary: summary(c.Snapshot), problems: view.Problems(c)}
	}
	return d
}

// operationText is what the controller's one slot holds, as far as it shows.
func operationText(c *view.Context) string {
	if c.Snapshot == nil {
		return "op: unknown"
	}
	op := c.Snapshot.Operation(c.Now)
	switch {
	case !op.Known:
		return "op: unknown"
	case len(op.Seen) == 0:
		return "op: none seen"
	case len(op.Seen) > 3:
		return fmt.Sprintf("op: %d nodes", len(op.Seen))
	}
	var words []string
	for _, o := range op.Seen {
		words = append(words, o.String())
	}
	return "op: " + strings.Join(words, ", ")
}

// summary counts the cluster, most needed first.
func summary(s *cluster.Snapshot) []string {
	if s == nil || !s.Nodes.Known() {
		return nil
	}
	parts := []string{nodesText(s.Nodes.Value), attachedText(s.Nodes.Value)}
	if m := s.Metrics; m.Known() {
		parts = append(parts, prose.Count(m.Value.PendingReconciles)+" reconciling")
	}
	if len(s.Computes) > 0 {
		parts = append(parts, computesText(s.Computes))
	}
	if m := s.Metrics; m.Known() {
		parts = append(parts, "AZ violations "+prose.Count(m.Value.AZViolations))
	}
	return parts
}

// nodesText counts the nodes and the states that are not Active.
func nodesText(nodes []cluster.Node) string {
	counts := map[string]int64{}
	for _, n := range nodes {
		if n.Availability != client.AvailabilityActive {
			counts[string(n.Availability)]++
		}
		if n.Scheduling != client.PolicyActive {
			counts[string(n.Scheduling)]++
		}
	}
	text := prose.Things(int64(len(nodes)), "node")
	if len(counts) == 0 {
		return text + ", all Active"
	}
	return text + ": " + countText(counts)
}

func attachedText(nodes []cluster.Node) string {
	var sum, known int64
	for _, n := range nodes {
		if n.Attached >= 0 {
			sum += n.Attached
			known++
		}
	}
	switch {
	case known == 0:
		return prose.Unknown + " shards attached"
	case known < int64(len(nodes)):
		return fmt.Sprintf("%s attached, %d of %d nodes known", prose.Things(sum, "shard"), known, len(nodes))
	}
	return prose.Things(sum, "shard") + " attached"
}

func computesText(computes []cluster.Compute) string {
	counts := map[string]int64{}
	for _, k := range computes {
		switch {
		case k.Status.Err != nil:
			counts["not answering"]++
		case !k.Status.Known():
			counts["unknown"]++
		case k.Status.Value.State == "":
			counts["without a status"]++
		default:
			counts[string(k.Status.Value.State)]++
		}
	}
	if n := counts[string(compute.StateRunning)]; n == int64(len(computes)) {
		return fmt.Sprintf("computes %d, all running", n)
	}
	return fmt.Sprintf("computes %d: %s", len(computes), countText(counts))
}

// countText lists counts, in alphabetical order of what they count.
func countText(counts map[string]int64) string {
	words := make([]string, 0, len(counts))
	for word := range counts {
		words = append(words, word)
	}
	slices.Sort(words)
	for i, word := range words {
		words[i] = prose.Count(counts[word]) + " " + word
	}
	return strings.Join(words, ", ")
}
