package view

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/themes"
	"github.com/StorconTUI/storcon-tui/ui/goldentest"
)

const seatTenant = "3aa9bd1c0a4f4c0e9b6d2f7715c08e41"

// seatComputes are computes in every condition.
func seatComputes(now time.Time) []cluster.Compute {
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	one := func(name string, state compute.State) cluster.Compute {
		tenant, timeline := seatTenant, "9f0c6a7be2d14a0fa4b0c1d25e6f7788"
		started, active := ago(2*time.Hour), ago(40*time.Second)
		return cluster.Compute{
			Name: name, URL: "http://" + name + ":3080",
			Status: cluster.Part[compute.Status]{At: now, Value: compute.Status{
				State: state, Tenant: &tenant, Timeline: &timeline, StartTime: &started, LastActive: &active,
			}},
			Seen: []cluster.StatusSeen{{State: state, At: ago(4 * time.Minute)}},
			Startup: cluster.Part[compute.Startup]{At: ago(4 * time.Minute), Value: compute.Startup{
				WaitForSpec: 985, SyncSafekeepersChk: 1, SyncSafekeepers: 610, PageserverConnect: 938, Basebackup: 1810,
				BasebackupBytes: 5232502, StartPostgres: 90, Config: 85, Total: 2601,
			}},
		}
	}
	running, silent, odd := one("ep-cool-night-a1", compute.StateRunning), one("ep-silent", compute.StateRunning), one("ep-odd", "hibernating")
	failed, never := one("ep-failed", compute.StateFailed), cluster.Compute{Name: "ep-never", URL: "http://ep-never:3080"}
	failed.Status.Value.Error = new("could not get basebackup: connection refused by the pageserver at ps-1.internal:6400, which is node 1, after 5 tries")
	failed.Status.Value.LastActive = nil
	failed.Since = ago(12 * time.Second)
	failed.Seen = []cluster.StatusSeen{
		{State: compute.StateEmpty, At: ago(40 * time.Second)},
		{State: compute.StateInit, At: ago(20 * time.Second)},
		{State: compute.StateFailed, At: ago(12 * time.Second)},
	}
	failed.Startup.Value = compute.Startup{WaitForSpec: 1141, SyncSafekeepersChk: 1, SyncSafekeepers: 5}
	silent.Status.Err, silent.Status.Since = errors.New("no answer within 2s"), ago(41*time.Second)
	silent.Seen = append(silent.Seen, cluster.StatusSeen{At: ago(41 * time.Second)})
	never.Status.Err, never.Status.Since = errors.New("no answer within 2s"), ago(4*time.Minute)
	never.Seen = []cluster.StatusSeen{{At: ago(4 * time.Minute)}}
	odd.Startup = cluster.Part[compute.Startup]{}
	running.Spec = "file ~/specs/ep-cool-night-a1.json"
	return []cluster.Compute{running, failed, silent, never, odd}
}

// seatTenants are where the controller has the shards of the computes' tenant.
func seatTenants(now time.Time) map[client.TenantID]cluster.Part[[]client.TenantShard] {
	n := func(id client.NodeID) *client.NodeID { return &id }
	return map[client.TenantID]cluster.Part[[]client.TenantShard]{seatTenant: {At: now, Value: []client.TenantShard{
		{ID: seatTenant + "-0002", NodeAttached: n(1), NodeSecondary: []client.NodeID{2}, SchedulingPolicy: client.ShardActive},
		{
			ID: seatTenant + "-0102", NodeAttached: n(3), NodeSecondary: []client.NodeID{4, 1}, SchedulingPolicy: client.ShardPause,
			IsReconciling: true, IsPendingComputeNotification: true,
		},
	}}}
}

func seatContext(s *themes.Styles) *Context {
	now := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	node := cluster.Node{Node: client.Node{ID: 1, Availability: client.AvailabilityActive, Scheduling: client.PolicyDraining, ListenHTTPAddr: "ps-1.internal"}}
	return &Context{Styles: s, Now: now, Location: time.UTC, Snapshot: &cluster.Snapshot{
		Seq: 1, At: now, Computes: seatComputes(now), Nodes: cluster.Part[[]cluster.Node]{At: now, Value: []cluster.Node{node}},
	}}
}

// computesSeat is the list of computes with somebody in front of it.
func computesSeat(t *testing.T) (*Computes, *Context, func() string) {
	t.Helper()
	v, c := NewComputes(), seatContext(goldentest.Styles(t, goldentest.Looks[0]))
	return v, c, func() string { return ansi.Strip(strings.Join(v.Lines(c, 100, 24), "\n")) }
}

// order is the names in the table, from the top.
func order(frame string) []string {
	var names []string
	for _, line := range strings.Split(frame, "\n") {
		if f := strings.Fields(strings.TrimPrefix(line, ">")); len(f) > 1 && strings.HasPrefix(f[0], "ep-") && !strings.HasPrefix(f[1], "http") {
			names = append(names, f[0])
		}
	}
	return names
}

