package ui

import (
	"context"
	"io"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/StorconTUI/storcon-tui/themes"
	"github.com/StorconTUI/storcon-tui/ui/component"
	"github.com/StorconTUI/storcon-tui/ui/view"
)

// Clusters is where the picture of all clusters comes from.
type Clusters interface {
	// Fleet is the present state, in the order of the configuration.
	Fleet() []view.FleetCluster
	// Changed is pinged after something has happened to one of them; pings that nobody took
	// are one.
	Changed() <-chan struct{}
}

// FleetDeps is everything that the program of all clusters needs. Clusters and Styles must
// be set; the rest is as in Deps.
type FleetDeps struct {
	Clusters Clusters
	Styles   *themes.Styles
	ASCII    bool
	Told     <-chan string
	Version  string
	Location *time.Location
	Settle   time.Duration

	Width, Height int

	Input  io.Reader
	Output io.Writer
	Stderr io.Writer
	Now    func() time.Time
}

// Fleet is the program of all clusters. It can be run again, and then goes on as it was left.
type Fleet struct {
	deps   FleetDeps
	common Deps // what it has in common with the console
	screen *view.FleetScreen
	say    string // when it is run next
}

// NewFleet makes the program; nothing is drawn yet.
func NewFleet(d FleetDeps) *Fleet {
	common := Deps{
		Version: d.Version, Location: d.Location, Settle: d.Settle, Width: d.Width, Height: d.Height,
		Input: d.Input, Output: d.Output, Stderr: d.Stderr, Now: d.Now,
	}.withDefaults()
	return &Fleet{deps: d, common: common, screen: view.NewFleet()}
}

// Say has a line of feedback shown when it is run next.
func (f *Fleet) Say(text string) { f.say = text }

// Run shows all clusters until the operator opens one, which is picked, or leaves, and then
// picked is "". The errors are those of the console's Run.
func (f *Fleet) Run(parent context.Context) (picked string, err error) {
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	m := newFleetModel(f)
	e := &ending{cancel: cancel}
	m.crash = e.crashed
	program := tea.NewProgram(m, options(ctx, f.common)...)

	var wg sync.WaitGroup
	p := &pinger{source: f.deps.Clusters.Changed(), follow: make(chan follower), send: program.Send}
	wg.Go(func() {
		defer recovered("the listener", e.crashed)
		p.run(ctx)
	})
	wg.Go(func() { e.watch(ctx, f.common.Input) })
	wg.Go(func() { listen(ctx, f.deps.Told, program.Send) })

	_, err = program.Run()
	cancel()
	wg.Wait()
	if err = e.reason(parent, f.common, err); err != nil {
		return "", err
	}
	return m.picked, nil
}

// fleetModel is the root of that program.
type fleetModel struct {
	deps   FleetDeps
	common Deps
	stack  []view.Screen // all clusters, and the help when it is open
	guard  guard
	w, h   int

	clusters []view.FleetCluster
	toast    toast
	picked   string

	frame    string
	dirty    bool
	lookedAt int64 // second
	crash    func(where string, cause any)
}

var _ tea.Model = (*fleetModel)(nil)

func newFleetModel(f *Fleet) *fleetModel {
	m := &fleetModel{
		deps: f.deps, common: f.common, stack: []view.Screen{f.screen}, w: f.deps.Width, h: f.deps.Height, dirty: true,
		crash: func(_ string, cause any) { panic(cause) },
	}
	m.guard.settle = m.common.Now().Add(m.common.Settle)
	m.look()
	if f.say != "" {
		m.say(f.say)
		f.say = ""
	}
	return m
}

// Init has nothing to do: all that there is to know comes as messages.
func (m *fleetModel) Init() tea.Cmd { return nil }

// Update routes one message. A panic in it ends the program in order.
func (m *fleetModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	defer recovered("routing", m.crash)
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.w, m.h, m.dirty = msg.Width, msg.Height, true
	case tea.KeyMsg:
		m.dirty = true
		return m, m.key(msg)
	case changedMsg:
		m.look()
	case tea.FocusMsg:
		m.dirty = true
	case toldMsg:
		m.say(string(msg))
	}
	return m, nil
}

// look takes over what the clusters are now, once a second at most: of so many one is read
// all the time.
func (m *fleetModel) look() {
	now := m.common.Now()
	if m.clusters != nil && now.Unix() == m.lookedAt {
		return
	}
	m.lookedAt = now.Unix()
	m.clusters, m.dirty = m.deps.Clusters.Fleet(), true
	if m.toast.text != "" && now.After(m.toast.until) {
		m.toast = toast{}
	}
}

func (m *fleetModel) say(text string) {
	m.toast, m.dirty = toast{text: component.Printable(text), until: m.common.Now().Add(toastFor)}, true
}

func (m *fleetModel) context() *view.Context {
	return &view.Context{
		Styles: m.deps.Styles, ASCII: m.deps.ASCII, Now: m.common.Now(), Location: m.common.Location, Fleet: m.clusters,
	}
}

func (m *fleetModel) top() view.Screen { return m.stack[len(m.stack)-1] }

// key routes one key press as the console does.
func (m *fleetModel) key(k tea.KeyMsg) tea.Cmd {
	entry, _ := m.top().(view.TextEntry)
	typing := entry != nil && entry.Typing()
	switch m.guard.judge(k, m.common.Now(), typing) {
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
	case key == "ctrl+l":
		return tea.ClearScreen
	case key == "ctrl+c" && typing:
		return m.take(m.top().Key("esc", c))
	case key == "ctrl+c" && len(m.stack) > 1:
		return m.take(view.Back{})
	case key == "ctrl+c":
		return m.take(view.Quit{})
	case typing && k.Type == tea.KeyRunes && !k.Alt:
		return m.take(m.top().Key(string(k.Runes), c))
	default:
		return m.take(m.top().Key(key, c))
	}
}

// take carries out what a screen asks for.
func (m *fleetModel) take(i view.Intent) tea.Cmd {
	switch i := i.(type) {
	case view.Quit:
		return tea.Quit
	case view.OpenCluster:
		m.picked = i.Name
		return tea.Quit
	case view.Open: // the help: there is nothing else to open
		if len(m.stack) == 1 {
			m.stack = append(m.stack, view.NewFleetHelp())
		}
	case view.Back:
		m.stack = m.stack[:1]
	case view.Say:
		m.say(i.Text)
	}
	return nil
}

// View is the frame; it is drawn when something has changed.
func (m *fleetModel) View() string {
	if m.dirty {
		m.redraw()
	}
	return m.frame
}

func (m *fleetModel) redraw() {
	defer recovered("drawing", m.crash)
	m.dirty = false
	if m.w <= 0 || m.h <= 0 {
		m.frame = ""
		return
	}
	c := m.context()
	s := c.Styles
	head := []string{component.NewLine(m.w).Gap(1).Put(s.Dim, "storcon-tui  ").Put(s.Strong, "all clusters").
		Put(s.Dim, " · reads only").String()}
	foot := footerLines(s, m.toast.text, m.top().Hints(c), m.w)
	m.frame = frameOf(c, m.top(), head, foot, m.w, m.h, false)
}
