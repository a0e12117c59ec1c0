package compute

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
)

var everySpec = json.RawMessage(`{"format_version":1.0,"storage_auth_token":"t"}`)

// ask sends what the client has for a recorded request; known is false for the
// routes that it does not offer.
func ask(ctx context.Context, c *Client, method, path string) (known bool, err error) {
	switch method + " " + path {
	case "GET /metrics.json":
		_, err = c.Startup(ctx)
	case "GET /lfc/prewarm":
		_, err = c.Prewarm(ctx)
	case "GET /lfc/offload":
		_, err = c.Offload(ctx)
	case "GET /insights":
		_, err = c.Insights(ctx)
	case "POST /check_writability":
		err = c.CheckWritability(ctx)
	case "POST /configure":
		_, err = c.Configure(ctx, everySpec, FormToday, time.Second)
	case "POST /terminate", "POST /terminate?mode=fast":
		_, err = c.Terminate(ctx, Fast, time.Second)
	case "POST /terminate?mode=immediate":
		_, err = c.Terminate(ctx, Immediate, time.Second)
	case "POST /refresh_configuration":
		err = c.RefreshConfiguration(ctx)
	default:
		return false, nil
	}
	return true, err
}

// TestRecordedCalls replays the recorded answers of every route that the client
// offers: a success decodes, a refusal keeps its words, and each /configure gets
// the verdict that its status and text stand for.
func TestRecordedCalls(t *testing.T) {
	good, refused := map[string]int{}, 0
	for _, e := range exchanges(t) {
		route := e.Request.Method + " " + e.Request.Path
		if e.Response.Status == 0 || route == "GET /status" {
			continue
		}
		c := serving(t, client.Config{ReadRetries: -1}, saying(e.Response.Status, e.Response.Body))
		known, err := ask(t.Context(), c, e.Request.Method, e.Request.Path)
		c.CloseIdle()
		switch {
		case !known:
		case e.Response.Status == http.StatusOK || e.Response.Status == http.StatusCreated:
			require.NoError(t, err, "%s: %s", route, e.Response.Body)
			good[route]++
		default:
			refused++
			var body struct {
				Error string `json:"error"`
			}
			_ = json.Unmarshal([]byte(e.Response.Body), &body) // some are no JSON; they have no words to keep
			require.ErrorContains(t, err, client.Clean(body.Error), "%s: %s", route, e.Response.Body)
			require.Equal(t, e.Response.Status, client.StatusOf(err))
			if route == "POST /configure" {
				want := verdicts[e.Response.Status]
				if body.Error == "invalid authorization token" {
					want = NotSent // a 400 all the same
				}
				require.Equal(t, want, VerdictOf(err), "%d %s", e.Response.Status, e.Response.Body)
			}
		}
	}
	for _, route := range []string{
		"GET /metrics.json", "GET /lfc/prewarm", "GET /lfc/offload", "GET /insights",
		"POST /check_writability", "POST /configure", "POST /terminate", "POST /terminate?mode=immediate", "POST /refresh_configuration",
	} {
		require.Positive(t, good[route], route)
	}
	require.Greater(t, refused, 60)
}

var verdicts = map[int]Verdict{
	400: BadSpec, 401: NotSent, 403: NotSent, 412: Busy, 413: BadSpec, 415: BadSpec, 422: BadSpec, 500: Failed,
	404: NotSent, 405: NotSent,
}

func TestConfigureBodies(t *testing.T) {
	var got string
	c := serving(t, client.Config{}, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // what is missing shows below
		got = r.Header.Get("Content-Type") + " " + string(body)
		_, _ = io.WriteString(w, `{"status":"running"}`) // the client may have gone
	})
	st, err := c.Configure(t.Context(), everySpec, FormToday, time.Second)
	require.NoError(t, err)
	require.Equal(t, StateRunning, st.State)
	require.Equal(t, `application/json {"spec":{"format_version":1.0,"storage_auth_token":"t"},"compute_ctl_config":{"jwks":{"keys":[]},"tls":null}}`, got)
	_, err = c.Configure(t.Context(), everySpec, Form2023, time.Second)
	require.NoError(t, err)
	require.Equal(t, `application/json {"spec":{"format_version":1.0,"storage_auth_token":"t"}}`, got)
}

