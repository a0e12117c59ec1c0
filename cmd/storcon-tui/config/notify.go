package config

import (
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/engine/notify"
)

// Notify says who is told of what. The zero Notify tells nobody.
type Notify struct {
	Bell     bool
	OSC9     bool     // a desktop notification, where the terminal knows them
	Command  []string // argv of a program that is run for each event
	Webhooks []Webhook
	Events   []notify.Kind // empty = all
	After    time.Duration // how long a question waits before anybody is told; 0 = the default
}

// Webhook is an address that events are posted to. The address is a secret, and
// so comes from where tokens come from.
type Webhook struct {
	URL   Token
	Slack bool // the shape that Slack takes, else the event as it is
}

func readNotify(s *section) Notify {
	n := Notify{
		Bell: s.flag("bell"), OSC9: s.flag("osc9"), Command: s.argv("command"),
		After: s.duration("after"), Events: readKinds(s),
	}
	for _, table := range s.tables("webhooks") {
		n.Webhooks = append(n.Webhooks, readWebhook(table))
	}
	s.done()
	return n
}

func readKinds(s *section) []notify.Kind {
	const key = "events"
	value, ok := s.take(key)
	if !ok {
		return nil
	}
	list, ok := value.([]any)
	if !ok {
		s.wrong(key, `expected a list of strings such as ["waiting", "halted"], got %s`, kindOf(value))
		return nil
	}
	var kinds []notify.Kind
	for i, v := range list {
		word, ok := v.(string)
		if !ok {
			s.wrong(key, "expected strings only, got %s as number %d of the list", kindOf(v), i+1)
			continue
		}
		kind, err := notify.ParseKind(word)
		if err != nil {
			s.wrong(key, "%v, got %q", err, word)
			continue
		}
		kinds = append(kinds, kind)
	}
	if len(list) == 0 {
		s.wrong(key, "expected at least one; without the key everything is told")
	}
	return kinds
}

func readWebhook(s *section) Webhook {
	w := Webhook{URL: readSecret(s, "url")}
	if w.URL.None() {
		s.wrong("", "expected url_file, url_env or url_command: whoever has the address can post there, so it does not stand in this file")
	}
	switch format := s.text("format"); format {
	case "", "json":
	case "slack":
		w.Slack = true
	default:
		s.wrong("format", `expected "json" or "slack", got %q`, format)
	}
	s.done()
	return w
}

// readSecret reads where a secret is: a file, a variable or a command.
func readSecret(s *section, name string) Token {
	t := Token{File: s.path(name + "_file"), Env: s.text(name + "_env"), Command: s.argv(name + "_command")}
	oneSource(s, name, name+"_file", name+"_env", name+"_command")
	return t
}

// oneSource reports more than one of the keys that say where something is.
func oneSource(s *section, of string, keys ...string) {
	var given []string
	for _, key := range keys {
		if s.has(key) {
			given = append(given, key)
		}
	}
	if len(given) > 1 {
		s.wrong(given[len(given)-1], "expected at most one source of a %s, got %s", of, strings.Join(given, " and "))
	}
}
