package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A run is played again from its journal: all at once into a pipe, in its own pace on
// a terminal, and with another speed when that is asked for. Nothing is sent.
func TestRunsReplay(t *testing.T) {
	t.Parallel()
	served := serve(t, "--nodes", "4", "--tenants", "40", "--seed", "7", "--speed", "20")
	flags := []string{"--config", served.config, "--state-dir", t.TempDir()}
	with := func(args ...string) []string { return append(append([]string{}, flags...), args...) }
	driver := converse(t, with("rollout", "1", "--plain")...)
	driver.hears("? DRAIN NODE 1?")
	run := runName(t, strings.Join(driver.heard, "\n"))
	driver.says("yes")
	driver.hears("? RESTART NODE 1?")
	driver.says("abort")
	require.Equal(t, 5, driver.ends(), strings.Join(driver.heard, "\n"))
	changes := len(served.changes(t))

	at := execute(t, with("runs", "replay", run)...)
	require.Equal(t, 0, at.code, at.errors)
	var told []string
	for _, line := range strings.Split(strings.TrimSpace(at.out), "\n") {
		_, what, _ := strings.Cut(line, "  ")
		told = append(told, what)
	}
	for i, want := range []string{"run begun", "asked  node 1  drain?", "answered  node 1  drain?  yes", "sends  node 1  PUT /control/v1/node/1/drain"} {
		require.Contains(t, told[i], want)
	}
	require.Contains(t, told[len(told)-1], "run closed")

	fast := execute(t, with("runs", "replay", run, "--speed", "3600")...)
	require.Equal(t, at.out, fast.out)

	console := open(t, "storcon-tui", with("runs", "replay", run, "--speed", "0.25")...)
	console.see("run begun")
	console.see("space pause")
	console.press(" ")
	console.see("paused")
	for range told {
		console.press("n")
	}
	console.press(" ")
	console.see("run closed")
	console.see(`what the cluster showed meanwhile: storcon-tui watch --replay own --from \S+Z --to \S+Z`)
	require.Equal(t, 0, console.leaves())

	execute(t, with("runs", "replay", run, "--speed", "0")...).refusesWith(t, 2, "--speed: expected a number")
	execute(t, with("runs", "replay", "01J8ZQ4M6T8R2V0X9Y5B7C3DK2")...).refusesWith(t, 2, "has no run")
	require.Len(t, served.changes(t), changes)
}
