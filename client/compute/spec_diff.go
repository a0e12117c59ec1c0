package compute

import (
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/StorconTUI/storcon-tui/client"
)

// Change is one difference of two specs. Old and New are JSON with secrets blanked;
// what is missing on a side is "". Secret says that a secret differs, so that Old and
// New may read the same.
type Change struct {
	Path     string // as cluster.settings[max_connections].value
	Old, New string
	Secret   bool
}

const blank = "(secret)"

// What is blanked (contract B.11): it is better to blank too much, so that a password
// in a connection string takes what follows it up to the last @.
var (
	secretPath  = regexp.MustCompile(`(?i)(?:^|[.\]])[^.\[\]]*(?:passw|token|secret)[^.\[\]]*$`)
	secretEntry = regexp.MustCompile(`(?i)\[(?:\d+|[^\]]*(?:passw|token|secret|conninfo|connstr)[^\]]*)\]\.value$`)
	secretLine  = regexp.MustCompile(`(?im)^.*(?:passw|token|secret|conninfo|connstr).*$`)
	userinfo    = regexp.MustCompile(`(?i)((?:[a-z][a-z0-9+.-]*)?://[^\s:/@'",]*):([^\s'"]*)@|([^\s:/@'",]*):((?:/?[^\s'"/][^\s'"]*|/)?)@`)
	bareUser    = regexp.MustCompile(`://([^\s:/@'",]+)@`)
	password    = regexp.MustCompile(`(?i)(passw\w*\s*=\s*)('(?:[^'\\]|\\.|'')*'|"[^"]*"|[^\s'"]+)`)
	jwt         = regexp.MustCompile(`eyJ[\w-]*\.[\w-]+\.[\w-]*`)
)

// A pageserver's URL with no password, as neon_local writes them, is what people want
// to read, and so are several. A user that might be a token is not such.
var (
	plainUser = regexp.MustCompile(`^://[a-z][a-z_]{0,19}@$`)
	plainURLs = regexp.MustCompile(`^(?:(?:^|,)[a-z]+://(?:[a-z][a-z_]{0,19}@)?(?:[\w.-]+|\[[0-9A-Fa-f:]+\])(?::[0-9]{1,5})?)+$`)
)

// absent is the side of a change that has no such member; null is another thing.
type absent struct{}

// Diff lists what differs between s and next, by path. Equal specs have none. Entries
// of a list are told apart by their names where each has its own, so that one setting
// more in the middle is one change.
func (s Spec) Diff(next Spec) []Change { return diff(nil, "", s.members(), next.members()) }

func diff(out []Change, path string, old, next any) []Change {
	if reflect.DeepEqual(old, next) {
		return out
	}
	before, after := members(old), members(next)
	if before == nil || after == nil || named(old) != named(next) {
		a, b := shown(path, old), shown(path, next)
		return append(out, Change{
			Path: shownPath(path), Old: client.Clean(a), New: client.Clean(b),
			Secret: a == b || strings.Contains(a+b, blank),
		})
	}
	names := map[string]bool{}
	for name := range before {
		names[name] = true
	}
	for name := range after {
		names[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		out = diff(out, path+name, at(before, name), at(after, name))
	}
	return out
}

func at(in map[string]any, name string) any {
	if value, ok := in[name]; ok {
		return value
	}
	return absent{}
}

// members of an object or a list by how a path names them; nil of anything else.
func members(value any) map[string]any {
	out := map[string]any{}
	switch of := value.(type) {
	case map[string]any:
		for name, inner := range of {
			out["."+name] = inner
		}
	case []any:
		byName := named(value)
		for i, inner := range of {
			name := strconv.Itoa(i)
			if byName {
				name = entryName(inner)
			}
			out["["+name+"]"] = inner
		}
	default:
		return nil
	}
	return out
}

// named tells whether each entry of a list has a name of its own.
func named(value any) bool {
	list, ok := value.([]any)
	seen := map[string]bool{}
	for _, entry := range list {
		name := entryName(entry)
		if name == "" || seen[name] {
			return false
		}
		seen[name] = true
	}
	return ok
}

// entryName is the name of a list's entry, such as of a setting; "" where it has none
// that can stand in a path.
func entryName(entry any) string {
	object, _ := entry.(map[string]any)
	name, _ := object["name"].(string)
	if strings.ContainsAny(name, "[]") {
		return ""
	}
	return name
}

// shown is value as JSON with its secrets blanked.
func shown(path string, value any) string {
	if value == (absent{}) {
		return ""
	}
	var out strings.Builder
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(redact(path, value)); err != nil {
		return blank
	}
	return strings.TrimSpace(out.String())
}

func redact(path string, value any) any {
	if value != nil && (secretPath.MatchString(path) || secretEntry.MatchString(path)) {
		return blank
	}
	switch of := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, inner := range of {
			out[scrub(name)] = redact(path+"."+name, inner)
		}
		return out
	case []any:
		out := make([]any, len(of))
		byName := named(value)
		for i, inner := range of {
			name := strconv.Itoa(i)
			if byName {
				name = entryName(inner)
			}
			out[i] = redact(path+"["+name+"]", inner)
		}
		return out
	case string:
		if strings.HasSuffix(path, ".postgresql_conf") {
			of = secretLine.ReplaceAllString(of, blank)
		}
		return scrub(of)
	}
	return value
}

// scrub blanks what is a secret by its looks.
func scrub(text string) string {
	text = jwt.ReplaceAllString(text, blank)
	if plainURLs.MatchString(text) {
		return text
	}
	text = password.ReplaceAllString(text, "${1}"+blank)
	text = userinfo.ReplaceAllString(text, "${1}${3}:"+blank+"@")
	return bareUser.ReplaceAllStringFunc(text, func(user string) string {
		if plainUser.MatchString(user) {
			return user
		}
		return "://" + blank + "@"
	})
}
