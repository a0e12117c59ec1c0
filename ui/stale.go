package ui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/engine/reconfigure"
	"github.com/StorconTUI/storcon-tui/ui/view"
)

// staleEvery is how often last known specs are compared with the controller's word while
// computes are on the screen: it is asked about every tenant of theirs.
const staleEvery = 30 * time.Second

// staleMsg is what the comparison found.
type staleMsg []reconfigure.Stale

// lookForStale compares while somebody looks at computes.
func (m *model) lookForStale() tea.Cmd {
	now := m.deps.Now()
	switch m.top().ID() {
	case view.ScreenComputes, view.ScreenCompute:
	default:
		return nil
	}
	if m.deps.Reconfigures == nil || m.comparing || !m.comparedAt.IsZero() && now.Sub(m.comparedAt) < staleEvery {
		return nil
	}
	m.comparing, m.comparedAt = true, now
	return m.tasks.command(func(ctx context.Context) tea.Msg {
		return staleMsg(m.deps.Reconfigures.FindStale(ctx))
	})
}

// compared takes in what was found. Computes that could not be compared are left unmarked:
// the screen marks what is known to be stale.
func (m *model) compared(msg staleMsg) {
	m.comparing, m.dirty = false, true
	m.stale = map[string][]compute.Change{}
	for _, s := range msg {
		m.stale[s.Compute] = s.Changes
	}
}
