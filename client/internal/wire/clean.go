package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes text from outside safe to print on a terminal in one line. A tab
// becomes a space; every other control character (C0, DEL, C1), line
// separator, invisible format character (bidirectional overrides, zero width)
// and invalid byte is shown as its escape: \n, \x1b, \u202e. It is idempotent,
// and printable text is returned as it is, without a copy.
func Clean(s string) string {
	at := strings.IndexFunc(s, unsafeRune)
	if at < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	b.WriteString(s[:at])
	for i := at; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		writeClean(&b, r, size, s[i])
		i += size
	}
	return b.String()
}

func writeClean(b *strings.Builder, r rune, size int, first byte) {
	switch {
	case r == utf8.RuneError && size <= 1:
		fmt.Fprintf(b, `\x%02x`, first)
	case r == utf8.RuneError, !unsafeRune(r):
		b.WriteRune(r)
	case r == '\t':
		b.WriteByte(' ')
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\r':
		b.WriteString(`\r`)
	case r < 0x100:
		fmt.Fprintf(b, `\x%02x`, r)
	case r < 0x10000:
		fmt.Fprintf(b, `\u%04x`, r)
	default:
		fmt.Fprintf(b, `\U%08x`, r)
	}
}

// unsafeRune also stands for an invalid byte, which decodes to RuneError; a
// replacement character that was really sent is shown as itself by writeClean's first test.
func unsafeRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7f
	}
	return r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// CleanJSON is raw without insignificant space, its unsafe characters
// replaced by JSON escapes, so that it means the same and may be printed.
func CleanJSON(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return nil
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		return json.RawMessage("null") // cannot happen: raw comes out of a decoder
	}
	out := compact.Bytes()
	if bytes.IndexFunc(out, unsafeRune) < 0 {
		return out
	}
	var b bytes.Buffer
	for len(out) > 0 {
		r, size := utf8.DecodeRune(out)
		switch {
		case !unsafeRune(r), r == utf8.RuneError && size > 1:
			b.Write(out[:size])
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			hi, lo := surrogates(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, hi, lo)
		}
		out = out[size:]
	}
	return b.Bytes()
}

func surrogates(r rune) (hi, lo rune) {
	r -= 0x10000
	return 0xd800 + r>>10, 0xdc00 + r&0x3ff
}

// Snippet is the beginning of a body, to be shown in an error.
func Snippet(body []byte) string {
	const most = 120
	text := strings.Join(strings.Fields(strings.ToValidUTF8(string(body[:min(len(body), 4*most)]), "")), " ")
	switch runes := []rune(text); {
	case text == "":
		return "empty"
	case len(runes) > most:
		return Clean(string(runes[:most])) + "..."
	}
	return Clean(text)
}
