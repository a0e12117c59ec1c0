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
