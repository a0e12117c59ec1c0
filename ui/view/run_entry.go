package view

import (
	"strconv"
	"strings"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/ui/component"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

// stage is what an entry waits for.
type stage int

const (
	pickGate stage = iota
	typeNode
	typeReason
	typeTime
)

// entry takes what an answer needs besides its key: which gate, the node's id,
// a reason. It belongs to one question and ends with it.
type entry struct {
	prompt  string
	node    client.NodeID
	options []prose.Option // of the word; more than one only for gates
	chosen  prose.Option
	stage   stage
	field   component.Field
	answer  rollout.Answer
	wrong   string // why the last enter did nothing
}

func newEntry(p *rollout.Prompt, options []prose.Option) *entry {
	e := &entry{prompt: p.ID, node: p.Node, options: options}
	if len(options) == 1 {
		e.choose(options[0])
	}
	return e
}

func (e *entry) choose(o prose.Option) {
	e.chosen = o
	e.answer = rollout.Answer{Prompt: e.prompt, Word: o.Word, Gate: o.Gate}
	e.stage = typeReason
	if o.TypeID {
		e.stage = typeNode
	}
}

// forTime has the entry take how long to wait.
func (e *entry) forTime() { e.stage = typeTime }

// complete reports an entry that needs nothing typed.
func (e *entry) complete() bool {
	return e.stage == typeReason && !e.chosen.Reason
}

// key handles a key; it reports true when the answer is complete.
func (e *entry) key(key string, alone bool) bool {
	e.wrong = ""
	if e.stage == pickGate {
		if n, err := strconv.Atoi(key); err == nil && n >= 1 && n <= len(e.options) {
			e.choose(e.options[n-1])
			return e.complete()
		}
		return false
	}
	if key != "enter" {
		e.field.Key(key)
		return false
	}
	if !alone {
		return false // part of something pasted
	}
	return e.enter()
}

func (e *entry) enter() bool {
	text := e.field.Text()
	switch e.stage {
	case typeNode:
		if text != e.node.String() {
			e.wrong = "that is not the id of this node; nothing was sent"
			e.field.Set("")
			return false
		}
		e.answer.Node = e.node
		e.field.Set("")
		e.stage = typeReason
		return e.complete()
	case typeReason:
		if text == "" {
			e.wrong = "a reason is needed; nothing was sent"
			return false
		}
		e.answer.Reason = text
		return true
	case typeTime:
		d, err := prose.ParseExtend(text)
		if err != nil {
			e.wrong = err.Error()
			return false
		}
		e.answer.Extend = d
		return true
	}
	return false
}

// paste takes text into a reason, and nothing but digits into a node's id: a
// slow line delivers typed ones together. Neither answers without an enter of
// its own.
func (e *entry) paste(text string) {
	switch {
	case e.stage == typeReason, e.stage == typeTime:
		e.field.Paste(text)
	case e.stage == typeNode && strings.Trim(text, "0123456789") == "":
		e.field.Paste(text)
	default:
		e.wrong = "only the node's id is taken here"
	}
}

// draw adds the entry's lines to a sheet.
func (e *entry) draw(p *sheet) {
	if e.stage == pickGate {
		for i, o := range e.options {
			p.add(component.NewLine(p.w).Gap(3).Put(p.s.Key, strconv.Itoa(i+1)).Gap(1).Put(p.s.Text, o.Label))
		}
		p.add(component.NewLine(p.w).Gap(1).Put(p.s.Strong, "Which gate? Its number; esc takes it back."))
		return
	}
	p.text(p.s.Danger, e.chosen.Label+": "+e.chosen.Outcome)
	if e.chosen.Does != "" {
		p.fact(prose.Fact{Label: "exactly", Lines: []string{e.chosen.Does}}, p.s.Text)
	}
	ask := map[stage]string{
		typeNode:   "Type the id of the node, then enter:",
		typeReason: "Why? Then enter:",
		typeTime:   "For how long, such as 10m or 90s? Then enter:",
	}[e.stage]
	l := component.NewLine(p.w).Gap(1).Put(p.s.Strong, ask).Gap(1)
	e.field.Draw(l, p.s, max(l.Left()-22, 8))
	p.add(l.Gap(2).Put(p.s.Dim, "esc takes it back"))
	if e.wrong != "" {
		p.text(p.s.Warn, e.wrong)
	}
}
