//go:build !linux

package plain

import "io"

// flushTyped leaves a half-typed line alone where the terminal cannot be asked
// to drop it; complete lines are told by their time.
func flushTyped(io.Reader) {}
