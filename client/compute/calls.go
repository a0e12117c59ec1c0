package compute

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/internal/wire"
)

// Startup is the answer of GET /metrics.json: what the start of the compute
// took. Nothing of it is about the time since, save SyncSafekeepers, which a
// shutdown overwrites.
type Startup struct {
	WaitForSpec        int64         `json:"wait_for_spec_ms"`
	SyncSafekeepersChk int64         `json:"sync_sk_check_ms"`
	SyncSafekeepers    int64         `json:"sync_safekeepers_ms"`
	PageserverConnect  int64         `json:"pageserver_connect_micros"`
	Basebackup         int64         `json:"basebackup_ms"`
	BasebackupBytes    int64         `json:"basebackup_bytes"`
	StartPostgres      int64         `json:"start_postgres_ms"`
	Config             int64         `json:"config_ms"`
	Total              int64         `json:"total_startup_ms"` // 0 until it has started
	Extra              client.Fields `json:"-"`
}

var startupFields = []string{
	"wait_for_spec_ms", "sync_sk_check_ms", "sync_safekeepers_ms", "pageserver_connect_micros", "basebackup_ms",
	"basebackup_bytes", "start_postgres_ms", "config_ms", "total_startup_ms",
}

// UnmarshalJSON keeps unknown fields. Older computes lack some: those are 0.
func (s *Startup) UnmarshalJSON(raw []byte) error {
	type named Startup
	var n named
	extra, err := wire.Object(raw, &n, startupFields)
	if err != nil {
		return err
	}
	n.Extra = extra
	*s = Startup(n)
	return nil
}

// Startup reads what the start took (contract B.7).
func (c *Client) Startup(ctx context.Context) (Startup, error) {
	return read[Startup](ctx, c, "/metrics.json")
}

// LFC is the state of the local file cache's prewarm or offload. Status is the
// server's word: not_prewarmed, prewarming, completed, failed, skipped, cancelled,
// and the like for an offload.
type LFC struct {
	Status string        `json:"status"`
	Error  *string       `json:"error,omitempty"` // of a failed one
	Extra  client.Fields `json:"-"`               // figures of a completed one
}

// UnmarshalJSON fails when the status is missing and keeps the figures.
func (l *LFC) UnmarshalJSON(raw []byte) error {
	type named LFC
	var n named
	extra, err := wire.Object(raw, &n, []string{"status", "error"})
	switch {
	case err != nil:
		return err
	case n.Status == "":
		return errors.New("status is missing")
	}
	n.Status, n.Extra = client.Clean(n.Status), extra
	if n.Error != nil {
		text := scrub(client.Clean(*n.Error))
		n.Error = &text
	}
	*l = LFC(n)
	return nil
}

// Prewarm reads how far the prewarm of the file cache is (contract B.9). To start one
// is not offered: on a compute without a spec it ends every route that has a state.
func (c *Client) Prewarm(ctx context.Context) (LFC, error) { return read[LFC](ctx, c, "/lfc/prewarm") }

// Offload reads how far the offload of the file cache is.
func (c *Client) Offload(ctx context.Context) (LFC, error) { return read[LFC](ctx, c, "/lfc/offload") }

// read asks with a GET for a T.
func read[T any](ctx context.Context, c *Client, path string) (T, error) {
	var got T
	err := c.conn.Do(ctx, client.Request{
		Method: http.MethodGet, Path: path, Want: http.StatusOK, Timeout: c.conn.Timeouts().Read,
		Decode: func(body []byte) error { return json.Unmarshal(body, &got) },
	})
	if err != nil {
		var none T
		return none, err
	}
	return got, nil
}

// Insights counts what pg_stat_statements holds (contract B.8). The statements
// themselves are customers' and are not given out.
type Insights struct {
	Statements int
	Readable   bool // false: the query failed inside, which the compute answers with 200 all the same
}

// Insights reads the summary; a 412 says that the compute does not run. While
// Postgres is down the compute drops the connection: Unreachable.
func (c *Client) Insights(ctx context.Context) (Insights, error) {
	var got Insights
	err := c.conn.Do(ctx, client.Request{
		Method: http.MethodGet, Path: "/insights", Want: http.StatusOK, Timeout: c.conn.Timeouts().Read,
		Decode: func(body []byte) (err error) {
			got, err = decodeInsights(body)
			return err
		},
	})
	return got, err
}

// decodeInsights: the body is a JSON string that holds JSON, with doubled braces
// where the query failed.
func decodeInsights(body []byte) (Insights, error) {
	var inner string
	if err := json.Unmarshal(body, &inner); err != nil {
		return Insights{}, err
	}
	if strings.HasPrefix(inner, "{{") {
		return Insights{}, nil
	}
	var answer struct {
		Statements []json.RawMessage `json:"pg_stat_statements"`
	}
	if err := json.Unmarshal([]byte(inner), &answer); err != nil {
		return Insights{}, fmt.Errorf("inner document: %w", err)
	}
	return Insights{Statements: len(answer.Statements), Readable: true}, nil
}

// CheckWritability writes one row and says whether Postgres took it (contract
// B.6): nil when it did. A 412 says that the compute does not run; a 500 has
// Postgres's words, and is also Ambiguous since the row may be there. A full disk
// counts as writable.
func (c *Client) CheckWritability(ctx context.Context) error {
	return c.conn.Do(ctx, client.Request{
		Method: http.MethodPost, Path: "/check_writability", Want: http.StatusOK, Timeout: c.conn.Timeouts().Read,
		Decode: func(body []byte) error {
			if text := strings.TrimSpace(string(body)); text != "true" && text != "" {
				// In 2023 a failure was a 200 with the error as its body.
				return errors.New(client.Clean(text))
			}
			return nil
		},
	})
}

// Mode says how long the process lingers after Postgres is down: 30 s or 0.3 s.
type Mode string

// The modes of Terminate.
const (
	Fast      Mode = "fast"
	Immediate Mode = "immediate"
)

// Terminate stops Postgres for good and returns the last LSN of a primary, "" where there
// is none (contract B.5). It waits for the safekeepers; no answer is no
// failure. It must not be sent to a compute that is empty: that one never answers
// and takes no spec any more.
func (c *Client) Terminate(ctx context.Context, mode Mode, limit time.Duration) (lsn string, err error) {
	var got struct {
		LSN *string `json:"lsn"`
	}
	err = c.conn.Do(ctx, client.Request{
		Method: http.MethodPost, Path: "/terminate?mode=" + string(mode), Want: http.StatusOK, Also: http.StatusCreated,
		Timeout: limit, MayLeave: true,
		Decode: func(body []byte) error {
			if len(body) == 0 {
				return nil // lakebase mode
			}
			return json.Unmarshal(body, &got)
		},
	})
	if err != nil || got.LSN == nil {
		return "", err
	}
	return client.Clean(*got.LSN), nil
}

// RefreshConfiguration has the compute read its spec again from where it was
// started with (contract B.10). It is a route of the internal port, 3081 by
// default, and does not wait for the outcome.
func (c *Client) RefreshConfiguration(ctx context.Context) error {
	return c.conn.Do(ctx, client.Request{
		Method: http.MethodPost, Path: "/refresh_configuration", Want: http.StatusOK, Anonymous: true,
		Timeout: c.conn.Timeouts().Read,
	})
}
