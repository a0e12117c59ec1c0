package ui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/reconfigure"
	"github.com/StorconTUI/storcon-tui/engine/release"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/ui/component"
	"github.com/StorconTUI/storcon-tui/ui/view"
)

// model is the root: it routes messages and owns the frame.
type model struct {
	deps   Deps
	tasks  *tasks
	follow func(follower) // has the pinger listen to a run

	w, h  int
	stack []view.Screen // the last is on top
	guard guard

	run      LiveRun
	snapshot *cluster.Snapshot
	status   *rollout.Status

	respec       LiveReconfigure // nil = none of this session
	respecStatus *reconfigure.Status

	stale      map[string][]compute.Change // computes whose last known spec is stale
	comparing  bool                        // that is being found out
	comparedAt time.Time

	rel      *release.Release // as it was when a screen needed it last
	tookOver time.Time        // when the release began that was taken over; zero = none

	earlier []*rollout.Status // of this session's runs before this one
	digest  digest
	toast   toast
	busy    string      // what is under way, "" = nothing
	gen     int         // of the command under way; results of older ones are dropped
	held    view.Intent // a decision that waits for the end of a possible burst; nil = none
	holdGen int
	release func() // ends the watch of the open node's shards

	elsewhere    view.Elsewhere
	lookedAround time.Time
	looking      bool // other consoles are being looked at

	frame   string
	dirty   bool
	drawnAt int64 // second at which the frame was drawn
	crash   func(where string, cause any)
}

var _ tea.Model = (*model)(nil)

// toastFor is how long a line of feedback stays.
const toastFor = 6 * time.Second

// toast is a line of feedback.
type toast struct {
	text  string
	until time.Time
}

func newModel(ctx context.Context, d Deps) *model {
	d = d.withDefaults()
	m := &model{
		deps: d, w: d.Width, h: d.Height, tasks: newTasks(ctx), stack: []view.Screen{view.NewNodes()}, dirty: true,
		follow: func(follower) {}, release: func() {},
	}
	m.crash = m.tasks.crash
	m.guard.settle = d.Now().Add(d.Settle)
	m.look()
	if d.Run != nil {
		m.run = d.Run
		m.look()
		m.show(view.NewRunScreen())
	}
	if d.Plan != nil {
		m.show(view.NewPlanScreen(*d.Plan))
		m.lookAtRelease()
	}
	m.openOnComputes()
	if d.OpenRelease {
		m.openRelease()
	}
	return m
}

// Init listens to the run that the program opens on; all else that there is to
// know comes as messages.
func (m *model) Init() tea.Cmd {
	var run follower
	switch {
	case m.deps.Run != nil:
		run = m.deps.Run
	case m.deps.Reconfigure != nil:
		run = m.deps.Reconfigure
	default:
		return nil
	}
	return m.tasks.command(func(context.Context) tea.Msg {
		m.follow(run)
		return changedMsg{}
	})
}

// Update routes one message. A panic in it ends the program in order.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	defer recovered("routing", m.crash)
	return m, m.route(msg)
}

func (m *model) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.w, m.h, m.dirty = msg.Width, msg.Height, true
	case tea.KeyMsg:
		m.dirty = true
		return m.key(msg)
	case changedMsg:
		m.look()
		return tea.Batch(m.lookAround(), m.lookForStale())
	case tea.FocusMsg:
		m.dirty = true
	case plannedMsg:
		m.planned(msg)
	case startedMsg:
		m.started(msg)
	case answeredMsg:
		m.answered(msg)
	case heldMsg:
		return m.stands(msg)
	case runsMsg:
		m.looking = false
		m.runsRead(msg)
	case elsewhereMsg:
		m.looking = false
		return m.lookedElsewhere(msg)
	case toldMsg:
		m.say(string(msg))
		m.dirty = true
	case leftMsg:
		return tea.Quit
	default:
		m.routeOfComputes(msg)
	}
	return nil
}

