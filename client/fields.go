package client

import (
	"encoding/json"

	"github.com/StorconTUI/storcon-tui/client/internal/wire"
)

// Clean makes text from outside safe to print on a terminal in one line. A tab
// becomes a space; every other control character (C0, DEL, C1), line
// separator, invisible format character (bidirectional overrides, zero width)
// and invalid byte is shown as its escape: \n, \x1b, \u202e. It is idempotent,
// and printable text is returned as it is, without a copy. All text in the
// answers of this package has been through it.
func Clean(s string) string { return wire.Clean(s) }

// keepNull remembers in extra that an optional member was sent as null, so that
// encoding does not leave it out.
func keepNull[T any](extra *Fields, name string, f wire.Field[T]) {
	if !f.Present || f.Value != nil {
		return
	}
	if *extra == nil {
		*extra = Fields{}
	}
	(*extra)[name] = json.RawMessage("null")
}

// merge joins two sets of fields; nil stays nil.
func merge(a, b Fields) Fields {
	if len(a) == 0 {
		return b
	}
	for name, value := range b {
		a[name] = value
	}
	return a
}
