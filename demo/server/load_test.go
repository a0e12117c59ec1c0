package server

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A cluster of 100 000 shards starts, lists and drains.
func TestHundredThousandShards(t *testing.T) {
	g := start(t, Options{Nodes: 80, Tenants: 80_000, Seed: 2, Speed: 20, LocationDelay: 200 * time.Millisecond, AllMovable: true})
	require.Equal(t, http.StatusAccepted, g.do("PUT", "/control/v1/node/7/drain", "").status)
	require.Equal(t, http.StatusOK, g.do("GET", "/control/v1/tenant?limit=1000", "").status)
	require.Greater(t, g.held("7")["AS"], 0)
	g.untilState(7, "Active/PauseForRestart")
	require.Zero(t, g.held("7")["AA"])
}

func BenchmarkDefaultCluster(b *testing.B) {
	s, err := Start(b.Context(), Options{Seed: 1})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, s.Close()) })
	for path, name := range map[string]string{
		"/control/v1/node": "nodes", "/control/v1/node/1/shards": "shards", "/metrics": "metrics",
		"/control/v1/tenant?limit=500": "tenants",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				resp, err := http.Get(s.ControllerURL() + path)
				if err != nil || resp.Body.Close() != nil || resp.StatusCode != http.StatusOK {
					b.Fatal(path, err)
				}
			}
		})
	}
	http.DefaultClient.CloseIdleConnections()
}
