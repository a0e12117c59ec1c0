package main

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

func TestExitCodes(t *testing.T) {
	of := func(k client.Kind) error { return fmt.Errorf("list nodes: %w", &client.Error{Kind: k}) }
	for name, test := range map[string]struct {
		err  error
		want rollout.ExitCode
	}{
		"nothing":            {nil, 0},
		"anything else":      {errors.New("oh"), 1},
		"refused":            {of(client.Refused), 1},
		"usage":              {usagef("no %d", 1), 2},
		"preflight":          {preflight(errors.New("no")), 3},
		"read-only":          {of(client.ReadOnly), 3},
		"end of a run":       {ended(rollout.ExitAbortedDirty), 6},
		"clean end of a run": {ended(rollout.ExitDone), 0},
		"locked":             {fmt.Errorf("start: %w", &journal.ErrLocked{Cluster: "x"}), 7},
		"unauthorised":       {of(client.Unauthorized), 8},
		"unreachable":        {of(client.Unreachable), 9},
		"not a controller":   {of(client.BadAnswer), 9},
		"broken journal":     {fmt.Errorf("append: %w", journal.ErrBroken), 11},
		"damaged journal":    {&journal.CorruptError{Err: errors.New("x")}, 11},
		"newer journal":      {fmt.Errorf("read: %w", journal.ErrNewer), 11},
		"SIGINT":             {signalError{syscall.SIGINT}, 130},
		"SIGTERM":            {fmt.Errorf("observe: %w", signalError{syscall.SIGTERM}), 143},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, test.want, exitCode(test.err)) })
	}
}

func TestMessageIsSafeToPrint(t *testing.T) {
	require.Empty(t, message(nil))
	require.Empty(t, message(ended(rollout.ExitHalted)))
	require.Equal(t, "storcon-tui: one\nstorcon-tui: two", message(errors.New("one\ntwo\n")))
	require.NotContains(t, message(errors.New("\x1b[2J")), "\x1b")
}

func TestVersion(t *testing.T) {
	info := func(version string, settings ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: version}, Settings: settings}
	}
	revision := debug.BuildSetting{Key: "vcs.revision", Value: strings.Repeat("0123456789", 4)}
	modified := debug.BuildSetting{Key: "vcs.modified", Value: "true"}
	require.Equal(t, "devel", versionOf(info("")))
	require.Equal(t, "devel", versionOf(info("(devel)")))
	require.Equal(t, "v1.2.3", versionOf(info("v1.2.3", revision)))
	require.Equal(t, "devel-012345678901", versionOf(info("(devel)", revision)))
	require.Equal(t, "devel-012345678901+changes", versionOf(info("(devel)", revision, modified)))
}
