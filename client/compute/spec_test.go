package compute

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/StorconTUI/storcon-tui/client"
)

func spec(t rapid.TB, text string) Spec {
	t.Helper()
	s, err := ParseSpec([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSpecKeepsWhatItDoesNotKnow(t *testing.T) {
	const text = `{"cluster":{"zz":"a<b"},"format_version":1.0,"huge":123456789012345678901234567890}`
	for _, in := range []string{text, `{"compute_ctl_config":{},"spec":` + text + `}`} {
		got, err := spec(t, in).JSON()
		if err != nil || string(got) != text {
			t.Errorf("got %s, %v", got, err)
		}
	}
}

func TestSpecFaultsHaveTheirPlaceAndNoValue(t *testing.T) {
	for in, want := range map[string]string{
		"{\n  \"storage_auth_token\": \"s3cret\" x}": "2:34: not JSON: a syntax error",
		"{\"a\": 1":    "1:7: the text ends too early",
		"null":         "1:1: null is no spec, an object is wanted",
		"{}\n{}":       "2:1: more text after the spec's object",
		"\n\"s3cret\"": "2:8: an object is wanted",
	} {
		_, err := ParseSpec([]byte(in))
		if err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", in, err, want)
		}
	}
}

// The examples of RFC 7396, appendix A, whose target and patch are objects.
func TestPatchIsAMergePatch(t *testing.T) {
	for _, c := range [][3]string{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`{"e":null}`, `{"a":1}`, `{"a":1,"e":null}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
	} {
		before := spec(t, c[0])
		got, err := before.Patch(spec(t, c[1])).JSON()
		if err != nil || string(got) != c[2] {
			t.Errorf("%s with %s: got %s, %v, want %s", c[0], c[1], got, err, c[2])
		}
		if same := before.Diff(spec(t, c[0])); same != nil {
			t.Errorf("the patched spec changed itself: %v", same)
		}
	}
}

func TestDiffNamesWhatChanged(t *testing.T) {
	old := spec(t, `{"mode":"Primary","cluster":{"settings":[{"name":"a","value":"1"},{"name":"primary_conninfo","value":"host=x"}]},"storage_auth_token":"one"}`)
	next := spec(t, `{"mode":null,"cluster":{"settings":[{"name":"b","value":"2"},{"name":"a","value":"3"},{"name":"primary_conninfo","value":"host=y"}]},"storage_auth_token":"two"}`)
	want := []Change{
		{Path: "cluster.settings[a].value", Old: `"1"`, New: `"3"`},
		{Path: "cluster.settings[b]", New: `{"name":"b","value":"2"}`},
		{Path: "cluster.settings[primary_conninfo].value", Old: `"(secret)"`, New: `"(secret)"`, Secret: true},
		{Path: "mode", Old: `"Primary"`, New: "null"},
		{Path: "storage_auth_token", Old: `"(secret)"`, New: `"(secret)"`, Secret: true},
	}
	if d := cmp.Diff(want, old.Diff(next)); d != "" {
		t.Error(d)
	}
}

// A secret planted wherever contract B.11 has one is in no difference, and each that
// changed is told of.
func TestDiffLeaksNoSecret(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := func(label string) string {
			return "MARK" + rapid.StringMatching(`[A-Za-z0-9,@/_-]{0,12}`).Draw(t, label) + "MARK"
		}
		plant := func(secret string) string {
			inURL, _ := json.Marshal("postgres://u:" + secret + "@h:1/db")
			plain, _ := json.Marshal(secret)
			conf, _ := json.Marshal("a = 1\n# password " + secret + "\nprimary_conninfo = '" + secret + "'\nb = 2")
			dsn, _ := json.Marshal("host=h password='" + secret + " x' user=u")
			return fmt.Sprintf(`{"storage_auth_token":%[1]s,"endpoint_storage_token":%[1]s,"pageserver_connstring":%[2]s,
			"pageserver_connection_info":{"shards":{"0000":{"pageservers":[{"id":1,"libpq_url":%[2]s,"grpc_url":%[4]s}]}}},
			"jwt":"eyJ%[5]s.%[5]s.%[5]s","pgbouncer_settings":{"auth_password":%[1]s},"cluster":{"postgresql_conf":%[3]s,
			"roles":[{"name":"r","encrypted_password":%[1]s}],"settings":[{"name":"x.conninfo","value":%[1]s},{"name":"my_password","value":%[1]s},
			{"name":"dsn","value":%[4]s}]}}`, plain, inURL, conf, dsn, strings.NewReplacer(",", "", "@", "", "/", "").Replace(secret))
		}
		twice := func(s string) string { return strings.Replace(s, `"my_password"`, `"x.conninfo"`, 1) }
		a, b := plant(word("old")), plant(word("new")+"2")
		for _, pair := range [][2]string{{a, b}, {a, twice(b)}, {twice(a), twice(b)}, {"{}", a}, {a, "{}"}} {
			changes := spec(t, pair[0]).Diff(spec(t, pair[1]))
			if said := fmt.Sprintf("%+v", changes); len(changes) == 0 || strings.Contains(said, "MARK") {
				t.Fatalf("nothing changed, or a secret is shown: %s", said)
			}
			for _, c := range changes {
				if !c.Secret {
					t.Fatalf("a changed secret is not marked: %+v", c)
				}
			}
		}
	})
}

// What has no password is shown, so that people see which pageserver it is; what might
// have one loses more than it must rather than less.
func TestWhatIsShownOfURLs(t *testing.T) {
	for in, want := range map[string]string{
		"postgres://no_user@ps-1:6400":                         "postgres://no_user@ps-1:6400",
		"postgres://no_user@ps-1:6400,postgres://no_user@ps-2": "postgres://no_user@ps-1:6400,postgres://no_user@ps-2",
		"postgres://a:1,grpc://no_user@[fd00::1]:6":            "postgres://a:1,grpc://no_user@[fd00::1]:6",
		"see postgres://no_user@ps-1/db":                       "see postgres://no_user@ps-1/db",
		"postgres://u:pw@h:1/db":                               "postgres://u:(secret)@h:1/db",
		"postgres://u:@h":                                      "postgres://u:(secret)@h",
		"postgres://u://pw@h":                                  "postgres://u:(secret)@h",
		"postgres://:pw@h":                                     "postgres://:(secret)@h",
		"postgres://a,b:pw@h":                                  "postgres://a,b:(secret)@h",
		"postgres://a@:pw@h":                                   "postgres://a@:(secret)@h",
		"postgres://u:p@w@h":                                   "postgres://u:(secret)@h",
		"postgres://u:p,postgres://no_user@h":                  "postgres://u:(secret)@h",
		"postgres://no_user@a:1,postgres://u:pw@b:2":           "postgres://no_user@a:(secret)@b:2",
		"u:/pw@h":                             "u:(secret)@h",
		"https://ghp4aZ@h":                    "https://(secret)@h",
		"password=pw host=h":                  "password=(secret) host=h",
		"postgres://no_user@ps-1?password=pw": "postgres://no_user@ps-1?password=(secret)",
		"eyJhbGciOiJFZERTQSJ9.eyJzY29wZSI6InRlbmFudCJ9.ZGVtbw, x": "(secret), x",
	} {
		if got := scrub(in); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

// A spec is somebody's text too: what would steer a terminal is not shown as it is.
func TestDiffIsNeutralised(t *testing.T) {
	changes := spec(t, `{}`).Diff(spec(t, `{"a\u001b[2J":"\u202e\u009b\u001b","b":["\u202e"]}`))
	for _, c := range changes {
		for _, text := range []string{c.Path, c.Old, c.New} {
			if client.Clean(text) != text {
				t.Errorf("%q", text)
			}
		}
	}
}
