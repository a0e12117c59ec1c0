package journal

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/internal/jsonline"
)

// Version is the major version of the record's form. Records of a higher one
// are shown but not continued; unknown fields of the same one are kept.
const Version = 1

// Kind says what a record is about.
type Kind string

// The kinds of records.
const (
	KindHeader          Kind = "header"           // first record: see Header
	KindGate            Kind = "gate"             // verdict of a safety check
	KindPrompt          Kind = "prompt"           // question put to the operator
	KindAnswer          Kind = "answer"           // the operator's decision
	KindIntent          Kind = "intent"           // a call that is about to be sent
	KindSent            Kind = "sent"             // the call left; optional
	KindResult          Kind = "result"           // what came of the call
	KindObs             Kind = "obs"              // a change seen in the cluster
	KindKeyframe        Kind = "keyframe"         // the whole observed state, now and then
	KindState           Kind = "state"            // the machine went from one state to another
	KindHookStart       Kind = "hook_start"       // the restart command is about to be run
	KindHookEnd         Kind = "hook_end"         // the restart command ended
	KindAnomaly         Kind = "anomaly"          // something that no part of the plan explains
	KindOverride        Kind = "override"         // a gate was overridden, by whom and why
	KindPause           Kind = "pause"            // the run stopped between two steps
	KindResume          Kind = "resume"           // somebody took it up again
	KindHandoverOffer   Kind = "handover_offer"   // offered to another person
	KindHandoverAccept  Kind = "handover_accept"  // and taken
	KindLostTerminal    Kind = "lost_terminal"    // the terminal went away
	KindCleanupIntent   Kind = "cleanup_intent"   // a call that puts a node back, about to be sent
	KindCleanupResult   Kind = "cleanup_result"   // what came of it
	KindCleanupRequired Kind = "cleanup_required" // what is left to do by hand
	KindClose           Kind = "close"            // last record: see Close
)

// Durable says whether Append waits for the disk for every record of this kind.
// These are the ones that give authority, announce an effect that cannot be
// taken back, or end the run. A Record can ask for it itself (Record.Durable),
// as a terminal state does.
func (k Kind) Durable() bool {
	switch k {
	case KindHeader, KindAnswer, KindIntent, KindHookStart, KindHookEnd, KindOverride,
		KindResume, KindHandoverOffer, KindHandoverAccept, KindLostTerminal,
		KindCleanupIntent, KindCleanupRequired, KindClose:
		return true
	}
	return false
}

// Class says what a crash leaves open about an effect.
type Class string

// The classes of effects.
const (
	OBS   Class = "OBS"   // a read
	ADV   Class = "ADV"   // advances a node; at least once, observe when unsure
	CAN   Class = "CAN"   // cancels; at least once
	FORCE Class = "FORCE" // sets a policy after comparing; read before and after
	ONCE  Class = "ONCE"  // the restart command; at most once, never again by itself
	DEC   Class = "DEC"   // a person's decision
)

// Actor is the person on whose word something was done.
type Actor struct {
	User    string `json:"u,omitempty"`
	Host    string `json:"host,omitempty"`
	TTY     string `json:"tty,omitempty"`
	SSH     string `json:"ssh,omitempty"` // address that the person came from
	Subject string `json:"sub,omitempty"` // subject of the token, never the token
}

// Pre is what was true right before an effect, as far as it had been read.
type Pre struct {
	Policy       string `json:"pol,omitempty"`
	Availability string `json:"avail,omitempty"`
	AttShards    *int   `json:"att_shards,omitempty"` // attached shards; nil when not read
	Epoch        string `json:"epoch,omitempty"`      // leader and its start
	Launch       int64  `json:"launch,omitempty"`     // launch of the node's process, ms since 1970 by its clock
	Revision     string `json:"rev,omitempty"`        // build of the node's process
}

// Record is one line. Append fills V, Seq, T (unless it is set), Mono, Boot and
// Run.
type Record struct {
	V    int             `json:"v"`
	Seq  uint64          `json:"seq"` // from 1, without gaps
	T    time.Time       `json:"t"`   // wall clock, UTC, milliseconds
	Mono int64           `json:"mono"`
	Boot string          `json:"boot,omitempty"` // identity of this boot of the host; Mono compares only within one
	Run  string          `json:"run"`
	Node client.NodeID   `json:"node,omitempty"` // 0: about the run as a whole
	Kind Kind            `json:"k"`
	Eff  string          `json:"eff,omitempty"` // idempotency key, node.phase.ordinal: "n3.drain.1"
	Att  int             `json:"att,omitempty"` // attempt, from 1
	Cls  Class           `json:"cls,omitempty"`
	Call string          `json:"call,omitempty"` // the literal call or command, as shown to the operator
	Pre  *Pre            `json:"pre,omitempty"`
	By   *Actor          `json:"by,omitempty"`
	Why  string          `json:"why,omitempty"`  // free text, or "ans:SEQ" for the answer that allowed it
	Data json.RawMessage `json:"data,omitempty"` // what this kind says; see With
	Side *Side           `json:"side,omitempty"` // set when the rest of the record is in a file of its own

	// Extra are fields that this version does not know; they survive reading
	// and writing.
	Extra map[string]json.RawMessage `json:"-"`
	// Durable makes Append wait for the disk whatever the kind.
	Durable bool `json:"-"`
	// Line is where the record was read, from 1; 0 for one that was not.
	Line int `json:"-"`
}

