package rollout

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/gate"
)

// DescribeMoved asks what the controller says of shards that a drain moved:
// whether their computes have been told.
type DescribeMoved struct {
	Tag    uint64
	Shards []client.TenantShardID
}

// MovedDescribed is the answer to a DescribeMoved. A shard that is not among
// Shards is gone: the controller knows its tenant no more.
type MovedDescribed struct {
	At     time.Time
	Tag    uint64
	Shards map[client.TenantShardID]ShardTold
	Err    error
}

// ShardTold is what tells whether a moved shard's compute has been told.
type ShardTold struct{ Pending, Reconciling bool }

func (DescribeMoved) effect()          {}
func (e MovedDescribed) at() time.Time { return e.At }
func (t ShardTold) busy() bool         { return t.Pending || t.Reconciling }

// movedKnown reports that it is known which shards the drain moved.
func (s *step) movedKnown() bool { return s.beforeKnown && s.LeftoversKnown }

func (m *Machine) movedReadable() bool { return !m.noAdmin && m.step().movedKnown() }

// movedAgain is how often shards are described again while some compute may not
// have been told; movedYoung is how old a description may be that a restart rests on.
const (
	movedAgain = 5 * time.Second
	movedYoung = 10 * time.Second
)

// lookAtMoved has the shards described that the drain moved (X8): once, and
// again while some are not told. What was clear is looked at again upon the yes.
func (m *Machine) lookAtMoved() {
	s := m.step()
	if !m.movedReadable() {
		return
	}
	since := s.phaseEnd
	if len(s.untold) > 0 && m.due(s.told.from.Add(movedAgain)) {
		since = m.at
	}
	m.toldSince(since)
}

// movedSeen reports a description that is young enough to restart on.
func (m *Machine) movedSeen() bool {
	return !m.movedReadable() || m.toldSince(m.step().since.Add(-movedYoung)) != nil
}

// toldSince is what was described at or after t; nil while it is awaited.
func (m *Machine) toldSince(t time.Time) *MovedDescribed {
	return inquire(m, &m.step().told, t, func(d MovedDescribed) error { return d.Err }, func(tag uint64) Effect {
		return DescribeMoved{Tag: tag, Shards: m.step().movedShards()}
	})
}

// movedShards are those that were attached before the drain and are not any more.
func (s *step) movedShards() []client.TenantShardID {
	left := map[client.TenantShardID]bool{}
	for _, l := range s.Leftovers {
		left[l.Shard] = true
	}
	var out []client.TenantShardID
	for _, id := range s.before {
		if !left[id] {
			out = append(out, id)
		}
	}
	return out
}

// movedTold keeps since when each shard has not been told.
func (m *Machine) movedTold(e MovedDescribed) {
	s := m.work()
	if !take(&s.told, e.Tag, e) || e.Err != nil {
		return
	}
	untold := map[client.TenantShardID]time.Time{}
	for id, t := range e.Shards {
		if !t.busy() {
			continue
		}
		untold[id] = e.At
		if since, already := s.untold[id]; already {
			untold[id] = since
		}
	}
	s.untold = untold
}

// moved is what the gate about compute notifications goes by.
func (m *Machine) moved() *gate.Moved {
	s := m.step()
	switch {
	case m.noAdmin:
		return &gate.Moved{Off: "needs scope admin"}
	case !s.movedKnown():
		return nil // which shards were moved is not known
	case s.told.got == nil:
		return &gate.Moved{}
	}
	got := s.told.got
	out := &gate.Moved{At: got.At, Err: got.Err}
	if got.Err == nil && len(s.untold) == 0 && s.fsm == beforeRestart {
		out.At = m.at // what was clear stays so until the yes, which looks again
	}
	for _, id := range s.movedShards() {
		t, found := got.Shards[id]
		shard := gate.MovedShard{ID: id, Described: found, Gone: !found, Pending: t.Pending}
		if t.Reconciling {
			shard.ReconcilingSince = s.untold[id]
		}
		out.Shards = append(out.Shards, shard)
	}
	return out
}

func notFound(err error) bool {
	var answered *client.Error
	return errors.As(err, &answered) && answered.Status == http.StatusNotFound
}

// describeMoved asks for the tenants one by one when they are few, else the
// list is read through once; only the shards that are asked for are kept.
func (d *Driver) describeMoved(e DescribeMoved) Event {
	out := MovedDescribed{Tag: e.Tag, Shards: map[client.TenantShardID]ShardTold{}}
	wanted := map[client.TenantShardID]bool{}
	tenants := map[client.TenantID]bool{}
	for _, id := range e.Shards {
		wanted[id], tenants[id.Tenant()] = true, true
	}
	keep := func(page []client.Tenant) error {
		for _, t := range page {
			for _, s := range t.Shards {
				if wanted[s.ID] {
					out.Shards[s.ID] = ShardTold{Pending: s.IsPendingComputeNotification, Reconciling: s.IsReconciling}
				}
			}
		}
		return nil
	}
	if len(tenants) > describeMost {
		out.Err = d.eng.cfg.Client.EachTenantsPage(d.reads, tenantsPage, keep)
	} else {
		out.Err = d.describeEach(tenants, keep)
	}
	out.At = time.Now()
	return out
}

// describeEach passes over tenants that were deleted meanwhile.
func (d *Driver) describeEach(tenants map[client.TenantID]bool, keep func([]client.Tenant) error) error {
	for id := range tenants {
		t, err := d.eng.cfg.Client.Tenant(d.reads, id)
		switch {
		case err == nil:
			err = keep([]client.Tenant{t})
		case notFound(err):
			err = nil
		}
		if err != nil {
			return fmt.Errorf("describe tenant %s: %w", id, err)
		}
	}
	return nil
}
