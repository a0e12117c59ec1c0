package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/StorconTUI/storcon-tui/engine/reconfigure"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/themes"
	"github.com/StorconTUI/storcon-tui/ui/component"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

// ReconfigureScreen follows a reconfigure and takes the operator's answers.
type ReconfigureScreen struct {
	guard  guard
	choice *reconfigure.Choice // whose reason is being typed; nil = none
	prompt string              // that it belongs to
	field  component.Field
	log    bool // the log instead of the question
	items  component.Scroll
	below  component.Scroll
}

var (
	_ Screen    = (*ReconfigureScreen)(nil)
	_ TextEntry = (*ReconfigureScreen)(nil)
)

// NewReconfigure follows the context's reconfigure.
func NewReconfigure() *ReconfigureScreen { return &ReconfigureScreen{} }

// ID is "reconfigure".
func (v *ReconfigureScreen) ID() string { return ScreenReconfigure }

// Typing reports a reason that is being typed.
func (v *ReconfigureScreen) Typing() bool { return v.choice != nil }

// Paste takes text into the reason. It never answers anything.
func (v *ReconfigureScreen) Paste(text string) { v.field.Paste(text) }

// respecWords are the keys of answers that only a reconfigure takes.
var respecWords = map[string]rollout.Word{"C": reconfigure.WordContinue}

func respecKey(w rollout.Word) string {
	for key, word := range respecWords {
		if word == w {
			return key
		}
	}
	return KeyFor(w)
}

// Key handles one key press.
func (v *ReconfigureScreen) Key(key string, c *Context) Intent {
	id := ""
	if c.Reconfigure != nil && c.Reconfigure.Prompt != nil {
		id = c.Reconfigure.Prompt.ID
	}
	alone := v.guard.press(key, id, c.Now)
	if v.choice != nil {
		return v.reasonKey(key, id, alone)
	}
	word, ok := respecWords[key]
	if !ok {
		word, ok = wordFor(key)
	}
	if ok {
		return v.wordKey(word, c, alone)
	}
	b, _ := commandFor(ScreenReconfigure, key)
	switch b.Command {
	case CmdPauseLater:
		if c.Reconfigure != nil && c.Reconfigure.State == reconfigure.RunRunning && id == "" {
			return PauseReconfigure{Later: true}
		}
	case CmdLog:
		v.log = !v.log
		v.below.First()
	case CmdUp:
		v.scrolled().Move(-1)
	case CmdDown:
		v.scrolled().Move(1)
	case CmdPageUp:
		v.scrolled().Page(-1)
	case CmdPageDn:
		v.scrolled().Page(1)
	}
	return wayOut(b.Command)
}

// scrolled is what the keys move: the computes while they do not fit, else what is below.
func (v *ReconfigureScreen) scrolled() *component.Scroll {
	if !v.log && !v.items.All() {
		return &v.items
	}
	return &v.below
}

// reasonKey completes an answer. The entry ends with its question.
func (v *ReconfigureScreen) reasonKey(key, prompt string, alone bool) Intent {
	switch {
	case v.prompt != prompt:
		v.choice = nil
		return Say{"the question has changed; nothing was sent"}
	case key == "esc":
		v.choice = nil
		return Say{"taken back; nothing was sent"}
	case key != "enter":
		v.field.Key(key)
		return nil
	}
	reason := strings.TrimSpace(v.field.Text())
	if !alone || reason == "" {
		return nil
	}
	word := v.choice.Word
	v.choice = nil
	return AnswerReconfigure{Answer: reconfigure.Answer{Prompt: prompt, Word: word, Reason: reason}}
}

// wordKey answers the question on the screen, or begins to.
func (v *ReconfigureScreen) wordKey(word rollout.Word, c *Context, alone bool) Intent {
	st := c.Reconfigure
	if st == nil || st.Outcome != nil {
		return nil
	}
	p := st.Prompt
	if p == nil {
		if word == rollout.WordNo && st.State == reconfigure.RunRunning {
			return PauseReconfigure{}
		}
		return nil
	}
	if !alone {
		return nil
	}
	choice, ok := p.Choice(word)
	switch {
	case !ok:
		return Say{respecKey(word) + " is no answer to this question"}
	case choice.Off != "":
		return Say{string(word) + " is off: " + choice.Off}
	case choice.Reason:
		v.choice, v.prompt = &choice, p.ID
		v.field.Set("")
		return nil
	}
	return AnswerReconfigure{Answer: reconfigure.Answer{Prompt: p.ID, Word: word}}
}

