package server

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/StorconTUI/storcon-tui/client"
)

// RestartViaAdmin asks a demo cluster's admin API to restart a node and waits
// until the node is back. It is what the demo's restart hook does. params may
// hold down and build as the admin API takes them; "" leaves both to it.
func RestartViaAdmin(ctx context.Context, adminURL string, id client.NodeID, params string) error {
	url := fmt.Sprintf("%s/demo/nodes/%d/restart", strings.TrimSuffix(adminURL, "/"), id)
	if params != "" {
		url += "?" + params
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, nil)
	if err != nil {
		return fmt.Errorf("restart node %d: %w", id, err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("restart node %d: %w", id, err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxBody))
	if err != nil {
		return fmt.Errorf("restart node %d: %w", id, err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("restart node %d: %s: %s", id, resp.Status, strings.TrimSpace(string(text)))
	}
	return nil
}
