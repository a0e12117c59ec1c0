package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// Terminal rings a terminal's bell, and shows the line as a notification of
// the desktop where the terminal knows OSC 9. Neither moves the cursor, so that a
// screen which is drawn there stays whole.
type Terminal struct {
	To   io.Writer
	Bell bool
	OSC9 bool
}

// Name of the sink.
func (t Terminal) Name() string { return "the terminal" }

// Send writes at most one line's worth of bytes in one piece.
func (t Terminal) Send(_ context.Context, e Event) error {
	var b strings.Builder
	if t.OSC9 {
		b.WriteString("\x1b]9;" + e.Line() + "\x1b\\")
	}
	if t.Bell {
		b.WriteByte('\a')
	}
	_, err := io.WriteString(t.To, b.String())
	return err
}

// Command runs a program for every event: the event is on its standard input
// as JSON and, in words, in STORCON_TEXT. It gets no terminal.
type Command struct {
	Argv []string
	Deny []string // variables of our environment that it must not inherit
}

const (
	commandGrace = time.Second // from its end to that of what still holds its output
	wordsKept    = 200         // bytes of its last words, for the error
)

// Name of the sink.
func (c Command) Name() string { return "command " + c.Argv[0] }

// Send waits for the command, which ends with ctx.
func (c Command) Send(ctx context.Context, e Event) error {
	body, err := json.Marshal(e)
	if err != nil {
		return err
	}
	var words bytes.Buffer
	cmd := exec.CommandContext(ctx, c.Argv[0], c.Argv[1:]...)
	cmd.Stdin = bytes.NewReader(body)
	cmd.Stdout, cmd.Stderr = io.Discard, &words
	cmd.WaitDelay = commandGrace
	cmd.Env = append(c.inherited(), "STORCON_EVENT="+string(e.Kind), "STORCON_CLUSTER="+e.Cluster, "STORCON_TEXT="+e.Line())
	if err := cmd.Run(); err != nil {
		if last := lastLine(words.String()); last != "" {
			return fmt.Errorf("%w: %s", err, last)
		}
		return err
	}
	return nil
}

func (c Command) inherited() []string {
	var kept []string
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		denied := false
		for _, d := range c.Deny {
			denied = denied || d == name
		}
		if !denied {
			kept = append(kept, pair)
		}
	}
	return kept
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	last := lines[len(lines)-1]
	if len(last) > wordsKept {
		last = last[:wordsKept]
	}
	return client.Clean(last)
}

// Poster sends a body as JSON to one place.
type Poster interface {
	Host() string
	Post(ctx context.Context, body any) error
}

// Webhook posts every event: as it is, or in the shape that Slack and what
// speaks like it take.
type Webhook struct {
	To    Poster
	Slack bool
}

// Name of the sink: the host alone, since the path of a webhook is its password.
func (w Webhook) Name() string { return "webhook at " + w.To.Host() }

// Send posts.
func (w Webhook) Send(ctx context.Context, e Event) error {
	if w.Slack {
		return w.To.Post(ctx, map[string]string{"text": slackText(e.Line())})
	}
	return w.To.Post(ctx, struct {
		Version int `json:"version"`
		Event
	}{1, e})
}

// slackText keeps what a server said from being read as a link or a mention.
func slackText(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}

// ParseKind reads a kind as the configuration spells it.
func ParseKind(s string) (Kind, error) {
	for _, k := range Kinds {
		if string(k) == s {
			return k, nil
		}
	}
	names := make([]string, len(Kinds))
	for i, k := range Kinds {
		names[i] = string(k)
	}
	return "", errors.New("expected one of " + strings.Join(names, ", "))
}
