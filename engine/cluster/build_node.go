package cluster

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/client/pageserver"
)

// process takes in what a pageserver said of itself; err when it did not. An
// answer that says nothing new is kept aside until the next node list: with
// hundreds of nodes it is not worth a snapshot of its own.
func (b *builder) process(id client.NodeID, info pageserver.Info, err error, now time.Time) bool {
	i, ok := b.find(id)
	if !ok {
		return false
	}
	was := b.cur.Nodes.Value[i].Process
	if newer, ok := b.processes[id]; ok {
		was = newer
	}
	var is Part[pageserver.Info]
	var changes []Change
	var changed bool
	if err != nil {
		is, changed = was.failed(err, now)
	} else {
		is = was.read(info, now)
		changed = !was.Known() || was.Err != nil || was.Value != info
		if was.Known() && was.Value.LaunchMillis != info.LaunchMillis {
			changes = append(changes, Change{
				At: now, Node: id, What: Restarted, Attached: -1, Down: downTime(was, info, now),
				From: BuildName(was.Value.Build), To: BuildName(info.Build),
			})
		}
	}
	b.processes[id] = is
	if !changed {
		return false
	}
	next := *b.cur
	next.Nodes.Value = slices.Clone(next.Nodes.Value)
	next.Nodes.Value[i].Process = is
	if len(changes) > 0 && next.Nodes.Value[i].Scheduling == client.PolicyDraining {
		next.Nodes.Value[i].RestartedDraining = now
	}
	return b.publish(next, now, true, changes...)
}

// downTime is how long the process was away, as far as two clocks can tell:
// from the first question without answer, else from the last answer, to the
// launch by the node's own clock. 0 when that is not sensible.
func downTime(was Part[pageserver.Info], is pageserver.Info, now time.Time) time.Duration {
	gone := was.At
	if was.Err != nil {
		gone = was.Since
	}
	if is.Launch.Before(gone) || is.Launch.After(now) {
		return 0
	}
	return is.Launch.Sub(gone)
}

func (b *builder) find(id client.NodeID) (int, bool) {
	return slices.BinarySearchFunc(b.cur.Nodes.Value, id, func(n Node, id client.NodeID) int {
		return cmp.Compare(n.ID, id)
	})
}

// shards takes one node's shard list in.
func (b *builder) shards(id client.NodeID, list []client.ShardLocation, now time.Time) bool {
	was := b.cur.Shards[id]
	changed := !was.Known() || was.Err != nil || was.Off != "" || !sameShards(was.Value.Shards, list)
	return b.setShards(id, was.read(countShards(list), now), changed, now)
}

func (b *builder) shardsFailed(id client.NodeID, err error, now time.Time) bool {
	is, changed := b.cur.Shards[id], false
	if why, yes := lacksAdmin(err, fmt.Sprintf("/control/v1/node/%s/shards", id)); yes {
		is, changed = is.off(why)
	} else {
		is, changed = is.failed(err, now)
	}
	return b.setShards(id, is, changed, now)
}

func (b *builder) setShards(id client.NodeID, part Part[ShardCounts], changed bool, now time.Time) bool {
	next := *b.cur
	next.Shards = maps.Clone(next.Shards)
	if next.Shards == nil {
		next.Shards = map[client.NodeID]Part[ShardCounts]{}
	}
	next.Shards[id] = part
	return b.publish(next, now, changed)
}

// dropShards forgets a node that nobody watches any more.
func (b *builder) dropShards(id client.NodeID, now time.Time) bool {
	if _, ok := b.cur.Shards[id]; !ok {
		return false
	}
	next := *b.cur
	next.Shards = maps.Clone(next.Shards)
	delete(next.Shards, id)
	return b.publish(next, now, true)
}

// countShards sums a node's shard list; it keeps the list.
func countShards(list []client.ShardLocation) ShardCounts {
	counts := ShardCounts{Shards: list}
	for _, s := range list {
		intended, observed := s.IntendedAttached(), s.ObservedAttached()
		if intended {
			counts.Intended++
		}
		if observed {
			counts.Observed++
		}
		if intended != observed {
			counts.Moving++
		}
		if s.ObservedSecondary != nil && *s.ObservedSecondary {
			counts.Secondary++
		}
	}
	return counts
}

func sameShards(a, b []client.ShardLocation) bool {
	return slices.EqualFunc(a, b, func(x, y client.ShardLocation) bool {
		return x.ID == y.ID && sameValue(x.ObservedSecondary, y.ObservedSecondary) &&
			sameValue(x.IntendedSecondary, y.IntendedSecondary)
	})
}
