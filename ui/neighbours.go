package ui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/StorconTUI/storcon-tui/ui/view"
)

// neighboursEvery is how often other consoles are looked at.
const neighboursEvery = time.Second

// readRuns looks whether a run is still open that was left so, which may have been
// taken up or closed in another terminal, and whether one is driven there.
func (m *model) readRuns() tea.Cmd {
	runs, can := m.deps.Runs.(OpenRuns)
	if !can {
		return nil
	}
	neighbours, _ := m.deps.Runs.(Neighbours)
	return m.tasks.command(func(context.Context) tea.Msg {
		id, err := runs.Unfinished()
		msg := runsMsg{unfinished: id, err: err}
		if neighbours != nil {
			msg.elsewhere = neighbours.Elsewhere(true)
		}
		return msg
	})
}

func (m *model) runsRead(msg runsMsg) {
	m.dirty = true
	if msg.err != nil {
		m.say("the runs cannot be read: " + msg.err.Error())
		return
	}
	m.deps.Unfinished, m.elsewhere = msg.unfinished, msg.elsewhere
}

// lookAround looks now and then whether another console drives. Its log is read
// only while it is on the screen.
func (m *model) lookAround() tea.Cmd {
	neighbours, can := m.deps.Runs.(Neighbours)
	now := m.deps.Now()
	if !can || m.looking || now.Sub(m.lookedAround) < neighboursEvery {
		return nil
	}
	m.looking, m.lookedAround = true, now
	if m.top().ID() == view.ScreenRuns {
		return m.readRuns()
	}
	return m.tasks.command(func(context.Context) tea.Msg { return elsewhereMsg{neighbours.Elsewhere(false)} })
}

// lookedElsewhere takes in who drives. When somebody has let go, the run may be
// left unfinished.
func (m *model) lookedElsewhere(msg elsewhereMsg) tea.Cmd {
	was := m.elsewhere
	m.elsewhere = msg.Elsewhere
	if was.Driver != msg.Driver || was.Run != msg.Run {
		m.dirty = true
	}
	if was.Driver != "" && msg.Driver == "" {
		return m.readRuns()
	}
	return nil
}
