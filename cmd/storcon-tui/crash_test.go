package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/audit"
	"github.com/StorconTUI/storcon-tui/engine/journal"
)

// crashStep is how many kill points the normal tests leave out between two that
// they take; `make crash` takes all.
const crashStep = 25

// TestCrash kills the program with SIGKILL before, in the middle of and after
// the records of a two-node run, and takes the run up again.
//
// Rows: E1, E2, E3, E4, E5, E7, E8.
func TestCrash(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "storcon-tui")
	build := exec.Command("go", "build", "-tags", "failpoint", "-o", program, ".")
	said, err := build.CombinedOutput()
	require.NoError(t, err, "%s", said)

	step, workers := crashStep, 4
	if os.Getenv("STORCON_CRASH") == "all" {
		step, workers = 1, 10
	}
	// A run that is not killed tells how many records there are; runs differ by a
	// few, so the points go on until one of them comes too late.
	whole := newCrash(t, program)
	whole.run(t, "", "rollout", "1", "2", "--plain")
	records := len(whole.records(t))
	require.Greater(t, records, 40)
	var points []string
	for i := range 3 * (records + 10) {
		if i%step == 0 {
			points = append(points, fmt.Sprintf("%s:%d", []string{"before", "torn", "after"}[i%3], i/3+1))
		}
	}

	var covered, right atomic.Int64
	todo := make(chan string)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for point := range todo {
				t.Run(point, func(t *testing.T) {
					reached := true
					defer func() { // a failure leaves by another way
						if reached {
							covered.Add(1)
						}
						if reached && !t.Failed() {
							right.Add(1)
						}
					}()
					reached = killAndResume(t, program, point) // else the run had fewer records
				})
			}
		})
	}
	for _, point := range points {
		todo <- point
	}
	close(todo)
	wg.Wait()
	require.Positive(t, covered.Load())
	t.Logf("crash points: %d covered, %d right", covered.Load(), right.Load())
}

// killAndResume does one point; false when the run ended before it.
func killAndResume(t *testing.T, program, point string) bool {
	c := newCrash(t, program)
	if !c.run(t, point, "rollout", "1", "2", "--plain") {
		return false
	}
	run := c.runName(t)
	if run == "" {
		// The process died before the header: it had sent nothing.
		require.Empty(t, c.served.changes(t))
		return true
	}
	if c.headerOnlyTorn(t) {
		require.Empty(t, c.served.changes(t))
		return true
	}
	killed := c.records(t)
	if killed[len(killed)-1].Kind != journal.KindClose { // else nothing was left to take up
		c.run(t, "", "rollout", "--resume", "--plain")
	}
	c.verify(t, killed)
	return true
}

// crash is one fake cluster, outside the process that is killed, and the
// journals of one console.
type crash struct {
	program, config, state, hooks string
	served                        *served
	out                           strings.Builder
}

func newCrash(t *testing.T, program string) *crash {
	t.Helper()
	dir := t.TempDir()
	c := &crash{
		program: program, state: dir, hooks: filepath.Join(dir, "hooks.log"), config: filepath.Join(dir, "config.toml"),
		served: serve(t, "--nodes", "4", "--tenants", "12", "--seed", "7", "--speed", "40"),
	}
	t.Cleanup(func() { _ = c.served.cmd.Wait() })
	t.Cleanup(func() { _ = c.served.cmd.Process.Kill() })
	text, err := os.ReadFile(c.served.config)
	require.NoError(t, err)
	c.configure(t, string(text))
	return c
}

// configure counts the executions of the restart command in a file, and lets a
// lost command be asked about after seconds instead of minutes.
func (c *crash) configure(t *testing.T, text string) {
	t.Helper()
	script := filepath.Join(c.state, "restart.sh")
	require.NoError(t, os.WriteFile(script, []byte(fmt.Sprintf(
		"#!/bin/sh\necho \"$1\" >>%s\nexec storcon-tui demo restart \"$1\" --admin %s\n", c.hooks, c.served.admin)), 0o700))
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		if name, _, ok := strings.Cut(line, "="); ok && strings.TrimSpace(name) == "command" {
			line = fmt.Sprintf("command = [%q, \"{{.ID}}\"]", script)
		}
		lines = append(lines, line)
	}
	text = strings.Join(lines, "\n") + "\n[clusters.demo.pace]\nproof = \"4s\"\n"
	require.Contains(t, text, script)
	require.NoError(t, os.WriteFile(c.config, []byte(text), 0o600))
}

