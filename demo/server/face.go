package server

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// face is one HTTP server of the cluster. It can end and come back at the same
// address, as a process does that is restarted.
type face struct {
	name    string
	addr    string // host:port once opened
	handler http.Handler

	server *http.Server // nil while closed
	work   *sync.WaitGroup
}

func newFace(name, addr string, work *sync.WaitGroup, h http.Handler) *face {
	return &face{name: name, addr: addr, handler: h, work: work}
}

// open starts to listen; an open face is left alone.
func (f *face) open() error {
	if f.server != nil {
		return nil
	}
	l, err := net.Listen("tcp", f.addr)
	if err != nil {
		return fmt.Errorf("listen for %s: %w", f.name, err)
	}
	f.addr = l.Addr().String()
	srv := &http.Server{Handler: f.tracked(), ReadHeaderTimeout: 10 * time.Second}
	f.server = srv
	f.work.Go(func() {
		if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			_ = l.Close() // nothing can be done about a listener that broke; connections are refused from now on
		}
	})
	return nil
}

// tracked lets Close of the whole cluster wait for requests under way.
func (f *face) tracked() http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		f.work.Add(1)
		defer f.work.Done()
		f.handler.ServeHTTP(rw, r)
	})
}

// close ends the server at once, its connections included. It does not wait
// for handlers, so it may be called from one.
func (f *face) close() {
	if f.server == nil {
		return
	}
	_ = f.server.Close() // an error here is about a connection that is gone anyway
	f.server = nil
}

func (f *face) url() string { return "http://" + f.addr }

func (f *face) port() int {
	_, port, _ := net.SplitHostPort(f.addr)
	n := 0
	_, _ = fmt.Sscanf(port, "%d", &n) // our own listener's address always has a port
	return n
}
