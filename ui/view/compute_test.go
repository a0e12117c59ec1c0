package view

import (
	"errors"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/themes"
	"github.com/StorconTUI/storcon-tui/ui/goldentest"
)

func TestComputeFrames(t *testing.T) {
	for _, name := range []string{"ep-cool-night-a1", "ep-failed", "ep-silent"} {
		t.Run(name, func(t *testing.T) {
			goldentest.Frames(t, func(s *themes.Styles, w, h int) []string {
				c := seatContext(s)
				c.Snapshot.Tenants = seatTenants(c.Now)
				return NewCompute(name).Lines(c, w, h)
			})
		})
	}
}

// whole is everything that the screen of a compute has to say.
func whole(c *Context, name string) string {
	return ansi.Strip(strings.Join(NewCompute(name).Lines(c, 120, 60), "\n"))
}

func TestComputeScreen(t *testing.T) {
	c := seatContext(goldentest.Styles(t, goldentest.Looks[0]))
	text := whole(c, "ep-cool-night-a1")
	require.Contains(t, text, "asking the controller …")
	require.Contains(t, text, "spec       file ~/specs/ep-cool-night-a1.json")
	require.Contains(t, whole(c, "ep-odd"), "spec       none is known")

	c.Snapshot.Tenants = seatTenants(c.Now)
	text = whole(c, "ep-cool-night-a1")
	require.Contains(t, text, "on nodes 1, 3")
	require.Contains(t, text, "3aa9…8e41-0002  node 1 ps-1.internal Draining · secondary 2  ", "where it is, and what is not Active about that")
	require.Contains(t, text, "3aa9…8e41-0102  node 3 · secondary 1, 4 · policy Pause · reconciling · notification pending")
	require.Contains(t, text, "a compute notification is pending")

	text = whole(c, "ep-failed")
	require.Contains(t, text, "failed  since 11:59:48, 12 s")
	require.Regexp(t, `basebackup +did not end`, text)
	require.Contains(t, text, "11:59:20 empty   11:59:40 init   11:59:48 failed")

	c.Snapshot.Computes[1].Startup.Value = compute.Startup{}
	require.Contains(t, whole(c, "ep-failed"), "START-UP  failed, and no part of it has a figure")
	require.NotContains(t, whole(c, "ep-failed"), "did not end")

	text = whole(c, "ep-silent")
	require.Contains(t, text, "no answer  since 11:59:19, 41 s · the last was running")
	require.Contains(t, text, "11:56:00 running   11:59:19 no answer")
	require.Contains(t, whole(c, "ep-never"), "not known: it does not answer")
	require.Contains(t, whole(c, "ep-gone"), "ep-gone is not configured")
	require.Equal(t, Back{}, NewCompute("ep-never").Key("esc", c))
}

// What cannot be known says why.
func TestComputeScreenWithoutTheController(t *testing.T) {
	c := seatContext(goldentest.Styles(t, goldentest.Looks[0]))
	set := func(change func(*cluster.Part[[]client.TenantShard])) {
		c.Snapshot.Tenants = seatTenants(c.Now)
		part := c.Snapshot.Tenants[seatTenant]
		change(&part)
		c.Snapshot.Tenants[seatTenant] = part
	}
	set(func(p *cluster.Part[[]client.TenantShard]) {
		p.Off, p.At, p.Value = "token lacks scope admin", c.Now.AddDate(-9, 0, 0), nil
	})
	require.Contains(t, whole(c, "ep-odd"), "token lacks scope admin")
	set(func(p *cluster.Part[[]client.TenantShard]) {
		*p = cluster.Part[[]client.TenantShard]{Err: errors.New("connection refused")}
	})
	require.Contains(t, whole(c, "ep-odd"), "where they are is not known: connection refused")
	set(func(p *cluster.Part[[]client.TenantShard]) { p.Err = errors.New("connection refused") })
	text := whole(c, "ep-odd")
	require.Contains(t, text, "2, as they were 0 s ago")
	require.Contains(t, text, "newer is not known: connection refused")
	require.Contains(t, text, "node 3 · secondary 1, 4")

	c.Snapshot.Computes[4].Startup.Err = errors.New("404 from /metrics.json")
	require.Contains(t, whole(c, "ep-odd"), "the figures cannot be read: 404 from /metrics.json")
}

