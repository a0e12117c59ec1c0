package sim

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
)

// quick is a small cluster whose moves take half a second.
func quick() Config {
	return Config{Nodes: 4, AZs: 2, Tenants: 200, Seed: 1, AllMovable: true, LocationDelay: 100 * time.Millisecond}
}

// slow is the same with moves that outlast the scan.
func slow() Config {
	cfg := quick()
	cfg.LocationDelay = 400 * time.Millisecond
	return cfg
}

func run(w *World, d time.Duration) { w.Advance(w.Now() + d) }

// ask starts an operation and lets its database write end.
func ask(t *testing.T, w *World, kind client.OperationKind, id client.NodeID) {
	t.Helper()
	err := fmt.Errorf("not answered")
	w.Start(kind, id, false, func(e error) { err = e })
	run(w, databaseWrite)
	require.NoError(t, err)
}

func state(t *testing.T, w *World, id client.NodeID) string {
	t.Helper()
	n, err := w.Node(id)
	require.NoError(t, err)
	return string(n.Availability) + "/" + string(n.Policy)
}

// settle advances event by event until the condition holds.
func settle(t *testing.T, w *World, limit time.Duration, what string, cond func() bool) time.Duration {
	t.Helper()
	from := w.Now()
	for !cond() {
		at, ok := w.Next()
		require.True(t, ok && at-from <= limit, "not within %s: %s", limit, what)
		w.Advance(at)
	}
	return w.Now() - from
}

func settleState(t *testing.T, w *World, id client.NodeID, want string) time.Duration {
	t.Helper()
	return settle(t, w, 10*time.Minute, want, func() bool { return state(t, w, id) == want })
}

// attached counts a node's attached shards as intended and as observed.
func attached(w *World, id client.NodeID) (intended, observed int) {
	for _, s := range w.NodeShards(id) {
		if s.Intended == IsAttached {
			intended++
		}
		if s.Observed == IsAttached {
			observed++
		}
	}
	return intended, observed
}

// picture is everything that can be seen of a world, as text.
func picture(w *World) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v %+v\n", w.Now(), w.Nodes())
	for _, v := range w.Tenants(nil, "") {
		fmt.Fprintf(&b, "%+v\n", v)
	}
	for _, n := range w.Nodes() {
		fmt.Fprintf(&b, "%+v\n", w.NodeShards(n.ID))
	}
	fmt.Fprintf(&b, "%+v %+v\n", w.Figures(), w.Computes())
	return b.String()
}
