package release

import (
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// Release is what a Watch makes of what it saw. It is not changed afterwards; its
// slices are shared and must not be written to.
type Release struct {
	Cluster string    `json:"cluster"`
	At      time.Time `json:"at"`              // of the newest observation
	Stale   bool      `json:"stale,omitempty"` // the nodes are those of an earlier one

	// A release that is over stays until the next one begins. Started is zero while none
	// was seen; Ended is zero while one goes on, else when the last node came to rest.
	Started time.Time `json:"started,omitzero"`
	Ended   time.Time `json:"ended,omitzero"`
	// Joined: it was going on at the first look, and began at Started or earlier.
	Joined bool `json:"joined,omitempty"`

	// Target is the build that the nodes are brought to; "" while all run the same one,
	// or none is known. Then progress is counted by restarts.
	Target   string   `json:"target,omitempty"`
	Progress Progress `json:"progress"`
	ETA      ETA      `json:"eta,omitzero"`

	Nodes   []NodeProgress `json:"nodes"` // by id
	ByAZ    []Summary      `json:"by_az,omitempty"`
	ByBuild []Summary      `json:"by_build,omitempty"`

	Anomalies []Anomaly `json:"anomalies,omitempty"` // that stand or stood in this release, by Since
	Log       []Event   `json:"log,omitempty"`       // of this release, oldest first, at most 2 000
}

// Live reports a release that goes on.
func (r Release) Live() bool { return !r.Started.IsZero() && r.Ended.IsZero() }

// Standing counts the anomalies that stand.
func (r Release) Standing() int {
	n := 0
	for _, a := range r.Anomalies {
		if a.Stands() {
			n++
		}
	}
	return n
}

// Progress counts nodes and shards. Nodes that somebody has taken out of scheduling
// (Pause, Deleting) and those that are gone do not count.
type Progress struct {
	Nodes    int `json:"nodes"`
	Done     int `json:"done"`
	OnTarget int `json:"on_target"` // run the target build; 0 without a target

	// Shards that left nodes and that came back, as far as the gauges tell; Expected
	// is what the nodes that were begun had attached before.
	MovedOff  int64 `json:"moved_off"`
	MovedBack int64 `json:"moved_back"`
	Expected  int64 `json:"expected"`
}

// NodeProgress is one node in the release.
type NodeProgress struct {
	NodeObservation
	Gone bool `json:"gone,omitempty"` // no longer in the list; the rest is as it was last seen

	Phase    Phase     `json:"phase"`
	Since    time.Time `json:"since"`
	Inferred bool      `json:"inferred,omitempty"`
	Spans    []Span    `json:"spans"` // since the release began or the node was first seen; the last is the present one

	// The newest way through the phases: its first step, the first sign of its restart
	// and its end; zero = not yet.
	Begun     time.Time `json:"begun,omitzero"`
	Restarted time.Time `json:"restarted,omitzero"`
	Finished  time.Time `json:"finished,omitzero"`
	// Shards attached at its first step, gone since, and come back after the restart; Before
	// is -1 when it is unknown.
	Before    int64 `json:"before"`
	MovedOff  int64 `json:"moved_off"`
	MovedBack int64 `json:"moved_back"`

	Anomalies []Kind `json:"anomalies,omitempty"` // that stand
}

// Summary counts the nodes of one availability zone or of one build.
type Summary struct {
	Name      string `json:"name"` // "" = unknown
	Nodes     int    `json:"nodes"`
	Done      int    `json:"done"`
	Out       int    `json:"out"`      // not Active, Draining or PauseForRestart
	Attached  int64  `json:"attached"` // of the nodes whose gauge is known
	Anomalies int    `json:"anomalies"`
}

// ETA is when the last node may be done: the middle of what the nodes took so far, and
// a band from their quicker to their slower quarter. It is the zero ETA before a node was
// seen from its first step to its last, and when nothing is left to do.
type ETA struct {
	At       time.Time `json:"at,omitzero"`
	Earliest time.Time `json:"earliest,omitzero"`
	Latest   time.Time `json:"latest,omitzero"`
	Seen     int       `json:"seen,omitempty"` // nodes that it rests on
}

// Known reports that there is one.
func (e ETA) Known() bool { return e.Seen > 0 }

// Release is the present state.
func (w *Watch) Release() Release {
	r := Release{
		Cluster: w.cur.Cluster, At: w.now, Stale: w.cur.Stale,
		Started: w.started, Ended: w.ended, Joined: w.joined, Target: w.target,
		Nodes: make([]NodeProgress, 0, len(w.order)),
		Log:   w.log[:len(w.log):len(w.log)],
	}
	r.Anomalies = w.conds.all()
	standing := map[client.NodeID][]Kind{}
	for _, a := range r.Anomalies {
		if a.Stands() && a.Node != 0 {
			standing[a.Node] = append(standing[a.Node], a.Kind)
		}
	}
	for _, t := range w.order {
		n := t.progress()
		n.Anomalies = standing[t.node.ID]
		r.Nodes = append(r.Nodes, n)
		r.Progress.add(t, n, w.target)
	}
	r.ByAZ = summarise(r.Nodes, func(n NodeProgress) string { return n.AZ })
	r.ByBuild = summarise(r.Nodes, func(n NodeProgress) string { return n.Build })
	r.ETA = w.eta(r.Progress)
	return r
}

func (t *track) progress() NodeProgress {
	n := NodeProgress{
		NodeObservation: t.node, Gone: t.gone,
		Phase: t.cur.Phase, Since: t.cur.From, Inferred: t.cur.Inferred, Spans: t.spans(),
		Begun: t.begun, Restarted: t.restarted, Finished: t.finished, Before: t.before,
	}
	if t.before >= 0 && t.lowest >= 0 {
		n.MovedOff = max(0, t.before-t.lowest)
		if !t.restarted.IsZero() {
			n.MovedBack = max(0, t.node.Attached-t.lowest)
		}
	}
	return n
}

func (p *Progress) add(t *track, n NodeProgress, target string) {
	p.MovedOff += n.MovedOff
	p.MovedBack += n.MovedBack
	p.Expected += max(0, n.Before)
	if t.exempt() {
		return
	}
	p.Nodes++
	if n.Phase == Done {
		p.Done++
	}
	if target != "" && n.Build == target {
		p.OnTarget++
	}
}
