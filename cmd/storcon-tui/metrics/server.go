package metrics

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

const (
	path = "/metrics"

	headersIn  = 5 * time.Second
	answerIn   = 30 * time.Second
	idleFor    = 2 * time.Minute
	closeIn    = 2 * time.Second // for scrapes that are under way
	headersMax = 16 << 10        // bytes
	atOnce     = 4               // scrapes; there may be two Prometheis and a person
)

// Server answers scrapes. Close must be called.
type Server struct {
	listener net.Listener
	http     *http.Server
	clusters *collector
	serving  sync.WaitGroup
}

// Listen serves at host:port; port 0 is a free one, no host every address of the machine. An
// error says why it cannot be bound.
func Listen(address, version string, log *slog.Logger) (*Server, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		var op *net.OpError
		if errors.As(err, &op) { // the address is said once
			err = op.Err
		}
		return nil, fmt.Errorf("metrics cannot be served at %s: %w", address, err)
	}
	s := &Server{listener: listener, clusters: &collector{version: version}}
	registry := prometheus.NewPedanticRegistry()
	if err := registry.Register(s.clusters); err != nil {
		return nil, errors.Join(fmt.Errorf("register the metrics: %w", err), listener.Close())
	}
	faces := http.NewServeMux()
	faces.Handle("GET "+path, promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		// What can be shown is: a gap in everything would say that this program is gone.
		ErrorHandling: promhttp.ContinueOnError, ErrorLog: errorLog{log}, MaxRequestsInFlight: atOnce,
	}))
	faces.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "storcon-tui: metrics are at "+path+"\n") // who has gone needs no answer
	})
	s.http = &http.Server{
		Handler: faces, ReadHeaderTimeout: headersIn, ReadTimeout: headersIn, WriteTimeout: answerIn, IdleTimeout: idleFor,
		MaxHeaderBytes: headersMax, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	s.serving.Go(func() {
		if err := s.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			log.Warn("metrics are no longer served", "err", err)
		}
	})
	return s, nil
}

// Show has the server tell of this cluster too.
func (s *Server) Show(c *Cluster) { s.clusters.show(c) }

// Hide has it tell of that cluster no more.
func (s *Server) Hide(c *Cluster) { s.clusters.hide(c) }

// URL is where a Prometheus scrapes.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() + path }

// Close lets scrapes that are under way end, within limits, and waits for the server.
func (s *Server) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeIn)
	defer cancel()
	if s.http.Shutdown(ctx) != nil {
		_ = s.http.Close() // they had their time
	}
	s.serving.Wait()
}

// errorLog tells the program's log what cannot be shown.
type errorLog struct{ to *slog.Logger }

func (l errorLog) Println(v ...any) {
	l.to.Warn("not all metrics can be shown", "err", strings.ReplaceAll(strings.TrimSpace(fmt.Sprintln(v...)), "\n", "; "))
}
