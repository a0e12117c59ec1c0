package release

import (
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// callCounts reads the controller's counters: a fill of a node that needs none takes
// milliseconds, and only its call is ever seen.
type callCounts struct {
	known  bool
	leader string
	fills  int64 // as last counted
	base   int64 // fills that are explained: those before the first count, and those seen or concluded since
	// When one was explained last. What is not counted long after that was counted before.
	explained time.Time

	surplusSince time.Time // more fills were called for than seen; zero = not
	surplusAfter time.Time // the look before that

	cancels   int64     // of drains
	cancelled time.Time // when the newest was counted; zero = none was
}

// see takes the counters in, after the nodes of the same observation.
func (c *callCounts) see(o Observation, nodes []*track, l look) {
	filling, started := int64(0), int64(0)
	for _, t := range nodes {
		if t.node.Policy == client.PolicyFilling && !t.gone {
			filling++
			if t.policySince.Equal(l.now) {
				started++
			}
		}
	}
	if started > 0 {
		c.explained = l.now
	} else if c.fills < c.base && l.now.Sub(c.explained) > countLate {
		c.base = c.fills
	}
	if o.Calls == nil {
		c.base += started
		return
	}
	fills, cancels := o.Calls["fill"], o.Calls["cancel drain"]
	if !c.known || fills < c.fills || o.Leader != c.leader {
		// The call of a fill that runs may not be counted yet.
		*c = callCounts{known: true, leader: o.Leader, fills: fills, base: fills + filling, cancels: cancels, cancelled: c.cancelled, explained: l.now}
		return
	}
	if cancels > c.cancels {
		c.cancelled = l.now
	}
	c.fills, c.cancels = fills, cancels
	c.base += started
	switch {
	case c.fills <= c.base:
		c.surplusSince = time.Time{}
	case c.surplusSince.IsZero():
		c.surplusSince, c.surplusAfter = l.now, l.last
	}
}

// countLate: the next scrape counts a call of which the list of nodes has told.
const countLate = 8 * time.Second

// fillLate: the node list that is read after the counters shows a fill that goes on.
const fillLate = 3 * time.Second

// unseenFill finds the node that was filled between two looks, and when that must have been.
func (c *callCounts) unseenFill(nodes []*track, now time.Time) (t *track, from, to time.Time) {
	if c.surplusSince.IsZero() || now.Sub(c.surplusSince) < fillLate {
		return nil, from, to
	}
	t, hidden := c.candidate(nodes)
	switch {
	case t == nil && hidden:
		return nil, from, to
	case t == nil: // of a node that nobody waited for
		c.base, c.surplusSince = c.fills, time.Time{}
		return nil, from, to
	}
	from, to = later(t.cur.From, c.surplusAfter), c.surplusSince
	if c.base++; c.base >= c.fills {
		c.surplusSince = time.Time{}
	}
	return t, from, to
}

// candidate is the newest of the nodes that were back before the call was counted, else
// one that was found back with it. Hidden: one is away just now, and may have been the one.
func (c *callCounts) candidate(nodes []*track) (t *track, hidden bool) {
	for _, n := range nodes {
		switch {
		case n.gone || n.filled || n.back.IsZero() || n.back.After(c.surplusSince):
		case n.cur.Phase != Back:
			hidden = true
		case t == nil, t.back.Equal(c.surplusSince):
			t = n
		case n.back.After(t.back) && n.back.Before(c.surplusSince):
			t = n
		}
	}
	return t, hidden
}

// due is when unseenFill may find one; zero = never.
func (c *callCounts) due() time.Time {
	if c.surplusSince.IsZero() {
		return time.Time{}
	}
	return c.surplusSince.Add(fillLate)
}
