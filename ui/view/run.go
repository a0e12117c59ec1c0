package view

import (
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/ui/component"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

// PauseRun asks for a pause while no question is open: now, or once the phase that
// runs is over.
type PauseRun struct {
	Why   string
	Later bool
}

func (PauseRun) intent() {}

// below is what stands under the steps of a run.
type below int

const (
	belowNow      below = iota // the question, or what runs
	belowEvidence              // the question with all that is known
	belowLog
)

// RunScreen follows a run and takes the operator's answers.
type RunScreen struct {
	guard  guard
	entry  *entry
	below  below
	now    component.Scroll // of the question or what runs
	log    component.Scroll
	logEnd bool // the log stands at its newest line
	// shown is the prompt that was last drawn.
	shown string
	// dropped is the prompt that took the place of one for which something was
	// being typed.
	dropped string
}

// NewRunScreen follows the context's run.
func NewRunScreen() *RunScreen { return &RunScreen{logEnd: true} }

// ID names the screen.
func (v *RunScreen) ID() string { return ScreenRun }

// Typing reports an answer that is being completed: an id, a reason, a gate.
func (v *RunScreen) Typing() bool { return v.entry != nil }

// Paste takes text into a reason. It never answers anything.
func (v *RunScreen) Paste(text string) {
	if v.entry != nil {
		v.entry.paste(text)
	}
}

// Key handles one key press.
func (v *RunScreen) Key(key string, c *Context) Intent {
	id := ""
	if c.Run != nil && c.Run.Prompt != nil {
		id = c.Run.Prompt.ID
	}
	alone := v.guard.press(key, id, c.Now)
	if v.entry != nil {
		return v.entryKey(key, id, alone)
	}
	if word, ok := wordFor(key); ok {
		return v.wordKey(word, c, alone)
	}
	b, _ := commandFor(ScreenRun, key)
	switch b.Command {
	case CmdWaitFor:
		return v.waitFor(c, alone)
	case CmdPauseLater:
		return pauseLater(c)
	case CmdEvidence:
		v.toggle(belowEvidence)
	case CmdLog:
		v.toggle(belowLog)
	case CmdUp:
		v.scroll(-1)
	case CmdDown:
		v.scroll(1)
	case CmdPageUp:
		v.page(-1)
	case CmdPageDn:
		v.page(1)
	case CmdReport:
		return v.report(c)
	}
	return wayOut(b.Command)
}

// entryKey completes an answer. The entry ends with its question.
func (v *RunScreen) entryKey(key, prompt string, alone bool) Intent {
	if v.entry.prompt != prompt {
		v.entry, v.dropped = nil, prompt
		return Say{"the question has changed; nothing was sent"}
	}
	if key == "esc" {
		v.entry = nil
		return Say{"taken back; nothing was sent"}
	}
	if !v.entry.key(key, alone) {
		return nil
	}
	answer := v.entry.answer
	v.entry = nil
	return GiveAnswer{Answer: answer}
}

// wordKey answers the question on the screen, or begins to.
func (v *RunScreen) wordKey(word rollout.Word, c *Context, alone bool) Intent {
	if c.Run == nil || c.Run.Outcome != nil {
		return nil
	}
	p := c.Run.Prompt
	if p == nil {
		if word == rollout.WordNo && c.Run.State == rollout.RunRunning {
			return PauseRun{Why: "asked for by the operator"}
		}
		return nil
	}
	if !alone {
		return nil
	}
	var options []prose.Option
	off := ""
	for _, o := range prose.Ask(c.Run, p, c.Now, prose.Brief).Options {
		switch {
		case o.Word != word:
		case o.Off != "":
			off = o.Label + " is off: " + o.Off
		default:
			options = append(options, o)
		}
	}
	if len(options) == 0 {
		if off != "" {
			return Say{off}
		}
		return Say{KeyFor(word) + " is no answer to this question"}
	}
	e := newEntry(p, options)
	if e.complete() {
		return GiveAnswer{Answer: e.answer}
	}
	v.entry = e
	return nil
}

// pauseLater is for a run that goes on; a question can be answered with a pause itself.
func pauseLater(c *Context) Intent {
	switch {
	case c.Run == nil || c.Run.State != rollout.RunRunning:
		return nil
	case c.Run.Prompt != nil:
		return Say{"a question is open: " + KeyFor(rollout.WordNo) + " pauses the run here"}
	}
	return PauseRun{Why: "asked for by the operator", Later: true}
}

// waitFor is the answer wait, for a time that is typed.
func (v *RunScreen) waitFor(c *Context, alone bool) Intent {
	answer, ok := v.wordKey(rollout.WordWait, c, alone).(GiveAnswer)
	if !ok {
		return Say{"waiting is no answer to this question"}
	}
	for _, o := range prose.Ask(c.Run, c.Run.Prompt, c.Now, prose.Brief).Options {
		if o.Word == answer.Answer.Word {
			v.entry = newEntry(c.Run.Prompt, []prose.Option{o})
			v.entry.forTime()
		}
	}
	return nil
}

func (v *RunScreen) report(c *Context) Intent {
	if c.Run == nil || c.Run.Outcome == nil {
		return Say{"the report comes when the run has ended"}
	}
	return Open{ScreenReport}
}

func (v *RunScreen) toggle(what below) {
	v.now.First()
	if v.below == what {
		what = belowNow
	}
	v.below = what
}

func (v *RunScreen) scroll(n int) {
	if v.below != belowLog {
		v.now.Move(n)
		return
	}
	v.logEnd = false
	v.log.Move(n)
}

func (v *RunScreen) page(n int) {
	if v.below != belowLog {
		v.now.Page(n)
		return
	}
	v.logEnd = false
	v.log.Page(n)
}

// Hints are the keys that work here besides the answers, which stand with
// their question.
func (v *RunScreen) Hints(c *Context) []Hint {
	if v.entry != nil {
		return []Hint{{Key: "enter", Does: "after what was typed"}, {Key: "esc", Does: "take it back"}}
	}
	var hints []Hint
	switch {
	case c.Run == nil:
	case c.Run.Outcome != nil:
		hints = append(hints, Hint{Key: "e", Does: "report"})
	case c.Run.Prompt != nil:
		hints = append(hints, Hint{Key: "v", Does: "evidence"})
	case c.Run.State == rollout.RunRunning:
		hints = append(hints, Hint{Key: KeyFor(rollout.WordNo), Does: "pause now"}, Hint{Key: "P", Does: "pause after this phase"})
	}
	back := "back"
	if c.Run != nil && c.Run.Outcome == nil {
		back = "back (the run goes on)"
	}
	return append(hints, Hint{Key: "l", Does: "log"}, Hint{Key: "down/up", Does: "scroll"},
		Hint{Key: "esc", Does: back}, Hint{Key: "?", Does: "help"}, Hint{Key: "q", Does: "quit"})
}
