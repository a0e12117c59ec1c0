package compute

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/StorconTUI/storcon-tui/client"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func serving(t *testing.T, cfg client.Config, handler http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	cfg.BaseURL = server.URL
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdle)
	return c
}

func saying(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body) // the client may have gone
	}
}

// exchange is a recorded GET /status.
type exchange struct {
	Request struct {
		Method string `json:"method"`
		Path   string `json:"path"`
		Body   string `json:"body"`
	} `json:"request"`
	Response struct {
		Status int    `json:"status"`
		Body   string `json:"body"`
	} `json:"response"`
}

func recorded(t *testing.T) []exchange {
	t.Helper()
	var all []exchange
	for _, e := range exchanges(t) {
		if e.Request.Method == http.MethodGet && e.Request.Path == "/status" && e.Response.Status != 0 {
			all = append(all, e)
		}
	}
	return all
}

// exchanges are all that were recorded.
func exchanges(t *testing.T) []exchange {
	t.Helper()
	paths, err := filepath.Glob("../../testdata/recordings/compute/*.jsonl")
	if err != nil || len(paths) == 0 {
		t.Fatalf("recordings: %v, %v", paths, err)
	}
	var all []exchange
	for _, path := range paths {
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 8<<20)
		for lines.Scan() {
			var e exchange
			if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			all = append(all, e)
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
		file.Close()
	}
	return all
}

// TestRecordings replays every recorded /status: nothing is lost, and each
// refusal keeps its words.
func TestRecordings(t *testing.T) {
	kinds := map[int]client.Kind{400: client.Unauthorized, 401: client.Unauthorized, 403: client.Unauthorized, 404: client.BadAnswer}
	good, refused := 0, 0
	for _, e := range recorded(t) {
		c := serving(t, client.Config{ReadRetries: -1}, saying(e.Response.Status, e.Response.Body))
		got, err := c.Status(t.Context())
		c.CloseIdle()
		if e.Response.Status != 200 {
			refused++
			checkRefusal(t, e, err, kinds[e.Response.Status])
			continue
		}
		good++
		if err != nil {
			t.Errorf("%s: %v", e.Response.Body, err)
			continue
		}
		back, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(generic(t, e.Response.Body), generic(t, string(back))); diff != "" {
			t.Errorf("lost in decoding and encoding:\n%s", diff)
		}
	}
	if good < 100 || refused < 20 {
		t.Errorf("only %d good and %d refused exchanges", good, refused)
	}
}

func checkRefusal(t *testing.T, e exchange, err error, want client.Kind) {
	t.Helper()
	var body struct {
		Error string `json:"error"`
	}
	if e.Response.Body != "" {
		if err := json.Unmarshal([]byte(e.Response.Body), &body); err != nil {
			t.Fatal(err)
		}
	}
	var failed *client.Error
	if !errors.As(err, &failed) || failed.Kind != want || failed.Status != e.Response.Status || failed.Msg != body.Error {
		t.Errorf("%d %s: %v, %v", e.Response.Status, e.Response.Body, client.KindOf(err), err)
	}
}

// generic decodes JSON for comparison: instants have several spellings, and
// text is neutralised.
func generic(t *testing.T, body string) map[string]any {
	t.Helper()
	var members map[string]any
	if err := json.Unmarshal([]byte(body), &members); err != nil {
		t.Fatal(err)
	}
	for name, value := range members {
		if s, ok := value.(string); ok {
			if at, err := time.Parse(time.RFC3339Nano, s); err == nil {
				members[name] = at.UTC()
				continue
			}
			members[name] = client.Clean(s) // line breaks of a chain of causes are shown
		}
	}
	return members
}

func TestOtherForms(t *testing.T) {
	for name, body := range map[string]string{
		"2023":    `{"tenant":"t","timeline":"l","status":"running","last_active":"2023-04-20T12:00:00Z"}`,
		"unknown": `{"start_time":"2026-11-30T22:03:24.5Z","tenant":null,"timeline":null,"status":"hibernating","last_active":null,"error":null,"new":{"a":[1]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := serving(t, client.Config{}, saying(200, body)).Status(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			back, err := json.Marshal(got)
			if err != nil {
				t.Fatal(err)
			}
			kept := generic(t, string(back))
			for member, value := range generic(t, body) {
				if diff := cmp.Diff(value, kept[member]); diff != "" {
					t.Errorf("%s: %s", member, diff)
				}
			}
		})
	}
}

func TestBadAnswers(t *testing.T) {
	for name, row := range map[string]struct{ body, complaint string }{
		"no status":   {`{"tenant":null}`, "status is missing"},
		"null status": {`{"status":null}`, "status is missing"},
		"null":        {`null`, "not an object"},
		"empty":       {``, "empty"},
		"web page":    {`<html></html>`, "answers like a web page, not a compute_ctl"},
		"odd time":    {`{"status":"running","start_time":"yesterday"}`, "not JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := serving(t, client.Config{ReadRetries: -1}, saying(200, row.body)).Status(t.Context())
			if client.KindOf(err) != client.BadAnswer || !strings.Contains(err.Error(), row.complaint) || got.State != "" {
				t.Errorf("%v: %v", client.KindOf(err), err)
			}
		})
	}
}

func TestTextIsNeutralised(t *testing.T) {
	const body = `{"status":"run\u001bning","tenant":"\u202et","timeline":"\u0007","error":"\u001b[2J","x":"\u009b"}`
	got, err := serving(t, client.Config{}, saying(200, body)).Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{string(got.State), *got.Tenant, *got.Timeline, *got.Error, string(got.Extra["x"])} {
		if client.Clean(text) != text {
			t.Errorf("%q", text)
		}
	}
}

func TestOwnToken(t *testing.T) {
	c := serving(t, client.Config{Token: client.StaticToken("for-this-compute")}, func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); got != "Bearer for-this-compute" {
			t.Errorf("Authorization %q", got)
		}
		saying(200, `{"status":"empty"}`)(w, r)
	})
	if _, err := c.Status(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := New(client.Config{BaseURL: "10.1.2.3:3080"}); err == nil || !strings.HasPrefix(err.Error(), "compute: url") {
		t.Error(err)
	}
}
