package client

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/client/internal/prom"
)

const familyPrefix = "storage_controller_"

func decodeMetrics(body []byte) (Metrics, error) {
	families, err := prom.Parse(body)
	if err != nil {
		return Metrics{}, cleanError(err, nil) // the body was freed of the token
	}
	if err := ofController(families); err != nil {
		return Metrics{}, err
	}
	m := Metrics{
		Nodes:               nodeGauges(families),
		TenantShards:        whole(families, "tenant_shards"),
		PendingReconciles:   whole(families, "pending_reconciles"),
		StuckReconciles:     whole(families, "stuck_reconciles"),
		AZViolations:        whole(families, "schedule_az_violation"),
		Optimizations:       whole(families, "schedule_optimization"),
		ReconcilesSpawned:   whole(families, "reconcile_spawn"),
		ReconcilesCompleted: map[string]int64{},
		Build:               BuildOf(families),
	}
	for _, s := range families[familyPrefix+"reconcile_complete"] {
		m.ReconcilesCompleted[Clean(s.Labels["status"])] = integer(s.Value)
	}
	for _, s := range families[familyPrefix+"leadership_status"] {
		if s.Value == 1 {
			m.Leadership = Clean(s.Labels["status"])
		}
	}
	if start, ok := families.Value("process_start_time_seconds"); ok {
		m.ProcessStart = time.UnixMilli(int64(math.Round(start * 1000))).UTC()
	}
	for _, s := range families[familyPrefix+"database_query_error"] {
		m.DatabaseErrors += max(0, integer(s.Value))
	}
	m.LongRunning = longRunning(families)
	m.Requests = requestCounts(families)
	return m, nil
}

// ofController refuses another program's metrics, which parse just as well.
func ofController(families prom.Families) error {
	_, pageserver := families["libmetrics_launch_timestamp"] // the controller has none
	for name := range families {
		if strings.HasPrefix(name, familyPrefix) {
			return nil
		}
		pageserver = pageserver || strings.HasPrefix(name, "pageserver_")
	}
	err := errors.New("no metric family begins with " + familyPrefix)
	if pageserver {
		return &strangerError{what: "a pageserver", err: err}
	}
	return err
}

// whole is the value of a family without labels, -1 when it is missing.
func whole(families prom.Families, name string) int64 {
	value, ok := families.Value(familyPrefix + name)
	if !ok {
		return -1
	}
	return integer(value)
}

func integer(v float64) int64 {
	if math.IsNaN(v) || v >= math.MaxInt64 || v <= math.MinInt64 {
		return -1
	}
	return int64(v)
}

func nodeGauges(families prom.Families) map[NodeID]NodeGauges {
	nodes := map[NodeID]NodeGauges{}
	set := func(family string, assign func(*NodeGauges, int64)) {
		for _, s := range families[familyPrefix+family] {
			id, err := strconv.ParseUint(s.Labels["node_id"], 10, 64)
			if err != nil {
				continue // a series that no node can be joined with
			}
			g, ok := nodes[NodeID(id)]
			if !ok {
				g = NodeGauges{AZ: Clean(s.Labels["az"]), Shards: -1, Attached: -1, Home: -1}
			}
			assign(&g, integer(s.Value))
			nodes[NodeID(id)] = g
		}
	}
	set("node_shards", func(g *NodeGauges, v int64) { g.Shards = v })
	set("node_attached_shards", func(g *NodeGauges, v int64) { g.Attached = v })
	set("node_home_shards", func(g *NodeGauges, v int64) { g.Home = v })
	return nodes
}

func longRunning(families prom.Families) []LongReconcile {
	var found []LongReconcile
	for _, s := range families[familyPrefix+"reconcile_long_running"] {
		if s.Value == 0 {
			continue
		}
		found = append(found, LongReconcile{
			Tenant: TenantID(Clean(s.Labels["tenant_id"])),
			Shard:  Clean(s.Labels["shard_number"]),
			Seq:    Clean(s.Labels["sequence"]),
		})
	}
	slices.SortFunc(found, func(a, b LongReconcile) int {
		return cmp.Or(cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.Shard, b.Shard), cmp.Compare(a.Seq, b.Seq))
	})
	return found
}

func requestCounts(families prom.Families) []RequestCount {
	var counts []RequestCount
	for _, s := range families[familyPrefix+"http_request_status"] {
		status, err := strconv.Atoi(s.Labels["status"])
		if err != nil {
			continue
		}
		counts = append(counts, RequestCount{
			Route: Clean(s.Labels["path"]), Method: Clean(s.Labels["method"]),
			Status: status, Count: integer(s.Value),
		})
	}
	slices.SortFunc(counts, func(a, b RequestCount) int {
		return cmp.Or(cmp.Compare(a.Route, b.Route), cmp.Compare(a.Method, b.Method), cmp.Compare(a.Status, b.Status))
	})
	return counts
}

// BuildOf is what a scrape says of the program's build.
func BuildOf(families prom.Families) Build {
	for _, s := range families["libmetrics_build_info"] {
		return Build{Revision: Clean(s.Labels["revision"]), Tag: Clean(s.Labels["build_tag"])}
	}
	return Build{}
}
