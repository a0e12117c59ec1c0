package cluster

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/client/pageserver"
)

// Identity is what a person calls the cluster and where it is.
type Identity struct {
	Name     string
	Endpoint string // host:port of the controller
	Demo     bool
	ReadOnly bool
}

// Part is one thing that is read at its own rate.
type Part[T any] struct {
	Value T
	At    time.Time // when Value was read; zero = never
	Err   error     // why the newest try failed; nil after a good one
	Since time.Time // when the failing began; zero while Err is nil
	Off   string    // why it is not asked for at all; "" = it is
}

// Known reports whether there is a value at all, of whatever age.
func (p Part[T]) Known() bool { return !p.At.IsZero() }

// Age is how old the value is; it means nothing unless Known.
func (p Part[T]) Age(now time.Time) time.Duration { return now.Sub(p.At) }

// Fresh reports a value that is younger than limit.
func (p Part[T]) Fresh(now time.Time, limit time.Duration) bool {
	return p.Known() && now.Sub(p.At) < limit
}

// StaleAfter is the age from which the node list counts as stale: it looks
// stale and blocks actions.
const StaleAfter = 5 * time.Second

// Node is a pageserver with what the other parts say of it.
type Node struct {
	client.Node

	// Figures of the controller's gauges: intent, renewed every 20 s.
	// -1 = unknown.
	Attached, Secondary, Home int64

	// When this console saw the present value arrive; zero = it was there when
	// the console first looked.
	AvailabilitySince, PolicySince time.Time
	// When the present Attached figure arrived, from the first read on: how long
	// nothing has moved, in steps of 20 s. Zero while it is unknown.
	AttachedSince time.Time
	// When its process was seen launched anew under policy Draining: a drain that
	// outlives a restart may still set PauseForRestart. Zero = not since its newest
	// drain began.
	RestartedDraining time.Time
	// Changes of availability in the last five minutes.
	Flaps int

	Process Part[pageserver.Info] // build and launch time
}

// Flapping reports an availability that changes too often to be trusted. One
// restart makes three changes at most: Offline, WarmingUp, Active.
func (n Node) Flapping() bool { return n.Flaps > 3 }

// Address is host:port of the node's HTTP listener.
func (n Node) Address() string { return addressOf(n.Node) }

// Schedulable is the controller's own rule: it may place shards there.
func (n Node) Schedulable() bool {
	return n.Availability == client.AvailabilityActive &&
		(n.Scheduling == client.PolicyActive || n.Scheduling == client.PolicyFilling)
}

// Settled reports Active/Active: up, and nothing asked of it.
func (n Node) Settled() bool {
	return n.Availability == client.AvailabilityActive && n.Scheduling == client.PolicyActive
}

// Epoch tells one life of the leading controller from the next. Address is ""
// when it was read from the process start time (no scope for the leader row).
type Epoch struct {
	Address   string
	StartedAt time.Time
	// Since is when this console first read it. Part.At later than Since means
	// that two reads agree.
	Since time.Time
}

// Same reports the same life of the controller, read in the same way.
func (e Epoch) Same(other Epoch) bool {
	return e.Address == other.Address && e.StartedAt.Equal(other.StartedAt)
}

// String is "address@start", or the start alone; "" when nothing is known.
func (e Epoch) String() string {
	if e.StartedAt.IsZero() {
		return e.Address
	}
	at := e.StartedAt.UTC().Format(time.RFC3339Nano)
	if e.Address == "" {
		return at
	}
	return e.Address + "@" + at
}

// Operation is what the controller's one slot holds, as far as it can be known
// without asking.
type Operation struct {
	Known bool // false: the node list is missing or stale
	Seen  []client.Operation
}

// ShardCounts sums one node's shard list.
type ShardCounts struct {
	Intended, Observed int // attached by intent, attached as last confirmed
	Moving             int // observed here, intended elsewhere, or the reverse
	Secondary          int // observed
	Shards             []client.ShardLocation
}

// Compute is one compute that is watched, and what it says.
type Compute struct {
	Name   string
	URL    string
	Spec   string // where its last known spec is kept, in words; "" = nowhere
	Status Part[compute.Status]
	Since  time.Time // when this console saw the present status arrive; zero = it was there
	// Seen are the statuses that this console saw, oldest first, at most SeenMax. The
	// first is what it was when the console first looked.
	Seen []StatusSeen
	// Startup is what its present start took. It is read once the start is over, and
	// while it goes on only if somebody watches.
	Startup Part[compute.Startup]
}

