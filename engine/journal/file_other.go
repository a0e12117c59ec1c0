//go:build !linux

package journal

import (
	"errors"
	"os"
	"time"
)

var started = time.Now()

func datasync(f *os.File) error { return f.Sync() }

func reserve(*os.File, int64) error { return errors.ErrUnsupported }

func bootID() string { return "" }

// monotonic counts from the start of the process where the kernel's clock is
// not at hand.
func monotonic() int64 { return time.Since(started).Nanoseconds() }

func checkLockable(string) error { return nil }
