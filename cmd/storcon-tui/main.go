// Command storcon-tui watches a cluster of a Neon storage controller and
// restarts its pageservers one after another: drain, restart, fill, each step
// confirmed by a person.
//
// This package has the flags, the verbs (one file each) and the wiring. It
// decides nothing about clusters.
package main

import (
	"os"
	_ "time/tzdata" // windows name time zones; the machine may lack them

	// First of ours to initialise: see its comment.
	_ "github.com/StorconTUI/storcon-tui/ui/backdrop"
)

func main() {
	os.Exit(run(os.Args[1:]))
}

// run is the program; it returns the exit code.
func run(args []string) int {
	p := &program{in: os.Stdin, out: os.Stdout, err: os.Stderr}
	return p.run(args)
}
