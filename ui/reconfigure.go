package ui

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/StorconTUI/storcon-tui/engine/reconfigure"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/ui/view"
)

// Reconfigures makes plans for computes and starts them. Both may take long and end with
// ctx.
type Reconfigures interface {
	Plan(ctx context.Context, r reconfigure.Request) (reconfigure.Plan, error)
	// Start starts a run. It is not bound to ctx: it lives until it ends or is detached.
	Start(ctx context.Context, plan reconfigure.Plan) (LiveReconfigure, error)
	// FindStale are the computes whose last known spec is known to name other
	// pageservers than the controller.
	FindStale(ctx context.Context) []reconfigure.Stale
	// Resume takes an unfinished run up again, as Start.
	Resume(ctx context.Context, run string) (LiveReconfigure, error)
}

// LiveReconfigure is a live or ended run about computes.
type LiveReconfigure interface {
	Detachable
	Status() *reconfigure.Status
	Subscribe() (<-chan struct{}, func())
	Answer(a reconfigure.Answer) error
	Pause(why string)
	PauseLater(why string)
}

// Detachable is a run that can be let go of.
type Detachable interface {
	Detach(why string)
	Killed(why string, exit rollout.ExitCode)
	Abandon(why string)
	Done() <-chan struct{}
}

// Results of commands about computes.
type (
	specPlannedMsg struct {
		plan reconfigure.Plan
		err  error
	}
	specStartedMsg struct {
		run LiveReconfigure
		err error
	}
)

// routeOfComputes takes what came of commands about computes.
func (m *model) routeOfComputes(msg tea.Msg) {
	switch msg := msg.(type) {
	case staleMsg:
		m.compared(msg)
	case specPlannedMsg:
		m.specPlanned(msg)
	case specStartedMsg:
		m.specStarted(msg)
	}
}

// carryOnComputes does what a screen about computes asks for.
func (m *model) carryOnComputes(i view.Intent) tea.Cmd {
	switch i := i.(type) {
	case view.OpenCompute:
		m.push(view.NewCompute(i.Name))
	case view.OpenComputes:
		m.push(view.NewComputesOn(i.Node))
	case view.Respec:
		m.push(view.NewRespec(i.Computes))
	case view.MakeSpecPlan:
		return m.makeSpecPlan(i)
	case view.StartReconfigure:
		return m.startReconfigure(i)
	case view.AnswerReconfigure:
		return m.answerReconfigure(i.Answer)
	case view.PauseReconfigure:
		return m.pauseReconfigure(i)
	}
	return nil
}

// makeSpecPlan asks for a plan; the screen that wants it shows it.
func (m *model) makeSpecPlan(i view.MakeSpecPlan) tea.Cmd {
	if why := m.specsOff(); why != "" {
		return func() tea.Msg { return specPlannedMsg{err: fmt.Errorf("no plan: %s", why)} }
	}
	return m.tasks.command(func(ctx context.Context) tea.Msg {
		plan, err := m.deps.Reconfigures.Plan(ctx, i.Request)
		return specPlannedMsg{plan: plan, err: err}
	})
}

// specsOff is why nothing can be sent to computes, "" when it can.
func (m *model) specsOff() string {
	switch {
	case m.deps.Reconfigures == nil:
		return "this console cannot reconfigure computes"
	case m.deps.ReadOnly != "":
		return "read-only: " + m.deps.ReadOnly
	case view.ReconfigureLive(m.respecStatus):
		return "a reconfigure is going on"
	case view.RunLive(m.status):
		return "a run is going on"
	}
	return m.busy
}

func (m *model) specPlanned(msg specPlannedMsg) {
	m.dirty = true
	if form, ok := m.top().(*view.RespecScreen); ok {
		form.Planned(msg.plan, msg.err)
	}
}

func (m *model) startReconfigure(i view.StartReconfigure) tea.Cmd {
	if why := m.specsOff(); why != "" {
		m.say("not started: " + why)
		return nil
	}
	return m.beginReconfigure("starting …", func(ctx context.Context) (LiveReconfigure, error) {
		return m.deps.Reconfigures.Start(ctx, i.Plan)
	})
}

// beginReconfigure begins a run; the console that was left meanwhile lets go of it at
// once.
func (m *model) beginReconfigure(doing string, begin func(context.Context) (LiveReconfigure, error)) tea.Cmd {
	m.busy = doing
	return m.tasks.command(func(ctx context.Context) tea.Msg {
		run, err := begin(ctx)
		if err == nil && ctx.Err() != nil {
			detach(run, "the console was left while the run started")
		}
		return specStartedMsg{run: run, err: err}
	})
}

func (m *model) specStarted(msg specStartedMsg) {
	m.busy, m.dirty = "", true
	if msg.err != nil {
		m.say("not started: " + msg.err.Error())
		return
	}
	m.respec = msg.run
	m.deps.Unfinished = view.OpenRun{}
	m.follow(msg.run)
	m.look()
	m.show(view.NewComputes())
	m.push(view.NewReconfigure())
}

// answerReconfigure gives an answer, signed and dated.
func (m *model) answerReconfigure(a reconfigure.Answer) tea.Cmd {
	run := m.respec
	if run == nil {
		return nil
	}
	m.toast = toast{}
	a.By, a.At = m.deps.Operator, m.deps.Now()
	return m.tasks.command(func(context.Context) tea.Msg {
		return answeredMsg{word: a.Word, err: run.Answer(a)}
	})
}

func (m *model) pauseReconfigure(i view.PauseReconfigure) tea.Cmd {
	run := m.respec
	if run == nil {
		return nil
	}
	pause, said := run.Pause, "pausing once every call is over; computes go on with what they were sent"
	if i.Later {
		pause, said = run.PauseLater, "the run pauses when this wave is over"
	}
	m.say(said)
	return m.tasks.command(func(context.Context) tea.Msg {
		pause("asked for by the operator")
		return changedMsg{}
	})
}

// openReconfigure shows the reconfigure of this session.
func (m *model) openReconfigure() {
	if m.respec == nil {
		m.say("no reconfigure has been started by this console")
		return
	}
	m.push(view.NewReconfigure())
}

// live reports a run of ours that is going on, about nodes or computes.
func (m *model) live() bool { return view.RunLive(m.status) || view.ReconfigureLive(m.respecStatus) }

// openOnComputes opens the console on a reconfigure, when it was asked for one.
func (m *model) openOnComputes() {
	if m.deps.SpecPlan != nil {
		form := view.NewRespec(nil)
		form.Planned(*m.deps.SpecPlan, nil)
		m.show(view.NewComputes())
		m.push(form)
	}
	if m.deps.Reconfigure != nil {
		m.respec = m.deps.Reconfigure
		m.look()
		m.show(view.NewComputes())
		m.push(view.NewReconfigure())
	}
}

// respecSeq tells one state of a reconfigure from the next.
func respecSeq(s *reconfigure.Status) uint64 {
	if s == nil {
		return 0
	}
	return s.Seq + 1
}
