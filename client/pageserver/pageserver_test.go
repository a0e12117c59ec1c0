package pageserver

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/StorconTUI/storcon-tui/client"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serving is a client of a server that answers every path alike, and the
// number of Authorization headers that it saw.
func serving(t *testing.T, status int, body string) *Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != "/metrics" && r.URL.Path != "/v1/status" || r.Header.Get("Authorization") != "" {
			t.Errorf("%s %s, Authorization %q", r.Method, r.URL, r.Header.Get("Authorization"))
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body) // the client may have gone
	}))
	t.Cleanup(server.Close)
	host, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	c, err := ForNode(client.Node{ListenHTTPAddr: host, ListenHTTPPort: number}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdle)
	return c
}

// recorded are the scrapes of pageserver 1 before and after its restart.
func recorded(t *testing.T) []string {
	t.Helper()
	file, err := os.Open("../../testdata/recordings/controller/restart-clean.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var bodies []string
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 8<<20)
	for lines.Scan() {
		var e struct {
			Server   string `json:"server"`
			Response struct {
				Body string `json:"body"`
			} `json:"response"`
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		if e.Server == "pageserver 1" {
			bodies = append(bodies, e.Response.Body)
		}
	}
	return bodies
}

func TestRecordedRestart(t *testing.T) {
	bodies := recorded(t)
	if len(bodies) != 2 {
		t.Fatalf("%d scrapes", len(bodies))
	}
	for i, want := range []Info{
		{LaunchMillis: 1796074276543, Build: client.Build{Revision: "rel-1", Tag: "rel-1"}},
		{LaunchMillis: 1796074319330, Build: client.Build{Revision: "rel-2", Tag: "rel-2"}},
	} {
		want.Launch = time.UnixMilli(want.LaunchMillis).UTC()
		got, err := serving(t, 200, bodies[i]).Fetch(t.Context())
		if err != nil || got != want {
			t.Errorf("%+v, %v", got, err)
		}
	}
}

func TestAnswersThatProveNothing(t *testing.T) {
	for name, row := range map[string]struct {
		status int
		body   string
		kind   client.Kind
	}{
		"no launch time": {200, "libmetrics_build_info{revision=\"r\",build_tag=\"t\"} 1\n", client.BadAnswer},
		"zero":           {200, "libmetrics_launch_timestamp 0\n", client.BadAnswer},
		"not a number":   {200, "libmetrics_launch_timestamp NaN\n", client.BadAnswer},
		"a web page":     {200, "<html>", client.BadAnswer},
		"empty":          {200, "", client.BadAnswer},
		"starting":       {503, "", client.Unreachable},
		"elsewhere":      {404, "Not Found", client.BadAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := serving(t, row.status, row.body).Fetch(t.Context())
			if client.KindOf(err) != row.kind || got != (Info{}) {
				t.Errorf("%+v, %v: %v", got, client.KindOf(err), err)
			}
		})
	}
}

func TestNodeID(t *testing.T) {
	id, err := serving(t, 200, `{"id":7,"more":true}`).NodeID(t.Context())
	if err != nil || id != 7 {
		t.Errorf("%v, %v", id, err)
	}
	for _, body := range []string{"", "null", "{}", `{"id":"7"}`, `{"id":-1}`, "<html>"} {
		id, err := serving(t, 200, body).NodeID(t.Context())
		if client.KindOf(err) != client.BadAnswer || id != 0 {
			t.Errorf("%q: %v, %v", body, id, err)
		}
	}
}

func TestNew(t *testing.T) {
	port := 9899
	for _, row := range []struct {
		node client.Node
		want string
	}{
		{client.Node{ListenHTTPAddr: "ps-1", ListenHTTPPort: 9898}, "http://ps-1:9898"},
		{client.Node{ListenHTTPAddr: "ps-1", ListenHTTPPort: 9898, ListenHTTPSPort: &port}, "https://ps-1:9899"},
		{client.Node{ListenHTTPAddr: "fd00::1", ListenHTTPSPort: &port}, "https://[fd00::1]:9899"},
		{client.Node{ListenHTTPAddr: "ps-1"}, ""},
		{client.Node{ListenHTTPPort: 1}, ""},
		{client.Node{ListenHTTPAddr: "ps-1/x", ListenHTTPPort: 1}, ""},
	} {
		c, err := ForNode(row.node, nil)
		switch {
		case row.want == "" && (err == nil || !strings.HasPrefix(err.Error(), "pageserver: ")):
			t.Errorf("%+v: %v", row.node, err)
		case row.want != "" && (err != nil || c.BaseURL() != row.want):
			t.Errorf("%+v: %v", row.node, err)
		}
	}
}
