package client

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// serve runs handler on loopback and returns a client of it, closed with the
// test.
func serve(t *testing.T, cfg Config, handler http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return connect(t, cfg, server.URL)
}

func connect(t *testing.T, cfg Config, url string) *Client {
	t.Helper()
	cfg.BaseURL = url
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdle)
	return c
}

// answer is a handler that always says the same.
func answer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body) // the client may have gone
	}
}

// hangUp closes the connection without an answer.
func hangUp(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	conn.Close()
}

// cutShort sends raw bytes and closes the connection.
func cutShort(raw string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, buf, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		_, _ = buf.WriteString(raw) // Flush tells
		_ = buf.Flush()             // the client may have gone
	}
}

// calls collects what OnCall reports.
type calls struct {
	mu  sync.Mutex
	all []Call
}

func (c *calls) add(call Call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, call)
}

func (c *calls) list() []Call {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Call(nil), c.all...)
}

// quietLog is for servers whose complaints about bad handshakes are wanted.
func quietLog() *log.Logger { return log.New(io.Discard, "", 0) }

func withRoots(pool *x509.CertPool) *tls.Config {
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
}
