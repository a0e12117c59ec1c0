package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
)

// exits runs "exits CODE COMMAND ..." and fails unless the command ends with
// that code. Its input and output are the command's.
func exits() {
	want, err := strconv.Atoi(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "exits:", err)
		os.Exit(2)
	}
	cmd := exec.Command(os.Args[2], os.Args[3:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		fmt.Fprintln(os.Stderr, "exits:", err)
		os.Exit(2)
	}
	if got := cmd.ProcessState.ExitCode(); got != want {
		fmt.Fprintf(os.Stderr, "exits: want exit code %d, got %d\n", want, got)
		os.Exit(1)
	}
}
