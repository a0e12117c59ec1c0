package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// The controller reads bodies with serde, whose complaints carry the path of
// the field, what was expected, and the place. fields re-implements as much of
// that as the bodies of this API can provoke.
type fields struct {
	values map[string]field
	end    int64 // offset just after the closing brace
	body   []byte
}

type field struct {
	raw json.RawMessage
	end int64 // offset just after the value
}

// parseFields reads a JSON object. Unknown fields are kept and ignored by
// those who do not ask for them.
func parseFields(body []byte) (*fields, *reply) {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, badRequest("missing request body")
	}
	f := &fields{values: map[string]field{}, body: body}
	dec := json.NewDecoder(bytes.NewReader(body))
	open, err := dec.Token()
	if err != nil {
		return nil, f.syntax(err, "value", dec.InputOffset())
	}
	if open != json.Delim('{') {
		return nil, f.complain("", fmt.Sprintf("invalid type: %s, expected a struct", kindOf(body)), dec.InputOffset())
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, f.syntax(err, "object", dec.InputOffset())
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, f.syntax(err, "value", dec.InputOffset())
		}
		f.values[fmt.Sprint(key)] = field{raw: raw, end: dec.InputOffset()}
	}
	if _, err := dec.Token(); err != nil {
		return nil, f.syntax(err, "object", dec.InputOffset())
	}
	f.end = dec.InputOffset()
	if len(bytes.TrimSpace(body[f.end:])) > 0 {
		return nil, f.complain("", "trailing characters", f.end+1)
	}
	return f, nil
}

func (f *fields) syntax(err error, what string, at int64) *reply {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		article := "a "
		if what == "object" {
			article = "an "
		}
		return f.complain("", "EOF while parsing "+article+what, int64(len(f.body)))
	}
	return f.complain("", "expected value", at+1)
}

// complain words a refusal of the body, with the place of an offset.
func (f *fields) complain(path, text string, offset int64) *reply {
	before := string(f.body[:min(offset, int64(len(f.body)))])
	line := strings.Count(before, "\n") + 1
	column := len(before) - strings.LastIndex(before, "\n") - 1
	if path != "" {
		path += ": "
	}
	return badRequest(fmt.Sprintf("Failed to parse json request: %s%s at line %d column %d", path, text, line, column))
}

func (f *fields) missing(name string) *reply {
	return f.complain("", fmt.Sprintf("missing field `%s`", name), f.end)
}

// given reports a field that is there and not null.
func (f *fields) given(name string) (field, bool) {
	v, ok := f.values[name]
	return v, ok && string(v.raw) != "null"
}

// required reads a field that must be there.
func required[T any](f *fields, name, expected string) (T, *reply) {
	var zero T
	if _, ok := f.values[name]; !ok {
		return zero, f.missing(name)
	}
	v := f.values[name]
	return read[T](f, name, expected, v)
}

// optional reads a field that may be absent or null.
func optional[T any](f *fields, name, expected string) (*T, *reply) {
	v, ok := f.given(name)
	if !ok {
		return nil, nil
	}
	value, refusal := read[T](f, name, expected, v)
	if refusal != nil {
		return nil, refusal
	}
	return &value, nil
}

func read[T any](f *fields, name, expected string, v field) (T, *reply) {
	var value T
	if string(v.raw) == "null" || json.Unmarshal(v.raw, &value) != nil {
		return value, f.complain(name, fmt.Sprintf("invalid type: %s, expected %s", kindOf(v.raw), expected), v.end)
	}
	return value, nil
}

// variant reads an optional enum.
func variant[T ~string](f *fields, name string, known ...T) (*T, *reply) {
	text, refusal := optional[string](f, name, "a variant")
	if text == nil || refusal != nil {
		return nil, refusal
	}
	if v := T(*text); slices.Contains(known, v) {
		return &v, nil
	}
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = "`" + string(k) + "`"
	}
	complaint := fmt.Sprintf("unknown variant `%s`, expected one of %s", *text, strings.Join(names, ", "))
	return nil, f.complain(name, complaint, f.values[name].end)
}

// kindOf words a value as serde does.
func kindOf(raw []byte) string {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return "null"
	case raw[0] == '"':
		return "string " + string(raw)
	case raw[0] == '[':
		return "sequence"
	case raw[0] == '{':
		return "map"
	case raw[0] == 't' || raw[0] == 'f':
		return "boolean `" + string(raw) + "`"
	case bytes.ContainsAny(raw, ".eE"):
		return "floating point `" + string(raw) + "`"
	default:
		return "integer `" + string(raw) + "`"
	}
}
