package release

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
)

// TestWays: the phases of node 1 of 3, as they are read out of what was seen.
func TestWays(t *testing.T) {
	for _, row := range []struct {
		name string
		play func(*scene)
		want string
	}{
		{
			"everything seen",
			func(s *scene) { s.restartsNode(1, 5, "b2") },
			"draining 5 | drained 25 | restarting 30 | warming_up 40 | back 42 | filling 45 | done 65",
		},
		{
			"the drain was too short to be seen",
			func(s *scene) {
				s.at(5, drained(1), called("drain", 1))
				s.at(10, reattaches(1))
			},
			"~draining 4 | drained 5 | ~restarting 9 | warming_up 10",
		},
		{
			"the process was never seen away",
			func(s *scene) {
				s.at(5, drains(1))
				s.at(10, drained(1))
				s.at(20, reattaches(1), launch(1, 19, "b1"))
				s.at(22, up(1))
			},
			"draining 5 | drained 10 | ~restarting 19 | warming_up 20 | back 22",
		},
		{
			"the warm-up was not seen, its launch time comes later",
			func(s *scene) {
				s.at(5, drains(1))
				s.at(10, drained(1), attached(1, 0))
				s.at(20, active(1))
				s.at(30, launch(1, 19, "b1"))
				s.until(60)
			},
			"draining 5 | drained 10 | ~restarting 19 | ~warming_up 19.5 | back 20",
		},
		{
			"the warm-up was not seen, and there are no launch times",
			func(s *scene) {
				s.at(0, unknownProcesses)
				s.at(5, drains(1))
				s.at(10, drained(1), attached(1, 0))
				s.at(20, active(1))
				s.until(60)
			},
			"draining 5 | drained 10 | ~restarting 19 | ~warming_up 19.5 | back 20",
		},
		{
			"the launch time comes before the re-attach is seen",
			func(s *scene) {
				s.at(5, drains(1))
				s.at(10, drained(1))
				s.at(20, launch(1, 19, "b2"))
				s.at(21, reattaches(1))
				s.at(25, up(1))
			},
			"draining 5 | drained 10 | restarting 20 | warming_up 21 | back 25",
		},
		{
			"offline between drain and re-attach",
			func(s *scene) {
				s.at(5, drains(1))
				s.at(10, drained(1))
				s.at(40, offline(1))
				s.at(50, reattaches(1))
				s.at(52, up(1))
			},
			"draining 5 | drained 10 | restarting 40 | warming_up 50 | back 52",
		},
		{
			"the fill was too short to be seen",
			func(s *scene) {
				s.at(0)
				s.at(5, drains(1), called("drain", 1))
				s.at(10, drained(1))
				s.at(15, reattaches(1))
				s.at(17, up(1), launch(1, 14, "b2"))
				s.at(22, called("fill", 1))
				s.until(40)
			},
			"draining 5 | drained 10 | ~restarting 14 | warming_up 15 | back 17 | ~filling 21 | ~done 22",
		},
		{
			"the call of a fill is counted before the fill is listed, and once",
			func(s *scene) {
				s.at(0)
				s.at(5, drains(1))
				s.at(10, drained(1))
				s.at(15, reattaches(1))
				s.at(17, up(1), launch(1, 14, "b2"))
				s.at(22, called("fill", 1))
				s.at(23, fills(1))
				s.at(43, active(1))
				s.until(60)
			},
			"draining 5 | drained 10 | ~restarting 14 | warming_up 15 | back 17 | filling 23 | done 43",
		},
		{
			"the call of a fill is counted after the fill was over",
			func(s *scene) {
				s.at(0)
				s.at(5, drains(1))
				s.at(10, drained(1))
				s.at(15, reattaches(1))
				s.at(17, up(1), launch(1, 14, "b2"))
				s.at(22, fills(1))
				s.at(23, active(1))
				s.at(26, called("fill", 1))
				s.until(60)
			},
			"draining 5 | drained 10 | ~restarting 14 | warming_up 15 | back 17 | filling 22 | done 23",
		},
		{
			"no counters: the shards come back faster than the optimiser moves them",
			func(s *scene) {
				s.at(0, uncounted)
				s.at(5, drains(1))
				s.at(10, drained(1))
				s.at(30, attached(1, 0))
				s.at(35, reattaches(1))
				s.at(37, up(1), launch(1, 34, "b2"))
				s.at(60, attached(1, 60))
				s.at(80, attached(1, 85))
				s.until(200)
			},
			"draining 5 | drained 10 | ~restarting 34 | warming_up 35 | back 37 | filling 60 | ~done 130",
		},
		{
			"restarted without a drain: it has all its shards, and needs no fill",
			func(s *scene) {
				s.at(5, reattaches(1))
				s.at(8, up(1), launch(1, 4, "b2"))
				s.until(60)
			},
			"~restarting 4 | warming_up 5 | back 8 | ~done 33",
		},
		{
			"restarted without a drain, and only the launch time tells",
			func(s *scene) {
				s.at(15, launch(1, 6, "b2"))
				s.until(60)
			},
			"~restarting 14 | ~warming_up 14.5 | back 15 | ~done 40",
		},
		{
			"offline without a drain, and back without a restart",
			func(s *scene) {
				s.at(5, offline(1))
				s.at(9, up(1))
			},
			"waiting 0 | anomalous 5 | waiting 9",
		},
		{
			"drained and given back: the process is the same",
			func(s *scene) {
				s.at(5, drains(1))
				s.at(10, drained(1))
				s.at(20, active(1))
				s.until(60)
			},
			"draining 5 | drained 10 | ~restarting 19 | ~warming_up 19.5 | back 20 | ~waiting 50",
		},
		{
			"the drain was cancelled",
			func(s *scene) {
				s.at(5, drains(1))
				s.at(15, active(1))
			},
			"draining 5 | waiting 15",
		},
		{
			"restarted in its drain, which then sets PauseForRestart",
			func(s *scene) {
				s.at(5, drains(1))
				s.at(15, reattaches(1))
				s.at(16, drained(1))
				s.at(20, up(1))
				s.at(60, active(1))
			},
			"draining 5 | ~restarting 14 | warming_up 15 | anomalous 16 | back 60",
		},
		{
			"nobody looked while it was drained and restarted",
			func(s *scene) {
				s.at(5, drains(1))
				s.blind(active(1), launch(1, 30, "b2"))
				s.look(35)
			},
			"draining 5 | ~drained 12.5 | ~restarting 20 | ~warming_up 27.5 | back 35",
		},
		{
			"the controller was silent while it was drained and restarted",
			func(s *scene) {
				s.at(5, drains(1))
				s.at(6, fails("refused"))
				s.at(12, stale)
				s.at(45, fails(""), fresh, active(1), launch(1, 40, "b2"))
			},
			"draining 5 | ~drained 15 | ~restarting 25 | ~warming_up 35 | back 45",
		},
		{
			"it crashes while it warms up",
			func(s *scene) {
				s.at(5, drains(1))
				s.at(10, drained(1))
				s.at(15, reattaches(1))
				s.at(60, offline(1))
				s.at(70, reattaches(1))
				s.at(72, up(1))
			},
			"draining 5 | drained 10 | ~restarting 14 | warming_up 15 | restarting 60 | warming_up 70 | back 72",
		},
		{
			"a process that cannot be asked is not away",
			func(s *scene) {
				s.at(0, mute(1, true))
				s.at(5, drains(1))
				s.at(10, drained(1))
			},
			"draining 5 | drained 10",
		},
		{
			"a process misses one question",
			func(s *scene) {
				s.at(5, drains(1))
				s.at(10, drained(1))
				s.at(12, mute(1, true))
				s.at(14, mute(1, false))
			},
			"draining 5 | drained 10 | restarting 12 | drained 14",
		},
		{
			"filled without anything before",
			func(s *scene) {
				s.at(5, fills(1))
				s.at(9, active(1))
			},
			"filling 5 | waiting 9",
		},
		{
			"taken out of scheduling",
			func(s *scene) {
				s.at(5, policy(1, client.PolicyPause))
				s.at(9, active(1))
			},
			"waiting 0 | anomalous 5 | waiting 9",
		},
		{
			"twice in one release",
			func(s *scene) {
				s.restartsNode(1, 5, "b2")
				s.at(80, drains(1))
				s.at(90, drained(1))
			},
			"draining 5 | drained 25 | restarting 30 | warming_up 40 | back 42 | filling 45 | done 65 | draining 80 | drained 90",
		},
		{
			"drained again, unseen, after it was done",
			func(s *scene) {
				s.restartsNode(1, 5, "b2")
				s.at(80, drained(1))
				s.at(90, reattaches(1))
			},
			"draining 5 | drained 25 | restarting 30 | warming_up 40 | back 42 | filling 45 | done 65 | ~draining 79 | drained 80 | ~restarting 89 | warming_up 90",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newScene(t, 3)
			row.play(s)
			require.Equal(t, row.want, way(s.node(1)))
		})
	}
}
