package compute

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/StorconTUI/storcon-tui/client"
)

const (
	goodTenant   = "3aa9bd1c0a4f4c0e9b6d2f7715c08e41"
	goodTimeline = "9f0c6a7be2d14a0fa4b0c1d25e6f7788"
)

var goodIdentity = Identity{Tenant: goodTenant, Timeline: goodTimeline}

// goodSpec is a complete spec of a tenant with two shards.
const goodSpec = `{
  "format_version": 1.0,
  "timestamp": {"of": ["any", "kind"]},
  "operation_uuid": "5c1b0a52-7d0e-4b6b-9d7c-0d9a4d0f8c11",
  "suspend_timeout_seconds": -1,
  "features": ["activity_monitor_experimental", "one_of_tomorrow"],
  "cluster": {
    "cluster_id": "demo-cluster-1", "name": "demo", "state": "restarted",
    "roles": [{"name": "app", "encrypted_password": "SCRAM-SHA-256$4096:c2FsdA==$a:b", "options": null},
              {"name": "reader", "encrypted_password": null, "options": [{"name": "CONNECTION LIMIT", "value": "5", "vartype": "integer"}]}],
    "databases": [{"name": "appdb", "owner": "app", "options": null}],
    "postgresql_conf": "max_connections = 100\n",
    "settings": [
      {"name": "max_connections", "value": "100", "vartype": "integer"},
      {"name": "neon.tenant_id", "value": "3aa9bd1c0a4f4c0e9b6d2f7715c08e41", "vartype": "string"},
      {"name": "neon.timeline_id", "value": "9F0C6A7BE2D14A0FA4B0C1D25E6F7788", "vartype": "string"},
      {"name": "fsync", "value": null, "vartype": "bool"}
    ]
  },
  "delta_operations": [{"action": "rename_db", "name": "olddb", "new_name": "appdb"}],
  "skip_pg_catalog_updates": false,
  "tenant_id": "3aa9bd1c0a4f4c0e9b6d2f7715c08e41",
  "timeline_id": "9f0c6a7be2d14a0fa4b0c1d25e6f7788",
  "pageserver_connection_info": {
    "shard_count": 2, "stripe_size": 2048,
    "shards": {
      "0002": {"pageservers": [{"id": 1, "libpq_url": "postgres://no_user@ps-1:6400", "grpc_url": null}]},
      "0102": {"pageservers": [{"id": 2, "libpq_url": "postgresql://u:p%zz^@[fd00::2]:6400/?x=1", "grpc_url": "grpc://no_user@ps-2:51051"}]}
    },
    "prefer_protocol": "libpq"
  },
  "pageserver_connstring": "postgres://no_user@stale:6400",
  "shard_stripe_size": 2048,
  "safekeepers_generation": 1,
  "safekeeper_connstrings": ["127.0.0.1:5454", "sk-2:5455", "[fd00::3]:5456"],
  "mode": "Primary",
  "storage_auth_token": "eyJhbGciOiJFZERTQSJ9.eyJzY29wZSI6InRlbmFudCJ9.ZGVtbw",
  "endpoint_storage_token": null,
  "endpoint_id": "demo-endpoint",
  "remote_extensions": {"library_index": {}, "extension_data": {}},
  "pgbouncer_settings": {"pool_mode": "transaction"},
  "local_proxy_config": {"jwks": []},
  "reconfigure_concurrency": 2,
  "audit_log_level": "Base",
  "offload_lfc_interval_seconds": 300,
  "autoprewarm": true,
  "of_tomorrow": {"a": [1, null]}
}`