// What needs a person comes first; an answer that is missing is unknown and never shows
// an old word as if it were current; a word that this program does not know stands as it
// is spelt (K1, N10).
func TestComputesScreen(t *testing.T) {
	v, c, frame := computesSeat(t)
	text := frame()
	require.Equal(t, []string{"ep-failed", "ep-never", "ep-silent", "ep-odd", "ep-cool-night-a1"}, order(text))
	require.Regexp(t, `ep-silent +no answer +41 s .*was running`, text)
	require.Regexp(t, `ep-never +no answer +4 min`, text)
	require.Regexp(t, `ep-odd +hibernating +≥4 min`, text)
	require.Regexp(t, `ep-cool-night-a1 +running .* 2.60 s`, text)
	require.Regexp(t, `error +could not get basebackup: connection refused by`, text, "the one under the cursor, in full")
	require.Contains(t, text, "which is node 1, after 5 tries")
	require.Contains(t, text, seatTenant)

	v.Key("down", c)
	v.Key("down", c)
	require.Contains(t, frame(), "no answer  since 11:59:19, 41 s · the last was running")
	require.Equal(t, OpenCompute{Name: "ep-silent"}, v.Key("enter", c))

	v.Key("s", c)
	require.Equal(t, "ep-failed", order(frame())[0], "by status now: failed, hibernating, no answer, ...")
	v.Key("S", c)
	require.Equal(t, "ep-cool-night-a1", order(frame())[0])

	v.Key("/", c)
	require.True(t, v.Typing())
	v.Paste("hiber")
	require.Equal(t, []string{"ep-odd"}, order(frame()))
	v.Key("enter", c)
	require.IsType(t, nil, v.Key("esc", c), "the filter first")
	require.Len(t, order(frame()), 5)
	require.Equal(t, Back{}, v.Key("esc", c))
}

func TestNoComputesIsSaid(t *testing.T) {
	v, c, frame := computesSeat(t)
	c.Snapshot = &cluster.Snapshot{Seq: 2}
	require.Contains(t, frame(), "none is configured")
	for _, size := range [][2]int{{20, 3}, {40, 6}, {80, 24}} {
		require.Len(t, v.Lines(c, size[0], size[1]), size[1])
	}
}

// Whatever the size, every line has the width and there are as many as asked for.
func TestComputesFitEverySize(t *testing.T) {
	v, c, _ := computesSeat(t)
	for w := 20; w <= 200; w += 15 {
		for h := 3; h <= 50; h += 7 {
			lines := v.Lines(c, w, h)
			require.Len(t, lines, h)
			for _, l := range lines {
				require.Equal(t, w, ansi.StringWidth(l), "%dx%d: %q", w, h, l)
			}
		}
	}
}

// f goes through the states that there are, the most urgent first, and back to all.
func TestComputesOfOneState(t *testing.T) {
	v, c, frame := computesSeat(t)
	frame()
	for _, want := range [][]string{
		{"ep-failed"},
		{"ep-never", "ep-silent"},
		{"ep-odd"},
		{"ep-cool-night-a1"},
		{"ep-failed", "ep-never", "ep-silent", "ep-odd", "ep-cool-night-a1"},
		{"ep-failed"},
	} {
		v.Key("f", c)
		require.Equal(t, want, order(frame()))
	}
	require.Contains(t, frame(), "1 of 5 · by urgency ↑ · only failed")
	v.Key("/", c)
	v.Key("backspace", c)
	require.Empty(t, order(frame()), "it is the text of the filter and can be edited")
	v.Key("esc", c)
	require.Len(t, order(frame()), 5)
}

// The row of a compute whose tenant has a notification pending says so.
func TestPendingNotificationIsMarked(t *testing.T) {
	v, c, frame := computesSeat(t)
	require.NotContains(t, frame(), "notification pending")
	c.Snapshot.Seq, c.Snapshot.Tenants = 2, seatTenants(c.Now)
	text := frame()
	require.Regexp(t, `ep-cool-night-a1 .*notification pending`, text)
	v.Key("end", c)
	require.Contains(t, frame(), "a compute notification is pending: a shard moved")
}

func TestComputesFrames(t *testing.T) {
	goldentest.Frames(t, func(s *themes.Styles, w, h int) []string {
		c := seatContext(s)
		c.Snapshot.Tenants = seatTenants(c.Now)
		v := NewComputes()
		return v.Lines(c, w, h)
	})
}

// What is needed most is on the line of hints however narrow that is.
func TestHintsOfComputesBeginWithWhatIsNeededMost(t *testing.T) {
	v, c, _ := computesSeat(t)
	require.Equal(t, []string{"enter", "e"}, []string{v.Hints(c)[0].Key, v.Hints(c)[1].Key})
	require.Equal(t, "e", NewCompute("ep-failed").Hints(c)[0].Key)
}
