package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Field tells an absent member from a null one.
type Field[T any] struct {
	Value   *T
	Present bool
}

// UnmarshalJSON is called only for a member that is present.
func (f *Field[T]) UnmarshalJSON(raw []byte) error {
	f.Present = true
	if string(raw) == "null" {
		return nil
	}
	f.Value = new(T)
	return json.Unmarshal(raw, f.Value)
}

// Flag is a Field[bool] that is quick, since there are two in every location.
type Flag struct {
	Value   *bool
	Present bool
}

// UnmarshalJSON is called only for a member that is present.
func (f *Flag) UnmarshalJSON(raw []byte) error {
	f.Present = true
	switch string(raw) {
	case "null":
	case "true", "false":
		value := raw[0] == 't'
		f.Value = &value
	default:
		return errors.New("neither true, false nor null")
	}
	return nil
}

// Missing is the error for a required member that is absent, or null where null says
// nothing.
func Missing(name string) error { return fmt.Errorf("%s is missing", name) }

// Quick decodes body strictly; false means "read it thoroughly".
func Quick(body []byte, into any) bool {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if decoder.Decode(into) != nil {
		return false
	}
	_, err := decoder.Token()
	return errors.Is(err, io.EOF)
}

// Object decodes one object into wire and returns the members that are not
// among known.
func Object(raw []byte, wire any, known []string) (map[string]json.RawMessage, error) {
	if err := expect(raw, '{', "an object"); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, wire); err != nil {
		return nil, jsonError(raw, err)
	}
	var extra map[string]json.RawMessage
	if err := json.Unmarshal(raw, &extra); err != nil {
		return nil, jsonError(raw, err)
	}
	for _, name := range known {
		delete(extra, name)
	}
	if len(extra) == 0 {
		return nil, nil
	}
	for name, value := range extra {
		if clean := Clean(name); clean != name {
			delete(extra, name)
			name = clean
		}
		extra[name] = CleanJSON(value)
	}
	return extra, nil
}

// List splits a JSON array; null is not an empty list.
func List(raw []byte) ([]json.RawMessage, error) {
	if err := expect(raw, '[', "a list"); err != nil {
		return nil, err
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return nil, jsonError(raw, err)
	}
	return items, nil
}

// expect says in people's words what stands where something else should.
func expect(raw []byte, first byte, what string) error {
	trimmed := bytes.TrimSpace(raw)
	switch {
	case len(trimmed) == 0:
		return fmt.Errorf("the answer is empty where %s should be", what)
	case trimmed[0] != first:
		return fmt.Errorf("not %s: %s", what, Snippet(trimmed))
	}
	return nil
}

// jsonError words an error of encoding/json for people.
func jsonError(raw []byte, err error) error {
	var (
		syntax   *json.SyntaxError
		mismatch *json.UnmarshalTypeError
	)
	switch {
	case errors.As(err, &syntax) && syntax.Error() == "unexpected end of JSON input":
		return fmt.Errorf("the JSON breaks off after %d bytes", len(raw))
	case errors.As(err, &mismatch) && mismatch.Field != "":
		return fmt.Errorf("%s is a %s where a %s should be", Clean(mismatch.Field), Clean(mismatch.Value), mismatch.Type.Kind())
	}
	return fmt.Errorf("not JSON: %s", Clean(err.Error()))
}

// Encode writes an object's named members, then its extra ones in order.
func Encode(named any, extra map[string]json.RawMessage) ([]byte, error) {
	raw, err := json.Marshal(named)
	if err != nil || len(extra) == 0 {
		return raw, err
	}
	names := make([]string, 0, len(extra))
	for name := range extra {
		names = append(names, name)
	}
	slices.Sort(names)
	raw = raw[:len(raw)-1] // the closing brace; every object of ours has a member before it
	for _, name := range names {
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		value := extra[name]
		if len(value) == 0 {
			value = json.RawMessage("null")
		}
		raw = append(raw, ',')
		raw = append(raw, key...)
		raw = append(raw, ':')
		raw = append(raw, value...)
	}
	return append(raw, '}'), nil
}

// CleanPtr is Clean for optional text; nil stays nil.
func CleanPtr(s *string) *string {
	if s != nil {
		*s = Clean(*s)
	}
	return s
}
