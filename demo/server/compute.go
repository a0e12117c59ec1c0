package server

import (
	"net/http"
	"time"

	"github.com/StorconTUI/storcon-tui/demo/sim"
)

// computeHandler serves what a compute tells of itself. It asks for no token, as
// compute_ctl does when its checks are switched off.
func (s *Server) computeHandler(index int) http.Handler {
	mux := http.NewServeMux()
	for path, encode := range map[string]func(sim.Compute) *reply{
		"/status": s.encodeCompute, "/metrics.json": encodeStartup,
	} {
		mux.HandleFunc(path, func(rw http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet {
				rw.WriteHeader(http.StatusMethodNotAllowed)
				return
			}
			var c sim.Compute
			s.with(func(w *sim.World) { c = w.Computes()[index] })
			encode(c).send(rw)
		})
	}
	mux.HandleFunc("/", func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusNotFound) })
	return mux
}

// encodeStartup is /metrics.json.
func encodeStartup(c sim.Compute) *reply {
	ms := func(d time.Duration) int64 { return d.Milliseconds() }
	return jsonReply(http.StatusOK, struct {
		WaitForSpec     int64 `json:"wait_for_spec_ms"`
		SyncCheck       int64 `json:"sync_sk_check_ms"`
		SyncSafekeepers int64 `json:"sync_safekeepers_ms"`
		Connect         int64 `json:"pageserver_connect_micros"`
		Basebackup      int64 `json:"basebackup_ms"`
		BasebackupBytes int64 `json:"basebackup_bytes"`
		StartPostgres   int64 `json:"start_postgres_ms"`
		Config          int64 `json:"config_ms"`
		Total           int64 `json:"total_startup_ms"`
	}{
		WaitForSpec: ms(c.Startup.WaitForSpec), SyncSafekeepers: ms(c.Startup.SyncSafekeepers),
		Basebackup: ms(c.Startup.Basebackup), BasebackupBytes: c.Startup.BasebackupBytes,
		StartPostgres: ms(c.Startup.StartPostgres), Config: ms(c.Startup.Config), Total: ms(c.Startup.Total()),
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
