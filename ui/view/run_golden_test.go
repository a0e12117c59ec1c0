package view

import (
	"testing"

	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/themes"
	"github.com/StorconTUI/storcon-tui/ui/goldentest"
)

// chrome is the header above a screen and the hint line below it, in lines.
const chrome = 2

func TestPlanFrames(t *testing.T) {
	lone := fixturePlan()
	lone.Goal, lone.Steps, lone.LeftOut = rollout.GoalDrain, lone.Steps[:1], nil
	lone.Steps[0].Calls = lone.Steps[0].Calls[:1]
	for name, plan := range map[string]rollout.Plan{"restart": fixturePlan(), "drain": lone} {
		t.Run(name, func(t *testing.T) {
			goldentest.Frames(t, func(s *themes.Styles, w, h int) []string {
				return NewPlanScreen(plan).Lines(runContext(s, nil), w, h)
			})
		})
	}
}

func TestPromptFrames(t *testing.T) {
	for name, st := range allPrompts() {
		t.Run(name, func(t *testing.T) {
			goldentest.Frames(t, func(s *themes.Styles, w, h int) []string {
				return NewRunScreen().Lines(runContext(s, st), w, h)
			})
		})
	}
}

func TestTypedPromptFrames(t *testing.T) {
	goldentest.Frames(t, func(s *themes.Styles, w, h int) []string {
		v, c := NewRunScreen(), runContext(s, askNodeDown())
		v.Lines(c, w, h)
		c.Now = c.Now.Add(promptGrace)
		v.Key("U", c)
		return v.Lines(c, w, h)
	})
}

func TestRunFrames(t *testing.T) {
	for name, st := range map[string]*rollout.Status{
		"draining": draining(), "stalling": stalling(), "restarting": restarting(), "ended": finished(),
	} {
		t.Run(name, func(t *testing.T) {
			goldentest.Frames(t, func(s *themes.Styles, w, h int) []string {
				return NewRunScreen().Lines(runContext(s, st), w, h)
			})
		})
	}
}

func TestReportFrames(t *testing.T) {
	for name, st := range map[string]*rollout.Status{"issues": finished(), "dirty": abortedDirty()} {
		t.Run(name, func(t *testing.T) {
			goldentest.Frames(t, func(s *themes.Styles, w, h int) []string {
				return NewReportScreen().Lines(runContext(s, st), w, h)
			})
		})
	}
}
