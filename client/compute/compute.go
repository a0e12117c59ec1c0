package compute

import (
	"context"
	"fmt"
	"net/http"

	"github.com/StorconTUI/storcon-tui/client"
)

// Client is the API of one compute_ctl. It is safe for use by several
// goroutines.
type Client struct {
	conn *client.Conn
}

// New checks cfg and prepares a client; it sends nothing. The base URL is that
// of the external port, 3080 by default.
func New(cfg client.Config) (*Client, error) {
	conn, err := client.NewConn(cfg, client.Dialect{Server: "a compute_ctl", ErrorKey: "error"})
	if err != nil {
		return nil, fmt.Errorf("compute: %w", err)
	}
	return &Client{conn: conn}, nil
}

// BaseURL is the compute's address, without a trailing slash.
func (c *Client) BaseURL() string { return c.conn.BaseURL() }

// WithoutRetries is the same client, whose reads are sent once. It is for
// callers that repeat their reads anyway.
func (c *Client) WithoutRetries() *Client { return &Client{conn: c.conn.WithoutRetries()} }

// CloseIdle closes connections that wait for the next request.
func (c *Client) CloseIdle() { c.conn.CloseIdle() }

// Status reads what the compute is doing. A compute whose process has ended is
// Unreachable; whether it failed or was stopped its absence does not tell. A token that is
// missing (400), not verifiable (401) or made for another compute (403) is
// Unauthorized.
func (c *Client) Status(ctx context.Context) (Status, error) {
	var got Status
	err := c.conn.Do(ctx, client.Request{
		Method: http.MethodGet, Path: "/status", Want: http.StatusOK, Timeout: c.conn.Timeouts().NodeList,
		Decode: func(body []byte) error { return got.UnmarshalJSON(body) },
	})
	if err != nil {
		return Status{}, err
	}
	return got, nil
}
