package ui

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/themes"
)

// playing is a Playback in a bubble of fake time.
type playing struct {
	in   *io.PipeWriter
	out  *screen
	done chan error
}

func play(ctx context.Context, t *testing.T) *playing {
	t.Helper()
	styles, err := themes.Load("dark", themes.Options{NoColor: true})
	require.NoError(t, err)
	r, w := io.Pipe()
	p := &playing{in: w, out: &screen{}, done: make(chan error, 1)}
	begun := time.Date(2026, 11, 30, 22, 0, 0, 0, time.UTC)
	b := Playback{
		Lines: []PastLine{
			{begun, "first line"},
			{begun.Add(10 * time.Second), "second line \x1b[2J"},
			{begun.Add(9 * time.Second), "third line"},
			{begun.Add(time.Hour), "fourth line"},
			{begun.Add(time.Hour + 10*time.Second), "fifth line"},
		},
		Speed: 1, Styles: styles, Location: time.UTC, Width: 80, Input: r, Output: p.out,
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.done <- b.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		_ = w.Close()
		<-ended
		time.Sleep(2 * playEvery) // a tick that nobody waits for
	})
	p.wait(0)
	return p
}

func (p *playing) wait(d time.Duration) {
	time.Sleep(d + 2*playEvery) // of the bubble
	synctest.Wait()
}

func (p *playing) press(key string) {
	_, _ = io.WriteString(p.in, key)
	p.wait(0)
}

// lines are those that were printed so far, in their order.
func (p *playing) lines() string {
	text, order := ansi.Strip(p.out.text()), []string{}
	for rest := text; ; {
		at, found := len(rest), ""
		for _, word := range []string{"first", "second", "third", "fourth", "fifth"} {
			if i := strings.Index(rest, word+" line"); i >= 0 && i < at {
				at, found = i, word
			}
		}
		if found == "" {
			return strings.Join(order, " ")
		}
		order, rest = append(order, found), rest[at+1:]
	}
}

// Lines come as far apart as they were; a key pauses, changes the speed or goes on.
func TestPlaybackKeepsTheDistances(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := play(t.Context(), t)
		require.Equal(t, "first", p.lines())
		p.wait(9 * time.Second)
		require.Equal(t, "first", p.lines())
		p.press(" ")
		p.wait(time.Hour)
		require.Equal(t, "first", p.lines())
		require.Contains(t, p.out.text(), "paused")
		p.press(" ")
		p.wait(time.Second)
		require.Equal(t, "first second third", p.lines())
		require.NotContains(t, p.out.text(), "\x1b[2J")
		require.Contains(t, p.out.text(), "next (59 m ")
		p.press("n")
		require.Equal(t, "first second third fourth", p.lines())
		p.press("+") // twice as fast
		require.Contains(t, p.out.text(), "2x")
		p.wait(5 * time.Second)
		require.NoError(t, <-p.done)
		require.Equal(t, "first second third fourth fifth", p.lines())
	})
}

func TestPlaybackIsLeft(t *testing.T) {
	for _, key := range []string{"q", "\x1b", "\x03"} {
		synctest.Test(t, func(t *testing.T) {
			p := play(t.Context(), t)
			p.press(key)
			require.NoError(t, <-p.done)
			require.Equal(t, "first", p.lines())
		})
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		p := play(ctx, t)
		cancel(io.ErrUnexpectedEOF)
		require.ErrorIs(t, <-p.done, io.ErrUnexpectedEOF)
	})
}
