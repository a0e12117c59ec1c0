package rollout

import (
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// query is one kind of question to the Driver: at most one is open, and an
// answer to an older one is dropped.
type query[T any] struct {
	tag   uint64 // of the open question; 0 = none
	asked time.Time
	got   *T
	from  time.Time // when the question that got answers was asked
}

// take keeps an answer if it answers the open question.
func take[T any](q *query[T], tag uint64, answer T) bool {
	if tag == 0 || q.tag != tag {
		return false
	}
	q.tag, q.got, q.from = 0, &answer, q.asked
	return true
}

// inquire gives an answer to a question asked at or after since, and asks it
// if there is none. An answer that did not come for a passing reason is asked
// for again after a while.
func inquire[T any](m *Machine, q *query[T], since time.Time, failure func(T) error, ask func(tag uint64) Effect) *T {
	if q.got != nil && !q.from.Before(since) {
		err := failure(*q.got)
		if err == nil || lasting(err) || !m.due(q.asked.Add(m.set.ProofInterval)) {
			if err == nil || lasting(err) {
				return q.got
			}
			return nil
		}
	}
	if q.tag == 0 {
		m.tag++
		q.tag, q.asked = m.tag, m.at
		m.emit(ask(m.tag))
	}
	return nil
}

// lasting reports a failure that trying again will not mend.
func lasting(err error) bool {
	switch client.KindOf(err) {
	case client.Unauthorized, client.ReadOnly, client.Refused:
		return true
	}
	return false
}

// shards is the node's shard list, read since t; nil while it is awaited.
func (m *Machine) shards(t time.Time) *Listed {
	return inquire(m, &m.step().list, t, func(l Listed) error { return l.Err },
		func(tag uint64) Effect { return ListShards{Tag: tag, Node: m.id()} })
}

// slot is what occupies the controller's slot, asked since t; nil while it is
// awaited.
func (m *Machine) slot(t time.Time) *Probed {
	return inquire(m, &m.step().probe, t, func(p Probed) error { return p.Err },
		func(tag uint64) Effect {
			m.calls.Probes++
			m.recordProbing()
			return Probe{Tag: tag, Node: m.id()}
		})
}

// process is the node's process, read since t; nil while it is awaited. An
// answer that did not come is an answer: the process may be down.
func (m *Machine) process(t time.Time) *ProofRead {
	return inquire(m, &m.step().proof, t, func(ProofRead) error { return nil },
		func(tag uint64) Effect { return ReadProcess{Tag: tag, Node: m.id()} })
}

// located says where shards are, asked since t; nil while it is awaited.
func (m *Machine) located(t time.Time, shards []client.TenantShardID) *Located {
	return inquire(m, &m.step().locate, t, func(Located) error { return nil },
		func(tag uint64) Effect { return Locate{Tag: tag, Shards: shards} })
}
