package ui

import (
	"context"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/ui/view"
)

// Results of commands. gen tells whether anybody still waits for them.
type (
	plannedMsg struct {
		gen  int
		plan rollout.Plan
		err  error
	}
	startedMsg struct {
		run LiveRun
		err error
	}
	answeredMsg struct {
		word rollout.Word
		err  error
	}
	runsMsg struct {
		unfinished view.OpenRun
		elsewhere  view.Elsewhere
		err        error
	}
	// elsewhereMsg is what other consoles do, looked at now and then.
	elsewhereMsg struct{ view.Elsewhere }
	// leftMsg: the run is detached, the program can end.
	leftMsg struct{}

	// toldMsg is what the operator should read that happened elsewhere.
	toldMsg string
)

// detachMax bounds each wait for a detached run to close its journal.
const detachMax = 5 * time.Second

// take does what a screen asks for; a decision is held back for a moment.
func (m *model) take(i view.Intent) tea.Cmd {
	if decides(i) {
		return m.hold(i)
	}
	return m.carry(i)
}

// carry does what a screen asks for.
func (m *model) carry(i view.Intent) tea.Cmd {
	switch i := i.(type) {
	case view.Back:
		m.pop()
	case view.Quit:
		return m.quit()
	case view.OpenNode:
		m.push(view.NewNode(i.Node))
	case view.Open:
		m.open(i.Screen)
		if i.Screen == view.ScreenRuns {
			return m.readRuns()
		}
	case view.Say:
		m.say(i.Text)
	case view.MakePlan:
		return m.makePlan(i)
	case view.StartRun:
		return m.start(i)
	case view.TakeUp:
		return m.takeUp(i)
	case view.GiveAnswer:
		return m.answer(i.Answer)
	case view.PauseRun:
		return m.pauseRun(i)
	case view.Leave:
		return m.leaveRun()
	case view.CancelRun:
		return m.cancelRun()
	default:
		return m.carryOnComputes(i)
	}
	return nil
}

func (m *model) open(id string) {
	if m.top().ID() == id {
		return
	}
	switch id {
	case view.ScreenHelp:
		m.push(view.NewHelp())
	case view.ScreenEvents:
		m.push(view.NewEvents())
	case view.ScreenRuns:
		m.push(view.NewRuns())
	case view.ScreenComputes:
		m.push(view.NewComputes())
	case view.ScreenRelease:
		m.openRelease()
	case view.ScreenReconfigure:
		m.openReconfigure()
	case view.ScreenRun:
		m.show(view.NewRunScreen())
	case view.ScreenReport:
		m.show(view.NewReportScreen())
	}
}

// makePlan asks for a plan. A second key while it is made asks for nothing.
func (m *model) makePlan(i view.MakePlan) tea.Cmd {
	if why := m.deps.ReadOnly; why != "" {
		m.say("read-only: " + why)
		return nil
	}
	if m.busy != "" {
		m.say(m.busy)
		return nil
	}
	m.gen++
	gen := m.gen
	m.busy = "planning …"
	return m.tasks.command(func(ctx context.Context) tea.Msg {
		plan, err := m.deps.Runs.Plan(ctx, i.Goal, i.Nodes)
		return plannedMsg{gen: gen, plan: plan, err: err}
	})
}

func (m *model) planned(msg plannedMsg) {
	if msg.gen != m.gen {
		return
	}
	m.busy, m.dirty = "", true
	if msg.err != nil {
		m.say("no plan: " + msg.err.Error())
		return
	}
	m.show(view.NewPlanScreen(msg.plan))
	m.lookAtRelease()
}

// start starts the plan that is on the screen. While it starts nothing else is
// started; the console that was left meanwhile lets go of the run at once.
func (m *model) start(i view.StartRun) tea.Cmd {
	if m.busy != "" || m.live() {
		m.say("not started: " + orText(m.busy, "a run is going on"))
		return nil
	}
	m.busy = "starting …"
	if i.Plan.TookOver != "" && m.rel != nil {
		m.tookOver = m.rel.Started
	}
	return m.tasks.command(func(ctx context.Context) tea.Msg {
		run, err := m.deps.Runs.Start(ctx, i.Plan)
		if err == nil && ctx.Err() != nil {
			detach(run, "the console was left while the run started")
		}
		return startedMsg{run: run, err: err}
	})
}

