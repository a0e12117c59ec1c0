package compute

import (
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/StorconTUI/storcon-tui/client"
)

func located(count, stripe int, shards ...client.Location) client.Locations {
	for i := range shards {
		shards[i].Shard = goodTenant
		if count > 0 {
			shards[i].Shard += client.TenantShardID(fmt.Sprintf("-%02x%02x", i, count))
		}
	}
	return client.Locations{Shards: shards, Count: count, StripeSize: &stripe}
}

func listener(node uint64, host string, port int, grpc ...string) client.Location {
	l := client.Location{Node: client.NodeID(node), PgHost: host, PgPort: port}
	if grpc != nil {
		p := port + 1
		l.GRPCHost, l.GRPCPort = &grpc[0], &p
	}
	return l
}

func TestPageserversAreReadAsComputeCtlReadsThem(t *testing.T) {
	const info = `{"shard_count":0,"shards":{"0000":{"pageservers":[{"id":7,"libpq_url":"postgres://u:p@a:1/x"},{"id":8,"libpq_url":"postgres://b:1"}]}}}`
	one := PageserverInfo{Source: SourceInfo, Shards: []ShardPlace{{Index: "0000", Node: 7, Libpq: "a:1"}}}
	two := PageserverInfo{Source: SourceConnstring, Count: 2, Stripe: 2048, Shards: []ShardPlace{{Index: "0002", Libpq: "c:5432"}, {Index: "0102", Libpq: "[fd00::1]:6"}}}
	set := two
	set.Source = SourceSetting
	settings := `"cluster":{"settings":[{"name":"neon.pageserver_connstring","value":"postgres://c,host=fd00::1 port=6"},{"name":"neon.stripe_size","value":"2048"}]}`
	for text, want := range map[string]PageserverInfo{
		`{"pageserver_connection_info":` + info + `,"pageserver_connstring":"postgres://stale:1",` + settings + `}`:                               one,
		`{"pageserver_connstring":"postgresql://c,postgres://u@[fd00::1]:6?x=1","shard_stripe_size":2048,` + settings + `}`:                       two,
		`{"pageserver_connection_info":null,"pageserver_connstring":null,` + settings + `}`:                                                       set,
		`{"pageserver_connstring":"postgres://c"}`:                                                                                                {Source: SourceConnstring, Shards: []ShardPlace{{Index: "0000", Libpq: "c:5432"}}},
		`{"pageserver_connection_info":{"shard_count":1,"prefer_protocol":"grpc","shards":{"0001":{"pageservers":[{"grpc_url":"grpc://g:1"}]}}}}`: {Source: SourceInfo, Count: 1, GRPC: true, Shards: []ShardPlace{{Index: "0001", GRPC: "g:1"}}},
	} {
		got, ok := spec(t, text).Pageservers()
		require.True(t, ok, text)
		require.Empty(t, cmp.Diff(want, got), text)
	}
	for _, text := range []string{
		`{}`, `{"pageserver_connstring":5}`, `{"pageserver_connstring":"a,b"}`, `{"pageserver_connection_info":{"shard_count":1,"shards":{}}}`,
		`{"pageserver_connection_info":{"shard_count":1,"shards":{"0001":{"pageservers":[{"libpq_url":5}]}}}}`,
		`{"pageserver_connection_info":{"shard_count":1,"shards":{"0001":7}},"pageserver_connstring":"postgres://c"}`,
		`{"pageserver_connection_info":{"shard_count":1,"shards":{"0001":{"pageservers":[]}}}}`,
	} {
		_, ok := spec(t, text).Pageservers()
		require.False(t, ok, text)
	}
}