// run runs the program and answers what it asks; it reports whether the program
// was killed.
func (c *crash) run(t *testing.T, point string, args ...string) bool {
	t.Helper()
	cmd := exec.Command(c.program, append([]string{"--config", c.config, "--state-dir", c.state}, args...)...)
	cmd.Env = append(os.Environ(), "STORCON_FAILPOINT="+point)
	cmd.Stderr = &c.out
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	limit := time.AfterFunc(90*time.Second, func() { _ = cmd.Process.Kill() })
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		fmt.Fprintln(&c.out, lines.Text())
		if question, ok := strings.CutPrefix(lines.Text(), "? "); ok {
			_, _ = io.WriteString(in, answerTo(question)+"\n") // it may be killed meanwhile
		}
	}
	_ = cmd.Wait() // how it ended is read below
	require.True(t, limit.Stop(), "the program did not end:\n%s", c.out.String())
	if cmd.ProcessState.ExitCode() == -1 {
		require.NotEmpty(t, point, "killed by somebody else:\n%s", c.out.String())
		return true
	}
	require.Contains(t, []int{0, 10}, cmd.ProcessState.ExitCode(), "%s", c.out.String())
	return false
}

// answerTo is what a careful operator says: yes where that is offered; the
// command again, by typing the node, where the proof did not come in time.
func answerTo(question string) string {
	title, words, _ := strings.Cut(question, "  ")
	offers := func(word string) bool {
		for _, w := range strings.Split(words, " | ") {
			if strings.Fields(w)[0] == word {
				return true
			}
		}
		return false
	}
	node := ""
	for _, f := range strings.Fields(title) {
		if _, err := strconv.Atoi(strings.Trim(f, "?:,")); err == nil {
			node = strings.Trim(f, "?:,")
			break
		}
	}
	switch {
	case strings.Contains(title, "NOT PROVEN"):
		return "retry " + node
	case strings.Contains(title, "WAS PauseForRestart BEFORE"):
		return "accept"
	case offers("yes"):
		return "yes"
	case offers("retry"):
		return "retry"
	}
	return "wait"
}

// journals are the journals of the state directory.
func (c *crash) journals(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(c.state, "storcon-tui", "demo", "runs", "*", "journal.jsonl"))
	require.NoError(t, err)
	return found
}

func (c *crash) runName(t *testing.T) string {
	t.Helper()
	found := c.journals(t)
	if len(found) == 0 {
		return ""
	}
	require.Len(t, found, 1)
	return filepath.Base(filepath.Dir(found[0]))
}

// headerOnlyTorn reports a run whose first record never was whole: there is
// nothing to take up.
func (c *crash) headerOnlyTorn(t *testing.T) bool {
	t.Helper()
	b, err := os.ReadFile(c.journals(t)[0])
	require.NoError(t, err)
	return !strings.Contains(string(b), "\n")
}

func (c *crash) records(t *testing.T) journal.Records {
	t.Helper()
	store, err := journal.Open(c.state, "demo", journal.Options{})
	require.NoError(t, err)
	records, _, err := store.Read(c.runName(t))
	require.NoError(t, err)
	return records
}

