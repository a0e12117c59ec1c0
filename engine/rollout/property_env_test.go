package rollout_test

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/gate"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// progress lets the operation that runs end, well or not.
func (h *history) progress() {
	if h.slot == nil {
		return
	}
	n := h.node(h.slot.Node)
	fell := rapid.IntRange(0, 4).Draw(h.t, "fell back") == 0
	switch {
	case h.slot.Kind == client.OperationFill || fell:
		n.Scheduling = client.PolicyActive
	default: // the tail writes it whatever became of the node (C8)
		n.Scheduling = client.PolicyPauseForRestart
		h.left[n.ID] = rapid.IntRange(0, 2).Draw(h.t, "stayed")
	}
	h.slot = nil
}

func (h *history) trouble() {
	id := client.NodeID(rapid.IntRange(1, 2).Draw(h.t, "node"))
	n := h.node(id)
	switch rapid.IntRange(0, 7).Draw(h.t, "trouble") {
	case 0:
		h.restart(id)
	case 1:
		id = client.NodeID(rapid.IntRange(1, 4).Draw(h.t, "other"))
		n = h.node(id)
		n.Availability = rapid.SampledFrom([]client.Availability{client.AvailabilityActive, client.AvailabilityOffline, client.AvailabilityWarmingUp}).Draw(h.t, "avail")
	case 2:
		h.epoch, h.slot = h.now, nil // killed: labels stay, the slot is lost
	case 3:
		if h.slot == nil {
			h.moved[id] = false
			n.Scheduling = rapid.SampledFrom([]client.NodePolicy{client.PolicyActive, client.PolicyPause, client.PolicyDraining, client.PolicyPauseForRestart}).Draw(h.t, "policy")
		}
	case 4:
		if h.slot == nil {
			h.slot = &client.Operation{Kind: client.OperationFill, Node: 3}
			h.node(3).Scheduling = client.PolicyFilling
		}
	case 5:
		h.silent = true
	case 6:
		h.now = h.now.Add(3 * time.Minute)
	case 7:
		h.left[id] += 2
	}
}

// restart: another process, a re-attach; the slot is not touched.
func (h *history) restart(id client.NodeID) {
	n := h.node(id)
	n.Process.Value.LaunchMillis++
	n.Availability = rapid.SampledFrom([]client.Availability{client.AvailabilityActive, client.AvailabilityWarmingUp}).Draw(h.t, "back")
	switch n.Scheduling {
	case client.PolicyDraining, client.PolicyPauseForRestart, client.PolicyFilling:
		n.Scheduling = client.PolicyActive
	}
}

func (h *history) rare() {
	switch rapid.IntRange(0, 11).Draw(h.t, "rare") {
	case 0:
		h.apply(rollout.Interrupted{At: h.now, Kind: rollout.Detach, Why: "test"})
	case 1:
		h.broken = true
		h.apply(rollout.JournalFailed{At: h.now, Err: fmt.Errorf("disk full"), Unsent: false})
	case 2, 3:
		h.apply(rollout.Interrupted{At: h.now, Kind: rollout.Pause, Why: "test"})
	case 4:
		h.apply(rollout.Interrupted{At: h.now, Kind: rollout.PauseLater, Why: "test"})
	default:
		h.apply(rollout.Tick{At: h.now})
	}
}

func (h *history) observe() {
	for i := range h.nodes { // heartbeats
		if rapid.IntRange(0, 2).Draw(h.t, "beats") == 0 {
			h.nodes[i].Availability = client.AvailabilityActive
		}
	}
	snap := &cluster.Snapshot{At: h.now, Shards: map[client.NodeID]cluster.Part[cluster.ShardCounts]{}}
	snap.Nodes = cluster.Part[[]cluster.Node]{Value: append([]cluster.Node(nil), h.nodes...), At: h.now}
	for i := range snap.Nodes.Value {
		n := &snap.Nodes.Value[i]
		n.Process.At = h.now
		n.Attached = int64(h.left[n.ID])
		snap.Shards[n.ID] = cluster.Part[cluster.ShardCounts]{Value: cluster.ShardCounts{Observed: h.left[n.ID], Intended: h.left[n.ID]}, At: h.now}
	}
	snap.Metrics = cluster.Part[client.Metrics]{Value: client.Metrics{Leadership: "leader"}, At: h.now}
	snap.Leader = cluster.Part[cluster.Epoch]{Value: cluster.Epoch{Address: "c", StartedAt: h.epoch, Since: h.epoch}, At: h.now}
	if h.silent = h.silent && rapid.IntRange(0, 3).Draw(h.t, "still silent") > 0; h.silent {
		if h.since.IsZero() {
			h.since = h.now
		}
		old := h.good // the last good picture, of whatever age
		snap = &old
		snap.Nodes.Err, snap.Nodes.Since = &client.Error{Kind: client.Unreachable}, h.since
	} else {
		h.good, h.since = *snap, time.Time{}
		h.show()
	}
	h.last = snap
	if h.first == nil {
		h.first = gate.BaselineOf(snap)
	}
	h.apply(rollout.Observed{At: h.now, Snapshot: snap})
}

// show keeps what the Machine has been shown of the nodes.
func (h *history) show() {
	for _, n := range h.nodes {
		h.shown[n.ID] = facts{h.epoch, n.Availability, n.Scheduling, n.Process.Value.LaunchMillis}
	}
}

