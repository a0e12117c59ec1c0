package server

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/demo/sim"
)

const (
	metricsType     = "text/plain; version=0.0.4"
	controllerBuild = "demo"
	metricPrefix    = "storage_controller_"
)

// requestCounts counts answers by route name, method and status, since the
// controller's process started.
type requestCounts map[requestKey]int64

type requestKey struct {
	route, method string
	status        int
}

func (s *Server) count(instance int, route, method string, status int) {
	if route == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.instances[instance].requests[requestKey{route, strings.ToLower(method), status}]++
}

// exposition writes the Prometheus text format.
type exposition struct{ strings.Builder }

func (e *exposition) family(name, kind, help string) {
	if help != "" {
		fmt.Fprintf(e, "# HELP %s %s\n", name, help)
	}
	if kind != "" {
		fmt.Fprintf(e, "# TYPE %s %s\n", name, kind)
	}
}

func (e *exposition) end() { e.WriteByte('\n') }

// single writes a family of one sample; labels is "" or {name="value"}.
func (e *exposition) single(name, kind, help, labels string, value int64) {
	e.family(name, kind, help)
	fmt.Fprintf(e, "%s%s %d\n", name, labels, value)
	e.end()
}

func getMetrics(q *request) *reply {
	s := q.server
	var f sim.Figures
	var is role
	var keys []requestKey
	counts := requestCounts{}
	s.with(func(w *sim.World) {
		in := s.instances[q.instance]
		if f, is = w.Figures(), s.role(q.instance); is == roleSteppedDown {
			f = in.memory.figures // frozen; the counts of requests are not
		}
		for k, n := range in.requests {
			keys = append(keys, k)
			counts[k] = n
		}
	})
	slices.SortFunc(keys, func(a, b requestKey) int {
		return strings.Compare(fmt.Sprint(a), fmt.Sprint(b))
	})
	e := &exposition{}
	writeProcess(e, s.wall(f.Started).Unix())
	writeReconciles(e, f)
	writeNodes(e, f)
	const status = metricPrefix + "http_request_status"
	e.family(status, "counter", "Answers by route, method and status")
	for _, k := range keys {
		fmt.Fprintf(e, "%s{path=%q,method=%q,status=\"%d\"} %d\n", status, k.route, k.method, k.status, counts[k])
	}
	e.end()
	writeLeadership(e, is)
	writeLong(e, f.LongRunning)
	return &reply{status: http.StatusOK, contentType: metricsType, body: []byte(e.String())}
}

func writeProcess(e *exposition, started int64) {
	e.single("process_start_time_seconds", "", "Start of the process in seconds since the epoch", "", started)
	e.single("libmetrics_build_info", "gauge", "",
		fmt.Sprintf(`{revision=%q,build_tag=%q}`, controllerBuild, controllerBuild), 1)
}

func writeReconciles(e *exposition, f sim.Figures) {
	c := f.Counters
	e.single(metricPrefix+"reconcile_spawn", "counter", "Reconciles started", "", c.Spawned)
	const complete = metricPrefix + "reconcile_complete"
	e.family(complete, "counter", "Reconciles ended, by outcome")
	fmt.Fprintf(e, "%s{status=\"ok\"} %d\n", complete, c.OK)
	fmt.Fprintf(e, "%s{status=\"ok_no_notify\"} 0\n", complete)
	fmt.Fprintf(e, "%s{status=\"error\"} %d\n", complete, c.Failed)
	fmt.Fprintf(e, "%s{status=\"cancel\"} 0\n", complete)
	e.end()
	e.single(metricPrefix+"schedule_optimization", "counter", "Moves that the optimiser started", "", c.Optimizations)
	e.single(metricPrefix+"pending_reconciles", "gauge", "Shards that wait for a reconcile unit", "", int64(f.Gauges.Pending))
	e.single(metricPrefix+"stuck_reconciles", "gauge", "Shards that reconcile again and again", "", int64(f.Gauges.Stuck))
	e.single(metricPrefix+"schedule_az_violation", "gauge", "Shards attached outside their preferred AZ", "", int64(f.Gauges.AZViolations))
}

func writeNodes(e *exposition, f sim.Figures) {
	e.single(metricPrefix+"tenant_shards", "gauge", "Shards in memory", "", int64(f.Shards))
	e.single(metricPrefix+"pageserver_nodes", "gauge", "Registered nodes", "", int64(f.Nodes))
	e.single(metricPrefix+"https_pageserver_nodes", "gauge", "Registered nodes with https", "", int64(f.HTTPSNodes))
	ids := make([]client.NodeID, 0, len(f.Gauges.Nodes))
	for id := range f.Gauges.Nodes {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	per := func(name, help string, value func(sim.NodeGauges) int) {
		e.family(metricPrefix+name, "gauge", help)
		for _, id := range ids {
			g := f.Gauges.Nodes[id]
			fmt.Fprintf(e, "%s%s{az=%q,node_id=\"%d\"} %d\n", metricPrefix, name, g.AZ, id, value(g))
		}
		e.end()
	}
	per("node_shards", "Locations on each node", func(g sim.NodeGauges) int { return g.Shards })
	per("node_attached_shards", "Attached locations on each node", func(g sim.NodeGauges) int { return g.Attached })
	per("node_home_shards", "Locations on each node that are in the shard's preferred AZ", func(g sim.NodeGauges) int { return g.Home })
}

func writeLeadership(e *exposition, is role) {
	const leadership = metricPrefix + "leadership_status"
	e.family(leadership, "gauge", "")
	for _, status := range roles {
		value := 0
		if status == is {
			value = 1
		}
		fmt.Fprintf(e, "%s{status=%q} %d\n", leadership, status, value)
	}
	e.end()
}

func writeLong(e *exposition, long []sim.LongReconcile) {
	const name = metricPrefix + "reconcile_long_running"
	e.family(name, "counter", "1 while a reconcile has run for more than 120 s")
	for _, l := range long {
		fmt.Fprintf(e, "%s{tenant_id=%q,shard_number=\"%02x\",sequence=\"%d\"} 1\n", name, l.Shard.Tenant(), l.Number, l.Sequence)
	}
	e.end()
}
