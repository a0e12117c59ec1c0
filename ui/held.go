package ui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/StorconTUI/storcon-tui/ui/view"
)

// heldMsg: the time in which a further key would have undone a decision is over.
type heldMsg struct{ gen int }

// decides reports an intent that starts or answers something. The first
// character of text that is pasted without brackets looks like a key of a
// person; only what follows at once tells.
func decides(i view.Intent) bool {
	switch i.(type) {
	case view.StartRun, view.GiveAnswer, view.PauseRun, view.Leave, view.CancelRun,
		view.StartReconfigure, view.AnswerReconfigure, view.PauseReconfigure:
		return true
	}
	return false
}

// hold keeps a decision back for as long as a burst takes to show itself.
func (m *model) hold(i view.Intent) tea.Cmd {
	m.holdGen++
	m.held = i
	gen := m.holdGen
	return m.tasks.command(func(ctx context.Context) tea.Msg {
		wait := time.NewTimer(burstGap)
		defer wait.Stop()
		select {
		case <-ctx.Done():
			return nil
		case <-wait.C:
			return heldMsg{gen: gen}
		}
	})
}

// unhold drops a decision that further input followed at once.
func (m *model) unhold() {
	if m.held != nil {
		m.held = nil
		m.say("not taken: more input came at once, as when text is pasted")
	}
}

// stands carries out a decision that nothing followed.
func (m *model) stands(msg heldMsg) tea.Cmd {
	if m.held == nil || msg.gen != m.holdGen {
		return nil
	}
	i := m.held
	m.held, m.dirty = nil, true
	return m.carry(i)
}
