package reconfigure

import (
	"time"

	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/engine/cluster"
)

// Plan is what a run will do. It is JSON, and kept beside the journal; the specs
// are no part of that.
type Plan struct {
	Identity cluster.Identity `json:"identity"`
	Made     time.Time        `json:"made"`
	Source   Source           `json:"source"`
	Waves    int              `json:"waves"`
	Items    []Item           `json:"items"` // in the order in which they go
	LeftOut  []LeftOut        `json:"left_out,omitempty"`
	Limit    int              `json:"limit"` // failures that do not stop the run
}

// Item is one compute of a plan.
type Item struct {
	Compute string           `json:"compute"`
	URL     string           `json:"url"`
	Tenant  string           `json:"tenant"` // of the new spec
	Wave    int              `json:"wave"`   // from 1
	SHA256  string           `json:"sha256"` // of the spec as it is sent
	Base    string           `json:"base"`   // where the last known spec came from; "" = none is known
	Changes []compute.Change `json:"changes,omitempty"`
	Restart []string         `json:"restart,omitempty"` // changed settings that need a restart of Postgres
	Reads   Reads            `json:"reads"`

	spec       compute.Spec
	unanswered error // why it could not be asked how it is
}

// Reads is what of an item's changes is read back afterwards.
type Reads struct {
	Settings []Setting `json:"settings,omitempty"` // through SQL; empty where no connection is configured
	Writable bool      `json:"writable"`           // check_writability: of a primary
	Unread   []string  `json:"unread,omitempty"`   // paths of changes that nothing reads back
}

// Setting is one of Postgres's settings and its value.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// LeftOut is a compute that was named and is not in the plan.
type LeftOut struct {
	Compute string `json:"compute"`
	Why     string `json:"why"`
}

// SourceKind says what the new specs are made of.
type SourceKind string

// The kinds.
const (
	FromFile  SourceKind = "spec"     // one spec, for the one compute named
	FromDir   SourceKind = "spec-dir" // NAME.json of a directory
	FromPatch SourceKind = "patch"    // a merge patch over the last known spec
	Repoint   SourceKind = "repoint"  // the last known spec, with the pageservers of now
)

// Source is where the new specs come from.
type Source struct {
	Kind SourceKind `json:"kind"`
	Path string     `json:"path,omitempty"` // absolute; "" of Repoint
}

// wavesOf gives n computes their waves: one, then 5 %, 20 % and the rest. Each is a
// share of all of them, and at least one compute.
func wavesOf(n int) []int {
	var waves []int
	next, wave := 1, 1
	for i := range n {
		if i == next {
			wave++
			switch wave {
			case 2:
				next = i + max(1, n*5/100)
			case 3:
				next = i + max(1, n*20/100)
			default:
				next = n
			}
		}
		waves = append(waves, wave)
	}
	return waves
}
