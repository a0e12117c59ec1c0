package config

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/StorconTUI/storcon-tui/client"
)

// Compute is one compute to watch.
type Compute struct {
	Name  string
	URL   string
	Token Token
	Spec  Source // its last known spec: compute_ctl never gives it out
	// Connection is a connection string of libpq's, with which its Postgres is asked
	// for the settings that it has in use.
	Connection Source
}

func readComputes(tables []*section) []Compute {
	var computes []Compute
	for _, table := range tables {
		one := readCompute(table)
		one.Spec.Command = table.argv("spec_command")
		connection := readSecret(table, "connection")
		one.Connection = Source{File: connection.File, Env: connection.Env, Command: connection.Command}
		if table.has("connection") {
			table.take("connection")
			table.wrong("connection", "expected connection_file, connection_env or connection_command: it has a password, so it does not stand in this file")
		}
		one.Token.Command = table.argv("token_command")
		oneSource(table, "token", "token_file", "token_env", "token_command")
		oneSource(table, "spec", "spec_file", "spec_command")
		ownName(table, one.Name, computes)
		computes = append(computes, one)
		table.done()
	}
	return computes
}

// readCompute reads the keys that a compute has wherever it is listed.
func readCompute(s *section) Compute {
	c := Compute{
		Name: s.text("name"), URL: s.url("url"),
		Token: Token{File: s.path("token_file"), Env: s.text("token_env")},
		Spec:  Source{File: s.path("spec_file")},
	}
	for _, key := range []string{"name", "url"} {
		if !s.has(key) {
			s.wrong("", "expected key %q", key)
		}
	}
	if strings.ContainsFunc(c.Name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		s.wrong("name", "expected a name of printable characters, got %q", c.Name)
	}
	return c
}

// ownName reports a name that another compute has.
func ownName(s *section, name string, others []Compute) {
	if slices.ContainsFunc(others, func(other Compute) bool { return other.Name == name && name != "" }) {
		s.wrong("name", "expected a name of its own, %q is another compute's", name)
	}
}

// ListsComputes reports that there may be more computes than Computes, and others from
// one moment to the next.
func (c Cluster) ListsComputes() bool { return c.local != nil || c.ComputesCommand != nil }

// ListComputes lists those that are not in Computes: the endpoints of a directory of
// neon_local, else what the cluster's computes_command prints, a JSON array. Paths in
// that are relative to the configuration's directory, as in the file itself. The error
// names every fault; the list is nil when it is not known, and without some of the
// computes when only those are at fault.
func (c Cluster) ListComputes(ctx context.Context) ([]Compute, error) {
	if c.local != nil {
		return localComputes(c.local)
	}
	name := "computes_command " + filepath.Base(c.ComputesCommand[0]) // arguments may hold secrets
	text, err := client.CommandOutput(ctx, c.ComputesCommand, maxText)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	computes, err := parseComputes(text, "output of "+name, c.directory)
	if err != nil {
		return nil, err
	}
	return computes, nil
}

func parseComputes(text []byte, what, directory string) ([]Compute, error) {
	var list []map[string]any
	if err := json.Unmarshal(text, &list); err != nil || list == nil {
		got := "something else"
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			got = fmt.Sprintf("text that is no JSON from byte %d on", syntax.Offset)
		}
		return nil, fmt.Errorf(`%s: expected a JSON array of objects such as {"name": "ep", "url": "http://host:3080"}, got %s`, what, got)
	}
	r := &reader{path: what, directory: directory}
	computes := make([]Compute, 0, len(list))
	for i, values := range list {
		s := &section{file: r, name: element("", i), values: values}
		one := readCompute(s)
		oneSource(s, "token", "token_file", "token_env")
		ownName(s, one.Name, computes)
		computes = append(computes, one)
		s.done()
	}
	if len(r.problems) > 0 {
		return nil, r.sorted()
	}
	return computes, nil
}
