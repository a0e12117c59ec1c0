package rollout

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/gate"
	"github.com/StorconTUI/storcon-tui/engine/hook"
	"github.com/StorconTUI/storcon-tui/engine/journal"
)

// Belief is what a journal says of its run. It tells what was meant, approved
// and begun; how far the cluster is, only the cluster tells.
type Belief struct {
	Header   journal.Header
	Began    time.Time
	Nodes    []NodeBelief // in the order of the plan
	Calls    Calls        // what was sent, or was about to be
	Aborting bool         // the run was being ended
	Closed   bool         // nothing is left to take up

	base  *gate.Baseline // figures when the run began; nil = not recorded
	asked int            // highest number of a question
}

// NodeBelief is what a journal says of one node.
type NodeBelief struct {
	Node  client.NodeID
	State string // newest state of its step, "" when it has not begun; BLOCKED is none

	Drain, Cancel, Fill, Activate EffectBelief // newest of each
	Hook                          HookBelief   // newest
	Answer                        AnswerBelief // newest yes that nothing has followed yet

	Drained     bool // its newest drain was seen ended
	Undrained   bool // the restart without a finished drain was chosen
	FillSkipped bool
	Leaving     bool   // it was being put back, to be skipped
	Unproven    string // who accepted a restart that is not proven

	before      []client.TenantShardID // attached when the step began
	beforeKnown bool
	backAt      time.Time // when it was first seen back after its restart
	end         *stepEnd
	issues      []string
	ordinal     map[string]int
}

// EffectBelief is what a journal says of one mutating call.
type EffectBelief struct {
	Seq      uint64 // of the intent; 0 = never meant
	At       time.Time
	Attempt  int
	Pre      journal.Pre
	Answered bool
	Class    journal.ResultClass // of the newest answer
}

// taken reports that the server said that it did it.
func (e EffectBelief) taken() bool { return e.Answered && e.Class == journal.ResultOK }

// maybe reports that it may have been done.
func (e EffectBelief) maybe() bool {
	return e.Seq > 0 && (!e.Answered || e.Class == journal.ResultOK || e.Class == journal.ResultAmbiguous)
}

// after reports that it may have been done, and later than the other was meant.
func (e EffectBelief) after(other EffectBelief) bool { return e.maybe() && e.Seq > other.Seq }

// HookBelief is what a journal says of one execution of the restart command.
type HookBelief struct {
	Eff     string
	Seq     uint64 // of the start; 0 = never started
	At      time.Time
	Pre     journal.Pre
	Process hook.Started // zero = not recorded: it may never have been executed
	EndAt   time.Time    // zero = its end was not recorded
	Result  HookResult
	Alive   bool // its process still runs; filled by whoever can look
}

func (h HookBelief) ended() bool { return !h.EndAt.IsZero() }

// AnswerBelief is an operator's yes and the evidence that it rested on.
type AnswerBelief struct {
	Seq          uint64 // 0 = there is none
	At           time.Time
	Ask          string
	Policy       client.NodePolicy
	Availability client.Availability
	Launch       int64 // ms, 0 = unknown
	Epoch        string
}

// answerData is the data of an answer record.
type answerData struct {
	Prompt       string              `json:"prompt"`
	Ask          string              `json:"ask"`
	Row          string              `json:"row"`
	Word         Word                `json:"word"`
	TypedNode    client.NodeID       `json:"typed_node"`
	Gate         gate.Name           `json:"gate"`
	ExtendS      float64             `json:"extend_s"`
	Leftovers    int                 `json:"leftovers"`
	Attached     int64               `json:"attached"`
	Policy       client.NodePolicy   `json:"policy,omitempty"`
	Availability client.Availability `json:"availability,omitempty"`
	Launch       int64               `json:"launch,omitempty"`
	Epoch        string              `json:"epoch,omitempty"`
}

// hookEndData is the data of a hook_end record.
type hookEndData struct {
	Exit    int      `json:"exit"`
	Word    string   `json:"word"`
	Nothing bool     `json:"nothing_happened"`
	Already bool     `json:"already,omitempty"`
	Lost    bool     `json:"lost,omitempty"`
	Empty   bool     `json:"disk_empty,omitempty"`
	Tail    []string `json:"tail"`
}

