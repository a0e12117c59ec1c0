package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
)

// logLimit is the size in bytes from which a log is set aside, once, when the
// program starts.
const logLimit = 8 << 20

// openLog makes the log of a cluster, which only its owner may read. Nothing is
// ever logged to the screen. Known secrets are taken out.
func openLog(dir string, redact func(string) string) (*slog.Logger, io.Closer, error) {
	path := filepath.Join(dir, "console.log")
	if info, err := os.Stat(path); err == nil && info.Size() > logLimit {
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, nil, fmt.Errorf("set the old log aside: %w", err)
		}
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("open the log: %w", err)
	}
	handler := slog.NewJSONHandler(file, &slog.HandlerOptions{
		Level: slog.LevelDebug,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			switch a.Value.Kind() {
			case slog.KindString, slog.KindAny:
				if a.Key != slog.TimeKey && a.Key != slog.LevelKey {
					a.Value = slog.StringValue(redact(a.Value.String()))
				}
			}
			return a
		},
	})
	return slog.New(handler).With("pid", os.Getpid()), file, nil
}