func TestSamePageservers(t *testing.T) {
	at := func(count int, stripe int64, shards ...ShardPlace) PageserverInfo {
		return PageserverInfo{Count: count, Stripe: stripe, Shards: shards}
	}
	old := at(0, 0, ShardPlace{Libpq: "a:1"})
	old.Source = SourceConnstring
	for name, row := range map[string]struct {
		a, b PageserverInfo
		same bool
	}{
		"by node, whatever its address":    {at(0, 0, ShardPlace{Node: 1, Libpq: "a:1"}), at(0, 0, ShardPlace{Node: 1, Libpq: "10.0.0.1:1"}), true},
		"another node at the address":      {at(0, 0, ShardPlace{Node: 1, Libpq: "a:1"}), at(0, 0, ShardPlace{Node: 2, Libpq: "a:1"}), false},
		"by address":                       {at(0, 0, ShardPlace{Libpq: "A:1"}), at(0, 0, ShardPlace{Node: 2, Libpq: "a:1"}), true},
		"another address":                  {at(0, 0, ShardPlace{Libpq: "a:1"}), at(0, 0, ShardPlace{Node: 2, Libpq: "a:2"}), false},
		"by gRPC alone":                    {at(0, 0, ShardPlace{GRPC: "a:1"}), at(0, 0, ShardPlace{Libpq: "a:2", GRPC: "a:1"}), true},
		"nothing to compare":               {at(0, 0, ShardPlace{GRPC: "a:1"}), at(0, 0, ShardPlace{Libpq: "a:1"}), false},
		"split since":                      {at(0, 0, ShardPlace{Node: 1}), at(1, 0, ShardPlace{Node: 1}), false},
		"the old form cannot tell":         {old, at(1, 2048, ShardPlace{Node: 1, Libpq: "a:1"}), true},
		"the old form of more shards":      {old, at(2, 2048, ShardPlace{Node: 1, Libpq: "a:1"}, ShardPlace{Node: 1, Libpq: "a:1"}), false},
		"another stripe":                   {at(2, 1, ShardPlace{Node: 1}, ShardPlace{Node: 1}), at(2, 2, ShardPlace{Node: 1}, ShardPlace{Node: 1}), false},
		"the stripe of one does not count": {at(0, 0, ShardPlace{Node: 1}), at(0, 2048, ShardPlace{Node: 1}), true},
		"one of two moved":                 {at(2, 1, ShardPlace{Node: 1}, ShardPlace{Node: 1}), at(2, 1, ShardPlace{Node: 1}, ShardPlace{Node: 2}), false},
	} {
		require.Equal(t, row.same, row.a.Same(row.b), name)
		require.Equal(t, row.same, row.b.Same(row.a), name)
	}
}

func TestRepointChangesThePageserversAlone(t *testing.T) {
	before := spec(t, goodSpec)
	now := located(2, 4096, listener(3, "ps-3", 6400), listener(4, "fd00::4", 6400, "ps-4"))
	after, err := before.Repoint(now)
	require.NoError(t, err)
	require.Empty(t, after.Validate(goodIdentity))
	require.Empty(t, before.Diff(spec(t, goodSpec)), "the spec itself was changed")
	const shards = "pageserver_connection_info.shards."
	want := []Change{
		{Path: shards + "0002.pageservers[0].id", Old: "1", New: "3"},
		{Path: shards + "0002.pageservers[0].libpq_url", Old: `"postgres://no_user@ps-1:6400"`, New: `"postgres://no_user@ps-3:6400"`},
		{Path: shards + "0102.pageservers[0].grpc_url", Old: `"grpc://no_user@ps-2:51051"`, New: `"grpc://no_user@ps-4:6401"`},
		{Path: shards + "0102.pageservers[0].id", Old: "2", New: "4"},
		{Path: shards + "0102.pageservers[0].libpq_url", Old: `"postgresql://u:(secret)@[fd00::2]:6400/?x=1"`, New: `"postgres://no_user@[fd00::4]:6400"`, Secret: true},
		{Path: "pageserver_connection_info.stripe_size", Old: "2048", New: "4096"},
		{Path: "pageserver_connstring", Old: `"postgres://no_user@stale:6400"`, New: `"postgres://no_user@ps-3:6400,postgres://no_user@[fd00::4]:6400"`},
		{Path: "shard_stripe_size", Old: "2048", New: "4096"},
	}
	require.Empty(t, cmp.Diff(want, before.Diff(after)))
}

// What neon_local makes of a spec that it wrote (contract B.12).
func TestRepointIsNeonLocals(t *testing.T) {
	before := spec(t, `{"pageserver_connection_info":{"shard_count":0,"stripe_size":null,"shards":{"0000":{"pageservers":[
		{"id":1,"libpq_url":"postgres://no_user@127.0.0.1:64000","grpc_url":null}]}},"prefer_protocol":"libpq"},"shard_stripe_size":null,"mode":"Primary"}`)
	after, err := before.Repoint(located(0, 2048, listener(2, "127.0.0.1", 64001)))
	require.NoError(t, err)
	got, err := after.JSON()
	require.NoError(t, err)
	require.JSONEq(t, `{"pageserver_connection_info":{"shard_count":0,"stripe_size":null,"shards":{"0000":{"pageservers":[
		{"id":2,"libpq_url":"postgres://no_user@127.0.0.1:64001","grpc_url":null}]}},"prefer_protocol":"libpq"},"shard_stripe_size":null,"mode":"Primary"}`, string(got))
}

