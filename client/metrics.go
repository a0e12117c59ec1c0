package client

import "time"

// Metrics is one scrape of the controller's /metrics (contract A.5).
// Figures per node count intent and are renewed every 20 s; counters are live.
type Metrics struct {
	Nodes map[NodeID]NodeGauges // a deleted node's series stays until the controller restarts

	// -1 when the controller has no such family: older ones lack some.
	TenantShards        int64
	PendingReconciles   int64
	StuckReconciles     int64
	AZViolations        int64
	Optimizations       int64 // counter
	ReconcilesSpawned   int64 // counter
	ReconcilesCompleted map[string]int64
	LongRunning         []LongReconcile
	DatabaseErrors      int64 // counter, of all kinds; never -1: without errors the family has no series

	Leadership   string    // "leader", "stepped_down", "candidate"; "" when the family is missing
	ProcessStart time.Time // zero when missing
	Build        Build

	Requests []RequestCount // by route name, method and status, sorted
}

// NodeGauges are the figures of one node; each is -1 when its series is missing.
type NodeGauges struct {
	AZ       string
	Shards   int64 // attached + secondary locations
	Attached int64
	Home     int64 // locations in the shard's preferred AZ
}

// Secondary is Shards less Attached, -1 when either is missing.
func (g NodeGauges) Secondary() int64 {
	if g.Shards < 0 || g.Attached < 0 {
		return -1
	}
	return g.Shards - g.Attached
}

// LongReconcile is a reconcile that has run for over 120 s.
type LongReconcile struct {
	Tenant TenantID
	Shard  string // shard_number label
	Seq    string
}

// RequestCount is one series of storage_controller_http_request_status.
type RequestCount struct {
	Route  string // a route's name, such as control_v1_node_drain
	Method string // lower case
	Status int
	Count  int64
}

// Build is what a program says of its build; fields are "" when missing.
type Build struct {
	Revision string
	Tag      string
}
