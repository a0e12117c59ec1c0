package rollout_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/pageserver"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// history is a Machine in a cluster that behaves like the controller's
// contract, with every kind of trouble drawn at random. It knows the truth, so
// the invariants are checked against that and not against what the Machine believes.
type history struct {
	t *rapid.T
	m rollout.Machine

	now    time.Time
	epoch  time.Time
	nodes  []cluster.Node
	slot   *client.Operation
	left   map[client.NodeID]int // shards attached
	silent bool                  // the controller does not answer
	since  time.Time             // for so long
	good   cluster.Snapshot
	admin  bool

	call     *rollout.SendCall
	hook     *rollout.RunHook
	queries  []rollout.Effect
	hooks    map[string]bool
	intents  map[string]bool
	listedAt time.Time
	shown    map[client.NodeID]facts
	asked    map[string]facts // prompt -> what had been shown of its node when it was put
	broken   bool
	ended    bool
}

// facts are what the Machine was last shown of a node and of its leader.
type facts struct {
	epoch  time.Time
	avail  client.Availability
	policy client.NodePolicy
	launch int64
}

// rounds of rapid's own hundred histories (-rapid.checks).
const rounds = 20

func TestInvariants(t *testing.T) {
	for i := range rounds {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) { newHistory(t).live() })
		})
	}
}

func (h *history) live() {
	h.observe()
	for range rapid.IntRange(60, 240).Draw(h.t, "length") {
		if h.ended {
			return
		}
		h.step()
	}
}

func newHistory(t *rapid.T) *history {
	h := &history{
		t: t, now: time.Unix(1_700_000_000, 0), left: map[client.NodeID]int{}, admin: rapid.Bool().Draw(t, "admin"),
		hooks: map[string]bool{}, intents: map[string]bool{}, asked: map[string]facts{}, shown: map[client.NodeID]facts{},
	}
	h.epoch = h.now.Add(-time.Hour)
	az := []string{"a", "b"}
	for id := client.NodeID(1); id <= 4; id++ {
		n := cluster.Node{Node: client.Node{
			ID: id, Availability: client.AvailabilityActive, Scheduling: client.PolicyActive, AvailabilityZone: &az[id%2],
		}}
		n.Process = cluster.Part[pageserver.Info]{Value: pageserver.Info{LaunchMillis: int64(id) * 1000, Launch: h.now}, At: h.now}
		h.nodes = append(h.nodes, n)
		h.left[id] = 5
	}
	goal := rapid.SampledFrom([]rollout.Goal{
		rollout.GoalRestart, rollout.GoalRestart, rollout.GoalRestart, rollout.GoalDrain, rollout.GoalFill, rollout.GoalCancel, rollout.GoalActivate,
	}).Draw(t, "goal")
	plan := rollout.Plan{Goal: goal, TenantsOff: "test"}
	for id := client.NodeID(1); id <= 2; id++ {
		plan.Steps = append(plan.Steps, rollout.StepPlan{Node: id, AZ: h.nodes[id-1].AZ(), Hook: "restart it", Attached: 5})
	}
	if goal != rollout.GoalRestart {
		plan.Steps = plan.Steps[:1]
	}
	h.m = rollout.New(plan, rollout.Settings{})
	return h
}

func (h *history) node(id client.NodeID) *cluster.Node { return &h.nodes[id-1] }

// step draws what happens next.
func (h *history) step() {
	h.now = h.now.Add(time.Duration(rapid.IntRange(50, 3000).Draw(h.t, "ms")) * time.Millisecond)
	switch what := rapid.IntRange(0, 99).Draw(h.t, "what"); {
	case what < 40:
		h.observe()
	case what < 55:
		h.endCall()
	case what < 60:
		h.endHook()
	case what < 75:
		h.answerQuery()
	case what < 88:
		h.answer()
	case what < 94:
		h.progress()
	case what < 99:
		h.trouble()
	default:
		h.rare()
	}
}

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
	case 2, 3, 4:
		h.apply(rollout.Interrupted{At: h.now, Kind: rollout.Pause, Why: "test"})
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
	switch rapid.IntRange(0, 9).Draw(h.t, "fate") {
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
	case rollout.Locate:
		h.apply(rollout.Located{At: h.now, Tag: q.Tag, On: map[client.NodeID]int{3: len(q.Shards)}})
	}
}

// answer gives one of the prompt's answers, or one that must not be taken.
func (h *history) answer() {
	p := h.m.Status().Prompt
	if p == nil {
		return
	}
	choices := p.Choices
	if onward := h.onward(p); rapid.IntRange(0, 9).Draw(h.t, "onward") > 0 && len(onward) > 0 {
		choices = onward
	}
	c := rapid.SampledFrom(choices).Draw(h.t, "choice")
	a := rollout.Answer{Prompt: p.ID, Word: c.Word, Gate: c.Gate, At: h.now, Reason: "test"}
	if rapid.IntRange(0, 9).Draw(h.t, "typed") > 0 && c.TypeID {
		a.Node = p.Node
	}
	if rapid.IntRange(0, 9).Draw(h.t, "stale") == 0 {
		a.Prompt = "q0"
	}
	if err := h.m.Check(a); err != nil {
		return
	}
	if c.TypeID && a.Node != p.Node || c.Off != "" || a.Prompt != p.ID {
		h.t.Fatalf("an answer was accepted that must not be: %+v for %+v", a, c)
	}
	if h.asked[p.ID] != h.shown[p.Node] && p.Ask != rollout.AskPaused && p.Ask != rollout.AskUnreachable {
		h.t.Fatalf("I7: the answer to %s (ask %d %s) is older than a change that was shown since", p.ID, p.Ask, p.Row)
	}
	h.apply(rollout.Answered{At: h.now, Answer: a})
}