func TestGoodSpecHasNoFault(t *testing.T) {
	for name, patch := range map[string]string{
		"as it is":            `{}`,
		"a replica":           `{"mode":"Replica","safekeeper_connstrings":[]}`,
		"one that stands":     `{"mode":{"Static":"0/169F0A0"},"safekeeper_connstrings":null}`,
		"ids in upper case":   `{"tenant_id":"3AA9BD1C0A4F4C0E9B6D2F7715C08E41"}`,
		"ids in settings":     `{"tenant_id":null,"timeline_id":null}`,
		"old connstrings":     `{"pageserver_connection_info":null,"pageserver_connstring":"postgres://no_user@a:1,postgresql://b"}`,
		"not sharded":         `{"pageserver_connection_info":{"shard_count":0,"stripe_size":null,"shards":{"0000":{"pageservers":[{"libpq_url":"host=ps-1 port=6400 user=x"}]}}}}`,
		"an index in capital": `{"pageserver_connection_info":{"shard_count":1,"shards":{"0001":{"pageservers":[{"libpq_url":"postgres://a:1"}]}}}}`,
		"by gRPC": `{"pageserver_connection_info":{"shard_count":1,"prefer_protocol":"grpc","shards":{"0001":{"pageservers":[
			{"grpc_url":"grpc://a:1","libpq_url":null}]}}}}`,
		"in settings alone": `{"pageserver_connection_info":null,"pageserver_connstring":null,"safekeeper_connstrings":[],"tenant_id":null,
			"cluster":{"settings":[{"name":"neon.pageserver_connstring","value":"postgres://a,postgres://b","vartype":"string"},
			{"name":"neon.stripe_size","value":"2048","vartype":"integer"},{"name":"neon.safekeepers","value":"a:1,b:1","vartype":"string"},
			{"name":"neon.tenant_id","value":"3aa9bd1c0a4f4c0e9b6d2f7715c08e41","vartype":"string"}]}}`,
	} {
		s := spec(t, goodSpec).Patch(spec(t, patch))
		if name == "one that stands" {
			s = s.Patch(spec(t, `{"safekeeper_connstrings":[]}`))
		}
		require.Empty(t, s.Validate(goodIdentity), name)
		require.Empty(t, s.Validate(Identity{}), name)
	}
}

