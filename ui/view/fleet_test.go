package view

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/release"
	"github.com/StorconTUI/storcon-tui/themes"
	"github.com/StorconTUI/storcon-tui/ui/goldentest"
)

// read is the picture of a cluster whose nodes were read so long before now; below 0 = never.
func read(name string, now time.Time, age time.Duration) *cluster.Snapshot {
	s := &cluster.Snapshot{Seq: 1, At: now, Identity: cluster.Identity{Name: name, Endpoint: "storcon." + name + ".internal:1234", ReadOnly: true}}
	if age >= 0 {
		s.Nodes.At = now.Add(-age)
	}
	return s
}

func refused(s *cluster.Snapshot, since time.Time) *cluster.Snapshot {
	s.Nodes.Err = &client.Error{Kind: client.Unreachable, Method: "GET", Path: "/control/v1/node", Err: errors.New("connection refused")}
	s.Nodes.Since = since
	return s
}

// convoy is eight clusters, in every state that a row may have.
func convoy(styles *themes.Styles) *Context {
	over := newRelay(3)
	over.passes(60)
	for id := client.NodeID(1); id <= 3; id++ {
		over.drains(id, 100)
		over.restarts(id, 30)
		over.fills(id, 120)
	}
	over.passes(700)
	sick := halfway()
	now := over.now.At
	sick.passes(int(now.Sub(sick.now.At) / time.Second))
	smooth := newRelay(40)
	smooth.passes(300)
	for id := client.NodeID(1); id <= 2; id++ {
		smooth.drains(id, 100)
		smooth.restarts(id, 30)
		smooth.fills(id, 120)
	}
	smooth.drains(3, 100)
	demo := read("demo", now, 0)
	demo.Demo = true
	return &Context{Styles: styles, Now: now, Location: time.UTC, Fleet: []FleetCluster{
		{Name: "prod-us-1", Snapshot: read("prod-us-1", now, 800*time.Millisecond), Release: newRelay(12).release()},
		{Name: "prod-eu-1", Snapshot: read("prod-eu-1", now, time.Second), Release: sick.release()},
		{Name: "prod-eu-2", Snapshot: read("prod-eu-2", now, 2*time.Second), Release: over.release()},
		{Name: "prod-ap-southeast-1", Snapshot: read("prod-ap-southeast-1", now, time.Second), Release: smooth.release()},
		{Name: "prod-us-2", Snapshot: refused(read("prod-us-2", now, 3*time.Minute), now.Add(-3*time.Minute)), Release: newRelay(12).release()},
		{Name: "staging", Trouble: "/etc/fleet.toml:12: clusters.staging.token_file: no such file: /run/secrets/staging.jwt"},
		{Name: "lab", Snapshot: refused(read("lab", now, -1), now.Add(-21*time.Second)), Release: &release.Release{Cluster: "lab"}},
		{Name: "demo", Snapshot: demo, Release: newRelay(6).release()},
		{Name: "new"},
	}}
}

func TestFleetFrames(t *testing.T) {
	for name, keys := range map[string][]string{
		"by-name": nil, "by-health": {"s"}, "released": {"/", "p", "r", "o", "d", "-", "e", "u", "enter"}, "unwatched": {"end"},
	} {
		t.Run(name, func(t *testing.T) {
			goldentest.Frames(t, func(styles *themes.Styles, w, h int) []string {
				c := convoy(styles)
				v := NewFleet()
				v.Lines(c, w, h)
				for _, key := range keys {
					v.Key(key, c)
				}
				return v.Lines(c, w, h)
			})
		})
	}
}

func fleetSeat(t *testing.T, w, h int) (*FleetScreen, *Context, func(keys ...string) string) {
	t.Helper()
	v, c := NewFleet(), convoy(goldentest.Styles(t, goldentest.Looks[2]))
	v.Lines(c, w, h)
	return v, c, func(keys ...string) string {
		for _, key := range keys {
			v.Key(key, c)
		}
		return ansi.Strip(strings.Join(v.Lines(c, w, h), "\n"))
	}
}

// Every row says how its cluster is, in words: where a release is, what is wrong, why it is
// not known.
func TestFleetSaysHowEachClusterIs(t *testing.T) {
	_, _, press := fleetSeat(t, 130, 40)
	text := press()
	require.Contains(t, text, "CLUSTERS  ! 4 need a look · 2 releases under way · 9 of 9 · by name ↑")
	for name, line := range map[string]string{
		"prod-us-1":           `  ok +no release .* 8123 12 +0 s`,
		"prod-eu-1":           `! 1 anomaly +3/6 done · node 4 draining +█+.* \d+ m +8123 3 · 8140 3 +1 s`,
		"prod-eu-2":           `  ok +over since 21:\d\d +8140 3 +2 s`,
		"prod-ap-southeast-1": `  ok +2/40 done · node 3 drained .*h.* +8123 38 · 8140 2`,
		"prod-us-2":           `! unreachable 3 min +no release`,
		"staging":             `! not watched +\n`,
		"lab":                 `! unreachable 21 s +\n`,
		"demo DEMO":           `  ok +no release`,
		"new":                 `  no answer yet +\n`,
	} {
		require.Regexp(t, `(?m)^[> ] +`+name+` +`+line, text+"\n", name)
	}
	require.Contains(t, press("s"), "by health ↑")
}

