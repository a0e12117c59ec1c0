package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

const commandTimeout = 30 * time.Second

// CommandOutput runs a command of the operator's, without a shell and for 30 s at most,
// and returns its standard output, of which more than limit bytes are refused. What it
// prints may be a secret and is never quoted. Its standard error is for people: of a
// command that fails the error has the beginning of it, less what is shaped like a
// secret (a shell that traces its commands prints them there).
func CommandOutput(ctx context.Context, argv []string, limit int) ([]byte, error) {
	if len(argv) == 0 {
		return nil, errors.New("no command is given")
	}
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.WaitDelay = time.Second
	stdout, stderr := &bounded{limit: limit}, &capped{left: 1 << 10}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("it was ended: %w", ctx.Err())
	case stdout.over:
		return nil, fmt.Errorf("it printed more than %d KiB", limit>>10)
	case err != nil:
		if said := strings.TrimSpace(stderr.kept.String()); said != "" {
			return nil, fmt.Errorf("%w: %s", err, Clean(withoutSecrets(said)))
		}
		return nil, err
	}
	return stdout.kept.Bytes(), nil
}

var (
	tokenShape    = regexp.MustCompile(`[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}`) // three base64url parts with dots between: a JWT
	userinfoShape = regexp.MustCompile(`://\S*@`)
	passwordShape = regexp.MustCompile(`(?i)(passw\w*\s*[=:]\s*)\S+`)
)

// withoutSecrets is text without what is shaped like a token, the user and password of
// an address, or a password.
func withoutSecrets(text string) string {
	text = tokenShape.ReplaceAllString(text, "[token]")
	text = userinfoShape.ReplaceAllString(text, "://[user]@")
	return passwordShape.ReplaceAllString(text, "${1}[password]")
}

// bounded refuses what goes beyond its limit, which ends the command that writes it.
type bounded struct {
	kept  bytes.Buffer // not embedded: its ReadFrom would take everything
	limit int
	over  bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.kept.Len()+len(p) > b.limit {
		b.over = true
		return 0, io.ErrShortWrite
	}
	return b.kept.Write(p)
}

// capped keeps the first bytes written to it and lets the rest go.
type capped struct {
	kept bytes.Buffer // not embedded, as above
	left int
}

func (c *capped) Write(p []byte) (int, error) {
	n := min(len(p), c.left)
	c.left -= n
	c.kept.Write(p[:n])
	return len(p), nil
}
