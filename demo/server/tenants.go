package server

import (
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/demo/sim"
)

const stripeSize = 2048 // 8 KiB pages

type tenantJSON struct {
	ID         string            `json:"tenant_id"`
	Shards     []tenantShardJSON `json:"shards"`
	StripeSize int               `json:"stripe_size"`
	Policy     any               `json:"policy"`
	Config     struct{}          `json:"config"`
}

type tenantShardJSON struct {
	ID            string   `json:"tenant_shard_id"`
	NodeAttached  *uint64  `json:"node_attached"`
	NodeSecondary []uint64 `json:"node_secondary"`
	LastError     string   `json:"last_error"`
	Reconciling   bool     `json:"is_reconciling"`
	Notification  bool     `json:"is_pending_compute_notification"`
	Splitting     bool     `json:"is_splitting"`
	Importing     bool     `json:"is_importing"`
	Scheduling    string   `json:"scheduling_policy"`
	PreferredAZ   *string  `json:"preferred_az_id"`
}

func encodeTenant(v sim.TenantView) tenantJSON {
	t := tenantJSON{ID: string(v.ID), StripeSize: stripeSize, Policy: placementName(v), Shards: []tenantShardJSON{}}
	for _, s := range v.Shards {
		shard := tenantShardJSON{
			ID: string(s.ID), NodeSecondary: []uint64{}, LastError: s.LastError, Reconciling: s.Reconciling,
			Scheduling: string(v.Scheduling),
		}
		if s.Attached != 0 {
			id := uint64(s.Attached)
			shard.NodeAttached = &id
		}
		for _, id := range s.Secondary {
			shard.NodeSecondary = append(shard.NodeSecondary, uint64(id))
		}
		if s.PreferredAZ != "" {
			shard.PreferredAZ = &s.PreferredAZ
		}
		t.Shards = append(t.Shards, shard)
	}
	return t
}

func placementName(v sim.TenantView) any {
	switch v.Placement {
	case sim.SecondaryOnly:
		return "Secondary"
	case sim.Detached:
		return "Detached"
	default:
		return map[string]int{"Attached": v.Secondaries}
	}
}

// parseTenantID words its complaint as the hexadecimal parser does.
func parseTenantID(text string) (client.TenantID, error) {
	raw, err := hex.DecodeString(text)
	switch {
	case len(text)%2 != 0:
		return "", errors.New("Odd number of digits")
	case err != nil:
		return "", errors.New("Invalid character in tenant id")
	case len(raw) != 16:
		return "", errors.New("Invalid string length")
	}
	return client.TenantID(hex.EncodeToString(raw)), nil
}

func (q *request) tenantID() (client.TenantID, *reply) {
	id, err := parseTenantID(q.params["tenant_id"])
	if err != nil {
		return "", badRequest("failed to parse tenant_id")
	}
	return id, nil
}

func listTenants(q *request) *reply {
	limit, after, refusal := tenantPage(q.URL.Query())
	if refusal != nil {
		return refusal
	}
	var views []sim.TenantView
	q.server.with(func(w *sim.World) { views = w.Tenants(limit, after) })
	out := make([]tenantJSON, len(views))
	for i, v := range views {
		out[i] = encodeTenant(v)
	}
	return jsonReply(http.StatusOK, out)
}

func tenantPage(query url.Values) (*int, client.TenantID, *reply) {
	for _, name := range []string{"limit", "start_after"} {
		if values := query[name]; len(values) > 1 && values[0] != values[1] {
			return nil, "", badRequest("param " + name + " specified more than once")
		}
	}
	var limit *int
	if text := query.Get("limit"); query.Has("limit") {
		n, err := strconv.ParseUint(text, 10, 31)
		if err != nil {
			why := "invalid digit found in string"
			if text == "" {
				why = "cannot parse integer from empty string"
			}
			return nil, "", badRequest("cannot parse query param limit: " + why)
		}
		v := int(n)
		limit = &v
	}
	if !query.Has("start_after") {
		return limit, "", nil
	}
	after, err := parseTenantID(query.Get("start_after"))
	if err != nil {
		return nil, "", badRequest("cannot parse query param start_after: " + err.Error())
	}
	return limit, after, nil
}

func getTenant(q *request) *reply {
	id, refusal := q.tenantID()
	if refusal != nil {
		return refusal
	}
	var view sim.TenantView
	var err error
	q.server.with(func(w *sim.World) { view, err = w.Tenant(id) })
	if err != nil {
		return failure(err)
	}
	return jsonReply(http.StatusOK, encodeTenant(view))
}

func locateTenant(q *request) *reply {
	id, refusal := q.tenantID()
	if refusal != nil {
		return refusal
	}
	var view sim.TenantView
	var err error
	nodes := map[client.NodeID]sim.Address{}
	q.server.with(func(w *sim.World) {
		view, err = w.Tenant(id)
		for _, n := range w.Nodes() {
			nodes[n.ID] = n.Address
		}
	})
	if err != nil {
		return message(http.StatusNotFound, "NotFound: No shards for this tenant ID found")
	}
	type shardJSON struct {
		ID         string  `json:"shard_id"`
		NodeID     uint64  `json:"node_id"`
		PgAddr     string  `json:"listen_pg_addr"`
		PgPort     int     `json:"listen_pg_port"`
		GRPCAddr   *string `json:"listen_grpc_addr"`
		GRPCPort   *int    `json:"listen_grpc_port"`
		HTTPAddr   string  `json:"listen_http_addr"`
		HTTPPort   int     `json:"listen_http_port"`
		ListenHTTP *int    `json:"listen_https_port"`
	}
	shards := []shardJSON{}
	for _, s := range view.Shards {
		if s.Attached == 0 {
			return badRequest("Cannot locate a tenant that is not attached")
		}
		a := nodes[s.Attached]
		shards = append(shards, shardJSON{
			ID: string(s.ID), NodeID: uint64(s.Attached), PgAddr: a.PgHost, PgPort: a.PgPort, GRPCAddr: a.GRPCHost,
			GRPCPort: a.GRPCPort, HTTPAddr: a.HTTPHost, HTTPPort: a.HTTPPort, ListenHTTP: a.HTTPSPort,
		})
	}
	return jsonReply(http.StatusOK, struct {
		Shards []shardJSON    `json:"shards"`
		Params map[string]int `json:"shard_params"`
	}{shards, map[string]int{"count": view.Count, "stripe_size": stripeSize}})
}
