package view

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/themes"
	"github.com/StorconTUI/storcon-tui/ui/goldentest"
)

// takingOver is a plan's screen while somebody else restarts the cluster, with its context.
func takingOver(styles *themes.Styles, s *relay) (*PlanScreen, *Context) {
	c := s.context(styles)
	c.Snapshot = runContext(styles, nil).Snapshot
	c.Snapshot.Nodes.At = c.Now
	return NewPlanScreen(fixturePlan()), c
}

// types gives keys as a person does, drawing after each.
func types(v *PlanScreen, c *Context, keys ...string) Intent {
	var last Intent
	for _, key := range keys {
		c.Now = c.Now.Add(200 * time.Millisecond)
		last = v.Key(key, c)
		v.Lines(c, 120, 40)
	}
	return last
}

func TestTakeOverFrames(t *testing.T) {
	goldentest.Frames(t, func(styles *themes.Styles, w, h int) []string {
		v, c := takingOver(styles, halfway())
		v.plan.Steps[1].Node = 4
		v.Key("s", c)
		return v.Lines(c, w, h)
	})
}

// While somebody else drives, a plan is started only by the cluster's name, typed; what was
// in flight then is kept with the plan.
func TestReleaseIsTakenOverByTyping(t *testing.T) {
	v, c := takingOver(goldentest.Styles(t, goldentest.Looks[0]), halfway())
	frame := func() string { return ansi.Strip(strings.Join(v.Lines(c, 120, 40), "\n")) }
	require.Contains(t, frame(), "Somebody else drives a release (3 of 6 nodes done, node 4 draining): s asks")
	require.Nil(t, types(v, c, "s"))
	require.True(t, v.Typing())
	require.Contains(t, frame(), "node 4  draining for 1 min 39 s")
	c.Now = c.Now.Add(promptGrace)

	require.Nil(t, types(v, c, "y", "enter"))
	require.Contains(t, frame(), "that is not the name of this cluster; nothing was sent")
	v.Paste("prod-eu-1")
	c.Now = c.Now.Add(keyHeld)
	start, started := types(v, c, "enter").(StartRun)
	require.True(t, started)
	require.Equal(t, "3 of 6 nodes done, node 4 draining", start.Plan.TookOver)
	require.False(t, v.Typing())

	c.TookOver = c.Release.Started
	require.IsType(t, StartRun{}, NewPlanScreen(fixturePlan()).Key("s", c), "it is asked once a release")
}

// What was typed counts for what was in flight then.
func TestTakeOverIsReadAnewWhenTheFlightChanges(t *testing.T) {
	s := halfway()
	v, c := takingOver(goldentest.Styles(t, goldentest.Looks[0]), s)
	types(v, c, "s", "p", "r", "o", "d", "-", "e", "u", "-", "1")
	s.node(5).Policy = client.PolicyDraining
	s.passes(2)
	c.Release = s.release()
	require.Nil(t, types(v, c, "enter"))
	require.Contains(t, ansi.Strip(strings.Join(v.Lines(c, 120, 40), "\n")), "what is in flight has changed")
	require.Nil(t, types(v, c, "enter"), "and the name is typed again")
	require.Equal(t, Say{"taken back; nothing was sent"}, types(v, c, "esc"))
	require.False(t, v.Typing())
}

// A paste cannot take a release over, nor can a question that has only just appeared.
func TestTakeOverNeedsAPerson(t *testing.T) {
	v, c := takingOver(goldentest.Styles(t, goldentest.Looks[0]), halfway())
	v.Key("s", c)
	v.Lines(c, 120, 40)
	for _, r := range "prod-eu-1" {
		v.Key(string(r), c)
	}
	require.Nil(t, v.Key("enter", c))
	require.True(t, v.Typing())
}

// Nobody is asked where nobody else drives: no release, one in which nothing has happened for
// long, and one in which all that was done is of this session.
func TestNothingToTakeOver(t *testing.T) {
	styles := goldentest.Styles(t, goldentest.Looks[0])
	v, c := takingOver(styles, newRelay(6))
	require.IsType(t, StartRun{}, v.Key("s", c))

	stopped := newRelay(6)
	stopped.drains(1, 60)
	stopped.restarts(1, 40)
	stopped.fills(1, 60)
	v, c = takingOver(styles, stopped)
	require.Nil(t, v.Key("s", c))
	stopped.now.At = stopped.now.At.Add(3 * time.Hour)
	stopped.passes(3)
	v, c = takingOver(styles, stopped)
	require.True(t, c.Release.Live(), "two builds")
	require.IsType(t, StartRun{}, v.Key("s", c))

	ours := newRelay(6)
	ours.passes(10)
	ours.drains(2, 60)
	v, c = takingOver(styles, ours)
	require.Nil(t, v.Key("s", c))
	mine := draining()
	mine.Outcome, mine.Ended = &rollout.Outcome{}, c.Now
	mine.Steps[0].Plan.Node = 2
	v, c = takingOver(styles, ours)
	c.Earlier = []*rollout.Status{mine}
	require.IsType(t, StartRun{}, v.Key("s", c), "what runs of this session did is nobody else's")
}

// t on the release plans what is left of it: what is in flight first.
func TestRestOfAReleaseIsPlanned(t *testing.T) {
	v, c, _ := releaseSeat(t, halfway(), 120, 40)
	require.Equal(t, MakePlan{Goal: rollout.GoalRestart, Nodes: []client.NodeID{4, 5, 6}}, v.Key("t", c))
	c.Run = draining()
	require.IsType(t, Say{}, v.Key("t", c), "this console drives")
	v, c, _ = releaseSeat(t, newRelay(3), 120, 40)
	require.IsType(t, Say{}, v.Key("t", c), "there is none")
}
