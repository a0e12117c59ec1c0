package config

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/adrg/xdg"

	"github.com/StorconTUI/storcon-tui/engine/gate"
)

// section reads one table of the file. Each method asks for one key; done then
// reports the keys that nobody asked for.
type section struct {
	file   *reader
	name   string // "" = the top level
	values map[string]any
	known  []string
}

// reader is what the sections of a file share.
type reader struct {
	path      string // or what else it is that was read
	directory string // relative paths begin there
	lines     lines
	problems  Problems
}

func (r *reader) problem(key, format string, args ...any) {
	r.problems = append(r.problems, Problem{
		Path: r.path, Line: r.lines.of(key), Key: key, Text: fmt.Sprintf(format, args...),
	})
}

func (r *reader) sorted() Problems {
	slices.SortStableFunc(r.problems, func(a, b Problem) int {
		return cmp.Or(a.Line-b.Line, strings.Compare(a.Key, b.Key))
	})
	return r.problems
}

func (s *section) wrong(key, format string, args ...any) {
	s.file.problem(join(s.name, key), format, args...)
}

func (s *section) take(key string) (value any, ok bool) {
	s.known = append(s.known, key)
	value, ok = s.values[key]
	return value, ok
}

// has reports that the key is there, without asking for it.
func (s *section) has(key string) bool { return s.values[key] != nil }

func (s *section) text(key string) string {
	value, ok := s.take(key)
	if !ok {
		return ""
	}
	text, ok := value.(string)
	switch {
	case !ok:
		s.wrong(key, "expected a string, got %s", kindOf(value))
	case text == "":
		s.wrong(key, "expected a string that is not empty")
	}
	return text
}

func (s *section) flag(key string) bool {
	value, ok := s.take(key)
	if !ok {
		return false
	}
	flag, ok := value.(bool)
	if !ok {
		s.wrong(key, "expected true or false, got %s", kindOf(value))
	}
	return flag
}

// argv is a list of strings whose first names a program.
func (s *section) argv(key string) []string {
	value, ok := s.take(key)
	if !ok {
		return nil
	}
	list, ok := value.([]any)
	if !ok {
		s.wrong(key, `expected a list of strings such as ["ssh", "{{.Host}}"], got %s`, kindOf(value))
		return nil
	}
	argv := make([]string, 0, len(list))
	for i, v := range list {
		word, ok := v.(string)
		if !ok {
			s.wrong(key, "expected strings only, got %s as number %d of the list", kindOf(v), i+1)
			return nil
		}
		argv = append(argv, word)
	}
	if len(argv) == 0 || argv[0] == "" {
		s.wrong(key, "expected a program and its arguments, got none")
		return nil
	}
	return argv
}

func (s *section) duration(key string) time.Duration {
	value, ok := s.take(key)
	if !ok {
		return 0
	}
	const expected = `expected a duration above zero such as "90s" or "10m"`
	text, ok := value.(string)
	if !ok {
		s.wrong(key, "%s, got %s", expected, kindOf(value))
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		s.wrong(key, "%s, got %q", expected, text)
		return 0
	}
	return d
}

// count is a whole number above zero.
func (s *section) count(key string) int {
	value, ok := s.take(key)
	if !ok {
		return 0
	}
	n, ok := value.(int64)
	switch {
	case !ok:
		s.wrong(key, "expected a whole number above zero, got %s", kindOf(value))
	case n <= 0 || n > 1000:
		s.wrong(key, "expected a whole number from 1 to 1000, got %d", n)
		return 0
	}
	return int(n)
}

// window is when work may be started; nil = at any time.
func (s *section) window(key string) *gate.Window {
	text := s.text(key)
	if text == "" {
		return nil
	}
	w, err := gate.ParseWindow(text)
	if err != nil {
		s.wrong(key, "%v", err)
		return nil
	}
	return &w
}

func (s *section) url(key string) string { return s.parsed(key, parseURL) }

// address is a URL that may have a path.
func (s *section) address(key string) string { return s.parsed(key, parseAddress) }

func (s *section) parsed(key string, parse func(string) (string, error)) string {
	text := s.text(key)
	if text == "" {
		return ""
	}
	address, err := parse(text)
	if err != nil {
		s.wrong(key, "%v", err)
	}
	return address
}

// path reads a file name: ~ is the home directory, relative is relative to the file.
func (s *section) path(key string) string {
	text := s.text(key)
	if text == "" {
		return ""
	}
	path := expandHome(text)
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.file.directory, path)
	}
	return path
}

func (s *section) table(key string) *section {
	value, ok := s.take(key)
	values, isTable := value.(map[string]any)
	if ok && !isTable {
		s.wrong(key, "expected a table, got %s", kindOf(value))
	}
	return &section{file: s.file, name: join(s.name, key), values: values}
}

// tables are the elements of an array of tables, [[key]].
func (s *section) tables(key string) []*section {
	value, ok := s.take(key)
	if !ok {
		return nil
	}
	var list []map[string]any
	switch value := value.(type) {
	case []map[string]any:
		list = value
	case []any:
		for _, v := range value {
			if table, ok := v.(map[string]any); ok {
				list = append(list, table)
			}
		}
		if len(list) != len(value) {
			s.wrong(key, "expected tables only, written [[%s]]", join(s.name, key))
		}
	default:
		s.wrong(key, "expected a list of tables, written [[%s]], got %s", join(s.name, key), kindOf(value))
	}
	sections := make([]*section, len(list))
	for i, values := range list {
		sections[i] = &section{file: s.file, name: element(join(s.name, key), i), values: values}
	}
	return sections
}

// named are the tables whose names the user chose, in the order of the file.
func (s *section) named(key string) (names []string, tables []*section) {
	all := s.table(key)
	for name := range all.values {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		line := func(name string) int { return s.file.lines.of(join(all.name, quoted(name))) }
		return cmp.Or(line(a)-line(b), strings.Compare(a, b))
	})
	for _, name := range names {
		values, ok := all.values[name].(map[string]any)
		if !ok {
			all.wrong(quoted(name), "expected a table, written [%s], got %s", join(all.name, quoted(name)), kindOf(all.values[name]))
		}
		tables = append(tables, &section{file: s.file, name: join(all.name, quoted(name)), values: values})
	}
	return names, tables
}

// done reports every key of the table that was not asked for.
func (s *section) done() {
	for key := range s.values {
		if slices.Contains(s.known, key) {
			continue
		}
		text := "unknown key; expected one of " + strings.Join(s.known, ", ")
		if near := nearest(key, s.known); near != "" {
			text = fmt.Sprintf("unknown key; did you mean %q?", near)
		}
		s.wrong(quoted(key), "%s", text)
	}
}

func expandHome(path string) string {
	if path == "~" {
		return xdg.Home
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(xdg.Home, rest)
	}
	return path
}

func kindOf(value any) string {
	switch value.(type) {
	case string:
		return "a string"
	case int64:
		return "an integer"
	case float64:
		return "a number"
	case bool:
		return "true or false"
	case time.Time:
		return "a date or time"
	case []any, []map[string]any:
		return "a list"
	case map[string]any:
		return "a table"
	}
	return fmt.Sprintf("%T", value)
}
