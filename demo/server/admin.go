package server

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// adminHandler serves the API that makes things happen to the cluster. Bad
// input is a 400 with one line of text.
func (s *Server) adminHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /demo/calls", func(rw http.ResponseWriter, _ *http.Request) {
		jsonReply(http.StatusOK, s.Calls()).send(rw)
	})
	mux.HandleFunc("POST /demo/nodes/{id}/restart", s.adminNode([]string{"down", "build"}, s.adminRestart))
	mux.HandleFunc("POST /demo/nodes/{id}/stop", s.adminNode(nil, s.adminStop))
	mux.HandleFunc("POST /demo/nodes/{id}/start", s.adminNode([]string{"build"}, s.adminStart))
	mux.HandleFunc("POST /demo/nodes/{id}/set", s.adminNode([]string{"lag", "delay", "says"}, s.adminSet))
	mux.HandleFunc("POST /demo/controller/{what}", s.adminController)
	mux.HandleFunc("POST /demo/computes/{name}/{what}", admin(scriptParameters, s.adminCompute))
	mux.HandleFunc("POST /demo/notify", admin([]string{"status"}, s.adminNotify))
	mux.HandleFunc("POST /demo/tenants", admin([]string{"count", "shards", "secondaries"}, s.adminTenants))
	mux.HandleFunc("POST /demo/faults", admin([]string{"path", "method", "count", "kind", "value"}, s.adminFault))
	mux.HandleFunc("DELETE /demo/faults", func(rw http.ResponseWriter, _ *http.Request) {
		s.ClearFaults()
		null(http.StatusOK).send(rw)
	})
	return mux
}

// admin wraps an action: parameters that it does not know are refused, its
// error is shown, and nil as its value is null.
func admin(known []string, act func(*http.Request, url.Values) (any, error)) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		if err := onlyKnown(query, known); err != nil {
			plain(http.StatusBadRequest, err).send(rw)
			return
		}
		v, err := act(r, query)
		if err != nil {
			plain(http.StatusBadRequest, err).send(rw)
			return
		}
		jsonReply(http.StatusOK, v).send(rw)
	}
}

func plain(status int, err error) *reply {
	return &reply{status: status, contentType: typeText, body: []byte(err.Error() + "\n")}
}

func onlyKnown(query url.Values, known []string) error {
	for name := range query {
		found := false
		for _, k := range known {
			found = found || k == name
		}
		if !found {
			return fmt.Errorf("unknown parameter %q, expected one of %q", name, known)
		}
	}
	return nil
}

type nodeAction func(r *http.Request, id client.NodeID, query url.Values) error

func (s *Server) adminNode(known []string, act nodeAction) http.HandlerFunc {
	return admin(known, func(r *http.Request, query url.Values) (any, error) {
		id, err := strconv.ParseUint(r.PathValue("id"), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("node id %q is not a number", r.PathValue("id"))
		}
		return nil, act(r, client.NodeID(id), query)
	})
}

func (s *Server) adminRestart(r *http.Request, id client.NodeID, query url.Values) error {
	down, err := duration(query, "down", time.Second)
	if err != nil {
		return err
	}
	return s.RestartNode(r.Context(), id, down, query.Get("build"))
}

func (s *Server) adminStop(_ *http.Request, id client.NodeID, _ url.Values) error {
	return s.StopNode(id)
}

func (s *Server) adminStart(r *http.Request, id client.NodeID, query url.Values) error {
	return s.StartNode(r.Context(), id, query.Get("build"))
}

func (s *Server) adminSet(_ *http.Request, id client.NodeID, query url.Values) error {
	var lag *int64
	var delay *time.Duration
	if query.Has("lag") {
		bytes, err := strconv.ParseInt(query.Get("lag"), 10, 64)
		if err != nil || bytes < 0 {
			return fmt.Errorf("lag: %q is not a number of bytes", query.Get("lag"))
		}
		lag = &bytes
	}
	if query.Has("delay") {
		d, err := duration(query, "delay", 0)
		if err != nil {
			return err
		}
		delay = &d
	}
	if query.Has("says") {
		says, err := strconv.ParseUint(query.Get("says"), 10, 64)
		if err != nil {
			return fmt.Errorf("says: %q is not a node id", query.Get("says"))
		}
		if err := s.SetIdentity(id, client.NodeID(says)); err != nil {
			return err
		}
	} else if lag == nil && delay == nil {
		return fmt.Errorf("nothing to set: give lag, delay or says")
	}
	return s.SetNode(id, lag, delay)
}

func (s *Server) adminController(rw http.ResponseWriter, r *http.Request) {
	switch what := r.PathValue("what"); what {
	case "takeover":
		url, err := s.TakeOver()
		if err != nil {
			plain(http.StatusBadRequest, err).send(rw)
			return
		}
		jsonReply(http.StatusOK, url).send(rw)
		return
	case "kill":
		s.KillController()
	case "term":
		s.TermController()
	case "start":
		s.StartController()
	default:
		plain(http.StatusBadRequest, fmt.Errorf("%q is none of kill, term, start, takeover", what)).send(rw)
		return
	}
	null(http.StatusOK).send(rw)
}

func (s *Server) adminNotify(_ *http.Request, query url.Values) (any, error) {
	status, err := number(query, "status", 0, 200, 599)
	if err != nil {
		return nil, err
	}
	s.SetNotify(status)
	return nil, nil
}

func (s *Server) adminTenants(_ *http.Request, query url.Values) (any, error) {
	count, err := number(query, "count", 1, 1, 100_000)
	if err != nil {
		return nil, err
	}
	shards, err := number(query, "shards", 1, 1, 128)
	if err != nil {
		return nil, err
	}
	secondaries, err := number(query, "secondaries", 1, 0, 1)
	if err != nil {
		return nil, err
	}
	return s.AddTenants(count, shards, secondaries)
}

func (s *Server) adminFault(_ *http.Request, query url.Values) (any, error) {
	count, err := number(query, "count", 1, 1, 1_000_000)
	if err != nil {
		return nil, err
	}
	return nil, s.AddFault(Fault{
		Path: query.Get("path"), Method: query.Get("method"), Count: count,
		Kind: FaultKind(query.Get("kind")), Value: query.Get("value"),
	})
}

func duration(query url.Values, name string, absent time.Duration) (time.Duration, error) {
	if !query.Has(name) {
		return absent, nil
	}
	d, err := time.ParseDuration(query.Get(name))
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%s: %q is not a duration such as 500ms", name, query.Get(name))
	}
	return d, nil
}

func number(query url.Values, name string, absent, least, most int) (int, error) {
	if !query.Has(name) && absent >= least {
		return absent, nil
	}
	n, err := strconv.Atoi(query.Get(name))
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%s: %q is not a number between %d and %d", name, query.Get(name), least, most)
	}
	return n, nil
}