// Lines draws the computes, then the question, the log or the report.
func (v *ReconfigureScreen) Lines(c *Context, w, h int) []string {
	p := newSheet(c, w)
	st := c.Reconfigure
	if st == nil {
		p.text(p.s.Text, "No reconfigure has been started by this console.")
		return finish(c, component.Box(p.lines, w, h))
	}
	id := ""
	if st.Prompt != nil {
		id = st.Prompt.ID
	}
	v.guard.shows(id, c.Now)
	if v.choice != nil && v.prompt != id {
		v.choice = nil
	}
	p.headline("RECONFIGURE "+shortRun(st.Run), respecSummary(st, c), respecRight(st))
	p.rule()
	below := v.lower(c, st, w)
	room := min(len(st.Items), max(3, h-len(p.lines)-1-len(below)))
	p.window(&v.items, itemLines(c, st, w), room)
	p.rule()
	p.window(&v.below, below, h-len(p.lines))
	return finish(c, component.Box(p.lines, w, h))
}

func respecSummary(st *reconfigure.Status, c *Context) string {
	over := 0
	for i := range st.Items {
		if st.Items[i].State.Over() {
			over++
		}
	}
	text := fmt.Sprintf("%d of %s over", over, prose.Things(int64(len(st.Items)), "compute"))
	if st.Plan.Waves > 1 {
		text += fmt.Sprintf(" · wave %d of %d", st.Wave, st.Plan.Waves)
	}
	end := c.Now
	if !st.Ended.IsZero() {
		end = st.Ended
	}
	return text + " · " + prose.Span(end.Sub(st.Started))
}

func respecRight(st *reconfigure.Status) string {
	if o := st.Outcome; o != nil {
		return fmt.Sprintf("%s (exit %d)", o.Word, o.Exit)
	}
	return prose.ReconfigureRunState(st.State)
}

// itemLines is a line for each compute.
func itemLines(c *Context, st *reconfigure.Status, w int) []string {
	name := 8
	for i := range st.Items {
		name = min(max(name, component.Width(st.Items[i].Item.Compute)), max(w/3, 8))
	}
	lines := make([]string, 0, len(st.Items))
	for i := range st.Items {
		it := &st.Items[i]
		l := component.NewLine(w).Gap(1).PutRight(c.Styles.Dim, strconv.Itoa(it.Item.Wave), 2).Gap(1)
		l.Put(itemStyle(c.Styles, it), itemMark(it.State)).Gap(1)
		l.Put(c.Styles.Accent, component.TruncateMiddle(it.Item.Compute, name)).To(8 + name)
		l.PutMax(c.Styles.Dim, string(it.Compute), 14).To(8 + name + 15)
		text := prose.ItemLine(it)
		if !it.State.Over() && !it.Sent.IsZero() {
			text += " for " + prose.Span(c.Now.Sub(it.Sent))
		}
		lines = append(lines, l.Put(itemStyle(c.Styles, it), text).String())
	}
	return lines
}

func itemMark(s reconfigure.ItemState) string {
	switch s {
	case reconfigure.ItemPending:
		return "·"
	case reconfigure.ItemDone, reconfigure.ItemAccepted:
		return "✓"
	case reconfigure.ItemSkipped:
		return "-"
	case reconfigure.ItemDegraded, reconfigure.ItemGone:
		return "!"
	}
	if s.Bad() {
		return "✗"
	}
	return "▸"
}

func itemStyle(s *themes.Styles, it *reconfigure.ItemStatus) themes.Style {
	switch {
	case it.State.Bad():
		return s.Bad
	case it.State == reconfigure.ItemDone || it.State == reconfigure.ItemAccepted:
		return s.Good
	case it.State == reconfigure.ItemDegraded || it.State == reconfigure.ItemGone || it.State == reconfigure.ItemSkipped:
		return s.Warn
	case it.State == reconfigure.ItemPending:
		return s.Dim
	}
	return s.Strong
}

