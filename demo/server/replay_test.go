package server

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/demo/sim"
)

// exchange is one line of a recording.
type exchange struct {
	T       int    `json:"t"` // ms
	Note    string `json:"note"`
	Label   string `json:"label"`
	Server  string `json:"server"`
	Summary *struct {
		Intended float64 `json:"attached_intended"`
		Observed float64 `json:"attached_observed"`
	}
	Request *struct{ Method, Path, Body string }
	// Status is 0 when the connection failed.
	Response struct {
		Status  int
		Headers map[string]string
		Body    string
	}
}

func recording(t *testing.T, name string) []exchange {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "testdata", "recordings", "controller", name+".jsonl"))
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	var lines []exchange
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, 1<<24)
	for scanner.Scan() {
		var e exchange
		require.NoError(t, json.Unmarshal(scanner.Bytes(), &e))
		lines = append(lines, e)
	}
	require.NoError(t, scanner.Err())
	require.NotEmpty(t, lines)
	return lines
}

// handClock is a wall clock that the test moves.
type handClock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *handClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *handClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

// stage is a fake cluster whose time the test moves from event to event, so
// that no state of a node, however short, goes unseen. It brings the cluster
// through a recorded situation and compares what both say.
type stage struct {
	*rig
	clock   *handClock
	offset  time.Duration       // simulated time at the recording's zero
	seen    map[uint64][]string // states of each node in order, without repetition
	want    map[uint64][]string // the same of the recording
	tenants map[string]string   // recorded tenant id -> ours
	actions []action
	unseen  map[uint64][]string // states that the recording's polls missed
}

// action is something that happens to the cluster at a recorded time.
type action struct {
	at int // ms
	do func(*stage)
}

func perform(t *testing.T, o Options) *stage {
	t.Helper()
	clock := &handClock{t: time.Now()}
	s, err := serve(t.Context(), o, clock.now)
	require.NoError(t, err)
	g := &rig{Server: s, t: t, client: newClient(t, s)}
	st := &stage{rig: g, clock: clock, seen: map[uint64][]string{}, want: map[uint64][]string{}, tenants: map[string]string{}}
	return st
}

// nameTenants maps the recording's tenants, in order, to ours.
func (st *stage) nameTenants(lines []exchange) {
	id := regexp.MustCompile(`0{20}1[0-9a-f]{11}`)
	var recorded []string
	for _, e := range lines {
		if e.Request != nil {
			recorded = append(recorded, id.FindAllString(e.Request.Path, -1)...)
		}
	}
	slices.Sort(recorded)
	recorded = slices.Compact(recorded)
	st.Server.with(func(w *sim.World) {
		for i, v := range w.Tenants(nil, "") {
			if i < len(recorded) {
				st.tenants[recorded[i]] = string(v.ID)
			}
		}
	})
}

func (st *stage) translate(path string) string {
	for theirs, ours := range st.tenants {
		path = strings.ReplaceAll(path, theirs, ours)
	}
	return path
}

func (st *stage) simNow() time.Duration {
	var now time.Duration
	st.with(func(w *sim.World) { now = w.Now() })
	return now
}

// tick moves time to the next event, at most by limit, and looks at the nodes.
func (st *stage) tick(limit time.Duration) {
	st.with(func(w *sim.World) {
		if at, ok := w.Next(); ok {
			limit = min(limit, at-w.Now())
		}
	})
	st.clock.advance(max(limit, time.Microsecond))
	st.with(func(*sim.World) {})
	st.look()
}

func (st *stage) look() {
	st.note(st.seen, st.do("GET", "/control/v1/node", "").body)
}

// note appends the states in a node list to those seen.
func (st *stage) note(states map[uint64][]string, body string) {
	var nodes []nodeJSON
	if json.Unmarshal([]byte(body), &nodes) != nil {
		return
	}
	for _, n := range nodes {
		s := n.Availability + "/" + n.Scheduling
		if have := states[n.ID]; len(have) == 0 || have[len(have)-1] != s {
			states[n.ID] = append(have, s)
		}
	}
}

// request performs a call while time goes on, for those that wait for it.
func (st *stage) request(base, method, path, body string) answer {
	result := make(chan answer, 1)
	go func() { result <- st.call(base, method, path, body) }()
	for {
		select {
		case a := <-result:
			return a
		case <-time.After(time.Millisecond):
			st.clock.advance(time.Millisecond)
			st.with(func(*sim.World) {})
		}
	}
}

const simPatience = 3 * time.Minute // of simulated time

