// Package prometheus asks a Prometheus, or what speaks like one, whether an
// alert fires.
//
// It knows one route of the HTTP API, an instant query, and what its answer
// means for a run: a series is an alert that fires, no series is none. It must not
// know of gates, runs or clusters; whether an alert stops anything is not its to say.
package prometheus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/StorconTUI/storcon-tui/client"
)

const route = "/api/v1/query"

// Client asks one query of one server. It is safe for use by several goroutines.
type Client struct {
	conn  *client.Conn
	path  string // with the query
	query string
}

// New checks cfg and prepares a client; it sends nothing. Other than elsewhere the
// base URL may have a path, since many servers live below one. The query is
// PromQL whose result has one series for each alert, such as
// ALERTS{alertstate="firing",severity="critical"}; only the server can tell
// whether it is good.
func New(cfg client.Config, query string) (*Client, error) {
	if strings.TrimSpace(query) == "" {
		return nil, errors.New("prometheus: the query is empty")
	}
	base, prefix := splitPath(cfg.BaseURL)
	cfg.BaseURL = base
	conn, err := client.NewConn(cfg, client.Dialect{Server: "a Prometheus", ErrorKey: "error"})
	if err != nil {
		return nil, fmt.Errorf("prometheus: %w", err)
	}
	return &Client{conn: conn, path: prefix + route + "?query=" + url.QueryEscape(query), query: query}, nil
}

// splitPath cuts the path off a URL. What cannot be read is left whole, for
// client.NewConn to complain about.
func splitPath(raw string) (base, prefix string) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return raw, ""
	}
	prefix = strings.TrimRight(u.EscapedPath(), "/")
	u.Path, u.RawPath = "", ""
	return u.String(), prefix
}

// Query is what is asked.
func (c *Client) Query() string { return c.query }

// WithoutRetries is the same client, whose reads are sent once. It is for
// callers that repeat their reads anyway.
func (c *Client) WithoutRetries() *Client {
	once := *c
	once.conn = c.conn.WithoutRetries()
	return &once
}

// CloseIdle closes connections that wait for the next request.
func (c *Client) CloseIdle() { c.conn.CloseIdle() }

// Firing names the series that the query finds, sorted; none when all is well.
// An error means that nobody knows: no answer, a query that the server refuses,
// a result that is not a vector, or an empty one with the server's warning that
// it is not the whole.
func (c *Client) Firing(ctx context.Context) ([]string, error) {
	var names []string
	err := c.conn.Do(ctx, client.Request{
		Method: http.MethodGet, Path: c.path, Want: http.StatusOK, Timeout: c.conn.Timeouts().Read,
		Decode: func(body []byte) (err error) {
			names, err = decode(body)
			return err
		},
	})
	if err != nil {
		return nil, fmt.Errorf("ask for alerts: %w", err)
	}
	return names, nil
}

type answer struct {
	Status string `json:"status"`
	Data   struct {
		Type   string          `json:"resultType"`
		Result json.RawMessage `json:"result"`
	} `json:"data"`
	Warnings []string `json:"warnings"`
}

type series struct {
	Labels map[string]string `json:"metric"`
}

func decode(body []byte) ([]string, error) {
	var a answer
	if err := json.Unmarshal(body, &a); err != nil {
		return nil, err
	}
	switch {
	case a.Status != "success":
		return nil, fmt.Errorf("status is %q, not success", client.Clean(a.Status))
	case a.Data.Type != "vector":
		return nil, fmt.Errorf("the result is %q, not a vector: a query is needed that finds a series for each alert", client.Clean(a.Data.Type))
	}
	var found []series
	if err := json.Unmarshal(a.Data.Result, &found); err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	switch {
	case found == nil:
		return nil, errors.New("result is missing")
	case len(found) == 0 && len(a.Warnings) > 0:
		return nil, fmt.Errorf("nothing was found, but not everywhere: %s", client.Clean(strings.Join(a.Warnings, "; ")))
	}
	names := make([]string, 0, len(found))
	for _, s := range found {
		names = append(names, s.name())
	}
	slices.Sort(names)
	return names, nil
}

// name is the alert's, or else the metric's, with the labels that tell it from
// others of that name.
func (s series) name() string {
	name := s.Labels["__name__"]
	if alert, ok := s.Labels["alertname"]; ok {
		name = alert
	}
	var labels []string
	for _, key := range slices.Sorted(maps.Keys(s.Labels)) {
		switch key {
		case "__name__", "alertname", "alertstate":
		default:
			labels = append(labels, fmt.Sprintf("%s=%q", key, s.Labels[key]))
		}
	}
	if len(labels) > 0 || name == "" {
		name += "{" + strings.Join(labels, ",") + "}"
	}
	return client.Clean(name)
}
