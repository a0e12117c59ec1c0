package compute

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/StorconTUI/storcon-tui/client"
)

// place is where a value begins in a text; both count from 1, columns in characters.
type place struct{ line, column int }

func (p place) String() string { return fmt.Sprintf("%d:%d", p.line, p.column) }

// ParseSpec reads a spec, or a file that has one in its member "spec" beside
// compute_ctl_config as neon_local writes it. The error of a text that is no JSON has
// its line and column, both from 1, and no value of the text, which may be a secret.
//
// What JSON leaves open is refused as well, since the spec that is sent must be the
// one that was written: one name twice in an object, and characters that are none.
func ParseSpec(text []byte) (Spec, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var tree map[string]any
	if err := d.Decode(&tree); err != nil {
		return Spec{}, parseFault(text, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Spec{}, fmt.Errorf("%s: more text after the spec's object", lastRead(text, d.InputOffset()))
	}
	if tree == nil {
		return Spec{}, errors.New("1:1: null is no spec, an object is wanted")
	}
	r := newReader(text)
	if err := r.value(""); err != nil {
		return Spec{}, err
	}
	inner, ok := tree["spec"].(map[string]any)
	if !ok {
		return specOf(tree, r.places), nil
	}
	places := map[string]place{}
	for key, at := range r.places {
		if under, ok := strings.CutPrefix(key, ".spec"); ok {
			places[under] = at
		}
	}
	return specOf(inner, places), nil
}

// parseFault says where, and in words that quote no value.
func parseFault(text []byte, err error) error {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("%s: not JSON: a syntax error", lastRead(text, syntax.Offset))
	}
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%s: an object is wanted", lastRead(text, kind.Offset))
	}
	return fmt.Errorf("%s: the text ends too early", lastRead(text, int64(len(text))))
}

// lastRead is the place of the byte before offset.
func lastRead(text []byte, offset int64) place {
	before := text[:max(0, min(offset-1, int64(len(text))))]
	return place{
		line:   bytes.Count(before, []byte("\n")) + 1,
		column: utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1,
	}
}

// deepest is how far values may be nested; compute_ctl's reader goes to about 128.
const deepest = 100

// reader goes through a text that is known to be one JSON value, and notes where the
// values stand.
type reader struct {
	text   []byte
	tokens *json.Decoder
	places map[string]place
	depth  int
	read   int   // bytes of text for which at is the place
	at     place // ascends with the text, so that no byte is counted twice
}

func newReader(text []byte) *reader {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return &reader{text: text, tokens: d, places: map[string]place{}, at: place{1, 1}}
}

// next is the next token and where it begins.
func (r *reader) next() (json.Token, place, error) {
	begin := r.tokens.InputOffset()
	for begin < int64(len(r.text)) && strings.IndexByte(" \t\r\n,:", r.text[begin]) >= 0 {
		begin++
	}
	token, err := r.tokens.Token()
	if err != nil {
		return nil, place{}, parseFault(r.text, err)
	}
	passed := r.text[r.read:begin]
	if lines := bytes.Count(passed, []byte("\n")); lines > 0 {
		r.at = place{r.at.line + lines, 1}
		passed = passed[bytes.LastIndexByte(passed, '\n')+1:]
	}
	r.at.column += utf8.RuneCount(passed)
	r.read = int(begin)
	if said, ok := token.(string); ok && broken(said, r.text[begin:r.tokens.InputOffset()]) {
		return nil, place{}, fmt.Errorf("%s: a string with a character that is none: not UTF-8, or half of a \\u pair", r.at)
	}
	return token, r.at, nil
}

// broken tells whether reading put a replacement where the text has none.
func broken(said string, raw []byte) bool {
	const replacement = "\uFFFD"
	put := strings.Count(said, replacement)
	if put == 0 {
		return false
	}
	lower := bytes.ToLower(bytes.ReplaceAll(raw, []byte(`\\`), nil))
	return put > bytes.Count(lower, []byte(replacement))+bytes.Count(lower, []byte(`\ufffd`)) || !utf8.Valid(raw)
}

// value reads one value and notes the places of it and of what is under it.
func (r *reader) value(path string) error {
	token, at, err := r.next()
	if err != nil {
		return err
	}
	r.places[path] = at
	if r.depth++; r.depth > deepest {
		return fmt.Errorf("%s: nested deeper than %d levels", at, deepest)
	}
	defer func() { r.depth-- }()
	switch token {
	case json.Delim('{'):
		err = r.object(path)
	case json.Delim('['):
		for i := 0; err == nil && r.tokens.More(); i++ {
			err = r.value(path + "[" + strconv.Itoa(i) + "]")
		}
	default:
		return nil
	}
	if err == nil {
		_, _, err = r.next() // the end of it
	}
	return err
}

func (r *reader) object(path string) error {
	seen := map[string]bool{}
	for r.tokens.More() {
		token, at, err := r.next()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		if seen[name] {
			return fmt.Errorf("%s: %s stands twice in one object", at, client.Clean(scrub(name)))
		}
		seen[name] = true
		if err := r.value(path + "." + name); err != nil {
			return err
		}
	}
	return nil
}
