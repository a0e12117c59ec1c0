package server

import (
	"net/http"
	"strconv"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/demo/sim"
)

// nodeJSON is a node as the controller spells it.
type nodeJSON struct {
	ID             uint64  `json:"id"`
	Availability   string  `json:"availability"`
	Scheduling     string  `json:"scheduling"`
	AZ             string  `json:"availability_zone_id"`
	ListenHTTPAddr string  `json:"listen_http_addr"`
	ListenHTTPPort int     `json:"listen_http_port"`
	ListenHTTPS    *int    `json:"listen_https_port"`
	ListenPgAddr   string  `json:"listen_pg_addr"`
	ListenPgPort   int     `json:"listen_pg_port"`
	ListenGRPCAddr *string `json:"listen_grpc_addr"`
	ListenGRPCPort *int    `json:"listen_grpc_port"`
}

func encodeNode(v sim.NodeView) nodeJSON {
	a := v.Address
	return nodeJSON{
		ID: uint64(v.ID), Availability: string(v.Availability), Scheduling: string(v.Policy), AZ: v.AZ,
		ListenHTTPAddr: a.HTTPHost, ListenHTTPPort: a.HTTPPort, ListenHTTPS: a.HTTPSPort,
		ListenPgAddr: a.PgHost, ListenPgPort: a.PgPort, ListenGRPCAddr: a.GRPCHost, ListenGRPCPort: a.GRPCPort,
	}
}

func encodeNodes(views []sim.NodeView) *reply {
	out := make([]nodeJSON, len(views))
	for i, v := range views {
		out[i] = encodeNode(v)
	}
	return jsonReply(http.StatusOK, out)
}

// nodeID parses the path's node id; a refusal when it is none.
func (q *request) nodeID() (client.NodeID, *reply) {
	id, err := strconv.ParseUint(q.params["node_id"], 10, 64)
	if err != nil {
		return 0, badRequest("failed to parse node_id")
	}
	return client.NodeID(id), nil
}

// onNode runs a change of one node and answers with the given status.
func onNode(status int, change func(q *request, w *sim.World, id client.NodeID) error) func(*request) *reply {
	return func(q *request) *reply {
		id, refusal := q.nodeID()
		if refusal != nil {
			return refusal
		}
		var err error
		q.server.with(func(w *sim.World) { err = change(q, w, id) })
		return done(status, err)
	}
}

func listNodes(q *request) *reply {
	var views []sim.NodeView
	q.server.with(func(w *sim.World) { views = w.Nodes() })
	return encodeNodes(views)
}

func listTombstones(q *request) *reply {
	var views []sim.NodeView
	q.server.with(func(w *sim.World) { views = w.Tombstones() })
	return encodeNodes(views)
}

func getNode(q *request) *reply {
	id, refusal := q.nodeID()
	if refusal != nil {
		return refusal
	}
	var view sim.NodeView
	var err error
	q.server.with(func(w *sim.World) { view, err = w.Node(id) })
	if err != nil {
		return failure(err)
	}
	return jsonReply(http.StatusOK, encodeNode(view))
}

// secondaryFlag is the wire's three-state flag.
func secondaryFlag(r sim.Role) *bool {
	if r == sim.None {
		return nil
	}
	secondary := r == sim.IsSecondary
	return &secondary
}

func nodeShards(q *request) *reply {
	id, refusal := q.nodeID()
	if refusal != nil {
		return refusal
	}
	var views []sim.ShardView
	q.server.with(func(w *sim.World) {
		if s := q.server; s.role(q.instance) == roleSteppedDown {
			views = s.instances[q.instance].memory.shards[id]
			return
		}
		views = w.NodeShards(id)
	})
	type shardJSON struct {
		ID       string `json:"tenant_shard_id"`
		Observed *bool  `json:"is_observed_secondary"`
		Intended *bool  `json:"is_intended_secondary"`
	}
	shards := make([]shardJSON, len(views))
	for i, v := range views {
		shards[i] = shardJSON{ID: string(v.ID), Observed: secondaryFlag(v.Observed), Intended: secondaryFlag(v.Intended)}
	}
	return jsonReply(http.StatusOK, struct {
		NodeID uint64      `json:"node_id"`
		Shards []shardJSON `json:"shards"`
	}{uint64(id), shards})
}

var (
	startDrain  = startOperation(client.OperationDrain, http.StatusAccepted)
	startFill   = startOperation(client.OperationFill, http.StatusAccepted)
	startDelete = startOperation(client.OperationDelete, http.StatusOK)

	cancelDrain  = cancelOperation(client.OperationDrain)
	cancelFill   = cancelOperation(client.OperationFill)
	cancelDelete = cancelOperation(client.OperationDelete)

	removeNode = onNode(http.StatusOK, func(_ *request, w *sim.World, id client.NodeID) error { return w.Remove(id) })
	dropNode   = onNode(http.StatusOK, func(_ *request, w *sim.World, id client.NodeID) error { return w.Drop(id) })

	deleteTombstone = onNode(http.StatusOK, func(_ *request, w *sim.World, id client.NodeID) error { return w.Exhume(id) })
)

func startOperation(kind client.OperationKind, status int) func(*request) *reply {
	return func(q *request) *reply {
		id, refusal := q.nodeID()
		if refusal != nil {
			return refusal
		}
		force := false
		if text := q.URL.Query().Get("force"); text != "" {
			var err error
			if force, err = strconv.ParseBool(text); err != nil {
				return badRequest("cannot parse query param force: provided string was not `true` or `false`")
			}
		}
		return done(status, q.await(func(w *sim.World, ended func(error)) { w.Start(kind, id, force, ended) }))
	}
}

func cancelOperation(kind client.OperationKind) func(*request) *reply {
	return onNode(http.StatusAccepted, func(_ *request, w *sim.World, id client.NodeID) error {
		return w.Cancel(kind, id)
	})
}
