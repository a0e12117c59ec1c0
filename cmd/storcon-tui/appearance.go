package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/muesli/termenv"

	"github.com/StorconTUI/storcon-tui/cmd/storcon-tui/config"
	"github.com/StorconTUI/storcon-tui/themes"
	"github.com/StorconTUI/storcon-tui/ui/backdrop/probe"
	"github.com/StorconTUI/storcon-tui/ui/component"
)

// appearance is how the console draws on this terminal.
type appearance struct {
	styles *themes.Styles
	ascii  bool
	settle time.Duration // the terminal may still be answering a question
}

// settleFor is how long a slow terminal's answer may still arrive.
const settleFor = 300 * time.Millisecond

// look finds out what the terminal can do and reads the theme of that name; "" = find out.
func (p *program) look(name string) (appearance, error) {
	look := appearance{ascii: !utf8Locale(os.Getenv)}
	if name == "" {
		found := probe.Detect(probe.Options{Env: os.Getenv, TTY: p.in})
		name = "dark"
		if !found.Dark {
			name = "light"
		}
		if found.Unanswered {
			look.settle = settleFor
		}
	}
	var err error
	look.styles, err = themes.Load(name, themes.Options{
		Profile: termenv.NewOutput(p.out).EnvColorProfile(),
		NoColor: os.Getenv("NO_COLOR") != "",
		Dirs:    []string{filepath.Join(filepath.Dir(config.DefaultPath()), "themes")},
	})
	if err != nil {
		return look, usage(fmt.Errorf("theme %s: %w", name, err))
	}
	return look, nil
}

// utf8Locale follows the order in which the C library looks.
func utf8Locale(env func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := env(name); value != "" {
			value = strings.ToLower(value)
			return strings.Contains(value, "utf-8") || strings.Contains(value, "utf8")
		}
	}
	return false
}

// printable is text for standard output in a form that the locale shows.
func printable(text string) string {
	if utf8Locale(os.Getenv) {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = component.ASCII(line)
	}
	return strings.Join(lines, "\n")
}
