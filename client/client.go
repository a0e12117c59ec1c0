package client

import (
	"context"
	"net/http"
	"time"
)

// Client is the API of one storage controller. It is safe for use by several
// goroutines; mutating calls wait for each other.
type Client struct {
	conn  *Conn
	nodes *nodesMemo
}

// New checks cfg and prepares a client; it sends nothing.
func New(cfg Config) (*Client, error) {
	conn, err := NewConn(cfg, Dialect{Server: "a storage controller", ErrorKey: "msg"})
	if err != nil {
		return nil, err
	}
	return &Client{conn: conn, nodes: &nodesMemo{}}, nil
}

// WithoutRetries is the same client, connections and all, whose reads are sent
// once. It is for callers that repeat their reads anyway, such as a poller.
func (c *Client) WithoutRetries() *Client {
	return &Client{conn: c.conn.WithoutRetries(), nodes: c.nodes}
}

// BaseURL is the controller's address, without a trailing slash.
func (c *Client) BaseURL() string { return c.conn.BaseURL() }

// CloseIdle closes connections that wait for the next request.
func (c *Client) CloseIdle() { c.conn.CloseIdle() }

// TokenInfo is what the token in use says of itself; false when there is none,
// it cannot be read, or is not a JWT.
func (c *Client) TokenInfo(ctx context.Context) (TokenClaims, bool) {
	if c.conn.cfg.Token == nil {
		return TokenClaims{}, false
	}
	token, err := c.conn.cfg.Token.Token(ctx)
	if err != nil {
		return TokenClaims{}, false
	}
	claims, err := Claims(token)
	return claims, err == nil
}

// Status asks whether the HTTP listener is up; it says nothing else.
func (c *Client) Status(ctx context.Context) error { return c.health(ctx, "/status") }

// Ready asks whether start-up has completed. It stays so after stepping down.
func (c *Client) Ready(ctx context.Context) error { return c.health(ctx, "/ready") }

// Live asks whether this is the leader and start-up has completed: nil only
// from a controller that can be used.
func (c *Client) Live(ctx context.Context) error { return c.health(ctx, "/live") }

func (c *Client) health(ctx context.Context, path string) error {
	return c.conn.Do(ctx, Request{
		Method: http.MethodGet, Path: path, Want: http.StatusOK,
		Timeout: c.conn.cfg.Timeouts.NodeList, Anonymous: true, Once: true, Decode: decodeNull,
	})
}

// get reads a JSON answer.
func get[T any](ctx context.Context, c *Client, path string, timeout time.Duration, decode func([]byte) (T, error)) (T, error) {
	var got T
	err := c.conn.Do(ctx, Request{
		Method: http.MethodGet, Path: path, Want: http.StatusOK, Timeout: timeout,
		Decode: func(body []byte) (err error) {
			got, err = decode(body)
			return err
		},
	})
	if err != nil {
		var none T
		return none, err
	}
	return got, nil
}
