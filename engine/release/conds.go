package release

import (
	"cmp"
	"slices"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// finding is a state that is wrong if it lasts for hold.
type finding struct {
	condKey
	since time.Time
	hold  time.Duration
	text  func() string // the particulars; asked for once, when the anomaly begins
}

type condKey struct {
	kind    Kind
	node    client.NodeID
	compute string
}

// cond is a finding over time: it becomes an anomaly when it has lasted, and ends when
// it has been gone for a while.
type cond struct {
	Anomaly
	found bool      // by the newest search
	began bool      // it is an anomaly
	due   time.Time // when it will be one, before it began
	gone  time.Time // since when it is not found; zero = it is
}

// conds are the findings of now, in the order in which they were first found.
type conds struct {
	list []*cond
	over []Anomaly // those of this release that have ended, oldest first
}

// judge takes in what a search has found. What could not be searched for stays as it is.
func (c *conds) judge(w *Watch, found []finding, searched func(Kind) bool) {
	for _, held := range c.list {
		held.found = false
	}
	for _, f := range found {
		held := c.get(f.condKey)
		held.found, held.gone = true, time.Time{}
		if held.began {
			continue
		}
		held.Since, held.due = f.since, w.after(f.since, f.hold)
		if !held.due.After(w.now) {
			held.began, held.Text = true, f.text()
			begun := held.Anomaly
			w.tell(Event{At: w.now, Kind: AnomalyBegan, Node: begun.Node, Anomaly: &begun})
		}
	}
	c.list = slices.DeleteFunc(c.list, func(held *cond) bool {
		switch {
		case held.found || !searched(held.Kind):
			return false
		case !held.began:
			return true
		case held.gone.IsZero():
			held.gone = w.now
		}
		if w.now.Sub(held.gone) < w.limits.Confirm {
			return false
		}
		ended := held.Anomaly
		ended.Until = held.gone
		c.over = append(c.over, ended)
		if len(c.over) > maxEnded {
			c.over = c.over[1:]
		}
		w.tell(Event{At: w.now, Kind: AnomalyEnded, Node: ended.Node, Anomaly: &ended})
		return true
	})
}

func (c *conds) get(key condKey) *cond {
	for _, held := range c.list {
		if held.Kind == key.kind && held.Node == key.node && held.Compute == key.compute {
			return held
		}
	}
	held := &cond{Anomaly: Anomaly{Kind: key.kind, Node: key.node, Compute: key.compute}}
	c.list = append(c.list, held)
	return held
}

// stands reports an anomaly of that kind at the node.
func (c *conds) stands(kind Kind, node client.NodeID) bool {
	return slices.ContainsFunc(c.list, func(held *cond) bool { return held.began && held.Kind == kind && held.Node == node })
}

// dues are the moments at which the passing of time begins or ends an anomaly.
func (c *conds) dues(limits Settings, at func(time.Time)) {
	for _, held := range c.list {
		switch {
		case !held.gone.IsZero():
			at(held.gone.Add(limits.Confirm))
		case !held.began:
			at(held.due)
		}
	}
}

// all are those that stand and those that are over, by Since.
func (c *conds) all() []Anomaly {
	list := slices.Clone(c.over)
	for _, held := range c.list {
		if held.began {
			list = append(list, held.Anomaly)
		}
	}
	slices.SortStableFunc(list, func(a, b Anomaly) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Node, b.Node), cmp.Compare(a.Compute, b.Compute))
	})
	return list
}