// verify checks what must hold after a crash and a resume.
func (c *crash) verify(t *testing.T, killed journal.Records) {
	t.Helper()
	said := c.out.String()
	all := c.records(t)
	require.Equal(t, journal.KindClose, all[len(all)-1].Kind, said)

	// No restart command twice, by its own log.
	log, err := os.ReadFile(c.hooks)
	require.NoError(t, err, said)
	times := map[string]int{}
	for _, id := range strings.Fields(string(log)) {
		times[id]++
	}
	require.Equal(t, map[string]int{"1": 1, "2": 1}, times, said)

	// What was recorded before the crash is there: no answer is lost, and each
	// was acted upon or asked again.
	for i, r := range killed {
		require.Equal(t, r.Seq, all[i].Seq)
		require.Equal(t, r.Kind, all[i].Kind)
	}
	c.verifyAnswers(t, killed, all)
	c.verifyCalls(t, all)
	c.verifyPolicies(t)
	require.Empty(t, audit.Check(all), said)
	verdict, err := exec.Command(c.program, "--config", c.config, "--state-dir", c.state, "runs", "verify", c.runName(t)).CombinedOutput()
	require.NoError(t, err, "%s", verdict)
	require.Contains(t, string(verdict), "closed, nothing is wrong")
}

// verifyAnswers: an answer that was given before the crash was acted upon, or its
// question was put again.
func (c *crash) verifyAnswers(t *testing.T, killed, all journal.Records) {
	t.Helper()
	for i, r := range killed {
		if r.Kind != journal.KindAnswer {
			continue
		}
		asked := dataWord(t, r, "ask")
		followed := slices.ContainsFunc(all[i+1:], func(later journal.Record) bool {
			switch later.Kind {
			case journal.KindIntent, journal.KindHookStart:
				return later.Node == r.Node && later.Cls != journal.OBS
			case journal.KindPrompt:
				return later.Node == r.Node && dataWord(t, later, "ask") == asked
			}
			return false
		}) || dataWord(t, r, "word") == "wait"
		require.True(t, followed, "the answer of record %d is lost:\n%s", r.Seq, c.out.String())
	}
}

// dataWord is a text of a record's data.
func dataWord(t *testing.T, r journal.Record, name string) string {
	t.Helper()
	var data map[string]any
	require.NoError(t, r.Decode(&data))
	word, _ := data[name].(string)
	return word
}

// verifyCalls: every call that changed something has an intent, and every
// intent a yes since the effect before it on that node.
func (c *crash) verifyCalls(t *testing.T, all journal.Records) {
	t.Helper()
	intents, sent := map[string]int{}, map[string]int{}
	answered := map[client.NodeID]bool{}
	for _, r := range all {
		switch r.Kind {
		case journal.KindAnswer:
			if word := dataWord(t, r, "word"); word != "wait" && word != "no" {
				answered[r.Node] = true
			}
		case journal.KindIntent:
			intents[r.Call]++
			if r.Cls != journal.OBS && r.Att == 1 {
				require.True(t, answered[r.Node], "%s was not confirmed:\n%s", r.Call, c.out.String())
				answered[r.Node] = false
			}
		case journal.KindHookStart:
			require.True(t, answered[r.Node], "%s was not confirmed:\n%s", r.Call, c.out.String())
			answered[r.Node] = false
		}
	}
	for _, one := range c.served.changes(t) {
		sent[one.Method+" "+one.Path]++
	}
	for call, n := range sent {
		meant := 0
		for literal, m := range intents {
			if literal == call || strings.HasPrefix(literal, call+" ") {
				meant += m
			}
		}
		require.GreaterOrEqual(t, meant, n, "%s: sent more often than meant", call)
	}
}

func (c *crash) verifyPolicies(t *testing.T) {
	t.Helper()
	settled := func() bool {
		api, err := client.New(client.Config{BaseURL: c.controller(t)})
		require.NoError(t, err)
		nodes, err := api.Nodes(t.Context())
		require.NoError(t, err)
		for _, n := range nodes {
			if n.Scheduling != client.PolicyActive {
				return false
			}
		}
		return len(nodes) == 4
	}
	require.Eventually(t, settled, 5*time.Second, 50*time.Millisecond, "a policy is not Active")
}

func (c *crash) controller(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(c.config)
	require.NoError(t, err)
	for _, line := range strings.Split(string(text), "\n") {
		if name, value, ok := strings.Cut(line, "="); ok && strings.TrimSpace(name) == "url" {
			return strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	t.Fatal("the configuration names no controller")
	return ""
}
