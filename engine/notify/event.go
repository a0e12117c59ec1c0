package notify

import (
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// Kind says why somebody is told.
type Kind string

// The kinds, as they are spelt outside and in the configuration.
const (
	Started  Kind = "started"
	Waiting  Kind = "waiting" // for a person's answer
	Anomaly  Kind = "anomaly"
	NodeDone Kind = "node_done"
	Halted   Kind = "halted"
	Finished Kind = "finished"
)

// Kinds are all of them, in the order in which a run meets them.
var Kinds = []Kind{Started, Waiting, Anomaly, NodeDone, Halted, Finished}

// Event is something worth telling. It holds no secret: its texts are those of
// the journal.
type Event struct {
	Kind    Kind          `json:"event"`
	At      time.Time     `json:"at"`
	Cluster string        `json:"cluster"`
	Run     string        `json:"run,omitempty"`  // "" = a release that somebody else drives
	Node    client.NodeID `json:"node,omitempty"` // 0 = none in particular
	Text    string        `json:"text"`           // one line
	// Key is the same for what is the same, told again: within Config.Quiet it
	// is sent once. "" makes one of the other fields.
	Key string `json:"key"`
}

// Line is the event for a person, who may see nothing else of it.
func (e Event) Line() string {
	words := []string{e.Cluster}
	if e.Run != "" {
		words = append(words, "run "+e.Run)
	}
	if e.Node != 0 {
		words = append(words, "node "+e.Node.String())
	}
	words = append(words, strings.ReplaceAll(string(e.Kind), "_", " "))
	return client.Clean(strings.Join(words, " · ") + ": " + e.Text)
}

func (e Event) key() string {
	if e.Key != "" {
		return e.Key
	}
	parts := []string{string(e.Kind), e.Cluster, e.Run, "", e.Text}
	if e.Node != 0 {
		parts[3] = e.Node.String()
	}
	return strings.Join(parts, "/")
}