// lower is what stands below the computes.
func (v *ReconfigureScreen) lower(c *Context, st *reconfigure.Status, w int) []string {
	p := newSheet(c, w)
	switch {
	case v.log:
		v.drawLog(p, c, st)
	case st.Outcome != nil:
		p.text(p.s.Title, "REPORT  "+prose.ReconfigureTitle(st.Plan))
		for i := range st.Items {
			if it := &st.Items[i]; len(it.Path) > 0 {
				p.fact(prose.Fact{Label: "states", Lines: []string{it.Item.Compute + ": " + prose.ItemPath(it)}}, p.s.Dim)
			}
		}
		for _, f := range prose.ReconfigureFacts(st) {
			p.fact(f, factStyle(p.s, f.Label))
		}
	case st.Prompt != nil:
		v.drawQuestion(p, st)
	default:
		p.text(p.s.Dim, "no question is open: "+respecKey(rollout.WordNo)+" pauses the run once every call is over")
		v.drawLog(p, c, st)
	}
	return p.lines
}

func (v *ReconfigureScreen) drawLog(p *sheet, c *Context, st *reconfigure.Status) {
	for _, n := range slices.Backward(st.Notes) {
		style, row := p.s.Text, ""
		if n.Bad {
			style = p.s.Warn
		}
		if n.Row != "" {
			row = "  [" + n.Row + "]"
		}
		p.text(style, n.At.In(c.Location).Format("15:04:05")+"  "+strings.TrimSpace(n.Compute+"  "+n.Text)+row)
	}
}

// drawQuestion draws the question, its facts and what each key does.
func (v *ReconfigureScreen) drawQuestion(p *sheet, st *reconfigure.Status) {
	title, facts := prose.ReconfigureAsk(st, st.Prompt)
	p.text(p.s.Title, title)
	if v.choice != nil {
		p.text(p.s.Danger, string(v.choice.Word)+": "+v.choice.Does)
		l := component.NewLine(p.w).Gap(1).Put(p.s.Strong, "Why? Then enter:").Gap(1)
		v.field.Draw(l, p.s, max(l.Left()-22, 8))
		p.add(l.Gap(2).Put(p.s.Dim, "esc takes it back"))
		return
	}
	for i, f := range facts {
		if i == 6 && len(facts) > 7 {
			p.text(p.s.Dim, fmt.Sprintf("  … and %d more, as above", len(facts)-i))
			break
		}
		p.text(p.s.Text, "  "+f)
	}
	for _, ch := range st.Prompt.Choices {
		l := component.NewLine(p.w).Gap(3).Put(p.s.Key, respecKey(ch.Word)).To(6)
		switch {
		case ch.Off != "":
			l.Put(p.s.Dim, string(ch.Word)+" is off: "+ch.Off)
		default:
			l.Put(p.s.Strong, string(ch.Word)).To(19).Put(p.s.Text, ch.Does)
		}
		p.add(l)
	}
}

// Hints are the keys that work here besides the answers, which stand with their question.
func (v *ReconfigureScreen) Hints(c *Context) []Hint {
	if v.choice != nil {
		return []Hint{{Key: "enter", Does: "after what was typed"}, {Key: "esc", Does: "take it back"}}
	}
	var hints []Hint
	if st := c.Reconfigure; st != nil && st.Outcome == nil && st.Prompt == nil {
		hints = append(hints, Hint{Key: KeyFor(rollout.WordNo), Does: "pause now"}, Hint{Key: "P", Does: "pause after this wave"})
	}
	back := "back"
	if ReconfigureLive(c.Reconfigure) {
		back = "back (the run goes on)"
	}
	return append(hints, Hint{Key: "l", Does: "log"}, Hint{Key: "down/up", Does: "scroll"},
		Hint{Key: "esc", Does: back}, Hint{Key: "?", Does: "help"}, Hint{Key: "q", Does: "quit"})
}

// ReconfigureLive reports that a reconfigure of ours is going on.
func ReconfigureLive(st *reconfigure.Status) bool {
	return st != nil && st.State != reconfigure.RunEnded
}

// leftOnComputes says what stands on the computes of a reconfigure that is left now.
func leftOnComputes(c *Context) []string {
	var sent, waiting []string
	for i := range c.Reconfigure.Items {
		it := &c.Reconfigure.Items[i]
		switch {
		case it.State.Over():
		case it.Sent.IsZero():
			waiting = append(waiting, it.Item.Compute)
		default:
			sent = append(sent, it.Item.Compute)
		}
	}
	var lines []string
	if len(sent) > 0 {
		lines = append(lines, "sent, and not over yet: "+strings.Join(sent, ", ")+"; the computes go on by themselves")
	}
	if len(waiting) > 0 {
		lines = append(lines, "nothing was sent to "+strings.Join(waiting, ", "))
	}
	if len(lines) == 0 {
		lines = append(lines, "nothing: every compute is over")
	}
	return lines
}

