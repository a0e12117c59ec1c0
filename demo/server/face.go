package server

import (
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
	addr    string // host:port; fixed by the first open, so that it can be read without a lock
	bound   bool
	handler http.Handler

	server   *http.Server // nil while closed
	listener net.Listener
	work     *sync.WaitGroup // counts listeners and connections
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
	if !f.bound {
		f.addr, f.bound = l.Addr().String(), true
	}
	srv := &http.Server{Handler: f.handler, ConnState: f.follow, ReadHeaderTimeout: 10 * time.Second}
	f.server, f.listener = srv, l
	f.work.Go(func() {
		_ = srv.Serve(l) // always ends with an error: that we closed it, or that nobody can connect any more
	})
	return nil
}

// follow lets Close of the whole cluster wait for every connection's
// goroutine. A new connection is announced while its listener's goroutine is
// still counted, so the count cannot reach zero too early.
func (f *face) follow(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		f.work.Add(1)
	case http.StateClosed, http.StateHijacked:
		f.work.Done()
	}
}

// close ends the server at once, its connections included. It does not wait
// for handlers, so it may be called from one.
func (f *face) close() {
	if f.server == nil {
		return
	}
	_ = f.listener.Close() // by hand: the server knows of it only once its goroutine runs
	_ = f.server.Close()   // an error here is about a connection that is gone anyway
	f.server = nil
}

func (f *face) url() string { return "http://" + f.addr }

func (f *face) port() int {
	_, port, _ := net.SplitHostPort(f.addr)
	n := 0
	_, _ = fmt.Sscanf(port, "%d", &n) // our own listener's address always has a port
	return n
}