// damages are the faults that a spec may have, each as a patch of goodSpec, and the
// path and words by which it is named.
var damages = []struct{ patch, path, wrong string }{
	{`{"format_version":null}`, "format_version", "is missing"},
	{`{"format_version":"1.0"}`, "format_version", "is a string"},
	{`{"format_version":2.5}`, "format_version", "is 2.5, which this program does not know"},
	{`{"cluster":null}`, "cluster", "is missing"},
	{`{"cluster":[]}`, "cluster", "is a list"},
	{`{"cluster":{"roles":null}}`, "cluster.roles", "is missing"},
	{`{"cluster":{"databases":{}}}`, "cluster.databases", "is an object"},
	{`{"cluster":{"databases":[{"name":"a"}]}}`, "cluster.databases[a].owner", "is missing"},
	{`{"cluster":{"settings":[{"name":"a","value":1,"vartype":"integer"}]}}`, "cluster.settings[a].value", "is a number"},
	{`{"cluster":{"settings":[{"name":"a","value":"1"}]}}`, "cluster.settings[a].vartype", "is missing"},
	{`{"cluster":{"postgresql_conf":["a"]}}`, "cluster.postgresql_conf", "is a list"},
	{`{"suspend_timeout_seconds":null}`, "suspend_timeout_seconds", "is missing"},
	{`{"suspend_timeout_seconds":5.0}`, "suspend_timeout_seconds", "is a number"},
	{`{"features":"x"}`, "features", "is a string"},
	{`{"features":[{}]}`, "features[0]", "is an object"},
	{`{"delta_operations":[{"action":"Explode"}]}`, "delta_operations[0].name", "is missing"},
	{`{"skip_pg_catalog_updates":"yes"}`, "skip_pg_catalog_updates", "is a string"},
	{`{"reconfigure_concurrency":0}`, "reconfigure_concurrency", "is a number"},
	{`{"audit_log_level":"loud"}`, "audit_log_level", "is a string"},
	{`{"offload_lfc_interval_seconds":0}`, "offload_lfc_interval_seconds", "is a number"},
	{`{"pgbouncer_settings":{"pool":1}}`, "pgbouncer_settings.pool", "is a number"},
	{`{"mode":"primary"}`, "mode", "is a string"},
	{`{"mode":{"Static":"abc"}}`, "mode", "is an object"},
	{`{"tenant_id":"xyz"}`, "tenant_id", "is a string"},
	{`{"tenant_id":"ffffffffffffffffffffffffffffff01"}`, "tenant_id", "serves tenant " + goodTenant},
	{`{"timeline_id":"ffffffffffffffffffffffffffffff01"}`, "timeline_id", "serves timeline " + goodTimeline},
	{`{"tenant_id":null,"cluster":{"settings":[]}}`, "tenant_id", "is missing"},
	{`{"timeline_id":null,"cluster":{"settings":null}}`, "timeline_id", "is missing"},
	{`{"cluster":{"settings":[{"name":"neon.tenant_id","value":"xyz","vartype":"string"}]}}`, "cluster.settings[neon.tenant_id].value", "is no tenant id"},
	{
		`{"tenant_id":null,"cluster":{"settings":[{"name":"neon.tenant_id","value":"ffffffffffffffffffffffffffffff01","vartype":"string"}]}}`,
		"cluster.settings[neon.tenant_id].value", "serves tenant " + goodTenant,
	},
	{
		`{"cluster":{"settings":[{"name":"neon.timeline_id","value":"ffffffffffffffffffffffffffffff01","vartype":"string"}]}}`,
		"cluster.settings[neon.timeline_id].value", "serves timeline " + goodTimeline,
	},
	{`{"pageserver_connection_info":null,"pageserver_connstring":null}`, "pageserver_connection_info", "is missing"},
	{`{"pageserver_connection_info":{"shard_count":null}}`, "pageserver_connection_info.shard_count", "is missing"},
	{`{"pageserver_connection_info":{"shard_count":300}}`, "pageserver_connection_info.shard_count", "is a number"},
	{`{"pageserver_connection_info":{"shards":null}}`, "pageserver_connection_info.shards", "is missing"},
	{`{"pageserver_connection_info":{"shards":{"0102":null}}}`, "pageserver_connection_info.shards", "lacks shard 0102"},
	{`{"pageserver_connection_info":{"shard_count":9}}`, "pageserver_connection_info.shards", "lacks shard 0009, 0109, 0209, 0309 and 5 more"},
	{`{"pageserver_connection_info":{"shards":{"zz":{"pageservers":[]}}}}`, "pageserver_connection_info.shards.zz", "a name that no shard has"},
	{`{"pageserver_connection_info":{"shards":{"0102":{"pageservers":[]}}}}`, "pageserver_connection_info.shards.0102.pageservers", "is empty, which wedges the compute"},
	{`{"pageserver_connection_info":{"shards":{"0102":{"pageservers":null}}}}`, "pageserver_connection_info.shards.0102.pageservers", "is missing"},
	{`{"pageserver_connection_info":{"shards":{"0102":{"pageservers":[{"id":2}]}}}}`, "pageserver_connection_info.shards.0102.pageservers[0].libpq_url", "is empty"},
	{`{"pageserver_connection_info":{"shards":{"0102":{"pageservers":[{"libpq_url":" "}]}}}}`, "pageserver_connection_info.shards.0102.pageservers[0].libpq_url", "is empty"},
	{`{"pageserver_connection_info":{"shards":{"0102":{"pageservers":[{"libpq_url":"grpc://a:1"}]}}}}`, "pageserver_connection_info.shards.0102.pageservers[0].libpq_url", "is no postgres URL"},
	{`{"pageserver_connection_info":{"shards":{"0102":{"pageservers":[{"libpq_url":"postgres://no_user@:1"}]}}}}`, "pageserver_connection_info.shards.0102.pageservers[0].libpq_url", "is no postgres URL"},
	{`{"pageserver_connection_info":{"prefer_protocol":"grpc"}}`, "pageserver_connection_info.shards.0002.pageservers[0].grpc_url", "is empty"},
	{`{"pageserver_connection_info":{"prefer_protocol":"pg"}}`, "pageserver_connection_info.prefer_protocol", "is a string"},
	{`{"pageserver_connection_info":{"stripe_size":null}}`, "pageserver_connection_info.stripe_size", "says no stripe size, and there are 2 shards"},
	{`{"pageserver_connection_info":{"stripe_size":0}}`, "pageserver_connection_info.stripe_size", "is 0"},
	{`{"pageserver_connection_info":null,"pageserver_connstring":""}`, "pageserver_connstring", "is empty"},
	{`{"pageserver_connection_info":null,"pageserver_connstring":"postgres://a,"}`, "pageserver_connstring", "is empty"},
	{`{"pageserver_connection_info":null,"pageserver_connstring":"postgres://a,postgres://b","shard_stripe_size":null}`, "shard_stripe_size", "says no stripe size"},
	{`{"pageserver_connection_info":null,"pageserver_connstring":"` + strings.Repeat("postgres://a,", 255) + `postgres://a"}`, "pageserver_connstring", "has 256 shards"},
	{`{"pageserver_connection_info":null,"pageserver_connstring":null,"cluster":{"settings":[{"name":"neon.pageserver_connstring","value":"postgres://a","vartype":"string"},
		{"name":"neon.stripe_size","value":"wide","vartype":"integer"}]}}`, "cluster.settings[neon.stripe_size].value", "is no size of a stripe"},
	{
		`{"pageserver_connection_info":null,"pageserver_connstring":null,"cluster":{"settings":[{"name":"neon.pageserver_connstring","value":"postgres://a,postgres://b","vartype":"string"}]}}`,
		"cluster.settings[neon.pageserver_connstring].value", "says no stripe size",
	},
	{`{"safekeeper_connstrings":[]}`, "safekeeper_connstrings", "is missing or empty"},
	{`{"safekeeper_connstrings":"a:1"}`, "safekeeper_connstrings", "is a string"},
	{`{"safekeeper_connstrings":["a:1","b:1","a:1"]}`, "safekeeper_connstrings[2]", "safekeeper 3 is the same as safekeeper 1"},
	{`{"safekeeper_connstrings":["a"]}`, "safekeeper_connstrings[0]", "safekeeper 1 is no host:port"},
	{
		`{"safekeeper_connstrings":[],"cluster":{"settings":[{"name":"neon.safekeepers","value":"a:1,a:1","vartype":"string"}]}}`,
		"cluster.settings[neon.safekeepers].value", "safekeeper 2 is the same as safekeeper 1",
	},
	{`{"safekeepers_generation":-1}`, "safekeepers_generation", "is a number"},
	{`{"storage_auth_token":["s"]}`, "storage_auth_token", "is a list"},
	{`{"remote_extensions":{"x":"` + strings.Repeat("<", bodyLimit/6) + `"}}`, "", "makes a request of 2099"},
}

