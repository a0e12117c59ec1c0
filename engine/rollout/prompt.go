package rollout

import (
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/gate"
)

// Ask is what a prompt is about.
type Ask int

// The questions. Those up to AskActivate propose the next phase; the others
// ask what to do about trouble, and Prompt.Row names it.
const (
	AskDrain Ask = iota + 1
	AskRestart
	AskFill
	AskCancel
	AskActivate

	AskBusy            // D3, D4: the slot is held by somebody else
	AskNodeDown        // D8: Offline and not drained
	AskOrphan          // D7: policy Draining or Filling, no operation
	AskDrainedEarlier  // D6: PauseForRestart before we began
	AskDrainEnded      // D18, D19, N2: policy went back to Active
	AskNotDrained      // D16: PauseForRestart, but nothing moved
	AskNoProgress      // D13, L4
	AskDeadline        // D14, and the total limits of other phases
	AskRestartedEarly  // D17: launch changed during the drain
	AskHookFailed      // R1, R2, R4
	AskRestartUnproven // R3
	AskNotBack         // R6, R14
	AskPausedAfter     // R13: PauseForRestart after re-attach
	AskPolicyLost      // R11: policy went back to Active before the hook
	AskRefused         // the server refused in words that the engine does not know
	AskGate            // a gate fails or is unknown
	AskHalted          // a gate of class halt failed: the whole run stands
	AskGone            // D10, X3
	AskUnreachable     // D21 past its budget
	AskUnauthorized    // D11
	AskPaused          // the operator paused the run
	AskCleanup         // A1-A6: what is left to put right
	AskResume          // an earlier process left the run: take it up again?
)

// Word is an answer, as plain mode spells it. Keys are bound in ui.
type Word string

// The words.
const (
	WordYes       Word = "yes"
	WordNo        Word = "no" // pause here
	WordSkip      Word = "skip"
	WordRetry     Word = "retry"
	WordWait      Word = "wait"
	WordCancel    Word = "cancel"
	WordAccept    Word = "accept"
	WordOverride  Word = "override"
	WordReset     Word = "reset"     // set Active
	WordUndrained Word = "undrained" // restart without a finished drain
	WordManual    Word = "manual"    // done by hand
	WordAbort     Word = "abort"
	WordDetach    Word = "detach"
	WordEvidence  Word = "evidence"
	WordResume    Word = "resume"

	// Standing answers: yes to what comes next, until the first anomaly.
	WordRestOfNode Word = "rest-of-node"
	WordRestOfAZ   Word = "rest-of-az"
	WordRestOfRun  Word = "rest-of-run"
)

// Choice is one answer that a prompt takes.
type Choice struct {
	Word   Word
	Does   string // what it does, literally: "PUT /control/v1/node/1/drain"
	TypeID bool   // the node's id must be typed
	Reason bool   // words must be given why
	Gate   gate.Name
	Off    string // why it is off now; "" = it can be chosen
}

// Prompt is one question. It is bound to one node and to the evidence that it
// shows; it expires, and is then asked again with fresh facts under a new ID.
type Prompt struct {
	ID       string
	Ask      Ask
	Row      string // row of the failure matrix, "" for the regular path
	Node     client.NodeID
	Addr     string
	AZ       string
	Literal  string // what yes sends or runs; "" when yes is not among the choices
	Cause    string // the server's words, an exit code, the last error; "" = none
	Evidence Evidence
	Choices  []Choice // the first is what the evidence supports
	Asked    time.Time
	Expires  time.Time
	// Since is from when on a question has stood without a break: this one, or those that it
	// took the place of unanswered because they got old or what they rested on changed.
	Since time.Time
}

// Choice finds the choice for a word.
func (p Prompt) Choice(w Word) (Choice, bool) {
	for _, c := range p.Choices {
		if c.Word == w {
			return c, true
		}
	}
	return Choice{}, false
}

// Evidence is what a prompt rests on.
type Evidence struct {
	Policy            client.NodePolicy
	PolicySince       time.Time
	Availability      client.Availability
	Attached          int64 // observed, else gauge; -1 unknown
	Leftovers         []Leftover
	LeftoversKnown    bool
	ListedAt          time.Time // when the shards were listed
	Pending           int64     // reconciles; -1 unknown
	EpochStable       bool
	Gates             []gate.Result
	Busy              *client.Operation // who holds the slot, when known
	HookTail          []string
	Launch, PreLaunch time.Time
	Resume            []ResumeLine // what taking the run up again would do, node by node
	SkipMinutes       float64      // imbalance for at least so long when the fill is skipped (C15)
}

// Answer is an operator's decision on one prompt.
type Answer struct {
	Prompt string // Prompt.ID
	Word   Word
	Node   client.NodeID // typed; 0 = not typed
	Gate   gate.Name
	Extend time.Duration // for wait; 0 = as before
	Reason string
	By     Operator
	At     time.Time
}

// Operator is who answered, and from where.
type Operator struct {
	User, Host, TTY string
}
