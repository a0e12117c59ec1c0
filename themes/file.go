package themes

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/BurntSushi/toml"
)

// file is a theme as it is written down.
type file struct {
	Name       string          `toml:"name"`
	Background string          `toml:"background"` // "dark", "light" or "" for both
	Styles     map[string]spec `toml:"styles"`
}

// spec is one style as it is written down. Colours are "#rrggbb" or the number
// of a palette colour, 0 to 255; fg16 and bg16 (0 to 15) are for terminals with
// sixteen colours and default to the nearest.
type spec struct {
	FG        string `toml:"fg"`
	FG16      string `toml:"fg16"`
	BG        string `toml:"bg"`
	BG16      string `toml:"bg16"`
	Bold      bool   `toml:"bold"`
	Faint     bool   `toml:"faint"`
	Underline bool   `toml:"underline"`
	Reverse   bool   `toml:"reverse"`
}

// colour accepts what termenv can convert to every profile.
var (
	colour   = regexp.MustCompile(`^(#[0-9a-fA-F]{6}|[0-9]|[1-9][0-9]|1[0-9][0-9]|2[0-4][0-9]|25[0-5])$`)
	colour16 = regexp.MustCompile(`^([0-9]|1[0-5])$`)
)

// wrongType picks apart what the decoder says of a value of another type; that error
// carries its position only in words.
var wrongType = regexp.MustCompile(`^toml: line (\d+) \(last key "([^"]*)"\): incompatible types: TOML value has type (\S+); destination has type (\S+)$`)

// parse reads a theme. Every error names path:line and the key.
func parse(path string, text []byte) (file, error) {
	var f file
	md, err := toml.Decode(string(text), &f)
	if err != nil {
		var bad toml.ParseError
		if errors.As(err, &bad) {
			key := ""
			if bad.LastKey != "" {
				key = bad.LastKey + ": "
			}
			return file{}, fmt.Errorf("%s:%d: %s%s", path, bad.Position.Line, key, bad.Message)
		}
		if m := wrongType.FindStringSubmatch(err.Error()); m != nil {
			return file{}, fmt.Errorf("%s:%s: %s: expected %s, got %s", path, m[1], m[2], m[4], m[3])
		}
		return file{}, fmt.Errorf("%s: %w", path, err)
	}
	at := func(key ...string) string {
		return fmt.Sprintf("%s:%d: %s", path, lineOf(string(text), key), strings.Join(key, "."))
	}
	if unknown := md.Undecoded(); len(unknown) > 0 {
		return file{}, fmt.Errorf("%s: no such key", at(unknown[0]...))
	}
	if f.Background != "" && f.Background != "dark" && f.Background != "light" {
		return file{}, fmt.Errorf(`%s: %q is neither "dark" nor "light"`, at("background"), f.Background)
	}
	for _, key := range md.Keys() {
		if err := check(f, key, at); err != nil {
			return file{}, err
		}
	}
	return f, nil
}

// check looks at one key below [styles].
func check(f file, key toml.Key, at func(...string) string) error {
	if len(key) < 2 || key[0] != "styles" {
		return nil
	}
	if _, known := tokens[key[1]]; !known {
		return fmt.Errorf("%s: no such style; there are %s", at(key...), strings.Join(tokenNames(), ", "))
	}
	if len(key) < 3 {
		return nil
	}
	s := f.Styles[key[1]]
	value, allowed, want := "", colour, "#rrggbb or 0 to 255"
	switch key[2] {
	case "fg":
		value = s.FG
	case "bg":
		value = s.BG
	case "fg16":
		value, allowed, want = s.FG16, colour16, "0 to 15"
	case "bg16":
		value, allowed, want = s.BG16, colour16, "0 to 15"
	default:
		return nil
	}
	if !allowed.MatchString(value) {
		return fmt.Errorf("%s: %q is no colour; expected %s", at(key...), value, want)
	}
	return nil
}

// lineOf finds the line on which a key is set, 1 when it is not found. The
// decoder knows positions of errors only, not of keys; a theme is flat enough
// to look for the longest tail of the key that a line begins with or holds.
func lineOf(text string, key []string) int {
	table, best, bestLen := "", 1, 0
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "#")
		if strings.HasPrefix(line, "[") {
			table = strings.Trim(strings.TrimSpace(line), "[]")
		}
		full := table
		if name, rest, ok := strings.Cut(line, "="); ok {
			full = strings.TrimPrefix(table+"."+strings.TrimSpace(name), ".")
			if len(key) > 1 && full == strings.Join(key[:len(key)-1], ".") && strings.Contains(rest, key[len(key)-1]) {
				return i + 1
			}
		}
		if full == strings.Join(key, ".") {
			return i + 1
		}
		if full != "" && strings.HasPrefix(strings.Join(key, ".")+".", full+".") && len(full) > bestLen {
			best, bestLen = i+1, len(full)
		}
	}
	return best
}
