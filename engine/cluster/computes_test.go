package cluster

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client/compute"
)

// The list of computes changes while they are watched: who comes is asked, who goes is
// not, and who stays keeps what it said. A list that cannot be had needs a person.
func TestComputesComeAndGo(t *testing.T) {
	var mu sync.Mutex
	var list []ComputeSource
	var broken error
	asked := map[string]int{}
	say := func(err error, names ...string) {
		mu.Lock()
		defer mu.Unlock()
		list, broken = nil, err
		for _, name := range names {
			list = append(list, ComputeSource{Name: name, URL: "http://" + name, Fetch: func(context.Context) (compute.Status, error) {
				mu.Lock()
				defer mu.Unlock()
				asked[name]++
				return compute.Status{State: compute.StateRunning}, nil
			}})
		}
	}
	count := func(name string) int {
		mu.Lock()
		defer mu.Unlock()
		return asked[name]
	}
	names := func(p *Poller) []string {
		var all []string
		for _, c := range p.Latest().Computes {
			all = append(all, c.Name)
		}
		return all
	}
	say(nil, "configured")
	cfg := Config{Client: newFake(node(1)), Computes: list, Discover: func(context.Context) ([]ComputeSource, error) {
		mu.Lock()
		defer mu.Unlock()
		return list, broken
	}}
	say(nil, "configured", "a")
	running(t, cfg, func(t *testing.T, p *Poller) {
		require.Equal(t, []string{"configured", "a"}, names(p))
		require.Equal(t, 2, p.Latest().Discovery.Value)
		require.Empty(t, p.Latest().Events, "they were there before the console looked")
		pass(10 * time.Second)
		require.Positive(t, count("a"))

		say(nil, "b", "configured")
		pass(35 * time.Second)
		require.Equal(t, []string{"b", "configured"}, names(p))
		require.Equal(t, compute.StateRunning, p.Latest().Computes[0].Status.Value.State)
		require.ElementsMatch(t, []ChangeKind{ComputeAppeared, ComputeVanished}, kinds(p.Latest().Events))
		gone := count("a")
		since := p.Latest().Computes[1].Status.At

		say(errors.New("exit status 1"), "b", "configured")
		pass(35 * time.Second)
		require.Equal(t, []string{"b", "configured"}, names(p))
		require.True(t, p.Latest().Computes[1].Status.At.After(since), "who stays is asked on")
		require.Equal(t, gone, count("a"), "who is gone is not asked")
		attention := Attend(p.Latest(), time.Now(), nil)
		require.Len(t, attention, 1)
		require.Equal(t, ComputesUnlisted, attention[0].Reason)
		require.Equal(t, "exit status 1", attention[0].Cause)

		say(nil, "b", "configured")
		pass(35 * time.Second)
		require.Empty(t, Attend(p.Latest(), time.Now(), nil))
	})
}

// A compute that is listed at another address is another one, and what the old address
// still says is not taken for its word.
func TestComputeThatMoved(t *testing.T) {
	b := newBuilder(Identity{}, []ComputeSource{{Name: "a", URL: "http://old"}}, time.Unix(0, 0))
	b.cur.Discovery = &Part[int]{}
	old := ComputeSource{Name: "a", URL: "http://old"}
	b.compute(old, compute.Status{State: compute.StateRunning}, nil, time.Unix(1, 0))
	require.True(t, b.discovery([]ComputeSource{{Name: "a", URL: "http://new"}}, nil, time.Unix(2, 0)))
	require.False(t, b.compute(old, compute.Status{State: compute.StateFailed}, nil, time.Unix(3, 0)))
	require.Equal(t, []Compute{{Name: "a", URL: "http://new"}}, b.cur.Computes)
}
