package ui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/StorconTUI/storcon-tui/engine/release"
	"github.com/StorconTUI/storcon-tui/ui/view"
)

// Releases follows what happens to the nodes of the cluster, whoever drives it.
type Releases interface {
	// Release is the present state; nil before there is one.
	Release() *release.Release
	// Changed is pinged after something has happened; pings that nobody took are one.
	Changed() <-chan struct{}
}

// lookAtRelease takes over the release while it is on the screen, or a plan is, which is
// not started unasked while somebody else drives.
func (m *model) lookAtRelease() {
	if id := m.top().ID(); m.deps.Releases == nil || id != view.ScreenRelease && id != view.ScreenPlan {
		return
	}
	newest := m.deps.Releases.Release()
	if newest != m.rel {
		m.rel, m.dirty = newest, true
	}
}

// openRelease shows the release.
func (m *model) openRelease() {
	if m.deps.Releases == nil {
		m.say("this console does not watch releases")
		return
	}
	m.push(view.NewRelease())
	m.lookAtRelease()
}

// listenToRelease has the screen look again after something has happened.
func listenToRelease(ctx context.Context, r Releases, send func(tea.Msg)) {
	if r == nil {
		return
	}
	for {
		select {
		case <-r.Changed():
			send(changedMsg{})
		case <-ctx.Done():
			return
		}
	}
}
