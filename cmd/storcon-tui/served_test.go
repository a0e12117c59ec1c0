package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/cmd/storcon-tui/config"
)

// served is a "demo serve" that runs as a process of its own.
type served struct {
	config string // its configuration
	admin  string // its admin address
	cmd    *exec.Cmd
	rest   chan []byte // what it said after its first line
}

// serve starts the demo and waits until its configuration is there, which is
// when it answers.
func serve(t *testing.T, args ...string) *served {
	t.Helper()
	s := &served{config: filepath.Join(t.TempDir(), "c.toml"), rest: make(chan []byte, 1)}
	s.cmd = exec.Command("storcon-tui", append([]string{"demo", "serve", "--config-out", s.config}, args...)...)
	stderr, err := s.cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, s.cmd.Start())
	t.Cleanup(func() { _ = s.cmd.Process.Kill() }) // it has ended in the tests that end it

	said := bufio.NewReader(stderr)
	first, err := said.ReadString('\n')
	require.NoError(t, err, "the demo has not started: %s", first)
	var ok bool
	s.admin, ok = strings.CutPrefix(strings.TrimSpace(first), "admin: ")
	require.True(t, ok, "first line of standard error: %q", first)
	go func() {
		rest, _ := io.ReadAll(said) // ends with the process
		s.rest <- rest
	}()
	awaitFile(t, s.config)
	return s
}

// end sends a signal and returns the exit code.
func (s *served) end(t *testing.T, signal os.Signal) int {
	t.Helper()
	require.NoError(t, s.cmd.Process.Signal(signal))
	rest := <-s.rest
	require.Empty(t, string(rest))
	_ = s.cmd.Wait() // the exit code says it
	return s.cmd.ProcessState.ExitCode()
}

func awaitFile(t *testing.T, path string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := os.Stat(path); err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("%s has not appeared", path)
		}
	}
}

// call is one request that the controller received.
type call struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Status int    `json:"status"`
}

// changes are the requests that are not reads, in order.
func (s *served) changes(t *testing.T) []call {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.admin+"/demo/calls", nil)
	require.NoError(t, err)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer answer.Body.Close()
	var all, changes []call
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&all))
	require.NotEmpty(t, all)
	for _, c := range all {
		if c.Method != http.MethodGet {
			changes = append(changes, c)
		}
	}
	return changes
}

func TestServeWritesAConfigurationThatWorks(t *testing.T) {
	t.Parallel()
	s := serve(t, "--nodes", "2", "--tenants", "4", "--auth")
	for _, path := range []string{s.config, s.config + ".admin.jwt", s.config + ".infra.jwt"} {
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), path)
	}
	text, err := os.ReadFile(s.config)
	require.NoError(t, err)
	require.Contains(t, string(text), "# admin: "+s.admin+"\n")

	settings, err := config.Resolve(config.Flags{Config: s.config})
	require.NoError(t, err)
	require.True(t, settings.Cluster.Demo)
	require.Len(t, settings.Cluster.Computes, 14)
	require.Equal(t, []string{"demo", "restart", "{{.ID}}", "--admin", s.admin}, settings.Cluster.Restart.Argv[1:])

	got := execute(t, "status", "--config", s.config)
	require.Equal(t, 0, got.code, got.errors)
	require.Contains(t, got.out, "DEMO")

	restarted := execute(t, "demo", "restart", "1", "--admin", s.admin)
	require.Equal(t, 0, restarted.code, restarted.errors)
	require.Equal(t, "node 1 of the demo was restarted\n", restarted.out)
	execute(t, "demo", "restart", "9", "--admin", s.admin).refusesWith(t, 1, "node 9")

	require.Equal(t, 0, s.end(t, syscall.SIGTERM))
}

func TestServePrintsItsConfiguration(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("storcon-tui", "demo", "serve", "--nodes", "2", "--tenants", "4", "--auth")
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	var said bytes.Buffer
	cmd.Stderr = &said
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // it has ended unless the test failed

	// The configuration ends with the last compute.
	var text strings.Builder
	lines := bufio.NewScanner(stdout)
	for computes := 0; computes < 14; {
		require.True(t, lines.Scan(), "the configuration ended early:\n%s", text.String())
		text.WriteString(lines.Text() + "\n")
		if strings.HasPrefix(lines.Text(), "url = ") && strings.Contains(text.String(), "[[clusters.demo.computes]]") {
			computes++
		}
	}
	path := filepath.Join(t.TempDir(), "c.toml")
	require.NoError(t, os.WriteFile(path, []byte(text.String()), 0o600))
	got := execute(t, "status", "--config", path)
	require.Equal(t, 0, got.code, got.errors)

	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	for lines.Scan() {
		require.Contains(t, lines.Text(), "spec_file", "what the last compute has beside its address")
	}
	require.NoError(t, cmd.Wait())
	require.Regexp(t, `^admin: http://127\.0\.0\.1:\d+\n$`, said.String())
	settings, err := config.Resolve(config.Flags{Config: path})
	require.ErrorContains(t, err, "token_file: no such file", "the tokens go with the demo")
	require.Empty(t, settings)
}
