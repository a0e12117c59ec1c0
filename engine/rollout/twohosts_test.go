package rollout_test

import (
	"net/http"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/demo/server"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
	"github.com/StorconTUI/storcon-tui/engine/gate"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// Goal G7: how soon somebody else's drain is known.
const (
	foreignByPolicy   = 1200 * time.Millisecond
	foreignByCounters = 21 * time.Second
)

// otherHost is a console on another machine: the same cluster, a state directory
// of its own, so that no lock is shared.
func (r *rig) otherHost(o options) *rig {
	b := &rig{Server: r.Server, t: r.t}
	b.connect(o)
	b.cfg.Operator = rollout.Operator{User: "oncall2", Host: "jump2"}
	b.configure(o)
	return b
}

// sees waits until the console has the policy, and says how long after then.
func (r *rig) sees(host string, id client.NodeID, p client.NodePolicy, then time.Time) {
	r.t.Helper()
	r.until("policy "+string(p), func(s *cluster.Snapshot) bool { n, _ := s.Node(id); return n.Scheduling == p })
	n, _ := r.poller.Latest().Node(id)
	took := n.PolicySince.Sub(then)
	r.t.Logf("host %s, by policy: node %s %s after %v", host, id, p, took.Round(time.Millisecond))
	require.LessOrEqual(r.t, took, foreignByPolicy)
}

var foreignDrain = regexp.MustCompile(`(: |, )drain \d`)

// isTold waits until the run says that a drain was counted that is not its own.
func (r *rig) isTold(host string, then time.Time) {
	r.t.Helper()
	r.when("a foreign drain is told", func(st *rollout.Status) bool {
		for _, n := range st.Notes {
			if n.At.After(then) && foreignDrain.MatchString(n.Text) {
				r.t.Logf("host %s, by counters: after %v", host, n.At.Sub(then).Round(time.Millisecond))
				require.LessOrEqual(r.t, n.At.Sub(then), foreignByCounters)
				return true
			}
		}
		return false
	})
}

// Two consoles on two hosts, with the console's own rates, and a drain by hand in
// between: each is known within the bounds of goal G7, and nobody sends a call into
// somebody else's operation.
// Rows: E15, E17.
func TestTwoHostsAndAManualDrain(t *testing.T) {
	o := options{real: true, Options: server.Options{Speed: 10, LocationDelay: time.Minute, AllMovable: true}}
	a := newRig(t, o)
	b := a.otherHost(o)
	hand := a.stranger()
	a.start(rollout.GoalRestart, 1)
	b.start(rollout.GoalRestart, 2)
	b.asked(rollout.AskDrain)

	a.yes(rollout.AskDrain)
	a.when("taken", func(*rollout.Status) bool { return len(a.mutations()) == 1 })
	calls := a.Calls()
	then := calls[slices.IndexFunc(calls, func(c server.Call) bool { return c.Method == http.MethodPut })].T
	b.sees("B", 1, client.PolicyDraining, then)
	b.isTold("B", then)
	require.NotEqual(t, rollout.AskDrain, b.when("asks", func(st *rollout.Status) bool { return st.Prompt != nil }).Prompt.Ask)
	b.say(rollout.AskPaused, rollout.Answer{Word: rollout.WordResume})
	b.heldBy(gate.NoForeignOperation, "node 1 is Draining")
	require.NotContains(t, rows(a.driver.Status()), "E17", "its own drain is not foreign")

	require.NoError(t, hand.CancelDrain(t.Context(), 1))
	require.Eventually(t, func() bool { // a cancel is answered before it has ended the drain
		n, err := hand.Node(t.Context(), 1)
		return err == nil && n.Scheduling == client.PolicyActive
	}, waitLimit, 5*time.Millisecond)
	then = time.Now()
	a.sees("A", 1, client.PolicyActive, then)
	then = time.Now()
	require.NoError(t, hand.StartDrain(t.Context(), 3))
	a.sees("A", 3, client.PolicyDraining, then)
	b.sees("B", 3, client.PolicyDraining, then)
	a.isTold("A", then)
	b.isTold("B", then)
	require.Equal(t, []string{"PUT 1/drain 202", "DELETE 1/drain 202", "PUT 3/drain 202"}, a.mutations(), "the last two by hand")
}