// Each damage is found alone, and named by its path, what is wrong and what to do.
func TestEachDamageIsNamed(t *testing.T) {
	for _, d := range damages {
		faults := spec(t, goodSpec).Patch(spec(t, d.patch)).Validate(goodIdentity)
		if len(faults) != 1 || faults[0].Path != d.path || !strings.Contains(faults[0].Wrong, d.wrong) || faults[0].Remedy == "" {
			t.Errorf("%.200s: want %s %s, got %v", d.patch, d.path, d.wrong, faults)
		}
	}
}

// Before a compute has said whose it is, the spec must agree with itself.
func TestIdsAgreeWithEachOther(t *testing.T) {
	const other = "ffffffffffffffffffffffffffffff01"
	faults := spec(t, goodSpec).Patch(spec(t, `{"tenant_id":"`+other+`"}`)).Validate(Identity{})
	require.Len(t, faults, 1)
	require.Equal(t, "cluster.settings[neon.tenant_id].value is "+goodTenant+", but tenant_id is "+other+"; make both the compute's tenant", faults[0].String())
}

// What is absent is not always the same as what is null.
func TestNullWhereOnlyAbsenceDoes(t *testing.T) {
	s := spec(t, strings.Replace(goodSpec, `"skip_pg_catalog_updates": false`, `"skip_pg_catalog_updates": null`, 1))
	require.Equal(t, "21:30: skip_pg_catalog_updates is null; write true or false", s.Validate(goodIdentity)[0].String())
}

