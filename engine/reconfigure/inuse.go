package reconfigure

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/client/postgres"
)

// readSettings reads settings through SQL, and drops what may be secret before anything
// keeps it.
func readSettings(ctx context.Context, c Compute, names []string) (map[string]postgres.Setting, error) {
	have, err := c.Settings(ctx, names)
	if s, ok := have[compute.SettingPageservers]; ok {
		s.Value = compute.Addresses(s.Value)
		s.Raw = s.Value
		have[compute.SettingPageservers] = s
	}
	return have, err
}

// inUse compares where a compute's Postgres reads from with where it should by a spec;
// told is false when that cannot be known. A compute may never have been told what its
// last known spec says (case N5), and one may have been told more than that.
func inUse(ctx context.Context, c Compute, spec compute.Spec) (changes []compute.Change, told bool) {
	want := spec.PageserverSettings()
	if c.Settings == nil || want == nil {
		return nil, false
	}
	names := slices.Sorted(maps.Keys(want))
	have, err := readSettings(ctx, c, names)
	if err != nil {
		return nil, false // the run asks again, and tells
	}
	for _, name := range names {
		s, known := have[name]
		switch {
		case !known:
			return nil, false
		case !strings.EqualFold(s.Value, want[name]):
			changes = append(changes, compute.Change{Path: name + " (in use)", Old: strconv.Quote(s.Value), New: strconv.Quote(want[name])})
		}
	}
	return changes, true
}
