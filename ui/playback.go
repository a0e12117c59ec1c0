package ui

import (
	"context"
	"io"
	"slices"
	"strconv"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/StorconTUI/storcon-tui/engine/history"
	"github.com/StorconTUI/storcon-tui/themes"
	"github.com/StorconTUI/storcon-tui/ui/component"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

// PastLine is a line of text about a moment that is over.
type PastLine struct {
	At   time.Time
	Text string
}

// Playback prints lines of the past one after the other, as far apart as they
// were, and takes the keys that pause it and change its speed. The lines stay on the
// terminal; only the last line, which tells where it is, is drawn anew.
type Playback struct {
	Lines    []PastLine // in their order; one that is older than the one before comes with it
	Speed    float64    // recorded seconds a second; see history.Transport
	Styles   *themes.Styles
	ASCII    bool
	Location *time.Location // nil = local
	Width    int            // to begin with; 0 = the terminal tells

	Input  io.Reader        // nil = the terminal
	Output io.Writer        // nil = standard output
	Now    func() time.Time // nil = time.Now
}

// whereCells is the room for where it is; the keys come after it.
const whereCells = 25

// playEvery is how often it is looked whether a line is due.
const playEvery = 50 * time.Millisecond

// Run plays until the last line was printed or the operator leaves.
func (p Playback) Run(ctx context.Context) error {
	if len(p.Lines) == 0 {
		return nil
	}
	if p.Now == nil {
		p.Now = time.Now
	}
	if p.Location == nil {
		p.Location = time.Local
	}
	p.Lines = slices.Clone(p.Lines)
	for i := range p.Lines[1:] {
		if p.Lines[i+1].At.Before(p.Lines[i].At) {
			p.Lines[i+1].At = p.Lines[i].At
		}
	}
	from, to := p.Lines[0].At, p.Lines[len(p.Lines)-1].At
	m := &playback{Playback: p, transport: history.NewTransport(from, to, p.Now(), p.Speed), w: p.Width}
	o := []tea.ProgramOption{tea.WithContext(ctx), tea.WithoutSignalHandler()}
	if p.Input != nil {
		o = append(o, tea.WithInput(p.Input))
	}
	if p.Output != nil {
		o = append(o, tea.WithOutput(p.Output))
	}
	_, err := tea.NewProgram(m, o...).Run()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// playback is the program of a Playback.
type playback struct {
	Playback
	transport history.Transport
	printed   int // lines
	w         int
	over      bool
}

type playMsg struct{}

func playLater() tea.Cmd {
	return tea.Tick(playEvery, func(time.Time) tea.Msg { return playMsg{} })
}

// Init prints what is due at once.
func (m *playback) Init() tea.Cmd { return func() tea.Msg { return playMsg{} } }

// Update takes a key, a size or the passing of time.
func (m *playback) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.w = msg.Width
	case tea.KeyMsg:
		return m, m.key(msg.String())
	case playMsg:
		return m, tea.Sequence(m.print(), m.goOn())
	}
	return m, nil
}

func (m *playback) key(key string) tea.Cmd {
	now := m.Now()
	switch key {
	case " ":
		if m.transport.Playing() {
			m.transport.Pause(now)
		} else {
			m.transport.Play(now)
		}
	case "+", "=":
		m.transport.Faster(now)
	case "-":
		m.transport.Slower(now)
	case "n", "right", "down", "enter":
		if m.printed < len(m.Lines) {
			m.transport.Seek(now, m.Lines[m.printed].At)
		}
	case "q", "esc", "ctrl+c":
		m.over = true
		return tea.Quit
	}
	return nil
}

// print prints the lines that are due.
func (m *playback) print() tea.Cmd {
	at := m.transport.Position(m.Now())
	begin := m.printed
	for m.printed < len(m.Lines) && !m.Lines[m.printed].At.After(at) {
		m.printed++
	}
	if begin == m.printed {
		return nil
	}
	cmds := make([]tea.Cmd, 0, m.printed-begin)
	for _, line := range m.Lines[begin:m.printed] {
		cmds = append(cmds, tea.Println(m.charset(component.Printable(line.Text))))
	}
	return tea.Sequence(cmds...)
}

// goOn waits for the next line, or ends.
func (m *playback) goOn() tea.Cmd {
	if m.printed < len(m.Lines) {
		return playLater()
	}
	m.over = true
	return tea.Quit
}

func (m *playback) charset(text string) string {
	if m.ASCII {
		return component.ASCII(text)
	}
	return text
}

// View is the line that tells where it is; none when it is over.
func (m *playback) View() string {
	if m.over || m.w == 0 {
		return ""
	}
	now := m.Now()
	l := component.NewLine(min(whereCells, m.w-1))
	l.Put(m.Styles.Badge, " REPLAY ").Gap(1)
	l.Put(m.Styles.Strong, m.transport.Position(now).In(m.Location).Format(time.TimeOnly)).Gap(2)
	if m.transport.Playing() {
		l.Put(m.Styles.Busy, speedWord(m.transport.Speed()))
	} else {
		l.Put(m.Styles.Warn, "paused")
	}
	return m.charset(l.String() + component.HintLine(m.Styles, m.hints(now), m.w-1-whereCells))
}

func (m *playback) hints(now time.Time) []component.Hint {
	next := component.Hint{Key: "n", Does: "next"}
	if m.printed < len(m.Lines) {
		next.Does += " (" + prose.SpanShort(m.Lines[m.printed].At.Sub(m.transport.Position(now)).Round(time.Second)) + ")"
	}
	pause := component.Hint{Key: "space", Does: "pause", Keep: true}
	if !m.transport.Playing() {
		pause.Does = "play"
	}
	return []component.Hint{
		pause, {Key: "+/-", Does: "speed"}, next, {Key: "q", Does: "leave", Keep: true},
	}
}

// speedWord is a speed in words: "2x".
func speedWord(speed float64) string {
	return strconv.FormatFloat(speed, 'g', 4, 64) + "x"
}
