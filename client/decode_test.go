package client

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const goodNode = `{"id":1,"availability":"Active","scheduling":"Active","availability_zone_id":"az-a","listen_http_addr":"ps-1","listen_http_port":9898,"listen_https_port":null,"listen_pg_addr":"ps-1","listen_pg_port":6400,"listen_grpc_addr":null,"listen_grpc_port":null}`

// without drops one member of a JSON object.
func without(t *testing.T, object, name string) string {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(object), &members); err != nil {
		t.Fatal(err)
	}
	if _, ok := members[name]; !ok {
		t.Fatalf("no member %s", name)
	}
	delete(members, name)
	rest, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return string(rest)
}

// Case P4: what is missing never means done, nor any other default.
func TestCaseP4NodeList(t *testing.T) {
	for name, row := range map[string]struct{ body, complaint string }{
		"empty body":           {``, "empty"},
		"null":                 {`null`, "not a list: null"},
		"an object":            {goodNode, "not a list"},
		"without scheduling":   {`[` + goodNode + `,` + without(t, goodNode, "scheduling") + `]`, "node at position 2 of the list: scheduling is missing"},
		"null scheduling":      {strings.Replace(`[`+goodNode+`]`, `"scheduling":"Active"`, `"scheduling":null`, 1), "scheduling is missing"},
		"blank scheduling":     {strings.Replace(`[`+goodNode+`]`, `"scheduling":"Active"`, `"scheduling":""`, 1), "scheduling is missing"},
		"without availability": {`[` + without(t, goodNode, "availability") + `]`, "availability is missing"},
		"without id":           {`[` + without(t, goodNode, "id") + `]`, "id is missing"},
		"without address":      {`[` + without(t, goodNode, "listen_http_addr") + `]`, "listen_http_addr is missing"},
		"without port":         {`[` + without(t, goodNode, "listen_http_port") + `]`, "listen_http_port is missing"},
		"twice":                {`[` + goodNode + `,` + goodNode + `]`, "node 1 is listed twice"},
		"a null node":          {`[null]`, "not an object: null"},
		"wrong type":           {strings.Replace(`[`+goodNode+`]`, `"id":1`, `"id":"1"`, 1), "id is a string where a uint64 should be"},
		"negative id":          {strings.Replace(`[`+goodNode+`]`, `"id":1`, `"id":-1`, 1), "id is a number -1"},
		"cut":                  {`[` + goodNode[:40], "breaks off"},
		"trailing":             {`[` + goodNode + `] x`, "not JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			if nodes, err := decodeNodes([]byte(row.body)); err == nil || !strings.Contains(err.Error(), row.complaint) {
				t.Errorf("%v, %v", nodes, err)
			}
			_, err := serve(t, Config{ReadRetries: -1}, answer(200, row.body)).Nodes(t.Context())
			if KindOf(err) != BadAnswer || !strings.Contains(err.Error(), row.complaint) {
				t.Errorf("%v: %v", KindOf(err), err)
			}
		})
	}
}

