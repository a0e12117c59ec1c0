package server

import (
	"crypto/rand"
	"encoding/hex"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/demo/sim"
)

const maxBody = 1 << 20

// controllerHandler is the front door of one instance of the controller: faults,
// the call log, and then the route.
func (s *Server) controllerHandler(instance int) http.Handler {
	routes := s.routes()
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		fault := s.faults.take(r)
		if fault != nil && fault.Kind == faultDropBefore {
			hangUp(rw)
			return
		}
		entry := s.calls.arrived(r)
		rw.Header().Set("X-Request-Id", requestID(r))
		name, answer := "", fault.instead()
		if answer == nil {
			name, answer = s.answer(instance, routes, r)
		}
		if r.Context().Err() != nil {
			s.calls.answered(entry, 0)
			return
		}
		s.calls.answered(entry, answer.status)
		s.count(instance, name, r.Method, answer.status)
		fault.deliver(r.Context(), rw, answer)
	})
}

// answer carries a request out and names its route.
func (s *Server) answer(instance int, routes []route, r *http.Request) (string, *reply) {
	if r.Method == http.MethodOptions {
		return "", &reply{status: http.StatusNoContent}
	}
	rt, params, ok := find(routes, r.Method, r.URL.Path)
	if refusal := s.notYet(instance, rt.name); refusal != nil {
		return rt.name, refusal
	}
	if !ok {
		if s.opts.Auth {
			if _, refusal := bearer(r); refusal != nil {
				return "", refusal
			}
		}
		return "", notFoundPage()
	}
	if s.opts.Auth && rt.scope != scopeNone {
		if refusal := s.keys.allow(r, rt.scope); refusal != nil {
			return rt.name, refusal
		}
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		return rt.name, badRequest("Failed to read request body: " + err.Error())
	}
	q := &request{Request: r, server: s, instance: instance, params: params, body: body}
	if answer := s.forward(instance, rt, q); answer != nil {
		return rt.name, answer
	}
	return rt.name, rt.handle(q)
}

func requestID(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); id != "" {
		return id
	}
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	id := hex.EncodeToString(b[:])
	return strings.Join([]string{id[:8], id[8:12], id[12:16], id[16:20], id[20:]}, "-")
}

// hangUp ends the connection without an answer.
func hangUp(rw http.ResponseWriter) {
	conn, _, err := http.NewResponseController(rw).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	_ = conn.Close() // nothing follows on it
}

// waiting holds a request back until the controller's startup is complete.
func waiting(handle func(*request) *reply) func(*request) *reply {
	return func(q *request) *reply {
		if err := q.await(func(w *sim.World, done func(error)) { w.WhenServing(done) }); err != nil {
			return failure(err)
		}
		return handle(q)
	}
}

// await starts something in the simulation and waits for its end, or for the
// caller to go away.
func (q *request) await(start func(w *sim.World, done func(error))) error {
	return q.server.await(q.Context(), start)
}

func getStatus(*request) *reply { return null(http.StatusOK) }

// getReady: start-up is complete, which stepping down does not change.
func getReady(q *request) *reply {
	return q.healthy(func(is role, serving bool) bool { return serving || is == roleSteppedDown })
}

// getLive: start-up is complete, and this instance leads.
func getLive(q *request) *reply {
	return q.healthy(func(is role, serving bool) bool { return serving && is == roleLeader })
}

func (q *request) healthy(well func(is role, serving bool) bool) *reply {
	status := http.StatusServiceUnavailable
	q.server.with(func(w *sim.World) {
		if well(q.server.role(q.instance), w.Phase() == sim.Serving) {
			status = http.StatusOK
		}
	})
	return null(status)
}

func getLeader(q *request) *reply {
	var started time.Time
	var address string
	q.server.with(func(w *sim.World) {
		started, address = q.server.wall(w.Started()), q.server.instances[q.server.row].face.url()
	})
	return jsonReply(http.StatusOK, struct {
		Address   string `json:"address"`
		StartedAt string `json:"started_at"`
	}{address + "/", started.UTC().Format("2006-01-02T15:04:05.000000Z")})
}

func listSafekeepers(*request) *reply { return jsonReply(http.StatusOK, []string{}) }
