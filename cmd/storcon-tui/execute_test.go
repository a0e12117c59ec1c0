package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// answer is how one execution of the program ended.
type answer struct {
	code        int
	out, errors string
}

// execute runs the program as a process of its own, with nothing on standard
// input and directories of its own.
func execute(t *testing.T, args ...string) answer {
	t.Helper()
	return executeWith(t, nil, strings.NewReader(""), args...)
}

func executeWith(t *testing.T, env []string, in io.Reader, args ...string) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	home := t.TempDir()
	cmd := exec.CommandContext(ctx, "storcon-tui", args...)
	cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home, "HOME="+home, "TERM=xterm-256color")
	cmd.Env = append(cmd.Env, env...)
	var out, said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, &out, &said
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("run storcon-tui: %v", err)
	}
	return answer{code: cmd.ProcessState.ExitCode(), out: out.String(), errors: said.String()}
}

// refusesWith checks the shape of every refusal: nothing on standard output,
// one line that says what is wrong, an exit code.
func (a answer) refusesWith(t *testing.T, code int, words ...string) {
	t.Helper()
	require.Equal(t, code, a.code, a.errors)
	require.Empty(t, a.out, "no blank table")
	require.Equal(t, 1, strings.Count(a.errors, "\n"), "one clear message: %s", a.errors)
	for _, w := range words {
		require.Contains(t, a.errors, w)
	}
}