// replay brings the cluster through the recorded requests.
func (st *stage) replay(lines []exchange) {
	st.offset = st.simNow()
	for _, e := range lines {
		st.happen(e)
		if e.Request == nil {
			continue
		}
		where := fmt.Sprintf("t=%d %s %s %s", e.T, e.Request.Method, e.Request.Path, e.Request.Body)
		if strings.HasPrefix(e.Server, "pageserver") {
			a := st.call("http://"+st.pageservers[1].addr, e.Request.Method, e.Request.Path, "")
			require.Equal(st.t, e.Response.Status, a.status, where)
			continue
		}
		st.compare(where, e, st.exchange(where, e))
	}
	for id, want := range st.want {
		assert.Equal(st.t, st.unseen[id], st.between(id, want), "states of node %d that the recording does not show; all: %v", id, st.seen[id])
	}
}

// between are our states of a node that do not appear in the recorded order,
// which must appear in ours.
func (st *stage) between(id uint64, want []string) []string {
	var extra []string
	for _, s := range st.seen[id] {
		if len(want) > 0 && want[0] == s {
			want = want[1:]
		} else {
			extra = append(extra, s)
		}
	}
	require.Empty(st.t, want, "recorded states of node %d that did not come; ours: %v", id, st.seen[id])
	return extra
}

// happen runs what is due before an exchange.
func (st *stage) happen(e exchange) {
	for len(st.actions) > 0 && st.actions[0].at <= e.T {
		st.syncTo(st.actions[0].at)
		st.actions[0].do(st)
		st.actions = st.actions[1:]
		st.look()
	}
}

// syncTo lets time pass until the recording's time, if it has not yet.
func (st *stage) syncTo(ms int) {
	at := st.offset + time.Duration(ms)*time.Millisecond
	for now := st.simNow(); now < at; now = st.simNow() {
		st.tick(at - now)
	}
}

// exchange performs a recorded request. The same poll repeated waits for the
// recorded answer; everything else is asked once, at its time.
func (st *stage) exchange(where string, e exchange) answer {
	path := st.translate(e.Request.Path)
	base := st.ControllerURL()
	if e.Server == "second instance" {
		base = st.instances[1].face.url()
	}
	if !polls(e) {
		st.syncTo(e.T)
		return st.request(base, e.Request.Method, path, e.Request.Body)
	}
	if e.Request.Path == "/control/v1/node" {
		if len(st.want) == 0 {
			clear(st.seen) // what came before the recording's first look cannot be compared
		}
		st.note(st.want, e.Response.Body)
	}
	want := essence(e.Response.Status, e.Response.Body)
	deadline := st.simNow() + simPatience
	for {
		a := st.call(base, e.Request.Method, path, e.Request.Body)
		if e.Request.Path == "/control/v1/node" {
			st.note(st.seen, a.body)
		}
		if essence(a.status, a.body) == want {
			st.offset = max(st.offset, st.simNow()-time.Duration(e.T)*time.Millisecond)
			return a
		}
		if st.simNow() > deadline {
			st.t.Fatalf("%s: wanted %s, still %s", where, want, essence(a.status, a.body))
		}
		st.tick(time.Second)
	}
}

var probeBody = regexp.MustCompile(`^\{"node_id": \d+\}$`)

// polls says which requests a recording repeats until the answer changes.
func polls(e exchange) bool {
	r := e.Request
	switch {
	case e.Response.Status == 0:
		return false
	case r.Path == "/debug/v1/consistency_check":
		return true
	case r.Method == "GET":
		return regexp.MustCompile(`^/control/v1/(node(/\d+)?|leader)$|^/(live|ready|status)$`).MatchString(r.Path)
	default:
		return r.Method == "PUT" && strings.HasSuffix(r.Path, "/config") && probeBody.MatchString(r.Body)
	}
}

// essence of an answer to a poll: the status, and the states of nodes.
func essence(status int, body string) string {
	var nodes []nodeJSON
	if json.Unmarshal([]byte(body), &nodes) != nil {
		var one nodeJSON
		if json.Unmarshal([]byte(body), &one) != nil || one.ID == 0 {
			return fmt.Sprint(status)
		}
		nodes = []nodeJSON{one}
	}
	text := fmt.Sprint(status)
	for _, n := range nodes {
		text += fmt.Sprintf(" %d:%s/%s", n.ID, n.Availability, n.Scheduling)
	}
	return text
}

func restartNode(id client.NodeID, down time.Duration, build string) func(*stage) {
	return func(st *stage) {
		st.with(func(w *sim.World) { w.RestartNode(id, down, build, ignored) })
	}
}

func startNode(id client.NodeID, build string) func(*stage) {
	return func(st *stage) { st.with(func(w *sim.World) { w.StartNode(id, build, ignored) }) }
}

func ignored(error) {}
