package client

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// pages serves total tenants page by page, as the controller does.
func pages(total int, asked *[]string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.URL.RawQuery)
		limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
		if err != nil {
			limit = total
		}
		var page []string
		for i := range total {
			id := fmt.Sprintf("%032x", i)
			if id > r.URL.Query().Get("start_after") && len(page) < limit {
				page = append(page, `{"tenant_id":"`+id+`","shards":[],"policy":{"Attached":1},"config":{}}`)
			}
		}
		answer(200, "["+strings.Join(page, ",")+"]")(w, r)
	}
}

func TestEachTenantsPage(t *testing.T) {
	for _, row := range []struct{ total, limit, pages, requests int }{
		{0, 3, 0, 1}, {2, 3, 1, 1}, {3, 3, 1, 2}, {7, 3, 3, 3},
	} {
		var asked []string
		c := serve(t, Config{}, pages(row.total, &asked))
		seen, handed := 0, 0
		err := c.EachTenantsPage(t.Context(), row.limit, func(page []Tenant) error {
			seen += len(page)
			handed++
			return nil
		})
		if err != nil || seen != row.total || handed != row.pages || len(asked) != row.requests {
			t.Errorf("%+v: %d tenants in %d pages, asked %q: %v", row, seen, handed, asked, err)
		}
	}
}

func TestEachTenantsPageEnds(t *testing.T) {
	var asked []string
	c := serve(t, Config{}, pages(9, &asked))
	enough := errors.New("enough")
	if err := c.EachTenantsPage(t.Context(), 2, func([]Tenant) error { return enough }); !errors.Is(err, enough) || len(asked) != 1 {
		t.Errorf("%v, asked %q", err, asked)
	}
	if err := c.EachTenantsPage(t.Context(), 0, func([]Tenant) error { return nil }); err == nil {
		t.Error("a limit of 0 passed")
	}
}

// A server that ignores the cursor would be read for ever.
func TestTenantsPageThatDoesNotAdvance(t *testing.T) {
	c := serve(t, Config{ReadRetries: -1}, func(w http.ResponseWriter, r *http.Request) {
		answer(200, `[{"tenant_id":"a","shards":[],"policy":{"Attached":1},"config":{}}]`)(w, r)
	})
	err := c.EachTenantsPage(t.Context(), 1, func([]Tenant) error { return nil })
	if KindOf(err) != BadAnswer || !strings.Contains(err.Error(), "not after") {
		t.Error(err)
	}
}

// limit=0 means one tenant to the server, and is never sent.
func TestTenantsQuery(t *testing.T) {
	var asked []string
	c := serve(t, Config{}, pages(3, &asked))
	for _, page := range []TenantsPage{{}, {Limit: 2}, {StartAfter: "00"}, {Limit: 2, StartAfter: "00"}} {
		if _, err := c.Tenants(t.Context(), page); err != nil {
			t.Error(err)
		}
	}
	if got := strings.Join(asked, " "); got != " limit=2 start_after=00 limit=2&start_after=00" {
		t.Errorf("asked %q", got)
	}
}
