package journal

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/StorconTUI/storcon-tui/engine/internal/jsonline"
)

// MaxLine is the longest line in bytes, with its newline: what a file system
// writes in one piece.
const MaxLine = 4096

// plainRecord has a Record's fields without its methods.
type plainRecord Record

// encode makes the body of a line: the object without its checksum.
func encode(r Record) ([]byte, error) {
	body, err := jsonline.Marshal(plainRecord(r))
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
	extra, err := jsonline.Marshal(r.Extra)
	if err != nil {
		return nil, fmt.Errorf("encode record %d (%s): %w", r.Seq, r.Kind, err)
	}
	body[len(body)-1] = ','
	return append(body, extra[1:]...), nil
}

// decode reads one line without its newline.
func decode(line []byte) (Record, error) {
	body, err := jsonline.Open(line)
	if err != nil {
		return Record{}, err
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
