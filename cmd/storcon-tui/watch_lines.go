package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/release"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

// watchVersion is the version of watchLine. Fields and events may be added under the
// same one; a field that goes or changes its meaning raises it.
const watchVersion = 1

// watchLines print a release as it goes on: first where everything stands, then a line for
// each event.
type watchLines interface {
	begin(r release.Release) error
	event(e release.Event, r release.Release) error
}

func watchLinesTo(out io.Writer, format string, identity cluster.Identity) watchLines {
	if format == formatJSONL {
		return jsonLines{out: out}
	}
	return textLines{out: out, identity: identity}
}

// watchBegun is the event of the first line.
const watchBegun = "watching"

// watchLine is one line of watch -o jsonl. A field that says nothing is absent.
type watchLine struct {
	Version  int           `json:"version"`
	At       time.Time     `json:"at"`
	Cluster  string        `json:"cluster"`
	Event    string        `json:"event"`
	Node     client.NodeID `json:"node,omitempty"`
	From     string        `json:"from,omitempty"` // phases
	To       string        `json:"to,omitempty"`
	Inferred bool          `json:"inferred,omitempty"` // it was not seen and follows from what was
	Anomaly  *watchAnomaly `json:"anomaly,omitempty"`
	Release  *watchRelease `json:"release,omitempty"`
	Nodes    []watchNode   `json:"nodes,omitempty"` // in the first line
}

type watchAnomaly struct {
	Kind    string     `json:"kind"`
	Compute string     `json:"compute,omitempty"`
	Since   time.Time  `json:"since"`
	Until   *time.Time `json:"until,omitempty"`
	Text    string     `json:"text"`
}

type watchRelease struct {
	Started   time.Time  `json:"started_at"`
	Ended     *time.Time `json:"ended_at"` // null = it goes on
	Joined    bool       `json:"joined"`   // it was going on before, since then or longer
	Target    *string    `json:"target"`   // build; null = all run the same, or none is known
	Nodes     int        `json:"nodes"`
	Done      int        `json:"done"`
	OnTarget  int        `json:"on_target"`
	MovedOff  int64      `json:"moved_off"`
	MovedBack int64      `json:"moved_back"`
	ETA       *watchETA  `json:"eta"` // null = nothing is known of it
	Anomalies int        `json:"anomalies"`
	Standing  int        `json:"standing"`
}

type watchETA struct {
	At       time.Time `json:"at"`
	Earliest time.Time `json:"earliest"`
	Latest   time.Time `json:"latest"`
}

type watchNode struct {
	Node         client.NodeID `json:"node"`
	AZ           string        `json:"az"`
	Phase        string        `json:"phase"`
	Since        time.Time     `json:"since"`
	Policy       string        `json:"policy"`
	Availability string        `json:"availability"`
	Attached     *int64        `json:"attached"`
	Build        *string       `json:"build"`
}

// jsonLines print one object a line.
type jsonLines struct{ out io.Writer }

func (l jsonLines) print(line watchLine) error { return json.NewEncoder(l.out).Encode(line) }

func (l jsonLines) begin(r release.Release) error {
	line := watchLine{
		Version: watchVersion, At: r.At, Cluster: r.Cluster, Event: watchBegun,
		Release: makeWatchRelease(r), Nodes: []watchNode{},
	}
	for _, n := range r.Nodes {
		node := watchNode{
			Node: n.ID, AZ: n.AZ, Phase: string(n.Phase), Since: n.Since,
			Policy: string(n.Policy), Availability: string(n.Availability), Attached: figure(n.Attached),
		}
		if n.Build != "" {
			node.Build = &n.Build
		}
		line.Nodes = append(line.Nodes, node)
	}
	return l.print(line)
}

func (l jsonLines) event(e release.Event, r release.Release) error {
	line := watchLine{
		Version: watchVersion, At: e.At, Cluster: r.Cluster, Event: string(e.Kind), Node: e.Node,
		From: string(e.From), To: string(e.To), Inferred: e.Inferred, Release: makeWatchRelease(r),
	}
	if a := e.Anomaly; a != nil {
		line.Node = a.Node
		line.Anomaly = &watchAnomaly{Kind: string(a.Kind), Compute: a.Compute, Since: a.Since, Text: a.Text}
		if !a.Stands() {
			line.Anomaly.Until = &a.Until
		}
	}
	return l.print(line)
}

// makeWatchRelease is nil while no release was seen.
func makeWatchRelease(r release.Release) *watchRelease {
	if r.Started.IsZero() {
		return nil
	}
	line := &watchRelease{
		Started: r.Started, Joined: r.Joined,
		Nodes: r.Progress.Nodes, Done: r.Progress.Done, OnTarget: r.Progress.OnTarget,
		MovedOff: r.Progress.MovedOff, MovedBack: r.Progress.MovedBack,
		Anomalies: len(r.Anomalies), Standing: r.Standing(),
	}
	if !r.Ended.IsZero() {
		line.Ended = &r.Ended
	}
	if r.Target != "" {
		line.Target = &r.Target
	}
	if r.ETA.Known() {
		line.ETA = &watchETA{At: r.ETA.At, Earliest: r.ETA.Earliest, Latest: r.ETA.Latest}
	}
	return line
}

