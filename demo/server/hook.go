package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/StorconTUI/storcon-tui/client"
)

// maxCallsBody bounds the answer with the log of calls, of which one is some 150 bytes.
const maxCallsBody = 16 << 20

// RestartViaAdmin asks a demo cluster's admin API to restart a node and waits
// until the node is back. It is what the demo's restart hook does. params may
// hold down and build as the admin API takes them; "" leaves both to it.
func RestartViaAdmin(ctx context.Context, adminURL string, id client.NodeID, params string) error {
	path := fmt.Sprintf("/demo/nodes/%d/restart", id)
	if params != "" {
		path += "?" + params
	}
	if err := PostAdmin(ctx, adminURL, path); err != nil {
		return fmt.Errorf("restart node %d: %w", id, err)
	}
	return nil
}

// PostAdmin asks a demo cluster's admin API for one of the things that it makes
// happen; path has the parameters, such as "/demo/nodes/3/stop".
func PostAdmin(ctx context.Context, adminURL, path string) error {
	_, err := askAdmin(ctx, http.MethodPost, adminURL, path, maxBody)
	return err
}

// CallsViaAdmin asks a demo cluster's admin API which requests its controller has
// received, oldest first.
func CallsViaAdmin(ctx context.Context, adminURL string) ([]Call, error) {
	body, err := askAdmin(ctx, http.MethodGet, adminURL, "/demo/calls", maxCallsBody)
	if err != nil {
		return nil, err
	}
	var calls []Call
	if err := json.Unmarshal(body, &calls); err != nil {
		return nil, fmt.Errorf("%s/demo/calls is no list of calls: %w", adminURL, err)
	}
	return calls, nil
}

func askAdmin(ctx context.Context, method, adminURL, path string, limit int64) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(adminURL, "/")+path, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(resp.Body, limit))
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", resp.Status, strings.TrimSpace(string(text)))
	}
	return text, nil
}
