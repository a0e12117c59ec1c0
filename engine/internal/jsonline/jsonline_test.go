package jsonline

import (
	"bytes"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

// What is sealed is opened as it was, on one line that is safe to print, and a changed byte
// is noticed wherever it is.
func TestSealedLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := map[string]string{"text": rapid.String().Draw(t, "text")}
		body, err := Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		line := Seal(body)
		if !bytes.HasSuffix(line, []byte("\n")) || !json.Valid(line) {
			t.Fatalf("%q is no line of JSON", line)
		}
		line = line[:len(line)-1]
		for _, r := range string(line) {
			if r < 0x20 || r >= 0x7f && r <= 0x9f {
				t.Fatalf("%q has a control character", line)
			}
		}
		opened, err := Open(line)
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]string
		if err := json.Unmarshal(opened, &got); err != nil || got["text"] != want["text"] {
			t.Fatalf("sealed %q, opened %q: %v", want["text"], got["text"], err)
		}
		line[rapid.IntRange(0, len(line)-1).Draw(t, "at")] ^= byte(rapid.IntRange(1, 255).Draw(t, "bits"))
		if _, err := Open(line); err == nil {
			t.Fatalf("%q was taken for what was sealed", line)
		}
	})
}

// Secrets are found in keys and values at any depth; what has none stays as it was.
func TestRedact(t *testing.T) {
	hide := func(s string) string { return string(bytes.ReplaceAll([]byte(s), []byte("hunter2"), []byte("***"))) }
	for raw, want := range map[string]string{
		`{"a": [1.50, "x"]}`: `{"a": [1.50, "x"]}`,
		`{"hunter2":{"b":["is hunter2",12345678901234567890]}}`: `{"***":{"b":["is ***",12345678901234567890]}}`,
		`no JSON hunter2`: `no JSON hunter2`,
		``:                ``,
	} {
		if got := string(Redact(json.RawMessage(raw), hide)); got != want {
			t.Errorf("%s became %s; want %s", raw, got, want)
		}
	}
}
