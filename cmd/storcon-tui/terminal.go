package main

import (
	"errors"
	"os"

	"golang.org/x/term"
)

// errNoTerminal names what works without one.
var errNoTerminal = errors.New("the console needs a terminal; without one use: " +
	"status, plan NODE..., rollout NODE... --plain, drain|fill|cancel|activate NODE --plain, runs")

// needTerminal refuses to draw where nobody could see it or where escape
// sequences would end up in a file.
func (p *program) needTerminal() error {
	name := os.Getenv("TERM")
	if name == "" || name == "dumb" || !term.IsTerminal(int(p.in.Fd())) || !term.IsTerminal(int(p.out.Fd())) {
		return usage(errNoTerminal)
	}
	return nil
}
