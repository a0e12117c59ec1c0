package rollout_test

import (
	"fmt"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/pageserver"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/gate"
	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// history is a Machine in a cluster that behaves like the controller's
// contract, with every kind of trouble drawn at random. It knows the truth, so
// the invariants are checked against that and not against what the Machine believes.
type history struct {
	t    *rapid.T
	m    rollout.Machine
	plan rollout.Plan

	now    time.Time
	epoch  time.Time
	epoch0 time.Time // when the history began
	nodes  []cluster.Node
	slot   *client.Operation
	left   map[client.NodeID]int // shards attached
	silent bool                  // the controller does not answer
	since  time.Time             // for so long
	good   cluster.Snapshot
	admin  bool
	calm   bool // little trouble: more histories come to a restart and a fill

	records  journal.Records
	call     *rollout.SendCall
	calls    int
	hook     *rollout.RunHook
	queries  []rollout.Effect
	hooks    map[string]bool
	intents  map[string]bool
	listedAt time.Time
	shown    map[client.NodeID]facts
	asked    map[string]facts // prompt -> what had been shown of its node when it was put
	broken   bool
	ended    bool

	moved      map[client.NodeID]bool // by a drain or fill of the run, and not touched by others since
	last       *cluster.Snapshot      // the newest that the Machine was shown
	first      *gate.Baseline
	overridden map[gate.Name]bool

	plant func(*history, rollout.Effect) bool // a fault planted on purpose; true = it took the effect
	found *[]string                           // what the checks said of it
}

// fatalf ends the history with what is wrong. A planted fault is meant to be found.
func (h *history) fatalf(format string, args ...any) {
	if h.found == nil {
		h.t.Fatalf(format, args...)
	}
	*h.found = append(*h.found, fmt.Sprintf(format, args...))
	h.ended = true
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

// TestInvariants prints how many histories it lived through (-v); rapid prints
// the seed of one that fails. "make soak" has more than 100 000 of them.
func TestInvariants(t *testing.T) {
	var lived, calls, hooks atomic.Int64
	t.Cleanup(func() {
		t.Logf("%d histories, with %d calls and %d restarts", lived.Load(), calls.Load(), hooks.Load())
	})
	for i := range rounds {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				h := newHistory(t)
				h.live()
				lived.Add(1)
				calls.Add(int64(h.calls))
				hooks.Add(int64(len(h.hooks)))
			})
		})
	}
}

func (h *history) live() {
	h.observe()
	for range rapid.IntRange(60, 240).Draw(h.t, "length") {
		if h.ended {
			break
		}
		h.step()
	}
	h.checkReplay()
}

func newHistory(t *rapid.T) *history {
	h := &history{
		t: t, now: time.Unix(1_700_000_000, 0), left: map[client.NodeID]int{}, admin: rapid.Bool().Draw(t, "admin"),
		calm:  rapid.Bool().Draw(t, "calm"),
		hooks: map[string]bool{}, intents: map[string]bool{}, asked: map[string]facts{}, shown: map[client.NodeID]facts{},
		moved: map[client.NodeID]bool{}, overridden: map[gate.Name]bool{},
	}
	h.epoch, h.epoch0 = h.now.Add(-time.Hour), h.now
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
	h.plan, h.m = plan, rollout.New(plan, rollout.Settings{})
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
	case h.calm && rapid.IntRange(0, 3).Draw(h.t, "calm") > 0:
		h.progress()
	case what < 99:
		h.trouble()
	default:
		h.rare()
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
		h.fatalf("an answer was accepted that must not be: %+v for %+v", a, c)
	}
	if h.asked[p.ID] != h.shown[p.Node] && p.Ask != rollout.AskPaused && p.Ask != rollout.AskUnreachable {
		h.fatalf("I7: the answer to %s (ask %d %s) is older than a change that was shown since", p.ID, p.Ask, p.Row)
	}
	if a.Word == rollout.WordOverride {
		h.overridden[a.Gate] = true
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
		h.fatalf("Apply is not a function of its receiver and event: %+v", ev)
	}
	if !reflect.DeepEqual(before, h.m.Status()) {
		h.fatalf("Apply changed its receiver on %T", ev)
	}
	wasPaused := before.State == rollout.RunPaused && h.m.Status().State == next.Status().State
	h.m = next
	h.tell(ev, effects)
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
		h.fatalf("I1: %d nodes under way", running)
	}
}

func (h *history) effect(e rollout.Effect, paused bool) {
	if h.plant != nil && h.plant(h, e) {
		return
	}
	switch e := e.(type) {
	case rollout.Record:
		h.records = append(h.records, e.Rec)
		if e.Rec.Kind == journal.KindIntent || e.Rec.Kind == journal.KindHookStart {
			h.intents[fmt.Sprint(e.Rec.Eff, e.Rec.Att)] = true
			h.intents[e.Rec.Eff] = true
		}
	case rollout.SendCall:
		h.checkCall(e, paused)
		h.checkGates(e)
		h.call = &e
		h.calls++
	case rollout.RunHook:
		h.checkHook(e, paused)
		h.hook = &e
	case rollout.ListShards, rollout.ReadProcess, rollout.Probe, rollout.Locate, rollout.DescribeMoved:
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
		h.fatalf("I9: aborted clean while %s is alive", h.slot)
	}
	h.checkLeft(*o)
}

func (h *history) checkCall(e rollout.SendCall, paused bool) {
	n := h.node(e.Node)
	switch {
	case h.call != nil:
		h.fatalf("I2: %s while %s is unanswered", e.Eff, h.call.Eff)
	case !h.intents[e.Eff]:
		h.fatalf("I3: %s has no intent", e.Eff)
	case h.broken:
		h.fatalf("%s was sent without a journal", e.Eff)
	case paused:
		h.fatalf("%s was sent while paused", e.Eff)
	case e.Node > 2:
		h.fatalf("I8: node %s is not in the plan", e.Node)
	case (e.Kind == rollout.CallDrain || e.Kind == rollout.CallFill) && h.shownPolicy(n) == client.PolicyPause:
		h.fatalf("I8: %s on a paused node", e.Eff)
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
		h.fatalf("I5: %s runs twice", e.Eff)
	case !h.intents[e.Eff]:
		h.fatalf("I3: %s has no start record", e.Eff)
	case h.broken || paused:
		h.fatalf("%s runs without a journal or while paused", e.Eff)
	case h.call != nil:
		h.fatalf("I4: %s runs while %s is unanswered", e.Eff, h.call.Eff)
	case h.slot != nil && h.slot.Node == e.Node:
		h.fatalf("I4: %s runs while %s is alive", e.Eff, h.slot)
	case h.admin && h.now.Sub(h.listedAt) > time.Minute:
		h.fatalf("I6: %s runs on a list of %s ago", e.Eff, h.now.Sub(h.listedAt))
	}
	h.hooks[e.Eff] = true
}
