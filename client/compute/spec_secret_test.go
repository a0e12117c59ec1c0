package compute

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
)

// planted is a spec with a marked secret in each field that may hold one (contract
// B.11), beside what may be shown.
func planted(t *testing.T) Spec {
	t.Helper()
	const token = "eyJmark1.eyJmark1.mark1"
	return spec(t, goodSpec).Patch(spec(t, `{
		"storage_auth_token": "`+token+`", "endpoint_storage_token": "MARK2-mark",
		"pageserver_connstring": "postgres://u:MARK3@a:1,postgres://u:MARK4,x@b:2",
		"pageserver_connection_info": {"shards": {
			"0002": {"pageservers": [{"id": 1, "libpq_url": "postgres://cloud_admin:MARK5@ps-1:6400/?password=MARK6", "grpc_url": "grpc://MARK7@ps-1:1"}]},
			"0102": {"pageservers": [{"id": 2, "libpq_url": "host=ps-2 port=6400 password='MARK8 host=MARK9' user=u"}]}}},
		"pgbouncer_settings": {"auth_password": "MARK10", "auth_query": "select 'u:MARK11@h'"},
		"operation_uuid": "`+token+`",
		"remote_extensions": {"token": {"of": ["MARK12"]}, "from": "https://u:MARK13@h/x"},
		"of_tomorrow": {"client_secret": "MARK14", "passwd": 1234567890},
		"cluster": {
			"roles": [{"name": "app", "encrypted_password": "SCRAM-SHA-256$4096:MARK15==$mark:MARK16"},
				{"name": "old", "encrypted_password": "md5MARK17", "options": [{"name": "PASSWORD", "value": "MARK18", "vartype": "string"}]}],
			"postgresql_conf": "a = 1\nprimary_conninfo = 'host=h password=MARK19'\n# token MARK20\narchive_command = 'curl https://u:MARK21@h'\n",
			"settings": [{"name": "primary_conninfo", "value": "host=h user=MARK22", "vartype": "string"},
				{"name": "neon.pageserver_connstring", "value": "postgres://u:MARK23@h", "vartype": "string"},
				{"name": "x.api_token", "value": "MARK24", "vartype": "string"}, {"name": "x.dsn", "value": "u:MARK25@h", "vartype": "string"},
				{"name": "x.secret", "value": ["MARK26"], "vartype": "string"}]}}`))
}

// leaks reports a mark in what was shown. Servers say things back in lower case.
func leaks(t *testing.T, where, shown string) {
	t.Helper()
	if i := strings.Index(strings.ToLower(shown), "mark"); i >= 0 || strings.Contains(shown, "1234567890") {
		t.Errorf("%s: %.300s", where, shown[max(0, i-100):])
	}
}

func TestNoSecretIsPrinted(t *testing.T) {
	s := planted(t)
	text, err := s.JSON()
	require.NoError(t, err)
	require.Equal(t, 25, strings.Count(string(text), "MARK"), "the marks were not planted")
	type inside struct {
		name string
		spec Spec
	}
	read, ok := s.Patch(spec(t, `{"pageserver_connection_info":{"shards":{"0102":{"pageservers":[{"libpq_url":"postgres://u:MARK@h"}]}}}}`)).Pageservers()
	require.True(t, ok)
	second, _ := s.Pageservers()
	require.Equal(t, "ps-2:6400", second.Shards[1].Libpq, "the host is read out of a password")
	for _, value := range []any{
		s, &s,
		[]Spec{s},
		map[string]Spec{"a": s},
		inside{"a", s},
		&inside{"a", s},
		[]*inside{{"a", s}},
		struct{ Spec }{s},
		read, &read, s.Validate(Identity{}), spec(t, "{}").Diff(s), s.Diff(spec(t, "{}")), RestartNeeded(s.Diff(spec(t, "{}"))), errors.New(fmt.Sprint(s)),
	} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x", "%t"} {
			leaks(t, fmt.Sprintf("%T with %s", value, verb), fmt.Sprintf(verb, value))
		}
		written, err := json.Marshal(value)
		require.NoError(t, err)
		leaks(t, fmt.Sprintf("%T as JSON", value), string(written))
		var log bytes.Buffer
		for _, h := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
			slog.New(h).With("with", value).Info("m", "value", value, slog.Group("g", "value", value))
		}
		leaks(t, fmt.Sprintf("%T in a log", value), log.String())
	}
	require.Equal(t, "spec (not shown)", fmt.Sprintf("%+v", s))
	require.Equal(t, "spec (not shown)", fmt.Sprintf("%d", s))
}

