package view

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/themes"
	"github.com/StorconTUI/storcon-tui/ui/component"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

// ComputeScreen shows one compute: what it says, what its start took, where its shards are,
// and what this console saw it go through. It is asked often while the screen is
// open.
type ComputeScreen struct {
	name   string
	scroll component.Scroll
}

var _ Screen = (*ComputeScreen)(nil)

// NewCompute makes the screen of one compute.
func NewCompute(name string) *ComputeScreen { return &ComputeScreen{name: name} }

// ID is "compute".
func (v *ComputeScreen) ID() string { return ScreenCompute }

// WatchesCompute is the compute that is looked at.
func (v *ComputeScreen) WatchesCompute() string { return v.name }

// Key scrolls, and asks for a new spec.
func (v *ComputeScreen) Key(key string, c *Context) Intent {
	switch b, _ := commandFor(ScreenCompute, key); b.Command {
	case CmdRespec:
		return Respec{Computes: []string{v.name}}
	case CmdRun:
		return openScreen(CmdRun, c)
	}
	return scrollKey(ScreenCompute, key, &v.scroll, c)
}

// Hints are the keys that work here.
func (v *ComputeScreen) Hints(c *Context) []Hint {
	return hintsFor(ScreenCompute, newSelection(c), c)
}

// Lines draws the compute.
func (v *ComputeScreen) Lines(c *Context, w, h int) []string {
	p := newSheet(c, w)
	one, ok := v.find(c)
	title := component.NewLine(w).Gap(1).Put(c.Styles.Title, "COMPUTE").Gap(2)
	if !ok {
		p.add(title.Put(c.Styles.Bad, v.name+" is not configured"))
		return component.Box(p.lines, w, h)
	}
	p.add(title.Put(c.Styles.Strong, one.Name).Gap(2).Put(c.Styles.Dim, one.URL))
	body := newSheet(c, w)
	computeFacts(body, c, &one)
	computeStartup(body, &one)
	computeHistory(body, c, &one)
	computeShards(body, c, &one)
	p.window(&v.scroll, body.lines, h-len(p.lines))
	return component.Box(p.lines, w, h)
}

func (v *ComputeScreen) find(c *Context) (cluster.Compute, bool) {
	if c.Snapshot == nil {
		return cluster.Compute{}, false
	}
	return c.Snapshot.Compute(v.name)
}

// computeFacts are what it says of itself, the trouble in full.
func computeFacts(p *sheet, c *Context, one *cluster.Compute) {
	fact := func(label, text string, style themes.Style) {
		p.fact(prose.Fact{Label: label, Lines: []string{text}}, style)
	}
	r := newComputeRow(c.Snapshot, *one)
	text, style := computeStanding(c, one, &r)
	fact("status", text, style)
	if r.why != "" {
		fact("reason", r.why, p.s.Warn)
	}
	if r.fault != "" {
		fact("error", r.fault, p.s.Bad)
	}
	if !one.Status.Known() {
		fact("spec", specPlace(one), p.s.Text)
		return
	}
	tenant := "none: it has no spec yet"
	if r.tenant != "" {
		tenant = r.tenant
		if r.nodes != "" {
			tenant += "  on " + nodesWord(r.nodes)
		}
	}
	fact("tenant", tenant, p.s.Text)
	if r.pending {
		fact("", pendingText, p.s.Warn)
	}
	if r.timeline != "" {
		fact("timeline", r.timeline, p.s.Text)
	}
	fact("started", moment(c, r.started, "not told")+" · last active "+moment(c, r.active, "never"), p.s.Text)
	fact("spec", specPlace(one), p.s.Text)
	if changes := c.Stale[one.Name]; len(changes) > 0 {
		fact("", "it names other pageservers than the controller; e, then r re-points the compute:", p.s.Warn)
		for _, change := range changes {
			fact("", "  "+prose.SpecChange(change), p.s.Text)
		}
	}
}

// pendingText says what a pending notification means for the compute.
const pendingText = "a compute notification is pending: a shard moved, and the control plane has not been told"

// computeStanding is the status in words, and since when.
func computeStanding(c *Context, one *cluster.Compute, r *computeRow) (string, themes.Style) {
	state := string(r.state)
	switch {
	case r.why == "" && r.state == "":
		return "not asked yet", c.Styles.Dim
	case r.why == "":
		return state + stoodSince(c, one.Since), r.style(c.Styles)
	case r.state == "":
		return "no answer" + stoodSince(c, one.Status.Since), c.Styles.Warn
	}
	return "no answer" + stoodSince(c, one.Status.Since) + " · the last was " + state, c.Styles.Warn
}

// nodesWord names nodes: "node 1", "nodes 1, 3".
func nodesWord(nodes string) string {
	if strings.Contains(nodes, ",") {
		return "nodes " + nodes
	}
	return "node " + nodes
}

// moment is a time of day and how long ago it was; otherwise is for none.
func moment(c *Context, at time.Time, otherwise string) string {
	if at.IsZero() {
		return otherwise
	}
	layout := "15:04:05"
	if c.Now.Sub(at) > 12*time.Hour {
		layout = "2006-01-02 15:04"
	}
	return at.In(location(c)).Format(layout) + ", " + Age(c.Now.Sub(at)) + " ago"
}

func specPlace(one *cluster.Compute) string {
	if one.Spec == "" {
		return "none is known: its configuration names no place"
	}
	return one.Spec
}

