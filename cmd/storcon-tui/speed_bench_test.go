package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/demo/server"
)

// The figures of docs/speed.md that only a whole program has: its size, how
// soon it shows something, how fast it answers a key and what watching costs.
// The program is built as make build does and runs in a pseudo-terminal of
// 200x50; the cluster is a demo in this process, on loopback.

const (
	fleetNodes   = 500
	fleetTenants = 2000
	crowdNodes   = 4
	crowdTenants = 100_000

	warmTime = 20 * time.Second // the start is over by then
	idleTime = 10 * time.Second
	humanGap = 150 * time.Millisecond // between two keys; the console takes no faster ones
	keys     = 40

	arrowDown = "\x1b[B"
	arrowUp   = "\x1b[A"
)

var (
	anything  = regexp.MustCompile(`storcon-tui`)
	nodeRow   = regexp.MustCompile(`127\.0\.0\.1:\d+ +az-[a-z] +Active`)
	shardRow  = regexp.MustCompile(`attached +attached`)
	cursorRow = regexp.MustCompile(`>`)
)

func BenchmarkProgram(b *testing.B) {
	p := buildProgram(b)
	fleet := fakeCluster(b, server.Options{Nodes: fleetNodes, AZs: 3, Tenants: fleetTenants, Computes: -1, Seed: 1})

	b.Run("version", func(b *testing.B) {
		var took []time.Duration
		for b.Loop() {
			began := time.Now()
			require.NoError(b, exec.Command(p, "version").Run())
			took = append(took, time.Since(began))
		}
		reportMillis(b, took, "ms-median", 50)
		info, err := os.Stat(p)
		require.NoError(b, err)
		b.ReportMetric(float64(info.Size())/1e6, "MB-binary")
	})

	b.Run("start", func(b *testing.B) { benchStart(b, p, fleet, true) })
	b.Run("start-mute", func(b *testing.B) { benchStart(b, p, fleet, false) })
	b.Run("key", func(b *testing.B) {
		for b.Loop() {
			c := openBenched(b, true, p, "--url", fleet)
			c.await(nodeRow)
			benchKeys(b, c)
			c.close()
		}
	})
	b.Run("idle", func(b *testing.B) { benchIdle(b, p, fleet) })
}

// BenchmarkCrowd answers keys on the page of a node with 62 000 of a cluster's
// 250 000 shard locations, while they are listed and sorted again and again.
func BenchmarkCrowd(b *testing.B) {
	p := buildProgram(b)
	crowd := fakeCluster(b, server.Options{Nodes: crowdNodes, AZs: 2, Tenants: crowdTenants, Computes: -1, Seed: 1})
	b.Run("key", func(b *testing.B) {
		for b.Loop() {
			c := openBenched(b, true, p, "--url", crowd)
			c.await(nodeRow)
			c.press("\r")
			c.await(shardRow)
			benchKeys(b, c)
			c.close()
		}
	})
}

// buildProgram builds what make build does.
func buildProgram(b *testing.B) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "storcon-tui")
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", path, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	said, err := build.CombinedOutput()
	require.NoError(b, err, "%s", said)
	return path
}

func fakeCluster(b *testing.B, o server.Options) (url string) {
	b.Helper()
	s, err := server.Start(b.Context(), o)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, s.Close()) })
	return s.ControllerURL()
}

// benchStart measures from the start of the process to the first text and to
// the first rows of data.
func benchStart(b *testing.B, program, url string, answers bool) {
	var paint, rows []time.Duration
	for b.Loop() {
		c := openBenched(b, answers, program, "--url", url)
		paint = append(paint, c.await(anything).Sub(c.began))
		rows = append(rows, c.await(nodeRow).Sub(c.began))
		c.close()
	}
	reportMillis(b, paint, "ms-paint-median", 50)
	reportMillis(b, paint, "ms-paint-p95", 95)
	reportMillis(b, rows, "ms-rows-median", 50)
	reportMillis(b, rows, "ms-rows-p95", 95)
}

// benchKeys moves the cursor down and up and measures until that is seen.
func benchKeys(b *testing.B, c *consoleProcess) {
	var took []time.Duration
	for i := range keys {
		time.Sleep(humanGap) // what is simulated is a person
		c.forget()
		pressed := c.press([]string{arrowDown, arrowUp}[i%2])
		took = append(took, c.await(cursorRow).Sub(pressed))
	}
	reportMillis(b, took, "ms-median", 50)
	reportMillis(b, took, "ms-p95", 95)
}

// benchIdle measures what watching costs while nothing happens.
func benchIdle(b *testing.B, program, url string) {
	for b.Loop() {
		c := openBenched(b, true, program, "--url", url)
		c.await(nodeRow)
		time.Sleep(warmTime) // what is measured is a stretch of time
		cpu, written := c.processorTime(), c.written()
		began := time.Now()
		time.Sleep(idleTime)
		used := c.processorTime() - cpu
		b.ReportMetric(100*used.Seconds()/time.Since(began).Seconds(), "%CPU")
		b.ReportMetric(float64(c.written()-written)/idleTime.Seconds(), "bytes/s")
		b.ReportMetric(c.memoryMB("VmRSS:"), "MB-resident")
		b.ReportMetric(c.memoryMB("RssAnon:"), "MB-own") // without the pages of the binary
		c.close()
	}
}

// reportMillis reports a percentile of what was measured.
func reportMillis(b *testing.B, took []time.Duration, unit string, percent int) {
	b.Helper()
	sorted := slices.Sorted(slices.Values(took))
	at := sorted[(len(sorted)-1)*percent/100]
	b.ReportMetric(float64(at.Microseconds())/1000, unit)
}

// answerQueries says what a dark terminal says to the queries in a chunk of
// output.
func answerQueries(chunk []byte, terminal io.Writer) {
	for query, answer := range map[string]string{
		"\x1b]11;?": "\x1b]11;rgb:1414/1414/1414\x1b\\",
		"\x1b[6n":   "\x1b[1;1R",
		"\x1b[c":    "\x1b[?62;22c",
	} {
		if bytes.Contains(chunk, []byte(query)) {
			_, _ = io.WriteString(terminal, answer) // a closed terminal has nobody who waits for it
		}
	}
}
