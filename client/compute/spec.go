package compute

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
)

// Spec is one compute's specification (contract B.11) as the JSON object that it is:
// fields that this program does not know stay, and numbers keep their spelling. It is
// never changed; what changes it answers a new one. It holds secrets, so that it
// prints as a word: Diff is what may be shown. The zero Spec is an empty object.
type Spec struct{ content func() content }

// content is what a Spec answers by a function, since package fmt prints everything
// else of a value that is part of another one, without asking it how.
type content struct {
	tree   map[string]any
	places map[string]place // by path, as spot.key; nil of a spec that was not read from a text
}

func specOf(tree map[string]any, places map[string]place) Spec {
	return Spec{func() content { return content{tree, places} }}
}

func (s Spec) read() content {
	if s.content == nil {
		return content{tree: map[string]any{}}
	}
	return s.content()
}

func (s Spec) members() map[string]any { return s.read().tree }

// JSON is the spec as it is sent, secrets and all.
func (s Spec) JSON() (json.RawMessage, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(s.members()); err != nil {
		return nil, fmt.Errorf("write a spec: %w", err)
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

// String hides the spec from whoever prints it by mistake.
func (Spec) String() string { return "spec (not shown)" }

// Format is as String, whatever the verb.
func (s Spec) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) } // package fmt tells of a failure

// LogValue is as String.
func (s Spec) LogValue() slog.Value { return slog.StringValue(s.String()) }

// Patch is s with a JSON merge patch (RFC 7396) applied to it.
func (s Spec) Patch(patch Spec) Spec { return specOf(merge(s.members(), patch.members()), nil) }

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
