package client

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLocateAsRecorded reads every recorded answer of locate; nothing of it that a
// compute needs is lost.
func TestLocateAsRecorded(t *testing.T) {
	read := 0
	for _, name := range []string{"reads", "auth"} {
		for _, e := range readRecording(t, filepath.Join("..", "testdata", "recordings", "controller", name+".jsonl")) {
			if !strings.HasSuffix(e.Request.Path, "/locate") || e.Response.Status != 200 {
				continue
			}
			read++
			var got Locations
			if err := json.Unmarshal([]byte(e.Response.Body), &got); err != nil {
				t.Fatalf("%s, exchange %d: %v", name, e.N, err)
			}
			var want struct {
				Shards []struct {
					ID   TenantShardID `json:"shard_id"`
					Node NodeID        `json:"node_id"`
					Host string        `json:"listen_pg_addr"`
					Port int           `json:"listen_pg_port"`
				} `json:"shards"`
				Params struct {
					Count  int  `json:"count"`
					Stripe *int `json:"stripe_size"`
				} `json:"shard_params"`
			}
			if err := json.Unmarshal([]byte(e.Response.Body), &want); err != nil {
				t.Fatal(err)
			}
			expected := Locations{Count: want.Params.Count, StripeSize: want.Params.Stripe}
			for _, s := range want.Shards {
				expected.Shards = append(expected.Shards, Location{Shard: s.ID, Node: s.Node, PgHost: s.Host, PgPort: s.Port})
			}
			got.Extra = nil
			if diff := cmp.Diff(expected, got); diff != "" {
				t.Errorf("%s, exchange %d: %s", name, e.N, diff)
			}
		}
	}
	if read == 0 {
		t.Fatal("no recording has a locate")
	}
}

func TestLocateNamesWhatIsMissing(t *testing.T) {
	for answer, want := range map[string]string{
		`{"shard_params":{"count":0}}`: "shards is missing",
		`{"shards":[]}`:                "shard_params is missing",
		`{"shards":[{"node_id":1}],"shard_params":{"count":0}}`:                                     "shard_id is missing",
		`{"shards":[{"shard_id":"a"}],"shard_params":{"count":0}}`:                                  "node_id is missing",
		`{"shards":[{"shard_id":"a","node_id":1}],"shard_params":{"count":0}}`:                      "listen_pg_addr is missing",
		`{"shards":[{"shard_id":"a","node_id":1,"listen_pg_addr":"h"}],"shard_params":{"count":0}}`: "listen_pg_port is missing",
	} {
		var l Locations
		if err := l.UnmarshalJSON([]byte(answer)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", answer, err, want)
		}
	}
}
