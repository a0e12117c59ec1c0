package cluster

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// flapWindow is how far back changes of availability are counted.
const flapWindow = 5 * time.Minute

func addressOf(n client.Node) string {
	return net.JoinHostPort(n.ListenHTTPAddr, strconv.Itoa(n.ListenHTTPPort))
}

// sameAddress says it without building the words: it is asked for every node of every read.
func sameAddress(a, b client.Node) bool {
	return a.ListenHTTPAddr == b.ListenHTTPAddr && a.ListenHTTPPort == b.ListenHTTPPort
}

// BuildName is a build in one short word: its tag, else its revision; "" when
// neither is known.
func BuildName(b client.Build) string {
	if tag := strings.TrimPrefix(b.Tag, "build_tag:"); tag != "" {
		return tag
	}
	return strings.TrimPrefix(b.Revision, "git:")
}

// sortedNodes is the list by id. A node listed twice means that the list can
// not be believed.
func sortedNodes(list []client.Node) ([]client.Node, error) {
	byID := func(a, b client.Node) int { return cmp.Compare(a.ID, b.ID) }
	if !slices.IsSortedFunc(list, byID) {
		list = slices.SortedFunc(slices.Values(list), byID)
	}
	for i := 1; i < len(list); i++ {
		if list[i].ID == list[i-1].ID {
			return nil, fmt.Errorf("list of nodes: node %s is in it twice", list[i].ID)
		}
	}
	return list, nil
}

// withFigures takes the node's gauges out of a scrape. Series of nodes that
// are no longer in the list are never asked for here, and so do not count.
func (n Node) withFigures(m Part[client.Metrics]) Node {
	attached, secondary, home := int64(-1), int64(-1), int64(-1)
	if gauges, ok := m.Value.Nodes[n.ID]; ok && m.Known() {
		attached, secondary, home = gauges.Attached, gauges.Secondary(), gauges.Home
	}
	switch {
	case attached < 0:
		n.AttachedSince = time.Time{}
	case attached != n.Attached || n.AttachedSince.IsZero():
		n.AttachedSince = m.At
	}
	n.Attached, n.Secondary, n.Home = attached, secondary, home
	return n
}

// sameNode compares what can be seen of two nodes; the age of Process cannot.
func sameNode(a, b Node) bool {
	return a.Attached == b.Attached && a.Secondary == b.Secondary && a.Home == b.Home &&
		a.AvailabilitySince.Equal(b.AvailabilitySince) && a.PolicySince.Equal(b.PolicySince) &&
		a.AttachedSince.Equal(b.AttachedSince) && a.Flaps == b.Flaps &&
		a.Process.Value == b.Process.Value && a.Process.Off == b.Process.Off && sameErr(a.Process.Err, b.Process.Err) &&
		sameWire(a.Node, b.Node)
}

func sameErr(a, b error) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return a.Error() == b.Error()
}

func sameWire(a, b client.Node) bool {
	return a.ID == b.ID && a.Availability == b.Availability && a.Scheduling == b.Scheduling &&
		sameAddress(a, b) &&
		a.ListenPgAddr == b.ListenPgAddr && a.ListenPgPort == b.ListenPgPort &&
		sameValue(a.AvailabilityZone, b.AvailabilityZone) && sameValue(a.ListenHTTPSPort, b.ListenHTTPSPort) &&
		sameValue(a.ListenGRPCAddr, b.ListenGRPCAddr) && sameValue(a.ListenGRPCPort, b.ListenGRPCPort) &&
		maps.EqualFunc(a.Extra, b.Extra, func(x, y json.RawMessage) bool { return bytes.Equal(x, y) })
}

func sameValue[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// changesOf lists what became different on one node, without Process.
func changesOf(was, is Node, now time.Time) []Change {
	var changes []Change
	if was.Availability != is.Availability {
		changes = append(changes, Change{
			At: now, Node: is.ID, What: AvailabilityChanged,
			From: string(was.Availability), To: string(is.Availability), Attached: -1,
		})
	}
	if was.Scheduling != is.Scheduling {
		c := Change{
			At: now, Node: is.ID, What: PolicyChanged,
			From: string(was.Scheduling), To: string(is.Scheduling), Attached: -1,
		}
		if was.Scheduling == client.PolicyDraining {
			c.Attached = is.Attached
		}
		changes = append(changes, c)
	}
	if !sameAddress(was.Node, is.Node) {
		changes = append(changes, Change{
			At: now, Node: is.ID, What: AddressChanged, From: was.Address(), To: is.Address(), Attached: -1,
		})
	}
	return changes
}
