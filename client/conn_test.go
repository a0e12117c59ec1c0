package client

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestBaseURL(t *testing.T) {
	for _, row := range []struct{ url, want, complaint string }{
		{"http://127.0.0.1:1234", "http://127.0.0.1:1234", ""},
		{"https://storcon.internal/", "https://storcon.internal", ""},
		{"http://[::1]:1234", "http://[::1]:1234", ""},
		{"", "", "url is empty: expected http://HOST:PORT"},
		{"127.0.0.1:1234", "", "expected http://HOST:PORT"},
		{"localhost:1234", "", "expected http://HOST:PORT"},
		{"ftp://host:21", "", "expected http://HOST:PORT"},
		{"http://", "", "expected http://HOST:PORT"},
		{"http://host:1234/control/v1", "", "has a path or query"},
		{"http://user:hunter2@host:1234", "", "must not carry a user or password"},
		{"user:hunter2@host:1234", "", `url "host:1234": expected http://HOST:PORT`},
		{"http://host:1234/?token=hunter2", "", `url "http://host:1234/" has a path or query`},
		{"http://host:port", "", "invalid port"},
	} {
		c, err := New(Config{BaseURL: row.url})
		switch {
		case row.complaint == "" && (err != nil || c.BaseURL() != row.want):
			t.Errorf("%q: %v", row.url, err)
		case row.complaint != "" && (err == nil || !strings.Contains(err.Error(), row.complaint)):
			t.Errorf("%q: error %v does not say %q", row.url, err, row.complaint)
		case err != nil && strings.Contains(err.Error(), "hunter2"):
			t.Errorf("%q: the error shows the password: %v", row.url, err)
		}
	}
}

func TestReadsAreRetried(t *testing.T) {
	for name, bad := range map[string]http.HandlerFunc{
		"hang-up":   hangUp,
		"503":       answer(503, `{"msg":"Shutting down"}`),
		"502":       answer(502, "<html>"),
		"cut short": cutShort("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[{\"id\""),
		"half JSON": answer(200, `[{"id":1,`),
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int32
			var seen calls
			c := serve(t, Config{OnCall: seen.add}, func(w http.ResponseWriter, r *http.Request) {
				if asked.Add(1) <= 2 {
					bad(w, r)
					return
				}
				answer(200, "[]")(w, r)
			})
			nodes, err := c.Nodes(t.Context())
			if err != nil || nodes == nil || len(nodes) != 0 {
				t.Fatalf("third attempt: %v, %v", nodes, err)
			}
			all := seen.list()
			if len(all) != 3 || all[0].Err == nil || all[1].Err == nil || all[2].Err != nil {
				t.Errorf("calls: %+v", all)
			}
		})
	}
}

func TestReadsThatAreNotRetried(t *testing.T) {
	for name, row := range map[string]struct {
		handler http.HandlerFunc
		cfg     Config
	}{
		"404":                {answer(404, `{"msg":"NotFound: Node 1 not registered"}`), Config{}},
		"412":                {answer(412, `{"msg":"x"}`), Config{}},
		"403":                {answer(403, `{"msg":"Forbidden: JWT authentication error"}`), Config{}},
		"without retries":    {answer(503, `{"msg":"Shutting down"}`), Config{ReadRetries: -1}},
		"an answer like 204": {answer(204, ""), Config{}},
	} {
		t.Run(name, func(t *testing.T) {
			var seen calls
			row.cfg.OnCall = seen.add
			if _, err := serve(t, row.cfg, row.handler).Node(t.Context(), 1); err == nil {
				t.Fatal("no error")
			}
			if n := len(seen.list()); n != 1 {
				t.Errorf("%d attempts", n)
			}
		})
	}
}

func TestWithoutRetries(t *testing.T) {
	var seen calls
	c := serve(t, Config{OnCall: seen.add}, answer(503, `{"msg":"Shutting down"}`))
	if _, err := c.WithoutRetries().Nodes(t.Context()); KindOf(err) != Unreachable {
		t.Fatal(err)
	}
	if n := len(seen.list()); n != 1 {
		t.Fatalf("%d attempts", n)
	}
	if _, err := c.Nodes(t.Context()); KindOf(err) != Unreachable {
		t.Fatal(err)
	}
	if n := len(seen.list()); n != 4 {
		t.Errorf("%d attempts in all, not 1 and 3", n)
	}
}

func TestMutatingCallsAreSentOnce(t *testing.T) {
	for name, row := range map[string]struct {
		handler http.HandlerFunc
		want    Kind
	}{
		"hang-up":      {hangUp, Ambiguous},
		"503":          {answer(503, `{"msg":"Shutting down"}`), Unreachable},
		"500":          {answer(500, `{"msg":"database"}`), Ambiguous},
		"unavailable":  {answer(503, `{"msg":"Node 1 is currently unavailable"}`), Refused},
		"200 for 202":  {answer(200, "null"), Ambiguous},
		"202 with odd": {answer(202, "<html>"), Ambiguous},
		"202 cut":      {cutShort("HTTP/1.1 202 Accepted\r\nContent-Length: 4\r\n\r\nnu"), Ambiguous},
		"redirect":     {http.RedirectHandler("/elsewhere", http.StatusTemporaryRedirect).ServeHTTP, BadAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int32
			c := serve(t, Config{}, func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				row.handler(w, r)
			})
			err := c.StartDrain(t.Context(), 1)
			if KindOf(err) != row.want {
				t.Errorf("%v (%v), not %v", KindOf(err), err, row.want)
			}
			if n := asked.Load(); n != 1 {
				t.Errorf("sent %d times", n)
			}
		})
	}
}