// Change is one thing that became different between two snapshots.
type Change struct {
	At   time.Time
	Node client.NodeID // 0 = the controller or a compute
	What ChangeKind
	From string
	To   string
	Name string // of the compute, for ComputeStatus
	// Down is how long the process was away, for Restarted; 0 = unknown.
	Down time.Duration
	// Attached is what was still attached (gauge), for a drain's end; -1 = unknown.
	Attached int64
}

// ChangeKind says what became different.
type ChangeKind int

// The kinds of change.
const (
	AvailabilityChanged ChangeKind = iota + 1
	PolicyChanged
	Restarted // launch time differs; From and To are builds
	NodeAppeared
	NodeVanished
	AddressChanged
	LeaderChanged
	ControllerLost
	ControllerBack
	ComputeStatusChanged
	ComputeAppeared
	ComputeVanished // from the list; what it does is not known
	ForeignCalls    // the controller counted calls that are not ours; To says which: "drain 1, config 2"
)

// Snapshot is the cluster at one moment. Nothing in it changes after it was
// published; its slices and maps are shared and must not be written to.
//
// A new Snapshot is published after every read. Seq grows only when something
// that can be seen became different: a value, an error, an event. Two Snapshots with
// one Seq differ in nothing but the moments at which their parts were read, so
// a screen that has drawn a Seq needs to draw only ages anew.
type Snapshot struct {
	Seq uint64
	At  time.Time
	Identity

	Nodes    Part[[]Node] // sorted by id
	Metrics  Part[client.Metrics]
	Leader   Part[Epoch]
	Shards   map[client.NodeID]Part[ShardCounts] // nodes that somebody asked to watch
	Computes []Compute                           // in the order of the list
	// Tenants are those of the computes, as the controller intends their shards. They
	// are read slowly: one a second at most, all together.
	Tenants map[client.TenantID]Part[[]client.TenantShard]
	Token   TokenView
	Events  []Change // newest first, at most EventRing
	// DatabaseErrors are the queries that the controller's database refused between the
	// two newest scrapes that show some, and DatabaseErrorsAt is when that was
	// read; zero = none since this console looks.
	DatabaseErrors   int64
	DatabaseErrorsAt time.Time

	// Alerts are those that fire, by name; nil = nobody is asked.
	Alerts *Part[[]string]

	// Discovery is how many computes were listed last; nil = they are those of the
	// configuration for good.
	Discovery *Part[int]

	computeAt map[string]int // place in Computes, by name
}

// LacksAdmin says that the token is known to have less than scope admin: without
// it no policy can be set and no shard list read.
func (s *Snapshot) LacksAdmin() bool {
	if s.Token.Scope != "" {
		return s.Token.Scope != client.ScopeAdmin
	}
	return strings.HasPrefix(s.Leader.Off, offScope)
}

// EventRing bounds Snapshot.Events.
const EventRing = 500

// TokenView is what can be said of the token without showing it.
type TokenView struct {
	Source  string // "file ~/x.jwt"; "" = no token
	Scope   string // "" = unknown
	Subject string
	Expires time.Time // zero = never or unknown
}

// Node finds a node by id.
func (s *Snapshot) Node(id client.NodeID) (Node, bool) {
	i, ok := slices.BinarySearchFunc(s.Nodes.Value, id, func(n Node, id client.NodeID) int {
		return cmp.Compare(n.ID, id)
	})
	if !ok {
		return Node{}, false
	}
	return s.Nodes.Value[i], true
}

// Stale reports a node list too old to act upon.
func (s *Snapshot) Stale(now time.Time) bool { return !s.Nodes.Fresh(now, StaleAfter) }

// Operation infers what occupies the controller's slot from the policies. A
// label can outlive its operation and an operation its label, so this is a
// hint; the server's refusal names the truth.
func (s *Snapshot) Operation(now time.Time) Operation {
	if s.Stale(now) {
		return Operation{}
	}
	op := Operation{Known: true}
	for i := range s.Nodes.Value {
		n := &s.Nodes.Value[i] // asked at every frame: a Node is large to copy
		if kind, ok := operationOf(n.Scheduling); ok {
			op.Seen = append(op.Seen, client.Operation{Kind: kind, Node: n.ID})
		}
	}
	return op
}

func operationOf(p client.NodePolicy) (client.OperationKind, bool) {
	switch p {
	case client.PolicyDraining:
		return client.OperationDrain, true
	case client.PolicyFilling:
		return client.OperationFill, true
	case client.PolicyDeleting:
		return client.OperationDelete, true
	}
	return "", false
}
