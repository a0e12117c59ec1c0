package server

import (
	"context"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/demo/sim"
)

// RestartNode stops a node's process, starts it again after down (simulated
// time) and returns when it has registered itself with the controller, as a
// service manager's restart would. An empty build keeps the one it runs.
func (s *Server) RestartNode(ctx context.Context, id client.NodeID, down time.Duration, build string) error {
	return s.await(ctx, func(w *sim.World, done func(error)) { w.RestartNode(id, down, build, done) })
}

// StopNode ends a node's process at once.
func (s *Server) StopNode(id client.NodeID) error {
	var err error
	s.with(func(w *sim.World) { err = w.StopNode(id) })
	return err
}

// StartNode starts a node's process and returns when it has registered itself.
func (s *Server) StartNode(ctx context.Context, id client.NodeID, build string) error {
	return s.await(ctx, func(w *sim.World, done func(error)) { w.StartNode(id, build, done) })
}

// SetNode sets how far behind the node's secondary locations are, in bytes,
// and how long one location change takes there (simulated time). Nil leaves a
// figure as it is.
func (s *Server) SetNode(id client.NodeID, lag *int64, delay *time.Duration) error {
	var err error
	s.with(func(w *sim.World) {
		if lag != nil {
			err = w.SetLag(id, *lag)
		}
		if delay != nil && err == nil {
			err = w.SetDelay(id, *delay)
		}
	})
	return err
}

// KillController ends the process of the controller that leads as kill -9 does.
func (s *Server) KillController() { s.with((*sim.World).Kill) }

// TermController ends the controller's process as SIGTERM does.
func (s *Server) TermController() { s.with((*sim.World).Terminate) }

// StartController starts the process that led last, at its address and not as a
// candidate.
func (s *Server) StartController() {
	s.with(func(w *sim.World) {
		if w.Phase() == sim.Down {
			s.taking = false
			w.StartController()
		}
	})
}

// SetNotify says what compute notifications get: a status; 200 accepts them.
func (s *Server) SetNotify(status int) { s.with(func(w *sim.World) { w.SetNotify(status) }) }

// AddTenants makes tenants whose secondaries are warm, and returns their ids.
func (s *Server) AddTenants(count, shards, secondaries int) ([]client.TenantID, error) {
	var ids []client.TenantID
	var err error
	s.with(func(w *sim.World) { ids, err = w.AddTenants(count, shards, secondaries) })
	return ids, err
}

// AtRest reports that no operation and no reconcile runs or is wanted.
func (s *Server) AtRest() bool {
	rest := false
	s.with(func(w *sim.World) { rest = w.AtRest() })
	return rest
}