func TestRepointOldForms(t *testing.T) {
	now := located(2, 2048, listener(3, "c", 1), listener(4, "d", 2))
	for before, want := range map[string]string{
		`{"pageserver_connstring":"postgres://me:pw@a:1/?x=1"}`: `"pageserver_connstring":"postgres://me:pw@c:1/?x=1,postgres://me:pw@d:2/?x=1"`,
		`{"pageserver_connstring":"host=a port='5'"}`:           `"pageserver_connstring":"postgres://no_user@c:1,postgres://no_user@d:2"`,
		`{"cluster":{"settings":[{"name":"x","value":"1"},{"name":"neon.pageserver_connstring","value":"postgres://a"},{"name":"neon.stripe_size","value":""}]}}`: `{"settings":[{"name":"x","value":"1"},` +
			`{"name":"neon.pageserver_connstring","value":"postgres://c:1,postgres://d:2"},{"name":"neon.stripe_size","value":"2048"}]}`,
	} {
		after, err := spec(t, before).Repoint(now)
		require.NoError(t, err, before)
		text, err := after.JSON()
		require.NoError(t, err)
		require.Contains(t, string(text), want)
		found, ok := after.Pageservers()
		require.True(t, ok)
		require.Equal(t, SourceInfo, found.Source)
	}
}

// A spec that is right already stays as it is, whatever it leaves out.
func TestRepointLeavesWhatIsRight(t *testing.T) {
	grpc := 51051
	second := listener(2, "FD00::2", 6400, "ps-2")
	second.GRPCPort = &grpc
	for _, row := range []struct {
		spec Spec
		now  client.Locations
	}{
		{spec(t, goodSpec).Patch(spec(t, `{"pageserver_connstring":null}`)), located(2, 2048, listener(1, "ps-1", 6400), second)},
		{spec(t, `{"pageserver_connection_info":{"shard_count":0,"shards":{"0000":{"pageservers":[{"libpq_url":"postgres://a:1","id":5}],"x":1}}}}`), located(0, 2048, listener(5, "a", 1))},
	} {
		after, err := row.spec.Repoint(row.now)
		require.NoError(t, err)
		require.Empty(t, row.spec.Diff(after))
	}
}

// A tenant that was split since has a stripe size, in each place where one may stand.
func TestRepointAfterASplit(t *testing.T) {
	after, err := spec(t, `{"pageserver_connection_info":{"shard_count":0,"stripe_size":null,"shards":{"0000":{"pageservers":[{"libpq_url":"postgres://a:1"}]}}},"shard_stripe_size":null}`).
		Repoint(located(2, 2048, listener(1, "a", 1), listener(2, "b", 1)))
	require.NoError(t, err)
	got, err := after.JSON()
	require.NoError(t, err)
	require.JSONEq(t, `{"pageserver_connection_info":{"shard_count":2,"stripe_size":2048,"shards":{
		"0002":{"pageservers":[{"id":1,"libpq_url":"postgres://a:1","grpc_url":null}]},"0102":{"pageservers":[{"id":2,"libpq_url":"postgres://b:1","grpc_url":null}]}}},
		"shard_stripe_size":2048}`, string(got))
}

func TestRepointRefuses(t *testing.T) {
	good := located(2, 2048, listener(1, "a", 1), listener(2, "b", 1))
	for want, row := range map[string]struct {
		patch string
		now   client.Locations
	}{
		"re-point: the controller's answer has no pageserver for shard 0102":                           {`{}`, located(2, 2048, listener(1, "a", 1))},
		"re-point: the controller's answer has no pageserver for shard 0000":                           {`{}`, located(0, 2048)},
		"re-point: the controller's answer has no stripe size for 2 shards":                            {`{}`, client.Locations{Count: 2, Shards: good.Shards}},
		"re-point: the controller's answer for shard " + goodTenant + "-0002 is not of a tenant":       {`{}`, client.Locations{Count: 4, Shards: good.Shards}},
		"re-point: the controller's answer for shard " + goodTenant + " is not of a tenant":            {`{}`, client.Locations{Count: 4, Shards: []client.Location{{Shard: goodTenant}}}},
		"re-point: the controller's answer for shard " + goodTenant + "-z is not of a tenant":          {`{}`, client.Locations{Count: 4, Shards: []client.Location{{Shard: goodTenant + "-z"}}}},
		"re-point: the spec prefers gRPC, and the pageserver of shard 0002 has no gRPC address":        {`{"pageserver_connection_info":{"prefer_protocol":"grpc"}}`, good},
		"re-point: a pageserver's connection string is no URL and has more than host and port: write ": {`{"pageserver_connection_info":null,"pageserver_connstring":"host=a password=MARK"}`, good},
	} {
		_, err := spec(t, goodSpec).Patch(spec(t, row.patch)).Repoint(row.now)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "MARK")
	}
}

