package cluster

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/StorconTUI/storcon-tui/client"
)

func counted(start time.Time, counts map[string]int64) client.Metrics {
	m := client.Metrics{ProcessStart: start}
	for route, n := range counts {
		// Refused calls of another driver are calls of another driver.
		m.Requests = append(m.Requests, client.RequestCount{Route: route, Status: 202, Count: n},
			client.RequestCount{Route: route, Status: 412, Count: 1})
	}
	return m
}

func TestForeignCalls(t *testing.T) {
	const drain, fill, config = "control_v1_node_drain", "control_v1_node_fill", "control_v1_node_config"
	first, second := time.Unix(1000, 0), time.Unix(2000, 0)
	put := func(verb string, status int) client.Call {
		return client.Call{Method: "PUT", Path: "/control/v1/node/7/" + verb, Status: status}
	}
	type scrape struct {
		ours   ours // before it
		start  time.Time
		counts map[string]int64
		want   string
	}
	done := func(calls ...client.Call) ours { return ours{sent: calls, answered: calls} }
	sent := func(calls ...client.Call) ours { return ours{sent: calls} }
	answered := func(calls ...client.Call) ours { return ours{answered: calls} }
	none := ours{}
	tests := map[string][]scrape{
		"what was there before we looked is nobody's": {
			{none, first, map[string]int64{drain: 40}, ""},
			{none, first, map[string]int64{drain: 40}, ""},
		},
		"ours are not foreign": {
			{none, first, nil, ""},
			{done(put("drain", 202), put("drain", 412)), first, map[string]int64{drain: 1}, ""},
			{done(put("fill", 202), put("fill", 503)), first, map[string]int64{drain: 1, fill: 1}, ""},
			{none, first, map[string]int64{drain: 1, fill: 1}, ""},
		},
		"E17: ours is counted there long before its answer is here": {
			{none, first, map[string]int64{drain: 3}, ""},
			{sent(put("drain", 0)), first, map[string]int64{drain: 4}, ""},
			{none, first, map[string]int64{drain: 4}, ""},
			{none, first, map[string]int64{drain: 4}, ""},
			{answered(put("drain", 202)), first, map[string]int64{drain: 4}, ""},
			{none, first, map[string]int64{drain: 4}, ""},
			{none, first, map[string]int64{drain: 5}, "drain 1"},
		},
		"E17: somebody's beside ours that waits for its answer": {
			{none, first, map[string]int64{drain: 3}, ""},
			{sent(put("drain", 0)), first, map[string]int64{drain: 5}, "drain 1"},
			{answered(put("drain", 202)), first, map[string]int64{drain: 5}, ""},
		},
		"ours was never counted, and somebody's is told once its answer is here": {
			{none, first, map[string]int64{drain: 3}, ""},
			{sent(put("drain", 0)), first, map[string]int64{drain: 4}, ""}, // theirs
			{answered(put("drain", 202)), first, map[string]int64{drain: 5}, "drain 1"},
		},
		"two of ours, each on its way at a scrape": {
			{none, first, map[string]int64{drain: 3}, ""},
			{sent(put("drain", 500)), first, map[string]int64{drain: 4}, ""},
			{ours{answered: []client.Call{put("drain", 500)}, sent: []client.Call{put("drain", 202)}}, first, map[string]int64{drain: 5}, ""},
			{answered(put("drain", 202)), first, map[string]int64{drain: 5}, ""},
			{none, first, map[string]int64{drain: 5}, ""},
		},
		"D12: attempts whose answers come while the counters are read": {
			{none, first, map[string]int64{drain: 0}, ""},
			{done(put("drain", 429)), first, map[string]int64{drain: 0}, ""}, // answered after the counters were written
			{done(put("drain", 429)), first, map[string]int64{drain: 1}, ""},
			{done(put("drain", 202)), first, map[string]int64{drain: 2}, ""},
			{none, first, map[string]int64{drain: 3}, ""},
			{none, first, map[string]int64{drain: 3}, ""},
			{none, first, map[string]int64{drain: 3}, ""},
		},
		"D12: a proxy's refusal never reaches the controller": {
			{none, first, map[string]int64{drain: 0}, ""},
			{done(put("drain", 429)), first, map[string]int64{drain: 0}, ""},
			{none, first, map[string]int64{drain: 0}, ""},
			{done(put("drain", 202)), first, map[string]int64{drain: 1}, ""},
			{none, first, map[string]int64{drain: 1}, ""},
			{none, first, map[string]int64{drain: 2}, "drain 1"},
			{none, first, map[string]int64{drain: 2}, ""},
		},
		"E17: another driver, told with the next scrape, and once": {
			{none, first, map[string]int64{drain: 3, config: 1}, ""},
			{none, first, map[string]int64{drain: 5, config: 2}, "config 1, drain 2"},
			{none, first, map[string]int64{drain: 5, config: 2}, ""},
			{none, first, map[string]int64{drain: 6, config: 2}, "drain 1"},
			{none, first, map[string]int64{drain: 6, config: 2}, ""},
		},
		"theirs beside ours": {
			{none, first, map[string]int64{drain: 3}, ""},
			{done(put("drain", 202)), first, map[string]int64{drain: 5}, "drain 1"},
			{none, first, map[string]int64{drain: 5}, ""},
		},
		"D1: a lost answer may or may not be counted": {
			{none, first, map[string]int64{drain: 3}, ""},
			{done(put("drain", 0)), first, map[string]int64{drain: 4}, ""},
			{none, first, map[string]int64{drain: 4}, ""},
		},
		"a restarted controller counts from zero": {
			{none, first, map[string]int64{drain: 3}, ""},
			{done(put("drain", 202)), first, map[string]int64{drain: 4}, ""},
			{none, second, map[string]int64{drain: 1}, ""},
			{none, second, map[string]int64{drain: 2}, "drain 1"},
			{none, second, map[string]int64{drain: 2}, ""},
		},
		"an answer that the baseline held already hides nothing later": {
			{sent(put("drain", 0)), first, map[string]int64{drain: 4}, ""}, // ours is among these
			{answered(put("drain", 202)), first, map[string]int64{drain: 4}, ""},
			{none, first, map[string]int64{drain: 4}, ""},
			{none, first, map[string]int64{drain: 5}, "drain 1"},
			{none, first, map[string]int64{drain: 5}, ""},
		},
	}
	for name, scrapes := range tests {
		t.Run(name, func(t *testing.T) {
			var watch foreignWatch
			calls := NewCalls()
			for i, s := range scrapes {
				s.ours.tell(calls)
				require.Equal(t, s.want, watch.scrape(counted(s.start, s.counts), calls.counts()), "scrape %d", i)
			}
		})
	}
}

