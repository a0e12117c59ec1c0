package client

import (
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestRedirectsAreNotFollowed(t *testing.T) {
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer other.Close()
	c := serve(t, Config{Token: StaticToken("secret-token")}, http.RedirectHandler(other.URL+"/control/v1/node", http.StatusFound).ServeHTTP)
	_, err := c.Nodes(t.Context())
	if KindOf(err) != BadAnswer || !strings.Contains(err.Error(), "it points to "+other.URL) {
		t.Errorf("%v: %v", KindOf(err), err)
	}
	if reached {
		t.Error("the other server was asked")
	}
}

func TestTLS(t *testing.T) {
	secure := httptest.NewUnstartedServer(answer(200, "[]"))
	secure.Config.ErrorLog = quietLog()
	secure.StartTLS()
	defer secure.Close()
	open := httptest.NewServer(answer(200, "[]"))
	defer open.Close()
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw}))

	trusting := connect(t, Config{TLS: withRoots(pool)}, secure.URL)
	if _, err := trusting.Nodes(t.Context()); err != nil {
		t.Errorf("with the right authority: %v", err)
	}
	for name, row := range map[string]struct{ url, hint string }{
		"unknown authority": {secure.URL, "--ca-file"},
		"https for http":    {strings.Replace(open.URL, "http:", "https:", 1), "use http://"},
		"http for https":    {strings.Replace(secure.URL, "https:", "http:", 1), "use https://"},
	} {
		t.Run(name, func(t *testing.T) {
			c := connect(t, Config{ReadRetries: -1}, row.url)
			_, readErr := c.Nodes(t.Context())
			writeErr := c.StartDrain(t.Context(), 1)
			for _, err := range []error{readErr, writeErr} {
				if k := KindOf(err); k == Ambiguous || k == Refused || !strings.Contains(err.Error(), row.hint) {
					t.Errorf("%v: %v", k, err)
				}
			}
		})
	}
}

func TestStrangers(t *testing.T) {
	for name, row := range map[string]struct {
		status int
		body   string
		hint   string
	}{
		"pageserver":  {404, `{"msg":"page not found"}`, "answers like a pageserver, not a storage controller: is the port right?"},
		"web page":    {200, "<!DOCTYPE html><html><title>Login</title></html>", "answers like a web page"},
		"lost page":   {404, "<html><h1>404</h1></html>", "answers like a web page"},
		"plain 404":   {404, "Not Found", "is the port right?"},
		"plain 400":   {400, "Client sent an HTTP request to an HTTPS server.\n", "use https://"},
		"other JSON":  {200, `{"version":"1.2"}`, "not a list"},
		"empty":       {200, "", "empty"},
		"no content":  {204, "", "204"},
		"plain words": {200, "pong", "not a list: pong"},
	} {
		t.Run(name, func(t *testing.T) {
			c := serve(t, Config{ReadRetries: -1}, answer(row.status, row.body))
			_, err := c.Nodes(t.Context())
			if KindOf(err) != BadAnswer || !strings.Contains(err.Error(), row.hint) {
				t.Errorf("%v: %v", KindOf(err), err)
			}
		})
	}
	c := serve(t, Config{ReadRetries: -1}, answer(200, "# TYPE pageserver_x gauge\npageserver_x 1\n"))
	if _, err := c.Metrics(t.Context()); KindOf(err) != BadAnswer || !strings.Contains(err.Error(), "answers like a pageserver") {
		t.Errorf("metrics of a pageserver: %v", err)
	}
}

func TestServerTextIsNeutralised(t *testing.T) {
	const nasty = `{"msg":"Precondition failed: \u001b[2J\u202etxet\u0007"}`
	err := serve(t, Config{}, answer(412, nasty)).StartDrain(t.Context(), 1)
	if text := err.Error(); Clean(text) != text || !strings.Contains(text, `\x1b[2J\u202etxet\x07`) {
		t.Errorf("%q", text)
	}
	_, err = serve(t, Config{ReadRetries: -1}, answer(502, "\x1b]0;title\x07\xff")).Nodes(t.Context())
	if text := err.Error(); Clean(text) != text {
		t.Errorf("%q", text)
	}
	_, err = serve(t, Config{ReadRetries: -1}, cutShort("\x1b[2J nonsense\r\n\r\n")).Nodes(t.Context())
	if text := err.Error(); Clean(text) != text {
		t.Errorf("%q", text)
	}
}

func TestErrorBodiesAreBounded(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	err := serve(t, Config{}, answer(400, long)).StartDrain(t.Context(), 1)
	if n := len(err.Error()); n > 400 {
		t.Errorf("an error of %d bytes", n)
	}
}
