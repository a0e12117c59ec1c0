package client

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// NodeID names a pageserver. Production ids may exceed 2^31.
type NodeID uint64

func (id NodeID) String() string { return strconv.FormatUint(uint64(id), 10) }

// TenantID is 32 lower-case hexadecimal characters.
type TenantID string

// TenantShardID is a tenant id, followed by -NNCC (shard number and shard
// count, two hexadecimal digits each) when the tenant is sharded.
type TenantShardID string

// Tenant is the part before the shard suffix.
func (id TenantShardID) Tenant() TenantID {
	tenant, _, _ := strings.Cut(string(id), "-")
	return TenantID(tenant)
}

// Availability is what heartbeats say of a node. A value that this client does
// not know is kept as the server spelt it and is never treated as safe.
type Availability string

// The availabilities of today's controller.
const (
	AvailabilityActive    Availability = "Active"
	AvailabilityWarmingUp Availability = "WarmingUp"
	AvailabilityOffline   Availability = "Offline"
)

// NodePolicy is a node's scheduling policy: what the controller may place
// there, and the only trace in an answer of a drain or fill. Unknown values
// are kept verbatim.
type NodePolicy string

// The node scheduling policies of today's controller.
const (
	PolicyActive          NodePolicy = "Active"
	PolicyFilling         NodePolicy = "Filling"
	PolicyPause           NodePolicy = "Pause"
	PolicyPauseForRestart NodePolicy = "PauseForRestart"
	PolicyDraining        NodePolicy = "Draining"
	PolicyDeleting        NodePolicy = "Deleting"
)

// ShardPolicy says whether the scheduler may move a shard.
type ShardPolicy string

// The shard scheduling policies of today's controller. A drain leaves shards
// in Pause or Stop where they are.
const (
	ShardActive    ShardPolicy = "Active"
	ShardEssential ShardPolicy = "Essential"
	ShardPause     ShardPolicy = "Pause"
	ShardStop      ShardPolicy = "Stop"
)

// Fields are those that the server sent and this client does not name. They survive
// decoding and encoding.
type Fields map[string]json.RawMessage

// Node is the controller's description of a pageserver (contract A.1). ID,
// Availability and Scheduling are always present; their absence is a
// bad answer, never a default.
type Node struct {
	ID               NodeID       `json:"id"`
	Availability     Availability `json:"availability"`
	Scheduling       NodePolicy   `json:"scheduling"`
	AvailabilityZone *string      `json:"availability_zone_id,omitempty"` // absent on old controllers
	ListenHTTPAddr   string       `json:"listen_http_addr"`
	ListenHTTPPort   int          `json:"listen_http_port"`
	ListenHTTPSPort  *int         `json:"listen_https_port"`
	ListenPgAddr     string       `json:"listen_pg_addr"`
	ListenPgPort     int          `json:"listen_pg_port"`
	ListenGRPCAddr   *string      `json:"listen_grpc_addr"`
	ListenGRPCPort   *int         `json:"listen_grpc_port"`
	Extra            Fields       `json:"-"`
}

// AZ is the availability zone, "" when the controller did not say.
func (n Node) AZ() string {
	if n.AvailabilityZone == nil {
		return ""
	}
	return *n.AvailabilityZone
}

// NodeShards lists the locations on one node (contract A.1). An unknown node
// has an empty list, not a 404: a zero counts only beside a good Node read.
type NodeShards struct {
	NodeID NodeID          `json:"node_id"`
	Shards []ShardLocation `json:"shards"`
	Extra  Fields          `json:"-"`
}

// ShardLocation says what one node is to one shard. Each flag has three
// states: true secondary, false attached, nil not on this node. Intended is
// the controller's target, observed what a pageserver last confirmed.
type ShardLocation struct {
	ID                TenantShardID `json:"tenant_shard_id"`
	ObservedSecondary *bool         `json:"is_observed_secondary"`
	IntendedSecondary *bool         `json:"is_intended_secondary"`
	Extra             Fields        `json:"-"`
}

// ObservedAttached reports that the node really serves the shard.
func (s ShardLocation) ObservedAttached() bool {
	return s.ObservedSecondary != nil && !*s.ObservedSecondary
}

// IntendedAttached reports that the controller wants the shard attached here.
func (s ShardLocation) IntendedAttached() bool {
	return s.IntendedSecondary != nil && !*s.IntendedSecondary
}

// NodeConfig is the body of PUT node/:id/config; nil leaves a field alone.
type NodeConfig struct {
	NodeID       NodeID        `json:"node_id"`
	Availability *Availability `json:"availability,omitempty"`
	Scheduling   *NodePolicy   `json:"scheduling,omitempty"`
}

// Placement is {"Attached":N}, "Secondary", "Detached" or something newer.
// Raw is what the server sent; Secondaries is N, or -1 when it isn't Attached.
type Placement struct {
	Raw         json.RawMessage
	Secondaries int
}

// Tenant is a tenant with its shards (contract A.2).
type Tenant struct {
	ID         TenantID        `json:"tenant_id"`
	Shards     []TenantShard   `json:"shards"`
	StripeSize *int            `json:"stripe_size,omitempty"` // unit 8 KiB pages
	Policy     Placement       `json:"policy"`
	Config     json.RawMessage `json:"config"`
	Extra      Fields          `json:"-"`
}

// TenantShard is one shard as the controller intends it: NodeAttached and
// NodeSecondary are targets, not observations.
type TenantShard struct {
	ID                           TenantShardID `json:"tenant_shard_id"`
	NodeAttached                 *NodeID       `json:"node_attached"`
	NodeSecondary                []NodeID      `json:"node_secondary"`
	LastError                    string        `json:"last_error"` // never cleared by a later success
	IsReconciling                bool          `json:"is_reconciling"`
	IsPendingComputeNotification bool          `json:"is_pending_compute_notification"`
	IsSplitting                  bool          `json:"is_splitting"`
	IsImporting                  *bool         `json:"is_importing,omitempty"`
	SchedulingPolicy             ShardPolicy   `json:"scheduling_policy"`
	PreferredAZ                  *string       `json:"preferred_az_id,omitempty"`
	Extra                        Fields        `json:"-"`
}

// TenantsPage asks for one page of the tenant list, ordered by tenant id.
type TenantsPage struct {
	Limit      int      // tenants; 0 = everything (the server's limit=0 means one, and is never sent)
	StartAfter TenantID // exclusive; "" = from the beginning
}

// Leader is the row that the leading controller wrote about itself. StartedAt
// changes at every restart and takeover.
type Leader struct {
	Address   string    `json:"address"`
	StartedAt time.Time `json:"started_at"`
	Extra     Fields    `json:"-"`
}

// OperationKind is a background operation of the controller.
type OperationKind string

// The operations that share the controller's single slot.
const (
	OperationDrain  OperationKind = "drain"
	OperationFill   OperationKind = "fill"
	OperationDelete OperationKind = "delete"
)

// Operation is what occupies the slot, as a 412 names it: "drain 3".
type Operation struct {
	Kind OperationKind
	Node NodeID
}

func (o Operation) String() string { return string(o.Kind) + " " + o.Node.String() }