// textLines are for people.
type textLines struct {
	out      io.Writer
	name     string // of the cluster, as wide as all names; "" = there is one alone
	identity cluster.Identity
}

func (l textLines) print(at time.Time, text string) error {
	if l.name != "" {
		text = l.name + "  " + text
	}
	_, err := fmt.Fprintf(l.out, "%s  %s\n", at.Local().Format(time.TimeOnly), printable(text))
	return err
}

func (l textLines) begin(r release.Release) error {
	text := fmt.Sprintf("watching %s, %s: ", prose.Cluster(l.identity), prose.Things(int64(len(r.Nodes)), "node"))
	switch {
	case r.Stale && len(r.Nodes) == 0:
		text = "watching " + prose.Cluster(l.identity) + ": its list of nodes was not read yet"
	case r.Live():
		text += "a release goes on since " + r.Started.Local().Format(time.TimeOnly) + ", " + doneOf(r)
	default:
		text += "no release goes on"
	}
	if err := l.print(r.At, text); err != nil {
		return err
	}
	for _, n := range r.Nodes {
		if n.Phase == release.Waiting || n.Phase == release.Done {
			continue
		}
		if err := l.print(n.Since, fmt.Sprintf("node %s  %s: %s/%s", n.ID, n.Phase, n.Availability, n.Policy)); err != nil {
			return err
		}
	}
	return nil
}

// doneOf says how far a release is.
func doneOf(r release.Release) string {
	text := fmt.Sprintf("%d of %s done", r.Progress.Done, prose.Things(int64(r.Progress.Nodes), "node"))
	if r.Target != "" {
		text += ", target " + r.Target
	}
	return text
}

func (l textLines) event(e release.Event, r release.Release) error {
	about := ""
	if e.Node != 0 {
		about = "node " + e.Node.String() + "  "
	}
	switch e.Kind {
	case release.ReleaseStarted:
		return l.print(e.At, "release begun")
	case release.ReleaseEnded:
		return l.print(e.At, releaseEnd(r))
	case release.PhaseChanged:
		return l.print(e.At, about+phaseChange(e, r))
	case release.AnomalyBegan, release.AnomalyEnded:
		return l.print(e.At, anomalyLine(e))
	case release.NodeAppeared:
		return l.print(e.At, about+"registered")
	case release.NodeVanished:
		return l.print(e.At, about+"no longer registered")
	}
	return l.print(e.At, about+e.Kind.String())
}

// phaseChange is a step of a node; the last one also says how far the release is.
func phaseChange(e release.Event, r release.Release) string {
	text := e.To.String()
	if took, ok := lasted(e, r); ok {
		text += fmt.Sprintf(", after %s %s", prose.Span(took), e.From)
	}
	if e.Inferred {
		text += " (inferred)"
	}
	if e.To != release.Done {
		return text
	}
	text += "; " + doneOf(r)
	if r.ETA.Known() {
		left := func(t time.Time) string { return prose.Span(t.Sub(r.At)) }
		text += fmt.Sprintf(", all in about %s (%s to %s)", left(r.ETA.At), left(r.ETA.Earliest), left(r.ETA.Latest))
	}
	return text
}

// lasted is how long the phase took that the event ends. How long a node waited is of
// no interest.
func lasted(e release.Event, r release.Release) (time.Duration, bool) {
	if e.From == release.Waiting || e.From == release.Done {
		return 0, false
	}
	i := slices.IndexFunc(r.Nodes, func(n release.NodeProgress) bool { return n.ID == e.Node })
	if i < 0 {
		return 0, false
	}
	for _, span := range slices.Backward(r.Nodes[i].Spans) {
		if span.Phase == e.From && span.To.Equal(e.At) {
			return span.To.Sub(span.From), true
		}
	}
	return 0, false // it took no time
}

func anomalyLine(e release.Event) string {
	a := e.Anomaly
	if a.Stands() {
		return fmt.Sprintf("! %s: %s", a.Kind, a.Text) // the text says of which node
	}
	about := ""
	switch {
	case a.Node != 0:
		about = " of node " + a.Node.String()
	case a.Compute != "":
		about = " of compute " + a.Compute
	}
	return fmt.Sprintf("over: %s%s, after %s", a.Kind, about, prose.Span(a.Until.Sub(a.Since)))
}

func releaseEnd(r release.Release) string {
	text := fmt.Sprintf("release over, after %s: %s; ", prose.Span(r.Ended.Sub(r.Started)), doneOf(r))
	if len(r.Anomalies) == 0 {
		return text + "nothing looked wrong"
	}
	return text + "not all was well: " + strings.Join(anomalyNames(r.Anomalies), ", ")
}