// Side points to the file that holds the whole of a record that was too long
// for a line.
type Side struct {
	File   string `json:"file"` // relative to the run's directory
	SHA256 string `json:"sha256"`
	Size   int    `json:"size"` // bytes
}

// With returns the record carrying v as its data. A value that JSON cannot
// express is a programmer's error; it is kept as the text of that error so that
// the record itself is never lost.
func (r Record) With(v any) Record {
	b, err := jsonline.Marshal(v)
	if err != nil {
		b, _ = jsonline.Marshal(map[string]string{"unencodable": err.Error()})
	}
	r.Data = b
	return r
}

// Decode reads the record's data into v.
func (r Record) Decode(v any) error {
	if len(r.Data) == 0 {
		return fmt.Errorf("record %d (%s) has no data", r.Seq, r.Kind)
	}
	if err := json.Unmarshal(r.Data, v); err != nil {
		return fmt.Errorf("data of record %d (%s): %w", r.Seq, r.Kind, err)
	}
	return nil
}

// Records are those of one run, in order.
type Records []Record

// VerbReconfigure is the verb of runs about computes; all others are about nodes.
const VerbReconfigure = "reconfigure"

// Header is the data of the first record.
type Header struct {
	Tool       string          `json:"tool"`               // version of the program
	Cluster    string          `json:"cluster"`            // the configured name
	URL        string          `json:"url,omitempty"`      // the controller's address, without secrets
	Verb       string          `json:"verb,omitempty"`     // what was asked for: rollout, drain, fill, cancel ...
	Nodes      []client.NodeID `json:"nodes,omitempty"`    // nodes of the plan, in its order
	Computes   []string        `json:"computes,omitempty"` // or its computes
	Members    []Member        `json:"members,omitempty"`  // all nodes of the cluster; its identity
	PlanSHA256 string          `json:"plan_sha256"`        // of plan.json; filled by Create
	Settings   json.RawMessage `json:"settings,omitempty"`
	TokenSub   string          `json:"token_sub,omitempty"`
	TokenExp   *time.Time      `json:"token_exp,omitempty"`
	Demo       bool            `json:"demo,omitempty"`

	Plan json.RawMessage `json:"-"` // written to plan.json as it is
	By   *Actor          `json:"-"` // goes to the record
}

// Member identifies a node of the cluster. Two journals belong to the same
// cluster when they have one in common.
type Member struct {
	ID client.NodeID `json:"id"`
	AZ string        `json:"az"`
}

// Outcome says how a run ended.
type Outcome string

// The outcomes that a close record can name.
const (
	Done             Outcome = "done"
	DoneWithIssues   Outcome = "done_with_issues"
	PreflightFailed  Outcome = "preflight_failed"
	Halted           Outcome = "halted"
	Aborted          Outcome = "aborted"
	AbortedDirty     Outcome = "aborted_dirty"
	ClosedByOperator Outcome = "closed_by_operator"
)

// Close is the data of the last record of a run that has ended.
type Close struct {
	Outcome       Outcome `json:"outcome"`
	Exit          int     `json:"exit"` // exit code of the process
	SummarySHA256 string  `json:"summary_sha256,omitempty"`
	// Left names every node that is not as it was found, with what is left to do.
	Left []string `json:"left,omitempty"`
}

// ResultClass says what is known about a call that was sent.
type ResultClass string

// What may have come of a call.
const (
	ResultOK        ResultClass = "ok"
	ResultRefused   ResultClass = "refused"
	ResultAmbiguous ResultClass = "ambiguous"
	ResultFailed    ResultClass = "failed"
)

// Result is the data of a result record.
type Result struct {
	Class      ResultClass `json:"class"`
	Status     int         `json:"status,omitempty"` // HTTP status; 0 without an answer
	Msg        string      `json:"msg,omitempty"`    // the server's words
	BodySHA256 string      `json:"body_sha256,omitempty"`
	LatencyMs  int64       `json:"latency_ms"`
}

// State is the data of a state record.
type State struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Cause uint64 `json:"cause,omitempty"` // sequence number of the record that led to it
}