func TestNothingListens(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + listener.Addr().String()
	listener.Close()
	c := connect(t, Config{ReadRetries: -1}, url)
	_, readErr := c.Nodes(t.Context())
	writeErr := c.StartFill(t.Context(), 1)
	for _, err := range []error{readErr, writeErr} {
		if KindOf(err) != Unreachable || !strings.Contains(err.Error(), "connection refused") {
			t.Errorf("%v: %v", KindOf(err), err)
		}
	}
}

func TestTimeouts(t *testing.T) {
	release := make(chan struct{})
	short := Timeouts{NodeList: 20 * time.Millisecond, Mutate: 20 * time.Millisecond}
	c := serve(t, Config{Timeouts: short, ReadRetries: -1}, func(http.ResponseWriter, *http.Request) { <-release })
	defer close(release)
	_, err := c.Nodes(t.Context())
	if KindOf(err) != Unreachable || !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no answer within 20ms") {
		t.Errorf("read: %v: %v", KindOf(err), err)
	}
	if err := c.StartDrain(t.Context(), 1); KindOf(err) != Ambiguous {
		t.Errorf("write: %v: %v", KindOf(err), err)
	}
}

func TestReadEndsWithItsContext(t *testing.T) {
	release := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	c := serve(t, Config{}, func(http.ResponseWriter, *http.Request) {
		cancel()
		<-release
	})
	defer close(release)
	if _, err := c.Nodes(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// A drain given up early could leave a policy without its operation.
func TestCancelledContextDoesNotAbortAMutatingCall(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	arrived, proceed := make(chan struct{}), make(chan struct{})
	c := serve(t, Config{}, func(w http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-proceed
		answer(202, "null")(w, r)
	})
	done := make(chan error, 1)
	go func() { done <- c.StartDrain(ctx, 1) }()
	<-arrived
	cancel()
	select {
	case err := <-done:
		t.Errorf("returned before its answer: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	close(proceed)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// Two starts that overlap end the controller process (two-starts-at-once).
func TestOneMutatingCallInFlight(t *testing.T) {
	var inFlight, most atomic.Int32
	c := serve(t, Config{}, func(w http.ResponseWriter, r *http.Request) {
		most.Store(max(most.Load(), inFlight.Add(1)))
		time.Sleep(5 * time.Millisecond) // room for an overlap
		inFlight.Add(-1)
		answer(202, "null")(w, r)
	})
	done := make(chan error)
	for id := range NodeID(8) {
		caller := c
		if id%2 == 0 {
			caller = c.WithoutRetries() // the same slot
		}
		go func() { done <- caller.StartDrain(t.Context(), id) }()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if most.Load() != 1 {
		t.Errorf("%d at once", most.Load())
	}
}

func TestWaitingMutatingCallEndsWithItsContext(t *testing.T) {
	arrived, proceed := make(chan struct{}), make(chan struct{})
	var seen calls
	c := serve(t, Config{OnCall: seen.add}, func(w http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-proceed
		answer(202, "null")(w, r)
	})
	first := make(chan error, 1)
	go func() { first <- c.StartDrain(t.Context(), 1) }()
	<-arrived
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := c.StartFill(ctx, 2)
	if KindOf(err) != Unreachable || !errors.Is(err, context.Canceled) {
		t.Errorf("%v: %v", KindOf(err), err)
	}
	close(proceed)
	if err := <-first; err != nil {
		t.Error(err)
	}
	if all := seen.list(); len(all) != 1 {
		t.Errorf("%d requests went out", len(all))
	}
}

func TestReadOnlySendsNothing(t *testing.T) {
	var seen calls
	c := serve(t, Config{ReadOnly: true, OnCall: seen.add}, answer(202, "null"))
	active := PolicyActive
	_, probe := c.Probe(t.Context(), 1)
	for _, err := range []error{
		probe, c.StartDrain(t.Context(), 1), c.CancelDrain(t.Context(), 1),
		c.StartFill(t.Context(), 1), c.CancelFill(t.Context(), 1),
		c.ConfigureNode(t.Context(), NodeConfig{NodeID: 1, Scheduling: &active}),
	} {
		if KindOf(err) != ReadOnly || !strings.Contains(err.Error(), "read-only") {
			t.Errorf("%v: %v", KindOf(err), err)
		}
	}
	if all := seen.list(); len(all) != 0 {
		t.Errorf("requests went out: %+v", all)
	}
}

func TestProbe(t *testing.T) {
	for _, row := range []struct {
		status int
		body   string
		want   *Operation
		kind   Kind
	}{
		{200, "null", nil, 0},
		{412, `{"msg":"Precondition failed: Ongoing background operation forbids configuring: fill 2"}`, &Operation{OperationFill, 2}, 0},
		{404, `{"msg":"NotFound: Node not registered"}`, nil, Refused},
		{500, `{"msg":"x"}`, nil, Refused}, // it changes nothing, so that nothing is ambiguous
		{403, `{"msg":"Forbidden: JWT authentication error"}`, nil, Unauthorized},
	} {
		var seen calls
		var sent string
		c := serve(t, Config{OnCall: seen.add}, func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			sent = r.Method + " " + r.URL.Path + " " + string(body)
			answer(row.status, row.body)(w, r)
		})
		op, err := c.Probe(t.Context(), 9)
		if KindOf(err) != row.kind || (op == nil) != (row.want == nil) || op != nil && *op != *row.want {
			t.Errorf("%d: %v, %v", row.status, op, err)
		}
		if sent != `PUT /control/v1/node/9/config {"node_id":9}` {
			t.Errorf("sent %s", sent)
		}
		if all := seen.list(); len(all) != 1 || !all[0].Probe || all[0].Mutates() {
			t.Errorf("calls: %+v", all)
		}
	}
}
