package client

import (
	"encoding/json"
	"fmt"

	"github.com/StorconTUI/storcon-tui/client/internal/wire"
)

var (
	_ json.Unmarshaler = (*Node)(nil)
	_ json.Marshaler   = Node{}
	_ json.Unmarshaler = (*NodeShards)(nil)
	_ json.Marshaler   = NodeShards{}
	_ json.Unmarshaler = (*ShardLocation)(nil)
	_ json.Marshaler   = ShardLocation{}
)

type nodeWire struct {
	ID               *NodeID            `json:"id"`
	Availability     *Availability      `json:"availability"`
	Scheduling       *NodePolicy        `json:"scheduling"`
	AvailabilityZone wire.Field[string] `json:"availability_zone_id"`
	ListenHTTPAddr   *string            `json:"listen_http_addr"`
	ListenHTTPPort   *int               `json:"listen_http_port"`
	ListenHTTPSPort  *int               `json:"listen_https_port"`
	ListenPgAddr     string             `json:"listen_pg_addr"`
	ListenPgPort     int                `json:"listen_pg_port"`
	ListenGRPCAddr   *string            `json:"listen_grpc_addr"`
	ListenGRPCPort   *int               `json:"listen_grpc_port"`
}

var nodeFields = []string{
	"id", "availability", "scheduling", "availability_zone_id",
	"listen_http_addr", "listen_http_port", "listen_https_port", "listen_pg_addr",
	"listen_pg_port", "listen_grpc_addr", "listen_grpc_port",
}

func (w nodeWire) node() (Node, error) {
	switch {
	case w.ID == nil:
		return Node{}, wire.Missing("id")
	case w.Availability == nil || *w.Availability == "":
		return Node{}, wire.Missing("availability")
	case w.Scheduling == nil || *w.Scheduling == "":
		return Node{}, wire.Missing("scheduling")
	case w.ListenHTTPAddr == nil:
		return Node{}, wire.Missing("listen_http_addr")
	case w.ListenHTTPPort == nil:
		return Node{}, wire.Missing("listen_http_port")
	}
	n := Node{
		ID:               *w.ID,
		Availability:     Availability(Clean(string(*w.Availability))),
		Scheduling:       NodePolicy(Clean(string(*w.Scheduling))),
		AvailabilityZone: wire.CleanPtr(w.AvailabilityZone.Value),
		ListenHTTPAddr:   Clean(*w.ListenHTTPAddr),
		ListenHTTPPort:   *w.ListenHTTPPort,
		ListenHTTPSPort:  w.ListenHTTPSPort,
		ListenPgAddr:     Clean(w.ListenPgAddr),
		ListenPgPort:     w.ListenPgPort,
		ListenGRPCAddr:   wire.CleanPtr(w.ListenGRPCAddr),
		ListenGRPCPort:   w.ListenGRPCPort,
	}
	keepNull(&n.Extra, "availability_zone_id", w.AvailabilityZone)
	return n, nil
}

// UnmarshalJSON fails when a required field is missing and keeps unknown ones.
func (n *Node) UnmarshalJSON(raw []byte) error {
	var w nodeWire
	extra, err := wire.Object(raw, &w, nodeFields)
	if err != nil {
		return err
	}
	if *n, err = w.node(); err != nil {
		return err
	}
	n.Extra = merge(extra, n.Extra)
	return nil
}

// MarshalJSON writes the unknown fields as well.
func (n Node) MarshalJSON() ([]byte, error) {
	type named Node
	return wire.Encode(named(n), n.Extra)
}

func decodeNodes(body []byte) ([]Node, error) {
	var wires []nodeWire
	if wire.Quick(body, &wires) && wires != nil {
		if nodes, err := wire.Convert(wires, nodeWire.node); err == nil {
			return nodes, uniqueNodes(nodes)
		}
	}
	nodes, err := wire.DecodeList[Node](body, "node")
	if err != nil {
		return nil, err
	}
	return nodes, uniqueNodes(nodes)
}

func uniqueNodes(nodes []Node) error {
	seen := make(map[NodeID]bool, len(nodes))
	for _, n := range nodes {
		if seen[n.ID] {
			return fmt.Errorf("node %v is listed twice", n.ID)
		}
		seen[n.ID] = true
	}
	return nil
}

type shardLocationWire struct {
	ID                TenantShardID `json:"tenant_shard_id"`
	ObservedSecondary wire.Flag     `json:"is_observed_secondary"`
	IntendedSecondary wire.Flag     `json:"is_intended_secondary"`
}

var shardLocationFields = []string{"tenant_shard_id", "is_observed_secondary", "is_intended_secondary"}

func (w shardLocationWire) location() (ShardLocation, error) {
	switch {
	case w.ID == "":
		return ShardLocation{}, wire.Missing("tenant_shard_id")
	case !w.ObservedSecondary.Present:
		return ShardLocation{}, wire.Missing("is_observed_secondary")
	case !w.IntendedSecondary.Present:
		return ShardLocation{}, wire.Missing("is_intended_secondary")
	}
	return ShardLocation{
		ID:                TenantShardID(Clean(string(w.ID))),
		ObservedSecondary: w.ObservedSecondary.Value,
		IntendedSecondary: w.IntendedSecondary.Value,
	}, nil
}

// UnmarshalJSON fails when a field is missing and keeps unknown ones.
func (s *ShardLocation) UnmarshalJSON(raw []byte) error {
	var w shardLocationWire
	extra, err := wire.Object(raw, &w, shardLocationFields)
	if err != nil {
		return err
	}
	if *s, err = w.location(); err != nil {
		return err
	}
	s.Extra = extra
	return nil
}

// MarshalJSON writes the unknown fields as well.
func (s ShardLocation) MarshalJSON() ([]byte, error) {
	type named ShardLocation
	return wire.Encode(named(s), s.Extra)
}

type nodeShardsWire struct {
	NodeID *NodeID             `json:"node_id"`
	Shards []shardLocationWire `json:"shards"`
}

var nodeShardsFields = []string{"node_id", "shards"}

// UnmarshalJSON fails when a field is missing and keeps unknown ones.
func (s *NodeShards) UnmarshalJSON(raw []byte) error {
	var w struct {
		NodeID *NodeID         `json:"node_id"`
		Shards json.RawMessage `json:"shards"`
	}
	extra, err := wire.Object(raw, &w, nodeShardsFields)
	switch {
	case err != nil:
		return err
	case w.NodeID == nil:
		return wire.Missing("node_id")
	case w.Shards == nil:
		return wire.Missing("shards")
	}
	shards, err := wire.DecodeList[ShardLocation](w.Shards, "shard")
	if err != nil {
		return fmt.Errorf("shards: %w", err)
	}
	*s = NodeShards{NodeID: *w.NodeID, Shards: shards, Extra: extra}
	return nil
}

// MarshalJSON writes the unknown fields as well, and no shards as an empty
// list.
func (s NodeShards) MarshalJSON() ([]byte, error) {
	type named NodeShards
	if s.Shards == nil {
		s.Shards = []ShardLocation{}
	}
	return wire.Encode(named(s), s.Extra)
}

func decodeNodeShards(body []byte) (NodeShards, error) {
	var w nodeShardsWire
	if wire.Quick(body, &w) && w.NodeID != nil && w.Shards != nil {
		if shards, err := wire.Convert(w.Shards, shardLocationWire.location); err == nil {
			return NodeShards{NodeID: *w.NodeID, Shards: shards}, nil
		}
	}
	var s NodeShards
	err := s.UnmarshalJSON(body)
	return s, err
}
