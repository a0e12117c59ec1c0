package wire

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"":                         "",
		"plain text":               "plain text",
		"Grüße, 世界":                "Grüße, 世界",
		"a\tb":                     "a b",
		"a\nb\r\n":                 `a\nb\r\n`,
		"\x1b[31mred\x1b[0m":       `\x1b[31mred\x1b[0m`,
		"\x1b]52;c;aGk=\x07":       `\x1b]52;c;aGk=\x07`,
		"del\x7f nul\x00":          `del\x7f nul\x00`,
		"c1 \u009b2J":              `c1 \x9b2J`,
		"invalid \xff\xc0":         `invalid \xff\xc0`,
		"sent replacement \ufffd":  "sent replacement \ufffd",
		"\u202eevil\u202c":         `\u202eevil\u202c`,
		"\u2066x\u2069":            `\u2066x\u2069`,
		"zero\u200bwidth\ufeff":    `zero\u200bwidth\ufeff`,
		"line\u2028sep\u2029":      `line\u2028sep\u2029`,
		"tag \U000e0041":           `tag \U000e0041`,
		`a backslash \x1b as sent`: `a backslash \x1b as sent`,
	} {
		if got := Clean(in); got != want {
			t.Errorf("%q: %q, not %q", in, got, want)
		}
	}
}

func TestCleanProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.String().Draw(t, "text")
		out := Clean(in)
		if Clean(out) != out {
			t.Fatalf("not idempotent: %q, %q", out, Clean(out))
		}
		if !utf8.ValidString(out) {
			t.Fatalf("invalid: %q", out)
		}
		for _, r := range out {
			if r != utf8.RuneError && unsafeRune(r) {
				t.Fatalf("%q still has %U", out, r)
			}
		}
	})
}

func TestCleanJSONMeansTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		members := rapid.MapOf(rapid.String(), rapid.String()).Draw(t, "members")
		for _, r := range []string{"\u202e", "\u0085", "\U000e0041", "\u2028"} {
			if rapid.Bool().Draw(t, "with") {
				members[r] = r + "x"
			}
		}
		var raw strings.Builder
		encoder := json.NewEncoder(&raw)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "\t")
		if err := encoder.Encode(members); err != nil {
			t.Fatal(err)
		}
		clean := CleanJSON(json.RawMessage(raw.String()))
		if text := string(clean); Clean(text) != text {
			t.Fatalf("unsafe: %q", text)
		}
		var back map[string]string
		if err := json.Unmarshal(clean, &back); err != nil {
			t.Fatalf("%v in %q", err, clean)
		}
		if !reflect.DeepEqual(back, members) {
			t.Fatalf("%q became %q", members, back)
		}
	})
}

func TestSnippet(t *testing.T) {
	for in, want := range map[string]string{
		"":                                  "empty",
		" \n ":                              "empty",
		"Not\n  Found\x1b":                  `Not Found\x1b`,
		strings.Repeat("é", 500):            strings.Repeat("é", 120) + "...",
		"\xff\xfe":                          "empty",
		strings.Repeat("x", 479) + "\u4e16": strings.Repeat("x", 120) + "...",
	} {
		if got := Snippet([]byte(in)); got != want {
			t.Errorf("%.20q: %q", in, got)
		}
	}
}

func TestEncodeKeepsExtraMembersInOrder(t *testing.T) {
	extra := map[string]json.RawMessage{"z": json.RawMessage(`[1]`), "b": json.RawMessage(`null`), `q"`: nil}
	got, err := Encode(struct {
		A int `json:"a"`
	}{1}, extra)
	if want := `{"a":1,"b":null,"q\"":null,"z":[1]}`; err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
}

func TestFieldTellsAbsentFromNull(t *testing.T) {
	var got struct {
		Absent, Null, Set Field[int]
		No, Yes, Gone     Flag
	}
	if err := json.Unmarshal([]byte(`{"Null":null,"Set":3,"No":false,"Yes":true}`), &got); err != nil {
		t.Fatal(err)
	}
	switch {
	case got.Absent.Present, !got.Null.Present, got.Null.Value != nil, got.Set.Value == nil, *got.Set.Value != 3:
		t.Errorf("fields: %+v", got)
	case got.Gone.Present, !got.No.Present, *got.No.Value, !*got.Yes.Value:
		t.Errorf("flags: %+v", got)
	}
	if err := json.Unmarshal([]byte(`{"Yes":1}`), &got); err == nil {
		t.Error("a number passed for a flag")
	}
}

func TestQuickGivesUp(t *testing.T) {
	for body, want := range map[string]bool{
		`[{"a":1}]`:       true,
		`[{"a":1}] `:      true,
		`[{"a":1,"b":2}]`: false,
		`[{"a":"1"}]`:     false,
		`[{"a":1}][]`:     false,
		`[{"a":1}`:        false,
		``:                false,
	} {
		var into []struct {
			A int `json:"a"`
		}
		if got := Quick([]byte(body), &into); got != want {
			t.Errorf("%s: %t", body, got)
		}
	}
}
