package plain

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/gate"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
	"github.com/StorconTUI/storcon-tui/ui/prose"
)

// short are spellings that are not words of the engine.
var short = map[string]rollout.Word{
	"y":     rollout.WordYes,
	"n":     rollout.WordNo,
	"pause": rollout.WordNo,
}

// ParseAnswer reads a line "WORD [GATE] [NODE-ID] [reason ...]", or "wait
// [10m] ...", as an answer to a prompt. The error says in words for a person
// why the line is no answer; nothing may be done with such a line. Who
// answered, and when, is for the caller to fill in.
func ParseAnswer(line string, p rollout.Prompt) (rollout.Answer, error) {
	fields := strings.Fields(line)
	if len(fields) == 0 {
		return rollout.Answer{}, errors.New("an empty line is no answer")
	}
	word := wordOf(fields[0])
	a := rollout.Answer{Prompt: p.ID, Word: word}
	rest := fields[1:]
	if word == rollout.WordOverride && len(rest) > 0 {
		a.Gate, rest = gate.Name(rest[0]), rest[1:]
	}
	choice, err := choose(p, a)
	if err != nil {
		return rollout.Answer{}, err
	}
	if word == rollout.WordWait {
		if a.Extend, rest, err = takeExtend(rest); err != nil {
			return rollout.Answer{}, err
		}
	}
	if a.Node, rest, err = takeNode(rest, p.Node); err != nil {
		return rollout.Answer{}, err
	}
	a.Reason = strings.Join(rest, " ")
	if err := complete(a, choice); err != nil {
		return rollout.Answer{}, err
	}
	return a, nil
}

func wordOf(field string) rollout.Word {
	field = strings.ToLower(field)
	if w, ok := short[field]; ok {
		return w
	}
	return rollout.Word(field)
}

// choose finds the prompt's choice for a word, and for an override its gate.
func choose(p rollout.Prompt, a rollout.Answer) (rollout.Choice, error) {
	known := false
	for _, c := range p.Choices {
		if c.Word != a.Word {
			continue
		}
		known = true
		if a.Word == rollout.WordOverride && c.Gate != a.Gate {
			continue
		}
		if c.Off != "" {
			return c, fmt.Errorf("%s is off now: %s", a.Word, c.Off)
		}
		return c, nil
	}
	switch {
	case known && a.Gate == "":
		return rollout.Choice{}, errors.New("override needs the gate's name: override GATE")
	case known:
		return rollout.Choice{}, fmt.Errorf("no gate %q can be overridden here", a.Gate)
	}
	return rollout.Choice{}, fmt.Errorf("%q is no answer to this question", string(a.Word))
}

// takeExtend takes a time such as 10m off the front; without one the limit is
// extended as before.
func takeExtend(rest []string) (time.Duration, []string, error) {
	if len(rest) == 0 {
		return 0, rest, nil
	}
	if isNumber(rest[0]) || !looksLikeTime(rest[0]) {
		return 0, rest, nil
	}
	d, err := prose.ParseExtend(rest[0])
	return d, rest[1:], err
}

// takeNode takes a node id off the front. A number that is not this question's
// node is refused even where no id is asked for: whoever typed it meant
// another node.
func takeNode(rest []string, node client.NodeID) (client.NodeID, []string, error) {
	if len(rest) == 0 || !isNumber(rest[0]) {
		return 0, rest, nil
	}
	id, err := strconv.ParseUint(rest[0], 10, 64)
	if err != nil || client.NodeID(id) != node {
		return 0, nil, fmt.Errorf("this question is about node %s, not %s", node, rest[0])
	}
	return node, rest[1:], nil
}

// complete checks that all parts which the choice needs were given.
func complete(a rollout.Answer, c rollout.Choice) error {
	switch {
	case c.TypeID && a.Node == 0:
		return fmt.Errorf("%s does nothing without the node's id: %s", a.Word, spelling(c))
	case c.Reason && a.Reason == "":
		return fmt.Errorf("%s needs a reason: %s", a.Word, spelling(c))
	}
	return nil
}

// spelling is the line that would be taken, with the parts it needs.
func spelling(c rollout.Choice) string {
	parts := []string{string(c.Word)}
	if c.Gate != "" {
		parts = append(parts, string(c.Gate))
	}
	if c.TypeID {
		parts = append(parts, "NODE-ID")
	}
	if c.Reason {
		parts = append(parts, "REASON")
	}
	return strings.Join(parts, " ")
}

func isNumber(s string) bool {
	for _, r := range s {
		if r < '0' || r > '9' {
			return false
		}
	}
	return s != ""
}

// looksLikeTime reports a word that begins as a time does, with a sign or not.
func looksLikeTime(s string) bool {
	s = strings.TrimLeft(s, "+-.")
	return s != "" && s[0] >= '0' && s[0] <= '9'
}
