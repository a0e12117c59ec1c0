package history

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain lets the test binary be a second process that records or reads.
func TestMain(m *testing.M) {
	if dir := os.Getenv(neighbourDir); dir != "" {
		os.Exit(neighbour(dir, os.Getenv(neighbourDoes)))
	}
	goleak.VerifyTestMain(m)
}
