package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/demo/server"
)

// besideLimits are those of clusters that are released in seconds.
const besideLimits = "settled = \"3s\"\nquiet = \"3s\"\n"

// watchableFleet is demos beside each other, and a configuration of each alone, with which
// it can be driven, and of all.
func watchableFleet(t *testing.T, clusters int) (demos []*server.Server, alone, flags []string) {
	t.Helper()
	var all []byte
	for i := range clusters {
		demo, config := drivable(t, server.Options{Nodes: 3, Tenants: 60, Computes: -1, Seed: 7, Speed: 10})
		demos, alone = append(demos, demo), append(alone, config)
		name := demoName(i)
		all = fmt.Appendf(all, "[clusters.%s]\nurl = %q\ndemo = true\n[clusters.%s.watch]\n%s", name, demo.ControllerURL(), name, besideLimits)
	}
	config := filepath.Join(t.TempDir(), "fleet.toml")
	require.NoError(t, os.WriteFile(config, all, 0o600))
	return demos, alone, []string{"--config", config, "--state-dir", t.TempDir()}
}

func addToConfig(t *testing.T, flags []string, text string) {
	t.Helper()
	file, err := os.OpenFile(flags[1], os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = file.WriteString(text)
	require.NoError(t, err)
	require.NoError(t, file.Close())
}

// deadURL is where nothing listens.
func deadURL(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return "http://" + l.Addr().String()
}

// Releases of several clusters are told with their names, whatever goes wrong with one of
// them, and nothing but reads is sent.
func TestWatchFleet(t *testing.T) {
	t.Parallel()
	demos, alone, flags := watchableFleet(t, 2)
	watch := converse(t, with(flags, "watch", "--fleet", "-o", "jsonl", "--until-done", "--timeout", "2m")...)
	watch.hears(`"event":"watching"`)
	watch.hears(`"event":"watching"`)
	for i, config := range alone {
		require.Empty(t, changesOf(demos[i]))
		got := execute(t, "demo", "drive", "2", "--period", "1s", "--build", "", "--config", config)
		require.Equal(t, 0, got.code, got.out+got.errors)
	}
	require.Equal(t, 0, watch.ends(), watch.errs.String())
	for i := range demos {
		require.Equal(t, []string{"PUT 2/drain", "PUT 2/fill"}, changesOf(demos[i]), "the script's own")
		var events []string
		for _, text := range watch.heard {
			var line watchLine
			require.NoError(t, json.Unmarshal([]byte(text), &line), text)
			if line.Cluster == demoName(i) {
				events = append(events, line.Event)
			}
		}
		require.Equal(t, "watching", events[0])
		require.Equal(t, "release_ended", events[len(events)-1])
		require.Contains(t, events, "phase_changed")
	}
}

// A cluster that cannot be watched is said, holds no other one up, and is no success.
func TestWatchFleetWithTrouble(t *testing.T) {
	t.Parallel()
	_, _, flags := watchableFleet(t, 1)
	addToConfig(t, flags, fmt.Sprintf("[clusters.dead]\nurl = %q\n[clusters.tokenless]\nurl = %q\ntoken_file = \"/nowhere/token\"\n", deadURL(t), deadURL(t)))
	watch := converse(t, with(flags, "watch", "--fleet", "--timeout", "25s")...) // longer than the dead one is left alone
	require.Equal(t, int(exitWatchTimeout), watch.ends(), watch.errs.String())
	said, errs := strings.Join(watch.heard, "\n"), watch.errs.String()
	require.Regexp(t, `(?m)^\d\d:\d\d:\d\d  region-1   watching region-1 \(DEMO\), 3 nodes: no release goes on$`, said)
	require.Regexp(t, `(?m)^\d\d:\d\d:\d\d  dead       watching dead: its list of nodes was not read yet$`, said)
	require.Regexp(t, `(?m)^\d\d:\d\d:\d\d  dead       ! controller unreachable: the list of nodes cannot be read: .*refused`, said)
	require.Contains(t, errs, "storcon-tui: tokenless is not watched: ")
	require.Contains(t, errs, "/nowhere/token")
	require.Contains(t, errs, "region-1: watched for 25s: no release was seen")
}

// Each of eight clusters is read slowly enough for all to stay within what they may cost, and
// often enough to tell every phase of a node that takes some seconds.
func TestWatchFleetTellsPhases(t *testing.T) {
	t.Parallel()
	_, alone, flags := watchableFleet(t, 1)
	for i := range 7 {
		addToConfig(t, flags, fmt.Sprintf("[clusters.other-%d]\nurl = %q\n", i, deadURL(t)))
	}
	watch := converse(t, with(flags, "watch", "--fleet", "-o", "jsonl", "--timeout", "3m")...)
	watch.hears(`"cluster":"region-1","event":"watching"`)
	got := execute(t, "demo", "drive", "2", "--period", "5s", "--config", alone[0])
	require.Equal(t, 0, got.code, got.out+got.errors)
	watch.hears(`"node":2,"from":"filling","to":"done"`) // the builds are mixed now: the release goes on
	var phases, seen []string
	for _, text := range watch.heard {
		var line watchLine
		require.NoError(t, json.Unmarshal([]byte(text), &line), text)
		if line.Cluster != demoName(0) {
			continue
		}
		require.Nil(t, line.Anomaly, text)
		if line.Node == 2 {
			phases = append(phases, line.To)
		}
		if line.Node == 2 && !line.Inferred {
			seen = append(seen, line.To)
		}
	}
	require.Equal(t, []string{"draining", "drained", "restarting", "warming_up", "back", "filling", "done"}, phases)
	require.Subset(t, seen, []string{"drained", "back"}, "these last for some seconds here")
	require.NoError(t, watch.cmd.Process.Signal(syscall.SIGTERM))
	require.Equal(t, 143, watch.ends(), watch.errs.String())
}

// What goes with no fleet is refused before anything is read.
func TestWatchFleetRefuses(t *testing.T) {
	t.Parallel()
	_, _, flags := watchableFleet(t, 1)
	for _, more := range [][]string{{"--cluster", "region-1"}, {"--url", "http://127.0.0.1:1"}, {"--replay", "own"}} {
		got := execute(t, slices.Concat(flags, []string{"watch", "--fleet"}, more)...)
		require.Equal(t, int(exitUsage), got.code)
		require.Contains(t, got.errors, "--fleet is for")
	}
	got := execute(t, "watch", "--fleet", "--config", filepath.Join(t.TempDir(), "none.toml"))
	require.Equal(t, int(exitUsage), got.code)
}
