package view

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/release"
	"github.com/StorconTUI/storcon-tui/themes"
	"github.com/StorconTUI/storcon-tui/ui/goldentest"
)

// relayBegan is the first look of every relay.
var relayBegan = time.Date(2026, 3, 14, 20, 50, 0, 0, time.UTC)

// relay is a cluster that is looked at every second while somebody's script restarts it.
type relay struct {
	now   release.Observation
	looks []release.Observation
}

func newRelay(nodes int) *relay {
	s := &relay{}
	s.now = release.Observation{At: relayBegan, Cluster: "prod-eu-1", Leader: "storcon-0@1", Calls: map[string]int64{}}
	for i := range nodes {
		s.now.Nodes = append(s.now.Nodes, release.NodeObservation{
			ID: client.NodeID(i + 1), Address: fmt.Sprintf("ps-%d.internal:9898", i+1), AZ: fmt.Sprintf("eu-1%c", 'a'+i*3/nodes),
			Policy: client.PolicyActive, Availability: client.AvailabilityActive,
			Attached: 1500, Secondary: 1500, Home: 1500, Build: "8123", Launched: relayBegan.Add(-12 * 24 * time.Hour),
		})
	}
	s.look()
	return s
}

func (s *relay) look() {
	o := s.now
	o.Nodes = slices.Clone(o.Nodes)
	s.looks = append(s.looks, o)
}

// passes lets so many seconds go by, with a look at each.
func (s *relay) passes(seconds int) {
	for range seconds {
		s.now.At = s.now.At.Add(time.Second)
		s.look()
	}
}

func (s *relay) node(id client.NodeID) *release.NodeObservation { return &s.now.Nodes[id-1] }

// drains takes a node to the end of its drain.
func (s *relay) drains(id client.NodeID, seconds int) {
	n := s.node(id)
	n.Policy = client.PolicyDraining
	for left := seconds; left > 0; left -= 20 {
		s.passes(min(left, 20))
		n.Attached -= n.Attached / 3
	}
	n.Attached, n.Policy = 0, client.PolicyPauseForRestart
	s.passes(5)
}

// restarts has a drained node come back with another build.
func (s *relay) restarts(id client.NodeID, seconds int) {
	n := s.node(id)
	n.Silent = true
	s.passes(seconds)
	n.Policy, n.Availability = client.PolicyActive, client.AvailabilityWarmingUp
	s.passes(6)
	n.Availability, n.Silent, n.Build, n.Launched = client.AvailabilityActive, false, "8140", s.now.At
	s.passes(4)
}

func (s *relay) fills(id client.NodeID, seconds int) {
	n := s.node(id)
	n.Policy = client.PolicyFilling
	for left := seconds; left > 0; left -= 20 {
		s.passes(min(left, 20))
		n.Attached += 180
	}
	n.Policy, n.Attached = client.PolicyActive, 1480
	s.passes(5)
}

func (s *relay) release() *release.Release {
	w := release.NewWatch(release.Settings{})
	for _, o := range s.looks {
		w.See(o)
	}
	r := w.Release()
	return &r
}

func (s *relay) context(styles *themes.Styles) *Context {
	return &Context{Styles: styles, Now: s.now.At, Location: time.UTC, Release: s.release()}
}

// halfway is a release in the middle: two nodes are done, of a third the restart was not seen,
// the fourth is drained and nothing moves.
func halfway() *relay {
	s := newRelay(6)
	s.passes(300)
	for id := client.NodeID(1); id <= 2; id++ {
		s.drains(id, 120)
		s.restarts(id, 40)
		s.fills(id, 150)
	}
	s.drains(3, 140)
	n := s.node(3)
	n.Policy, n.Build, n.Launched = client.PolicyFilling, "8140", s.now.At
	s.now.At = s.now.At.Add(45 * time.Second)
	s.fills(3, 100)
	s.node(4).Policy = client.PolicyDraining
	s.passes(100)
	return s
}

func TestReleaseFrames(t *testing.T) {
	over := halfway()
	over.drains(4, 20)
	over.restarts(4, 40)
	over.fills(4, 150)
	for id := client.NodeID(5); id <= 6; id++ {
		over.drains(id, 120)
		over.restarts(id, 40)
		over.fills(id, 150)
	}
	over.passes(700)
	for name, s := range map[string]*relay{"middle": halfway(), "over": over, "none": newRelay(3)} {
		t.Run(name, func(t *testing.T) {
			goldentest.Frames(t, func(styles *themes.Styles, w, h int) []string {
				return NewRelease().Lines(s.context(styles), w, h)
			})
		})
	}
}