// A spec that breaks off, or is damaged, at any byte.
func TestNoSecretInWhatIsWrongWithAText(t *testing.T) {
	text, err := planted(t).JSON()
	require.NoError(t, err)
	for i := range text {
		for _, bad := range [][]byte{text[:i], append(bytes.Clone(text[:i]), append([]byte("\x01"), text[i:]...)...), append(bytes.Clone(text[:i]), '"')} {
			if _, err := ParseSpec(bad); err != nil {
				leaks(t, fmt.Sprintf("byte %d", i), err.Error())
			}
		}
	}
	_, err = ParseSpec([]byte(`{"storage_auth_token":"MARK","storage_auth_token":"MARK"}`))
	require.EqualError(t, err, "1:30: storage_auth_token stands twice in one object")
}

func TestNoSecretInFaultsAndDifferences(t *testing.T) {
	base := planted(t)
	for _, d := range damages {
		if len(d.patch) > 1<<16 {
			continue
		}
		next := base.Patch(spec(t, d.patch))
		leaks(t, d.patch, fmt.Sprintf("%+v %v", next.Validate(goodIdentity), next.Validate(goodIdentity)))
		leaks(t, d.patch, fmt.Sprintf("%+v %+v", base.Diff(next), next.Diff(base)))
		_, err := next.Repoint(located(2, 2048, listener(3, "a", 1), listener(4, "b", 2)))
		leaks(t, d.patch, fmt.Sprint(err))
	}
}

// A server that says back what it was sent, in whichever form.
func TestNoSecretThatAServerSaysBack(t *testing.T) {
	text, err := planted(t).JSON()
	require.NoError(t, err)
	var tree any
	require.NoError(t, json.Unmarshal(text, &tree))
	said := strings.Join(everyString(nil, tree), " | ")
	inJSON := func(words string) string {
		out, err := json.Marshal(map[string]string{"error": words})
		require.NoError(t, err)
		return string(out)
	}
	answers := map[string]http.HandlerFunc{
		"refused":           saying(422, inJSON("failed to deserialize: invalid type: "+strings.ToLower(said))),
		"refused, as Go":    saying(400, inJSON(fmt.Sprintf("%q", said))),
		"failed":            saying(500, inJSON("compute configuration failed: "+fmt.Sprintf("%q", said))),
		"busy":              saying(412, inJSON("invalid compute status: "+said)),
		"a page":            saying(502, "<html>"+said),
		"the body":          saying(400, string(text)),
		"an odd success":    saying(200, said),
		"a status":          saying(200, `{"status":"running","error":`+strings.TrimPrefix(strings.TrimSuffix(inJSON("u:MARK@h password=MARK"), "}"), `{"error":`)+`}`),
		"what is no HTTP":   raw(said),
		"another's success": saying(204, said),
	}
	for n := 0; n < 260; n += 9 { // an error quotes a part, which ends somewhere
		answers[fmt.Sprintf("a page, %d", n)] = saying(502, strings.Repeat("x", n)+said)
		answers[fmt.Sprintf("an odd success, %d", n)] = saying(200, strings.Repeat("x", n)+said)
	}
	for name, answer := range answers {
		t.Run(name, func(t *testing.T) {
			st, err := serving(t, client.Config{}, answer).Configure(t.Context(), text, FormToday, 5*time.Second)
			if err == nil {
				leaks(t, name, *st.Error)
				return
			}
			var e *client.Error
			require.ErrorAs(t, err, &e)
			leaks(t, name, fmt.Sprintf("%v %+v %s %s", err, e, e.Msg, e.Hint))
		})
	}
}

// raw answers with text instead of HTTP.
func raw(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_, _ = io.WriteString(conn, text)
			_ = conn.Close()
		}
	}
}

func everyString(out []string, value any) []string {
	switch of := value.(type) {
	case string:
		return append(out, of)
	case map[string]any, []any:
		under := members(of)
		for _, name := range slices.Sorted(maps.Keys(under)) {
			out = everyString(out, under[name])
		}
	}
	return out
}
