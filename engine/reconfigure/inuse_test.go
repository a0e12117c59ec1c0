package reconfigure

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/client/postgres"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// movedTo says for every tenant that its one shard is on a node.
func movedTo(node client.NodeID, host string) func(context.Context, client.TenantID) (client.Locations, error) {
	return func(_ context.Context, id client.TenantID) (client.Locations, error) {
		return client.Locations{Shards: []client.Location{{Shard: client.TenantShardID(id), Node: node, PgHost: host, PgPort: 6400}}}, nil
	}
}

// The last known spec of the rig's computes says ps-1, which is node 1.
func TestFindStale(t *testing.T) {
	const url = "postgres://u:hunter2@"
	for name, row := range map[string]struct {
		located, inUse string // "" = no SQL
		sqlErr         error
		found          []string // by path
	}{
		"not moved": {"ps-1", "", nil, nil},
		"moved":     {"ps-2", "", nil, []string{"pageserver_connection_info.shards.0000.pageservers[0].id", "pageserver_connection_info.shards.0000.pageservers[0].libpq_url"}},
		"told already, and its spec's place is old": {"ps-2", url + "ps-2:6400", nil, nil},
		"never told of what its spec says (N5)":     {"ps-1", url + "ps-2:6400", nil, []string{compute.SettingPageservers + " (in use)"}},
		"Postgres cannot be asked":                  {"ps-1", "x", errors.New("no connection"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "ep-1")
			r.sql = row.inUse != ""
			r.open([]string{"ep-1"})
			r.engine.cfg.Locate = movedTo(client.NodeID(row.located[3]-'0'), row.located)
			r.models["ep-1"].settings = map[string]string{compute.SettingPageservers: row.inUse}
			if row.sqlErr != nil {
				computes := r.engine.cfg.Computes()
				computes[0].Settings = func(context.Context, []string) (map[string]postgres.Setting, error) { return nil, row.sqlErr }
			}
			found, err := r.engine.FindStale(t.Context())
			require.NoError(t, err)
			var paths []string
			for _, s := range found {
				require.Equal(t, "ep-1", s.Compute)
				for _, c := range s.Changes {
					paths = append(paths, c.Path)
					require.NotContains(t, c.Old+c.New, "hunter2")
				}
			}
			require.Empty(t, cmp.Diff(row.found, paths))
		})
	}
}

// Case N5: the controller believes that the compute was told, and so says its last known
// spec; its Postgres reads from the old pageserver all the same. It is re-pointed, and
// what it reads from afterwards is read back.
func TestCase_N5_ComputeThatWasNeverTold(t *testing.T) {
	st := one(t, func(r *rig, m *model) {
		m.settings = map[string]string{compute.SettingPageservers: "postgres://u:hunter2@ps-7:6400"}
		r.write(`{}`)
	})
	want(t, st, ItemDone, "", rollout.ExitDone)
	it := st.Items[0].Item
	require.Empty(t, cmp.Diff([]compute.Change{{Path: compute.SettingPageservers + " (in use)", Old: `"ps-7:6400"`, New: `"ps-1:6400"`}}, it.Changes))
	require.Empty(t, it.Reads.Unread)
}

func TestNothingIsSentToAComputeThatHasItAll(t *testing.T) {
	r := newRig(t, "ep-1")
	r.write(`{}`)
	r.models["ep-1"].settings = map[string]string{compute.SettingPageservers: "postgres://u:hunter2@PS-1:6400"}
	_, err := r.engine.Plan(t.Context(), Request{Computes: []string{"ep-1"}, Source: Source{Kind: FromPatch, Path: r.patch}})
	var nothing *NothingToDoError
	require.ErrorAs(t, err, &nothing)
}

// A person mends one fault after the other, and finds each in a line of its own.
func TestEveryFaultOfASpecHasItsLine(t *testing.T) {
	r := newRig(t, "ep-1")
	for patch, want := range map[string]string{
		`{"mode":"Boss"}`: ` is not sent: mode is a string; write "Primary", "Replica" or {"Static": "0/169F0A0"}`,
		`{"mode":"Boss","format_version":2}`: " is not sent:\n  mode is a string; write \"Primary\", \"Replica\" or {\"Static\": \"0/169F0A0\"}" +
			"\n  format_version is 2, which this program does not know; send specs of version 1.0 only, or look for a newer release of this program",
	} {
		r.write(patch)
		_, err := r.engine.Plan(t.Context(), Request{Computes: []string{"ep-1"}, Source: Source{Kind: FromPatch, Path: r.patch}})
		require.ErrorContains(t, err, want)
	}
}
