package plain

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// flushTyped throws away what was typed on a terminal and not read yet, a
// half-typed line too.
func flushTyped(in io.Reader) {
	if file, ok := in.(*os.File); ok {
		// Not a terminal: there is nothing to throw away.
		_ = unix.IoctlSetInt(int(file.Fd()), unix.TCFLSH, unix.TCIFLUSH)
	}
}