// ours are calls of this process.
type ours struct{ sent, answered []client.Call }

func (o ours) tell(calls *Calls) {
	for _, c := range o.sent {
		calls.Sent(c)
	}
	for _, c := range o.answered {
		calls.Observe(c)
	}
}

func TestRoutes(t *testing.T) {
	for call, want := range map[[2]string]string{
		{"PUT", "/control/v1/node/3/drain"}:          "drain",
		{"DELETE", "/control/v1/node/3/drain"}:       "cancel drain",
		{"PUT", "/control/v1/node/3/fill?x=1"}:       "fill",
		{"DELETE", "/control/v1/node/3/fill"}:        "cancel fill",
		{"PUT", "/control/v1/node/3/config"}:         "config",
		{"PUT", "/control/v1/node/3/delete"}:         "delete",
		{"DELETE", "/control/v1/node/3/delete"}:      "cancel delete",
		{"GET", "/control/v1/node/3"}:                "",
		{"GET", "/control/v1/node"}:                  "",
		{"PUT", "/control/v1/tenant/aa/drain"}:       "",
		{"PUT", "/control/v1/node/3/drain/and/more"}: "",
	} {
		require.Equal(t, want, foreignRoutes[routeOf(call[0], call[1])], "%v", call)
	}
}

// Rows: E17.
func TestForeignCallsBecomeAnEvent(t *testing.T) {
	f := newFake(node(1))
	running(t, Config{Client: f}, func(t *testing.T, p *Poller) {
		pass(12 * time.Second)
		f.do(func() {
			f.metrics.Requests = []client.RequestCount{{Route: "control_v1_cancel_node_drain", Method: "delete", Status: 202, Count: 1}}
		})
		pass(21 * time.Second) // G7
		require.Equal(t, []ChangeKind{ForeignCalls}, kinds(p.Latest().Events))
		require.Equal(t, "cancel drain 1", p.Latest().Events[0].To)
	})
}
