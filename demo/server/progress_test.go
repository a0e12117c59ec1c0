package server

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/demo/sim"
)

// counted is how much of node 1's shards is attached at a moment: by intent, as
// observed, and as the gauge says. Fractions of what it began with.
type counted struct {
	at                        time.Duration
	intended, observed, gauge float64
}

// curve keeps what happened on node 1 with the progress of time.
type curve struct {
	*stage
	whole  float64
	points []counted
}

var gaugeOfNode1 = regexp.MustCompile(`node_attached_shards\{az="[^"]*",node_id="1"\} (\d+)`)

func (c *curve) point() {
	held := c.held("1")
	gauge, err := strconv.Atoi(gaugeOfNode1.FindStringSubmatch(c.do("GET", "/metrics", "").body)[1])
	require.NoError(c.t, err)
	intended, observed := held["AA"]+held["SA"]+held["-A"], held["AA"]+held["AS"]+held["A-"]
	if c.whole == 0 {
		c.whole = float64(observed)
	}
	c.points = append(c.points, counted{c.simNow() - c.offset, float64(intended) / c.whole, float64(observed) / c.whole, float64(gauge) / c.whole})
}

func (c *curve) until(at time.Duration) {
	for at += c.offset; c.simNow() < at; c.point() {
		c.clock.advance(100 * time.Millisecond)
	}
}

// follows compares a recorded figure with ours a little before and after, in
// either direction of travel.
func (c *curve) follows(at time.Duration, what string, recorded float64, ours func(counted) float64) {
	const about, near = 1500 * time.Millisecond, 0.06
	lo, hi := 2.0, -1.0
	for _, p := range c.points {
		if p.at >= at-about && p.at <= at+about {
			lo, hi = min(lo, ours(p)), max(hi, ours(p))
		}
	}
	assert.True(c.t, recorded >= lo-near && recorded <= hi+near, "%v: %s %.2f, ours between %.2f and %.2f", at, what, recorded, lo, hi)
}

// C25, C27, C29: a drain of slow shards and the fill after a short outage. Intent
// falls by 64 at once and observed follows; the gauge tells intent, each 20 s; each
// shard goes to its own secondary; the fill brings every one of them home.
func TestRecordedProgress(t *testing.T) {
	o := small(1080 * time.Millisecond) // 900 ms and what else the recorded calls took: six seconds a wave
	o.Tenants = 484                     // about as many shards a node as recorded: some have four
	c := &curve{stage: perform(t, o)}
	c.look()
	c.offset = c.simNow()
	c.point()
	lands := c.secondariesOf1()
	before := c.attached()
	require.Equal(t, http.StatusAccepted, c.request(c.ControllerURL(), "PUT", "/control/v1/node/1/drain", "").status)

	const recordedWhole, drainedBy, startFill = 151, 18995, 23478
	recorded := slices.DeleteFunc(recording(t, "progress"), func(e exchange) bool { return e.Summary == nil })
	require.Greater(t, len(recorded), 15)

	c.until(drainedBy * time.Millisecond)
	require.Equal(t, "Active/PauseForRestart", c.state(1))
	after := c.attached()
	for node, n := range lands {
		require.Equal(t, before[node]+n, after[node], "every shard to its own secondary, node %d", node)
	}
	require.InDelta(t, 64/c.whole, 1-c.points[3].intended, 0.001, "64 at once")
	require.InDelta(t, 1, c.points[3].observed, 0.001)

	restartNode(1, 500*time.Millisecond, "")(c.stage)
	c.until(startFill * time.Millisecond)
	require.Equal(t, "Active/Active", c.state(1))
	require.Equal(t, http.StatusAccepted, c.request(c.ControllerURL(), "PUT", "/control/v1/node/1/fill", "").status)
	c.until(48_600 * time.Millisecond)
	require.Equal(t, "Active/Active", c.state(1))
	require.Equal(t, before, c.attached(), "all came home")

	for _, e := range recorded {
		at := time.Duration(e.T) * time.Millisecond
		c.follows(at, "intended", e.Summary.Intended/recordedWhole, func(p counted) float64 { return p.intended })
		c.follows(at, "observed", e.Summary.Observed/recordedWhole, func(p counted) float64 { return p.observed })
	}
	c.gaugeIsAStaircase()
}

// gaugeIsAStaircase: it changes no more often than each 20 s, to what was intended then.
func (c *curve) gaugeIsAStaircase() {
	changed, changes := time.Duration(-1), 0
	for i := 1; i < len(c.points); i++ {
		p := c.points[i]
		if p.gauge == c.points[i-1].gauge {
			continue
		}
		if changes++; changed >= 0 {
			require.GreaterOrEqual(c.t, p.at-changed, 19*time.Second)
		}
		changed = p.at
		require.InDelta(c.t, p.intended, p.gauge, 0.01, "at %v", p.at)
	}
	require.Positive(c.t, changes)
}

func (st *stage) secondariesOf1() map[int]int {
	out := map[int]int{}
	st.with(func(w *sim.World) {
		for _, v := range w.Tenants(nil, "") {
			for _, s := range v.Shards {
				if s.Attached == 1 {
					out[int(s.Secondary[0])]++
				}
			}
		}
	})
	return out
}

func (st *stage) attached() map[int]int {
	out := map[int]int{}
	st.with(func(w *sim.World) {
		for _, v := range w.Tenants(nil, "") {
			for _, s := range v.Shards {
				out[int(s.Attached)]++
			}
		}
	})
	return out
}
