package history

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/release"
)

// What keeps a line from being understood, besides damage.
var (
	errNewer   = errors.New("it was written by a newer version of this program")
	errNoWhole = errors.New("what it builds upon is missing")
)

// decoder reads lines back. Its zero value expects a whole observation.
type decoder struct {
	begun bool
	last  release.Observation // as it was decoded last
	seen  fields              // of last, without time and nodes
	nodes []fields            // of last.Nodes, in the same order
}

// decode takes the body of a line and gives the observation that it leads to.
// After an error nothing can be built upon what was read before.
func (d *decoder) decode(body []byte) (release.Observation, error) {
	o, err := d.next(body)
	if err != nil {
		*d = decoder{}
	}
	return o, err
}

func (d *decoder) next(body []byte) (release.Observation, error) {
	var l line
	if err := json.Unmarshal(body, &l); err != nil {
		return release.Observation{}, err
	}
	switch {
	case l.V > version:
		return release.Observation{}, errNewer
	case l.Kind == kindWhole:
		return d.whole(l)
	case !d.begun:
		return release.Observation{}, errNoWhole
	case l.Kind == kindSame:
		d.last.At = l.At
		return d.last, nil
	case l.Kind == kindChanges:
		return d.changed(l)
	}
	return release.Observation{}, fmt.Errorf("unknown kind %q", l.Kind)
}

func (d *decoder) whole(l line) (release.Observation, error) {
	d.seen, d.nodes = l.Seen, nil
	if err := json.Unmarshal(l.Seen[fieldNodes], &d.nodes); err != nil {
		return release.Observation{}, fmt.Errorf("its nodes: %w", err)
	}
	delete(d.seen, fieldNodes)
	var nodes []release.NodeObservation
	if d.nodes != nil {
		nodes = make([]release.NodeObservation, len(d.nodes))
	}
	for i, f := range d.nodes {
		if err := f.into(&nodes[i]); err != nil {
			return release.Observation{}, err
		}
	}
	d.begun = true
	return d.see(l.At, nodes)
}

func (d *decoder) changed(l line) (release.Observation, error) {
	var diff []fields
	if raw, ok := l.Seen[fieldNodes]; ok {
		if err := json.Unmarshal(raw, &diff); err != nil {
			return release.Observation{}, fmt.Errorf("its nodes: %w", err)
		}
		delete(l.Seen, fieldNodes)
	}
	nodes := slices.Clone(d.last.Nodes) // the one before belongs to whoever got it
	for _, id := range l.Gone {
		if i, found := findNode(nodes, id); found {
			nodes, d.nodes = slices.Delete(nodes, i, i+1), slices.Delete(d.nodes, i, i+1)
		}
	}
	for _, f := range diff {
		var id client.NodeID
		if err := json.Unmarshal(f[fieldID], &id); err != nil {
			return release.Observation{}, fmt.Errorf("a node's id: %w", err)
		}
		i, found := findNode(nodes, id)
		if !found {
			nodes, d.nodes = slices.Insert(nodes, i, release.NodeObservation{}), slices.Insert(d.nodes, i, fields{})
		}
		d.nodes[i].change(f)
		nodes[i] = release.NodeObservation{}
		if err := d.nodes[i].into(&nodes[i]); err != nil {
			return release.Observation{}, err
		}
	}
	if len(l.Seen) == 0 {
		d.last.At, d.last.Nodes = l.At, nodes
		return d.last, nil
	}
	d.seen.change(l.Seen)
	return d.see(l.At, nodes)
}

// see decodes what is around the nodes.
func (d *decoder) see(at time.Time, nodes []release.NodeObservation) (release.Observation, error) {
	var o release.Observation
	if err := d.seen.into(&o); err != nil {
		return o, err
	}
	o.At, o.Nodes = at, nodes
	d.last = o
	return o, nil
}

// into decodes an object from its members.
func (f fields) into(v any) error {
	b, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, v)
}

func findNode(nodes []release.NodeObservation, id client.NodeID) (int, bool) {
	return slices.BinarySearchFunc(nodes, id, func(n release.NodeObservation, id client.NodeID) int {
		return cmp.Compare(n.ID, id)
	})
}
