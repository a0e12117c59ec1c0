package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/demo/server"
	"github.com/StorconTUI/storcon-tui/engine/release"
)

// watchable is a drivable demo, without computes unless some are asked for, whose
// configuration has these limits.
func watchable(t *testing.T, o server.Options, limits ...string) (demo *server.Server, flags []string) {
	t.Helper()
	if o.Computes == 0 {
		o.Computes = -1
	}
	demo, config := drivable(t, o)
	text, err := os.ReadFile(config)
	require.NoError(t, err)
	text = fmt.Appendf(text, "\n[clusters.demo.watch]\n%s\n", strings.Join(limits, "\n"))
	require.NoError(t, os.WriteFile(config, text, 0o600))
	return demo, []string{"--config", config, "--state-dir", t.TempDir()}
}

func with(flags []string, args ...string) []string {
	return append(append([]string{}, flags...), args...)
}

// watching begins to watch in JSON and waits for the first line.
func watching(t *testing.T, flags []string, args ...string) *session {
	t.Helper()
	s := converse(t, with(flags, append([]string{"watch", "-o", "jsonl"}, args...)...)...)
	s.hears(`"event":"` + watchBegun + `"`)
	return s
}

// linesOf are what a watch has printed.
func linesOf(t *testing.T, s *session) []watchLine {
	t.Helper()
	lines := make([]watchLine, len(s.heard))
	for i, text := range s.heard {
		require.NoError(t, json.Unmarshal([]byte(text), &lines[i]), text)
		require.Equal(t, watchVersion, lines[i].Version)
		require.Equal(t, "demo", lines[i].Cluster)
	}
	return lines
}

// drives runs the script to its end.
func drives(t *testing.T, flags []string, args ...string) {
	t.Helper()
	got := execute(t, with(flags, append([]string{"demo", "drive"}, args...)...)...)
	require.Equal(t, 0, got.code, got.out+got.errors)
}

// stay is a time that a node spent in a phase.
type stay struct {
	phase    string
	from, to time.Time
}

func (s stay) String() string {
	const clock = "05.000"
	return fmt.Sprintf("%s %s-%s", s.phase, s.from.UTC().Format(clock), s.to.UTC().Format(clock))
}

// stays are those of a node that the lines tell of.
func stays(lines []watchLine, id client.NodeID) []stay {
	var all []stay
	for _, l := range lines {
		if l.Event != "phase_changed" || l.Node != id {
			continue
		}
		if n := len(all); n > 0 {
			all[n-1].to = l.At
		}
		all = append(all, stay{phase: l.To, from: l.At})
	}
	return all
}

// truths are the times that a node really spent in each phase, for those that can
// be told from one look at the controller.
func (h *passage) truths(id client.NodeID) []stay {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []stay
	back := "waiting"
	for i, state := range h.states[id] {
		phase := map[string]string{draining: "draining", drained: "drained", warming: "warming_up", "Active/Filling": "filling"}[state]
		switch {
		case state == settled:
			phase = back
		case phase == "warming_up":
			back = "back"
		case phase == "filling":
			back = "done"
		}
		if n := len(all); n > 0 {
			all[n-1].to = h.since[id][i]
		}
		all = append(all, stay{phase: phase, from: h.since[id][i]})
	}
	return all
}

// A release that another process drives: every phase of at least two seconds is told, when
// it was, and nothing but reads is sent beside the script's own calls. With the release
// the watch ends, with 0.
func TestWatchAttributesEveryPhase(t *testing.T) {
	t.Parallel()
	demo, flags := watchable(t, server.Options{Nodes: 3, Tenants: 90, Seed: 7, Speed: 4}, `settled = "3s"`, `quiet = "3s"`)
	truth := keepHistory(t, demo)
	watch := watching(t, flags, "--until-done", "--timeout", "1m")
	require.Empty(t, changesOf(demo))
	drives(t, flags, "2", "--period", "2s", "--build", "")
	require.Equal(t, 0, watch.ends(), watch.errs.String())
	require.Equal(t, []string{"PUT 2/drain", "PUT 2/fill"}, changesOf(demo), "the script's own")

	lines := linesOf(t, watch)
	told := stays(lines, 2)
	checked := map[string]bool{}
	const late = 2 * time.Second // a poll, and its answer on a busy machine
	for _, want := range truth.truths(2) {
		if want.phase == "waiting" || !want.to.IsZero() && want.to.Sub(want.from) < 2*time.Second {
			continue
		}
		found := false
		for _, got := range told {
			began := got.phase == want.phase && got.from.Sub(want.from).Abs() < late
			ended := want.to.IsZero() && got.to.IsZero() || got.to.Sub(want.to).Abs() < late
			found = found || began && ended
		}
		require.True(t, found, "%s is not among %s", want, told)
		checked[want.phase] = true
	}
	for _, phase := range []string{"draining", "drained", "back", "done"} {
		require.True(t, checked[phase], "%s was too short to be looked for: %v", phase, truth.truths(2))
	}
	require.Empty(t, stays(lines, 1))
	require.Equal(t, "release_started", lines[1].Event)
	end := lines[len(lines)-1]
	require.Equal(t, "release_ended", end.Event)
	require.NotNil(t, end.Release.Ended)
	require.Zero(t, end.Release.Anomalies)
}

