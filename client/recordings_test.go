package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// exchange is one line of a recording.
type exchange struct {
	N       int `json:"n"`
	Request *struct {
		Method string `json:"method"`
		Path   string `json:"path"`
		Body   string `json:"body"`
	} `json:"request"`
	Response struct {
		Status int    `json:"status"`
		Body   string `json:"body"`
		Error  string `json:"error"`
	} `json:"response"`
}

func readRecording(t *testing.T, path string) []exchange {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var all []exchange
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 8<<20)
	for lines.Scan() {
		var e exchange
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if e.Request != nil {
			all = append(all, e)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

var (
	nodeRoute   = regexp.MustCompile(`^/control/v1/node/(\d+)(/[a-z]+)?$`)
	tenantRoute = regexp.MustCompile(`^/control/v1/tenant/([0-9a-f]{32})$`)
)

// ask sends a recorded request by the client's own method; known is false on
// a route, or for a query or body, that the client never sends.
func ask(ctx context.Context, c *Client, e exchange) (got any, known bool, err error) {
	method, path := e.Request.Method, e.Request.Path
	if m := nodeRoute.FindStringSubmatch(path); m != nil {
		return askNode(ctx, c, e, m)
	}
	if m := tenantRoute.FindStringSubmatch(path); m != nil && method == http.MethodGet {
		got, err = c.Tenant(ctx, TenantID(m[1]))
		return got, true, err
	}
	if method != http.MethodGet {
		return nil, false, nil
	}
	switch route, query, _ := strings.Cut(path, "?"); route {
	case "/status":
		return nil, true, c.Status(ctx)
	case "/ready":
		return nil, true, c.Ready(ctx)
	case "/live":
		return nil, true, c.Live(ctx)
	case "/metrics":
		got, err = c.Metrics(ctx)
		return got, true, err
	case "/control/v1/leader":
		got, err = c.Leader(ctx)
		return got, true, err
	case "/control/v1/node":
		got, err = c.Nodes(ctx)
		return got, true, err
	case "/control/v1/tenant":
		page, ok := readQuery(query)
		if !ok {
			return nil, false, nil
		}
		got, err = c.Tenants(ctx, page)
		return got, true, err
	}
	return nil, false, nil
}

func readQuery(query string) (TenantsPage, bool) {
	var page TenantsPage
	for part := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(part, "=")
		switch name {
		case "":
		case "limit":
			if n, _ := strconv.Atoi(value); n > 0 {
				page.Limit = n
				continue
			}
			return page, false
		case "start_after":
			if len(value) != 32 {
				return page, false
			}
			page.StartAfter = TenantID(value)
		default:
			return page, false
		}
	}
	return page, true
}

func askNode(ctx context.Context, c *Client, e exchange, route []string) (got any, known bool, err error) {
	raw, err := strconv.ParseUint(route[1], 10, 64)
	if err != nil {
		return nil, false, err
	}
	id := NodeID(raw)
	switch e.Request.Method + route[2] {
	case "GET":
		got, err = c.Node(ctx, id)
	case "GET/shards":
		got, err = c.NodeShards(ctx, id)
	case "PUT/drain":
		err = c.StartDrain(ctx, id)
	case "DELETE/drain":
		err = c.CancelDrain(ctx, id)
	case "PUT/fill":
		err = c.StartFill(ctx, id)
	case "DELETE/fill":
		err = c.CancelFill(ctx, id)
	case "PUT/config":
		cfg, ours := readConfig(e.Request.Body, id)
		if !ours {
			return nil, false, nil
		}
		err = c.ConfigureNode(ctx, cfg)
	default:
		return nil, false, nil
	}
	return got, true, err
}

// readConfig is the recorded body of a configure, if the client could have
// sent it.
func readConfig(body string, id NodeID) (cfg NodeConfig, ours bool) {
	err := json.Unmarshal([]byte(body), &cfg)
	return cfg, err == nil && cfg.NodeID == id
}

// TestRecordings replays every exchange of every recording over loopback
// to the client: answers lose nothing, and refusals keep status and words.
func TestRecordings(t *testing.T) {
	paths, err := filepath.Glob("../testdata/recordings/controller/*.jsonl")
	if err != nil || len(paths) != 20 {
		t.Fatalf("found %d recordings, not 20: %v", len(paths), err)
	}
	total := 0
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".jsonl"), func(t *testing.T) {
			known := 0
			for _, e := range readRecording(t, path) {
				if replay(t, e) {
					known++
				}
			}
			total += known
			t.Logf("%d exchanges on known routes", known)
		})
	}
	if total < 500 {
		t.Errorf("only %d exchanges were on known routes", total)
	}
}

