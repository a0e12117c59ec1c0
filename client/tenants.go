package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
)

const tenantsPath = "/control/v1/tenant"

// Tenants reads one page of the tenant list, ordered by id (scope admin). A
// detached tenant is not in it.
func (c *Client) Tenants(ctx context.Context, page TenantsPage) ([]Tenant, error) {
	query := url.Values{}
	if page.Limit > 0 {
		query.Set("limit", strconv.Itoa(page.Limit))
	}
	if page.StartAfter != "" {
		query.Set("start_after", string(page.StartAfter))
	}
	path := tenantsPath
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return get(ctx, c, path, c.conn.cfg.Timeouts.Read, func(body []byte) ([]Tenant, error) {
		tenants, err := decodeTenants(body)
		switch {
		case err != nil:
			return nil, err
		case len(tenants) > 0 && tenants[0].ID <= page.StartAfter:
			return nil, fmt.Errorf("tenant %s is not after %s", tenants[0].ID, page.StartAfter)
		}
		return tenants, nil
	})
}

// EachTenantsPage reads the whole tenant list in pages of limit tenants and
// hands each to fn, whose error ends it. Tenants created or detached
// meanwhile may be missing.
func (c *Client) EachTenantsPage(ctx context.Context, limit int, fn func([]Tenant) error) error {
	if limit <= 0 {
		return errors.New("a page of tenants needs a limit above 0")
	}
	page := TenantsPage{Limit: limit}
	for {
		tenants, err := c.Tenants(ctx, page)
		if err != nil {
			return err
		}
		if len(tenants) > 0 {
			if err := fn(tenants); err != nil {
				return err
			}
		}
		if len(tenants) < limit {
			return nil
		}
		page.StartAfter = tenants[len(tenants)-1].ID
	}
}

// Tenant reads one tenant (scope scrubber or admin). One that is unknown or
// detached is Refused with status 404.
func (c *Client) Tenant(ctx context.Context, id TenantID) (Tenant, error) {
	return get(ctx, c, tenantsPath+"/"+url.PathEscape(string(id)), c.conn.cfg.Timeouts.Read, func(body []byte) (Tenant, error) {
		var t Tenant
		if err := t.UnmarshalJSON(body); err != nil {
			return t, err
		}
		if t.ID != id {
			return t, fmt.Errorf("tenant %s was asked for, the answer is about tenant %s", id, t.ID)
		}
		return t, nil
	})
}

// Leader reads who leads and since when (scope admin); nil when the controller
// runs without peers and keeps no such row.
func (c *Client) Leader(ctx context.Context) (*Leader, error) {
	return get(ctx, c, "/control/v1/leader", c.conn.cfg.Timeouts.Read, func(body []byte) (*Leader, error) {
		if decodeNull(body) == nil {
			return nil, nil
		}
		var l Leader
		if err := l.UnmarshalJSON(body); err != nil {
			return nil, err
		}
		return &l, nil
	})
}

// Metrics reads one scrape (no scope).
func (c *Client) Metrics(ctx context.Context) (Metrics, error) {
	var got Metrics
	err := c.conn.Do(ctx, Request{
		Method: http.MethodGet, Path: "/metrics", Want: http.StatusOK,
		Timeout: c.conn.cfg.Timeouts.Read, Anonymous: true,
		Decode: func(body []byte) (err error) {
			got, err = decodeMetrics(body)
			return err
		},
	})
	if err != nil {
		return Metrics{}, err
	}
	return got, nil
}
