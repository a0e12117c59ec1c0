package client_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/demo/server"
)

// The conformance suite says what a controller must do for this client to be
// right about it. It runs against the demo's fake cluster with two seeds, and
// against any controller named by STORCON_URL (and STORCON_TOKEN): reading
// only, unless STORCON_MUTATE=1 allows it to drain, fill and configure a node there.

// need is what a case asks of the controller it runs against.
type need int

const (
	reads   need = iota // GET and HEAD only
	mutates             // drains, fills and configures a node, and puts it back
	demo                // breaks things, or needs tokens, as only the demo allows
)

type conformanceCase struct {
	name  string
	needs need
	run   func(*testing.T, *subject)
}

func conformanceCases() []conformanceCase {
	return slices.Concat(healthCases(), nodeCases(), tenantCases(), metricsCases(), refusalCases(), operationCases(), authCases(), faultCases())
}

const leastCases = 40

// subject is the controller under test.
type subject struct {
	*client.Client
	url, token string
	http       *http.Client
	demo       *server.Server // nil for a controller from outside
	borrowed   *client.NodeID // the node that the running case works on
	restore    func()         // ends what slow began; nil when nothing did
}

func TestConformanceDemo(t *testing.T) {
	for _, seed := range []int64{7, 20260} {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			s, err := server.Start(t.Context(), server.Options{Nodes: 4, AZs: 2, Tenants: 120, Computes: 3, Seed: seed, Speed: 40, Auth: true})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
			sub := newSubject(t, s.ControllerURL(), s.Token(client.ScopeAdmin))
			sub.demo = s
			if ran := sub.runAll(t, demo); ran != len(conformanceCases()) {
				t.Errorf("%d of %d cases ran", ran, len(conformanceCases()))
			}
		})
	}
}

func TestConformanceURL(t *testing.T) {
	url := os.Getenv("STORCON_URL")
	if url == "" {
		t.Log("STORCON_URL names no controller: nothing to do")
		return
	}
	most := reads
	if os.Getenv("STORCON_MUTATE") == "1" {
		most = mutates
	}
	newSubject(t, url, os.Getenv("STORCON_TOKEN")).runAll(t, most)
}

func newSubject(t *testing.T, url, token string) *subject {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	s := &subject{url: strings.TrimSuffix(url, "/"), token: token, http: &http.Client{Transport: transport}}
	s.Client = s.with(t, func(*client.Config) {})
	return s
}

// runAll runs the cases that need no more than most allows, and says how many.
func (s *subject) runAll(t *testing.T, most need) int {
	t.Helper()
	ran := 0
	seen := map[string]bool{}
	for _, c := range conformanceCases() {
		if seen[c.name] {
			t.Errorf("two cases are named %q", c.name)
		}
		seen[c.name] = true
		if c.needs > most {
			continue
		}
		ran++
		t.Run(c.name, func(t *testing.T) {
			defer s.giveBack(t)
			c.run(t, s)
		})
	}
	if len(seen) < leastCases {
		t.Errorf("only %d cases", len(seen))
	}
	t.Logf("conformance: %d of %d cases ran against %s", ran, len(seen), s.url)
	return ran
}

// with is another client of the same controller.
func (s *subject) with(t *testing.T, change func(*client.Config)) *client.Client {
	t.Helper()
	cfg := client.Config{BaseURL: s.url}
	if s.token != "" {
		cfg.Token = client.StaticToken(s.token)
	}
	change(&cfg)
	c, err := client.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdle)
	return c
}

// reply is an answer as it came over the wire.
type reply struct {
	status int
	header http.Header
	body   string
}

// send makes a request that the client itself never makes. A header is given
// as name and value.
func (s *subject) send(t *testing.T, method, path, body string, header ...string) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if s.token != "" {
		req.Header.Set("Authorization", "Bearer "+s.token)
	}
	for i := 0; i+1 < len(header); i += 2 {
		if req.Header.Del(header[i]); header[i+1] != "" {
			req.Header.Set(header[i], header[i+1])
		}
	}
	resp, err := s.http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{resp.StatusCode, resp.Header, string(text)}
}

// says checks a raw answer's status and its words.
func (r reply) says(t *testing.T, status int, words string) {
	t.Helper()
	if r.status != status || !strings.Contains(r.body, words) {
		t.Errorf("answered %d %.200s, not %d %s", r.status, r.body, status, words)
	}
}

// refused checks the status and the words of the server in an error.
func refused(t *testing.T, err error, kind client.Kind, status int, words string) {
	t.Helper()
	if client.KindOf(err) != kind || client.StatusOf(err) != status || !strings.Contains(err.Error(), words) {
		t.Errorf("%v (%v, %d), not %v %d %s", err, client.KindOf(err), client.StatusOf(err), kind, status, words)
	}
}

// nodes is the node list, which must not be empty.
func (s *subject) nodes(t *testing.T) []client.Node {
	t.Helper()
	nodes := must(s.Nodes(t.Context()))(t)
	if len(nodes) == 0 {
		t.Fatal("no node is registered: nothing to test with")
	}
	return nodes
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

const (
	patience     = 60 * time.Second
	pollInterval = 20 * time.Millisecond
)

// until polls a condition that must come true.
func until(t *testing.T, what string, holds func(context.Context) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for !holds(ctx) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("waited %v in vain: %s", patience, what)
		}
	}
}
