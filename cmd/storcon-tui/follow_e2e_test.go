package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
)

// A second process of the host follows what the first one drives: it says who
// that is and since when, shows what is asked and answered, sends nothing, and says
// what is next when the driver lets go. `status` names the driver; the console has
// all of it on its screen of runs and takes nothing else (E14).
func TestRow_E14_TheSecondConsoleFollows(t *testing.T) {
	t.Parallel()
	served := serve(t, "--nodes", "4", "--tenants", "40", "--seed", "7", "--speed", "20")
	flags := []string{"--config", served.config, "--state-dir", t.TempDir()}
	with := func(args ...string) []string { return append(append([]string{}, flags...), args...) }
	execute(t, with("runs", "follow")...).refusesWith(t, 3, "nobody drives")

	driver := converse(t, with("rollout", "1", "--plain")...)
	driver.hears("? DRAIN NODE 1?")
	run := runName(t, strings.Join(driver.heard, "\n"))

	follower := converse(t, with("rollout", "--follow")...)
	require.Regexp(t, `following run `+run+`, read-only: driven by \S+, pid \d+.*, since \d{4}-`, follower.hears("following run"))
	follower.hears("asked  node 1")
	execute(t, with("rollout", "2", "--plain")...).refusesWith(t, 7, "is driven by", run)

	status := execute(t, with("status", "-o", "json")...)
	var report struct {
		Driver struct {
			Run string `json:"run"`
			PID int    `json:"pid"`
		} `json:"driver"`
		Unfinished []any `json:"unfinished_runs"`
	}
	require.NoError(t, json.Unmarshal([]byte(status.out), &report), status.errors)
	require.Equal(t, run, report.Driver.Run)
	require.Equal(t, driver.cmd.Process.Pid, report.Driver.PID)
	require.Empty(t, report.Unfinished, "a live run was not left")
	require.Contains(t, execute(t, with("status")...).out, "run "+run+" is driven from this host by")

	console := open(t, "storcon-tui", flags...)
	console.see("is driven by another console")
	console.press("L")
	console.see("Driven by another console: run " + run)
	require.NotContains(t, ansi.Strip(console.sent()), "left unfinished", "it is live")
	console.see("asked  node 1")
	console.press("\x1b")
	console.press("d")
	console.see("drain is off: driven by")

	driver.says("yes")
	follower.hears("sends  node 1  PUT /control/v1/node/1/drain")
	driver.hears("? RESTART NODE 1?")
	driver.says("abort")
	require.Equal(t, 5, driver.ends(), strings.Join(driver.heard, "\n"))
	follower.hears("run closed")
	require.Equal(t, 5, follower.ends(), strings.Join(follower.heard, "\n"))
	for _, c := range served.changes(t) {
		require.NotContains(t, c.Path, "/node/2/")
	}
	console.press("L")
	console.see("No earlier run was left unfinished.")
	console.press("q")
}

// A driver that is killed leaves its run to whoever is there: the follower says so,
// and the console takes the run up with a key, which asks before it sends.
func TestTakeUpFromTheConsole(t *testing.T) {
	t.Parallel()
	served := serve(t, "--nodes", "4", "--tenants", "40", "--seed", "7", "--speed", "20")
	flags := []string{"--config", served.config, "--state-dir", t.TempDir()}
	driver := converse(t, append(flags, "rollout", "1", "--plain")...)
	driver.hears("? DRAIN NODE 1?")
	run := runName(t, strings.Join(driver.heard, "\n"))
	follower := converse(t, append(flags, "runs", "follow", run)...)
	follower.hears("asked  node 1")
	require.NoError(t, driver.cmd.Process.Kill())
	follower.hears("nobody drives run " + run + " any more")
	require.Equal(t, 5, follower.ends())

	console := open(t, "storcon-tui", flags...)
	console.see(firstRow)
	console.press("L")
	console.see("Left unfinished: run " + run)
	console.see("journal.jsonl")
	console.press("t")
	console.see(`TAKE THE RUN UP AGAIN\?`)
	require.Empty(t, served.changes(t))
}
