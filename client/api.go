package client

import (
	"crypto/tls"
	"time"
)

// Config is how to reach one controller.
type Config struct {
	BaseURL   string      // http(s)://host:port, without path
	Token     TokenSource // nil = none is sent
	TLS       *tls.Config // nil = system roots
	ReadOnly  bool        // refuse every request that is not a GET
	UserAgent string

	Timeouts Timeouts   // zero fields take the defaults
	OnCall   func(Call) // told of every request sent, after its answer; may be called from several goroutines
}

// Timeouts per attempt (engine.md's defaults: 2 s, 10 s, 45 s).
type Timeouts struct {
	NodeList time.Duration
	Read     time.Duration
	Mutate   time.Duration // generous: a PUT given up early can leave a policy without its operation
}

// Call is one request as it went over the wire.
type Call struct {
	At     time.Time
	Method string
	Path   string
	Status int // 0 when no answer came
	Took   time.Duration
	Err    error
}

// Mutates reports a request that may change the cluster. The empty configure
// that asks what occupies the operation slot is counted apart (Probe).
func (c Call) Mutates() bool { return c.Method != "GET" }