// takeUp takes an unfinished run up again, which then asks.
func (m *model) takeUp(i view.TakeUp) tea.Cmd {
	if i.Run.Verb == journal.VerbReconfigure && m.deps.Reconfigures != nil && m.busy == "" {
		return m.beginReconfigure("taking the run up again …", func(ctx context.Context) (LiveReconfigure, error) {
			return m.deps.Reconfigures.Resume(ctx, i.Run.ID)
		})
	}
	runs, can := m.deps.Runs.(Resumer)
	if !can || m.busy != "" {
		m.say("not taken up: " + orText(m.busy, "this console cannot"))
		return nil
	}
	m.busy = "taking the run up again …"
	return m.tasks.command(func(ctx context.Context) tea.Msg {
		run, err := runs.Resume(ctx, i.Run.ID)
		if err == nil && ctx.Err() != nil {
			detach(run, "the console was left while the run was taken up")
		}
		return startedMsg{run: run, err: err}
	})
}

func (m *model) started(msg startedMsg) {
	m.busy, m.dirty = "", true
	if msg.err != nil {
		m.say("not started: " + msg.err.Error())
		return
	}
	if m.status != nil {
		m.earlier = append(m.earlier, m.status)
	}
	m.run = msg.run
	m.deps.Unfinished = view.OpenRun{}
	m.follow(msg.run)
	m.look()
	m.show(view.NewRunScreen())
}

// answer gives an answer to the run, signed and dated. The run refuses one
// that is bound to an older question.
func (m *model) answer(a rollout.Answer) tea.Cmd {
	if m.run == nil {
		return nil
	}
	m.toast = toast{} // what was said before the answer is over
	a.By, a.At = m.deps.Operator, m.deps.Now()
	run := m.run
	return m.tasks.command(func(context.Context) tea.Msg {
		return answeredMsg{word: a.Word, err: run.Answer(a)}
	})
}

func (m *model) answered(msg answeredMsg) {
	m.dirty = true
	if msg.err != nil {
		m.say(fmt.Sprintf("%s was not taken: %v", msg.word, msg.err))
	}
	m.look()
}

// pauseRun pauses the run, now or once its phase is over; it then asks how to go on.
func (m *model) pauseRun(i view.PauseRun) tea.Cmd {
	if m.run == nil {
		return nil
	}
	run, pause := m.run, m.run.Pause
	said := "pausing; what runs at the controller goes on"
	if i.Later {
		pause, said = run.PauseLater, "the run pauses when this phase is over"
	}
	m.say(said)
	return m.tasks.command(func(context.Context) tea.Msg {
		pause(i.Why)
		return changedMsg{}
	})
}

// quit leaves, after a question when a run is live.
func (m *model) quit() tea.Cmd {
	if m.live() {
		if m.top().ID() != view.ScreenQuit {
			m.push(view.NewQuit())
		}
		return nil
	}
	return tea.Quit
}

// leaveRun lets go of the run and then ends the program.
func (m *model) leaveRun() tea.Cmd {
	var live []Detachable
	if view.RunLive(m.status) {
		live = append(live, m.run)
	}
	if view.ReconfigureLive(m.respecStatus) {
		live = append(live, m.respec)
	}
	m.busy = "leaving …"
	return m.tasks.command(func(context.Context) tea.Msg {
		for _, run := range live {
			detach(run, "the operator left it")
		}
		return leftMsg{}
	})
}

// detach lets go of a run and waits until its journal is closed. A restart command
// is waited for as long as detachMax and then left running (E9, E11).
func detach(run Detachable, why string) {
	run.Detach(why)
	letGo(run, why)
}

// letGo waits for a run that was told to end.
func letGo(run Detachable, why string) {
	if closed(run) {
		return
	}
	run.Abandon(why + ", while its restart command runs")
	closed(run)
}

// closed waits for the end of a run, detachMax at most.
func closed(run Detachable) bool {
	limit := time.NewTimer(detachMax)
	defer limit.Stop()
	select {
	case <-run.Done():
		return true
	case <-limit.C:
		return false
	}
}

// cancelRun cancels what runs on the server, if the question that stands takes
// that; else the run is paused first, and asks.
func (m *model) cancelRun() tea.Cmd {
	m.pop()
	if m.run == nil || m.status == nil {
		return nil
	}
	m.open(view.ScreenRun)
	if p := m.status.Prompt; p != nil {
		if choice, ok := p.Choice(rollout.WordCancel); ok && choice.Off == "" && !choice.TypeID {
			return m.answer(rollout.Answer{Prompt: p.ID, Word: rollout.WordCancel})
		}
	}
	cmd := m.pauseRun(view.PauseRun{Why: "the operator wants to cancel what runs"})
	m.say("pausing the run; cancel is among the answers to its next question")
	return cmd
}

func orText(text, otherwise string) string {
	if text != "" {
		return text
	}
	return otherwise
}
