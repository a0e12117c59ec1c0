package server

import (
	"net/http"
	"sync"
	"time"
)

// maxCalls bounds the log; a console that polls for an hour stays below it.
const maxCalls = 50_000

// Call is one request that reached the controller. Status is 0 while it is
// being carried out, and for good when its caller went away.
type Call struct {
	T      time.Time `json:"t"`
	Method string    `json:"method"`
	Path   string    `json:"path"` // with the query
	Status int       `json:"status"`
}

// callLog keeps the newest calls in the order of their arrival.
type callLog struct {
	mu    sync.Mutex
	first int // number of the oldest that is kept
	calls []Call
}

func (l *callLog) arrived(r *http.Request) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.calls) == maxCalls {
		half := maxCalls / 2
		l.calls = append([]Call(nil), l.calls[half:]...)
		l.first += half
	}
	l.calls = append(l.calls, Call{T: time.Now().UTC(), Method: r.Method, Path: r.URL.RequestURI()})
	return l.first + len(l.calls) - 1
}

func (l *callLog) answered(number, status int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := number - l.first; i >= 0 {
		l.calls[i].Status = status
	}
}

// Calls lists the requests that the controller received, oldest first. One
// that a drop-before fault lost never arrived and is not listed.
func (s *Server) Calls() []Call {
	s.calls.mu.Lock()
	defer s.calls.mu.Unlock()
	return append([]Call{}, s.calls.calls...)
}

// Requests counts what has reached the controller, the pageservers and the computes together.
func (s *Server) Requests() int64 { return s.asked.Load() }

func (s *Server) counted(h http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		h.ServeHTTP(rw, r)
	})
}