// A re-pointed spec says what the controller said, is good where it was, and is not
// changed by being re-pointed again.
func TestRepointedSaysWhatTheControllerSaid(t *testing.T) {
	forms := []string{
		`{}`, `{"pageserver_connection_info":{"shards":{"0102":{"pageservers":[]}}}}`, `{"pageserver_connection_info":null}`,
		`{"pageserver_connection_info":null,"pageserver_connstring":null}`,
		`{"pageserver_connection_info":{"prefer_protocol":"grpc"}}`,
	}
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.SampledFrom([]int{0, 1, 2, 8, 255}).Draw(t, "count")
		var shards []client.Location
		for range max(1, count) {
			host := rapid.StringMatching(`ps-[0-9]{1,3}|fd00::[0-9]{1,4}`).Draw(t, "host")
			shards = append(shards, listener(rapid.Uint64Range(1, 1<<63).Draw(t, "node"), host, rapid.IntRange(1, 65534).Draw(t, "port"), host))
		}
		now := located(count, rapid.IntRange(1, 1<<31).Draw(t, "stripe"), shards...)
		before := spec(t, goodSpec).Patch(spec(t, rapid.SampledFrom(forms).Draw(t, "form")))
		after, err := before.Repoint(now)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Located(now)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := after.Pageservers()
		if faults := after.Validate(goodIdentity); !ok || !got.Same(want) || len(faults) > 0 {
			t.Fatalf("got %+v, %v, %v, want %+v", got, ok, faults, want)
		}
		for i, shard := range got.Shards {
			if shard.Libpq != net.JoinHostPort(shards[i].PgHost, strconv.Itoa(shards[i].PgPort)) || shard.Node != uint64(shards[i].Node) {
				t.Fatalf("%+v is not %+v", shard, shards[i])
			}
		}
		again, err := after.Repoint(now)
		if changes := after.Diff(again); err != nil || changes != nil {
			t.Fatalf("%v, %v", changes, err)
		}
	})
}

func TestRestartNeeded(t *testing.T) {
	for name, row := range map[string]struct {
		patch string
		want  string
	}{
		"one changed":     {`{"cluster":{"settings":[{"name":"max_connections","value":"50","vartype":"integer"}]}}`, "max_connections"},
		"a type changed":  {`{"cluster":{"settings":[{"name":"max_connections","value":"100","vartype":"string"}]}}`, ""},
		"one removed":     {`{"cluster":{"settings":[]}}`, "max_connections"},
		"all removed":     {`{"cluster":{"settings":null}}`, "max_connections"},
		"some added":      {`{"cluster":{"settings":[{"name":"max_connections","value":"100","vartype":"integer"},{"name":"Shared_Buffers","value":"1","vartype":"integer"},{"name":"work_mem","value":"1MB","vartype":"string"}]}}`, "shared_buffers"},
		"in the file":     {`{"cluster":{"postgresql_conf":"# max_connections = 1\nPORT 5432\nwork_mem = 1MB\nmax_connections = 7\r\nfsync=off\n"}}`, "max_connections port"},
		"the file's end":  {`{"cluster":{"postgresql_conf":null}}`, "max_connections"},
		"nothing of that": {`{"cluster":{"postgresql_conf":" max_connections=100\nwork_mem = 1"},"mode":"Replica"}`, ""},
		"the whole":       {`{"cluster":null}`, "max_connections"},
	} {
		base := spec(t, goodSpec).Patch(spec(t, `{"cluster":{"settings":[{"name":"max_connections","value":"100","vartype":"integer"}]}}`))
		got := strings.Join(RestartNeeded(base.Diff(base.Patch(spec(t, row.patch)))), " ")
		require.Equal(t, row.want, got, name)
	}
}