func replay(t *testing.T, e exchange) (known bool) {
	t.Helper()
	if strings.HasPrefix(e.Response.Body, "(as without") {
		return false // an abbreviation of the recording
	}
	handler := answer(e.Response.Status, e.Response.Body)
	if e.Response.Status == 0 {
		handler = hangUp
	}
	c := serve(t, Config{ReadRetries: -1}, handler)
	defer c.CloseIdle()
	got, known, err := ask(t.Context(), c, e)
	if !known {
		return false
	}
	if err != nil {
		checkRefusal(t, e, err)
		return true
	}
	if e.Response.Status >= 300 {
		t.Errorf("exchange %d: status %d passed for a success", e.N, e.Response.Status)
	}
	if _, scraped := got.(Metrics); got != nil && !scraped {
		encoded, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(generic(t, e.Response.Body), generic(t, string(encoded))); diff != "" {
			t.Errorf("exchange %d, %s: lost in decoding and encoding (-sent +kept):\n%s", e.N, e.Request.Path, diff)
		}
	}
	return true
}

func checkRefusal(t *testing.T, e exchange, err error) {
	t.Helper()
	var failed *Error
	if !errors.As(err, &failed) {
		t.Fatalf("exchange %d: %v is not an *Error", e.N, err)
	}
	var body struct {
		Msg string `json:"msg"`
	}
	if e.Response.Status != 0 && strings.HasPrefix(e.Response.Body, "{") {
		if err := json.Unmarshal([]byte(e.Response.Body), &body); err != nil {
			t.Fatal(err)
		}
	}
	if failed.Status != e.Response.Status || failed.Msg != Clean(body.Msg) && body.Msg != "" {
		t.Errorf("exchange %d: error says %d %q, the recording %d %q", e.N, failed.Status, failed.Msg, e.Response.Status, body.Msg)
	}
	if want := recordedKind(e); failed.Kind != want {
		t.Errorf("exchange %d, %s %s, %d %s: %v, not %v", e.N, e.Request.Method, e.Request.Path, e.Response.Status, e.Response.Body, failed.Kind, want)
	}
}

// recordedKind is the table of the package comment for what the recordings
// hold, written down by hand.
func recordedKind(e exchange) Kind {
	mutating := e.Request.Method != http.MethodGet && !isProbe(e.Request.Body)
	switch e.Response.Status {
	case 200:
		if strings.Contains(e.Response.Body, "libmetrics_launch_timestamp") {
			return BadAnswer // restart-clean also asks a pageserver
		}
	case 0:
		if mutating {
			return Ambiguous
		}
		return Unreachable
	case 401, 403:
		return Unauthorized
	case 400, 404, 409, 412:
		return Refused
	case 503:
		if strings.Contains(e.Response.Body, "currently unavailable") {
			return Refused
		}
		return Unreachable
	case 500:
		if mutating && !strings.Contains(e.Response.Body, "node_id not found for update") {
			return Ambiguous
		}
		return Refused
	}
	return 0
}

func isProbe(body string) bool {
	return strings.Contains(body, "node_id") && !strings.Contains(body, "scheduling") && !strings.Contains(body, "availability")
}

// generic decodes JSON for comparison; instants are compared as such, since
// one has several spellings, and text as it is after neutralising.
func generic(t *testing.T, body string) any {
	t.Helper()
	var v any
	decoder := json.NewDecoder(strings.NewReader(body))
	decoder.UseNumber()
	if err := decoder.Decode(&v); err != nil {
		t.Fatalf("%v in %.100s", err, body)
	}
	return normal(v)
}

func normal(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, member := range v {
			v[key] = normal(member)
		}
	case []any:
		for i, item := range v {
			v[i] = normal(item)
		}
	case string:
		if at, err := time.Parse(time.RFC3339Nano, v); err == nil {
			return at.UTC().Format(time.RFC3339Nano)
		}
		return Clean(v)
	}
	return v
}