// stepEnd is the data of the state record that ends a step.
type stepEnd struct {
	journal.State
	As        string    `json:"as,omitempty"`
	Why       string    `json:"why,omitempty"`
	Issues    []string  `json:"issues,omitempty"`
	Before    int64     `json:"attached_before"`
	After     int64     `json:"attached_after"`
	Exposed   int64     `json:"exposed_shards"`
	HookStart time.Time `json:"hook_start,omitzero"`
	BackAfter float64   `json:"back_after_s,omitempty"`
}

// beforeData is the data of the obs record of what was attached to begin with.
type beforeData struct {
	Before []client.TenantShardID `json:"attached_before"`
}

// baselineData is the data of the keyframe that a run begins with.
type baselineData struct {
	Baseline *gate.Baseline `json:"baseline,omitempty"`
}

// Fold reads a run's journal. The same records give the same Belief; kinds and
// fields that this version does not know are passed over (the journal keeps
// them), and data that cannot be read leaves what was known before.
func Fold(records journal.Records) Belief {
	var b Belief
	for _, r := range records {
		b.fold(r)
	}
	return b
}

func (b *Belief) fold(r journal.Record) {
	n := b.node(r.Node)
	switch r.Kind {
	case journal.KindHeader:
		_ = r.Decode(&b.Header)
		b.Began = r.T
		for _, id := range b.Header.Nodes {
			b.Nodes = append(b.Nodes, NodeBelief{Node: id, ordinal: map[string]int{}})
		}
	case journal.KindKeyframe:
		var d baselineData
		if r.Decode(&d) == nil && d.Baseline != nil {
			b.base = d.Baseline
		}
	case journal.KindPrompt:
		b.foldPrompt(n, r)
	case journal.KindAnswer, journal.KindOverride:
		b.foldAnswer(n, r)
	case journal.KindIntent, journal.KindCleanupIntent:
		b.foldIntent(n, r)
	case journal.KindHookStart:
		b.Calls.Hooks++
		n.hookStart(r)
	case journal.KindClose:
		b.Closed = true
	default:
		n.fold(r)
	}
}

// node finds a node; a record about none, or about a stranger, goes to a place
// that is thrown away.
func (b *Belief) node(id client.NodeID) *NodeBelief {
	i := slices.IndexFunc(b.Nodes, func(n NodeBelief) bool { return n.Node == id })
	if i < 0 {
		return &NodeBelief{Node: id, ordinal: map[string]int{}}
	}
	return &b.Nodes[i]
}

// foldPrompt: a question after a yes says that the yes was not acted upon.
func (b *Belief) foldPrompt(n *NodeBelief, r journal.Record) {
	var d struct {
		ID string `json:"id"`
	}
	if r.Decode(&d) != nil {
		return
	}
	if number, err := strconv.Atoi(strings.TrimPrefix(d.ID, "q")); err == nil {
		b.asked = max(b.asked, number)
	}
	n.Answer = AnswerBelief{}
}

func (b *Belief) foldAnswer(n *NodeBelief, r journal.Record) {
	var d answerData
	if r.Decode(&d) != nil {
		return
	}
	n.Answer = AnswerBelief{}
	switch d.Word {
	case WordYes, WordRestOfNode, WordRestOfAZ, WordRestOfRun:
		n.Answer = AnswerBelief{
			Seq: r.Seq, At: r.T, Ask: d.Ask, Policy: d.Policy, Availability: d.Availability, Launch: d.Launch, Epoch: d.Epoch,
		}
	case WordAbort:
		b.Aborting = true
	case WordSkip:
		if d.Ask == askWord(AskFill) || d.Ask == askWord(AskNoProgress) && n.State == filling.String() {
			n.FillSkipped = true
			return
		}
		n.Leaving = d.Ask != askWord(AskGone)
	case WordOverride:
		n.issues = append(n.issues, "gate "+string(d.Gate)+" was overridden: "+r.Why)
	case WordAccept:
		if d.Ask == askWord(AskHookFailed) || d.Ask == askWord(AskRestartUnproven) {
			n.Unproven = "accepted by " + person(r.By) + because(r.Why)
		}
	}
}

