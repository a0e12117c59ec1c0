package server

import (
	"net/http"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/demo/sim"
)

// computeRoute answers one route of a compute. It is given the compute's index.
type computeRoute func(s *Server, index int, r *http.Request) *reply

// computeRoutes are those of the external port, by method and path (contract B.0). The
// metrics are open; all else asks for a token where the cluster checks them.
var computeRoutes = map[string]map[string]computeRoute{
	"/status":            {http.MethodGet: (*Server).computeStatus},
	"/metrics.json":      {http.MethodGet: (*Server).computeStartup},
	"/metrics":           {http.MethodGet: (*Server).computeMetrics},
	"/configure":         {http.MethodPost: (*Server).configureCompute},
	"/terminate":         {http.MethodPost: (*Server).terminateCompute},
	"/check_writability": {http.MethodPost: (*Server).computeWritable},
	"/insights":          {http.MethodGet: (*Server).computeInsights},
	"/lfc/prewarm":       {http.MethodGet: prewarmState, http.MethodDelete: noPrewarm},
	"/lfc/offload":       {http.MethodGet: offloadState},
}

// internalRoutes are those of the other port, which asks for no token.
var internalRoutes = map[string]map[string]computeRoute{
	"/refresh_configuration": {http.MethodPost: (*Server).refreshCompute},
}

// computeHandler serves one compute_ctl.
func (s *Server) computeHandler(index int, routes map[string]map[string]computeRoute, checked bool) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("X-Request-Id", requestID(r))
		if s.muted(index) {
			select { // it takes the connection and never answers
			case <-r.Context().Done():
			case <-s.done.Done():
			}
			return
		}
		method := r.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		route := routes[r.URL.Path]
		switch {
		case route == nil:
			rw.WriteHeader(http.StatusNotFound)
			return
		case route[method] == nil:
			rw.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		if checked && s.opts.ComputeAuth && r.URL.Path != "/metrics" {
			if refusal := s.keys.allowCompute(r, s.computeName(index)); refusal != nil {
				refusal.send(rw)
				return
			}
		}
		answer := route[method](s, index, r)
		if answer == nil {
			hangUp(rw)
			return
		}
		answer.send(rw)
	})
}

func (s *Server) computeStatus(index int, _ *http.Request) *reply {
	return s.encodeCompute(s.ctl(index).Compute)
}

func (s *Server) computeStartup(index int, _ *http.Request) *reply {
	return encodeStartup(s.ctl(index).Compute)
}

func (s *Server) ctl(index int) (c sim.Ctl) {
	s.with(func(w *sim.World) { c = w.Ctl(index) })
	return c
}

func (s *Server) computeName(index int) string { return s.ctl(index).Name }

func (s *Server) computeMetrics(index int, _ *http.Request) *reply {
	said := strings.ReplaceAll(s.ctl(index).Said, "_", "-")
	body := "# HELP compute_ctl_up Whether compute_ctl is running\n# TYPE compute_ctl_up gauge\n" +
		`compute_ctl_up{build_tag="latest",status="` + said + "\"} 1\n"
	return &reply{status: http.StatusOK, contentType: "text/plain; version=0.0.4", body: []byte(body)}
}

// invalidStatus is the refusal of what the compute's state does not allow.
func invalidStatus(state string) *reply {
	return computeError(http.StatusPreconditionFailed, "invalid compute status: "+strings.ReplaceAll(state, "_", "-"))
}

// configureCompute holds the request until the spec is applied or has failed.
func (s *Server) configureCompute(index int, r *http.Request) *reply {
	spec, refusal := readConfigure(r)
	if refusal != nil {
		return refusal
	}
	end, err := await(r.Context(), s, func(w *sim.World, done func(sim.ConfigureEnd)) { w.ConfigureCompute(index, spec, done) })
	switch {
	case err != nil:
		return nil
	case end.Busy != "":
		return invalidStatus(end.Busy)
	case end.Error != "":
		return computeError(http.StatusInternalServerError, "compute configuration failed: "+sim.Quoted(end.Error))
	}
	return s.computeStatus(index, r)
}

// terminateCompute answers when Postgres is down.
func (s *Server) terminateCompute(index int, r *http.Request) *reply {
	now := false
	if r.URL.RawQuery != "" || strings.HasSuffix(r.RequestURI, "?") {
		mode := r.URL.Query()
		switch {
		case !mode.Has("mode"):
			return queryRefused("missing field `mode`")
		case mode.Get("mode") == "immediate":
			now = true
		case mode.Get("mode") != "fast":
			return queryRefused("mode: unknown variant `" + mode.Get("mode") + "`, expected `fast` or `immediate`")
		}
	}
	type ended struct {
		busy  string
		again bool
	}
	end, err := await(r.Context(), s, func(w *sim.World, done func(ended)) {
		busy, again := w.TerminateCompute(index, now, func() { done(ended{}) })
		if busy != "" || again {
			done(ended{busy, again})
		}
	})
	status := http.StatusOK
	switch {
	case err != nil:
		return nil
	case end.busy != "":
		return invalidStatus(end.busy)
	case end.again:
		status = http.StatusCreated
	}
	return jsonReply(status, map[string]string{"lsn": "0/169F0A0"})
}

func queryRefused(text string) *reply {
	return &reply{
		status: http.StatusBadRequest, contentType: "text/plain; charset=utf-8",
		body: []byte("Failed to deserialize query string: " + text),
	}
}

const noPostgres = "error connecting to server: Connection refused (os error 111)"

func (s *Server) computeWritable(index int, _ *http.Request) *reply {
	c := s.ctl(index)
	switch {
	case c.Status != sim.CtlRunning:
		return invalidStatus(c.Status)
	case c.PostgresDown:
		return computeError(http.StatusInternalServerError, noPostgres)
	case c.WriteError != "":
		return computeError(http.StatusInternalServerError, c.WriteError)
	}
	return jsonReply(http.StatusOK, true)
}

// computeInsights drops the connection while Postgres is down.
func (s *Server) computeInsights(index int, _ *http.Request) *reply {
	c := s.ctl(index)
	switch {
	case c.Status != sim.CtlRunning:
		return invalidStatus(c.Status)
	case c.PostgresDown:
		return nil
	}
	if c.NoInsights {
		return jsonReply(http.StatusOK, `{{"pg_stat_statements": []}}`)
	}
	return jsonReply(http.StatusOK, `{"pg_stat_statements": []}`)
}

func prewarmState(*Server, int, *http.Request) *reply {
	return jsonReply(http.StatusOK, map[string]string{"status": "not_prewarmed"})
}

func noPrewarm(*Server, int, *http.Request) *reply { return &reply{status: http.StatusAccepted} }

func offloadState(*Server, int, *http.Request) *reply {
	return jsonReply(http.StatusOK, map[string]string{"status": "not_offloaded"})
}

func (s *Server) refreshCompute(index int, _ *http.Request) *reply {
	refused := ""
	s.with(func(w *sim.World) { refused = w.RefreshCompute(index) })
	if refused != "" {
		return computeError(http.StatusInternalServerError, "Cannot refresh compute configuration in state "+refused)
	}
	return &reply{status: http.StatusOK}
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
		LoadExtensions  int64 `json:"load_ext_ms"`
		Extensions      int64 `json:"num_ext_downloaded"`
		LargestSize     int64 `json:"largest_ext_size"`
		TotalSize       int64 `json:"total_ext_download_size"`
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
