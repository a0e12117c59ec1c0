package release

import (
	"maps"
	"slices"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
)

// KeepEvery is how often an observation is to be kept although it is the Same as the
// one before. Of a silence that is much longer a Watch believes that nobody was looking, and
// concludes less from how long a state lasted. Of a row of observations that are the Same, the
// last is to be kept too, at the latest when one follows that is not: what happened
// unseen lies between these two.
const KeepEvery = time.Minute

// Observation is what one look at a cluster showed, as far as a release can be told
// from it. It is small, goes to disk as it is, and is not changed after it was made.
// Its moments are in UTC and survive JSON unchanged.
type Observation struct {
	At      time.Time `json:"at"`
	Cluster string    `json:"cluster"`

	// Error is why the newest read of the node list failed, "" after a good one.
	// Stale says that Nodes, the last known, are too old to be believed; none are known when
	// there was no good read yet.
	Error string            `json:"error,omitempty"`
	Stale bool              `json:"stale,omitempty"`
	Nodes []NodeObservation `json:"nodes"` // by id

	Leader     string     `json:"leader,omitempty"` // a life of the controller, as Epoch.String; "" unknown
	Reconciles Reconciles `json:"reconciles"`
	// Calls are those that the controller accepted since its process began, whoever sent
	// them: cluster.AcceptedCalls. nil = its counters were not read.
	Calls map[string]int64 `json:"calls"`
	// Foreign is the newest surplus of calls over those of this process.
	Foreign ForeignCalls `json:"foreign,omitzero"`

	Computes []ComputeObservation `json:"computes,omitempty"` // in configuration order
}

// NodeObservation is what was seen of one node.
type NodeObservation struct {
	ID           client.NodeID       `json:"id"`
	Address      string              `json:"address"` // host:port of its HTTP listener
	AZ           string              `json:"az,omitempty"`
	Policy       client.NodePolicy   `json:"policy"`
	Availability client.Availability `json:"availability"`

	// The controller's gauges, renewed every 20 s; -1 = unknown.
	Attached  int64 `json:"attached"`
	Secondary int64 `json:"secondary"`
	Home      int64 `json:"home"`

	// What its process last said: Launched by the node's own clock, so to be compared
	// with itself only. "" and zero = never read.
	Build    string    `json:"build,omitempty"`
	Launched time.Time `json:"launched,omitzero"`
	// Silent: the process did not answer when it was last asked.
	Silent bool `json:"silent,omitempty"`
}

// Reconciles are the controller's figures; -1 = unknown.
type Reconciles struct {
	Pending        int64 `json:"pending"`
	Stuck          int64 `json:"stuck"`
	Long           int64 `json:"long"`            // running for over 120 s
	Errors         int64 `json:"errors"`          // counter
	DatabaseErrors int64 `json:"database_errors"` // counter
}

// ForeignCalls are calls that this process did not send, as in "config 2, drain 1".
type ForeignCalls struct {
	At   time.Time `json:"at"`
	Text string    `json:"text"`
}

// ComputeObservation is what was seen of one configured compute.
type ComputeObservation struct {
	Name   string        `json:"name"`
	Status compute.State `json:"status,omitempty"` // the last known; "" = it never answered
	Error  string        `json:"error,omitempty"`  // its own words
	Silent string        `json:"silent,omitempty"` // why it does not answer
}

// Observe takes out of a snapshot what a release is read from.
func Observe(s *cluster.Snapshot) Observation {
	o := Observation{
		At: plain(s.At), Cluster: s.Name, Stale: s.Stale(s.At),
		Nodes:      make([]NodeObservation, 0, len(s.Nodes.Value)),
		Reconciles: Reconciles{Pending: -1, Stuck: -1, Long: -1, Errors: -1, DatabaseErrors: -1},
	}
	if s.Nodes.Err != nil {
		o.Error = s.Nodes.Err.Error()
	}
	for i := range s.Nodes.Value {
		o.Nodes = append(o.Nodes, observeNode(&s.Nodes.Value[i]))
	}
	if s.Leader.Known() {
		o.Leader = s.Leader.Value.String()
	}
	if m := &s.Metrics.Value; s.Metrics.Known() {
		o.Calls = cluster.AcceptedCalls(*m)
		o.Reconciles = Reconciles{
			Pending: m.PendingReconciles, Stuck: m.StuckReconciles, Long: int64(len(m.LongRunning)),
			Errors: -1, DatabaseErrors: m.DatabaseErrors,
		}
		if n, ok := m.ReconcilesCompleted["error"]; ok {
			o.Reconciles.Errors = n
		}
	}
	for _, c := range s.Events { // newest first
		if c.What == cluster.ForeignCalls {
			o.Foreign = ForeignCalls{At: plain(c.At), Text: c.To}
			break
		}
	}
	for i := range s.Computes {
		o.Computes = append(o.Computes, observeCompute(&s.Computes[i]))
	}
	return o
}

func observeNode(n *cluster.Node) NodeObservation {
	return NodeObservation{
		ID: n.ID, Address: n.Address(), AZ: n.AZ(), Policy: n.Scheduling, Availability: n.Availability,
		Attached: n.Attached, Secondary: n.Secondary, Home: n.Home,
		Build:    cluster.BuildName(n.Process.Value.Build),
		Launched: plain(n.Process.Value.Launch),
		Silent:   n.Process.Err != nil,
	}
}

func observeCompute(c *cluster.Compute) ComputeObservation {
	o := ComputeObservation{Name: c.Name, Status: c.Status.Value.State}
	if c.Status.Value.Error != nil {
		o.Error = *c.Status.Value.Error
	}
	if c.Status.Err != nil {
		o.Silent = c.Status.Err.Error()
	}
	return o
}

// plain is the moment without what JSON would lose of it. A clock that is so wrong
// that JSON refuses it says nothing.
func plain(t time.Time) time.Time {
	if t.IsZero() || t.Year() > 9999 || t.Year() < 1 {
		return time.Time{}
	}
	return t.Round(0).UTC()
}

// Same reports an observation that differs from o in nothing but the moment: all that
// it adds is that somebody looked (see KeepEvery).
func (o Observation) Same(other Observation) bool {
	return o.Cluster == other.Cluster && o.Error == other.Error && o.Stale == other.Stale &&
		o.Leader == other.Leader && o.Reconciles == other.Reconciles &&
		o.Foreign.Text == other.Foreign.Text && o.Foreign.At.Equal(other.Foreign.At) &&
		(o.Calls == nil) == (other.Calls == nil) && maps.Equal(o.Calls, other.Calls) &&
		slices.EqualFunc(o.Nodes, other.Nodes, NodeObservation.same) && slices.Equal(o.Computes, other.Computes)
}

func (n NodeObservation) same(other NodeObservation) bool {
	launched := n.Launched.Equal(other.Launched)
	n.Launched, other.Launched = time.Time{}, time.Time{}
	return launched && n == other
}
