package rollout

import (
	"errors"
	"fmt"
	"strings"

	"github.com/StorconTUI/storcon-tui/client"
)

// ErrNotObserved: there is no node list to plan with.
var ErrNotObserved = errors.New("the node list has not been read")

// ErrNoNodes: no node was named.
var ErrNoNodes = errors.New("no node was named")

// UnknownNodeError: nodes that the controller does not know were asked for.
type UnknownNodeError struct {
	Nodes []client.NodeID
	Known []client.NodeID // what there is, in id order
}

func (e *UnknownNodeError) Error() string {
	return fmt.Sprintf("%s not registered with this controller; it knows %s", many("node", e.Nodes), ids(e.Known))
}

// NothingToDoError: every node that was asked for is left out.
type NothingToDoError struct{ LeftOut []LeftOut }

func (e *NothingToDoError) Error() string {
	parts := make([]string, len(e.LeftOut))
	for i, l := range e.LeftOut {
		parts[i] = "node " + l.Node.String() + ": " + l.Why
	}
	return "nothing to do: " + strings.Join(parts, "; ")
}

func ids(nodes []client.NodeID) string {
	if len(nodes) == 0 {
		return "none"
	}
	parts := make([]string, len(nodes))
	for i, id := range nodes {
		parts[i] = id.String()
	}
	return strings.Join(parts, ", ")
}

func many(noun string, nodes []client.NodeID) string {
	if len(nodes) == 1 {
		return noun + " " + ids(nodes) + " is"
	}
	return noun + "s " + ids(nodes) + " are"
}
