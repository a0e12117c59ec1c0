package cluster

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// foreignRoutes are the controller's names of the routes by which somebody
// drives a cluster, with the word for people.
var foreignRoutes = map[string]string{
	"control_v1_node_drain":         "drain",
	"control_v1_cancel_node_drain":  "cancel drain",
	"control_v1_node_fill":          "fill",
	"control_v1_cancel_node_fill":   "cancel fill",
	"control_v1_node_config":        "config",
	"control_v1_start_node_delete":  "delete",
	"control_v1_cancel_node_delete": "cancel delete",
}

// routeOf is the controller's name of the route that a request took; "" for one that
// is not among foreignRoutes.
func routeOf(method, path string) string {
	path, _, _ = strings.Cut(path, "?")
	rest, ok := strings.CutPrefix(path, "/control/v1/node/")
	if !ok {
		return ""
	}
	_, verb, _ := strings.Cut(rest, "/")
	switch method + " " + verb {
	case "PUT drain":
		return "control_v1_node_drain"
	case "DELETE drain":
		return "control_v1_cancel_node_drain"
	case "PUT fill":
		return "control_v1_node_fill"
	case "DELETE fill":
		return "control_v1_cancel_node_fill"
	case "PUT config":
		return "control_v1_node_config"
	case "PUT delete":
		return "control_v1_start_node_delete"
	case "DELETE delete":
		return "control_v1_cancel_node_delete"
	}
	return ""
}

// Calls counts the requests that this process sent, so that the controller's
// own counters tell those of others. Its Sent is meant for client.Config.OnSend
// and its Observe for OnCall. It is safe for use by several goroutines.
type Calls struct {
	mu      sync.Mutex
	sent    map[string]sentCalls
	mutated func() // set by the Poller: a call of ours just ended
}

// sentCalls are ours on one route: answered; those whose answer was lost; and
// those that wait for theirs. Of the last two nobody knows whether the controller
// has counted them: a proxy may hold the answer back for as long as a call may take.
type sentCalls struct{ sure, maybe, open int64 }

// NewCalls counts from zero.
func NewCalls() *Calls { return &Calls{sent: map[string]sentCalls{}} }

// Sent takes note of a request that is about to go over the wire.
func (c *Calls) Sent(call client.Call) {
	if route := routeOf(call.Method, call.Path); route != "" {
		c.mu.Lock()
		defer c.mu.Unlock()
		n := c.sent[route]
		n.open++
		c.sent[route] = n
	}
}

// Observe takes note of a request that went over the wire, of which Sent was
// told before.
func (c *Calls) Observe(call client.Call) {
	route := routeOf(call.Method, call.Path)
	if route == "" {
		return
	}
	c.mu.Lock()
	n := c.sent[route]
	n.open--
	if call.Status == 0 {
		n.maybe++
	} else {
		n.sure++
	}
	c.sent[route] = n
	mutated := c.mutated
	c.mu.Unlock()
	if mutated != nil && call.Mutates() {
		mutated()
	}
}

func (c *Calls) counts() map[string]sentCalls {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.sent)
}

func (c *Calls) onMutated(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mutated = f
}

// foreignWatch compares the controller's request counters with ours. The first
// scrape of a controller process is its baseline. Ours are read after the scrape,
// so that a call of ours which the controller had counted by then is answered,
// lost or open: a surplus over all of these is somebody else's for certain.
type foreignWatch struct {
	process time.Time // start of the process that the baseline belongs to
	routes  map[string]*surplus
}

// surplus is the bookkeeping of one route.
type surplus struct {
	base   int64 // the controller's count less our answered calls, at the baseline
	maybe  int64 // lost answers before the baseline
	sure   int64 // our answered calls at the last scrape
	told   int64 // already reported
	behind bool  // the last scrape had fewer than ours
}

// scrape returns what others called since the last report, as "drain 1, config
// 2"; "" for nothing.
func (w *foreignWatch) scrape(m client.Metrics, ours map[string]sentCalls) string {
	totals := map[string]int64{}
	for _, r := range m.Requests {
		if _, ok := foreignRoutes[r.Route]; ok {
			totals[r.Route] += r.Count
		}
	}
	if w.routes == nil || !w.process.Equal(m.ProcessStart) {
		w.process, w.routes = m.ProcessStart, map[string]*surplus{}
		for route := range foreignRoutes {
			w.routes[route] = &surplus{base: totals[route] - ours[route].sure, maybe: ours[route].maybe}
		}
		return ""
	}
	var found []string
	for _, route := range slices.Sorted(maps.Keys(foreignRoutes)) {
		if n := w.routes[route].take(totals[route], ours[route]); n > 0 {
			found = append(found, fmt.Sprintf("%s %d", foreignRoutes[route], n))
		}
	}
	return strings.Join(found, ", ")
}

// take returns how many calls of others are certain and not yet reported.
func (s *surplus) take(total int64, ours sentCalls) int64 {
	excess := total - s.base - ours.sure
	quiet := ours.sure == s.sure
	s.sure = ours.sure
	if excess < 0 {
		// Our answers may be newer than the scrape. If none came since the last one
		// and it is still behind, the baseline held a call of ours already, or
		// something before the controller gave the answer.
		if s.behind && quiet {
			s.base += excess
		}
		s.behind = !s.behind || !quiet
		return 0
	}
	s.behind = false
	certain := max(0, excess-(ours.maybe-s.maybe)-ours.open-s.told)
	s.told += certain
	return certain
}
