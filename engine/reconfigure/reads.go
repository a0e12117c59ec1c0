package reconfigure

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/StorconTUI/storcon-tui/client/compute"
)

const (
	settingsPath = "cluster.settings["
	valueSuffix  = "].value"
)

// reads says what of an item's changes shows afterwards, and what nothing shows.
func reads(it Item, next compute.Spec, sql bool) Reads {
	r := Reads{Writable: next.Primary()}
	if it.Base == "" {
		r.Unread = []string{"the whole spec: the one before is not known"}
		return r
	}
	var derived map[string]string // of a change that Postgres sees under other names
	if sql {
		derived = next.PageserverSettings()
	}
	told := false
	for _, c := range it.Changes {
		s, ok := settingOf(c)
		switch {
		case derived != nil && ofPageservers(c.Path):
			told = true
		case ok && sql:
			r.Settings = append(r.Settings, s)
		default:
			r.Unread = append(r.Unread, c.Path)
		}
	}
	if told {
		for _, name := range slices.Sorted(maps.Keys(derived)) {
			r.Settings = append(r.Settings, Setting{Name: name, Value: derived[name]})
		}
	}
	return r
}

// pageserverPaths are those of what compute_ctl makes the settings of pageservers from.
var pageserverPaths = []string{
	string(compute.SourceInfo), string(compute.SourceConnstring), "shard_stripe_size",
	settingsPath + compute.SettingPageservers + "]", settingsPath + compute.SettingStripe + "]",
	compute.SettingPageservers, compute.SettingStripe, // of what is in use
}

// ofPageservers tells whether a change shows in those settings; they have no gRPC.
func ofPageservers(path string) bool {
	return !strings.HasSuffix(path, ".grpc_url") &&
		slices.ContainsFunc(pageserverPaths, func(of string) bool { return strings.HasPrefix(path, of) })
}

// settingOf is the setting that a change gives a value that is no secret.
func settingOf(c compute.Change) (Setting, bool) {
	rest, ok := strings.CutPrefix(c.Path, settingsPath)
	if !ok || c.Secret || c.New == "" {
		return Setting{}, false
	}
	if name, ok := strings.CutSuffix(rest, valueSuffix); ok {
		var value *string
		if json.Unmarshal([]byte(c.New), &value) != nil || value == nil {
			return Setting{}, false
		}
		return Setting{Name: name, Value: *value}, true
	}
	var whole struct {
		Name  string  `json:"name"`
		Value *string `json:"value"`
	}
	if json.Unmarshal([]byte(c.New), &whole) != nil || whole.Value == nil || whole.Name+"]" != rest {
		return Setting{}, false
	}
	return Setting{Name: whole.Name, Value: *whole.Value}, true
}
