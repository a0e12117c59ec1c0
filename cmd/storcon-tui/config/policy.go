package config

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// holdTime is how long a question of an unattended run waits for a person.
const holdTime = 10 * time.Minute

// LoadPolicy reads the policy of an unattended run. What it does not say is
// held for a person.
func LoadPolicy(path string) (*rollout.Policy, error) {
	path = absolute(path)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var values map[string]any
	if err := toml.Unmarshal(text, &values); err != nil {
		return nil, syntax(path, err)
	}
	r := &reader{path: path, lines: locate(string(text))}
	sum := sha256.Sum256(text)
	p := readPolicy(&section{file: r, values: values})
	if len(r.problems) > 0 {
		return nil, r.sorted()
	}
	p.Sum = hex.EncodeToString(sum[:])
	return &p, nil
}

func readPolicy(s *section) rollout.Policy {
	answers := s.table("answers")
	p := rollout.Policy{
		Drain:   answers.stands("drain", "yes") != "",
		Restart: answers.stands("restart", "yes") != "",
	}
	fill := answers.stands("fill", "yes", "skip")
	p.Fill, p.SkipFill = fill == "yes", fill == "skip"
	answers.done()
	p.MaxNodes, p.Leftovers, p.Hold = s.count("max_nodes"), s.count("leftovers"), s.duration("hold")
	if p.Hold == 0 {
		p.Hold = holdTime
	}
	s.done()
	return p
}

// stands is an answer that a policy may give. What needs a node's id typed is
// never among the words.
func (s *section) stands(key string, words ...string) string {
	text := s.text(key)
	for _, w := range words {
		if text == w {
			return text
		}
	}
	if text != "" {
		s.wrong(key, "expected %s, got %q; everything else is for a person to say", orList(words), text)
	}
	return ""
}

func orList(words []string) string {
	text := `"` + words[0] + `"`
	for _, w := range words[1:] {
		text += ` or "` + w + `"`
	}
	return text
}
