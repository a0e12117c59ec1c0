package server

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/demo/sim"
)

// computeExchange is one line of a recording of a compute_ctl.
type computeExchange struct {
	N       int     `json:"n"`
	T       float64 `json:"t"`  // ms
	MS      float64 `json:"ms"` // took
	Note    string  `json:"note"`
	Label   string  `json:"label"`
	Server  string  `json:"server"`
	Request *struct {
		Method, Path, Body string
		Headers            map[string]string
	} `json:"request"`
	Response struct {
		Status  int
		Headers map[string]string
		Body    string
		Error   string
	} `json:"response"`
}

func computeRecording(t *testing.T, name string) []computeExchange {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "testdata", "recordings", "compute", name+".jsonl"))
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	var lines []computeExchange
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, 1<<24)
	for scanner.Scan() {
		var e computeExchange
		require.NoError(t, json.Unmarshal(scanner.Bytes(), &e))
		lines = append(lines, e)
	}
	require.NoError(t, scanner.Err())
	require.NotEmpty(t, lines)
	return lines
}

// computeStage is one compute_ctl whose time the test moves.
type computeStage struct {
	*stage
	name, internal string
	lines          []computeExchange
	pending        []pendingCompute
	scripts        []computeScript
	recorded       []string // states that the polls of the recording show
}

type pendingCompute struct {
	e     computeExchange
	done  <-chan answer
	stop  context.CancelFunc
	trail int // how many states there were before
}

// computeScript is what happens to the compute at a recorded time.
type computeScript struct {
	at float64 // ms
	do func(*computeStage)
}

func behave(change func(*sim.Script)) func(*computeStage) {
	return func(st *computeStage) { require.NoError(st.t, st.ScriptCompute(st.name, change)) }
}

// notServedByCompute are routes that this program never asks, and the demo does not have.
var notServedByCompute = regexp.MustCompile(
	`^/(dbs_and_roles|database_schema|autoscaling_metrics|hadron_liveness_probe|extensions|grants|extension_server|promote|failpoints)`)

// TestComputeRecordings brings the demo's compute_ctl through recorded situations by the
// recorded requests: the same statuses, texts and shapes, and the states in the same order.
func TestComputeRecordings(t *testing.T) {
	const noBasebackup = "failed to get basebackup@0/169F0A0\n\nCaused by:\n    0: error connecting to server: Connection refused (os error 111)\n    1: Connection refused (os error 111)"
	const noSync = "failed to sync safekeepers\n\nCaused by:\n    postgres --sync-safekeepers exited with non-zero status: exit status: 1. stdout: "
	refreshed := func(bad, none bool, spec func(*computeStage) *sim.ComputeSpec) func(*computeStage) {
		return func(st *computeStage) {
			behave(func(s *sim.Script) { s.RefreshBad, s.RefreshNone, s.Refreshed = bad, none, spec(st) })(st)
		}
	}
	for name, c := range map[string]struct {
		running bool // it has a spec from its start
		scripts []computeScript
	}{
		"empty":           {scripts: []computeScript{{0, behave(func(s *sim.Script) { s.Start = time.Hour })}}},
		"empty-terminate": {},
		"failed-start": {scripts: []computeScript{{0, behave(func(s *sim.Script) {
			s.Start, s.StartError = 56695*time.Millisecond, noBasebackup
		})}}},
		"failed-start-quick": {},
		"failed-sync": {scripts: []computeScript{{0, behave(func(s *sim.Script) {
			s.Start, s.StartError, s.QuickExit = 5134*time.Millisecond, noSync, true
		})}}},
		"running": {scripts: []computeScript{
			{0, behave(func(s *sim.Script) { s.Start = 2188 * time.Millisecond })},
			{7150, behave(func(s *sim.Script) { s.WriteError = `db error: ERROR: relation "public.health_check" does not exist` })},
			{7400, behave(func(s *sim.Script) { s.WriteError = "" })},
			{7650, behave(func(s *sim.Script) { s.NoInsights = true })},
		}},
		"reconfigure": {scripts: []computeScript{
			{7300, behave(func(s *sim.Script) { s.Apply = 440 * time.Millisecond })},
			{7800, behave(func(s *sim.Script) { s.Apply = 400 * time.Millisecond })},
			{8300, behave(func(s *sim.Script) { s.Apply = 0 })},
		}},
		"reconfigure-sql-fails": {scripts: []computeScript{
			{0, behave(func(s *sim.Script) { s.Start, s.Apply = 1100*time.Millisecond, 28*time.Millisecond })},
			{37405, func(st *computeStage) { require.NoError(st.t, st.EndCompute(st.name)) }},
		}},
		"reconfigure-hangs": {scripts: []computeScript{{0, behave(func(s *sim.Script) { s.Silent = true })}}},
		"refresh": {running: true, scripts: []computeScript{
			{5756, refreshed(false, false, other("23401"))},
			{11500, refreshed(true, false, none)},
			{20000, refreshed(false, false, other("23400"))},
			{30290, refreshed(false, false, other("23401"))},
			{30662, refreshed(false, false, func(*computeStage) *sim.ComputeSpec { return &sim.ComputeSpec{MissingShard: "0102", Pageservers: "x"} })},
			{32200, refreshed(false, false, other("23401"))},
			{32560, refreshed(false, true, none)},
		}},
		"terminate-fast":      {},
		"terminate-immediate": {},
		"postgres-dies": {scripts: []computeScript{{3540, func(st *computeStage) {
			require.NoError(st.t, st.KillPostgres(st.name))
		}}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := performCompute(t, name, c.running)
			st.scripts = c.scripts
			st.play()
		})
	}
}