// onward are the choices that keep the run going: without a liking for them few
// histories would get as far as a restart.
func (h *history) onward(p *rollout.Prompt) []rollout.Choice {
	var out []rollout.Choice
	for _, c := range p.Choices {
		switch c.Word {
		case rollout.WordNo, rollout.WordAbort, rollout.WordDetach, rollout.WordSkip, rollout.WordOverride:
		default:
			if c.Off == "" {
				out = append(out, c)
			}
		}
	}
	return out
}

// apply feeds an event and checks what comes of it.
func (h *history) apply(ev rollout.Event) {
	if h.ended {
		return
	}
	before := h.m.Status()
	next, effects := h.m.Apply(ev)
	if again, twice := h.m.Apply(ev); !reflect.DeepEqual(effects, twice) || !reflect.DeepEqual(next.Status(), again.Status()) {
		h.t.Fatalf("Apply is not a function of its receiver and event: %+v", ev)
	}
	if !reflect.DeepEqual(before, h.m.Status()) {
		h.t.Fatalf("Apply changed its receiver on %T", ev)
	}
	wasPaused := before.State == rollout.RunPaused && h.m.Status().State == next.Status().State
	h.m = next
	for _, e := range effects {
		h.effect(e, wasPaused)
	}
	st := h.m.Status()
	h.checkSteps(st)
	if st.Prompt != nil {
		if _, known := h.asked[st.Prompt.ID]; !known {
			h.asked[st.Prompt.ID] = h.shown[st.Prompt.Node]
		}
	}
}

func (h *history) checkSteps(st rollout.Status) {
	running := 0
	for _, s := range st.Steps {
		if s.State == rollout.StepRunning {
			running++
		}
	}
	if running > 1 {
		h.t.Fatalf("I1: %d nodes under way", running)
	}
}

func (h *history) effect(e rollout.Effect, paused bool) {
	switch e := e.(type) {
	case rollout.Record:
		if e.Rec.Kind == journal.KindIntent || e.Rec.Kind == journal.KindHookStart {
			h.intents[fmt.Sprint(e.Rec.Eff, e.Rec.Att)] = true
			h.intents[e.Rec.Eff] = true
		}
	case rollout.SendCall:
		h.checkCall(e, paused)
		h.call = &e
	case rollout.RunHook:
		h.checkHook(e, paused)
		h.hook = &e
	case rollout.ListShards, rollout.ReadProcess, rollout.Probe, rollout.Locate:
		h.queries = append(h.queries, e)
	case rollout.Finish:
		h.ended = true
		h.checkEnd()
	}
}

// checkEnd: who aborts and is told that all is clean leaves no operation of the
// run behind (I9).
func (h *history) checkEnd() {
	o := h.m.Status().Outcome
	if o.Word == "aborted" && h.admin && h.slot != nil && h.slot.Node <= 2 {
		h.t.Fatalf("I9: aborted clean while %s is alive", h.slot)
	}
}

func (h *history) checkCall(e rollout.SendCall, paused bool) {
	n := h.node(e.Node)
	switch {
	case h.call != nil:
		h.t.Fatalf("I2: %s while %s is unanswered", e.Eff, h.call.Eff)
	case !h.intents[e.Eff]:
		h.t.Fatalf("I3: %s has no intent", e.Eff)
	case h.broken:
		h.t.Fatalf("%s was sent without a journal", e.Eff)
	case paused:
		h.t.Fatalf("%s was sent while paused", e.Eff)
	case e.Node > 2:
		h.t.Fatalf("I8: node %s is not in the plan", e.Node)
	case (e.Kind == rollout.CallDrain || e.Kind == rollout.CallFill) && h.shownPolicy(n) == client.PolicyPause:
		h.t.Fatalf("I8: %s on a paused node", e.Eff)
	}
}

// shownPolicy is the policy in the newest picture that the Machine has.
func (h *history) shownPolicy(n *cluster.Node) client.NodePolicy {
	p := h.m.Status().Prompt
	if p != nil && p.Node == n.ID {
		return p.Evidence.Policy
	}
	return ""
}

func (h *history) checkHook(e rollout.RunHook, paused bool) {
	switch {
	case h.hooks[e.Eff]:
		h.t.Fatalf("I5: %s runs twice", e.Eff)
	case !h.intents[e.Eff]:
		h.t.Fatalf("I3: %s has no start record", e.Eff)
	case h.broken || paused:
		h.t.Fatalf("%s runs without a journal or while paused", e.Eff)
	case h.call != nil:
		h.t.Fatalf("I4: %s runs while %s is unanswered", e.Eff, h.call.Eff)
	case h.slot != nil && h.slot.Node == e.Node:
		h.t.Fatalf("I4: %s runs while %s is alive", e.Eff, h.slot)
	case h.admin && h.now.Sub(h.listedAt) > time.Minute:
		h.t.Fatalf("I6: %s runs on a list of %s ago", e.Eff, h.now.Sub(h.listedAt))
	}
	h.hooks[e.Eff] = true
}