func refused(msg string) error { return &client.Error{Kind: client.Refused, Status: 412, Msg: msg} }

// endCall answers the call in flight: as the contract says, or not clearly.
func (h *history) endCall() {
	if h.call == nil {
		return
	}
	c := *h.call
	h.call = nil
	ev := rollout.CallEnded{At: h.now, Eff: c.Eff}
	switch rapid.IntRange(0, 10).Draw(h.t, "fate") {
	case 4: // the last look saw somebody else: nothing was sent
		if c.Kind == rollout.CallActivate {
			ev.Err = h.carry(c)
		} else {
			ev.Held = "somebody else sent calls"
		}
	case 0:
		ev.Err = &client.Error{Kind: client.Unreachable}
	case 1:
		ev.Err = &client.Error{Kind: client.Ambiguous}
	case 2:
		_ = h.carry(c)
		ev.Err = &client.Error{Kind: client.Ambiguous}
	case 3:
		ev.Err = &client.Error{Kind: client.Unauthorized, Status: 403}
	default:
		ev.Err = h.carry(c)
	}
	h.apply(ev)
}

// carry is the controller's side of a call.
func (h *history) carry(c rollout.SendCall) error {
	n := h.node(c.Node)
	start, own := client.OperationDrain, client.PolicyDraining
	if c.Kind == rollout.CallFill || c.Kind == rollout.CallCancelFill {
		start, own = client.OperationFill, client.PolicyFilling
	}
	switch c.Kind {
	case rollout.CallDrain, rollout.CallFill:
		switch {
		case h.slot != nil:
			return refused("Precondition failed: Background operation already ongoing for node: " + h.slot.String())
		case n.Availability != client.AvailabilityActive:
			return &client.Error{Kind: client.Refused, Status: 503, Msg: "Node " + n.ID.String() + " is currently unavailable"}
		case n.Scheduling == own:
			return &client.Error{Kind: client.Refused, Status: 409, Msg: fmt.Sprintf("Conflict: Node %s has %s in progress", n.ID, start)}
		case n.Scheduling != client.PolicyActive:
			return refused(fmt.Sprintf("Precondition failed: Node %s cannot be %sed due to %s policy", n.ID, start, n.Scheduling))
		}
		h.moved[n.ID] = true
		h.slot = &client.Operation{Kind: start, Node: n.ID}
		n.Scheduling = own
	case rollout.CallCancelDrain, rollout.CallCancelFill:
		if h.slot == nil || *h.slot != (client.Operation{Kind: start, Node: n.ID}) {
			return refused(fmt.Sprintf("Precondition failed: Node %s has no %s in progress", n.ID, start))
		}
	case rollout.CallActivate:
		if h.slot != nil {
			return refused("Precondition failed: Ongoing background operation forbids configuring: " + h.slot.String())
		}
		if !h.admin {
			return &client.Error{Kind: client.Unauthorized, Status: 403}
		}
		n.Scheduling = client.PolicyActive
	}
	return nil
}

func (h *history) endHook() {
	if h.hook == nil {
		return
	}
	e := *h.hook
	h.hook = nil
	if rapid.Bool().Draw(h.t, "restarts") {
		h.restart(e.Node)
	}
	exit := rapid.SampledFrom([]int{0, 0, 1, 255, -1}).Draw(h.t, "exit")
	h.apply(rollout.HookEnded{At: h.now, Eff: e.Eff, Result: rollout.HookResult{Exit: exit, Word: "ended"}})
}

// answerQuery answers the oldest read that is awaited.
func (h *history) answerQuery() {
	if len(h.queries) == 0 {
		return
	}
	q := h.queries[0]
	h.queries = h.queries[1:]
	var err error
	if !h.admin {
		err = &client.Error{Kind: client.Unauthorized, Status: 403}
	}
	switch q := q.(type) {
	case rollout.ListShards:
		no := false
		ev := rollout.Listed{At: h.now, Tag: q.Tag, Err: err}
		for i := range h.left[q.Node] {
			ev.Shards = append(ev.Shards, client.ShardLocation{ID: client.TenantShardID(fmt.Sprintf("%032d", i)), ObservedSecondary: &no, IntendedSecondary: &no})
		}
		if err == nil {
			h.listedAt = h.now
		}
		h.apply(ev)
	case rollout.Probe:
		ev := rollout.Probed{At: h.now, Tag: q.Tag, Err: err}
		if h.slot != nil && err == nil {
			op := *h.slot
			ev.Op = &op
		}
		h.apply(ev)
	case rollout.ReadProcess:
		was := h.shown[q.Node]
		was.launch = h.node(q.Node).Process.Value.LaunchMillis
		h.shown[q.Node] = was
		h.apply(rollout.ProofRead{At: h.now, Tag: q.Tag, Info: h.node(q.Node).Process.Value})
	case rollout.DescribeMoved:
		told := map[client.TenantShardID]rollout.ShardTold{}
		for _, id := range q.Shards {
			told[id] = rollout.ShardTold{Pending: rapid.IntRange(0, 9).Draw(h.t, "pending") == 0}
		}
		h.apply(rollout.MovedDescribed{At: h.now, Tag: q.Tag, Shards: told, Err: err})
	case rollout.Locate:
		h.apply(rollout.Located{At: h.now, Tag: q.Tag, On: map[client.NodeID]int{3: len(q.Shards)}})
	}
}
