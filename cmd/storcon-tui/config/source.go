package config

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/StorconTUI/storcon-tui/client"
)

// maxText bounds a text that a Source yields, in bytes: a compute takes 2 MB of spec,
// and a file of neon_local has a little beside it.
const maxText = 4 << 20

// Source says where a text is that is read when it is needed, such as the last known
// spec of a compute; at most one field is set. The text may hold secrets, so that
// nothing here prints it.
type Source struct {
	File    string
	Env     string   // name of an environment variable
	Command []string // argv, run without a shell; its standard output is the text
	Text    string   // the text itself, as a directory of neon_local gives it; it has no secret
}

// None reports that nobody knows the text.
func (s Source) None() bool {
	return s.File == "" && s.Env == "" && len(s.Command) == 0 && s.Text == ""
}

// String names the place for people: "file /etc/x.json", "command vault", "" for None.
// Arguments of a command are left out, they may be secrets.
func (s Source) String() string {
	switch {
	case s.File != "":
		return "file " + s.File
	case s.Env != "":
		return "environment variable " + s.Env
	case len(s.Command) > 0:
		return "command " + filepath.Base(s.Command[0])
	case s.Text != "":
		return "the directory of neon_local"
	}
	return ""
}

// Read yields the text as it is now, 4 MiB at most; a command may take 30 s. The error
// names the place and quotes nothing of the text.
func (s Source) Read(ctx context.Context) ([]byte, error) {
	text, err := s.read(ctx)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", s, err)
	}
	return text, nil
}

// ReadLine yields a text that is one line, such as a connection string, without the
// space around it.
func (s Source) ReadLine(ctx context.Context) (string, error) {
	text, err := s.Read(ctx)
	if err != nil {
		return "", err
	}
	line := strings.TrimSpace(string(text))
	switch {
	case line == "":
		return "", fmt.Errorf("read %s: it is empty", s)
	case strings.ContainsAny(line, "\r\n"):
		return "", fmt.Errorf("read %s: expected one line, it has more", s)
	}
	return line, nil
}

func (s Source) read(ctx context.Context) ([]byte, error) {
	switch {
	case s.File != "":
		return readBounded(s.File)
	case s.Env != "":
		text, ok := os.LookupEnv(s.Env)
		if !ok {
			return nil, errors.New("it is not set")
		}
		return []byte(text), nil
	case len(s.Command) > 0:
		return client.CommandOutput(ctx, s.Command, maxText)
	case s.Text != "":
		return []byte(s.Text), nil
	}
	return nil, errors.New("nowhere: no place is configured")
}

func readBounded(path string) ([]byte, error) {
	switch info, err := os.Stat(path); {
	case err != nil:
		return nil, unnamed(err)
	case !info.Mode().IsRegular(): // of a pipe even opening it may take for ever
		return nil, errors.New("it is no regular file")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, unnamed(err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxText+1))
	switch {
	case err != nil:
		return nil, unnamed(err)
	case len(text) > maxText:
		return nil, fmt.Errorf("it is longer than %d MiB", maxText>>20)
	}
	return text, nil
}

// unnamed is err without the path, which is named already.
func unnamed(err error) error {
	if named, ok := errors.AsType[*fs.PathError](err); ok {
		return named.Err
	}
	return err
}
