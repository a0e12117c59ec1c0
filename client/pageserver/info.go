// Package pageserver reads what one pageserver says of itself: when its process was
// launched, which build it is, and which node. That is the proof of a restart, and
// needs no token. It must not know of controllers or plans.
package pageserver

import (
	"time"

	"github.com/StorconTUI/storcon-tui/client"
)

// Info is what a pageserver process says of itself.
type Info struct {
	Launch       time.Time // of the process, by the node's own clock
	LaunchMillis int64     // the same as sent; compare it only for inequality
	Build        client.Build
}
