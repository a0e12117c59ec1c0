package release

import (
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// Phase is where a node is in the release. Its value is stable, as for JSON; String
// is for people.
type Phase string

// The phases, in the order in which a node goes through them.
const (
	Waiting    Phase = "waiting"    // nothing was done to it yet
	Draining   Phase = "draining"   //
	Drained    Phase = "drained"    // PauseForRestart, its process still there as far as is known
	Restarting Phase = "restarting" // its process is away
	WarmingUp  Phase = "warming_up" // re-attached
	Back       Phase = "back"       // Active/Active again, its fill not asked for yet
	Filling    Phase = "filling"    //
	Done       Phase = "done"       //
	// Anomalous is a state that no step of a release explains.
	Anomalous Phase = "anomalous"
)

func (p Phase) String() string { return strings.ReplaceAll(string(p), "_", " ") }

// order is a phase's place in a node's way; Anomalous has none.
func (p Phase) order() int {
	switch p {
	case Draining:
		return 1
	case Drained:
		return 2
	case Restarting:
		return 3
	case WarmingUp:
		return 4
	case Back:
		return 5
	case Filling:
		return 6
	case Done:
		return 7
	}
	return 0
}

// Span is a time that a node spent in one phase. A node's spans lie end to end.
type Span struct {
	Phase Phase     `json:"phase"`
	From  time.Time `json:"from"`
	To    time.Time `json:"to,omitzero"` // zero = it is there now
	// Inferred: the phase was not seen but follows from what came after it, so that its
	// ends are guesses between two looks.
	Inferred bool `json:"inferred,omitempty"`
}

// EventKind says what an event is.
type EventKind string

// The kinds of event.
const (
	ReleaseStarted EventKind = "release_started"
	ReleaseEnded   EventKind = "release_ended"
	PhaseChanged   EventKind = "phase_changed"
	AnomalyBegan   EventKind = "anomaly_began"
	AnomalyEnded   EventKind = "anomaly_ended"
	NodeAppeared   EventKind = "node_appeared"
	NodeVanished   EventKind = "node_vanished"
)

func (k EventKind) String() string { return strings.ReplaceAll(string(k), "_", " ") }

// Event is one thing that an observation changed. Its moment is the one at which it
// was concluded; of an inferred phase, the one at which it is believed to have begun.
type Event struct {
	At   time.Time     `json:"at"`
	Kind EventKind     `json:"event"`
	Node client.NodeID `json:"node,omitempty"` // 0 = not about one node

	From     Phase `json:"from,omitempty"` // PhaseChanged
	To       Phase `json:"to,omitempty"`
	Inferred bool  `json:"inferred,omitempty"`

	Anomaly *Anomaly `json:"anomaly,omitempty"` // AnomalyBegan, AnomalyEnded; not changed afterwards
}
