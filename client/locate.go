package client

import (
	"context"
	"net/url"

	"github.com/StorconTUI/storcon-tui/client/internal/wire"
)

// Locations says where computes of a tenant find its shards (contract A.2, locate). It
// is intent, as the tenant's description is.
type Locations struct {
	Shards     []Location
	Count      int  // of shards; 0 = the tenant is not sharded
	StripeSize *int // unit 8 KiB pages; nil where none is told
	Extra      Fields
}

// Location is one shard and its pageserver's listeners.
type Location struct {
	Shard    TenantShardID
	Node     NodeID
	PgHost   string
	PgPort   int
	GRPCHost *string // nil = it has no such listener
	GRPCPort *int
}

type locationWire struct {
	Shard    TenantShardID      `json:"shard_id"`
	Node     *NodeID            `json:"node_id"`
	PgHost   string             `json:"listen_pg_addr"`
	PgPort   *int               `json:"listen_pg_port"`
	GRPCHost wire.Field[string] `json:"listen_grpc_addr"`
	GRPCPort wire.Field[int]    `json:"listen_grpc_port"`
}

func (w locationWire) location() (Location, error) {
	switch {
	case w.Shard == "":
		return Location{}, wire.Missing("shard_id")
	case w.Node == nil:
		return Location{}, wire.Missing("node_id")
	case w.PgHost == "":
		return Location{}, wire.Missing("listen_pg_addr")
	case w.PgPort == nil:
		return Location{}, wire.Missing("listen_pg_port")
	}
	return Location{
		Shard: TenantShardID(Clean(string(w.Shard))), Node: *w.Node, PgHost: Clean(w.PgHost), PgPort: *w.PgPort,
		GRPCHost: wire.CleanPtr(w.GRPCHost.Value), GRPCPort: w.GRPCPort.Value,
	}, nil
}

type locationsWire struct {
	Shards []locationWire `json:"shards"`
	Params *struct {
		Count      int  `json:"count"`
		StripeSize *int `json:"stripe_size"`
	} `json:"shard_params"`
}

// UnmarshalJSON fails when a field is missing that a compute could not do without.
func (l *Locations) UnmarshalJSON(raw []byte) error {
	var w locationsWire
	extra, err := wire.Object(raw, &w, []string{"shards", "shard_params"})
	switch {
	case err != nil:
		return err
	case w.Shards == nil:
		return wire.Missing("shards")
	case w.Params == nil:
		return wire.Missing("shard_params")
	}
	shards, err := wire.Convert(w.Shards, locationWire.location)
	if err != nil {
		return err
	}
	*l = Locations{Shards: shards, Count: w.Params.Count, StripeSize: w.Params.StripeSize, Extra: extra}
	return nil
}

// Locate reads where a tenant's shards are for its computes (scope admin). One that is
// unknown is Refused with status 404, a detached one with 400.
func (c *Client) Locate(ctx context.Context, id TenantID) (Locations, error) {
	path := "/debug/v1/tenant/" + url.PathEscape(string(id)) + "/locate"
	return get(ctx, c, path, c.conn.cfg.Timeouts.Read, func(body []byte) (Locations, error) {
		var l Locations
		return l, l.UnmarshalJSON(body)
	})
}
