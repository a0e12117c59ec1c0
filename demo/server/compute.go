package server

import (
	"net/http"
	"time"

	"github.com/StorconTUI/storcon-tui/demo/sim"
)

// computeHandler serves a compute's /status. It asks for no token, as
// compute_ctl does when its checks are switched off.
func (s *Server) computeHandler(index int) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path != "/status":
			rw.WriteHeader(http.StatusNotFound)
		case r.Method != http.MethodGet:
			rw.WriteHeader(http.StatusMethodNotAllowed)
		default:
			var c sim.Compute
			s.with(func(w *sim.World) { c = w.Computes()[index] })
			s.encodeCompute(c).send(rw)
		}
	})
}

func (s *Server) encodeCompute(c sim.Compute) *reply {
	orNull := func(text string) *string {
		if text == "" {
			return nil
		}
		return &text
	}
	lastActive := ""
	if c.LastActive > 0 {
		lastActive = s.now().Add(-s.real(c.LastActive)).UTC().Format("2006-01-02T15:04:05.000000-07:00")
	}
	return jsonReply(http.StatusOK, struct {
		StartTime  string  `json:"start_time"`
		Tenant     *string `json:"tenant"`
		Timeline   *string `json:"timeline"`
		Status     string  `json:"status"`
		LastActive *string `json:"last_active"`
		Error      *string `json:"error"`
	}{
		s.wall(c.Started).UTC().Format(time.RFC3339Nano), orNull(string(c.Tenant)), orNull(c.Timeline), c.Status,
		orNull(lastActive), orNull(c.Error),
	})
}
