package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"reflect"
	"strings"
	"sync"
)

// MaxLine is the longest line in bytes, with its newline: what a file system
// writes in one piece.
const MaxLine = 4096

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// crcTail is the form of the end of every line. The checksum is the last field,
// over the line as it was without it.
const (
	crcPrefix  = `,"crc":"`
	crcTailLen = len(crcPrefix) + 8 + len(`"}`)
)

// marshal encodes without escaping <, > and &, so that a line reads well, but
// with DEL and C1 control characters escaped, so that it is safe to print.
func marshal(v any) ([]byte, error) {
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

// plainRecord has a Record's fields without its methods.
type plainRecord Record

// encode makes the body of a line: the object without its checksum.
func encode(r Record) ([]byte, error) {
	body, err := marshal(plainRecord(r))
	if err != nil {
		return nil, fmt.Errorf("encode record %d (%s): %w", r.Seq, r.Kind, err)
	}
	if len(r.Extra) == 0 {
		return body, nil
	}
	for name := range r.Extra {
		if knownFields()[name] {
			return nil, fmt.Errorf("encode record %d (%s): extra field %q is one of ours", r.Seq, r.Kind, name)
		}
	}
	extra, err := marshal(r.Extra)
	if err != nil {
		return nil, fmt.Errorf("encode record %d (%s): %w", r.Seq, r.Kind, err)
	}
	body[len(body)-1] = ','
	return append(body, extra[1:]...), nil
}

// seal adds checksum and newline to a body.
func seal(body []byte) []byte {
	sum := crc32.Checksum(body, castagnoli)
	line := make([]byte, 0, len(body)+crcTailLen)
	line = append(line, body[:len(body)-1]...)
	return fmt.Appendf(line, "%s%08x\"}\n", crcPrefix, sum)
}

var (
	errNoChecksum = errors.New("no checksum at its end")
	errChecksum   = errors.New("checksum does not fit")
)

// decode reads one line without its newline.
func decode(line []byte) (Record, error) {
	n := len(line) - crcTailLen
	if n < 1 || !bytes.HasPrefix(line[n:], []byte(crcPrefix)) || !bytes.HasSuffix(line, []byte(`"}`)) {
		return Record{}, errNoChecksum
	}
	body := append(line[:n:n], '}')
	want := fmt.Sprintf("%08x", crc32.Checksum(body, castagnoli))
	if string(line[n+len(crcPrefix):len(line)-2]) != want {
		return Record{}, errChecksum
	}
	return decodeBody(body)
}

func decodeBody(body []byte) (Record, error) {
	var r plainRecord
	if err := json.Unmarshal(body, &r); err != nil {
		return Record{}, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(body, &all); err != nil {
		return Record{}, err
	}
	for name := range all {
		if knownFields()[name] {
			delete(all, name)
		}
	}
	if len(all) > 0 {
		r.Extra = all
	}
	return Record(r), nil
}

// knownFields are the names that Record has, and crc.
var knownFields = sync.OnceValue(func() map[string]bool {
	known := map[string]bool{"crc": true}
	t := reflect.TypeFor[Record]()
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name != "-" {
			known[name] = true
		}
	}
	return known
})
