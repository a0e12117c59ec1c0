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

	Timeouts    Timeouts // zero fields take the defaults
	ReadRetries int      // further attempts of a failed read; 0 = the default of 2, -1 = none
	// OnSend is told of every request right before it is sent, and OnCall of the
	// same one after its answer. Both may be called from several goroutines.
	OnSend, OnCall func(Call)
}

// Timeouts per attempt. Zero fields take the defaults.
type Timeouts struct {
	NodeList time.Duration // 2 s: the node list feeds the "controller lost" banner
	Read     time.Duration // 10 s
	Mutate   time.Duration // 45 s: a PUT given up early can leave a policy without its operation
}

func (t Timeouts) orDefaults() Timeouts {
	if t.NodeList <= 0 {
		t.NodeList = 2 * time.Second
	}
	if t.Read <= 0 {
		t.Read = 10 * time.Second
	}
	if t.Mutate <= 0 {
		t.Mutate = 45 * time.Second
	}
	return t
}

// Call is one request as it went over the wire.
type Call struct {
	At     time.Time
	Method string
	Path   string // with query
	Status int    // 0 when no answer came
	Took   time.Duration
	Err    error
	Probe  bool // the empty configure that asks what occupies the operation slot
}

// Mutates reports a request that may change the cluster. A probe is a PUT that
// changes nothing and is counted apart.
func (c Call) Mutates() bool { return c.Method != "GET" && !c.Probe }
