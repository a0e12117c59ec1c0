package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/demo/server"
)

// What watching many clusters at once may cost, and for how long it is looked at.
const (
	besides      = 8
	besideNodes  = 50
	besideFor    = 40 * time.Second
	besideWarmUp = 90 * time.Second // the pageservers, which were all asked at the start, are asked again one by one
)

// BenchmarkFleet watches eight clusters of 50 nodes at once, as lines and on the screen: while
// nothing happens, and while a node is restarted in each of them.
func BenchmarkFleet(b *testing.B) {
	p := buildProgram(b)
	b.Run("lines", func(b *testing.B) { benchFleet(b, p, "-o", "jsonl") })
	b.Run("screen", func(b *testing.B) { benchFleet(b, p) })
}

func benchFleet(b *testing.B, program string, flags ...string) {
	demos, config := fleetOf(b, besides, server.Options{Nodes: besideNodes, AZs: 3, Tenants: 4000, Computes: -1, Seed: 1})
	for b.Loop() {
		c := openBenched(b, true, program, append([]string{"watch", "--fleet", "--config", config}, flags...)...)
		for i := range demos {
			c.await(regexp.MustCompile(regexp.QuoteMeta(demoName(i))))
		}
		time.Sleep(besideWarmUp) // what is measured is a stretch of time
		measure := func(how string, meanwhile func() (asked int64)) {
			asked, cpu, began := requestsOf(demos), c.processorTime(), time.Now()
			others := meanwhile()
			time.Sleep(besideFor - time.Since(began))
			took := time.Since(began).Seconds()
			b.ReportMetric(100*(c.processorTime()-cpu).Seconds()/took, "%CPU-"+how)
			b.ReportMetric(float64(requestsOf(demos)-asked-others)/took, "requests/s-"+how)
		}
		measure("idle", func() int64 { return 0 })
		measure("releasing", func() int64 { return restartOneOfEach(b, demos) })
		b.ReportMetric(c.memoryMB("VmRSS:"), "MB-resident")
		c.close()
	}
}

func demoName(i int) string { return fmt.Sprintf("region-%d", i+1) }

// fleetOf is so many demos in this process, and a configuration of all of them.
func fleetOf(t testing.TB, clusters int, o server.Options) (demos []*server.Server, config string) {
	t.Helper()
	var text strings.Builder
	for i := range clusters {
		s, err := server.Start(t.Context(), o)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		demos = append(demos, s)
		o.Seed++
		fmt.Fprintf(&text, "[clusters.%s]\nurl = %q\ndemo = true\n", demoName(i), s.ControllerURL())
	}
	config = filepath.Join(t.TempDir(), "fleet.toml")
	require.NoError(t, os.WriteFile(config, []byte(text.String()), 0o600))
	return demos, config
}

func requestsOf(demos []*server.Server) (all int64) {
	for _, d := range demos {
		all += d.Requests()
	}
	return all
}

// restartOneOfEach drains, restarts and fills node 1 of each cluster within besideFor, and
// counts what that asks for.
func restartOneOfEach(b *testing.B, demos []*server.Server) int64 {
	var (
		working sync.WaitGroup
		asked   atomic.Int64
	)
	for _, d := range demos {
		working.Go(func() {
			c, err := client.New(client.Config{
				BaseURL: d.ControllerURL(), ReadRetries: -1, OnCall: func(client.Call) { asked.Add(1) },
			})
			if !assert.NoError(b, err) {
				return
			}
			defer c.CloseIdle()
			assert.NoError(b, c.StartDrain(b.Context(), 1))
			time.Sleep(besideFor / 2) // the drain takes less
			assert.NoError(b, d.RestartNode(b.Context(), 1, 5*time.Second, "rel-2"))
			assert.Eventually(b, func() bool { return c.StartFill(b.Context(), 1) == nil }, besideFor/4, time.Second, "it is Active again")
		})
	}
	working.Wait()
	return asked.Load()
}