// The states of a start's parts, out of figures as compute_ctl was seen to give them.
func TestStartupPhases(t *testing.T) {
	words := func(s compute.Startup, state compute.State) string {
		var all []string
		for _, p := range startupPhases(s, state) {
			word := map[phaseState]string{phaseAhead: "-", phaseUnderWay: "now", phaseNotEnded: "failed", phaseOver: millis(p.ms)}[p.state]
			all = append(all, word)
		}
		return strings.Join(all, " ")
	}
	waited := compute.Startup{WaitForSpec: 1141, SyncSafekeepersChk: 1, SyncSafekeepers: 5}
	fetched := compute.Startup{WaitForSpec: 1589, SyncSafekeepers: 6, Basebackup: 983}
	static := compute.Startup{Basebackup: 674, StartPostgres: 25, Total: 707}
	for _, row := range []struct {
		s     compute.Startup
		state compute.State
		want  string
	}{
		{compute.Startup{}, compute.StateEmpty, "now - - - -"},
		{compute.Startup{}, compute.StateFailed, "failed - - - -"},
		{waited, compute.StateInit, "1.14 s 6 ms now - -"},
		{waited, compute.StateFailed, "1.14 s 6 ms failed - -"},
		{fetched, compute.StateFailed, "1.59 s 6 ms 983 ms failed -"},
		{fetched, "hibernating", "1.59 s 6 ms 983 ms - -"},
		{static, compute.StateRunning, "0 ms 0 ms 674 ms 25 ms 0 ms"},
		{static, compute.StateFailed, "0 ms 0 ms 674 ms 25 ms 0 ms"},
	} {
		require.Equal(t, row.want, words(row.s, row.state), "%+v %s", row.s, row.state)
	}
	require.Contains(t, startupPhases(static, compute.StateTerminated)[1].remark, "shutdown")
}

func TestMillis(t *testing.T) {
	for ms, want := range map[int64]string{
		0: "0 ms", 999: "999 ms", 1000: "1.00 s", 4900: "4.90 s", 9994: "9.99 s", 9995: "10.0 s", 12345: "12.3 s",
		99949: "99.9 s", 99950: "1 min 40 s", 3_600_000: "1 h",
	} {
		require.Equal(t, want, millis(ms))
	}
}

// Whatever the figures, bars stay inside the screen, each begins where the one before
// ended, and each is as long as its time.
func TestWaterfallIsToScale(t *testing.T) {
	styles := goldentest.Styles(t, goldentest.Looks[2])
	rapid.Check(t, func(rt *rapid.T) {
		ms := rapid.Int64Range(0, rapid.SampledFrom([]int64{3, 500, 1 << 20}).Draw(rt, "most"))
		s := compute.Startup{
			WaitForSpec: ms.Draw(rt, "wait"), SyncSafekeepers: ms.Draw(rt, "sync"), Basebackup: ms.Draw(rt, "basebackup"),
			StartPostgres: ms.Draw(rt, "postgres"), Config: ms.Draw(rt, "config"), Total: ms.Draw(rt, "total"),
		}
		w := rapid.IntRange(20, 200).Draw(rt, "width")
		p := newSheet(&Context{Styles: styles}, w)
		waterfall(p, s, compute.StateRunning)
		for _, line := range p.lines {
			require.Equal(rt, w, ansi.StringWidth(line), "%q", line)
		}
		scale := max(s.WaitForSpec+s.SyncSafekeepers+s.Basebackup+s.StartPostgres+s.Config, s.WaitForSpec+s.Total)
		room := w - phaseBar - 1
		if scale == 0 || room < leastBar {
			return
		}
		var from int64
		for i, length := range []int64{s.WaitForSpec, s.SyncSafekeepers, s.Basebackup, s.StartPostgres, s.Config} {
			bar := []rune(ansi.Strip(p.lines[i+1]))[phaseBar:]
			begin, cells := 0, 0
			for begin < len(bar) && bar[begin] == ' ' {
				begin++
			}
			for _, r := range bar[begin:] {
				if r != ' ' {
					cells++
				}
			}
			if length > 0 {
				cell := float64(room) / float64(scale)
				require.InDelta(rt, float64(from)*cell, float64(begin), 1, "%d begins", i)
				require.InDelta(rt, float64(from+length)*cell, float64(begin+cells), 1.01, "%d ends", i)
			}
			from += length
		}
	})
}

func TestComputeFitsEverySize(t *testing.T) {
	c := seatContext(goldentest.Styles(t, goldentest.Looks[0]))
	c.Snapshot.Tenants = seatTenants(c.Now)
	for _, one := range c.Snapshot.Computes {
		for w := 20; w <= 200; w += 15 {
			for h := 1; h <= 50; h += 7 {
				goldentest.Exact(t, NewCompute(one.Name).Lines(c, w, h), w, h)
			}
		}
	}
}
