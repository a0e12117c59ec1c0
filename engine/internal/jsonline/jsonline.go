// Package jsonline is the form of a line in the files that this program keeps:
// a JSON object whose last field is a checksum of the others. It knows nothing of
// what the objects say.
package jsonline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
)

// Field is how the checksum's field begins, and TailLen the length in bytes of the
// end of a line from there, without its newline.
const (
	Field   = `,"crc":"`
	TailLen = len(Field) + 8 + len(`"}`)
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// What can be wrong with a line.
var (
	errNoChecksum = errors.New("no checksum at its end")
	errChecksum   = errors.New("checksum does not fit")
)

// Marshal encodes without escaping <, > and &, so that a line reads well, but
// with DEL and C1 control characters escaped, so that it is safe to print.
func Marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return escapeControls(bytes.TrimSuffix(buf.Bytes(), []byte("\n"))), nil
}

// escapeControls rewrites U+007F to U+009F, which JSON allows inside strings and
// terminals obey. encoding/json has escaped those below U+0020.
func escapeControls(b []byte) []byte {
	b = bytes.ToValidUTF8(b, []byte("\ufffd")) // raw data is passed through as it came
	if !bytes.ContainsAny(b, c1Set) {
		return b
	}
	var out bytes.Buffer
	for _, r := range string(b) {
		if r >= 0x7f && r <= 0x9f {
			fmt.Fprintf(&out, `\u%04x`, r)
			continue
		}
		out.WriteRune(r)
	}
	return out.Bytes()
}

var c1Set = func() string {
	var s strings.Builder
	for r := rune(0x7f); r <= 0x9f; r++ {
		s.WriteRune(r)
	}
	return s.String()
}()

// Seal makes a line of a JSON object that is not empty: checksum and newline are
// added.
func Seal(body []byte) []byte {
	sum := crc32.Checksum(body, castagnoli)
	line := make([]byte, 0, len(body)+TailLen)
	line = append(line, body[:len(body)-1]...)
	return fmt.Appendf(line, "%s%08x\"}\n", Field, sum)
}

// Open gives the object that was sealed in a line, which comes without its
// newline.
func Open(line []byte) (body []byte, err error) {
	n := len(line) - TailLen
	if n < 1 || !bytes.HasPrefix(line[n:], []byte(Field)) || !bytes.HasSuffix(line, []byte(`"}`)) {
		return nil, errNoChecksum
	}
	body = append(line[:n:n], '}')
	want := fmt.Sprintf("%08x", crc32.Checksum(body, castagnoli))
	if string(line[n+len(Field):len(line)-2]) != want {
		return nil, errChecksum
	}
	return body, nil
}