// look takes over what the engine has now. The frame is drawn again when that
// is something else, and once a second for the ages on it.
func (m *model) look() {
	snapshot := m.deps.Source.Latest()
	var status *rollout.Status
	if m.run != nil {
		status = m.run.Status()
	}
	var respec *reconfigure.Status
	if m.respec != nil {
		respec = m.respec.Status()
	}
	now := m.deps.Now()
	if respecSeq(respec) != respecSeq(m.respecStatus) {
		m.dirty = true
	}
	m.respecStatus = respec
	if seq(snapshot) != seq(m.snapshot) || runSeq(status) != runSeq(m.status) || now.Unix() != m.drawnAt {
		m.dirty = true
	}
	m.snapshot, m.status = snapshot, status
	m.lookAtRelease()
	if m.toast.text != "" && now.After(m.toast.until) {
		m.toast, m.dirty = toast{}, true
	}
}

func seq(s *cluster.Snapshot) uint64 {
	if s == nil {
		return 0
	}
	return s.Seq
}

func runSeq(s *rollout.Status) uint64 {
	if s == nil {
		return 0
	}
	return s.Seq + 1
}

// context is what screens draw from.
func (m *model) context() *view.Context {
	return &view.Context{
		Styles: m.deps.Styles, ASCII: m.deps.ASCII, Now: m.deps.Now(), Location: m.deps.Location,
		Snapshot: m.snapshot, Run: m.status, Reconfigure: m.respecStatus, Stale: m.stale, Release: m.rel, TookOver: m.tookOver,
		Earlier: m.earlier, Unfinished: m.deps.Unfinished, Elsewhere: m.elsewhere,
	}
}

func (m *model) top() view.Screen { return m.stack[len(m.stack)-1] }

// key routes one key press: what is no person's key is dropped, pasted text
// goes to a text field or nowhere, and everything else to the screen on top.
func (m *model) key(k tea.KeyMsg) tea.Cmd {
	entry, _ := m.top().(view.TextEntry)
	typing := entry != nil && entry.Typing()
	m.unhold()
	switch m.guard.judge(k, m.deps.Now(), typing) {
	case drop:
		return nil
	case paste:
		if typing {
			entry.Paste(string(k.Runes))
		}
		return nil
	}
	c := m.context()
	switch key := k.String(); {
	case key == "ctrl+c":
		return m.close(typing, c)
	case key == "ctrl+l":
		return tea.ClearScreen
	case typing && k.Type == tea.KeyRunes && !k.Alt:
		// The string of a key may be more than its character.
		return m.take(m.top().Key(string(k.Runes), c))
	default:
		return m.take(m.top().Key(key, c))
	}
}

// close is ctrl+c: it closes the innermost thing. With a live run it is
// always a question what becomes of that.
func (m *model) close(typing bool, c *view.Context) tea.Cmd {
	switch {
	case typing:
		return m.take(m.top().Key("esc", c))
	case m.top().ID() == view.ScreenQuit:
		m.pop()
	case m.live():
		return m.quit()
	case len(m.stack) > 1:
		m.pop()
	default:
		return m.quit()
	}
	return nil
}

// push opens a screen on top, pop goes back.
func (m *model) push(s view.Screen) {
	m.stack = append(m.stack, s)
	m.watch()
}

func (m *model) pop() {
	if len(m.stack) > 1 {
		m.stack = m.stack[:len(m.stack)-1]
		m.watch()
	}
}

// show puts a screen directly above the dashboard.
func (m *model) show(s view.Screen) {
	m.stack = append(m.stack[:1:1], s)
	m.watch()
}

// watch has that read more closely which is on the screen, and nothing else: the
// shards of a node, or a compute. What was said on the screen before is not true of
// this one.
func (m *model) watch() {
	m.toast = toast{}
	m.release()
	m.release = func() {}
	switch top := m.top().(type) {
	case interface{ Watches() client.NodeID }:
		if w, can := m.deps.Source.(ShardWatcher); can {
			m.release = w.WatchShards(top.Watches())
		}
	case interface{ WatchesCompute() string }:
		if w, can := m.deps.Source.(ComputeWatcher); can {
			m.release = w.WatchCompute(top.WatchesCompute())
		}
	}
}

// say shows a line of feedback for a few seconds.
func (m *model) say(text string) {
	m.toast = toast{text: component.Printable(text), until: m.deps.Now().Add(toastFor)}
	m.dirty = true
}

// View is the frame; it is drawn when something has changed.
func (m *model) View() string {
	if m.dirty {
		m.redraw()
	}
	return m.frame
}

func (m *model) redraw() {
	defer recovered("drawing", m.crash)
	m.dirty = false
	m.frame = m.draw()
}
