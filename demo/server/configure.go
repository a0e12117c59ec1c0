package server

import (
	"encoding/json"
	"net/http"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/demo/sim"
)

const unsigned = "u64"

func configureNode(q *request) *reply {
	id, refusal := q.nodeID()
	if refusal != nil {
		return refusal
	}
	f, refusal := parseFields(q.body)
	if refusal != nil {
		return refusal
	}
	availability, refusal := variant(f, "availability",
		client.AvailabilityActive, client.AvailabilityWarmingUp, client.AvailabilityOffline)
	if refusal != nil {
		return refusal
	}
	policy, refusal := variant(f, "scheduling", client.PolicyActive, client.PolicyFilling, client.PolicyPause,
		client.PolicyPauseForRestart, client.PolicyDraining, client.PolicyDeleting)
	if refusal != nil {
		return refusal
	}
	bodyID, refusal := required[uint64](f, "node_id", unsigned)
	if refusal != nil {
		return refusal
	}
	if client.NodeID(bodyID) != id {
		return badRequest("Path and body node_id differ")
	}
	var err error
	q.server.with(func(w *sim.World) { err = w.Configure(id, availability, policy) })
	return done(http.StatusOK, err)
}

func registerNode(q *request) *reply {
	f, refusal := parseFields(q.body)
	if refusal != nil {
		return refusal
	}
	id, az, address, refusal := registration(f)
	if refusal != nil {
		return refusal
	}
	var err error
	q.server.with(func(w *sim.World) { err = w.Register(id, az, address) })
	return done(http.StatusOK, err)
}

// registration reads the body of a registration.
func registration(f *fields) (client.NodeID, string, sim.Address, *reply) {
	var a sim.Address
	var firstRefusal *reply
	keep := func(r *reply) {
		if firstRefusal == nil {
			firstRefusal = r
		}
	}
	text := func(name string) string {
		v, r := required[string](f, name, "a string")
		keep(r)
		return v
	}
	port := func(name string) int {
		v, r := required[uint16](f, name, "u16")
		keep(r)
		return int(v)
	}
	optionalPort := func(name string) *int {
		v, r := optional[uint16](f, name, "u16")
		keep(r)
		if v == nil {
			return nil
		}
		n := int(*v)
		return &n
	}
	id, r := required[uint64](f, "node_id", unsigned)
	keep(r)
	a.PgHost, a.PgPort = text("listen_pg_addr"), port("listen_pg_port")
	a.HTTPHost, a.HTTPPort = text("listen_http_addr"), port("listen_http_port")
	a.HTTPSPort = optionalPort("listen_https_port")
	a.GRPCHost, r = optional[string](f, "listen_grpc_addr", "a string")
	keep(r)
	a.GRPCPort = optionalPort("listen_grpc_port")
	az := text("availability_zone_id")
	return client.NodeID(id), az, a, firstRefusal
}

func reAttach(q *request) *reply {
	f, refusal := parseFields(q.body)
	if refusal != nil {
		return refusal
	}
	id, refusal := required[uint64](f, "node_id", unsigned)
	if refusal != nil {
		return refusal
	}
	var register *fields
	if v, ok := f.given("register"); ok {
		if register, refusal = parseFields(v.raw); refusal != nil {
			return refusal
		}
	}
	var held []sim.Location
	var err error
	q.server.with(func(w *sim.World) {
		if register != nil {
			rid, az, address, r := registration(register)
			if r != nil {
				refusal = r
				return
			}
			if err = w.Register(rid, az, address); err != nil {
				return
			}
		}
		held, err = w.ReAttach(client.NodeID(id))
	})
	switch {
	case refusal != nil:
		return refusal
	case err != nil:
		return failure(err)
	}
	return encodeReAttach(held)
}

func encodeReAttach(held []sim.Location) *reply {
	type tenantJSON struct {
		ID         string `json:"id"`
		Gen        *int   `json:"gen"`
		Mode       string `json:"mode"`
		StripeSize int    `json:"stripe_size"`
	}
	tenants := make([]tenantJSON, len(held))
	for i, h := range held {
		tenants[i] = tenantJSON{ID: string(h.Shard), Mode: "Secondary", StripeSize: stripeSize}
		if h.Generation > 0 {
			tenants[i].Gen, tenants[i].Mode = &held[i].Generation, "AttachedSingle"
		}
	}
	return jsonReply(http.StatusOK, map[string]any{"tenants": tenants})
}

func setTenantPolicy(q *request) *reply {
	id, refusal := q.tenantID()
	if refusal != nil {
		return refusal
	}
	f, refusal := parseFields(q.body)
	if refusal != nil {
		return refusal
	}
	scheduling, refusal := variant(f, "scheduling",
		client.ShardActive, client.ShardEssential, client.ShardPause, client.ShardStop)
	if refusal != nil {
		return refusal
	}
	placement, refusal := placementOf(f)
	if refusal != nil {
		return refusal
	}
	var err error
	q.server.with(func(w *sim.World) { err = w.SetTenantPolicy(id, placement, scheduling) })
	return done(http.StatusOK, err)
}

func placementOf(f *fields) (*sim.PlacementChange, *reply) {
	v, ok := f.given("placement")
	if !ok {
		return nil, nil
	}
	var attached struct{ Attached json.RawMessage }
	if json.Unmarshal(v.raw, &attached) == nil && attached.Attached != nil {
		secondaries, refusal := read[uint16](f, "placement.Attached", "usize", field{raw: attached.Attached, end: v.end})
		if refusal != nil {
			return nil, refusal
		}
		return &sim.PlacementChange{Placement: sim.Attached, Secondaries: int(secondaries)}, nil
	}
	const secondary, detached, served = "Secondary", "Detached", "Attached"
	name, refusal := variant(f, "placement", served, secondary, detached)
	switch {
	case refusal != nil:
		return nil, refusal
	case *name == secondary:
		return &sim.PlacementChange{Placement: sim.SecondaryOnly}, nil
	case *name == detached:
		return &sim.PlacementChange{Placement: sim.Detached}, nil
	default:
		return nil, f.complain("placement", "invalid type: unit variant, expected newtype variant", v.end)
	}
}
