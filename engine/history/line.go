package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
	"github.com/StorconTUI/storcon-tui/engine/internal/jsonline"
	"github.com/StorconTUI/storcon-tui/engine/release"
)

// version is that of the lines' form.
const version = 1

// kind says what a line holds.
type kind string

const (
	kindWhole   kind = "whole"   // an observation
	kindChanges kind = "changes" // what is different from the one before
	kindSame    kind = "same"    // nothing was different up to this moment
)

// line is one line of a file. Seen has the fields of an observation without its
// time; in changes only those that are different, null where one has gone, and of
// its nodes only the fields that are different, besides the id.
type line struct {
	V    int             `json:"v"`
	Kind kind            `json:"k"`
	At   time.Time       `json:"at"`
	Seen fields          `json:"seen,omitempty"`
	Gone []client.NodeID `json:"gone,omitempty"` // nodes that are not listed any more
}

// fields are the members of a JSON object.
type fields map[string]json.RawMessage

// Members that are treated on their own.
const (
	fieldAt    = "at"
	fieldNodes = "nodes"
	fieldID    = "id"
)

var null = json.RawMessage("null")

// fieldsOf are the fields of anything that is encoded as an object.
func fieldsOf(v any) (fields, error) {
	b, err := jsonline.Marshal(v)
	if err != nil {
		return nil, err
	}
	var f fields
	return f, json.Unmarshal(b, &f)
}

// changes are the fields that make now of was.
func changes(was, now fields) fields {
	diff := fields{}
	for name, value := range now {
		if !bytes.Equal(was[name], value) {
			diff[name] = value
		}
	}
	for name := range was {
		if _, still := now[name]; !still {
			diff[name] = null
		}
	}
	return diff
}

// change puts changes into effect.
func (f fields) change(diff fields) {
	for name, value := range diff {
		if bytes.Equal(value, null) {
			delete(f, name)
			continue
		}
		f[name] = value
	}
}

// encoder makes lines. Its zero value begins with a whole observation.
type encoder struct {
	last   *release.Observation // nil = the next line holds a whole one
	fields fields               // of last, without time and nodes
}

// encode makes the body of a line.
func (e *encoder) encode(o release.Observation) ([]byte, error) {
	l := line{V: version, At: o.At.UTC()}
	around := o // without its nodes, which are compared one by one
	around.Nodes = nil
	now, err := fieldsOf(around)
	if err != nil {
		return nil, fmt.Errorf("encode an observation: %w", err)
	}
	delete(now, fieldAt)
	delete(now, fieldNodes)
	if e.last == nil || !ascending(e.last.Nodes) || !ascending(o.Nodes) {
		l.Kind, l.Seen = kindWhole, maps.Clone(now)
		if l.Seen[fieldNodes], err = jsonline.Marshal(o.Nodes); err != nil {
			return nil, fmt.Errorf("encode an observation: %w", err)
		}
	} else {
		l.Kind, l.Seen = kindChanges, changes(e.fields, now)
		if err := l.addNodes(e.last.Nodes, o.Nodes); err != nil {
			return nil, fmt.Errorf("encode an observation: %w", err)
		}
	}
	e.last, e.fields = &o, now
	return jsonline.Marshal(l)
}

// same makes the body of a line that says that nothing was different up to then.
func (e *encoder) same(at time.Time) ([]byte, error) {
	return jsonline.Marshal(line{V: version, Kind: kindSame, At: at.UTC()})
}

// ascending reports nodes in the order of their ids, none twice. Others are always
// written whole.
func ascending(nodes []release.NodeObservation) bool {
	for i := 1; i < len(nodes); i++ {
		if nodes[i-1].ID >= nodes[i].ID {
			return false
		}
	}
	return true
}

// addNodes adds what is different of the nodes; both lists are ascending.
func (l *line) addNodes(was, now []release.NodeObservation) error {
	var diff []fields
	for len(was) > 0 || len(now) > 0 {
		switch {
		case len(now) == 0, len(was) > 0 && was[0].ID < now[0].ID:
			l.Gone = append(l.Gone, was[0].ID)
			was = was[1:]
		case len(was) == 0, now[0].ID < was[0].ID:
			f, err := fieldsOf(now[0])
			if err != nil {
				return err
			}
			diff, now = append(diff, f), now[1:]
		default:
			f, err := nodeChanges(was[0], now[0])
			if err != nil {
				return err
			}
			if f != nil {
				diff = append(diff, f)
			}
			was, now = was[1:], now[1:]
		}
	}
	if diff == nil {
		return nil
	}
	b, err := jsonline.Marshal(diff)
	l.Seen[fieldNodes] = b
	return err
}

// nodeChanges are what is different of one node, and its id; nil = nothing.
func nodeChanges(was, now release.NodeObservation) (fields, error) {
	if was == now {
		return nil, nil
	}
	before, err := fieldsOf(was)
	if err != nil {
		return nil, err
	}
	after, err := fieldsOf(now)
	if err != nil {
		return nil, err
	}
	diff := changes(before, after)
	if len(diff) == 0 {
		return nil, nil
	}
	diff[fieldID] = after[fieldID]
	return diff, nil
}
