package compute

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Spec is one compute's specification (contract B.11) as the JSON object that it is:
// fields that this program does not know stay, and numbers keep their spelling. It is
// never changed; what changes it answers a new one. It holds secrets, so that it
// prints as a word: Diff is what may be shown.
type Spec struct {
	tree   map[string]any
	places map[string]place // by path, as spot.key; nil of a spec that was not read from a text
}

// JSON is the spec as it is sent, secrets and all.
func (s Spec) JSON() (json.RawMessage, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(s.tree); err != nil {
		return nil, fmt.Errorf("write a spec: %w", err)
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

// String hides the spec from whoever prints it by mistake.
func (Spec) String() string { return "spec (not shown)" }

// GoString is as String.
func (s Spec) GoString() string { return s.String() }

// Patch is s with a JSON merge patch (RFC 7396) applied to it.
func (s Spec) Patch(patch Spec) Spec { return Spec{tree: merge(s.tree, patch.tree)} }

func merge(target, patch map[string]any) map[string]any {
	out := make(map[string]any, len(target)+len(patch))
	for name, value := range target {
		out[name] = value
	}
	for name, value := range patch {
		inner, ok := value.(map[string]any)
		switch {
		case value == nil:
			delete(out, name)
		case ok:
			under, _ := out[name].(map[string]any)
			out[name] = merge(under, inner)
		default:
			out[name] = value
		}
	}
	return out
}
