package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-resty/resty/v2"

	"github.com/StorconTUI/storcon-tui/client/internal/wire"
)

const (
	defaultReadRetries = 2
	retryFirst         = 200 * time.Millisecond // upper end of the first wait; doubles
	retryCap           = 2 * time.Second
)

// Dialect is how one kind of server words things.
type Dialect struct {
	Server   string // what answers when all is well: "a storage controller"
	ErrorKey string // the member of an error body that has the words: "msg"
}

// Conn speaks HTTP to one server: deadlines, retries of reads, one mutating
// request at a time, tokens, bounded bodies, typed errors. It knows no route;
// Client and the packages below client are built on it. It is safe for use by
// several goroutines.
type Conn struct {
	cfg     Config
	dialect Dialect
	retries int

	reads  *resty.Client
	writes *resty.Client // never rides an idle connection, whose silent death would make a request ambiguous for nothing
	slot   chan struct{} // holds one token while a mutating request is in flight
}

// Request is one request that a Conn is to send.
type Request struct {
	Method  string
	Path    string // with query
	Body    any    // sent as JSON; nil = none
	Want    int    // the status of success
	Also    int    // another one; 0 = none
	Timeout time.Duration

	Probe     bool // not a GET, and yet changes nothing
	Anonymous bool // the route asks for no token, so none is sent
	MayLeave  bool // a mutating request whose wait may end with the context: the server goes on all the same
	Once      bool // not retried: the caller wants this very answer

	// Hide takes out of a failure the secrets that Body had; nil = it has none.
	Hide func(said []byte) []byte

	// Decode reads the body of a success; its error makes the answer a bad one.
	Decode func(body []byte) error
}

func (r Request) mutates() bool { return r.Method != http.MethodGet && !r.Probe }

// NewConn checks cfg and prepares a connection; it sends nothing.
func NewConn(cfg Config, dialect Dialect) (*Conn, error) {
	base, err := parseBaseURL(cfg.BaseURL)
	if err != nil {
		return nil, err
	}
	cfg.BaseURL = base
	cfg.Timeouts = cfg.Timeouts.orDefaults()
	if cfg.UserAgent == "" {
		cfg.UserAgent = "storcon-tui"
	}
	c := &Conn{cfg: cfg, dialect: dialect, slot: make(chan struct{}, 1)}
	switch {
	case cfg.ReadRetries > 0:
		c.retries = cfg.ReadRetries
	case cfg.ReadRetries == 0:
		c.retries = defaultReadRetries
	}
	c.reads = newResty(cfg, newTransport(cfg, true))
	c.writes = newResty(cfg, newTransport(cfg, false))
	return c, nil
}

// WithoutRetries is the same connection, the slot for mutating requests
// included, whose reads are sent once.
func (c *Conn) WithoutRetries() *Conn {
	once := *c
	once.retries = 0
	return &once
}

// BaseURL is the server's address, without a trailing slash.
func (c *Conn) BaseURL() string { return c.cfg.BaseURL }

// Timeouts are those in force, defaults filled in.
func (c *Conn) Timeouts() Timeouts { return c.cfg.Timeouts }

// CloseIdle closes connections that wait for the next request.
func (c *Conn) CloseIdle() {
	c.reads.GetClient().CloseIdleConnections()
	c.writes.GetClient().CloseIdleConnections()
}

// Do sends the request and hands the body of a success to req.Decode. Every
// error is an *Error.
func (c *Conn) Do(ctx context.Context, req Request) error {
	if req.Method == http.MethodGet {
		return c.read(ctx, req)
	}
	if c.cfg.ReadOnly {
		return &Error{Kind: ReadOnly, Method: req.Method, Path: req.Path}
	}
	return c.write(ctx, req)
}

