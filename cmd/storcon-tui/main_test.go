package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the test binary be the program: a process named storcon-tui, in
// scripts as well as in tests that start one.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"storcon-tui": main,
		"exits":       exits,
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			for _, v := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "HOME"} {
				env.Setenv(v, env.WorkDir+"/home")
			}
			env.Setenv("TERM", "xterm-256color")
			return os.MkdirAll(env.WorkDir+"/home", 0o700)
		},
	})
}
