package client

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"sync"
)

const nodesPath = "/control/v1/node"

func nodePath(id NodeID, suffix string) string { return nodesPath + "/" + id.String() + suffix }

// Nodes lists all registered nodes, ordered by id (scope infra). The list is
// shared between calls whose answers are alike, and must not be written to.
func (c *Client) Nodes(ctx context.Context) ([]Node, error) {
	return get(ctx, c, nodesPath, c.conn.cfg.Timeouts.NodeList, c.nodes.decode)
}

// nodesMemo keeps the newest good node list and its bytes: the list is read
// every second and says the same nearly always, and decoding is what an idle
// console would spend most of its time on.
type nodesMemo struct {
	mu    sync.Mutex
	body  []byte
	nodes []Node
}

func (m *nodesMemo) decode(body []byte) ([]Node, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.nodes != nil && bytes.Equal(body, m.body) {
		return m.nodes, nil
	}
	nodes, err := decodeNodes(body)
	if err != nil {
		return nil, err
	}
	m.body, m.nodes = bytes.Clone(body), nodes
	return nodes, nil
}

// Node reads one node (scope infra). An unknown id is Refused with status 404.
func (c *Client) Node(ctx context.Context, id NodeID) (Node, error) {
	return get(ctx, c, nodePath(id, ""), c.conn.cfg.Timeouts.NodeList, func(body []byte) (Node, error) {
		var n Node
		if err := n.UnmarshalJSON(body); err != nil {
			return n, err
		}
		if n.ID != id {
			return n, fmt.Errorf("node %v was asked for, the answer is about node %v", id, n.ID)
		}
		return n, nil
	})
}

// NodeShards lists the locations on a node (scope admin). An unknown node has
// none: a zero counts only beside a good Node read.
func (c *Client) NodeShards(ctx context.Context, id NodeID) (NodeShards, error) {
	return get(ctx, c, nodePath(id, "/shards"), c.conn.cfg.Timeouts.Read, func(body []byte) (NodeShards, error) {
		s, err := decodeNodeShards(body)
		if err == nil && s.NodeID != id {
			err = fmt.Errorf("node %v was asked for, the answer is about node %v", id, s.NodeID)
		}
		return s, err
	})
}

// ConfigureNode sets a node's policy or availability (scope admin). It is
// refused with 412 while any operation runs on any node. A config that sets
// nothing is a Probe.
func (c *Client) ConfigureNode(ctx context.Context, cfg NodeConfig) error {
	req := c.mutation(http.MethodPut, nodePath(cfg.NodeID, "/config"), http.StatusOK)
	req.Body = cfg
	req.Probe = cfg.Availability == nil && cfg.Scheduling == nil
	return c.conn.Do(ctx, req)
}

// Probe asks what occupies the controller's operation slot, by way of a
// configure that sets nothing (scope admin): nil, nil when it is free. The
// operation may be on any node; id must be a registered one. It is a PUT that
// changes nothing: a read-only client refuses it, and Call.Probe marks it.
func (c *Client) Probe(ctx context.Context, id NodeID) (*Operation, error) {
	err := c.ConfigureNode(ctx, NodeConfig{NodeID: id})
	if op, ok := RunningOperation(err); ok {
		return &op, nil
	}
	return nil, err
}

// StartDrain asks the controller to move the attached shards off a node (scope
// infra). It returns when the drain is accepted; the node's policy tells the
// rest.
func (c *Client) StartDrain(ctx context.Context, id NodeID) error {
	return c.conn.Do(ctx, c.mutation(http.MethodPut, nodePath(id, "/drain"), http.StatusAccepted))
}

// CancelDrain signals a running drain to end (scope infra). It may still end in
// PauseForRestart, and moves go on after it.
func (c *Client) CancelDrain(ctx context.Context, id NodeID) error {
	return c.conn.Do(ctx, c.mutation(http.MethodDelete, nodePath(id, "/drain"), http.StatusAccepted))
}

// StartFill asks the controller to move shards home to a node (scope infra).
func (c *Client) StartFill(ctx context.Context, id NodeID) error {
	return c.conn.Do(ctx, c.mutation(http.MethodPut, nodePath(id, "/fill"), http.StatusAccepted))
}

// CancelFill signals a running fill to end (scope infra).
func (c *Client) CancelFill(ctx context.Context, id NodeID) error {
	return c.conn.Do(ctx, c.mutation(http.MethodDelete, nodePath(id, "/fill"), http.StatusAccepted))
}

func (c *Client) mutation(method, path string, want int) Request {
	return Request{
		Method: method, Path: path, Want: want,
		Timeout: c.conn.cfg.Timeouts.Mutate, Decode: decodeNull,
	}
}
