package prometheus

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/StorconTUI/storcon-tui/client"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const query = `ALERTS{alertstate="firing",severity="critical"}`

// asking is a client of a server that answers so, below a path.
func asking(t *testing.T, handler http.HandlerFunc, cfg client.Config, path string) *Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	cfg.BaseURL, cfg.ReadRetries = server.URL+path, -1
	c, err := New(cfg, query)
	require.NoError(t, err)
	t.Cleanup(c.CloseIdle)
	return c
}

func saying(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body) // the client may have gone
	}
}

func vector(series string) string {
	return `{"status":"success","data":{"resultType":"vector","result":[` + series + `]}}`
}

func TestFiring(t *testing.T) {
	for name, row := range map[string]struct {
		body string
		want []string
	}{
		"nothing fires": {vector(``), []string{}},
		"alerts, sorted, with what tells them apart": {
			vector(`{"metric":{"__name__":"ALERTS","alertname":"Slow","alertstate":"firing"},"value":[1,"1"]},
				{"metric":{"__name__":"ALERTS","alertname":"Lag","instance":"ps-3","az":"a"},"value":[1,"1"]}`),
			[]string{`Lag{az="a",instance="ps-3"}`, "Slow"},
		},
		"a metric of any value, 0 too":   {vector(`{"metric":{"__name__":"up","job":"ps"},"value":[1,"0"]}`), []string{`up{job="ps"}`}},
		"a series without a name":        {vector(`{"metric":{},"value":[1,"2"]}`), []string{"{}"}},
		"a terminal's control sequences": {vector(`{"metric":{"alertname":"a\u001b[2Jb"},"value":[1,"1"]}`), []string{client.Clean("a\x1b[2Jb")}},
		"what was found counts in part too": {
			`{"status":"success","warnings":["store gone"],"data":{"resultType":"vector","result":[{"metric":{"alertname":"Lag"}}]}}`,
			[]string{"Lag"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := asking(t, saying(http.StatusOK, row.body), client.Config{}, "").Firing(t.Context())
			require.NoError(t, err)
			require.Equal(t, row.want, got)
		})
	}
}

// X10: whatever is not a whole answer is an error, never "none fires".
func TestNobodyKnows(t *testing.T) {
	for name, row := range map[string]struct {
		status    int
		body      string
		kind      client.Kind
		complaint string
	}{
		"the query is bad":       {400, `{"status":"error","errorType":"bad_data","error":"parse error at char 3"}`, client.Refused, "parse error at char 3"},
		"it cannot be run":       {422, `{"status":"error","errorType":"execution","error":"too many samples"}`, client.Refused, "too many samples"},
		"starting":               {503, `Service Unavailable`, client.Unreachable, "503"},
		"no permission":          {401, `no`, client.Unauthorized, "401"},
		"another server":         {404, `404 page not found`, client.BadAnswer, "a Prometheus"},
		"HTML":                   {200, `<html>log in</html>`, client.BadAnswer, "a Prometheus"},
		"cut short":              {200, vector(``)[:40], client.BadAnswer, "unexpected end"},
		"empty":                  {200, ``, client.BadAnswer, "unexpected end"},
		"an error with a 200":    {200, `{"status":"error","error":"x"}`, client.BadAnswer, `status is "error"`},
		"a scalar":               {200, `{"status":"success","data":{"resultType":"scalar","result":[1,"0"]}}`, client.BadAnswer, `"scalar", not a vector`},
		"no result":              {200, `{"status":"success","data":{"resultType":"vector"}}`, client.BadAnswer, "result"},
		"null":                   {200, `{"status":"success","data":{"resultType":"vector","result":null}}`, client.BadAnswer, "result is missing"},
		"nothing, but in part":   {200, `{"status":"success","warnings":["store gone"],"data":{"resultType":"vector","result":[]}}`, client.BadAnswer, "not everywhere: store gone"},
		"redirected to a log-in": {302, ``, client.BadAnswer, "302"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := asking(t, saying(row.status, row.body), client.Config{}, "").Firing(t.Context())
			require.Nil(t, got)
			require.ErrorContains(t, err, row.complaint)
			require.Equal(t, row.kind, client.KindOf(err), "%v", err)
		})
	}
}

func TestWhatIsSent(t *testing.T) {
	for base, want := range map[string]string{"": "/api/v1/query", "/": "/api/v1/query", "/select/0/prometheus/": "/select/0/prometheus/api/v1/query"} {
		var got *http.Request
		c := asking(t, func(w http.ResponseWriter, r *http.Request) {
			got = r
			_, _ = io.WriteString(w, vector(``))
		}, client.Config{ReadOnly: true, Token: client.StaticToken("s3cret")}, base)
		_, err := c.WithoutRetries().Firing(t.Context())
		require.NoError(t, err)
		require.Equal(t, http.MethodGet, got.Method)
		require.Equal(t, want, got.URL.Path)
		require.Equal(t, query, got.URL.Query().Get("query"))
		require.Equal(t, "Bearer s3cret", got.Header.Get("Authorization"))
	}
}

func TestGone(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	c, err := New(client.Config{BaseURL: server.URL, ReadRetries: -1}, query)
	require.NoError(t, err)
	require.Equal(t, query, c.Query())
	_, err = c.Firing(t.Context())
	require.Equal(t, client.Unreachable, client.KindOf(err))

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = c.Firing(ended)
	require.ErrorIs(t, err, context.Canceled)
}

func TestConfigurationThatIsNone(t *testing.T) {
	for raw, complaint := range map[string]string{
		"":                             "url is empty",
		"prom:9090":                    "expected http://",
		"http://prom:9090?x=1":         "has a path or query",
		"http://me:s3cret@prom:9090/p": "must not carry a user",
		"ftp://prom":                   "expected http://",
	} {
		_, err := New(client.Config{BaseURL: raw}, query)
		require.ErrorContains(t, err, complaint)
		require.NotContains(t, err.Error(), "s3cret")
	}
	_, err := New(client.Config{BaseURL: "http://prom:9090"}, "  ")
	require.ErrorContains(t, err, "the query is empty")
}