// respecKeyMap is the part of the key map for these screens.
func respecKeyMap() []Binding {
	form, run := []string{ScreenRespec}, []string{ScreenReconfigure}
	both := []string{ScreenRespec, ScreenReconfigure}
	table := []Binding{
		{Keys: []string{"p"}, Shown: "p", Short: "patch", Long: "a JSON merge patch over each last known spec", Command: CmdPatch, Screens: form},
		{Keys: []string{"r"}, Shown: "r", Short: "re-point", Long: "each last known spec, with the pageservers that the controller tells now", Command: CmdRepoint, Screens: form},
		{Keys: []string{"f"}, Shown: "f", Short: "whole spec", Long: "a whole spec in a file, for one compute", Command: CmdWhole, Screens: form},
		{Keys: []string{"d"}, Shown: "d", Short: "directory", Long: "a directory with a whole spec NAME.json for each", Command: CmdDirectory, Screens: form},
		{Keys: []string{"s"}, Shown: "s", Short: "start", Long: "start the plan; the first question comes before the first call", Command: CmdStart, Screens: form},
		{Keys: []string{"P"}, Shown: "P", Short: "pause later", Long: "pause the run once the wave is over", Command: CmdPauseLater, Screens: run},
		{Keys: []string{"l"}, Shown: "l", Short: "log", Long: "the run's log; again: back to the question", Command: CmdLog, Screens: run},
		{Keys: []string{"C"}, Shown: "C", Short: string(reconfigure.WordContinue), Long: "go on although more failed than may, with a reason", Command: "answer " + Command(reconfigure.WordContinue), Screens: run},
	}
	for _, k := range wordKeys {
		switch k.word {
		case rollout.WordYes, rollout.WordNo, rollout.WordSkip, rollout.WordWait, rollout.WordResume, rollout.WordAbort, rollout.WordDetach, rollout.WordRestOfRun:
			table = append(table, Binding{Keys: []string{k.key}, Shown: k.key, Short: string(k.word), Long: respecLong[k.word], Command: Command("answer " + k.word), Screens: run})
		}
	}
	return append(table,
		Binding{Keys: []string{"up", "k"}, Shown: "up, k", Short: "up", Long: "one line up", Command: CmdUp, Screens: both},
		Binding{Keys: []string{"down", "j"}, Shown: "down, j", Short: "down", Long: "one line down", Command: CmdDown, Screens: both},
		Binding{Keys: []string{"pgup", "ctrl+b"}, Shown: "pgup", Short: "page up", Long: "one screen up", Command: CmdPageUp, Screens: both},
		Binding{Keys: []string{"pgdown", "ctrl+f"}, Shown: "pgdown", Short: "page down", Long: "one screen down", Command: CmdPageDn, Screens: both},
		Binding{Keys: []string{"esc"}, Shown: "esc", Short: "back", Long: "back to the screen before; a run goes on", Command: CmdBack, Screens: slices.Clone(both)},
		Binding{Keys: []string{"?"}, Shown: "?", Short: "help", Long: "this help", Command: CmdHelp, Screens: both},
		Binding{Keys: []string{"q"}, Shown: "q", Short: "quit", Long: "leave the console; with a live run it asks what becomes of it", Command: CmdQuit, Screens: both},
		Binding{Keys: []string{"ctrl+c"}, Shown: "ctrl+c", Short: "close", Long: "close the innermost thing; with a live run, the question above", Command: CmdClose, Screens: both},
		Binding{Keys: []string{"ctrl+l"}, Shown: "ctrl+l", Short: "redraw", Long: "draw the whole screen again", Command: CmdRedraw, Screens: both},
	)
}

// respecLong is what the shared answers do to a reconfigure.
var respecLong = map[rollout.Word]string{
	rollout.WordYes:       "yes: send the specs of this wave",
	rollout.WordNo:        "pause the run here",
	rollout.WordSkip:      "send nothing to this wave, with a reason",
	rollout.WordWait:      "look again at computes that are not ready",
	rollout.WordResume:    "go on with a paused run",
	rollout.WordAbort:     "end the run; what was applied stays",
	rollout.WordDetach:    "leave the run; it can be taken up again",
	rollout.WordRestOfRun: "yes to the waves to come, until the first trouble",
}