func none(*computeStage) *sim.ComputeSpec { return nil }

// other is a spec whose only pageserver listens on another port.
func other(port string) func(*computeStage) *sim.ComputeSpec {
	return func(*computeStage) *sim.ComputeSpec {
		return &sim.ComputeSpec{Tenant: "3aa9bd1c0a4f4c0e9b6d2f7715c08e41", Pageservers: "postgres://no_user@127.0.0.1:" + port}
	}
}

func performCompute(t *testing.T, name string, running bool) *computeStage {
	t.Helper()
	st := &computeStage{stage: perform(t, Options{Nodes: 2, AZs: 1, Tenants: 2, Computes: 4, Seed: 1, ComputeAuth: true})}
	st.lines = computeRecording(t, name)
	st.name = st.Computes()[0].Name
	st.Server.with(func(w *sim.World) {
		w.EmptyCompute(0)
		if running {
			spec, complaint := senseOf(st.firstBody())
			require.Empty(t, complaint)
			w.ConfigureCompute(0, spec, func(sim.ConfigureEnd) {})
		}
	})
	if running {
		st.clock.advance(time.Second)
	}
	var err error
	st.internal, err = st.ComputeInternalURL(st.name)
	require.NoError(t, err)
	return st
}

// firstBody is the spec of the recording's first configure.
func (st *computeStage) firstBody() json.RawMessage {
	for _, e := range st.lines {
		if e.Request != nil && e.Request.Path == "/configure" {
			var body struct{ Spec json.RawMessage }
			require.NoError(st.t, json.Unmarshal([]byte(e.Request.Body), &body))
			return body.Spec
		}
	}
	st.t.Fatal("the recording has no configure")
	return nil
}

// play performs the recorded requests at their times.
func (st *computeStage) play() {
	st.offset = st.simNow()
	for i, e := range st.lines {
		if e.Request == nil || notServedByCompute.MatchString(e.Request.Path) || e.Request.Method == "POST" && strings.HasPrefix(e.Request.Path, "/lfc/") {
			continue
		}
		for len(st.scripts) > 0 && st.scripts[0].at <= e.T {
			st.syncTo(int(st.scripts[0].at))
			st.scripts[0].do(st)
			st.scripts = st.scripts[1:]
		}
		st.answered(e.T)
		st.syncTo(int(e.T))
		if e.Label == "poll" {
			st.poll(e)
			continue
		}
		p := st.send(e)
		if st.overlaps(i, e) {
			st.arrive(&p)
			st.pending = append(st.pending, p)
			continue
		}
		st.settle(p)
	}
	for _, p := range st.pending {
		st.settle(p)
	}
	st.order()
}

// answered waits for the answers that came before a recorded time.
func (st *computeStage) answered(t float64) {
	st.pending = slices.DeleteFunc(st.pending, func(p pendingCompute) bool {
		end := p.e.T + p.e.MS
		if end > t {
			return false
		}
		st.syncTo(int(end))
		st.settle(p)
		return true
	})
}

// arrive waits until a request that is not answered yet has had its effect.
func (st *computeStage) arrive(p *pendingCompute) {
	before := p.trail
	st.until("the request arrives", func() bool {
		return len(st.ctl(0).Trail) != before || len(p.done) > 0
	})
}

// overlaps reports a request that was not answered when the next one was sent.
func (st *computeStage) overlaps(i int, e computeExchange) bool {
	for _, next := range st.lines[i+1:] {
		if next.Request != nil {
			return next.T < e.T+e.MS-1
		}
	}
	return false
}

// poll notes what a repeated question was answered with.
func (st *computeStage) poll(e computeExchange) {
	state := "gone"
	if e.Request.Path != "/status" {
		return
	}
	if e.Response.Status != 0 {
		state = statusOf(st.t, e.Response.Body)
	}
	if n := len(st.recorded); n == 0 || st.recorded[n-1] != state {
		st.recorded = append(st.recorded, state)
	}
}

func statusOf(t *testing.T, body string) string {
	t.Helper()
	var s struct{ Status string }
	require.NoError(t, json.Unmarshal([]byte(body), &s), body)
	return s.Status
}

// order: what the recording's polls saw came in this order here, too.
func (st *computeStage) order() {
	c := st.ctl(0)
	trail := slices.Clone(c.Trail)
	if c.Gone {
		trail = append(trail, "gone")
	}
	left := slices.Clone(st.recorded)
	for _, state := range trail {
		for len(left) > 0 && left[0] == state {
			left = left[1:]
		}
	}
	require.Empty(st.t, left, "recorded states that did not come; ours: %v, recorded: %v", trail, st.recorded)
}
