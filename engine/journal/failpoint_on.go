//go:build failpoint

package journal

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// failpoint kills the process, as a power cut would, at the record that
// STORCON_FAILPOINT names: "before:N", "torn:N" (half of the line is written) or
// "after:N", where N counts from 1.
func failpoint(when string, seq uint64, last func()) {
	if os.Getenv("STORCON_FAILPOINT") != fmt.Sprintf("%s:%d", when, seq) {
		return
	}
	last()
	_ = unix.Kill(os.Getpid(), unix.SIGKILL)
	select {} // the signal is on its way
}
