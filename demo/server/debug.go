package server

import (
	"net/http"

	"github.com/StorconTUI/storcon-tui/demo/sim"
)

// mayScheduleJSON is a node's utilisation. Disk figures are those of a node
// that has room: the model has no disks.
type mayScheduleJSON struct {
	DiskUsage   int64  `json:"disk_usage_bytes"`
	FreeSpace   int64  `json:"free_space_bytes"`
	DiskWanted  int64  `json:"disk_wanted_bytes"`
	UsablePct   int    `json:"disk_usable_pct"`
	ShardCount  int    `json:"shard_count"`
	MaxShards   int    `json:"max_shard_count"`
	Utilization int    `json:"utilization_score"`
	CapturedAt  string `json:"captured_at"`
}

type schedulerNodeJSON struct {
	ShardCount  int    `json:"shard_count"`
	Attached    int    `json:"attached_shard_count"`
	Home        int    `json:"home_shard_count"`
	AZ          string `json:"az"`
	MaySchedule any    `json:"may_schedule"`
}

const (
	maxShardsPerNode = 5000
	fullUtilization  = 1_000_000
)

func getScheduler(q *request) *reply {
	var nodes []sim.SchedulerNode
	q.server.with(func(w *sim.World) { nodes = w.Scheduler() })
	out := map[string]schedulerNodeJSON{}
	for _, n := range nodes {
		v := schedulerNodeJSON{ShardCount: n.Shards, Attached: n.Attached, Home: n.Home, AZ: n.AZ, MaySchedule: "No"}
		if n.MaySchedule {
			v.MaySchedule = map[string]mayScheduleJSON{"Yes": {
				DiskUsage: 1 << 30, FreeSpace: 1 << 40, DiskWanted: 1 << 30, UsablePct: 80, ShardCount: n.Shards,
				MaxShards: maxShardsPerNode, Utilization: n.Shards * fullUtilization / maxShardsPerNode,
				CapturedAt: q.server.now().UTC().Format("2006-01-02T15:04:05.000Z"),
			}}
		}
		out[n.ID.String()] = v
	}
	return jsonReply(http.StatusOK, map[string]any{"nodes": out})
}

func reconcileAll(q *request) *reply {
	active := 0
	q.server.with(func(w *sim.World) { active = w.ReconcileAll() })
	return jsonReply(http.StatusOK, active)
}

func consistencyCheck(q *request) *reply {
	var err error
	q.server.with(func(w *sim.World) { err = w.Check() })
	return done(http.StatusOK, err)
}