func TestCaseP4OtherAnswers(t *testing.T) {
	const (
		location = `{"tenant_shard_id":"t","is_observed_secondary":null,"is_intended_secondary":true}`
		shard    = `{"tenant_shard_id":"t","node_attached":null,"node_secondary":[],"last_error":"","is_reconciling":false,"is_pending_compute_notification":false,"is_splitting":false,"scheduling_policy":"Active"}`
		tenant   = `{"tenant_id":"t","shards":[` + shard + `],"stripe_size":2048,"policy":"Secondary","config":{}}`
	)
	var ( // each reads one kind of answer
		node    = func(c *Client) error { _, err := c.Node(t.Context(), 1); return err }
		shards  = func(c *Client) error { _, err := c.NodeShards(t.Context(), 1); return err }
		leader  = func(c *Client) error { _, err := c.Leader(t.Context()); return err }
		one     = func(c *Client) error { _, err := c.Tenant(t.Context(), "t"); return err }
		tenants = func(c *Client) error { _, err := c.Tenants(t.Context(), TenantsPage{}); return err }
	)
	for name, row := range map[string]struct {
		ask             func(*Client) error
		body, complaint string
	}{
		"node null":              {node, `null`, "not an object: null"},
		"another node":           {node, strings.Replace(goodNode, `"id":1`, `"id":2`, 1), "node 1 was asked for, the answer is about node 2"},
		"shards null":            {shards, `{"node_id":1,"shards":null}`, "shards: not a list: null"},
		"shards absent":          {shards, `{"node_id":1}`, "shards is missing"},
		"shards of nobody":       {shards, `{"shards":[]}`, "node_id is missing"},
		"shards of another":      {shards, `{"node_id":2,"shards":[]}`, "about node 2"},
		"observed absent":        {shards, `{"node_id":1,"shards":[` + location + `,` + without(t, location, "is_observed_secondary") + `]}`, "shards: shard at position 2 of the list: is_observed_secondary is missing"},
		"intended absent":        {shards, `{"node_id":1,"shards":[` + without(t, location, "is_intended_secondary") + `]}`, "is_intended_secondary is missing"},
		"leader without start":   {leader, `{"address":"http://x/"}`, "started_at is missing"},
		"leader without address": {leader, `{"started_at":"2026-01-01T00:00:00Z"}`, "address is missing"},
		"leader empty":           {leader, ``, "empty"},
		"tenant null":            {one, `null`, "not an object"},
		"another tenant":         {one, strings.Replace(tenant, `"tenant_id":"t"`, `"tenant_id":"u"`, 1), "tenant t was asked for"},
		"tenant without shards":  {one, without(t, tenant, "shards"), "shards is missing"},
		"tenant without policy":  {one, without(t, tenant, "policy"), "policy is missing"},
		"attached absent":        {one, strings.Replace(tenant, `"node_attached":null,`, "", 1), "shards: shard at position 1 of the list: node_attached is missing"},
		"secondaries null":       {one, strings.Replace(tenant, `"node_secondary":[]`, `"node_secondary":null`, 1), "node_secondary is missing"},
		"policy of a shard":      {one, strings.Replace(tenant, `,"scheduling_policy":"Active"`, "", 1), "scheduling_policy is missing"},
		"reconciling absent":     {one, strings.Replace(tenant, `"is_reconciling":false,`, "", 1), "is_reconciling is missing"},
		"tenants null":           {tenants, `null`, "not a list"},
		"tenants twice":          {tenants, `[` + tenant + `,` + tenant + `]`, "not in order"},
		"second is cut":          {tenants, `[` + tenant + `,{"tenant_id":"u"}]`, "tenant at position 2 of the list: shards is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			err := row.ask(serve(t, Config{ReadRetries: -1}, answer(200, row.body)))
			if KindOf(err) != BadAnswer || !strings.Contains(err.Error(), row.complaint) {
				t.Errorf("%v: %v", KindOf(err), err)
			}
			err = row.ask(serve(t, Config{ReadRetries: -1}, answer(204, "")))
			if KindOf(err) != BadAnswer {
				t.Errorf("204: %v: %v", KindOf(err), err)
			}
		})
	}
	if l, err := serve(t, Config{}, answer(200, "null")).Leader(t.Context()); l != nil || err != nil {
		t.Errorf("a controller without peers: %v, %v", l, err)
	}
}