func person(a *journal.Actor) string {
	if a == nil {
		return "somebody"
	}
	return a.User + "@" + a.Host
}

func (b *Belief) foldIntent(n *NodeBelief, r journal.Record) {
	phase := n.key(r.Eff)
	e := n.effect(phase)
	if e == nil {
		if phase == "probe" {
			b.Calls.Probes++
		}
		return
	}
	*e = EffectBelief{Seq: r.Seq, At: r.T, Attempt: r.Att}
	if r.Pre != nil {
		e.Pre = *r.Pre
	}
	b.Calls.add(phase)
	n.Answer = AnswerBelief{}
	if phase == CallDrain.phase() {
		n.Drained, n.Undrained = false, false
	}
}

// key notes an effect's ordinal, so that its key is never used again, and gives
// its phase.
func (n *NodeBelief) key(eff string) string {
	parts := strings.Split(eff, ".")
	if len(parts) != 3 {
		return ""
	}
	if number, err := strconv.Atoi(parts[2]); err == nil {
		n.ordinal[parts[1]] = max(n.ordinal[parts[1]], number)
	}
	return parts[1]
}

func (n *NodeBelief) effect(phase string) *EffectBelief {
	switch phase {
	case CallDrain.phase():
		return &n.Drain
	case CallCancelDrain.phase(), CallCancelFill.phase():
		return &n.Cancel
	case CallFill.phase():
		return &n.Fill
	case CallActivate.phase():
		return &n.Activate
	}
	return nil
}

// add counts a call by the phase in its key.
func (c *Calls) add(phase string) {
	switch phase {
	case CallDrain.phase():
		c.Drain++
	case CallCancelDrain.phase():
		c.CancelDrain++
	case CallFill.phase():
		c.Fill++
	case CallCancelFill.phase():
		c.CancelFill++
	case CallActivate.phase():
		c.Configure++
	}
}

func (n *NodeBelief) hookStart(r journal.Record) {
	n.key(r.Eff)
	n.Hook = HookBelief{Eff: r.Eff, Seq: r.Seq, At: r.T}
	if r.Pre != nil {
		n.Hook.Pre = *r.Pre
	}
	n.Answer, n.Unproven, n.backAt = AnswerBelief{}, "", time.Time{}
}

func (n *NodeBelief) fold(r journal.Record) {
	switch r.Kind {
	case journal.KindResult, journal.KindCleanupResult:
		var d journal.Result
		if e := n.effect(n.key(r.Eff)); e != nil && r.Decode(&d) == nil {
			e.Answered, e.Class = true, d.Class
		}
	case journal.KindSent:
		if r.Eff == n.Hook.Eff {
			_ = r.Decode(&n.Hook.Process)
		}
	case journal.KindHookEnd:
		var d hookEndData
		if r.Eff == n.Hook.Eff && r.Decode(&d) == nil {
			n.Hook.EndAt = r.T
			n.Hook.Result = HookResult{Exit: d.Exit, Word: d.Word, Nothing: d.Nothing, Already: d.Already, Lost: d.Lost, Empty: d.Empty, Tail: d.Tail}
		}
	case journal.KindObs:
		var d beforeData
		if r.Decode(&d) == nil && d.Before != nil {
			n.before, n.beforeKnown = d.Before, true
		}
	case journal.KindState:
		n.foldState(r)
	}
}

func (n *NodeBelief) foldState(r journal.Record) {
	var d stepEnd
	if r.Decode(&d) != nil {
		return
	}
	switch d.To {
	case blocked.String():
		return
	case ended.String():
		n.end = &d
	case drainVerify.String(), beforeRestart.String():
		n.Drained = true
	case undrainedCheck.String():
		n.Undrained = true
	case beforeFill.String(), fillReq.String():
		if n.backAt.IsZero() {
			n.backAt = r.T
		}
	}
	n.State = d.To
}
