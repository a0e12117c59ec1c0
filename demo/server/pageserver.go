package server

import (
	"fmt"
	"net/http"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/demo/sim"
)

// pageserverHandler serves what a pageserver says of its own process.
func (s *Server) pageserverHandler(id client.NodeID) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && r.URL.Path == "/v1/status" {
			jsonReply(http.StatusOK, map[string]client.NodeID{"id": s.identity(id)}).send(rw)
			return
		}
		if r.Method != http.MethodGet || r.URL.Path != "/metrics" {
			message(http.StatusNotFound, "page not found").send(rw)
			return
		}
		var p sim.Process
		s.with(func(w *sim.World) { p, _ = w.Process(id) })
		e := &exposition{}
		e.family("libmetrics_build_info", "gauge", "Build of the program")
		fmt.Fprintf(e, "libmetrics_build_info{revision=%q,build_tag=%q} 1\n", p.Build, p.Build)
		e.family("libmetrics_launch_timestamp", "gauge", "Launch of the program in milliseconds since the epoch")
		fmt.Fprintf(e, "libmetrics_launch_timestamp %d\n", s.wall(p.Launched).UnixMilli())
		(&reply{status: http.StatusOK, contentType: "text/plain; charset=utf-8", body: []byte(e.String())}).send(rw)
	})
}

// identity is the id that a node's process says it has.
func (s *Server) identity(id client.NodeID) client.NodeID {
	s.mu.Lock()
	defer s.mu.Unlock()
	if says, other := s.says[id]; other {
		return says
	}
	return id
}

// SetIdentity has the process at a node's address say that it is another node, as
// one does that was started with somebody else's configuration.
func (s *Server) SetIdentity(id, says client.NodeID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.pageservers[id]; !known {
		return fmt.Errorf("node %d has no process here", id)
	}
	s.says[id] = says
	return nil
}
