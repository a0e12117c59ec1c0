package compute

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Spec is one compute's specification (contract B.11) as the JSON object that it is:
// fields that this program does not know stay, and numbers keep their spelling. It is
// never changed; what changes it answers a new one. It holds secrets, so that it
// prints as a word: Diff and Redacted are what may be shown.
type Spec struct{ tree map[string]any }

// ParseSpec reads a spec, or a file that has one in its member "spec" beside
// compute_ctl_config as neon_local writes it. The error of text that is no JSON has its
// line and column, both from 1, and no word of the text, which may be a secret.
func ParseSpec(text []byte) (Spec, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var tree map[string]any
	if err := d.Decode(&tree); err != nil {
		return Spec{}, parseFault(text, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Spec{}, fmt.Errorf("%s: more text after the spec's object", position(text, d.InputOffset()))
	}
	if tree == nil {
		return Spec{}, errors.New("1:1: null is no spec, an object is wanted")
	}
	if inner, ok := tree["spec"].(map[string]any); ok {
		tree = inner
	}
	return Spec{tree: tree}, nil
}

// parseFault says where, and in words that quote no value.
func parseFault(text []byte, err error) error {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("%s: not JSON: a syntax error", position(text, syntax.Offset))
	}
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%s: an object is wanted", position(text, kind.Offset))
	}
	return fmt.Errorf("%s: the text ends too early", position(text, int64(len(text))))
}

// position is the line and the column of the byte that was read last.
func position(text []byte, offset int64) string {
	before := text[:max(0, min(offset-1, int64(len(text))))]
	line := bytes.Count(before, []byte("\n"))
	return fmt.Sprintf("%d:%d", line+1, len(before)-bytes.LastIndexByte(before, '\n'))
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
