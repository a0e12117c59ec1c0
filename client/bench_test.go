package client

import (
	"fmt"
	"strings"
	"testing"
)

// locations is the body of a node's shard list.
func locations(n int, extra string) []byte {
	var b strings.Builder
	b.WriteString(`{"node_id":1,"shards":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"tenant_shard_id":"%032x-0004","is_observed_secondary":%t,"is_intended_secondary":false%s}`, i, i%2 == 0, extra)
	}
	b.WriteString("]}")
	return []byte(b.String())
}

// tenantList is the body of a list of tenants with four shards each.
func tenantList(n int) []byte {
	var b strings.Builder
	b.WriteByte('[')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"tenant_id":"%032x","shards":[`, i)
		for s := range 4 {
			if s > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `{"tenant_shard_id":"%032x-%02x04","node_attached":1,"node_secondary":[2],"last_error":"","is_reconciling":false,"is_pending_compute_notification":false,"is_splitting":false,"is_importing":false,"scheduling_policy":"Active","preferred_az_id":"az-a"}`, i, s)
		}
		b.WriteString(`],"stripe_size":2048,"policy":{"Attached":1},"config":{}}`)
	}
	b.WriteByte(']')
	return []byte(b.String())
}

func benchmark[T any](b *testing.B, body []byte, decode func([]byte) (T, error)) {
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := decode(body); err != nil {
			b.Fatal(err)
		}
	}
}

// A node of 2 000 locations, polled every 2 s while it drains.
func BenchmarkDecodeNodeShards2000(b *testing.B) {
	benchmark(b, locations(2000, ""), decodeNodeShards)
}

// The same when a newer controller sends a field that we do not know.
func BenchmarkDecodeNodeShards2000Unknown(b *testing.B) {
	benchmark(b, locations(2000, `,"lag":1`), decodeNodeShards)
}

// 2 000 shards of the tenant list, read for a plan.
func BenchmarkDecodeTenants2000(b *testing.B) {
	benchmark(b, tenantList(500), decodeTenants)
}

// The node list of a large cluster, polled every second.
func BenchmarkDecodeNodes500(b *testing.B) {
	nodes := make([]string, 500)
	for i := range nodes {
		nodes[i] = strings.Replace(goodNode, `"id":1`, fmt.Sprintf(`"id":%d`, i+1), 1)
	}
	benchmark(b, []byte("["+strings.Join(nodes, ",")+"]"), decodeNodes)
}
