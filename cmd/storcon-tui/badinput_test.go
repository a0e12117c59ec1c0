package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/demo/server"
)

func startDemo(t *testing.T, o server.Options) *server.Server {
	t.Helper()
	s, err := server.Start(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// verbsThatRead are all that look at a cluster: each must refuse in the same
// words.
func verbsThatRead(t *testing.T, try func(t *testing.T, verb ...string)) {
	t.Helper()
	for _, verb := range [][]string{
		{"status"},
		{"status", "-o", "json"},
		{"plan", "1"},
		{"rollout", "1", "--plain"},
		{"drain", "1", "--plain"},
	} {
		t.Run(strings.Join(verb, " "), func(t *testing.T) { try(t, verb...) })
	}
}

func TestWrongURL(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	nobody := "http://" + listener.Addr().String()
	require.NoError(t, listener.Close())
	verbsThatRead(t, func(t *testing.T, verb ...string) {
		execute(t, append(verb, "--url", nobody)...).refusesWith(t, 9, nobody, "connection refused")
	})
}

func TestNotAController(t *testing.T) {
	t.Parallel()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><html><body>It works!</body></html>")
	}))
	defer page.Close()
	demo := startDemo(t, server.Options{Nodes: 2, Tenants: 2})
	nodes := nodesOf(t, demo)
	pageserver := fmt.Sprintf("http://%s:%d", nodes[0].ListenHTTPAddr, nodes[0].ListenHTTPPort)
	verbsThatRead(t, func(t *testing.T, verb ...string) {
		execute(t, append(verb, "--url", page.URL)...).
			refusesWith(t, 9, page.URL, "answers like a web page", "is the port right?")
		execute(t, append(verb, "--url", pageserver)...).
			refusesWith(t, 9, pageserver, "answers like a pageserver", "is the port right?")
		execute(t, append(verb, "--url", demo.Computes()[0].URL)...).
			refusesWith(t, 9, "is the port right?")
	})
}

func TestTokens(t *testing.T) {
	t.Parallel()
	demo := startDemo(t, server.Options{Nodes: 2, Tenants: 2, Auth: true})
	dir := t.TempDir()
	file := func(name, token string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(token), 0o600))
		return path
	}
	expired := file("expired.jwt", demo.TokenUntil(client.ScopeAdmin, time.Now().Add(-time.Hour)))
	garbage := file("garbage.jwt", "no-token-at-all")
	empty := file("empty.jwt", "\n")
	verbsThatRead(t, func(t *testing.T, verb ...string) {
		with := func(more ...string) answer {
			return execute(t, append(append(verb, "--url", demo.ControllerURL()), more...)...)
		}
		with().refusesWith(t, 8, "no token is configured")
		with("--token-file", expired).refusesWith(t, 8, "expired.jwt expired at 20")
		with("--token-file", garbage).refusesWith(t, 8, "garbage.jwt is not a JWT")
		with("--token-file", empty).refusesWith(t, 8, "empty.jwt", "it is empty")
	})
}

// A token of scope infra works; what it turns off is named with the reason
// (D15, I6).
func TestInfraTokenWorks(t *testing.T) {
	t.Parallel()
	demo := startDemo(t, server.Options{Nodes: 2, Tenants: 2, Auth: true})
	path := filepath.Join(t.TempDir(), "infra.jwt")
	require.NoError(t, os.WriteFile(path, []byte(demo.Token(client.ScopeInfra)), 0o600))
	got := execute(t, "status", "--url", demo.ControllerURL(), "--token-file", path)
	require.Equal(t, 0, got.code, got.errors)
	require.Contains(t, got.out, "off: leader: token lacks scope admin (403 from /control/v1/leader)")
}

// Rows: E25.
func TestBadCA(t *testing.T) {
	t.Parallel()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // it complains of every client that leaves
	ca := filepath.Join(t.TempDir(), "ca.pem")
	wrongCA := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: newAuthority(t)})
	require.NoError(t, os.WriteFile(ca, wrongCA, 0o600))
	verbsThatRead(t, func(t *testing.T, verb ...string) {
		execute(t, append(verb, "--url", secure.URL)...).refusesWith(t, 9, secure.URL, "certificate", "ca_file or --ca-file")
		execute(t, append(verb, "--url", secure.URL, "--ca-file", ca)...).refusesWith(t, 9, "certificate", "ca_file or --ca-file")
	})
}

// newAuthority is a certificate that signed nothing.
func newAuthority(t *testing.T) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	return der
}

func nodesOf(t *testing.T, demo *server.Server) []client.Node {
	t.Helper()
	c, err := client.New(client.Config{BaseURL: demo.ControllerURL()})
	require.NoError(t, err)
	defer c.CloseIdle()
	nodes, err := c.Nodes(t.Context())
	require.NoError(t, err)
	return nodes
}

// verbsWithNodes are all that take node ids.
func verbsWithNodes(t *testing.T, nodes []string, try func(t *testing.T, verb ...string)) {
	t.Helper()
	for _, verb := range [][]string{
		append([]string{"plan"}, nodes...),
		append([]string{"rollout", "--plain"}, nodes...),
		{"drain", "--plain", nodes[len(nodes)-1]},
		{"fill", "--plain", nodes[len(nodes)-1]},
	} {
		t.Run(strings.Join(verb, " "), func(t *testing.T) { try(t, verb...) })
	}
}

func TestUnknownNode(t *testing.T) {
	t.Parallel()
	demo := startDemo(t, server.Options{Nodes: 2, Tenants: 2})
	verbsWithNodes(t, []string{"1", "99"}, func(t *testing.T, verb ...string) {
		execute(t, append(verb, "--url", demo.ControllerURL())...).
			refusesWith(t, 3, "node 99 is not registered with this controller; it knows 1, 2")
	})
	for _, bad := range []string{"one", "-1", "1.5", "18446744073709551616"} {
		execute(t, "plan", "--url", demo.ControllerURL(), "--", bad).refusesWith(t, 2, strconv.Quote(bad)+" is no node id")
	}
}

// A paused node among others is left out and the plan says so; only paused
// nodes leave nothing to do (N4).
func TestPausedNodes(t *testing.T) {
	t.Parallel()
	demo := startDemo(t, server.Options{Nodes: 4, Tenants: 4})
	c, err := client.New(client.Config{BaseURL: demo.ControllerURL()})
	require.NoError(t, err)
	defer c.CloseIdle()
	pause := client.PolicyPause
	require.NoError(t, c.ConfigureNode(t.Context(), client.NodeConfig{NodeID: 2, Scheduling: &pause}))

	got := execute(t, "plan", "--url", demo.ControllerURL(), "1", "2")
	require.Equal(t, 0, got.code, got.errors)
	require.Contains(t, got.out, "Pause")
	require.NotContains(t, got.out, "node/2/drain")
	verbsWithNodes(t, []string{"2"}, func(t *testing.T, verb ...string) {
		execute(t, append(verb, "--url", demo.ControllerURL())...).refusesWith(t, 3, "nothing to do: node 2: its policy is Pause")
	})
}