func (c *Conn) read(ctx context.Context, req Request) error {
	renewed := false
	for attempt := 0; ; attempt++ {
		out, err := c.attempt(ctx, c.reads, req)
		if err == nil {
			return nil
		}
		if KindOf(err) == Unauthorized && out.status != 0 && !renewed {
			if renewed = c.renewToken(ctx, req); renewed {
				continue
			}
		}
		if req.Once || attempt >= c.retries || !worthRetrying(out) || !pause(ctx, attempt) {
			return err
		}
	}
}

// write sends once. The caller's context may end the wait for another request,
// but never one that is under way: given up early, the server could be left
// with half of it done and nobody would know its answer.
func (c *Conn) write(ctx context.Context, req Request) error {
	select {
	case c.slot <- struct{}{}:
		defer func() { <-c.slot }()
	case <-ctx.Done():
		return c.unsent(req, ctx.Err())
	}
	out, err := c.attempt(ctx, c.writes, req)
	if KindOf(err) == Unauthorized && out.status != 0 {
		c.renewToken(ctx, req)
	}
	return err
}

func (c *Conn) unsent(req Request, err error) error {
	return &Error{Kind: Unreachable, Method: req.Method, Path: req.Path, Err: fmt.Errorf("not sent: %w", err)}
}

// renewToken reports whether another attempt would carry another token. That
// the source cannot be read now is no news: the refusal itself is reported.
func (c *Conn) renewToken(ctx context.Context, req Request) bool {
	if c.cfg.Token == nil || req.Anonymous {
		return false
	}
	changed, err := c.cfg.Token.Refresh(ctx)
	return changed && err == nil
}

// pause waits with full jitter before the next attempt; false when ctx ends.
func pause(ctx context.Context, attempt int) bool {
	ceiling := min(retryCap, retryFirst<<min(attempt, 8))
	timer := time.NewTimer(rand.N(ceiling))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Bad is the error for a good status whose content is not what req asked for.
func (c *Conn) Bad(req Request, err error) error {
	return &Error{Kind: BadAnswer, Method: req.Method, Path: req.Path, Status: req.Want, Err: err}
}

// decodeNull accepts the JSON value null, what the server says when it has
// nothing to say.
func decodeNull(body []byte) error {
	if strings.TrimSpace(string(body)) != "null" {
		return fmt.Errorf("the answer should be null, but is %s", wire.Snippet(body))
	}
	return nil
}

// parseBaseURL accepts http(s)://host[:port] and drops a trailing slash.
func parseBaseURL(raw string) (string, error) {
	const expected = "expected http://HOST:PORT or https://HOST:PORT"
	if raw == "" {
		return "", errors.New("url is empty: " + expected)
	}
	u, err := url.Parse(raw)
	if err != nil {
		var detail *url.Error
		if errors.As(err, &detail) {
			err = detail.Err // without the url, which may carry a password
		}
		return "", fmt.Errorf("url cannot be read: %w: %s", err, expected)
	}
	switch {
	case u.User != nil:
		return "", errors.New("url must not carry a user or password: " + expected)
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return "", fmt.Errorf("url %q: %s", showable(raw), expected)
	case strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		return "", fmt.Errorf("url %q has a path or query: %s", showable(raw), expected)
	}
	return u.Scheme + "://" + u.Host, nil
}

// showable is a url as it may be quoted: what stands before an @ or in a query
// may be a password or a token, also where the scheme is missing.
func showable(raw string) string {
	raw, _, _ = strings.Cut(raw, "?")
	return Clean(raw[strings.LastIndexByte(raw, '@')+1:])
}

// message finds the server's words in an error body: the member named by the
// dialect, or else the text as it came, cut short.
func (d Dialect) message(body []byte) (msg string, inJSON bool) {
	var object map[string]json.RawMessage
	if json.Unmarshal(body, &object) == nil {
		var s string
		if json.Unmarshal(object[d.ErrorKey], &s) == nil {
			return Clean(s), true
		}
	}
	if text := strings.TrimSpace(string(body)); text == "" || text == "null" {
		return "", false
	}
	return wire.Snippet(body), false
}
