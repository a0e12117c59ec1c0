package compute

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the real Postgres had in use after each spec that the real compute_ctl took.
func TestRecordedSettingsOfPageservers(t *testing.T) {
	raw, err := os.ReadFile("../../testdata/recordings/compute/reconfigure.jsonl")
	require.NoError(t, err)
	inUse := regexp.MustCompile(`neon\.pageserver_connstring=(.*), neon\.stripe_size=(\d*),`)
	compared, sharded := 0, 0
	var last Spec
	for line := range bytes.Lines(raw) {
		var one struct {
			exchange
			Note string `json:"note"`
		}
		require.NoError(t, json.Unmarshal(line, &one))
		if one.Request.Path == "/configure" && one.Response.Status == 200 {
			last = spec(t, one.Request.Body)
		}
		if match := inUse.FindStringSubmatch(one.Note); match != nil {
			want := last.PageserverSettings()
			require.Equal(t, want[SettingPageservers], Addresses(match[1]), one.Note)
			require.Equal(t, want[SettingStripe], match[2], one.Note)
			compared++
			sharded += len(want) - 1
		}
	}
	require.Greater(t, compared, 8)
	require.Positive(t, sharded)
}

func TestAddressesHaveNoSecret(t *testing.T) {
	require.Equal(t, "a:1,b:5432,[fd00::1]:6,?,?", Addresses("postgres://u:pw@a:1/x,host=b password=pw,postgresql://[fd00::1]:6,,u:pw"))
	require.Nil(t, spec(t, `{}`).PageserverSettings())
	require.Nil(t, spec(t, goodSpec).Patch(spec(t, `{"pageserver_connection_info":{"shard_count":1,"prefer_protocol":"grpc","shards":{"0001":{"pageservers":[{"grpc_url":"grpc://a:1"}]}}}}`)).PageserverSettings())
}
