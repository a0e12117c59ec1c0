package compute

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/StorconTUI/storcon-tui/client"
)

// Identity is whose data a compute serves, as its /status says; "" where it has not
// said so, which is before it has had a spec.
type Identity struct{ Tenant, Timeline string }

// Fault is one reason not to send a spec. It quotes no value that may be a secret.
type Fault struct {
	Path         string // as that of a Change; "" = the whole spec
	Line, Column int    // of the text that ParseSpec read, from 1; 0 of a spec that was patched or re-pointed
	Wrong        string // what is wrong
	Remedy       string // what to do
}

// String is the fault in one line.
func (f Fault) String() string {
	var b strings.Builder
	if f.Line > 0 {
		fmt.Fprintf(&b, "%d:%d: ", f.Line, f.Column)
	}
	b.WriteString(f.Path)
	if f.Path == "" {
		b.WriteString("the spec")
	}
	return b.String() + " " + f.Wrong + "; " + f.Remedy
}

// formatVersion is the only version of specs that is sent.
const formatVersion = 1.0

// bodyLimit is what compute_ctl takes as the body of a request, in bytes.
const bodyLimit = 2 << 20

// Validate lists all that speaks against sending s to the compute of want: what it
// would refuse, what would leave it failed or wedged (contract B.13), and what belongs
// to another tenant, in the order of the text. A good spec has none. Fields that are not known here pass.
func (s Spec) Validate(want Identity) []Fault {
	tree, c := s.members(), &checker{places: s.read().places}
	specKind.into(c, spot{}, tree)
	c.version(tree)
	c.identity(tree, "tenant", want.Tenant)
	c.identity(tree, "timeline", want.Timeline)
	c.pageservers(tree)
	c.safekeepers(tree)
	c.size(s)
	slices.SortStableFunc(c.faults, func(a, b Fault) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	return c.faults
}

// spot is a value's path: key to find its place by, shown for people, who know the
// entries of a list by their names.
type spot struct{ key, shown string }

func (s spot) member(name string) spot { return spot{s.key + "." + name, s.shown + "." + name} }

func (s spot) entry(i int, name string) spot {
	return spot{s.key + "[" + strconv.Itoa(i) + "]", s.shown + "[" + name + "]"}
}

type checker struct {
	places map[string]place
	faults []Fault
}

// fault is at the place of at, or of what at is missing in.
func (c *checker) fault(at spot, wrong, remedy string) {
	found, ok := c.places[at.key]
	if !ok {
		found = c.places[at.key[:max(0, strings.LastIndexAny(at.key, ".["))]]
	}
	c.faults = append(c.faults, Fault{
		Path: shownPath(at.shown), Line: found.line, Column: found.column, Wrong: wrong, Remedy: remedy,
	})
}

// shownPath is path as it may be shown: names in it are the text's.
func shownPath(path string) string { return client.Clean(scrub(strings.TrimPrefix(path, "."))) }

func (c *checker) version(tree map[string]any) {
	n, ok := tree["format_version"].(json.Number)
	if !ok {
		return
	}
	if version, err := strconv.ParseFloat(n.String(), 32); err == nil && version != formatVersion {
		c.fault(spot{}.member("format_version"), fmt.Sprintf("is %v, which this program does not know", version),
			"send specs of version 1.0 only, or look for a newer release of this program")
	}
}

// identity checks the id of the tenant or the timeline in both places where it may
// stand: the field counts, and a setting is what Postgres sees.
func (c *checker) identity(tree map[string]any, kind, want string) {
	at := spot{}.member(kind + "_id")
	id, given := tree[kind+"_id"].(string)
	set, where, inSettings := setting(tree, "neon."+kind+"_id")
	switch {
	case !inSettings && !given && tree[kind+"_id"] == nil:
		c.fault(at, "is missing", "write the "+kind+"'s id")
	case inSettings && !hexID.MatchString(set):
		c.fault(where, "is no "+kind+" id", "write 32 hex digits")
	case differs(id, want):
		c.fault(at, "is "+id+", but the compute serves "+kind+" "+want, "take the spec of this compute")
	case inSettings && differs(set, want):
		c.fault(where, "is "+set+", but the compute serves "+kind+" "+want, "take the spec of this compute")
	case inSettings && differs(set, id):
		c.fault(where, "is "+set+", but "+kind+"_id is "+id, "make both the compute's "+kind)
	}
}

// differs tells whether two ids are known and not the same.
func differs(id, other string) bool {
	return hexID.MatchString(id) && hexID.MatchString(other) && !strings.EqualFold(id, other)
}

// setting is the value of the setting that compute_ctl takes for name: of several the
// first, and none where that has no value.
func setting(tree map[string]any, name string) (value string, at spot, ok bool) {
	cluster, _ := tree["cluster"].(map[string]any)
	settings, _ := cluster["settings"].([]any)
	for i, entry := range settings {
		if entryName(entry) == name {
			value, ok = entry.(map[string]any)["value"].(string)
			return value, spot{}.member("cluster").member("settings").entry(i, name).member("value"), ok
		}
	}
	return "", spot{}, false
}

// safekeepers are a primary's; the others have none to write to.
func (c *checker) safekeepers(tree map[string]any) {
	if mode, given := tree["mode"]; given && mode != "Primary" {
		return
	}
	at := spot{}.member("safekeeper_connstrings")
	list, ok := tree["safekeeper_connstrings"].([]any)
	switch {
	case !ok && tree["safekeeper_connstrings"] != nil:
		return // no list, which is told of
	case len(list) == 0:
		set, where, inSettings := setting(tree, "neon.safekeepers")
		if !inSettings || strings.TrimSpace(set) == "" {
			c.fault(at, "is missing or empty", "write the host:port of each safekeeper: a primary needs them")
			return
		}
		c.safekeeperList(strings.Split(set, ","), func(int) spot { return where })
		return
	}
	var said []string
	for _, entry := range list {
		one, ok := entry.(string)
		if !ok {
			return // told of
		}
		said = append(said, one)
	}
	c.safekeeperList(said, func(i int) spot { return at.entry(i, strconv.Itoa(i)) })
}

func (c *checker) safekeeperList(said []string, at func(int) spot) {
	first := map[string]int{}
	for i, one := range said {
		before, twice := first[one]
		switch {
		case twice:
			c.fault(at(i), fmt.Sprintf("safekeeper %d is the same as safekeeper %d", i+1, before+1), "name each safekeeper once")
		case !hostPort.MatchString(one):
			c.fault(at(i), fmt.Sprintf("safekeeper %d is no host:port", i+1), "write host:port")
		}
		if !twice {
			first[one] = i
		}
	}
}

// size is that of the request, as Configure sends it.
func (c *checker) size(s Spec) {
	spec, err := s.JSON()
	if err != nil {
		c.fault(spot{}, "cannot be written as JSON", "read it from its source again")
		return
	}
	body, err := json.Marshal(bodyOf(spec, FormToday))
	if err == nil && len(body) > bodyLimit {
		c.fault(spot{}, fmt.Sprintf("makes a request of %d bytes, and compute_ctl takes %d", len(body), bodyLimit),
			"shorten it; remote_extensions is often the largest part")
	}
}