func TestFaultsHaveTheirPlace(t *testing.T) {
	const text = `{"compute_ctl_config": {"jwks": {"keys": []}},
  "spec": {
    "größe": "ö", "format_version": "1",
    "cluster": {"roles": [],
      "settings": [{"name": "a"}]}
  }
}`
	var got []string
	for _, f := range spec(t, text).Validate(Identity{}) {
		got = append(got, fmt.Sprintf("%d:%d %s", f.Line, f.Column, f.Path))
	}
	want := []string{
		"2:11 suspend_timeout_seconds", "2:11 tenant_id", "2:11 timeline_id", "2:11 pageserver_connection_info", "2:11 safekeeper_connstrings",
		"3:37 format_version", "4:16 cluster.databases", "5:20 cluster.settings[a].vartype",
	}
	require.Empty(t, cmp.Diff(want, got))
	require.Zero(t, spec(t, text).Patch(spec(t, `{}`)).Validate(Identity{})[0].Line, "the place in another text")
}

// serdePath reads out of a recorded refusal where it found its fault.
var serdePath = regexp.MustCompile("target type: spec([^:]*): (?:missing field `(\\w+)`)?")

// Every spec that was sent to the real compute_ctl: those that it refused, and those
// that left it failed or wedged by what they lack, are found before they are sent, and
// the ones that it took pass.
func TestRecordedSpecs(t *testing.T) {
	passed, found := 0, 0
	for _, e := range exchanges(t) {
		var body struct{ Spec json.RawMessage }
		if e.Request.Path != "/configure" || json.Unmarshal([]byte(e.Request.Body), &body) != nil || !strings.HasPrefix(string(body.Spec), "{") {
			continue
		}
		faults := spec(t, string(body.Spec)).Validate(Identity{})
		said := e.Response.Body
		place := serdePath.FindStringSubmatch(said)
		switch {
		case strings.Contains(string(body.Spec), `"safekeeper_connstrings": [], "mode": "Primary"`),
			strings.Contains(said, "shard map"), e.Response.Status == http.StatusBadRequest,
			strings.Contains(string(body.Spec), `"shards": {}`), strings.Contains(string(body.Spec), `"pageservers": []`),
			strings.Contains(string(body.Spec), `"shard_count": 2`) && !strings.Contains(string(body.Spec), "0102"):
			found++
			require.NotEmpty(t, faults, "%s\n%s", said, body.Spec)
		case place != nil:
			found++
			want := strings.TrimPrefix(place[1]+"."+place[2], ".")
			require.NotEmpty(t, faults, "%s\n%s", said, body.Spec)
			require.True(t, strings.HasPrefix(want+".static", faults[0].Path), "%s at %v", want, faults)
		default:
			passed++
			require.Empty(t, faults, "%s\n%s", said, body.Spec)
		}
	}
	require.Greater(t, found, 40)
	require.Greater(t, passed, 40)
}

