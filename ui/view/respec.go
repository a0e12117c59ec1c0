package view

import (
	"strings"

	"github.com/StorconTUI/storcon-tui/engine/reconfigure"
	"github.com/StorconTUI/storcon-tui/ui/component"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

// The commands of the screens about reconfigures.
const (
	CmdRespec    Command = "reconfigure"
	CmdRespecAll Command = "reconfigure all"
	CmdPatch     Command = "patch"
	CmdWhole     Command = "spec"
	CmdDirectory Command = "spec directory"
	CmdRepoint   Command = "re-point"
)

// What the screens about reconfigures ask the root for.
type (
	// Respec opens the question what the new specs of computes are made of.
	Respec struct{ Computes []string }
	// MakeSpecPlan plans a reconfigure; nothing is sent.
	MakeSpecPlan struct{ Request reconfigure.Request }
	// StartReconfigure starts the plan that is on the screen.
	StartReconfigure struct{ Plan reconfigure.Plan }
	// AnswerReconfigure answers the question of a reconfigure.
	AnswerReconfigure struct{ Answer reconfigure.Answer }
	// PauseReconfigure sends nothing more: now, or after the wave.
	PauseReconfigure struct{ Later bool }
)

func (Respec) intent()            {}
func (MakeSpecPlan) intent()      {}
func (StartReconfigure) intent()  {}
func (AnswerReconfigure) intent() {}
func (PauseReconfigure) intent()  {}

// RespecScreen asks what the new specs are made of, and shows the plan of it.
type RespecScreen struct {
	computes []string
	kind     reconfigure.SourceKind // whose path is being typed; "" = none
	field    component.Field
	planning bool
	plan     *reconfigure.Plan
	fault    string // why there is no plan
	scroll   component.Scroll
}

var (
	_ Screen    = (*RespecScreen)(nil)
	_ TextEntry = (*RespecScreen)(nil)
)

// NewRespec makes the screen for computes, by name.
func NewRespec(computes []string) *RespecScreen { return &RespecScreen{computes: computes} }

// ID is "respec".
func (v *RespecScreen) ID() string { return ScreenRespec }

// Typing reports a path that is being typed.
func (v *RespecScreen) Typing() bool { return v.kind != "" }

// Paste takes text into the path.
func (v *RespecScreen) Paste(text string) { v.field.Paste(text) }

// Planned takes the plan in that was asked for, or why there is none.
func (v *RespecScreen) Planned(plan reconfigure.Plan, err error) {
	v.planning, v.plan, v.fault = false, nil, ""
	v.scroll.First()
	if err != nil {
		v.fault = err.Error()
		return
	}
	v.plan = &plan
}

// sources are the kinds of new specs, with the keys that choose them.
var sources = []struct {
	command Command
	kind    reconfigure.SourceKind
	path    string // what is typed; "" = nothing
}{
	{CmdPatch, reconfigure.FromPatch, "the patch's file"},
	{CmdRepoint, reconfigure.Repoint, ""},
	{CmdWhole, reconfigure.FromFile, "the spec's file"},
	{CmdDirectory, reconfigure.FromDir, "the directory"},
}

// Key chooses, types a path, and starts the plan.
func (v *RespecScreen) Key(key string, _ *Context) Intent {
	if v.kind != "" {
		return v.typed(key)
	}
	b, _ := commandFor(ScreenRespec, key)
	switch b.Command {
	case CmdStart:
		if v.plan == nil {
			return Say{"there is no plan to start yet"}
		}
		return StartReconfigure{Plan: *v.plan}
	case CmdUp:
		v.scroll.Move(-1)
	case CmdDown:
		v.scroll.Move(1)
	case CmdPageUp:
		v.scroll.Page(-1)
	case CmdPageDn:
		v.scroll.Page(1)
	case CmdBack:
		return v.back()
	case CmdPatch, CmdRepoint, CmdWhole, CmdDirectory:
		return v.choose(b.Command)
	}
	return wayOut(b.Command)
}

// back goes from a plan to the question before it.
func (v *RespecScreen) back() Intent {
	if v.plan == nil && v.fault == "" || len(v.computes) == 0 {
		return Back{}
	}
	v.plan, v.fault = nil, ""
	return nil
}

// choose takes a source, or asks for its path.
func (v *RespecScreen) choose(command Command) Intent {
	for _, s := range sources {
		switch {
		case s.command != command || v.plan != nil || v.planning:
		case s.path == "":
			return v.ask(s.kind, "")
		default:
			v.kind, v.fault = s.kind, ""
		}
	}
	return nil
}

// typed takes one key of a path.
func (v *RespecScreen) typed(key string) Intent {
	switch key {
	case "esc":
		v.kind = ""
	case "enter":
		path := strings.TrimSpace(v.field.Text())
		if path == "" {
			return Say{"a path is needed; esc takes it back"}
		}
		kind := v.kind
		v.kind = ""
		return v.ask(kind, path)
	default:
		v.field.Key(key)
	}
	return nil
}

func (v *RespecScreen) ask(kind reconfigure.SourceKind, path string) Intent {
	v.planning, v.fault = true, ""
	return MakeSpecPlan{Request: reconfigure.Request{Computes: v.computes, Source: reconfigure.Source{Kind: kind, Path: path}}}
}

// Lines draws the question, or the plan.
func (v *RespecScreen) Lines(c *Context, w, h int) []string {
	p := newSheet(c, w)
	if v.plan != nil {
		p.headline("PLAN", prose.ReconfigureTitle(*v.plan), "")
		p.rule()
		p.window(&v.scroll, v.planLines(c, w), h-len(p.lines))
		return finish(c, component.Box(p.lines, w, h))
	}
	p.headline("RECONFIGURE", prose.Things(int64(len(v.computes)), "compute")+": "+strings.Join(v.computes, ", "), "")
	p.rule()
	p.text(p.s.Text, "What are the new specs made of? Nothing is sent before the plan was shown and its first question answered.")
	p.blank()
	for _, s := range sources {
		b, _ := bindingOf(ScreenRespec, s.command)
		p.add(component.NewLine(w).Gap(3).Put(p.s.Key, b.Shown).Gap(2).Put(p.s.Text, b.Long))
	}
	p.blank()
	if v.kind != "" {
		v.entry(p)
	}
	if v.planning {
		p.text(p.s.Dim, "reading specs, and asking the computes how they are …")
	}
	if v.fault != "" {
		for line := range strings.SplitSeq(v.fault, "\n") {
			p.text(p.s.Bad, line)
		}
	}
	return finish(c, component.Box(p.lines, w, h))
}

func (v *RespecScreen) entry(p *sheet) {
	for _, s := range sources {
		if s.kind == v.kind {
			l := component.NewLine(p.w).Gap(1).Put(p.s.Strong, "Path of "+s.path+", then enter:").Gap(1)
			v.field.Draw(l, p.s, max(l.Left()-22, 8))
			p.add(l.Gap(2).Put(p.s.Dim, "esc takes it back"))
		}
	}
}

// planLines are the plan: to whom, and what changes.
func (v *RespecScreen) planLines(c *Context, w int) []string {
	p := newSheet(c, w)
	p.fact(prose.Fact{Label: "sends", Lines: []string{prose.SpecSource(v.plan.Source)}}, p.s.Strong)
	for _, g := range prose.SpecGroups(*v.plan) {
		p.blank()
		p.fact(prose.Fact{Label: "to", Lines: []string{strings.Join(g.Computes, ", ")}}, p.s.Text)
		for _, line := range g.Lines() {
			style := p.s.Text
			if strings.HasPrefix(line, "! ") {
				style = p.s.Warn
			}
			p.fact(prose.Fact{Lines: []string{line}}, style)
		}
	}
	p.blank()
	for _, l := range v.plan.LeftOut {
		p.fact(prose.Fact{Label: "left out", Lines: []string{l.Compute + ": " + l.Why}}, p.s.Warn)
	}
	p.fact(prose.Fact{Label: "stops", Lines: []string{"at the first failure; those that run then finish"}}, p.s.Text)
	p.fact(prose.Fact{Label: "so far", Lines: []string{prose.NothingSent}}, p.s.Dim)
	return p.lines
}

// Hints are the keys of the screen.
func (v *RespecScreen) Hints(*Context) []Hint {
	switch {
	case v.kind != "":
		return []Hint{{Key: "enter", Does: "read it and plan"}, {Key: "esc", Does: "take it back"}}
	case v.plan != nil:
		return []Hint{
			{Key: "s", Does: "start; the first question comes before the first call"},
			{Key: "down/up", Does: "scroll"},
			{Key: "esc", Does: "another source"},
			{Key: "q", Does: "quit"},
		}
	}
	return []Hint{{Key: "p", Does: "patch"}, {Key: "r", Does: "re-point"}, {Key: "f", Does: "whole spec"}, {Key: "esc", Does: "back"}, {Key: "q", Does: "quit"}}
}
