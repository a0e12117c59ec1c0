package ui

import (
	"sync/atomic"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/release"
	"github.com/StorconTUI/storcon-tui/ui/goldentest"
	"github.com/StorconTUI/storcon-tui/ui/view"
)

// watched is a Releases that stands where a test puts it.
type watched struct {
	now     atomic.Pointer[release.Release]
	asked   atomic.Int64
	changed chan struct{}
}

func (w *watched) Release() *release.Release { w.asked.Add(1); return w.now.Load() }
func (w *watched) Changed() <-chan struct{}  { return w.changed }

// set has node 2 in a phase since a minute.
func (w *watched) set(p release.Phase) {
	began := noon.Add(-time.Minute)
	w.now.Store(&release.Release{
		Cluster: "prod-eu-1", At: noon, Started: began, Progress: release.Progress{Nodes: 1},
		Nodes: []release.NodeProgress{{
			NodeObservation: release.NodeObservation{ID: 2, AZ: "eu-1a", Policy: client.PolicyDraining, Build: "8123"},
			Phase:           p, Since: began, Begun: began, Before: 10, Spans: []release.Span{{Phase: p, From: began}},
		}},
	})
}

func watchingConsole(t *testing.T) (*console, *watched) {
	k := newConsole(t, nil, 120, 40)
	w := &watched{changed: make(chan struct{}, 1)}
	w.set(release.Draining)
	k.deps.Releases = w
	return k, w
}

// w opens the release; what happens is on the screen at once, and nobody asks for it while
// another screen is open.
func TestReleaseIsOpenedAndFollowed(t *testing.T) {
	k, w := watchingConsole(t)
	k.feed(changedMsg{})
	require.Zero(t, w.asked.Load())
	k.press("w")
	require.Contains(t, k.plainFrame(), "RELEASE  0 of 1 node done")
	require.Regexp(t, `> +2 eu-1a 8123 +draining +1 m`, k.plainFrame())
	w.set(release.Drained)
	k.feed(changedMsg{})
	require.Regexp(t, `> +2 eu-1a 8123 +drained +1 m`, k.plainFrame())
	k.press("enter")
	require.Equal(t, view.ScreenNode, k.top().ID())
	k.press("esc", "esc")
	require.Equal(t, view.ScreenNodes, k.top().ID())
	asked := w.asked.Load()
	k.feed(changedMsg{})
	require.Equal(t, asked, w.asked.Load())
}

func TestReleaseWithoutOne(t *testing.T) {
	k := newConsole(t, nil, 120, 40)
	k.press("w")
	require.Contains(t, k.plainFrame(), "this console does not watch releases")
	require.Equal(t, view.ScreenNodes, k.top().ID())
}

// The frame of the whole console keeps its size with the release in it.
func TestReleaseInEveryTerminal(t *testing.T) {
	for _, size := range goldentest.Sizes {
		k, _ := watchingConsole(t)
		k.w, k.h = size[0], size[1]
		k.press("w", "+", "left", "tab")
		requireExact(t, k)
	}
}

// From the release the rest of it is planned, and started once the cluster's name was
// typed; afterwards nobody is asked again.
func TestReleaseIsTakenOver(t *testing.T) {
	k, w := watchingConsole(t)
	k.press("w", "t")
	require.Equal(t, []string{"restart[2]"}, k.runs.planned)
	require.Contains(t, k.plainFrame(), "Somebody else drives a release (0 of 1 node done, node 2 draining)")
	k.press("s")
	require.Contains(t, k.plainFrame(), "To drive, type the name of the cluster (prod-eu-1)")
	k.press("p", "r", "o", "d")
	w.set(release.Drained)
	k.feed(changedMsg{})
	k.press("-")
	require.Contains(t, k.plainFrame(), "what is in flight has changed")
	require.Empty(t, k.runs.started)
	k.feed(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("prod-eu-1"), Paste: true})
	k.press("enter")
	require.Len(t, k.runs.started, 1)
	require.Equal(t, "0 of 1 node done, node 2 drained", k.runs.started[0].TookOver)
	k.press("s")
	require.Len(t, k.runs.started, 2, "it was taken over already")
}
