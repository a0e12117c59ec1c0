package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/StorconTUI/storcon-tui/client"
)

// Bounds of what is kept of the output. Everything is read, so that a talkative
// command never waits for us.
const (
	// TailLines is how many of the last lines a Result holds.
	TailLines = 50
	// MaxLineBytes is where a line is cut.
	MaxLineBytes = 2 << 10
	// MaxOutputBytes bounds what goes to the log and to Options.Line.
	MaxOutputBytes = 1 << 20

	// maxRaw bounds a line before it is made safe. It is well above
	// MaxLineBytes, so that a secret is seen whole before the line is cut.
	maxRaw = 64 << 10
	// cutMark stands where something is left out.
	cutMark = " [cut]"
)

// output takes what the command prints, both streams in the order in which they
// come.
type output struct {
	o   Options
	log *os.File

	mu       sync.Mutex
	raw      []byte // of the line that is not finished
	long     bool   // raw is full; the rest of its line is dropped
	sent     int    // bytes given to the log and to Line
	cut      bool
	tail     []string
	identity Identity
	logErr   error
	closed   bool
}

func newOutput(o Options) (*output, error) {
	log, err := openLog(o.LogPath)
	if err != nil {
		return nil, fmt.Errorf("open its log: %w", err)
	}
	return &output{o: o, log: log}, nil
}

// Write never fails: the command must not notice what becomes of its output.
func (w *output) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(b)
	for len(b) > 0 && !w.closed {
		line, rest, whole := bytes.Cut(b, []byte("\n"))
		w.add(line)
		if whole {
			w.endLine()
		}
		b = rest
	}
	return n, nil
}

func (w *output) add(part []byte) {
	if room := maxRaw - len(w.raw); len(part) > room {
		part, w.long = part[:room], true
	}
	w.raw = append(w.raw, part...)
}

func (w *output) endLine() {
	line := w.o.Redact(strings.TrimSuffix(string(w.raw), "\r"))
	long := w.long
	w.raw, w.long = w.raw[:0], false
	if id, ok := parseIdentity(line); ok {
		w.identity = id
	}
	line = client.Clean(line)
	if len(line) > MaxLineBytes {
		line, long = cutAt(line, MaxLineBytes), true
	}
	if long {
		line += cutMark
		w.cut = true
	}
	if w.tail = append(w.tail, line); len(w.tail) > TailLines {
		w.tail = w.tail[1:]
	}
	w.emit(line)
}

// emit hands a line on until there has been too much of it.
func (w *output) emit(line string) {
	if w.sent > MaxOutputBytes {
		return
	}
	w.sent += len(line) + 1
	if w.sent > MaxOutputBytes {
		w.cut = true
		line = fmt.Sprintf("[output beyond %d bytes is left out]", MaxOutputBytes)
	}
	if w.log != nil && w.logErr == nil {
		_, w.logErr = w.log.WriteString(line + "\n")
	}
	if w.o.Line != nil {
		w.o.Line(line)
	}
}

// note writes a line of ours to the log, after what there is of the last one.
func (w *output) note(line string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.raw) > 0 {
		w.endLine()
	}
	if w.log != nil && w.logErr == nil {
		_, w.logErr = w.log.WriteString(line + "\n")
	}
}

// finish takes the last line, closes the log and says whether it is complete.
func (w *output) finish() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.raw) > 0 {
		w.endLine()
	}
	w.closed = true
	if w.log == nil {
		return nil
	}
	if err := errors.Join(w.logErr, w.log.Close()); err != nil {
		return fmt.Errorf("log of restart command: %w", err)
	}
	return nil
}

// cutAt shortens s to at most n bytes without splitting a character.
func cutAt(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Identity names the process that the command brought up, as the command itself
// tells in a line {"storcon_hook":{...}}. Empty parts are unknown.
type Identity struct {
	InvocationID string `json:"invocation_id,omitempty"` // of a systemd unit
	PIDStart     string `json:"pid_start,omitempty"`     // start time of the process, opaque
	PodUID       string `json:"pod_uid,omitempty"`
	// Disk is "empty" when the command knows that the node came up without its
	// local copy of the shards, such as on a new machine; other words say nothing.
	Disk string `json:"disk,omitempty"`
}

// DiskEmpty is the word of Identity.Disk that matters.
const DiskEmpty = "empty"

func parseIdentity(line string) (Identity, bool) {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "{") || !strings.Contains(line, `"storcon_hook"`) {
		return Identity{}, false
	}
	var msg struct {
		Hook *struct {
			InvocationID any `json:"invocation_id"`
			PIDStart     any `json:"pid_start"`
			PodUID       any `json:"pod_uid"`
			Disk         any `json:"disk"`
		} `json:"storcon_hook"`
	}
	dec := json.NewDecoder(strings.NewReader(line))
	dec.UseNumber()
	if err := dec.Decode(&msg); err != nil || msg.Hook == nil {
		return Identity{}, false
	}
	return Identity{
		InvocationID: scalar(msg.Hook.InvocationID),
		PIDStart:     scalar(msg.Hook.PIDStart),
		PodUID:       scalar(msg.Hook.PodUID),
		Disk:         scalar(msg.Hook.Disk),
	}, true
}

// scalar takes a string or a number for an opaque text.
func scalar(v any) string {
	switch v := v.(type) {
	case string:
		return client.Clean(v)
	case json.Number:
		return v.String()
	}
	return ""
}
