package config

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSourceIsReadWhenAsked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "spec.json")
	require.NoError(t, os.WriteFile(path, []byte("one"), 0o600))
	file := Source{File: path}
	text, err := file.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, "one", string(text))
	require.NoError(t, os.WriteFile(path, []byte("two"), 0o600))
	text, err = file.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, "two", string(text))

	text, err = Source{Command: []string{"/bin/sh", "-c", "echo three; echo four >&2"}}.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, "three\n", string(text))
}

func TestSourceOfOneLine(t *testing.T) {
	t.Setenv("STORCON_TUI_CONNECTION", " host=db password=s3cret\n")
	line, err := Source{Env: "STORCON_TUI_CONNECTION"}.ReadLine(t.Context())
	require.NoError(t, err)
	require.Equal(t, "host=db password=s3cret", line)
	for said, want := range map[string]string{
		"s3cret\npassword": "read environment variable STORCON_TUI_CONNECTION: expected one line, it has more",
		" \n":              "read environment variable STORCON_TUI_CONNECTION: it is empty",
	} {
		t.Setenv("STORCON_TUI_CONNECTION", said)
		_, err := Source{Env: "STORCON_TUI_CONNECTION"}.ReadLine(t.Context())
		require.EqualError(t, err, want)
	}
	_, err = Source{Env: "STORCON_TUI_NOT_SET"}.ReadLine(t.Context())
	require.EqualError(t, err, "read environment variable STORCON_TUI_NOT_SET: it is not set")
}

func TestSourceThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	long := filepath.Join(dir, "long")
	require.NoError(t, os.WriteFile(long, []byte(strings.Repeat("x", maxText+1)), 0o600))
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	script := func(text string) Source { return Source{Command: []string{"/bin/sh", "-c", text, "an-argument"}} }
	for name, test := range map[string]struct {
		source Source
		want   string
	}{
		"none":            {Source{}, "read : nowhere: no place is configured"},
		"no file":         {Source{File: dir + "/no"}, "read file " + dir + "/no: no such file or directory"},
		"directory":       {Source{File: dir}, "read file " + dir + ": it is no regular file"},
		"pipe":            {Source{File: pipe}, "read file " + pipe + ": it is no regular file"},
		"long file":       {Source{File: long}, "read file " + long + ": it is longer than 4 MiB"},
		"failing command": {script(`echo s3cret; printf 'no \033[1mspec' >&2; exit 3`), `read command sh: exit status 3: no \x1b[1mspec`},
		"endless command": {script("yes s3cret"), "read command sh: it printed more than 4096 KiB"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := test.source.Read(t.Context())
			require.EqualError(t, err, test.want)
		})
	}
}
