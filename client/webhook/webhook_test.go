package webhook

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func posting(t *testing.T, handler http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	c, err := New(server.URL + "/services/SECRET-PATH?key=SECRET-KEY")
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func TestPost(t *testing.T) {
	var got string
	c := posting(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // what is missing shows below
		got = r.Method + " " + r.RequestURI + " " + r.Header.Get("Content-Type") + " " + string(body)
		w.WriteHeader(http.StatusNoContent)
	})
	require.NoError(t, c.Post(t.Context(), map[string]string{"text": "hello"}))
	require.Equal(t, `POST /services/SECRET-PATH?key=SECRET-KEY application/json {"text":"hello"}`, got)
}

// TestTheAddressIsASecret: neither a refusal nor a lost answer nor a bad address
// shows more of it than the host.
func TestTheAddressIsASecret(t *testing.T) {
	refusing := posting(t, func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "invalid_token\x1b[2J\nmore", http.StatusForbidden)
	})
	moved := posting(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/elsewhere/SECRET-PATH", http.StatusFound)
	})
	gone := posting(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	for c, says := range map[*Client]string{refusing: "403 invalid_token", moved: "302", gone: "EOF"} {
		err := c.Post(t.Context(), "x")
		require.ErrorContains(t, err, says)
		require.ErrorContains(t, err, c.Host())
		require.NotContains(t, err.Error(), "SECRET")
		require.NotContains(t, err.Error(), "\x1b")
	}
	for _, bad := range []string{"", "hooks.example/SECRET", "ftp://hooks.example/SECRET", "https:///SECRET", "http://[SECRET"} {
		_, err := New(bad)
		require.ErrorContains(t, err, "http(s)://host/path")
		require.False(t, strings.Contains(err.Error(), "SECRET"))
	}
}
