package ui

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/themes"
	"github.com/StorconTUI/storcon-tui/ui/goldentest"
	"github.com/StorconTUI/storcon-tui/ui/view"
)

// clusters are Clusters whose state a test sets.
type clusters struct {
	mu     sync.Mutex
	all    []view.FleetCluster
	broken bool
	asked  int
	pings  chan struct{}
}

func (c *clusters) Fleet() []view.FleetCluster {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken {
		panic("broken clusters")
	}
	c.asked++
	return c.all
}

func (c *clusters) Changed() <-chan struct{} { return c.pings }

func threeClusters() *clusters {
	c := &clusters{pings: make(chan struct{}, 1)}
	for _, name := range []string{"east", "north", "west"} {
		c.all = append(c.all, view.FleetCluster{Name: name, Snapshot: &cluster.Snapshot{Identity: cluster.Identity{Name: name}}})
	}
	return c
}

// overview is the program of all clusters in a bubble of fake time.
type overview struct {
	clusters *clusters
	fleet    *Fleet
	in       *io.PipeWriter
	out      *screen
	told     chan string
	picked   string
	err      error
	ended    chan struct{}
	cancel   context.CancelFunc
}

func newOverview(t *testing.T) *overview {
	t.Helper()
	styles, err := themes.Load("dark", themes.Options{NoColor: true})
	require.NoError(t, err)
	o := &overview{clusters: threeClusters(), out: &screen{}, told: make(chan string)}
	o.fleet = NewFleet(FleetDeps{
		Clusters: o.clusters, Styles: styles, Told: o.told, Version: "storcon-tui test", Location: time.UTC,
		Width: 100, Height: 24, Output: o.out, Stderr: &screen{},
	})
	return o
}

// begins runs the program, again if it has ended.
func (o *overview) begins() {
	var ctx context.Context
	ctx, o.cancel = context.WithCancel(context.Background())
	var keys *io.PipeReader
	keys, o.in = io.Pipe()
	o.fleet.common.Input = keys
	ended := make(chan struct{})
	o.ended = ended
	go func() {
		defer close(ended)
		o.picked, o.err = o.fleet.Run(ctx)
	}()
	o.wait(time.Second)
}

// ends waits for the end of it, whatever has ended it.
func (o *overview) ends() {
	<-o.ended
	o.cancel()
	_ = o.in.Close()
}

func (o *overview) wait(d time.Duration) {
	time.Sleep(d) // of the bubble: no real time passes
	synctest.Wait()
}

func (o *overview) typed(keys ...string) {
	for _, key := range keys {
		_, _ = io.WriteString(o.in, key)
		o.wait(time.Second)
	}
}

// The cluster under the cursor is picked; when the program is run again it is where it was.
func TestFleetPicksAndGoesOnWhereItWas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOverview(t)
		o.begins()
		require.Contains(t, o.out.text(), "all clusters")
		o.typed("j", "\r")
		o.ends()
		require.NoError(t, o.err)
		require.Equal(t, "north", o.picked)

		o.fleet.Say("north: a run was left behind")
		o.begins()
		require.Contains(t, o.out.text(), "north: a run was left behind")
		o.told <- "west is not recorded any more"
		o.wait(time.Second)
		require.Contains(t, o.out.text(), "west is not recorded any more")
		o.typed("\r")
		o.ends()
		require.Equal(t, "north", o.picked)

		o.begins()
		o.typed("?", "\x03", "q")
		o.ends()
		require.NoError(t, o.err)
		require.Empty(t, o.picked)
	})
}

// However often something happens, all clusters are looked at once a second.
func TestFleetLooksOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOverview(t)
		o.begins()
		before := o.clusters.asked
		for range 100 {
			select {
			case o.clusters.pings <- struct{}{}:
			default:
			}
			o.wait(100 * time.Millisecond)
		}
		require.InDelta(t, 10, o.clusters.asked-before, 1)
		o.cancel()
		o.ends()
		require.ErrorIs(t, o.err, context.Canceled)
	})
}

// A panic ends the program in order and is no way to a console.
func TestFleetPanicRestoresTheTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOverview(t)
		o.begins()
		o.clusters.mu.Lock()
		o.clusters.broken = true
		o.clusters.mu.Unlock()
		o.ends()
		require.ErrorContains(t, o.err, "panic in routing: broken clusters")
		require.Empty(t, o.picked)
		out := o.out.text()
		require.Greater(t, strings.LastIndex(out, "\x1b[?1049l"), strings.LastIndex(out, "\x1b[?1049h"), "the main screen is back")
	})
}

func newFleetConsole(t *testing.T, w, h int) *fleetModel {
	t.Helper()
	styles := goldentest.Styles(t, goldentest.Looks[2])
	return newFleetModel(NewFleet(FleetDeps{
		Clusters: threeClusters(), Styles: styles, Location: time.UTC, Width: w, Height: h, Now: func() time.Time { return noon },
	}))
}

// What is pasted is no key but in the filter, and what is typed there is text.
func TestFleetFilterTakesText(t *testing.T) {
	m := newFleetConsole(t, 80, 24)
	press := func(k tea.KeyMsg) tea.Cmd {
		m.guard.last = time.Time{} // a person is slower
		_, cmd := m.Update(k)
		return cmd
	}
	typed := func(text string) tea.KeyMsg { return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(text)} }
	require.Nil(t, press(typed("qq")), "pasted without brackets")
	press(typed("/"))
	require.Nil(t, press(typed("w")))
	require.Nil(t, press(typed("es")))
	require.Contains(t, ansi.Strip(m.View()), "1 of 3")
	require.Nil(t, press(tea.KeyMsg{Type: tea.KeyCtrlC}), "it closes the filter")
	require.Contains(t, ansi.Strip(m.View()), "3 of 3")
	require.NotNil(t, press(tea.KeyMsg{Type: tea.KeyCtrlC}), "it leaves")
}

// The frame is exact whatever the size, with and without the help.
func TestFleetFramesAreExact(t *testing.T) {
	for _, help := range []bool{false, true} {
		for w := 1; w < 130; w += 7 {
			for h := 1; h < 45; h += 3 {
				m := newFleetConsole(t, w, h)
				m.say(errors.New("something to read").Error())
				if help {
					m.take(view.Open{Screen: view.ScreenHelp})
				}
				goldentest.Exact(t, strings.Split(m.View(), "\n"), w, h)
			}
		}
	}
}
