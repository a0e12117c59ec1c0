// Package webhook posts JSON to one address that somebody was given to be told
// things. It must not know what is told. The address is a secret, for whoever has
// it can post there: no error shows more of it than the host.
package webhook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-resty/resty/v2"

	"github.com/StorconTUI/storcon-tui/client"
)

const wordsKept = 200 // bytes of an answer

// Client posts to one address. It is safe for use by several goroutines.
type Client struct {
	http *resty.Client
	url  string
	host string
}

// New checks the address, http(s)://host/path; it sends nothing.
func New(address string) (*Client, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("webhook: expected http(s)://host/path; what was given is not shown, since it may be a secret")
	}
	c := &Client{http: client.NewHTTP(client.Config{UserAgent: "storcon-tui"}), url: u.String(), host: u.Host}
	return c, nil
}

// Host is the address's host and port, the part of it that may be shown.
func (c *Client) Host() string { return c.host }

// Close closes connections that wait for the next request.
func (c *Client) Close() { c.http.GetClient().CloseIdleConnections() }

// Post sends body as JSON, once. Any answer from 200 to 299 is good; a redirect is not
// followed.
func (c *Client) Post(ctx context.Context, body any) error {
	resp, err := c.http.R().SetContext(ctx).SetDoNotParseResponse(true).
		SetHeader("Content-Type", "application/json").SetBody(body).Execute(http.MethodPost, c.url)
	var failed *url.Error
	switch {
	case errors.As(err, &failed): // its text has the address
		return fmt.Errorf("post to %s: %w", c.host, failed.Err)
	case err != nil:
		return fmt.Errorf("post to %s: the request could not be made", c.host)
	}
	defer resp.RawBody().Close()
	words, err := io.ReadAll(io.LimitReader(resp.RawBody(), wordsKept))
	switch {
	case !resp.IsSuccess():
		said, _, _ := strings.Cut(strings.TrimSpace(string(words)), "\n")
		return fmt.Errorf("post to %s: %d %s", c.host, resp.StatusCode(), client.Clean(said))
	case err != nil:
		return fmt.Errorf("post to %s: the answer broke off: %w", c.host, err)
	}
	return nil
}
