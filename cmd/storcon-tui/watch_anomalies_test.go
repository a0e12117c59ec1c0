package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/demo/server"
	"github.com/StorconTUI/storcon-tui/engine/release"
)

// scene is a release in which one thing goes wrong, and what a watch makes of it.
type scene struct {
	fault, nodes, period string
	build                string   // that restarted nodes run
	limits               []string // of the watch, beside those of every scene
	kind                 release.Kind
	node                 client.NodeID
	also                 []release.Kind // that may go with it
	exit                 int            // of the watch; -1 = the release does not end

	demo          *server.Server
	watch, script *session
}

var scenes = []*scene{
	{fault: "drain-cancelled", nodes: "1", period: "1s", limits: []string{`quiet = "8s"`}, kind: release.DrainCancelled, node: 1, exit: 13},
	{fault: "restart-while-draining", nodes: "1", period: "1s", kind: release.RestartedDraining, node: 1, exit: 13},
	{
		fault: "pause-after-reattach", nodes: "1", period: "1600ms", kind: release.PausedAfterReattach, node: 1, exit: 13,
		also: []release.Kind{release.RestartedDraining},
	},
	{fault: "two-nodes-out", nodes: "1 2", period: "1s", kind: release.SeveralOut, exit: 13},
	{fault: "long-offline", nodes: "1", period: "700ms", limits: []string{`offline = "2s"`}, kind: release.OfflineLong, node: 1, exit: 13},
	{fault: "no-fill", nodes: "1", period: "1s", limits: []string{`fill_asked = "3s"`}, kind: release.FillNeverAsked, node: 1, exit: 13},
	{fault: "foreign-config-write", nodes: "1", period: "1s", kind: release.ForeignConfigWrite, exit: 13},
	{
		fault: "orphaned-operation", nodes: "1", period: "1s", limits: []string{`stalled = "4s"`}, kind: release.OrphanedOperation, node: 1, exit: -1,
		also: []release.Kind{release.ControllerRestarted, release.ControllerUnreachable},
	},
	{fault: "leave-paused", nodes: "1", period: "1s", limits: []string{`left_over = "3s"`}, kind: release.LeftOver, node: 1, exit: -1},
	{
		fault: "controller-restart", nodes: "1", period: "2s", limits: []string{`unreachable = "1s"`}, kind: release.ControllerRestarted, exit: 13,
		also: []release.Kind{release.ControllerUnreachable},
	},
	{
		fault: "compute-silent", nodes: "1", period: "1s", limits: []string{`unreachable = "3s"`}, kind: release.ComputeUnreachable, exit: 13,
		also: []release.Kind{release.ComputeFailed}, // the demo has one
	},
	{fault: "mixed-builds", nodes: "1", period: "1s", build: "rel-2", limits: []string{`mixed_builds = "3s"`}, kind: release.MixedBuilds, exit: -1},
}

func (s *scene) computes() int {
	if s.kind == release.ComputeUnreachable {
		return 3
	}
	return 0
}

// begin plays the scene before a watch.
func (s *scene) begin(t *testing.T) {
	limits := append([]string{`confirm = "200ms"`}, s.limits...)
	if !strings.Contains(strings.Join(s.limits, "\n"), "quiet") {
		limits = append(limits, `quiet = "4s"`)
	}
	var flags []string
	s.demo, flags = watchable(t, server.Options{Nodes: 3, Tenants: 600, Computes: s.computes(), Seed: 7, Speed: 10}, limits...)
	s.watch = watching(t, flags, "--until-done", "--timeout", "1m")
	args := append([]string{"demo", "drive", "--fault", s.fault, "--period", s.period, "--build", s.build}, strings.Fields(s.nodes)...)
	s.script = converse(t, with(flags, args...)...)
}

// Each thing that goes wrong while another process drives is named by the watch, and
// nothing else is; the watch ends with 13 when its release is over. All scenes are played
// at once, since each is mostly waiting.
func TestWatchNamesEachAnomaly(t *testing.T) {
	t.Parallel()
	for _, s := range scenes {
		s.begin(t)
	}
	for _, s := range scenes {
		t.Run(s.fault, func(t *testing.T) {
			s.watch.t, s.script.t = t, t
			s.watch.hears(`"kind":"` + string(s.kind) + `"`)
			require.Equal(t, 0, s.script.ends(), s.script.errs.String())
			sent := len(changesOf(s.demo))
			if s.exit >= 0 {
				require.Equal(t, s.exit, s.watch.ends(), s.watch.errs.String())
				require.Contains(t, s.watch.errs.String(), "not all was well: ")
				require.Contains(t, s.watch.errs.String(), s.kind.String())
			}
			for _, line := range linesOf(t, s.watch) {
				if line.Event != "anomaly_began" {
					continue
				}
				kind := release.Kind(line.Anomaly.Kind)
				require.True(t, kind == s.kind || slices.Contains(s.also, kind), "%s: %s", kind, line.Anomaly.Text)
				if kind == s.kind {
					require.Equal(t, s.node, line.Node)
					require.NotEmpty(t, line.Anomaly.Text)
				}
			}
			require.Len(t, changesOf(s.demo), sent)
			require.Equal(t, sent, strings.Count(strings.Join(s.script.heard, "\n"), "  PUT ")+
				strings.Count(strings.Join(s.script.heard, "\n"), "  DELETE "), "the watch sends nothing but reads")
		})
	}
}