// Case N10 and row K1: no answer is unknown, never failed; the wait ends with its
// limit or with the caller.
func TestConfigureWithoutAnAnswer(t *testing.T) {
	hang := func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the server sees the client go only then
		<-r.Context().Done()
	}
	c := serving(t, client.Config{}, hang)
	_, err := c.Configure(t.Context(), everySpec, FormToday, 50*time.Millisecond)
	require.Equal(t, client.Ambiguous, client.KindOf(err))
	require.Equal(t, Unknown, VerdictOf(err))
	require.NotContains(t, err.Error(), "storage_auth_token")

	ctx, leave := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, leave)
	_, err = c.Configure(ctx, everySpec, FormToday, time.Hour)
	require.Equal(t, Unknown, VerdictOf(err))
}

func TestVerdictsOfOlderServers(t *testing.T) {
	for name, row := range map[string]struct {
		status  int
		body    string
		verdict Verdict
		state   State
	}{
		"2023: busy":             {412, `{"error":"invalid compute status for configuration request: ConfigurationPending"}`, Busy, StateConfigurationPending},
		"today: busy":            {412, `{"error":"invalid compute status: termination-pending-fast"}`, Busy, StateTerminationPendingFast},
		"2023: bad semantics":    {412, `{"error":"pageserver connstring should be provided"}`, BadSpec, ""},
		"2023: started with one": {412, `{"error":"live configuration is not allowed for this compute node"}`, BadSpec, ""},
		"not the API's words":    {500, `<html>bad gateway</html>`, Unknown, ""},
		"another 500":            {500, `{"error":"something else"}`, Unknown, ""},
		"no token":               {400, `{"error":"invalid authorization token"}`, NotSent, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := serving(t, client.Config{}, saying(row.status, row.body)).Configure(t.Context(), everySpec, FormToday, time.Second)
			require.Equal(t, row.verdict, VerdictOf(err), "%v", err)
			require.Equal(t, row.state, BusyState(err))
		})
	}
	require.Equal(t, Applied, VerdictOf(nil))
	require.Equal(t, Unknown, VerdictOf(io.EOF))
}

// Row K11's sign: Postgres is down while the status says running.
func TestWritability(t *testing.T) {
	old := serving(t, client.Config{}, saying(200, `error connecting to server`))
	require.ErrorContains(t, old.CheckWritability(t.Context()), "error connecting to server")
	today := serving(t, client.Config{}, saying(500, `{"error":"error connecting to server: Connection refused"}`))
	require.ErrorContains(t, today.CheckWritability(t.Context()), "Connection refused")
}

func TestInsightsCounts(t *testing.T) {
	got, err := serving(t, client.Config{}, saying(200, `"{\"pg_stat_statements\": [{\"query\":\"select secret\"},{}]}"`)).Insights(t.Context())
	require.NoError(t, err)
	require.Equal(t, Insights{Statements: 2, Readable: true}, got)
	got, err = serving(t, client.Config{}, saying(200, `"{{\"pg_stat_statements\": []}}"`)).Insights(t.Context())
	require.NoError(t, err)
	require.Equal(t, Insights{}, got)
}

func TestReadOnlySendsNothing(t *testing.T) {
	c := serving(t, client.Config{ReadOnly: true}, func(http.ResponseWriter, *http.Request) { t.Error("something was sent") })
	_, err := c.Configure(t.Context(), everySpec, FormToday, time.Second)
	require.Equal(t, NotSent, VerdictOf(err))
	_, err = c.Terminate(t.Context(), Fast, time.Second)
	require.Equal(t, client.ReadOnly, client.KindOf(err))
}
