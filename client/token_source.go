package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

const (
	refreshEvery = time.Minute      // at most one reading after a refusal
	failureKept  = 10 * time.Second // a command that failed is not run for every poll
	maxToken     = 64 << 10         // bytes
)

// FileToken reads the token from a file.
func FileToken(path string) TokenSource {
	return newRereadToken("file "+path,
		func(context.Context) (string, error) { return readTokenFile(path) },
		func() string { return fileStamp(path) })
}

// EnvToken takes the token from an environment variable.
func EnvToken(name string) TokenSource {
	read := func(context.Context) (string, error) {
		value, ok := os.LookupEnv(name)
		if !ok {
			return "", errors.New("it is not set")
		}
		return value, nil
	}
	return newRereadToken("environment variable "+name, read, func() string { return os.Getenv(name) })
}

// CommandToken runs a command, without a shell, and takes its standard output.
func CommandToken(argv []string) TokenSource {
	name := "(empty)"
	if len(argv) > 0 {
		name = filepath.Base(argv[0]) // arguments may hold secrets
	}
	source := newRereadToken("command "+name,
		func(ctx context.Context) (string, error) {
			said, err := CommandOutput(ctx, argv, maxToken)
			return string(said), err
		},
		func() string { return "" }) // whether its output would differ only running it tells
	source.failureKept = failureKept
	return source
}

// rereadToken keeps the token of a source that can change.
type rereadToken struct {
	name        string
	read        func(context.Context) (string, error)
	stamp       func() string // differs when the source has surely changed
	failureKept time.Duration // how long a failed reading is answered from memory

	busy    chan struct{} // a mutex whose wait ends with the context
	token   string
	stamped string // stamp() before token was read
	reread  time.Time
	failed  time.Time
	failure error
}

func newRereadToken(name string, read func(context.Context) (string, error), stamp func() string) *rereadToken {
	return &rereadToken{name: name, read: read, stamp: stamp, busy: make(chan struct{}, 1)}
}

func (t *rereadToken) Describe() string { return t.name }

func (t *rereadToken) Token(ctx context.Context) (string, error) {
	if err := t.lock(ctx); err != nil {
		return "", err
	}
	defer t.unlock()
	if t.token != "" {
		return t.token, nil
	}
	if t.failure != nil && time.Since(t.failed) < t.failureKept {
		return "", t.failure
	}
	err := t.load(ctx)
	return t.token, err
}

func (t *rereadToken) Refresh(ctx context.Context) (bool, error) {
	if err := t.lock(ctx); err != nil {
		return false, err
	}
	defer t.unlock()
	if !t.expired() && t.stamp() == t.stamped {
		return false, nil
	}
	if !t.reread.IsZero() && time.Since(t.reread) < refreshEvery {
		return false, nil
	}
	t.reread = time.Now()
	before := t.token
	if err := t.load(ctx); err != nil {
		return false, err
	}
	return t.token != before, nil
}

// load keeps the old token when the source cannot be read.
func (t *rereadToken) load(ctx context.Context) error {
	stamp := t.stamp()
	raw, err := t.read(ctx)
	if err == nil {
		raw, err = normalToken(raw)
	}
	if err != nil {
		t.failed, t.failure = time.Now(), err
		return err
	}
	t.token, t.stamped, t.failure = raw, stamp, nil
	return nil
}

func (t *rereadToken) expired() bool {
	claims, err := Claims(t.token)
	return err == nil && !claims.Expires.IsZero() && time.Now().After(claims.Expires)
}

func (t *rereadToken) lock(ctx context.Context) error {
	select {
	case t.busy <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *rereadToken) unlock() { <-t.busy }

func readTokenFile(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", errors.Unwrap(err) // the path stands in Describe
	}
	defer file.Close()
	raw, err := io.ReadAll(io.LimitReader(file, maxToken+1))
	if err != nil {
		return "", err
	}
	if len(raw) > maxToken {
		return "", fmt.Errorf("it is longer than %d KiB", maxToken>>10)
	}
	return string(raw), nil
}

// fileStamp also follows a symbolic link that was turned to another file, as
// mounted secrets do.
func fileStamp(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return "unreadable"
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "unreadable"
	}
	return fmt.Sprintf("%s %d %d", target, info.ModTime().UnixNano(), info.Size())
}