func releaseSeat(t *testing.T, s *relay, w, h int) (*ReleaseScreen, *Context, func() string) {
	t.Helper()
	v, c := NewRelease(), s.context(goldentest.Styles(t, goldentest.Looks[0]))
	return v, c, func() string { return ansi.Strip(strings.Join(v.Lines(c, w, h), "\n")) }
}

// The release says how far it is, what looks wrong, what that means and what is usually done.
func TestReleaseScreenSaysWhatIsWrong(t *testing.T) {
	_, c, frame := releaseSeat(t, halfway(), 120, 34)
	text := frame()
	require.Contains(t, text, "3 of 6 nodes done · about 15 min left (11–18 m)")
	require.Contains(t, text, "3 on 8140 · shards off 4 500 of 6 000")
	require.Contains(t, text, "driven by somebody else")
	require.Regexp(t, `AZ eu-1a 2/2 · eu-1b 1/2, 1 !|AZ eu-1a 2/2 · eu-1b 1/2, 1 out, 1 !`, text)
	require.Regexp(t, `! orphaned operation, since 21:\d\d:\d\d, `, text)
	require.Contains(t, text, release.OrphanedOperation.Means()[:40])
	require.Contains(t, text, release.OrphanedOperation.Usually()[:40])
	require.Regexp(t, `> +4 .* ! draining +1 m 39 s`, text, "the cursor is where something happens")
	require.Regexp(t, `node 3 +draining → drained`, text)
	require.Contains(t, text, "(inferred)")
	c.Release = nil
	require.Contains(t, frame(), "Waiting for the controller's first answer.")
}

// A phase that was not seen looks different in every terminal.
func TestInferredPhasesAreMarked(t *testing.T) {
	_, c, frame := releaseSeat(t, halfway(), 200, 34)
	c.ASCII = true
	var third string
	for _, line := range strings.Split(frame(), "\n") {
		if strings.HasPrefix(strings.TrimLeft(line, " >"), "3 ") {
			third = line
		}
	}
	require.Regexp(t, `D:+P?r`, third, "seen draining, then an inferred restart: %s", third)
	require.Contains(t, third, "F%")
}

// The timeline is moved and zoomed, and 0 shows all again. The present stays at its place
// until it is moved.
func TestTimelinePansAndZooms(t *testing.T) {
	v, c, frame := releaseSeat(t, halfway(), 120, 24)
	whole := frame()
	require.Contains(t, whole, "all of it")
	require.Regexp(t, `NODES .* now `, whole)
	v.Key("+", c)
	closer := frame()
	require.Contains(t, closer, "the newest")
	require.Regexp(t, `NODES .* now `, closer, "closer to the present")
	for range 8 {
		v.Key("left", c)
		frame()
	}
	require.NotRegexp(t, `NODES .* now `, frame(), "the past")
	for range 20 {
		v.Key("-", c)
		frame()
	}
	v.Key("right", c)
	frame()
	v.Key("0", c)
	require.Equal(t, whole, frame())
}

// The cursor goes to nodes, and stays with its node.
func TestReleaseCursor(t *testing.T) {
	s := newRelay(50)
	s.passes(60)
	s.node(31).Policy = client.PolicyDraining
	s.passes(30)
	v, c, frame := releaseSeat(t, s, 80, 18)
	require.Regexp(t, `> +31 `, frame(), "what happens is in view")
	v.Key("g", c)
	require.Regexp(t, `> +1 `, frame())
	v.Key("n", c)
	require.Equal(t, OpenNode{Node: 31}, v.Key("enter", c))
	v.Key("G", c)
	v.Key("down", c)
	require.Regexp(t, `> +50 `, frame())
	require.Equal(t, Back{}, v.Key("esc", c))
}

// Whatever the size and the zoom, every line has the width and there are as many as asked for.
func TestReleaseFitsEverySize(t *testing.T) {
	s := halfway()
	v, c, _ := releaseSeat(t, s, 80, 24)
	for w := 20; w <= 220; w += 20 {
		for h := 1; h <= 50; h += 7 {
			for _, key := range []string{"0", "+", "left", "-", "-", "tab"} {
				v.Key(key, c)
				goldentest.Exact(t, v.Lines(c, w, h), w, h)
			}
		}
	}
}