// computeStartup draws the waterfall, or says why there is none.
func computeStartup(p *sheet, one *cluster.Compute) {
	s, state := one.Startup, one.Status.Value.State
	title := component.NewLine(p.w).Gap(1).Put(p.s.Title, "START-UP").Gap(2)
	switch {
	case s.Known() && s.Value.Total > 0:
		p.add(title.Put(p.s.Text, millis(s.Value.Total)+" from the spec to running"))
	case s.Known() && state == compute.StateFailed && noFigures(s.Value):
		p.add(title.Put(p.s.Bad, "failed").Put(p.s.Text, ", and no part of it has a figure"))
		return
	case s.Known() && state == compute.StateFailed:
		p.add(title.Put(p.s.Bad, "failed"))
	case s.Known():
		p.add(title.Put(p.s.Text, "not over when it was last asked"))
	default:
		p.add(title.Put(p.s.Dim, noStartup(one)))
		return
	}
	if why := partTrouble(s); why != "" {
		p.text(p.s.Warn, "the newest figures could not be read: "+why)
	}
	waterfall(p, s.Value, state)
}

// noStartup says why no figures of the start are there.
func noStartup(one *cluster.Compute) string {
	switch why := partTrouble(one.Startup); {
	case why != "":
		return "the figures cannot be read: " + why
	case one.Status.Err != nil:
		return "not known: it does not answer"
	case one.Status.Value.State == compute.StateEmpty:
		return "it waits for its first spec"
	case terminating(one.Status.Value.State):
		return "not asked for: it stops"
	}
	return "reading …"
}

// computeHistory lists the statuses that this console saw, oldest first.
func computeHistory(p *sheet, c *Context, one *cluster.Compute) {
	p.add(component.NewLine(p.w).Gap(1).Put(p.s.Title, "HISTORY").Gap(2).Put(p.s.Dim, "as far as this console saw it"))
	seen := make([]string, 0, len(one.Seen))
	for _, s := range one.Seen {
		word := string(s.State)
		if word == "" {
			word = noAnswer
		}
		seen = append(seen, s.At.In(location(c)).Format("15:04:05")+" "+word)
	}
	if len(seen) == 0 {
		seen = []string{"nothing yet"}
	}
	for _, line := range flow(seen, p.w-phaseName-1) {
		p.add(component.NewLine(p.w).Gap(phaseName).Put(p.s.Text, line))
	}
}

// flow sets items into lines of at most w cells, no item broken unless it is longer
// than a line.
func flow(items []string, w int) []string {
	const between = "   "
	lines := []string{items[0]}
	for _, item := range items[1:] {
		last := &lines[len(lines)-1]
		if component.Width(*last)+len(between)+component.Width(item) > w {
			lines = append(lines, item)
			continue
		}
		*last += between + item
	}
	return lines
}

// computeShards lists the tenant's shards and the nodes that hold them.
func computeShards(p *sheet, c *Context, one *cluster.Compute) {
	title := component.NewLine(p.w).Gap(1).Put(p.s.Title, "SHARDS").Gap(2)
	id := one.Tenant()
	placed := c.Snapshot.Tenants[id]
	switch why := partTrouble(placed); {
	case id == "":
		p.add(title.Put(p.s.Dim, "none: it names no tenant"))
		return
	case !placed.Known() && why != "":
		p.add(title)
		p.text(p.s.Warn, "where they are is not known: "+why)
		return
	case !placed.Known():
		p.add(title.Put(p.s.Dim, "asking the controller …"))
		return
	case why != "":
		p.add(title.Put(p.s.Text, fmt.Sprintf("%d, as they were %s ago", len(placed.Value), Age(placed.Age(c.Now)))))
		p.text(p.s.Warn, "newer is not known: "+why)
	default:
		p.add(title.Put(p.s.Text, fmt.Sprintf("%d, where the controller intends them", len(placed.Value))))
	}
	for _, shard := range placed.Value {
		p.fact(prose.Fact{Label: "", Lines: []string{shardText(c, shard)}}, shardStyle(p.s, shard))
	}
}

// shardText is one shard: where it is, its secondaries and what is the matter.
func shardText(c *Context, shard client.TenantShard) string {
	var parts []string
	if shard.NodeAttached == nil {
		parts = append(parts, "attached nowhere")
	} else {
		parts = append(parts, nodeText(c, *shard.NodeAttached))
	}
	if len(shard.NodeSecondary) > 0 {
		parts = append(parts, "secondary "+nodeList(shard.NodeSecondary))
	}
	if shard.SchedulingPolicy != client.ShardActive && shard.SchedulingPolicy != "" {
		parts = append(parts, "policy "+string(shard.SchedulingPolicy))
	}
	if shard.IsSplitting {
		parts = append(parts, "splitting")
	}
	if shard.IsReconciling {
		parts = append(parts, "reconciling")
	}
	if shard.IsPendingComputeNotification {
		parts = append(parts, "notification pending")
	}
	return prose.ShortShard(string(shard.ID)) + "  " + strings.Join(parts, " · ")
}

func shardStyle(s *themes.Styles, shard client.TenantShard) themes.Style {
	if shard.NodeAttached == nil || shard.IsPendingComputeNotification {
		return s.Warn
	}
	return s.Text
}

// nodeText names a node, and what is not Active about it.
func nodeText(c *Context, id client.NodeID) string {
	text := "node " + id.String()
	n, ok := c.Snapshot.Node(id)
	if !ok {
		return text
	}
	if sharedHosts(c.Snapshot.Nodes.Value) {
		text += " " + n.Address()
	} else {
		text += " " + n.ListenHTTPAddr
	}
	if n.Availability != client.AvailabilityActive {
		text += " " + string(n.Availability)
	}
	if n.Scheduling != client.PolicyActive {
		text += " " + string(n.Scheduling)
	}
	return text
}

// nodeList writes ids in ascending order: "1, 3".
func nodeList(ids []client.NodeID) string {
	sorted := slices.Sorted(slices.Values(ids))
	words := make([]string, len(sorted))
	for i, id := range sorted {
		words[i] = id.String()
	}
	return strings.Join(words, ", ")
}
