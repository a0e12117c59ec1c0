package cluster

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/client/pageserver"
)

// asks counts what a cluster is asked in a time.
type asks struct {
	*fake
	mu    sync.Mutex
	other []time.Time // pageservers and computes
	seven int         // pageserver 7
}

func (a *asks) note() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.other = append(a.other, time.Now())
}

// since counts the requests since a moment.
func (a *asks) since(begin time.Time) int {
	n := 0
	a.mu.Lock()
	defer a.mu.Unlock()
	a.fake.mu.Lock()
	defer a.fake.mu.Unlock()
	for _, at := range a.asked {
		for _, t := range at {
			if t.After(begin) {
				n++
			}
		}
	}
	for _, t := range a.other {
		if t.After(begin) {
			n++
		}
	}
	return n
}

// askedCluster is a cluster of 50 nodes and 14 computes that is read at these rates.
func askedCluster(rates Rates) (*asks, Config) {
	var nodes []client.Node
	for id := range client.NodeID(50) {
		nodes = append(nodes, node(id+1))
	}
	a := &asks{fake: newFake(nodes...)}
	cfg := Config{Client: a, Rates: rates, Pageserver: func(_ context.Context, n client.Node) (pageserver.Info, error) {
		a.note()
		if n.ID == 7 {
			a.do(func() { a.seven++ })
		}
		return pageserver.Info{Launch: time.Unix(1000, 0)}, nil
	}}
	for i := range 14 {
		cfg.Computes = append(cfg.Computes, ComputeSource{
			Name: fmt.Sprintf("ep-%d", i),
			Fetch: func(context.Context) (compute.Status, error) {
				a.note()
				return compute.Status{State: compute.StateRunning}, nil
			},
		})
	}
	return a, cfg
}

// Clusters that are watched side by side keep the budget, from the second look at each
// pageserver on, in every minute; a node that is about to be back is looked at often all
// the same.
func TestFleetKeepsItsBudget(t *testing.T) {
	for _, clusters := range []int{1, 2, 3, 8, 16, FleetMost} {
		t.Run(fmt.Sprint(clusters), func(t *testing.T) {
			rates := FleetRates(clusters)
			require.LessOrEqual(t, rates.Nodes, slowestNodes)
			require.Less(t, rates.Nodes+rates.NodesTimeout, StaleAfter, "what is shown never gets stale by it")
			a, cfg := askedCluster(rates)
			running(t, cfg, func(t *testing.T, p *Poller) {
				pass(30 * time.Second)
				for range 20 {
					begin := time.Now()
					pass(time.Minute)
					require.LessOrEqual(t, float64(a.since(begin)*clusters)/60, float64(FleetBudget))
				}
				require.False(t, p.Latest().Stale(time.Now()))
				before, begin := a.seven, time.Now()
				defer p.WatchProcess(7)()
				pass(time.Minute)
				require.Greater(t, a.seven-before, 20, "a node that restarts is asked every two seconds")
				if clusters <= 8 {
					require.LessOrEqual(t, float64(a.since(begin)*clusters)/60, float64(FleetBudget), "the others wait for it")
				}
			})
		})
	}
}