// Below the table stands what is to be known of the cluster under the cursor.
func TestFleetSaysWhatIsTheMatter(t *testing.T) {
	_, _, press := fleetSeat(t, 120, 30)
	text := press("s", "s", "home") // by release: that with the most left to do first
	require.Contains(t, text, "Nothing looks wrong.")
	require.Regexp(t, `node 3 +draining → drained`, text)
	text = press("down")
	require.Contains(t, text, "Release: 3 of 6 nodes done")
	require.Regexp(t, `! orphaned operation +node 4 +since 21:\d\d:\d\d  \S`, text)
	require.Regexp(t, `node 4 +waiting → draining`, text)
	require.Contains(t, press("/", "s", "t", "a", "g", "enter"), "It is not watched: /etc/fleet.toml:12: clusters.staging.token_file")
	require.Contains(t, press("esc", "/", "l", "a", "b", "enter"), "The controller at storcon.lab.internal:1234 does not answer")
	require.Contains(t, press("esc", "/", "n", "e", "w", "enter"), "Waiting for the controller's first answer.")
	require.Contains(t, press("/", "x"), `Nothing matches "newx". esc clears the filter.`)
}

// n goes round among those that need a person, enter opens the one under the cursor, and the
// cursor stays with its cluster whatever moves.
func TestFleetGoesToWhatIsWrong(t *testing.T) {
	v, c, press := fleetSeat(t, 120, 40)
	var met []string
	for range 5 {
		require.Nil(t, v.Key("n", c))
		met = append(met, v.Key("enter", c).(OpenCluster).Name)
	}
	require.Equal(t, []string{"lab", "prod-eu-1", "prod-us-2", "staging", "lab"}, met)
	press("s")
	require.Equal(t, OpenCluster{"lab"}, v.Key("enter", c))
	c.Fleet[6] = FleetCluster{Name: "lab", Snapshot: read("lab", c.Now, 0), Release: newRelay(3).release()}
	press()
	require.Equal(t, OpenCluster{"lab"}, v.Key("enter", c), "it is well now and stands elsewhere")
	for i := range c.Fleet {
		c.Fleet[i] = FleetCluster{Name: c.Fleet[i].Name}
	}
	require.IsType(t, Say{}, v.Key("n", c))
	press("/", "x", "x", "enter")
	require.Equal(t, Say{"no cluster is under the cursor"}, v.Key("enter", c))
	require.Equal(t, Quit{}, v.Key("q", c))
	require.Equal(t, Open{ScreenHelp}, v.Key("?", c))
}

// By health stands first what needs a person most.
func TestFleetOrder(t *testing.T) {
	v, _, press := fleetSeat(t, 120, 40)
	names := func() (all []string) {
		for _, r := range v.table.Visible() {
			all = append(all, r.name)
		}
		return all
	}
	press("s")
	require.Equal(t, []string{"lab", "prod-us-2", "prod-eu-1", "staging", "new", "demo", "prod-ap-southeast-1", "prod-eu-2", "prod-us-1"}, names())
	press("s")
	require.Equal(t, []string{"prod-ap-southeast-1", "prod-eu-1"}, names()[:2])
	press("s", "S")
	require.Equal(t, "staging", names()[0])
}

// Of more anomalies than there is room for some are counted; the log keeps two lines.
func TestFleetCountsWhatHasNoRoom(t *testing.T) {
	v, c, press := fleetSeat(t, 80, 20)
	r := *c.Fleet[1].Release
	for id := range 9 {
		r.Anomalies = append(r.Anomalies, release.Anomaly{Kind: release.FillSkipped, Node: client.NodeID(id + 1), Since: c.Now, Text: "16 every 20 s"})
	}
	c.Fleet[1].Release = &r
	press()
	require.True(t, v.table.MoveTo("prod-eu-1"))
	text := press()
	require.Regexp(t, `! fill skipped +node 9 +since 21:\d\d:\d\d  16 every 20 s`, text)
	require.Regexp(t, `! and \d more`, text)
	require.Regexp(t, `node 4 +waiting → draining`, text)
}

// Whatever the size and the keys, a frame is as large as it is to be.
func TestFleetFrameIsExact(t *testing.T) {
	c := convoy(goldentest.Styles(t, goldentest.Looks[0]))
	for i := range 24 {
		c.Fleet = append(c.Fleet, FleetCluster{Name: fmt.Sprintf("more-%d", i)})
	}
	rapid.Check(t, func(rt *rapid.T) {
		v := NewFleet()
		w, h := rapid.IntRange(1, 220).Draw(rt, "w"), rapid.IntRange(1, 60).Draw(rt, "h")
		for _, key := range rapid.SliceOfN(rapid.SampledFrom([]string{"down", "pgdown", "end", "n", "s", "S", "/", "p", "enter", "esc"}), 0, 12).Draw(rt, "keys") {
			v.Key(key, c)
			goldentest.Exact(rt, v.Lines(c, w, h), w, h)
		}
		goldentest.Exact(rt, v.Lines(c, w, h), w, h)
	})
}
