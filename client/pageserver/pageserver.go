package pageserver

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/internal/prom"
)

// Client reads from one pageserver. It sends no token: its routes ask for none.
type Client struct {
	conn *client.Conn
}

// New prepares a client for the pageserver that listens there; it sends
// nothing. With https, tlsConfig may name its authorities; nil takes the system's.
func New(host string, port int, https bool, tlsConfig *tls.Config) (*Client, error) {
	if host == "" || port < 1 || port > math.MaxUint16 {
		return nil, fmt.Errorf("pageserver: no address to ask: host %q, port %d", client.Clean(host), port)
	}
	scheme := "http"
	if https {
		scheme = "https"
	}
	conn, err := client.NewConn(client.Config{
		BaseURL:  scheme + "://" + net.JoinHostPort(host, strconv.Itoa(port)),
		TLS:      tlsConfig,
		ReadOnly: true,
	}, client.Dialect{Server: "a pageserver", ErrorKey: "msg"})
	if err != nil {
		return nil, fmt.Errorf("pageserver: %w", err)
	}
	return &Client{conn: conn}, nil
}

// ForNode prepares a client for a node as the controller describes it: by https
// when it has a port for that, else by http.
func ForNode(node client.Node, tlsConfig *tls.Config) (*Client, error) {
	if node.ListenHTTPSPort != nil {
		return New(node.ListenHTTPAddr, *node.ListenHTTPSPort, true, tlsConfig)
	}
	return New(node.ListenHTTPAddr, node.ListenHTTPPort, false, tlsConfig)
}

// BaseURL is the pageserver's address, without a trailing slash.
func (c *Client) BaseURL() string { return c.conn.BaseURL() }

// WithoutRetries is the same client, whose reads are sent once. It is for
// callers that repeat their reads anyway.
func (c *Client) WithoutRetries() *Client { return &Client{conn: c.conn.WithoutRetries()} }

// CloseIdle closes connections that wait for the next request.
func (c *Client) CloseIdle() { c.conn.CloseIdle() }

// Fetch reads one scrape. Without a launch time it is a BadAnswer: an unknown
// launch proves nothing.
func (c *Client) Fetch(ctx context.Context) (Info, error) {
	var got Info
	err := c.conn.Do(ctx, client.Request{
		Method: http.MethodGet, Path: "/metrics", Want: http.StatusOK,
		Timeout: c.conn.Timeouts().Read, Anonymous: true,
		Decode: func(body []byte) (err error) {
			got, err = decode(body)
			return err
		},
	})
	if err != nil {
		return Info{}, err
	}
	return got, nil
}

// NodeID reads which node the process says it is.
func (c *Client) NodeID(ctx context.Context) (client.NodeID, error) {
	var got struct{ ID *client.NodeID }
	err := c.conn.Do(ctx, client.Request{
		Method: http.MethodGet, Path: "/v1/status", Want: http.StatusOK,
		Timeout: c.conn.Timeouts().Read, Anonymous: true,
		Decode: func(body []byte) error {
			if err := json.Unmarshal(body, &got); err != nil {
				return fmt.Errorf("decode the status of a pageserver: %w", err)
			}
			if got.ID == nil {
				return errors.New("the status of a pageserver has no id")
			}
			return nil
		},
	})
	if err != nil {
		return 0, err
	}
	return *got.ID, nil
}

func decode(body []byte) (Info, error) {
	families, err := prom.Parse(body)
	if err != nil {
		return Info{}, err
	}
	launch, ok := families.Value("libmetrics_launch_timestamp")
	switch {
	case !ok:
		return Info{}, errors.New("libmetrics_launch_timestamp is missing")
	case math.IsNaN(launch) || launch < 1 || launch > math.MaxInt64/2:
		return Info{}, fmt.Errorf("libmetrics_launch_timestamp is %v, not milliseconds since 1970", launch)
	}
	millis := int64(launch)
	return Info{
		Launch:       time.UnixMilli(millis).UTC(),
		LaunchMillis: millis,
		Build:        client.BuildOf(families),
	}, nil
}