// Whatever values stand in a spec, and wherever, no fault has a word of them and none
// is told twice.
func TestFaultsLeakNoSecret(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := spec(t, goodSpec)
		for range rapid.IntRange(1, 4).Draw(t, "damages") {
			s = specOf(damaged(t, s.members()).(map[string]any), nil)
		}
		faults := s.Validate(Identity{Tenant: rapid.SampledFrom([]string{"", goodTenant}).Draw(t, "tenant")})
		if info, ok := s.Pageservers(); len(faults) == 0 && (!ok || len(info.Shards) != max(1, info.Count)) {
			t.Fatalf("a good spec without a pageserver for each shard: %+v", info)
		}
		said := map[string]bool{}
		for _, f := range faults {
			if said[f.String()] {
				t.Fatalf("said twice: %v", f)
			}
			said[f.String()] = true
			if strings.Contains(fmt.Sprintf("%+v %s", f, f), "MARK") || f.Wrong == "" || f.Remedy == "" {
				t.Fatalf("%+v", f)
			}
		}
	})
}

// damaged is value with a secret somewhere in it, in one shape or another.
func damaged(t *rapid.T, value any) any {
	secret := "MARK" + rapid.StringMatching(`[a-z@:/,=. ]{0,8}`).Draw(t, "secret")
	switch of := value.(type) {
	case map[string]any:
		// A name is what people know an entry by, and stands in paths.
		names := slices.DeleteFunc(slices.Sorted(maps.Keys(of)), func(name string) bool { return name == "name" })
		if len(names) == 0 {
			break
		}
		out := maps.Clone(of)
		name := rapid.SampledFrom(names).Draw(t, "name")
		out[name] = damaged(t, of[name])
		return out
	case []any:
		if len(of) == 0 {
			break
		}
		out := slices.Clone(of)
		i := rapid.IntRange(0, len(of)-1).Draw(t, "entry")
		out[i] = damaged(t, of[i])
		return out
	}
	return rapid.SampledFrom([]any{
		secret, "postgres://u:" + secret + "@h:1/db", "host=h password=" + secret, "grpc://" + secret,
		[]any{secret, secret},
		map[string]any{"Static": secret},
		json.Number("7"), nil, true,
	}).Draw(t, "as")
}

// The limit is that of the body which is really sent.
func TestSizeIsThatOfTheRequest(t *testing.T) {
	sent := 0
	c := serving(t, client.Config{}, func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body) // what is missing shows below
		sent = int(n)
		saying(200, `{"status":"running"}`)(w, r)
	})
	fill := func(n int) Spec { return spec(t, goodSpec).Patch(spec(t, `{"x":"`+strings.Repeat("é", n/2)+`"}`)) }
	send := func(s Spec) int {
		text, err := s.JSON()
		require.NoError(t, err)
		_, err = c.Configure(t.Context(), text, FormToday, 10*time.Second)
		require.NoError(t, err)
		return sent
	}
	room := (bodyLimit - send(fill(0))) &^ 1
	require.Empty(t, fill(room).Validate(goodIdentity))
	require.LessOrEqual(t, send(fill(room)), bodyLimit)
	require.Len(t, fill(room+2).Validate(goodIdentity), 1)
	require.Greater(t, send(fill(room+2)), bodyLimit)
}

func TestTextIsReadAsItIsWrittenOrNotAtAll(t *testing.T) {
	for in, want := range map[string]string{
		"{\"a\": 1,\n \"b\": {\"s\": \"s3cret\", \"s\": 2}}":                  `2:23: s stands twice in one object`,
		`{"cluster": {}, "cluster": {}}`:                                      `1:17: cluster stands twice in one object`,
		"{\"a\": \"s3cret\xff\"}":                                             `1:7: a string with a character that is none: not UTF-8, or half of a \u pair`,
		`{"a":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`: `1:105: nested deeper than 100 levels`,
		`{"a": [1, "\ud800s3cret"]}`:                                          `1:11: a string with a character that is none: not UTF-8, or half of a \u pair`,
	} {
		_, err := ParseSpec([]byte(in))
		require.EqualError(t, err, want, in)
	}
	for _, in := range []string{`{"a":"\ud83d\ude00 \ufffd \\ufffd � \uFFFD"}`, `{"a":{"a":[{"a":1},{"a":1}]},"":{"":1}}`} {
		_, err := ParseSpec([]byte(in))
		require.NoError(t, err)
	}
}