// A watch that comes in the middle tells where the nodes are, and ends with the release.
func TestWatchAttachedInTheMiddle(t *testing.T) {
	t.Parallel()
	demo, flags := watchable(t, server.Options{Nodes: 2, Tenants: 60, Computes: 3, Seed: 7, Speed: 10}, `settled = "2s"`)
	script := converse(t, with(flags, "demo", "drive", "1", "2", "--period", "1s")...)
	script.hears("node 1  done")
	script.hears("node 2  drained")
	watch := watching(t, flags, "--until-done", "--timeout", "1m")
	text := converse(t, with(flags, "watch", "--until-done", "--timeout", "1m")...)
	require.Contains(t, text.hears("watching"), "watching demo (DEMO), 2 nodes: a release goes on")
	require.Equal(t, 0, script.ends())
	require.Equal(t, 0, watch.ends(), watch.errs.String())
	require.Equal(t, 0, text.ends(), text.errs.String())

	lines := linesOf(t, watch)
	require.True(t, lines[0].Release.Joined)
	require.Len(t, lines[0].Nodes, 2)
	require.Contains(t, []string{"drained", "restarting"}, lines[0].Nodes[1].Phase)
	end := lines[len(lines)-1]
	require.Equal(t, "release_ended", end.Event)
	require.Equal(t, 2, end.Release.Done)
	require.Equal(t, 1, end.Release.Anomalies, "a compute that had failed before is told, and is not the release's fault")
	require.Equal(t, []string{"PUT 1/drain", "PUT 1/fill", "PUT 2/drain", "PUT 2/fill"}, changesOf(demo))

	require.Contains(t, text.heard[len(text.heard)-1], ": 2 of 2 nodes done, ")
	require.Contains(t, strings.Join(text.heard, "\n"), "node 2  done")
}

// A watch that nothing comes of ends after its time, with 12; one that a signal ends with
// the signal's code. Neither prints anything per poll, nor sends anything but reads.
func TestWatchOfAClusterAtRest(t *testing.T) {
	t.Parallel()
	demo, flags := watchable(t, server.Options{Nodes: 2, Tenants: 10, Seed: 7})
	patient := watching(t, flags)
	got := execute(t, with(flags, "watch", "--until-done", "--timeout", "3s")...)
	require.Equal(t, 12, got.code, got.errors)
	require.Equal(t, 1, strings.Count(got.out, "\n"), got.out)
	require.Contains(t, got.out, "watching demo (DEMO), 2 nodes: no release goes on")
	require.Contains(t, got.errors, "watched for 3s: no release was seen")
	require.NoError(t, patient.cmd.Process.Signal(syscall.SIGINT))
	require.Equal(t, 130, patient.ends())
	require.Len(t, patient.heard, 1)
	require.Empty(t, changesOf(demo))

	execute(t, with(flags, "watch", "-o", "json")...).refusesWith(t, 2, "expected text or jsonl")
	execute(t, with(flags, "watch", "--timeout", "-1s")...).refusesWith(t, 2, "--timeout")
	execute(t, "watch", "--url", "http://127.0.0.1:1").refusesWith(t, 9, "http://127.0.0.1:1")
}

// docs/json.md names every event, phase and kind of anomaly.
func TestWatchWordsAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/json.md")
	require.NoError(t, err)
	words := []string{
		watchBegun, string(release.ReleaseStarted), string(release.ReleaseEnded), string(release.PhaseChanged),
		string(release.AnomalyBegan), string(release.AnomalyEnded), string(release.NodeAppeared), string(release.NodeVanished),
		string(release.Waiting), string(release.Draining), string(release.Drained), string(release.Restarting),
		string(release.WarmingUp), string(release.Back), string(release.Filling), string(release.Done), string(release.Anomalous),
	}
	for _, kind := range release.Kinds() {
		words = append(words, string(kind))
	}
	for _, word := range words {
		require.Contains(t, string(text), "`"+word+"`")
	}
}