// Unknown values and members survive, whatever the object.
func TestUnknownThingsSurvive(t *testing.T) {
	for name, row := range map[string]struct {
		body string
		into json.Unmarshaler
	}{
		"node":      {strings.Replace(goodNode, `"scheduling":"Active"`, `"scheduling":"Hibernating","new":{"deep":[1,2.50]}`, 1), new(Node)},
		"null zone": {strings.Replace(goodNode, `"az-a"`, `null`, 1), new(Node)},
		"old node":  {strings.Replace(goodNode, `"availability_zone_id":"az-a",`, ``, 1), new(Node)},
		"shards":    {`{"node_id":1,"cursor":"x","shards":[{"tenant_shard_id":"t","is_observed_secondary":null,"is_intended_secondary":true,"lag":12345678901234567890}]}`, new(NodeShards)},
		"tenant":    {`{"tenant_id":"t","shards":[{"tenant_shard_id":"t","node_attached":4294967297,"node_secondary":[2],"last_error":"x","is_reconciling":true,"is_pending_compute_notification":true,"is_splitting":true,"is_importing":null,"scheduling_policy":"Essential","preferred_az_id":null,"gen":7}],"stripe_size":null,"policy":{"Sharded":3},"config":{"a":{"b":null}},"x":[]}`, new(Tenant)},
		"leader":    {`{"address":"http://a/","started_at":"2026-11-30T22:03:24.51Z","term":3}`, new(Leader)},
	} {
		t.Run(name, func(t *testing.T) {
			if err := row.into.UnmarshalJSON([]byte(row.body)); err != nil {
				t.Fatal(err)
			}
			back, err := json.Marshal(row.into)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(generic(t, row.body), generic(t, string(back))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTextInAnswersIsNeutralised(t *testing.T) {
	body := strings.NewReplacer("ps-1", `ps\u001b[2J`, "az-a", `\u202eaz`).Replace(goodNode)
	body = strings.Replace(body, `"id":1`, `"id":1,"new\u0007":"\u009b"`, 1)
	nodes, err := decodeNodes([]byte("[" + body + "]"))
	if err != nil {
		t.Fatal(err)
	}
	n := nodes[0]
	if n.ListenHTTPAddr != `ps\x1b[2J` || n.AZ() != `\u202eaz` {
		t.Errorf("%q %q", n.ListenHTTPAddr, n.AZ())
	}
	for name, raw := range n.Extra {
		if text := name + string(raw); Clean(text) != text {
			t.Errorf("extra %q", text)
		}
	}
}

func TestPlacement(t *testing.T) {
	for body, want := range map[string]int{
		`{"Attached":0}`: 0, `{"Attached":2}`: 2, `"Secondary"`: -1, `"Detached"`: -1,
		`{"Attached":"x"}`: -1, `{"Elsewhere":1}`: -1, `{"Attached":-3}`: -1,
	} {
		var p Placement
		if err := json.Unmarshal([]byte(body), &p); err != nil || p.Secondaries != want {
			t.Errorf("%s: %+v, %v", body, p, err)
		}
		if back, err := json.Marshal(p); err != nil || string(back) != body {
			t.Errorf("%s became %s, %v", body, back, err)
		}
	}
	if back, err := json.Marshal(Placement{Secondaries: 1}); err != nil || string(back) != `{"Attached":1}` {
		t.Errorf("%s, %v", back, err)
	}
}

// The quick way and the thorough way of reading agree.
func TestBothWaysOfReadingAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := drawTenants(t)
		fast, err := decodeTenants([]byte(body))
		if err != nil {
			t.Fatalf("%v in %s", err, body)
		}
		var thorough []Tenant
		if err := json.Unmarshal([]byte(body), &thorough); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(thorough, fast); diff != "" {
			t.Fatal(diff)
		}
	})
}

func drawTenants(t *rapid.T) string {
	var b strings.Builder
	b.WriteString("[")
	for i := range rapid.IntRange(0, 4).Draw(t, "tenants") {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, `{"tenant_id":"%032x","shards":[%s],"policy":%s,"config":{ "a" : 1 }%s}`, i,
			drawShard(t),
			rapid.SampledFrom([]string{`{"Attached":1}`, `"Secondary"`}).Draw(t, "policy"),
			rapid.SampledFrom([]string{``, `,"stripe_size":null`, `,"stripe_size":2048`, `,"new":"\u001b"`}).Draw(t, "tail"))
	}
	return b.String() + "]"
}

func drawShard(t *rapid.T) string {
	return fmt.Sprintf(`{"tenant_shard_id":"x","node_attached":%s,"node_secondary":%s,"last_error":"\u001b%s","is_reconciling":%t,"is_pending_compute_notification":false,"is_splitting":false,"scheduling_policy":"Active"%s}`,
		rapid.SampledFrom([]string{"null", "3"}).Draw(t, "attached"),
		rapid.SampledFrom([]string{"[]", "[1]", "[1,2]"}).Draw(t, "secondary"),
		rapid.StringMatching(`[a-z ]{0,9}`).Draw(t, "error"),
		rapid.Bool().Draw(t, "reconciling"),
		rapid.SampledFrom([]string{``, `,"preferred_az_id":null`, `,"preferred_az_id":"az"`, `,"is_importing":true`, `,"y":[]`}).Draw(t, "tail"))
}
