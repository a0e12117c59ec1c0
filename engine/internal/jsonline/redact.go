package jsonline

import (
	"bytes"
	"encoding/json"
)

// Redact applies redact to every string in a JSON value, keys included.
// Text that is no JSON is left for the encoder to refuse.
func Redact(raw json.RawMessage, redact func(string) string) json.RawMessage {
	if len(raw) == 0 {
		return raw
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return raw
	}
	v, changed := redactValue(v, redact)
	if !changed {
		return raw
	}
	out, err := Marshal(v)
	if err != nil {
		return raw
	}
	return out
}

func redactValue(v any, redact func(string) string) (out any, changed bool) {
	switch v := v.(type) {
	case string:
		s := redact(v)
		return s, s != v
	case []any:
		for i := range v {
			var c bool
			v[i], c = redactValue(v[i], redact)
			changed = changed || c
		}
		return v, changed
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			e, c := redactValue(e, redact)
			key := redact(k)
			changed = changed || c || key != k
			m[key] = e
		}
		return m, changed
	default:
		return v, false
	}
}
