package main

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
)

// All clusters are on the screen, also those that cannot be watched. One is opened on its
// release; leaving its console comes back to where one was, and what was known of its release
// is known still. Nothing but reads is sent.
func TestFleetOnATerminal(t *testing.T) {
	t.Parallel()
	demos, alone, flags := watchableFleet(t, 2)
	addToConfig(t, flags, fmt.Sprintf(`
[clusters.dead]
url = %q
[clusters.tokenless]
url = %q
token_file = "/nowhere/token"
[history]
off = true
`, deadURL(t), deadURL(t)))
	s := open(t, "storcon-tui", with(flags, "watch", "--fleet", "--metrics-addr", "127.0.0.1:0")...)
	metrics := &exposition{t: t, url: strings.TrimPrefix(s.see(`metrics at http://[0-9.:]+/metrics`), "metrics at ")}
	s.see(`region-2 DEMO +ok +no release`)
	s.see(`dead +! unreachable \d`) // drawn anew every second
	got := execute(t, "demo", "drive", "2", "--period", "1s", "--build", "", "--config", alone[1])
	require.Equal(t, 0, got.code, got.out+got.errors)
	s.see(`region-2 DEMO +ok +over since \d\d:\d\d`)
	s.press("G") // the last: tokenless
	s.see(`It is not watched: `)
	s.see(`/nowhere/token`)
	s.press("\r")
	s.see(`› tokenless: `)
	s.press("k")
	s.see(`> +region-2`)
	s.press("\r")
	s.see(` DEMO  storcon-tui  region-2 `)
	s.see(`RELEASE  none goes on`)
	for i := range demos {
		metrics.shows(fmt.Sprintf(`cluster_up{cluster=%q} 1`, demoName(i)))
	}
	s.press("q")
	s.see(`> +region-2 DEMO +ok +over since \d\d:\d\d`)
	s.press("q")
	require.Equal(t, 0, s.leaves(), "that one could not be opened was said")
	requireRestored(t, s)
	require.Empty(t, changesOf(demos[0]))
	require.Equal(t, []string{"PUT 2/drain", "PUT 2/fill"}, changesOf(demos[1]), "the script's own")
}

// What is left behind in a console that was opened from all clusters is told as by any
// console, and decides the exit code in the end.
func TestFleetTellsWhatAConsoleLeft(t *testing.T) {
	t.Parallel()
	demos, _, flags := watchableFleet(t, 2)
	s := open(t, "storcon-tui", with(flags, "watch", "--fleet")...)
	s.see(`region-2 DEMO +ok`)
	s.press("\r")
	s.see(` DEMO  storcon-tui  region-1 `)
	s.see(`RELEASE  none goes on`)
	s.press("\x1b")
	s.see(firstRow)
	s.press("r")
	s.see(`nothing has been sent`)
	s.press("s")
	s.see(`DRAIN NODE 1\?`)
	s.answer("y")
	s.see(`RESTART NODE 1\?`)
	s.press("q")
	s.see(`leave it running|leave`)
	s.answer("l")
	s.see(`run \S+ left behind:`)
	s.see(`all clusters`)
	s.see(`› region-1: paused, detached or aborted`)
	s.see(`region-1 DEMO .*node 1 drained`)
	s.press("q")
	require.Equal(t, 5, s.leaves())
	requireRestored(t, s)
	require.Equal(t, []string{"PUT 1/drain"}, changesOf(demos[0]))
	require.Empty(t, changesOf(demos[1]))
}

// A signal ends all clusters, and a console that was opened from there, once and with its code.
func TestFleetEndsBySignal(t *testing.T) {
	t.Parallel()
	_, _, flags := watchableFleet(t, 1)
	for name, inside := range map[string]bool{"all clusters": false, "in a console": true} {
		t.Run(name, func(t *testing.T) {
			s := open(t, "storcon-tui", with(flags, "watch", "--fleet")...)
			s.see(`region-1 DEMO +ok`)
			if inside {
				s.press("\r")
				s.see(`RELEASE  none goes on`)
			}
			require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
			require.Equal(t, 143, s.leaves())
			s.see("storcon-tui: told to end")
			require.Equal(t, 1, strings.Count(ansi.Strip(s.sent()), "storcon-tui: "), "one line for one signal")
			requireRestored(t, s)
		})
	}
}

// A cluster whose token comes later is watched from then on.
func TestFleetTriesAgain(t *testing.T) {
	t.Parallel()
	demos, _, flags := watchableFleet(t, 1)
	token := t.TempDir() + "/token"
	addToConfig(t, flags, fmt.Sprintf("[clusters.late]\nurl = %q\ntoken_file = %q\n", demos[0].ControllerURL(), token))
	s := open(t, "storcon-tui", with(flags, "watch", "--fleet")...)
	s.see(`late +! not watched`)
	require.NoError(t, os.WriteFile(token, []byte("a.b.c\n"), 0o600))
	s.see(`late +ok +no release`)
	s.press("q")
	require.Equal(t, 0, s.leaves())
}
